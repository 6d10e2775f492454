#include "math/dense_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <utility>
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
        for (int i = 0; i < rest; ++i) place[i] = gap * i;
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

/// The factor by its definition: column by column, products in the order of earlier columns.
void plainCholesky(int m, int columns, std::vector<double>& F) {
  const auto at = [m](int i, int j) {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(m) + static_cast<std::size_t>(i);
  };
  for (int j = 0; j < columns; ++j) {
    for (int k = 0; k < j; ++k) {
      const double s = F[at(j, k)];
      for (int i = j; i < m; ++i) F[at(i, j)] -= F[at(i, k)] * s;
    }
    F[at(j, j)] = std::sqrt(F[at(j, j)]);
    const double inverse = 1 / F[at(j, j)];
    for (int i = j + 1; i < m; ++i) F[at(i, j)] *= inverse;
  }
}

// Matrices too large for a cache are worked on in runs of columns; the order of products, and so every bit, is that of
// the definition. Sizes with every kind of remainder: of runs, of rows in a tile, of columns in a block.
TEST(DenseCholesky, LargeFactorsHaveTheBitsOfTheDefinition) {
  const std::vector<std::pair<int, int>> sizes{{397, 397}, {461, 331}, {500, 289}, {674, 195}};
  for (const auto& [m, columns] : sizes) {
    std::mt19937 generator(static_cast<unsigned>(m));
    std::uniform_real_distribution<double> uniform(-0.5, 0.5);
    std::vector<double> expected(static_cast<std::size_t>(m) * static_cast<std::size_t>(columns));
    for (double& x : expected) x = uniform(generator);
    for (int j = 0; j < columns; ++j) expected[static_cast<std::size_t>(j) * static_cast<std::size_t>(m + 1)] = m;
    std::vector<double> F = expected, inverse(static_cast<std::size_t>(columns));
    plainCholesky(m, columns, expected);
    EXPECT_EQ(panelCholesky(m, columns, F.data(), inverse.data()), 0);
    int different = 0;
    for (int j = 0; j < columns; ++j) {
      const auto first = static_cast<std::ptrdiff_t>(j) * m;
      for (int i = j; i < m; ++i) different += F[first + i] != expected[first + i];
    }
    EXPECT_EQ(different, 0) << m << " x " << columns;

    // what it takes off the columns of two pieces of the rest, which follow each other without a gap
    const int rest = m - columns;
    if (rest == 0) continue;
    std::vector<double> C(static_cast<std::size_t>(rest) * static_cast<std::size_t>(rest), 3.0), byDefinition = C;
    std::vector<int> place(static_cast<std::size_t>(rest));
    for (int i = 0; i < rest; ++i) place[i] = i;
    std::vector<double> work(static_cast<std::size_t>(6 * rest));
    const int middle = columns + rest / 3;
    subtractPanel(m, columns, F.data(), columns, middle, place.data(), rest, C.data(), work.data());
    subtractPanel(m, columns, F.data(), middle, m, place.data() + rest / 3, rest, C.data(), work.data());
    different = 0;
    for (int j = 0; j < rest; ++j) {
      for (int i = j; i < rest; ++i) {
        const auto entry = static_cast<std::size_t>(j) * static_cast<std::size_t>(rest) + static_cast<std::size_t>(i);
        for (int k = 0; k < columns; ++k) {
          const auto column = static_cast<std::size_t>(k) * static_cast<std::size_t>(m);
          byDefinition[entry] -=
              F[column + static_cast<std::size_t>(columns + i)] * F[column + static_cast<std::size_t>(columns + j)];
        }
        different += C[entry] != byDefinition[entry];
      }
    }
    EXPECT_EQ(different, 0) << m << " x " << columns;
  }
}

TEST(DenseCholesky, CountsPivotsItHadToReplace) {
  std::vector<double> H{1, 2, 0, 2, 4, 0, 0, 0, 1};  // singular: the second pivot is zero
  std::vector<double> inverse(3);
  EXPECT_EQ(denseCholesky(3, H.data(), inverse.data()), 1);
}

}  // namespace
}  // namespace sinew
