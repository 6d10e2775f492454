#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

/// What the subcommands of `sinew` share. Scripts can rely on the exit codes: kOk, kProblem and kBadInput.
namespace sinew::cli {

inline constexpr int kOk = 0;        ///< done, nothing to complain about
inline constexpr int kProblem = 1;   ///< it ran, but the state went bad, numbers differ, or a file was not written
inline constexpr int kBadInput = 2;  ///< wrong usage, or a model or trace that cannot be read
inline constexpr int kSignal = 128;  ///< plus the number of the signal that stopped a run: 130 SIGINT, 143 SIGTERM

/// Something the user asked for cannot be done: a message for standard error and the exit code that goes with it.
class CommandError : public std::runtime_error {
 public:
  explicit CommandError(const std::string& message, int exitCode = kBadInput)
      : std::runtime_error(message), exitCode_(exitCode) {}
  int exitCode() const { return exitCode_; }

 private:
  int exitCode_;
};

/// The command is to end with this exit code, without a word: another process says why.
class QuietExit : public std::exception {
 public:
  explicit QuietExit(int exitCode) : exitCode_(exitCode) {}
  int exitCode() const { return exitCode_; }

 private:
  int exitCode_;
};

/// A subcommand whose options are registered with the parser; `execute` returns the exit code.
struct Command {
  CLI::App* parser = nullptr;
  std::function<int()> execute;
};

Command addDemoCommand(CLI::App& app);
Command addRunCommand(CLI::App& app);
Command addRenderCommand(CLI::App& app);
Command addInfoCommand(CLI::App& app);
Command addCompareCommand(CLI::App& app);
Command addBenchCommand(CLI::App& app);
Command addRolloutCommand(CLI::App& app);
Command addViewCommand(CLI::App& app);
Command addValidateCommand(CLI::App& app);

/// Reads the words of the command line, runs the subcommand they name and returns its exit code. Errors of the
/// subcommand are thrown.
int parseAndRun(int argc, char** argv);

}  // namespace sinew::cli
