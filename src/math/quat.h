#pragma once

#include <cmath>

#include "math/types.h"

namespace sinew {

/// Rotation as a quaternion in the order of MJCF, Model and Data: w, x, y, z. Deliberately not Eigen's type, whose
/// memory order is x, y, z, w: a Map of that over Data would be silently wrong.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;

  static Quat load(const double* p) { return {p[0], p[1], p[2], p[3]}; }
  void store(double* p) const { p[0] = w, p[1] = x, p[2] = y, p[3] = z; }
  Vec3 vec() const { return {x, y, z}; }
  double norm() const { return std::sqrt(w * w + x * x + y * y + z * z); }
  bool isIdentity() const { return w == 1 && x == 0 && y == 0 && z == 0; }
  Quat conjugate() const { return {w, -x, -y, -z}; }
};

/// Hamilton product: rotates by b first, then by a.
inline Quat operator*(const Quat& a, const Quat& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// q / |q|. Shorter than kMinVal gives the identity; within kMinVal of unit length q is returned untouched.
inline Quat normalized(const Quat& q) {
  const double length = q.norm();
  if (length < kMinVal) return {};
  if (std::abs(length - 1) <= kMinVal) return q;
  const double s = 1 / length;
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}

/// q / |q| by division, q untouched within 1e-14 of unit length: how orientations of a model are made. The last bits of
/// those decide whether what was placed to touch does touch, so they are the ones of the reference engine.
inline Quat unit(const Quat& q) {
  const double length = q.norm();
  if (length < kMinVal || std::abs(length - 1) <= 1e-14) return q;
  return {q.w / length, q.x / length, q.y / length, q.z / length};
}

/// R(q) v. The exact identity returns v bit for bit.
inline Vec3 rotate(const Quat& q, const Vec3& v) {
  if (q.isIdentity()) return v;
  // t = w v + u x v, then v + 2 u x t, u the vector part; in scalars, because compilers stall on half-packed vectors
  const double x = v.x(), y = v.y(), z = v.z();
  const double tx = q.w * x + q.y * z - q.z * y;
  const double ty = q.w * y + q.z * x - q.x * z;
  const double tz = q.w * z + q.x * y - q.y * x;
  return {x + 2 * (q.y * tz - q.z * ty), y + 2 * (q.z * tx - q.x * tz), z + 2 * (q.x * ty - q.y * tx)};
}

/// Rotation matrix of a unit quaternion, R_ii = w^2 + x^2 - y^2 - z^2 and so on, to nine numbers, row-major.
inline void storeMatrix(const Quat& q, double* R) {
  if (q.isIdentity()) {
    for (int i = 0; i < 9; ++i) R[i] = i % 4 == 0 ? 1 : 0;
    return;
  }
  const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  R[0] = ww + xx - yy - zz;
  R[1] = 2 * (q.x * q.y - q.w * q.z);
  R[2] = 2 * (q.x * q.z + q.w * q.y);
  R[3] = 2 * (q.x * q.y + q.w * q.z);
  R[4] = ww - xx + yy - zz;
  R[5] = 2 * (q.y * q.z - q.w * q.x);
  R[6] = 2 * (q.x * q.z - q.w * q.y);
  R[7] = 2 * (q.y * q.z + q.w * q.x);
  R[8] = ww - xx - yy + zz;
}
inline Mat3 toMatrix(const Quat& q) {
  Mat3 R;
  storeMatrix(q, R.data());
  return R;
}

/// Unit quaternion of a rotation matrix, by the largest of the four squared components.
Quat fromMatrix(const Mat3& R);

/// (cos(angle/2), axis sin(angle/2)); `axis` must have unit length. Angle 0 gives the exact identity.
inline Quat fromAxisAngle(const Vec3& axis, double angle) {
  if (angle == 0) return {};
  const double s = std::sin(0.5 * angle);
  return {std::cos(0.5 * angle), axis.x() * s, axis.y() * s, axis.z() * s};
}

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

/// Pose a followed by local pose b: (a.pos + R(a) b.pos, unit(a.quat b.quat)).
Pose compose(const Pose& a, const Pose& b);
Pose inverse(const Pose& a);

}  // namespace sinew
