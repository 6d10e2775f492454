#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "sinew/body_state.h"

/// Vectors and rotations for tests that see the public headers alone.
namespace sinew::test {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using ConstMapVec3 = Eigen::Map<const Vec3>;
using ConstMapMat3 = Eigen::Map<const Mat3>;

/// The i-th vector or matrix of a flat array of Model or Data.
inline ConstMapVec3 vec3(const double* array, int i) { return ConstMapVec3(array + 3 * i); }
inline ConstMapMat3 mat3(const double* array, int i) { return ConstMapMat3(array + 9 * i); }

/// The rotation of a quaternion w, x, y, z.
inline Mat3 rotation(const double* q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

/// Between the plain values of the public headers and Eigen.
inline Vec3 toEigen(const Vector3& v) { return {v[0], v[1], v[2]}; }
inline Vector3 fromEigen(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Quaterniond toQuat(const Quaternion& q) { return {q[0], q[1], q[2], q[3]}; }
inline Quaternion fromQuat(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
inline Eigen::Quaterniond fromAxisAngle(const Vec3& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
}
inline Vec3 rotate(const Eigen::Quaterniond& q, const Vec3& v) { return q * v; }

}  // namespace sinew::test
