#pragma once

#include "math/types.h"

/// Spatial (6D) vector algebra in world axes about a common reference point [Featherstone 2008, ch. 2].
/// Motion vectors are (angular velocity, velocity of the body-fixed point at the reference), force vectors are (torque
/// about the reference, force). Plain pointers to six or ten numbers, because that is how Data stores them.
namespace sinew {

/// a . b with the terms added from first to last; Eigen leaves the order open.
inline double dot3(const Vec3& a, const Vec3& b) { return a.x() * b.x() + a.y() * b.y() + a.z() * b.z(); }
inline double dot6(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

inline Vec3 angular(const double* spatial) { return {spatial[0], spatial[1], spatial[2]}; }
inline Vec3 linear(const double* spatial) { return {spatial[3], spatial[4], spatial[5]}; }

inline void setSpatial(double* spatial, const Vec3& angular, const Vec3& linear) {
  spatial[0] = angular.x(), spatial[1] = angular.y(), spatial[2] = angular.z();
  spatial[3] = linear.x(), spatial[4] = linear.y(), spatial[5] = linear.z();
}

inline void copy6(double* to, const double* from) {
  for (int i = 0; i < 6; ++i) to[i] = from[i];
}
inline void zero6(double* v) {
  for (int i = 0; i < 6; ++i) v[i] = 0;
}
inline void add6(double* v, const double* u) {
  for (int i = 0; i < 6; ++i) v[i] += u[i];
}
inline void addScaled6(double* v, const double* u, double scale) {
  for (int i = 0; i < 6; ++i) v[i] += scale * u[i];
}

/// out = v x s, the rate of a motion vector s that is carried along by the motion v: (w x s_ang, w x s_lin + v x
/// s_ang).
inline void crossMotion(double* out, const double* v, const double* s) {
  out[0] = v[1] * s[2] - v[2] * s[1];
  out[1] = v[2] * s[0] - v[0] * s[2];
  out[2] = v[0] * s[1] - v[1] * s[0];
  out[3] = v[1] * s[5] - v[2] * s[4] + (v[4] * s[2] - v[5] * s[1]);
  out[4] = v[2] * s[3] - v[0] * s[5] + (v[5] * s[0] - v[3] * s[2]);
  out[5] = v[0] * s[4] - v[1] * s[3] + (v[3] * s[1] - v[4] * s[0]);
}

/// out += v x* f, the rate of a force vector f that is carried along by the motion v: (w x t + v x f, w x f).
inline void addCrossForce(double* out, const double* v, const double* f) {
  out[0] += v[1] * f[2] - v[2] * f[1] + (v[4] * f[5] - v[5] * f[4]);
  out[1] += v[2] * f[0] - v[0] * f[2] + (v[5] * f[3] - v[3] * f[5]);
  out[2] += v[0] * f[1] - v[1] * f[0] + (v[3] * f[4] - v[4] * f[3]);
  out[3] += v[1] * f[5] - v[2] * f[4];
  out[4] += v[2] * f[3] - v[0] * f[5];
  out[5] += v[0] * f[4] - v[1] * f[3];
}

/// Rigid-body inertia about the reference point, ten numbers: the tensor's xx, yy, zz, xy, xz, yz, then m d, then m,
/// with d from the reference to the centre of mass. `R` holds the principal axes as columns.
///   I = R diag(principal) R' - m [d]x [d]x
inline void setInertia(double* I, const double* principal, const double* R, const Vec3& d, double mass) {
  const double x = d.x(), y = d.y(), z = d.z();
  const double a0 = R[0] * principal[0], a1 = R[1] * principal[1], a2 = R[2] * principal[2];
  const double b0 = R[3] * principal[0], b1 = R[4] * principal[1], b2 = R[5] * principal[2];
  const double c0 = R[6] * principal[0], c1 = R[7] * principal[1], c2 = R[8] * principal[2];
  I[0] = R[0] * a0 + R[1] * a1 + R[2] * a2 + mass * (y * y + z * z);
  I[1] = R[3] * b0 + R[4] * b1 + R[5] * b2 + mass * (x * x + z * z);
  I[2] = R[6] * c0 + R[7] * c1 + R[8] * c2 + mass * (x * x + y * y);
  I[3] = R[0] * b0 + R[1] * b1 + R[2] * b2 - mass * x * y;
  I[4] = R[0] * c0 + R[1] * c1 + R[2] * c2 - mass * x * z;
  I[5] = R[3] * c0 + R[4] * c1 + R[5] * c2 - mass * y * z;
  I[6] = mass * x;
  I[7] = mass * y;
  I[8] = mass * z;
  I[9] = mass;
}

/// f = I v, momentum of the motion v or force of the acceleration v: (I w + m d x v, m v - m d x w).
inline void multiplyInertia(double* f, const double* I, const double* v) {
  f[0] = I[0] * v[0] + I[3] * v[1] + I[4] * v[2] - I[8] * v[4] + I[7] * v[5];
  f[1] = I[3] * v[0] + I[1] * v[1] + I[5] * v[2] + I[8] * v[3] - I[6] * v[5];
  f[2] = I[4] * v[0] + I[5] * v[1] + I[2] * v[2] - I[7] * v[3] + I[6] * v[4];
  f[3] = I[8] * v[1] - I[7] * v[2] + I[9] * v[3];
  f[4] = I[6] * v[2] - I[8] * v[0] + I[9] * v[4];
  f[5] = I[7] * v[0] - I[6] * v[1] + I[9] * v[5];
}

}  // namespace sinew
