#include "math/quat.h"

#include <cmath>
#include <numbers>

#include "math/ordered_math.h"

namespace sinew {

Quat fromMatrix(const Mat3& R) {
  // 4 w^2 = 1 + trace, 4 x^2 = 1 + R00 - R11 - R22, ...: start from the largest, which cannot be near zero
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  Quat q;
  if (trace > 0) {
    q.w = 0.5 * std::sqrt(1 + R(0, 0) + R(1, 1) + R(2, 2));
    q = {q.w, 0.25 * (R(2, 1) - R(1, 2)) / q.w, 0.25 * (R(0, 2) - R(2, 0)) / q.w, 0.25 * (R(1, 0) - R(0, 1)) / q.w};
  } else if (R(0, 0) > R(1, 1) && R(0, 0) > R(2, 2)) {
    q.x = 0.5 * std::sqrt(1 + R(0, 0) - R(1, 1) - R(2, 2));
    q = {0.25 * (R(2, 1) - R(1, 2)) / q.x, q.x, 0.25 * (R(1, 0) + R(0, 1)) / q.x, 0.25 * (R(2, 0) + R(0, 2)) / q.x};
  } else if (R(1, 1) > R(2, 2)) {
    q.y = 0.5 * std::sqrt(1 - R(0, 0) + R(1, 1) - R(2, 2));
    q = {0.25 * (R(0, 2) - R(2, 0)) / q.y, 0.25 * (R(1, 0) + R(0, 1)) / q.y, q.y, 0.25 * (R(2, 1) + R(1, 2)) / q.y};
  } else {
    q.z = 0.5 * std::sqrt(1 - R(0, 0) - R(1, 1) + R(2, 2));
    q = {0.25 * (R(1, 0) - R(0, 1)) / q.z, 0.25 * (R(2, 0) + R(0, 2)) / q.z, 0.25 * (R(2, 1) + R(1, 2)) / q.z, q.z};
  }
  return normalized(q);
}

Vec3 toRotationVector(const Quat& q) {
  const Vec3 v = q.vec();
  const double s = v.norm();
  double angle = 2 * std::atan2(s, q.w);
  if (angle > std::numbers::pi) angle -= 2 * std::numbers::pi;
  return normalizedOrX(v) * angle;
}

Vec3 difference(const Quat& a, const Quat& b) { return toRotationVector(b.conjugate() * a); }

Quat fromZTo(const Vec3& v) {
  const Vec3 direction = normalizedOrX(v);
  Vec3 axis = Vec3::UnitZ().cross(direction);
  const double sine = axis.norm();
  axis = sine < 1e-10 ? Vec3(1, 0, 0) : Vec3(axis / sine);
  return fromAxisAngle(axis, std::atan2(sine, direction.z()));
}

Quat integrated(const Quat& q, const Vec3& w_body, double h) {
  const double speed = w_body.norm();
  return normalized(q) * fromAxisAngle(normalizedOrX(w_body), h * speed);
}

Pose compose(const Pose& a, const Pose& b) { return {a.pos + apply(toMatrix(a.quat), b.pos), unit(a.quat * b.quat)}; }

Pose inverse(const Pose& a) {
  const Quat back = a.quat.conjugate();
  return {-rotate(back, a.pos), back};
}

}  // namespace sinew
