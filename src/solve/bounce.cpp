#include "solve/bounce.h"

#include <algorithm>
#include <cmath>

#include "solve/hard.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Share of the work, counted without signs, that is left to rounding and to the tolerance of the solver.
constexpr double kRounding = 1e-10;

double sumOfProducts(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// What the targets may put in: work of rows that are to move by themselves.
double workOfTargets(std::span<const double> lambda, std::span<const double> target) {
  double sum = 0;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    if (lambda[i] != 0) sum += std::max(0.0, lambda[i] * target[i]);
  }
  return sum;
}

}  // namespace

ImpulseReport solveBounce(const ConstraintProblem& p, const ImpulseRows& bouncing,
                          std::span<const double> withoutBounce, const ImpulseOptions& options, Arena& arena,
                          std::span<double> lambda, std::span<double> velocity) {
  const int rows = p.rows();
  const auto copyOf = [&](std::span<const double> source) {
    const std::span<double> copy = arena.take<double>(static_cast<std::ptrdiff_t>(source.size()));
    std::copy(source.begin(), source.end(), copy.begin());
    return copy;
  };
  const std::span<double> plainLambda = copyOf(lambda), plainVelocity = copyOf(velocity);
  const std::span<double> before = arena.take<double>(rows), after = arena.take<double>(rows);
  multiplyRows(p, velocity.data(), before.data());
  ImpulseReport report = solveHard(p, bouncing, options, arena, lambda, velocity);
  multiplyRows(p, velocity.data(), after.data());

  // mean velocities during the impact, in the place of those before and after
  double size = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    size += std::abs(lambda[i]) * (std::abs(before[i]) + std::abs(after[i]));
    after[i] = 0.5 * (before[i] + after[i]);
  }
  const double excess = sumOfProducts(lambda, after) - workOfTargets(lambda, withoutBounce);
  if (!(excess > kRounding * size)) return report;

  const ImpulseReport plain = solveHard(p, {withoutBounce, bouncing.bound}, options, arena, plainLambda, plainVelocity);
  report.sweeps += plain.sweeps;
  report.converged = report.converged && plain.converged;
  const std::span<double> plainMean = arena.take<double>(rows);
  multiplyRows(p, plainVelocity.data(), plainMean.data());
  for (std::size_t i = 0; i < before.size(); ++i) plainMean[i] = 0.5 * (before[i] + plainMean[i]);

  // W(s) for lambda(s) = plain + s (bounce - plain) is a convex parabola; allowed is the work of the targets in between
  const double none = sumOfProducts(plainLambda, plainMean) - workOfTargets(plainLambda, withoutBounce);
  double square = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    square += (lambda[i] - plainLambda[i]) * (after[i] - plainMean[i]);
  }
  // none + linear s + square s^2 = 0 with none <= 0 and excess > 0 at s = 1: one root in between
  const double linear = excess - none - square;
  double s = 0;
  if (none < 0) {
    const double root = std::sqrt(std::max(0.0, linear * linear - 4 * square * none));
    s = std::clamp(linear >= 0 ? -2 * none / (linear + root) : (root - linear) / (2 * square), 0.0, 1.0);
  }
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = plainLambda[i] + s * (lambda[i] - plainLambda[i]);
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    velocity[i] = plainVelocity[i] + s * (velocity[i] - plainVelocity[i]);
  }
  return report;
}

}  // namespace sinew::solve
