#include "extras.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>

namespace sinew::cli {
namespace {

std::vector<std::string>& words() {
  static std::vector<std::string> instance;
  return instance;
}

}  // namespace

Extras& extras() {
  static Extras instance;
  return instance;
}

void rememberCommandLine(int argc, char** argv) { words().assign(argv, argv + argc); }

const std::vector<std::string>& commandLine() { return words(); }

std::string programFolder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return words().empty() ? "." : std::filesystem::path(words()[0]).parent_path().string();
  return self.parent_path().string();
}

void continueAs(const std::string& program) {
  const std::string file = (std::filesystem::path(programFolder()) / program).string();
  std::vector<char*> arguments;
  for (std::string& word : words()) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execv(file.c_str(), arguments.data());
}

}  // namespace sinew::cli
