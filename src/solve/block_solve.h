#pragma once

#include <algorithm>
#include <cmath>

/// The rows of one contact alone, as a visit of Gauss-Seidel sees them: friction within the ellipsoid that a normal
/// force or impulse allows. One problem for all solvers, of forces and of impulses, regularized or hard,
///
///   min 1/2 x' G x - x' c    with sum (x_k / friction_k)^2 <= normal^2,    n <= 5, G symmetric by rows.
///
/// Inside the ellipsoid the contact sticks, on its border it slides. There the velocity c - G x that remains points
/// along (x_k / friction_k^2): friction dissipates as much as it can, which is Coulomb's law. The multiplier of the
/// bound is found by Newton's method on 1/|z| - 1/normal, which is concave and rises, so that it comes from below after
/// at most one step, and from there never passes the solution [More and Sorensen 1983].
namespace sinew::solve {

/// Added to the diagonal of J inv(A) J', as a share of it.
inline constexpr double kRegularization = 1e-8;

/// Where a push along the normal moves a contact by less than this share of what one across it does, nothing moves it
/// along the normal: the rest is rounding, or what a collider leaves of a direction. To push along it all the same
/// would turn a micrometre of depth into kilometres per second.
inline constexpr double kLeastMobility = 1e-12;

/// Rows without a number above this are rounding errors, as those of a rod that points at the axis of a hinge are. To
/// push along them all the same would turn a micrometre of error into any speed.
inline constexpr double kLeastLever = 1e-12;

/// 1 / x with the regularization, for the normal of a contact whose tangents have diagonals of up to `across`.
inline double inverseOfNormal(double x, double across) {
  return x > kLeastMobility * across ? 1 / (x * (1 + kRegularization)) : 0;
}

/// Impulses below this carry no friction: their square must not vanish.
inline constexpr double kLeastNormal = 1e-100;

/// The minimum; normal > 0. Returns whether it lies on the border. Rows that depend on those before (to rounding) are
/// zero in a minimum inside. The steps are those of the reference engine, to its tolerances, where these make sense
/// (see the source); elsewhere, for things that are too heavy or too light for them, all bounds are relative.
bool solveInEllipsoid(int n, const double* G, const double* c, const double* friction, double normal, double* x);

/// The minimum on the border of the ellipsoid, for callers that know that the one without a bound lies outside.
void slide(int n, const double* G, const double* c, const double* friction, double normal, double* x);

/// slide() for two tangents, with G = (g11, g21, g22). `nu` carries the multiplier of the bound from visit to visit, 0
/// if it is not known yet; if it is, one step of the search for it must do, and the next visit goes on. x is on the
/// border in any case, and where visits no longer change anything it is the minimum.
inline void slidePlane(double g11, double g21, double g22, const double* c, const double* friction, double normal,
                       double& nu, double* x) {
  // x = friction z turns the ellipse into a disk: (S + nu) z = b with |z| = normal
  const double s11 = friction[0] * friction[0] * g11, s21 = friction[0] * friction[1] * g21,
               s22 = friction[1] * friction[1] * g22;
  const double b1 = friction[0] * c[0], b2 = friction[1] * c[1];
  // |z| >= |b| / (trace + nu): the multiplier is at least this
  const double trace = s11 + s22, each = 1 / normal;
  const double least = std::max(kRegularization * trace, std::sqrt(b1 * b1 + b2 * b2) * each - trace);
  const int steps = nu > 0 ? 1 : 8;
  nu = std::max(nu, least);
  double z1 = 0, z2 = 0, length = 0;
  for (int k = 0; k < steps; ++k) {
    const double a11 = s11 + nu, a22 = s22 + nu, determinant = a11 * a22 - s21 * s21;
    const double y1 = a22 * b1 - s21 * b2, y2 = a11 * b2 - s21 * b1;  // determinant z
    const double square = y1 * y1 + y2 * y2;
    const double steepness = a22 * y1 * y1 - 2 * s21 * y1 * y2 + a11 * y2 * y2;  // determinant^3 z' inv(S + nu) z
    z1 = y1;
    z2 = y2;
    length = std::sqrt(square);
    const double excess = length * each - determinant;  // determinant (|z| / normal - 1)
    if (!(steepness > 0) || std::abs(excess) <= 1e-12 * determinant) break;
    nu = std::max(least, nu + excess * square / steepness);
  }
  const double scale = length > 0 ? normal / length : 0;
  x[0] = friction[0] * z1 * scale;
  x[1] = friction[1] * z2 * scale;
}

/// Inverse of a symmetric n x n matrix by rows, n <= 6, with its diagonal regularized. Rows that depend on those before
/// (to 1e-7 of their diagonal) are left out, that is zero in the inverse.
void invertIndependent(int n, const double* G, double* inverse);

}  // namespace sinew::solve
