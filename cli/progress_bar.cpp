#include "progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace sinew::cli {

ProgressBar::ProgressBar(long total) : total_(std::max(1L, total)), isTerminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::show(long done, double simulatedSeconds) {
  if (!isTerminal_ || Clock::now() < next_) return;
  const auto now = Clock::now();
  next_ = now + std::chrono::milliseconds(100);
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  constexpr int kWidth = 40;
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r[{:<{}}] {:3.0f} %  {:.2f} s simulated in {:.1f} s", std::string(filled, '#'), kWidth,
             100 * share, simulatedSeconds, elapsed);
  drawn_ = true;
}

}  // namespace sinew::cli
