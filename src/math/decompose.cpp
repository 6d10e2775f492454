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

/// Volume, as a share of what orthogonal axes of the same length have, below which Newton's iteration would lose
/// digits.
constexpr double kFlat = 1e-3;
constexpr int kMostRounds = 20;
/// Square of the last correction after which the next one would be below rounding: it is half the square of this.
constexpr double kLastRound = 1e-17;

}  // namespace

Svd<2> svd(const Eigen::Matrix2d& A) { return jacobi<2>(A); }
Svd<3> svd(const Eigen::Matrix3d& A) { return jacobi<3>(A); }

// The mean of a matrix and its inverse transposed, again and again, leaves the axes of A = R S as they are, and takes
// every stretch to 1 [Higham 1986], the sooner if both are as large as each other at first.
bool findRotation(const Eigen::Matrix3d& A, Eigen::Matrix3d& R) {
  Eigen::Matrix3d X = A, Y;
  for (int round = 0; round < kMostRounds; ++round) {
    Y.col(0) = X.col(1).cross(X.col(2));
    Y.col(1) = X.col(2).cross(X.col(0));
    Y.col(2) = X.col(0).cross(X.col(1));
    const double volume = X.col(0).dot(Y.col(0));
    if (round == 0) {
      const double size = X.squaredNorm();
      if (!(volume > kFlat * size * std::sqrt(size))) return false;
      const double scale = std::sqrt(std::sqrt(Y.squaredNorm() / size) / volume);
      X *= scale;
      Y /= scale;
    }
    const Eigen::Matrix3d half = 0.5 * (Y / volume - X);
    X += half;
    if (half.squaredNorm() < kLastRound) {
      R = X;
      return true;
    }
  }
  return false;
}

Mat3 rotationPart(const Eigen::Matrix3d& A) {
  if (Eigen::Matrix3d R; findRotation(A, R)) return R;
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
