#include "solve/bounce.h"

#include <algorithm>
#include <cmath>

namespace sinew::solve {
namespace {

/// Share of the work, counted without signs, that is left to rounding and to the tolerance of the solver.
constexpr double kRounding = 1e-10;

/// Work of the impulses beyond what targets put in.
double excessOf(std::span<const double> before, std::span<const double> target, const RowMotion& motion) {
  double sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double impulse = motion.impulse[i];
    if (impulse == 0) continue;
    sum += 0.5 * impulse * (before[i] + motion.velocity[i]) - std::max(0.0, impulse * target[i]);
  }
  return sum;
}

}  // namespace

double shareOfBounce(std::span<const double> before, std::span<const double> target, const RowMotion& plain,
                     const RowMotion& bouncing) {
  double size = 0, square = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    size += std::abs(bouncing.impulse[i]) * (std::abs(before[i]) + std::abs(bouncing.velocity[i]));
    square += 0.5 * (bouncing.impulse[i] - plain.impulse[i]) * (bouncing.velocity[i] - plain.velocity[i]);
  }
  const double excess = excessOf(before, target, bouncing);
  if (!(excess > kRounding * size)) return 1;
  // none + linear s + square s^2 = 0 with none <= 0 and excess > 0 at s = 1: one root in between
  const double none = excessOf(before, target, plain), linear = excess - none - square;
  if (!(none < 0)) return 0;
  const double root = std::sqrt(std::max(0.0, linear * linear - 4 * square * none));
  return std::clamp(linear >= 0 ? -2 * none / (linear + root) : (root - linear) / (2 * square), 0.0, 1.0);
}

}  // namespace sinew::solve
