#pragma once

#include <csignal>

namespace sinew::cli {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the program, so that a run can end with a
/// complete step and complete files. A second signal of the same kind ends the program at once.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The first signal that came, 0: none.
  static int signal();

 private:
  struct sigaction old_[3];
};

/// "SIGINT", ...
const char* signalName(int signal);

}  // namespace sinew::cli
