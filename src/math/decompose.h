#pragma once

#include <Eigen/Core>

#include "math/types.h"

/// Decompositions of small matrices, compiled once: their templates are among the slowest there are.
namespace sinew {

/// A = U diag(s) V', U and V orthogonal (reflections are possible), s >= 0 in descending order.
template <int N>
struct Svd {
  Eigen::Matrix<double, N, N> U;
  Eigen::Matrix<double, N, 1> s;
  Eigen::Matrix<double, N, N> V;
};
Svd<2> svd(const Eigen::Matrix2d& A);
Svd<3> svd(const Eigen::Matrix3d& A);

/// The rotation R of A = R S with S symmetric, without a decomposition. False, and R is not set: A is inside out, or so
/// flat that digits would be lost.
bool findRotation(const Eigen::Matrix3d& A, Eigen::Matrix3d& R);

/// The rotation R of A = R S with S symmetric. If A is inside out, the least stretched axis counts as turned over.
Mat3 rotationPart(const Eigen::Matrix3d& A);

/// A = R diag(values) R' for a symmetric A, values in ascending order, columns of R their axes.
template <int N>
struct SymmetricModes {
  Eigen::Matrix<double, N, 1> values;
  Eigen::Matrix<double, N, N> axes;
};
SymmetricModes<2> symmetricModes(const Eigen::Matrix2d& A);
SymmetricModes<3> symmetricModes(const Eigen::Matrix3d& A);
SymmetricModes<12> symmetricModes(const Eigen::Matrix<double, 12, 12>& A);

}  // namespace sinew
