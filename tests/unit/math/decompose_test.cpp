#include "math/decompose.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace sinew {
namespace {

template <int N>
Eigen::Matrix<double, N, N> randomMatrix(std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Eigen::Matrix<double, N, N>::NullaryExpr([&] { return uniform(rng); });
}

/// R diag(values) R' = A, R orthogonal, values ascending.
template <int N>
void expectModes(const Eigen::Matrix<double, N, N>& A) {
  const SymmetricModes<N> modes = symmetricModes(A);
  const double scale = A.norm();
  EXPECT_LE((modes.axes * modes.values.asDiagonal() * modes.axes.transpose() - A).norm(), 1e-14 * scale) << A;
  EXPECT_LE((modes.axes.transpose() * modes.axes - Eigen::Matrix<double, N, N>::Identity()).norm(), 1e-14) << A;
  for (int i = 0; i + 1 < N; ++i) EXPECT_LE(modes.values[i], modes.values[i + 1]) << A;
}

TEST(Decompose, SymmetricModesGiveTheMatrixBack) {
  std::mt19937 rng(3);
  for (const double scale : {1e-150, 1e-6, 1.0, 1e9, 1e150}) {
    for (int i = 0; i < 100; ++i) {
      const Eigen::Matrix2d a = randomMatrix<2>(rng);
      const Eigen::Matrix3d b = randomMatrix<3>(rng);
      expectModes<2>(scale * (a + a.transpose()));
      expectModes<3>(scale * (b + b.transpose()));
    }
  }
}

TEST(Decompose, SymmetricModesOfSpecialMatrices) {
  expectModes<2>(Eigen::Matrix2d::Identity());
  expectModes<2>(Eigen::Vector2d(3, -1).asDiagonal());
  expectModes<2>((Eigen::Matrix2d() << 1, 1, 1, 1).finished());
  expectModes<2>((Eigen::Matrix2d() << 0, -2, -2, 0).finished());
  expectModes<2>((Eigen::Matrix2d() << 1, 1e-20, 1e-20, 1).finished());
  expectModes<2>((Eigen::Matrix2d() << 1, 1e-9, 1e-9, 2).finished());
  const SymmetricModes<2> zero = symmetricModes(Eigen::Matrix2d(Eigen::Matrix2d::Zero()));
  EXPECT_EQ(zero.values.norm(), 0);
  EXPECT_NEAR(std::abs(zero.axes.determinant()), 1, 1e-15);
}

TEST(Decompose, SvdGivesTheMatrixBack) {
  std::mt19937 rng(4);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Matrix3d A = randomMatrix<3>(rng);
    const Svd<3> of = svd(A);
    EXPECT_LE((of.U * of.s.asDiagonal() * of.V.transpose() - A).norm(), 1e-14);
    EXPECT_GE(of.s[0], of.s[1]);
    EXPECT_GE(of.s[2], 0);
  }
}

TEST(Decompose, TheRotationPartIsARotationAndLeavesAStretch) {
  std::mt19937 rng(5);
  for (int i = 0; i < 100; ++i) {
    Eigen::Matrix3d A = randomMatrix<3>(rng);
    const Mat3 R = rotationPart(A);
    EXPECT_LE((R * R.transpose() - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(R.determinant(), 1, 1e-14);
    const Mat3 S = R.transpose() * A;
    EXPECT_LE((S - S.transpose()).norm(), 1e-13);
  }
}

// Matrices that are nearly flat, inside out, huge and tiny: all ways to the rotation lead to the same one.
TEST(Decompose, TheRotationPartIsThatOfTheSvd) {
  std::mt19937 rng(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double least : {1.0, 0.3, 1e-2, 3e-3, 1e-3, -0.2}) {
    for (const double scale : {1e-40, 1.0, 1e40}) {
      for (int i = 0; i < 50; ++i) {
        const Mat3 U = rotationPart(randomMatrix<3>(rng)), V = rotationPart(randomMatrix<3>(rng));
        const Vec3 stretch(1, 1 + 0.5 * uniform(rng), least);
        const Mat3 A = scale * U * stretch.asDiagonal() * V.transpose();
        EXPECT_LE((rotationPart(A) - U * V.transpose()).norm(), 1e-14 / std::abs(least)) << least << ", " << scale;
      }
    }
  }
}

}  // namespace
}  // namespace sinew
