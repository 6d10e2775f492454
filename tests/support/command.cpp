#include "support/command.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

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
#ifdef SINEW_CLI
  const TestFolder folder;
  std::string command = quoted(SINEW_CLI);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " >" + quoted(folder.path("out")) + " 2>" + quoted(folder.path("err")) + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
#else
  (void)arguments;
  (void)quoted;
  throw std::runtime_error("this build has no sinew command");
#endif
}

}  // namespace sinew::test
