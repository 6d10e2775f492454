#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <type_traits>

/// Names for the small matrix types used everywhere, and views over the plain arrays of Model and Data.
/// Vectors are columns. Rotation matrices are row-major, because `xmat` and its relatives are stored that way:
/// one alias, so nobody can mix the two orders up.
namespace sinew {

using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;  ///< spatial vector, angular part first
using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Mat6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using VecX = Eigen::VectorXd;

using MapVec3 = Eigen::Map<Vec3>;
using ConstMapVec3 = Eigen::Map<const Vec3>;
using MapVec6 = Eigen::Map<Vec6>;
using ConstMapVec6 = Eigen::Map<const Vec6>;
using MapMat3 = Eigen::Map<Mat3>;
using ConstMapMat3 = Eigen::Map<const Mat3>;
using MapVecX = Eigen::Map<VecX>;
using ConstMapVecX = Eigen::Map<const VecX>;

/// Denominators and lengths below this count as zero in a step; the reference engine uses the same number.
inline constexpr double kMinVal = 1e-15;
/// State entries beyond this are treated as diverged.
inline constexpr double kMaxVal = 1e10;

/// The i-th 3-vector, 6-vector or 3x3 matrix of a flat array.
inline MapVec3 vec3(double* array, int i) { return MapVec3(array + 3 * static_cast<Eigen::Index>(i)); }
inline ConstMapVec3 vec3(const double* array, int i) { return ConstMapVec3(array + 3 * static_cast<Eigen::Index>(i)); }
inline MapVec6 vec6(double* array, int i) { return MapVec6(array + 6 * static_cast<Eigen::Index>(i)); }
inline ConstMapVec6 vec6(const double* array, int i) { return ConstMapVec6(array + 6 * static_cast<Eigen::Index>(i)); }
inline MapMat3 mat3(double* array, int i) { return MapMat3(array + 9 * static_cast<Eigen::Index>(i)); }
inline ConstMapMat3 mat3(const double* array, int i) { return ConstMapMat3(array + 9 * static_cast<Eigen::Index>(i)); }

/// Arithmetic of 3-vectors whose numbers lie next to each other, evaluated at once. Eigen's own operators make a type
/// for every combination of operands; compiling these takes most of the time of a build. The bits are the same: Eigen
/// adds products from first to last, except in the last row of a matrix that is stored by columns.
template <class T>
inline constexpr bool kIsColumn3 = false;
template <>
inline constexpr bool kIsColumn3<Vec3> = true;
template <>
inline constexpr bool kIsColumn3<MapVec3> = true;
template <>
inline constexpr bool kIsColumn3<ConstMapVec3> = true;
template <class M>
inline constexpr bool kIsColumn3<Eigen::Block<M, 3, 1, true>> =
    std::is_same_v<typename M::Scalar, double> && !M::IsRowMajor && M::InnerStrideAtCompileTime == 1;
template <class V>
inline constexpr bool kIsColumn3<Eigen::VectorBlock<V, 3>> =
    std::is_same_v<typename V::Scalar, double>&& V::ColsAtCompileTime == 1 && V::InnerStrideAtCompileTime == 1;
template <class T>
concept Column3 = kIsColumn3<T>;
template <class T>
concept Number = std::is_arithmetic_v<T>;

template <Column3 A, Column3 B>
Vec3 operator+(const A& a, const B& b) {
  const double *p = a.data(), *q = b.data();
  return {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
}
template <Column3 A, Column3 B>
Vec3 operator-(const A& a, const B& b) {
  const double *p = a.data(), *q = b.data();
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
template <Column3 A>
Vec3 operator-(const A& a) {
  const double* p = a.data();
  return {-p[0], -p[1], -p[2]};
}
template <Number S, Column3 A>
Vec3 operator*(S s, const A& a) {
  const double *p = a.data(), scale = static_cast<double>(s);
  return {scale * p[0], scale * p[1], scale * p[2]};
}
template <Column3 A, Number S>
Vec3 operator*(const A& a, S s) {
  const double *p = a.data(), scale = static_cast<double>(s);
  return {p[0] * scale, p[1] * scale, p[2] * scale};
}
template <Column3 A, Number S>
Vec3 operator/(const A& a, S s) {
  const double *p = a.data(), scale = static_cast<double>(s);
  return {p[0] / scale, p[1] / scale, p[2] / scale};
}

template <class T>
inline constexpr bool kIsRows3 = false;
template <>
inline constexpr bool kIsRows3<Mat3> = true;
template <>
inline constexpr bool kIsRows3<MapMat3> = true;
template <>
inline constexpr bool kIsRows3<ConstMapMat3> = true;
template <class T>
concept Rows3 = kIsRows3<T>;

template <Rows3 M, Column3 A>
Vec3 operator*(const M& m, const A& a) {
  const double *r = m.data(), *p = a.data();
  return {r[0] * p[0] + r[1] * p[1] + r[2] * p[2], r[3] * p[0] + r[4] * p[1] + r[5] * p[2],
          r[6] * p[0] + r[7] * p[1] + r[8] * p[2]};
}
template <Rows3 M, Column3 A>
Vec3 operator*(const Eigen::Transpose<M>& m, const A& a) {
  const double *r = m.nestedExpression().data(), *p = a.data();
  return {r[0] * p[0] + r[3] * p[1] + r[6] * p[2], r[1] * p[0] + r[4] * p[1] + r[7] * p[2],
          r[2] * p[0] + (r[5] * p[1] + r[8] * p[2])};
}
template <Rows3 M, Column3 A>
Vec3 operator*(const Eigen::Transpose<const M>& m, const A& a) {
  const double *r = m.nestedExpression().data(), *p = a.data();
  return {r[0] * p[0] + r[3] * p[1] + r[6] * p[2], r[1] * p[0] + r[4] * p[1] + r[7] * p[2],
          r[2] * p[0] + (r[5] * p[1] + r[8] * p[2])};
}

/// [v]x, the matrix with [v]x u = v x u.
inline Mat3 crossMatrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Unit vector along v; (1,0,0) when v is shorter than kMinVal, so that a direction always exists.
inline Vec3 normalizedOrX(const Vec3& v) {
  const double length = v.norm();
  if (length < kMinVal) return Vec3(1, 0, 0);
  return v * (1 / length);
}

}  // namespace sinew
