#include "rollout_pace.h"

#include <algorithm>

namespace sinew::cli {
namespace {

/// A worker asks when this share of its piece is left, or this time if that is less. A nap takes a fourth of that at
/// most, as the mean time between requests is no longer than the piece of any worker (but where pieces shrink): the
/// rest is for a processor that others use as well, on which the process that answers has to wait for its turn.
constexpr double kShareAhead = 1.0 / 2, kMostAhead = 0.1;
constexpr double kNapShare = kShareAhead / 4, kLongestNap = 0.005, kShortestNap = 5e-5;
/// Requests over which the time between them is averaged.
constexpr double kMemory = 8;

}  // namespace

void AskAhead::begin(double now) { start_ = last_ = now; }

bool AskAhead::isTime(double now, double done) {
  const double elapsed = now - start_, untilNext = now - last_;
  last_ = now;
  if (!(done > 0)) return false;
  const double whole = elapsed / done, left = whole - elapsed;
  return left <= std::min(kShareAhead * whole, kMostAhead) + untilNext;  // as the next look may come too late
}

void Naps::asked(double now) {
  mean_ += (now - last_ - mean_) / kMemory;
  last_ = now;
}

double Naps::length() const { return std::clamp(kNapShare * mean_, kShortestNap, kLongestNap); }

}  // namespace sinew::cli
