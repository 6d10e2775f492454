#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace sinew::bench {

/// A program that answers lines on its standard input with lines on its standard output.
class ChildProcess {
 public:
  /// Starts `command`, found in PATH. Throws std::runtime_error if the system cannot start another process.
  explicit ChildProcess(const std::vector<std::string>& command);
  /// Closes the pipes and waits for the program to end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line and returns the answer. Throws std::runtime_error if the program has ended.
  std::string ask(const std::string& line);

 private:
  pid_t pid_ = -1;
  std::FILE* in_ = nullptr;   // what the program reads
  std::FILE* out_ = nullptr;  // what it writes
};

}  // namespace sinew::bench
