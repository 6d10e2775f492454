#include "constraint/contact_target.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {
namespace {

/// u such that a bounce at depth d with approach speed v under the pressing acceleration a reaches e^2 of the height it
/// came from. In steps of h, semi-implicit, speed v is reached after a fall of v^2/2a + v h/2, and speed u, set and
/// moved with in the same step, leads up by u^2/2a + u h/2. Measured from the surface:
///   u^2/2a + u h/2 - d = e^2 (v^2/2a + v h/2 - d).
double reboundSpeed(double e, double v, double d, double a, double h) {
  if (!(a > 0)) return e * v;
  const double rhs = e * e * (v * v + a * h * v) + 2 * a * (1 - e * e) * d;
  const double half = 0.5 * a * h;
  // u = -half + sqrt(half^2 + rhs) without the cancellation; never faster than it came
  return std::min(v, rhs / (half + std::sqrt(half * half + rhs)));
}

}  // namespace

double effectiveRestitution(double e, double vn, double threshold) { return vn <= -threshold ? e : 0; }

double contactTarget(double C, double vn, double e, const ImpulseParameters& p, double acceleration) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const double effective = effectiveRestitution(e, vn, p.threshold);
  if (C > 0) return effective > 0 || C > kSpeculativeDistance ? kNone : -C / p.h;
  const double correction = p.erp / p.h * (-C - p.slop);
  if (!(effective > 0) || vn >= 0) return std::max(0.0, correction);
  return std::max(reboundSpeed(effective, -vn, -C, -acceleration, p.h), correction);
}

double limitTarget(double C, const ImpulseParameters& p) {
  return C > 0 ? -C / p.h : std::max(0.0, p.erp / p.h * (-C - p.slop));
}

double equalityTarget(double r, const ImpulseParameters& p) { return -p.erp / p.h * r; }

}  // namespace sinew
