#include "math/dense_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

namespace sinew {
namespace {

/// A positive definite matrix with eigenvalues of at least 1.
Eigen::MatrixXd randomMatrix(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd B(n, n);
  for (double& b : B.reshaped()) b = normal(generator);
  return B * B.transpose() + Eigen::MatrixXd::Identity(n, n);
}

// Sizes around multiples of the tiles, so that every remainder occurs. The second route is Eigen's factorization.
TEST(DenseCholesky, SolvesEverySize) {
  for (int n = 1; n <= 45; ++n) {
    const Eigen::MatrixXd H = randomMatrix(n, static_cast<unsigned>(n));
    Eigen::MatrixXd L = H;
    Eigen::VectorXd inverse(n), x = Eigen::VectorXd::LinSpaced(n, -1, 2);
    const Eigen::VectorXd expected = H.llt().solve(x);
    EXPECT_EQ(denseCholesky(n, L.data(), inverse.data()), 0);
    denseCholeskySolve(n, L.data(), inverse.data(), x.data());
    EXPECT_LT((x - expected).norm(), 1e-9 * (1 + expected.norm())) << n;
  }
}

// A panel, then what it takes off the rest: once in place, once with gaps between the places.
TEST(DenseCholesky, APanelLeavesTheSchurComplement) {
  for (int n = 2; n <= 40; n += 3) {
    for (int columns = 1; columns < n; columns += 2) {
      const Eigen::MatrixXd H = randomMatrix(n, static_cast<unsigned>(n + columns));
      const int rest = n - columns;
      const Eigen::MatrixXd schur = H.bottomRightCorner(rest, rest) -
                                    H.bottomLeftCorner(rest, columns) *
                                        H.topLeftCorner(columns, columns).llt().solve(H.topRightCorner(columns, rest));
      Eigen::MatrixXd panel = H.leftCols(columns);
      Eigen::VectorXd inverse(columns);
      EXPECT_EQ(panelCholesky(n, columns, panel.data(), inverse.data()), 0);
      for (const int gap : {1, 2}) {
        std::vector<int> place(static_cast<std::size_t>(rest));
        for (int i = 0; i < rest; ++i) place[static_cast<std::size_t>(i)] = gap * i;
        const int ld = gap * rest;
        Eigen::MatrixXd F = Eigen::MatrixXd::Zero(ld, ld);
        for (int j = 0; j < rest; ++j) {
          for (int i = j; i < rest; ++i) F(gap * i, gap * j) = H(columns + i, columns + j);
        }
        std::vector<double> work(static_cast<std::size_t>(6 * rest));
        const int middle = columns + rest / 2;  // in two pieces
        subtractPanel(n, columns, panel.data(), columns, middle, place.data(), ld, F.data(), work.data());
        subtractPanel(n, columns, panel.data(), middle, n, place.data() + rest / 2, ld, F.data(), work.data());
        for (int j = 0; j < rest; ++j) {
          for (int i = j; i < rest; ++i) EXPECT_NEAR(F(gap * i, gap * j), schur(i, j), 1e-10 * (1 + H.norm()));
        }
      }
    }
  }
}

TEST(DenseCholesky, CountsPivotsItHadToReplace) {
  std::vector<double> H{1, 2, 0, 2, 4, 0, 0, 0, 1};  // singular: the second pivot is zero
  std::vector<double> inverse(3);
  EXPECT_EQ(denseCholesky(3, H.data(), inverse.data()), 1);
}

}  // namespace
}  // namespace sinew
