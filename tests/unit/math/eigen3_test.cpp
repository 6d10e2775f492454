#include "math/eigen3.h"

#include <gtest/gtest.h>

#include <random>

#include "support/tolerance.h"

namespace sinew {
namespace {

Mat3 rebuilt(const Eigen3& e) {
  const Mat3 R = toMatrix(e.axes);
  return R * e.values.asDiagonal() * R.transpose();
}

Mat3 randomSymmetric(std::mt19937& generator, double scale) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Mat3 A;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) A(i, j) = A(j, i) = scale * uniform(generator);
  return A;
}

// The reference rule leaves rotations below 1.4e-6 rad undone, hence 3e-6.
TEST(Eigen3, ValuesAndAxesRebuildTheMatrix) {
  std::mt19937 generator(1);
  for (int i = 0; i < 200; ++i) {
    const Mat3 A = randomSymmetric(generator, 1);
    EXPECT_LT((rebuilt(eigen3(A)) - A).cwiseAbs().maxCoeff(), test::tolerance(3e-6));
    EXPECT_LT((rebuilt(eigen3(A, EigenRule::Accurate)) - A).cwiseAbs().maxCoeff(), test::tolerance(1e-14));
  }
}

TEST(Eigen3, ValuesDescend) {
  std::mt19937 generator(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 v = eigen3(randomSymmetric(generator, 1)).values;
    EXPECT_GE(v[0] + 1e-12, v[1]);
    EXPECT_GE(v[1] + 1e-12, v[2]);
  }
  const Vec3 sorted = eigen3(Vec3(1, 2, 3).asDiagonal().toDenseMatrix()).values;
  EXPECT_EQ(sorted, Vec3(3, 2, 1));
}

TEST(Eigen3, AccurateRuleDoesNotCareAboutScale) {
  std::mt19937 generator(3);
  for (const double scale : {1e-20, 1e-12, 1e-6, 1e6}) {
    const Mat3 A = randomSymmetric(generator, scale);
    EXPECT_LT((rebuilt(eigen3(A, EigenRule::Accurate)) - A).cwiseAbs().maxCoeff(), test::tolerance(4e-14 * scale));
  }
}

TEST(Eigen3, ReferenceRuleLeavesTinyMatricesAlone) {
  Mat3 A = Vec3(1e-13, 2e-13, 3e-13).asDiagonal();
  A(0, 1) = A(1, 0) = 5e-13;
  const Eigen3 e = eigen3(A);
  EXPECT_TRUE(e.axes.isIdentity());
  EXPECT_EQ(e.values, Vec3(1e-13, 2e-13, 3e-13));
}

TEST(Eigen3, C11_RefinedAxesAreExactWhereTheReferenceStopsEarly) {
  std::mt19937 generator(5);
  double worstReference = 0;
  for (const double scale : {1e-5, 1.0, 1e5}) {
    for (int i = 0; i < 300; ++i) {
      const Mat3 A = randomSymmetric(generator, scale);
      worstReference = std::max(worstReference, (rebuilt(eigen3(A)) - A).cwiseAbs().maxCoeff() / scale);
      EXPECT_LT((rebuilt(eigen3(A, EigenRule::Refined)) - A).cwiseAbs().maxCoeff(), test::tolerance(4e-14 * scale));
    }
  }
  EXPECT_GT(worstReference, 1e-8);
}

TEST(Eigen3, RefinedRuleLeavesAloneWhatTheReferenceLeavesAlone) {
  Mat3 A = Vec3(1, 2, 3).asDiagonal();
  A(0, 1) = A(1, 0) = 5e-13;
  EXPECT_EQ(toMatrix(eigen3(A, EigenRule::Refined).axes), toMatrix(eigen3(A).axes));
  // rounding beside equal values says nothing about axes
  Mat3 round = Vec3(2, 2, 1).asDiagonal();
  round(0, 1) = round(1, 0) = 4e-16;
  EXPECT_TRUE(eigen3(round, EigenRule::Refined).axes.isIdentity());
}

}  // namespace
}  // namespace sinew
