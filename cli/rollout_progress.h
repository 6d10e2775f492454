#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace sinew::cli {

/// How far a job is, how fast it goes and when it will be done, on standard error: a bar that is redrawn ten times a
/// second on a terminal and removed at the end, else a line a minute.
class RolloutProgress {
 public:
  RolloutProgress(std::int64_t runs, std::int64_t before, std::int64_t stepsPerRun, bool isShown);
  ~RolloutProgress();
  RolloutProgress(const RolloutProgress&) = delete;
  RolloutProgress& operator=(const RolloutProgress&) = delete;

  void show(std::int64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t runs_, before_, steps_;
  bool isShown_, isTerminal_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), next_;
};

/// "12 s", "3 min", "2.5 h", "4 d".
std::string durationText(double seconds);

}  // namespace sinew::cli
