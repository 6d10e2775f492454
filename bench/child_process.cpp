#include "child_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace sinew::bench {
namespace {

std::array<int, 2> makePipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  return ends;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that ended shows as a failed write
  const std::array<int, 2> toChild = makePipe();
  const std::array<int, 2> fromChild = makePipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO);
  for (const int end : {toChild[0], toChild[1], fromChild[0], fromChild[1]}) {
    posix_spawn_file_actions_addclose(&actions, end);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int error = posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(toChild[0]);
  close(fromChild[1]);
  in_ = fdopen(toChild[1], "w");
  out_ = fdopen(fromChild[0], "r");
  if (error != 0) {
    pid_ = -1;
    std::fclose(in_);
    std::fclose(out_);
    throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  std::fclose(in_);
  std::fclose(out_);
  waitpid(pid_, nullptr, 0);
}

std::string ChildProcess::ask(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), in_) < 0 || std::fflush(in_) != 0) {
    throw std::runtime_error("the program has ended");
  }
  char* text = nullptr;
  std::size_t capacity = 0;
  const ssize_t length = getline(&text, &capacity, out_);
  std::string answer = length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
  std::free(text);
  if (answer.empty()) throw std::runtime_error("the program has ended");
  return answer;
}

}  // namespace sinew::bench
