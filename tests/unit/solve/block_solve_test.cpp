#include "solve/block_solve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/tolerance.h"

namespace sinew::solve {
namespace {

using test::allNear;
using test::tolerance;

/// A contact with n tangents.
struct Block {
  int n = 0;
  std::vector<double> G, c, friction;
  double normal = 1;

  double cost(const std::vector<double>& x) const {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      double Gx = 0;
      for (int j = 0; j < n; ++j) Gx += G[i * n + j] * x[j];
      sum += x[k] * (0.5 * Gx - c[k]);
    }
    return sum;
  }
  /// sum (x_k / friction_k)^2, over normal^2.
  double load(const std::vector<double>& x) const {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += std::pow(x[k] / (friction[k] * normal), 2);
    return sum;
  }
  /// Brute force: in z = x / friction the bound is a ball, into which the gradient's steps are projected.
  std::vector<double> byProjectedGradient() const {
    std::vector<double> z(c.size(), 0.0), x(c.size());
    double trace = 0;
    for (std::size_t k = 0; k < c.size(); ++k) trace += friction[k] * friction[k] * G[k * c.size() + k];
    for (int step = 0; step < 5'000; ++step) {
      std::vector<double> next(z);
      double length = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        double gradient = -c[i];
        for (std::size_t j = 0; j < c.size(); ++j) gradient += G[i * c.size() + j] * friction[j] * z[j];
        next[i] -= friction[i] * gradient / trace;
        length += next[i] * next[i];
      }
      const double scale = std::min(1.0, normal / std::sqrt(length));
      for (std::size_t i = 0; i < c.size(); ++i) z[i] = scale * next[i];
    }
    for (std::size_t k = 0; k < c.size(); ++k) x[k] = friction[k] * z[k];
    return x;
  }
};

/// G = B B' with n x rank numbers B, and 0.3 on the diagonal if the rank is full. With less c is in the range of G, as
/// velocities are that impulses cause.
Block randomBlock(std::mt19937& generator, int n, int rank) {
  const auto uniform = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(generator); };
  Block block;
  block.n = n;
  const auto size = static_cast<std::size_t>(n), columns = static_cast<std::size_t>(rank);
  std::vector<double> B(size * columns), push(columns);
  for (double& x : B) x = uniform(-1, 1);
  for (double& x : push) x = uniform(-1, 1);
  block.G.assign(size * size, 0);
  block.c.assign(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      block.G[i * size + j] = i == j && n == rank ? 0.3 : 0;
      for (std::size_t k = 0; k < columns; ++k) block.G[i * size + j] += B[i * columns + k] * B[j * columns + k];
    }
    for (std::size_t k = 0; k < columns; ++k) block.c[i] += B[i * columns + k] * push[k];
    block.friction.push_back(uniform(0.4, 1));
  }
  block.normal = uniform(0.1, 2);
  return block;
}

TEST(BlockSolve, FindsTheMinimumInTheEllipsoid) {
  std::mt19937 generator(3);
  int stick = 0, slides = 0;
  for (int trial = 0; trial < 12; ++trial) {
    for (const int n : {1, 2, 3, 5}) {
      for (const int rank : {n, std::max(1, n - 1)}) {
        const Block block = randomBlock(generator, n, rank);
        std::vector<double> x(static_cast<std::size_t>(n));
        const bool border =
            solveInEllipsoid(n, block.G.data(), block.c.data(), block.friction.data(), block.normal, x.data());
        (border ? slides : stick) += 1;
        EXPECT_LE(block.load(x), 1 + 1e-12);
        if (border) {
          EXPECT_NEAR(block.load(x), 1, tolerance(1e-12));
        }
        // both are feasible, and the gradient gets near: x must not cost more
        EXPECT_LE(block.cost(x), block.cost(block.byProjectedGradient()) + tolerance(1e-9))
            << n << " tangents, rank " << rank;
      }
    }
  }
  EXPECT_GT(stick, 20);
  EXPECT_GT(slides, 20);
}

// Velocities per force are small for heavy things and large for light ones; units must not decide.
TEST(BlockSolve, KnowsNoScale) {
  std::mt19937 generator(5);
  for (int trial = 0; trial < 20; ++trial) {
    for (const double mass : {1e-9, 1e9}) {
      for (const double unit : {1e-6, 1e6}) {
        const Block block = randomBlock(generator, 3, 3);
        Block other = block;
        for (double& g : other.G) g /= mass;
        for (double& c : other.c) c *= unit / mass;
        other.normal *= unit;
        std::vector<double> x(3), y(3);
        const auto solve = [](const Block& b, std::vector<double>& to) {
          return solveInEllipsoid(3, b.G.data(), b.c.data(), b.friction.data(), b.normal, to.data());
        };
        EXPECT_EQ(solve(block, x), solve(other, y));
        for (double& v : y) v /= unit;
        EXPECT_TRUE(allNear(y, x, 1e-9));
      }
    }
  }
}

TEST(BlockSolve, SlidesOnTheBorderOfTheEllipsoid) {
  // brute force: no point of the border of the ellipse is better; slide() and slidePlane() agree
  std::mt19937 generator(1);
  const auto uniform = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(generator); };
  for (int trial = 0; trial < 200; ++trial) {
    const double a = uniform(0.1, 2), b = uniform(0.1, 2), c = uniform(-0.9, 0.9) * std::sqrt(a * b);
    const double G[4] = {a, c, c, b}, friction[2] = {uniform(0.1, 1), uniform(0.1, 1)};
    const double normal = uniform(0.1, 1), push[2] = {uniform(-9, 9), uniform(-9, 9)};
    double x[2], y[2];
    slide(2, G, push, friction, normal, x);
    double multiplier = 0;
    for (int visit = 0; visit < 4; ++visit) {  // each goes on where the last one stopped
      slidePlane(a, c, b, push, friction, normal, multiplier, y);
      EXPECT_NEAR(std::hypot(y[0] / friction[0], y[1] / friction[1]), normal, tolerance(1e-12));
    }
    EXPECT_NEAR(x[0], y[0], tolerance(1e-9));
    EXPECT_NEAR(x[1], y[1], tolerance(1e-9));
    EXPECT_NEAR(std::hypot(x[0] / friction[0], x[1] / friction[1]), normal, tolerance(1e-12));
    const auto cost = [&](double u, double v) {
      return 0.5 * (a * u * u + 2 * c * u * v + b * v * v) - push[0] * u - push[1] * v;
    };
    // the minimum without a bound must lie outside, as promised by callers
    const double det = a * b - c * c, u = (b * push[0] - c * push[1]) / det, v = (a * push[1] - c * push[0]) / det;
    if (std::hypot(u / friction[0], v / friction[1]) < normal) continue;
    for (int k = 0; k < 100; ++k) {
      const double angle = 2 * M_PI * k / 100;
      EXPECT_LE(cost(x[0], x[1]),
                cost(friction[0] * normal * std::cos(angle), friction[1] * normal * std::sin(angle)) + 1e-9);
    }
  }
}

TEST(BlockSolve, InverseLeavesOutRowsThatDependOnOthers) {
  // third row = first + second: the inverse is that of the first two, and zero
  const double G[9] = {2, 0.5, 2.5, 0.5, 1, 1.5, 2.5, 1.5, 4};
  double inverse[9];
  invertIndependent(3, G, inverse);
  const double det = 2 * 1 - 0.25;
  const std::vector<double> expected{1 / det, -0.5 / det, 0, -0.5 / det, 2 / det, 0, 0, 0, 0};
  EXPECT_TRUE(allNear(inverse, expected, 1e-7));  // the diagonal is regularized by 1e-8
}

}  // namespace
}  // namespace sinew::solve
