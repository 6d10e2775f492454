#include "math/sparse/coarse_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "math/sparse/block_matrix.h"

namespace sinew::sparse {
namespace {

constexpr std::size_t kStride = BlockMatrix::kStride;

/// An elastic block of side^3 light points on springs to all that are next to them, also across, and a row that is
/// coupled to none.
struct Block {
  explicit Block(int side, double mass = 1e-3) : points(side * side * side) {
    const auto index = [&](int x, int y, int z) { return (z * side + y) * side + x; };
    struct Spring {
      int a, b;
      double along[3];
    };
    std::vector<Spring> springs;
    std::vector<BlockPattern::Pair> pairs;
    for (int i = 0; i < points; ++i) {
      const int x = i % side, y = i / side % side, z = i / side / side;
      for (int k = 14; k < 27; ++k) {  // half of the neighbours
        const int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side || z + dz >= side) continue;
        const double length = std::sqrt(dx * dx + dy * dy + dz * dz);
        springs.push_back({i, index(x + dx, y + dy, z + dz), {dx / length, dy / length, dz / length}});
        pairs.push_back({springs.back().a, springs.back().b});
      }
    }
    pattern.make(points + 1, pairs, arena);
    maker.emplace(pattern, arena);
    std::fill(maker->value().begin(), maker->value().end(), 0.0);
    const auto block = [&](int a, int b) {
      const int i = pattern.rank(a), j = pattern.rank(b);
      return maker->block(pattern.find(std::max(i, j), std::min(i, j)));
    };
    for (int i = 0; i <= points; ++i) {
      for (int c = 0; c < 3; ++c) block(i, i)[4 * c] = mass * (1 + i % 3);
    }
    for (const Spring& s : springs) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          const double k = s.along[r] * s.along[c];
          block(s.a, s.b)[3 * r + c] -= k;
          block(s.a, s.a)[3 * r + c] += k;
          block(s.b, s.b)[3 * r + c] += k;
        }
      }
    }
    plan.make(pattern, arena);
  }

  std::size_t numbers() const { return kStride * static_cast<std::size_t>(pattern.rows()); }
  /// A vector with `value(point, axis)`.
  template <class F>
  std::vector<double> vector(F&& value) const {
    std::vector<double> x(numbers(), 0.0);
    for (int i = 0; i < points; ++i) {
      for (int c = 0; c < 3; ++c)
        x[kStride * static_cast<std::size_t>(pattern.rank(i)) + static_cast<std::size_t>(c)] = value(i, c);
    }
    return x;
  }
  double error(const std::vector<double>& right, std::span<const double> x) const {
    std::vector<double> Ax(numbers());
    maker->matrix().multiply(x.data(), Ax.data());
    double most = 0;
    for (std::size_t i = 0; i < Ax.size(); ++i) {
      if (i % kStride < 3) most = std::max(most, std::abs(Ax[i] - right[i]));
    }
    return most;
  }
  CoarseSpace spaceOf() {
    const CoarseMaker coarse(plan, arena);
    coarse.make(maker->matrix(), arena);
    return coarse.space(arena);
  }
  BlockGradients::Report solve(const std::vector<double>& right, bool twoLevels, double* error = nullptr) {
    maker->setCompensation(twoLevels ? CoarseSpace::kCompensation : BlockMaker::kUsualCompensation);
    maker->factor();
    std::optional<CoarseSpace> coarse;
    if (twoLevels) coarse = spaceOf();
    const BlockGradients gradients(pattern.rows(), arena);
    std::copy(right.begin(), right.end(), gradients.right().begin());
    const auto report = gradients.solve(maker->matrix(), 1e-20, 0, 500, coarse ? &*coarse : nullptr);
    if (error) *error = this->error(right, gradients.solution());
    // what is left of b is b - A x
    std::vector<double> Ax(numbers());
    maker->matrix().multiply(gradients.solution().data(), Ax.data());
    for (std::size_t i = 0; i < Ax.size(); ++i) {
      if (i % kStride < 3) {
        EXPECT_NEAR(gradients.right()[i], right[i] - Ax[i], 1e-9);
      }
    }
    return report;
  }

  const int points;
  Arena arena;
  BlockPattern pattern;
  std::optional<BlockMaker> maker;
  CoarsePlan plan;
};

double wave(int i, int c) { return std::sin(0.7 * i + c) + 0.3 * std::cos(0.01 * i * (c + 1)); }

// The solution is checked by the matrix itself, in double precision: neither the factor nor the coarse space is.
TEST(CoarseSpace, IterationsHardlyGrowWithTheSizeOfASolid) {
  int least = 1000, most = 0;
  for (const int side : {8, 12, 16, 20}) {
    Block block(side);
    const std::vector<double> right = block.vector(wave);
    double error = 0;
    const auto two = block.solve(right, true, &error), one = block.solve(right, false);
    ASSERT_TRUE(two.converged && one.converged) << side;
    EXPECT_LT(error, 1e-7) << side;
    EXPECT_NEAR(two.start, one.start, 0.9 * two.start);  // both are about 1/2 b' inv(A) b
    EXPECT_LT(2 * two.iterations, one.iterations) << side;
    least = std::min(least, two.iterations);
    most = std::max(most, two.iterations);
  }
  EXPECT_LE(most, least + 5);
}

// Constants lie in the space, so that a right side that moves all points alike is solved without an iteration.
TEST(CoarseSpace, HoldsConstants) {
  Block block(9);
  const std::vector<double> constant = block.vector([](int, int c) { return 1.0 + c; });
  std::vector<double> right(block.numbers());
  block.maker->matrix().multiply(constant.data(), right.data());
  for (std::size_t i = 3; i < right.size(); i += kStride) right[i] = 0;
  const CoarseSpace coarse = block.spaceOf();
  std::vector<double> x(block.numbers());
  double form = 0;
  for (std::size_t i = 0; i < x.size(); ++i) form += constant[i] * right[i];
  EXPECT_NEAR(coarse.solve(right.data(), x.data()), form, 1e-4 * form);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], constant[i], 1e-3) << i;
}

// After the correction nothing of what is left of the error can be taken off within the space: P'(r - A w) = 0.
TEST(CoarseSpace, LeavesNoErrorWithinItself) {
  Block block(9);
  const CoarseSpace coarse = block.spaceOf();
  const std::vector<double> r = block.vector(wave);
  const std::vector<double> some = block.vector([](int i, int c) { return std::cos(0.3 * i * (c + 1)); });
  std::vector<float> w(some.begin(), some.end());
  const double added = coarse.correct(r.data(), 0.5, w.data());
  std::vector<double> corrected(w.begin(), w.end()), Aw(block.numbers()), left(block.numbers()), x(block.numbers());
  double expected = 0;
  for (std::size_t i = 0; i < r.size(); ++i)
    expected += 0.5 * r[i] * (corrected[i] - double{static_cast<float>(some[i])});
  EXPECT_NEAR(added, expected, 1e-4 * std::abs(expected));
  for (std::size_t i = 3; i < corrected.size(); i += kStride) corrected[i] = 0;
  block.maker->matrix().multiply(corrected.data(), Aw.data());
  for (std::size_t i = 0; i < r.size(); ++i) left[i] = i % kStride < 3 ? 0.5 * r[i] - Aw[i] : 0;
  std::vector<double> before(left);
  for (std::size_t i = 0; i < r.size(); ++i) before[i] = i % kStride < 3 ? 0.5 * r[i] : 0;
  EXPECT_LT(coarse.solve(left.data(), x.data()), 1e-8 * coarse.solve(before.data(), x.data()));
}

// Rows that are coupled to none belong to no aggregate.
TEST(CoarseSpace, LeavesLonelyRowsToTheFactor) {
  Block block(6);
  const CoarseSpace coarse = block.spaceOf();
  std::vector<double> right(block.numbers(), 0.0), x(block.numbers());
  right[kStride * static_cast<std::size_t>(block.pattern.rank(block.points))] = 1;
  EXPECT_EQ(coarse.solve(right.data(), x.data()), 0);
  double error = 0;
  EXPECT_TRUE(block.solve(right, true, &error).converged);
  EXPECT_LT(error, 1e-9);
}

}  // namespace
}  // namespace sinew::sparse
