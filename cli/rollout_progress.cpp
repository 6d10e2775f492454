#include "rollout_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sinew::cli {

std::string durationText(double s) {
  if (s < 120) return fmt::format("{:.0f} s", s);
  if (s < 7200) return fmt::format("{:.0f} min", s / 60);
  if (s < 172800) return fmt::format("{:.1f} h", s / 3600);
  return fmt::format("{:.1f} d", s / 86400);
}

RolloutProgress::RolloutProgress(std::int64_t runs, std::int64_t before, std::int64_t stepsPerRun, bool isShown)
    : runs_(std::max<std::int64_t>(1, runs)),
      before_(before),
      steps_(stepsPerRun),
      isShown_(isShown),
      isTerminal_(isatty(STDERR_FILENO) == 1),
      next_(start_ + (isTerminal_ ? std::chrono::milliseconds(200) : std::chrono::minutes(1))) {}

RolloutProgress::~RolloutProgress() {
  if (drawn_ && isTerminal_) fmt::print(stderr, "\r\x1b[K");
}

void RolloutProgress::show(std::int64_t done) {
  const auto now = Clock::now();
  if (!isShown_ || now < next_) return;
  next_ = now + (isTerminal_ ? std::chrono::milliseconds(100) : std::chrono::minutes(1));
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - before_) / elapsed,
               share = static_cast<double>(done) / static_cast<double>(runs_);
  std::string text = fmt::format("{:3.0f} %  {} of {} runs", 100 * share, done, runs_);
  if (rate > 0) {
    text += fmt::format(", {:.3g} runs/s, {:.3g} steps/s, {} left", rate, rate * static_cast<double>(steps_),
                        durationText(static_cast<double>(runs_ - done) / rate));
  }
  if (!isTerminal_) {
    fmt::print(stderr, "{}\n", text);
  } else {
    constexpr int kWidth = 30;
    const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
    fmt::print(stderr, "\r[{:<{}}] {}\x1b[K", std::string(filled, '#'), kWidth, text);
  }
  drawn_ = true;
}

}  // namespace sinew::cli
