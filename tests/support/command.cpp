#include "support/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/paths.h"

namespace sinew::test {
namespace {

std::string quoted(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

TestFolder::TestFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sinew-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make a temporary folder");
  folder_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TestFolder::write(const std::string& name, std::string_view text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return path(name);
}

std::string TestFolder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
  return text.str();
}

CommandResult runSinew(const std::vector<std::string>& arguments) {
  const TestFolder folder;
  std::string command = quoted(cliPath().string());
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder.path("out")) + " 2>" + quoted(folder.path("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

CommandResult runShell(const std::string& script) {
  const TestFolder folder;
  const std::string command = "SINEW=" + quoted(cliPath().string()) + "; export SINEW; ( " + script + "\n) >" +
                              quoted(folder.path("out")) + " 2>" + quoted(folder.path("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

RunningSinew::RunningSinew(const std::vector<std::string>& arguments) {
  const std::string program = cliPath().string(), out = folder_.path("out"), err = folder_.path("err");
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot start a process");
  if (pid_ == 0) {
    const int outFile = open(out.c_str(), O_WRONLY | O_CREAT, 0600),
              errFile = open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(outFile, STDOUT_FILENO);
    dup2(errFile, STDERR_FILENO);
    execv(program.c_str(), words.data());
    _exit(127);
  }
}

RunningSinew::~RunningSinew() {
  if (pid_ < 0) return;
  send(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void RunningSinew::send(int signal) const { kill(pid_, signal); }

CommandResult RunningSinew::wait() {
  int status = 0;
  rusage usage{};
  wait4(pid_, &status, 0, &usage);
  pid_ = -1;
  mostMemory_ = usage.ru_maxrss * 1024;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder_.read("out"), folder_.read("err")};
}

bool waitUntil(const std::function<bool()>& isTrue) {
  for (int i = 0; i < 6000; ++i) {
    if (isTrue()) return true;
    usleep(10'000);
  }
  return false;
}

}  // namespace sinew::test
