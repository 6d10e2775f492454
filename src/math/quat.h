#pragma once

#include "math/types.h"

namespace sinew {

/// Rotation as a quaternion in the order of MJCF, Model and Data: w, x, y, z. Deliberately not Eigen's type, whose
/// memory order is x, y, z, w: a Map of that over Data would be silently wrong.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;

  static Quat load(const double* p) { return {p[0], p[1], p[2], p[3]}; }
  void store(double* p) const { p[0] = w, p[1] = x, p[2] = y, p[3] = z; }
  Vec3 vec() const { return {x, y, z}; }
  double norm() const;
  bool isIdentity() const { return w == 1 && x == 0 && y == 0 && z == 0; }
  Quat conjugate() const { return {w, -x, -y, -z}; }
};

/// Hamilton product: rotates by b first, then by a.
inline Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// q / |q|. Shorter than kMinVal gives the identity; within kMinVal of unit length q is returned untouched.
Quat normalized(const Quat& q);

/// R(q) v. The exact identity returns v bit for bit.
Vec3 rotate(const Quat& q, const Vec3& v);

/// Rotation matrix of a unit quaternion, R_ii = w^2 + x^2 - y^2 - z^2 and so on.
Mat3 toMatrix(const Quat& q);

/// Unit quaternion of a rotation matrix, by the largest of the four squared components.
Quat fromMatrix(const Mat3& R);

/// (cos(angle/2), axis sin(angle/2)); `axis` must have unit length. Angle 0 gives the exact identity.
Quat fromAxisAngle(const Vec3& axis, double angle);

/// Rotation vector (axis times angle, angle in (-pi, pi]) of a unit quaternion.
Vec3 toRotationVector(const Quat& q);

/// log(conj(b) a): the rotation vector, in b's own frame, that takes b to a.
Vec3 difference(const Quat& a, const Quat& b);

/// The smallest rotation that takes +z to the direction of v (need not be a unit vector).
Quat fromZTo(const Vec3& v);

/// normalized(q) * exp(h w), w in the body frame. The product is not normalized again.
Quat integrated(const Quat& q, const Vec3& w_body, double h);

/// A rigid transform: x -> pos + R(quat) x.
struct Pose {
  Vec3 pos = Vec3::Zero();
  Quat quat;
};

/// Pose a followed by local pose b: (a.pos + R(a) b.pos, normalized(a.quat b.quat)).
Pose compose(const Pose& a, const Pose& b);
Pose inverse(const Pose& a);

}  // namespace sinew
