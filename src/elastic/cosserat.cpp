#include "elastic/cosserat.h"

#include <cmath>

namespace sinew::elastic {

double RodSegment::energy(const Mat3& R, const Vec3& e) const {
  const Vec3 g = strain(R, e);
  return 0.5 * length * g.dot(stiffness.cwiseProduct(g));
}

Mat3 turnRate(const Vec3& w) {
  const double square = w.squaredNorm(), angle = std::sqrt(square);
  const double c = angle < 1e-3 ? (1 + square / 60) / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / square;
  Mat3 cross;
  cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return Mat3::Identity() + 0.5 * cross + c * cross * cross;
}

double RodJoint::energy(const Vec3& w) const {
  const Vec3 bent = w - relaxed;
  return 0.5 * bent.dot(stiffness.cwiseProduct(bent));
}

}  // namespace sinew::elastic
