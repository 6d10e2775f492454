#include "math/eigen3.h"

#include <cmath>
#include <limits>
#include <utility>

#include "math/ordered_math.h"

namespace sinew {
namespace {

constexpr double kReferenceTolerance = 1e-12;
constexpr int kMaxRotations = 500;

/// A coordinate plane (row, col) and the axis across it. `turn` is +1 if (row, col, axis) is an even permutation.
struct Plane {
  int row, col, axis;
  double turn;
};

/// The plane of the largest off-diagonal entry; ties go to (1,2), then (0,2).
Plane pivot(const Mat3& D) {
  const double d01 = std::abs(D(0, 1)), d02 = std::abs(D(0, 2)), d12 = std::abs(D(1, 2));
  if (d01 > d02 && d01 > d12) return {0, 1, 2, 1};
  if (d02 > d12) return {0, 2, 1, -1};
  return {1, 2, 0, 1};
}

/// The quaternion (sqrt(1 - s^2), s along `axis`).
Quat halfSineAbout(int axis, double s) {
  Vec3 v = Vec3::Zero();
  v[axis] = s;
  return unit({std::sqrt(1 - s * s), v.x(), v.y(), v.z()});
}

Quat quarterTurnAbout(int axis) {
  constexpr double kHalf = 0.707106781186548;  // as many digits as the reference has
  Vec3 v = Vec3::Zero();
  v[axis] = kHalf;
  return {kHalf, v.x(), v.y(), v.z()};
}

/// Turns the axes until R' A R is diagonal within the tolerance. `accurate`: no rotation is too small.
void rotateToDiagonal(const Mat3& A, bool accurate, double tolerance, Eigen3& result) {
  for (int iteration = 0; iteration < kMaxRotations; ++iteration) {
    const Mat3 R = toMatrix(result.axes);
    const Mat3 D = multiply(multiply(R.transpose(), A), R);
    result.values = D.diagonal();
    const Plane p = pivot(D);
    const double off = D(p.row, p.col);
    if (std::abs(off) <= tolerance && (accurate || std::abs(off) < tolerance)) break;

    // the smaller root t = tan(angle) of t^2 + 2 tau t - 1 = 0 zeroes the pivot
    const double tau = (D(p.col, p.col) - D(p.row, p.row)) / (2 * off);
    const double t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
    const double cosine = 1 / std::sqrt(1 + t * t);
    if (!accurate && cosine > 1 - kReferenceTolerance) break;
    const double halfSine = accurate ? std::abs(std::sin(0.5 * std::atan(t))) : std::sqrt(0.5 - 0.5 * cosine);
    if (halfSine == 0) break;
    result.axes = unit(result.axes * halfSineAbout(p.axis, p.turn * (tau >= 0 ? -halfSine : halfSine)));
  }
}

}  // namespace

Eigen3 eigen3(const Mat3& A, EigenRule rule) {
  const bool accurate = rule == EigenRule::Accurate;
  const double noise = std::numeric_limits<double>::epsilon() * A.cwiseAbs().maxCoeff();
  const double tolerance = accurate ? noise : kReferenceTolerance;
  Eigen3 result;
  rotateToDiagonal(A, accurate, tolerance, result);
  // sums of parts leave a few units of rounding beside the diagonal, which say nothing about axes
  if (rule == EigenRule::Refined && !result.axes.isIdentity()) rotateToDiagonal(A, true, 4 * noise, result);

  // bubble sort; a swap of neighbours is a quarter turn about the third axis
  for (const int lead : {0, 1, 0}) {
    if (result.values[lead] + tolerance >= result.values[lead + 1]) continue;
    std::swap(result.values[lead], result.values[lead + 1]);
    result.axes = unit(result.axes * quarterTurnAbout((lead + 2) % 3));
  }
  return result;
}

}  // namespace sinew
