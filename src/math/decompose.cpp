#include "math/decompose.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <utility>

namespace sinew {
namespace {

template <int N>
Svd<N> jacobi(const Eigen::Matrix<double, N, N>& A) {
  const Eigen::JacobiSVD<Eigen::Matrix<double, N, N>> of(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {of.matrixU(), of.singularValues(), of.matrixV()};
}

}  // namespace

Svd<2> svd(const Eigen::Matrix2d& A) { return jacobi<2>(A); }
Svd<3> svd(const Eigen::Matrix3d& A) { return jacobi<3>(A); }

Mat3 rotationPart(const Eigen::Matrix3d& A) {
  Svd<3> of = svd(A);
  if (of.U.determinant() * of.V.determinant() < 0) of.U.col(2) = -of.U.col(2);
  return of.U * of.V.transpose();
}

// one Jacobi rotation by the smaller of the two angles [Golub and Van Loan 2013, 8.5.2]
SymmetricModes<2> symmetricModes(const Eigen::Matrix2d& A) {
  const double a = A(0, 0), b = A(1, 0), c = A(1, 1);
  double t = 0;
  if (b != 0) {
    const double tau = (c - a) / (2 * b);
    t = std::copysign(1 / (std::abs(tau) + std::hypot(1, tau)), tau);
  }
  const double cosine = 1 / std::hypot(1, t), sine = t * cosine;
  SymmetricModes<2> r;
  r.values << a - t * b, c + t * b;
  r.axes << cosine, sine, -sine, cosine;
  if (r.values[0] > r.values[1]) {
    std::swap(r.values[0], r.values[1]);
    r.axes.col(0).swap(r.axes.col(1));
  }
  return r;
}

SymmetricModes<3> symmetricModes(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> of(A);
  return {of.eigenvalues(), of.eigenvectors()};
}

SymmetricModes<12> symmetricModes(const Eigen::Matrix<double, 12, 12>& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 12, 12>> of(A);
  return {of.eigenvalues(), of.eigenvectors()};
}

}  // namespace sinew
