#pragma once

#include <filesystem>
#include <functional>
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

/// Runs a script of the shell, in which $SINEW is the command.
CommandResult runShell(const std::string& script);

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

/// A `sinew` that is under way.
class RunningSinew {
 public:
  explicit RunningSinew(const std::vector<std::string>& arguments);
  ~RunningSinew();  ///< kills it if it has not ended
  RunningSinew(const RunningSinew&) = delete;
  RunningSinew& operator=(const RunningSinew&) = delete;

  void send(int signal) const;
  /// Waits for the end. Exit code -1: it was ended by a signal.
  CommandResult wait();
  /// After wait(): the most memory it had, bytes.
  long mostMemory() const { return mostMemory_; }

 private:
  TestFolder folder_;
  int pid_ = -1;
  long mostMemory_ = 0;
};

/// Waits until `isTrue` returns true; false after a minute.
bool waitUntil(const std::function<bool()>& isTrue);

}  // namespace sinew::test
