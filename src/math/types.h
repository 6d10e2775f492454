#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

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
