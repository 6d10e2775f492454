#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// The `sinew` command, as a script sees it.
namespace sinew::test {

struct CommandResult {
  int exitCode = -1;  ///< -1: ended by a signal
  std::string out;
  std::string err;
};

/// Runs `sinew` with these arguments; its output goes to files, not to a terminal.
CommandResult runSinew(const std::vector<std::string>& arguments);

/// A folder of its own for a test, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view text) const;
  std::string read(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace sinew::test
