#pragma once

#include <chrono>

namespace sinew::cli {

/// A bar on standard error, drawn only if that is a terminal, and removed at the end.
class ProgressBar {
 public:
  explicit ProgressBar(long total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Redraws at most ten times a second.
  void show(long done, double simulatedSeconds);

 private:
  using Clock = std::chrono::steady_clock;
  long total_;
  bool isTerminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_;
};

}  // namespace sinew::cli
