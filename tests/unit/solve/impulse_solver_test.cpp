#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "base/arena.h"
#include "solve/hard.h"
#include "solve/impulse.h"
#include "solve/rows.h"
#include "support/random_problem.h"
#include "support/tolerance.h"

namespace sinew::solve {
namespace {

using test::allNear;
using test::RandomProblem;
using test::tolerance;

struct Outcome {
  std::vector<double> lambda, velocity, lacking;  // lacking = target - J v+
  ImpulseReport report;
};

/// The random problem read as one of velocities: v* = a0, target = aref, weaker friction so that sweeps converge.
class Problem {
 public:
  Problem(unsigned seed, const RandomProblem::Counts& counts)
      : random_(seed, counts),
        cones_(random_.problem().cones.begin(), random_.problem().cones.end()),
        p_(random_.problem()) {
    for (ConeParameters& cone : cones_) {
      for (double& f : cone.friction) f *= 0.3;
    }
    p_.cones = cones_;
  }
  const ConstraintProblem& operator*() const { return p_; }
  const ConstraintProblem* operator->() const { return &p_; }

  Outcome solve(int sweeps, double tol, std::vector<double> warm = {}) const {
    Outcome o;
    Arena arena;
    warm.resize(static_cast<std::size_t>(p_.rows()));
    o.lambda = warm;
    o.velocity.assign(p_.smoothAcceleration.begin(), p_.smoothAcceleration.end());
    ImpulseSolver solver(p_, {p_.aref}, {sweeps, tol}, arena);
    o.report = solver.solve(o.lambda, o.velocity);
    o.lacking.resize(o.lambda.size());
    multiplyRows(p_, o.velocity.data(), o.lacking.data());
    for (std::size_t i = 0; i < o.lacking.size(); ++i) o.lacking[i] = p_.aref[i] - o.lacking[i];
    return o;
  }

 private:
  RandomProblem random_;
  std::vector<ConeParameters> cones_;
  ConstraintProblem p_;
};

/// Small trees with cones of three rows take the short way, large ones and other cones the general one.
constexpr RandomProblem::Counts kSmallTrees{
    .dofs = 6, .trees = 4, .equalities = 1, .frictions = 2, .unilateral = 2, .pyramids = 0, .cones = 4};
constexpr RandomProblem::Counts kLargeTree{
    .dofs = 16, .trees = 1, .equalities = 2, .frictions = 2, .unilateral = 3, .pyramids = 0, .cones = 3};

void expectAdmissible(const ConstraintProblem& p, const Outcome& o) {
  for (const RowBlock& block : p.blocks) {
    const double* l = o.lambda.data() + block.row;
    if (block.kind == BlockKind::Friction) {
      EXPECT_LE(std::abs(l[0]), p.frictionloss[block.row]);
    }
    if (block.kind == BlockKind::Unilateral || block.kind == BlockKind::Elliptic) {
      EXPECT_GE(l[0], 0);
    }
    if (block.kind != BlockKind::Elliptic) continue;
    double share = 0;
    for (int k = 1; k < block.nrow; ++k) {
      share += std::pow(l[k] / p.cones[block.cone].friction[k - 1], 2);
    }
    EXPECT_LE(std::sqrt(share), l[0] * (1 + tolerance(1e-12)));
  }
}

/// What a solution is, row by row: 1e-7 because the sweeps stop at a relative change of 1e-12 and need many of them.
void expectSolved(const ConstraintProblem& p, const Outcome& o, double close = tolerance(1e-7)) {
  for (const RowBlock& block : p.blocks) {
    const double* l = o.lambda.data() + block.row;
    const double* w = o.lacking.data() + block.row;
    switch (block.kind) {
      case BlockKind::Equality:
        for (int r = 0; r < block.nrow; ++r) EXPECT_NEAR(w[r], 0, close);
        break;
      case BlockKind::Friction: {
        const double bound = p.frictionloss[block.row];
        if (std::abs(l[0]) < bound * (1 - 1e-9)) {
          EXPECT_NEAR(w[0], 0, close);
        }
        EXPECT_GE(w[0] * l[0], -close);  // friction works against the motion that remains
        break;
      }
      case BlockKind::Unilateral:
        EXPECT_LE(w[0], close);
        EXPECT_NEAR(w[0] * l[0], 0, close);
        break;
      default: {
        EXPECT_LE(w[0], close);
        EXPECT_NEAR(w[0] * l[0], 0, close);
        const auto& friction = p.cones[block.cone].friction;
        double share = 0, along = 0, slip = 0;
        for (int k = 1; k < block.nrow; ++k) {
          const double f = friction[k - 1];
          share += std::pow(l[k] / f, 2);
          along += w[k] * l[k];
          slip += std::pow(f * w[k], 2);
        }
        if (l[0] == 0) break;
        if (std::sqrt(share) < l[0] * (1 - 1e-9)) {
          EXPECT_NEAR(std::sqrt(slip), 0, close);  // inside the cone: no slip
        } else {
          EXPECT_NEAR(along, std::sqrt(slip) * l[0], close);  // on it: the most dissipation there can be
        }
        break;
      }
    }
  }
}

/// Contacts of two bodies with six dofs each, and of one of them alone, each pair with one frame. `apart` makes the
/// frames of its points differ by that much; `rough` multiplies friction.
class Manifolds {
 public:
  Manifolds(unsigned seed, double apart, double rough = 1)
      : rough_(rough), random_(seed, {.dofs = 6, .trees = 2}), p_(random_.problem()) {
    std::mt19937 generator(seed);
    addPair(generator, {0, 12}, 4, apart);
    addPair(generator, {0, 6}, 3, apart);
    addPair(generator, {6, 12}, 2, apart);
    addPair(generator, {0, 12}, 1, apart);
    frictionloss_.assign(aref_.size(), 0);
    p_.blocks = blocks_;
    p_.columns = columns_;
    p_.values = values_;
    p_.cones = cones_;
    p_.aref = aref_;
    p_.frictionloss = frictionloss_;
  }

  Outcome solve(int sweeps, SweepOrder order) const {
    Outcome o;
    Arena arena;
    o.lambda.assign(aref_.size(), 0.1);
    o.velocity.assign(p_.smoothAcceleration.begin(), p_.smoothAcceleration.end());
    ImpulseSolver solver(p_, {p_.aref}, {.maxSweeps = sweeps, .tolerance = 0, .order = order}, arena);
    o.report = solver.solve(o.lambda, o.velocity);
    return o;
  }

  /// By how much a row of the first contact falls short of its target.
  double lacks(const Outcome& o, int row) const {
    const RowBlock& block = blocks_[0];
    double sum = aref_[static_cast<std::size_t>(row)];
    for (int k = 0; k < block.ncol; ++k) {
      const auto column = static_cast<std::size_t>(columns_[static_cast<std::size_t>(block.column + k)]);
      sum -= values_[static_cast<std::size_t>(block.value + row * block.ncol + k)] * o.velocity[column];
    }
    return sum;
  }

 private:
  void addPair(std::mt19937& generator, std::array<int, 2> dofs, int points, double apart) {
    std::normal_distribution<double> normal;
    std::array<double, 9> frame;
    for (double& f : frame) f = normal(generator);
    const int column = static_cast<int>(columns_.size()), ncol = dofs[1] - dofs[0];
    for (int dof = dofs[0]; dof < dofs[1]; ++dof) columns_.push_back(dof);
    for (int i = 0; i < points; ++i) {
      blocks_.push_back({.kind = BlockKind::Elliptic,
                         .row = static_cast<int>(aref_.size()),
                         .nrow = 3,
                         .nbasis = 3,
                         .ncol = ncol,
                         .column = column,
                         .value = static_cast<int>(values_.size()),
                         .cone = static_cast<int>(cones_.size())});
      cones_.push_back({0, {0.3 * rough_, 0.2 * rough_, 0, 0, 0}});
      for (std::size_t r = 0; r < 3; ++r) {
        for (int k = 0; k < ncol; ++k) {
          const double shift = (k < 6 ? 1 : -1) * (frame[3 * r + static_cast<std::size_t>(k % 3)] + apart * i);
          values_.push_back(k % 6 < 3 ? shift : normal(generator));
        }
        aref_.push_back(normal(generator));
      }
    }
  }

  double rough_;
  RandomProblem random_;
  ConstraintProblem p_;
  std::vector<RowBlock> blocks_;
  std::vector<int> columns_;
  std::vector<double> values_, aref_, frictionloss_;
  std::vector<ConeParameters> cones_;
};

// Points with one frame are visited as one, their normals together first; that must lead where visits of one after the
// other lead, forth and back.
TEST(ImpulseSolver, VisitsOfPointsOfOneFrameLeadWhereVisitsOfOneAfterTheOtherLead) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Manifolds together(seed, 0), apart(seed, 1e-13);
    for (const SweepOrder order : {SweepOrder::Forth, SweepOrder::InTurn}) {
      const Outcome a = together.solve(5000, order), b = apart.solve(5000, order);
      EXPECT_TRUE(allNear(a.velocity, b.velocity, 1e-8)) << "seed " << seed;
    }
  }
}

// What is visited last lacks nothing along its tangents if it sticks: a visit knows all that its manifold changed, but
// for the regularization of tangents.
TEST(ImpulseSolver, TheLastPointOfAManifoldThatSticksLacksNothing) {
  int sticking = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Manifolds manifolds(seed, 0, 100);
    const Outcome o = manifolds.solve(1, SweepOrder::InTurn);  // back: ends with the first of four points
    if (!(std::pow(o.lambda[1] / 30, 2) + std::pow(o.lambda[2] / 20, 2) < 0.9 * std::pow(o.lambda[0], 2))) continue;
    ++sticking;
    for (const int row : {1, 2}) EXPECT_NEAR(manifolds.lacks(o, row), 0, 1e-6) << "seed " << seed << ", row " << row;
  }
  EXPECT_GT(sticking, 5);
}

TEST(ImpulseSolver, ReachesTheComplementaritySolutionOnSmallTrees) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Problem p(seed, kSmallTrees);
    const Outcome o = p.solve(20000, 1e-12);
    EXPECT_TRUE(o.report.converged) << "seed " << seed;
    expectAdmissible(*p, o);
    expectSolved(*p, o);
  }
}

TEST(ImpulseSolver, ReachesTheComplementaritySolutionOnALargeTree) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Problem p(seed, kLargeTree);
    const Outcome o = p.solve(20000, 1e-12);
    EXPECT_TRUE(o.report.converged) << "seed " << seed;
    expectAdmissible(*p, o);
    expectSolved(*p, o);
  }
}

TEST(ImpulseSolver, VelocityIsThatOfTheImpulses) {
  // v+ = v* + inv(A) J' lambda by the other route: all rows at once, after the solve; also if it stopped early
  for (const auto& counts : {kSmallTrees, kLargeTree}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Problem p(seed, counts);
      const Outcome o = p.solve(7, 0);
      std::vector<double> v(o.velocity.size(), 0.0);
      addTransposed(*p, o.lambda.data(), v.data());
      p->metric->solve(v.data());
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += p->smoothAcceleration[i];
      EXPECT_TRUE(allNear(o.velocity, v, 1e-11));
      expectAdmissible(*p, o);
    }
  }
}

TEST(ImpulseSolver, StaysWhereItIsWhenStartedFromTheSolution) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Problem p(seed, kSmallTrees);
    const Outcome cold = p.solve(20000, 1e-12);
    const Outcome warm = p.solve(50, 1e-6, cold.lambda);
    EXPECT_EQ(warm.report.sweeps, 1);
    EXPECT_TRUE(allNear(warm.velocity, cold.velocity, 1e-6));
  }
}

TEST(ImpulseSolver, MakesAWarmStartAdmissibleFirst) {
  const Problem p(3, kSmallTrees);
  std::vector<double> wild(static_cast<std::size_t>(p->rows()));
  std::mt19937 generator(5);
  for (double& l : wild) l = std::uniform_real_distribution<double>(-5, 5)(generator);
  expectAdmissible(*p, p.solve(0, 1e-4, wild));
  expectAdmissible(*p, p.solve(1, 1e-4, wild));
}

/// Rows give way by 1e-6 of what their impulses do to them, and sliding is found to 1e-4 of its speed; velocities here
/// are of the order of ten, impulses of a hundred.
TEST(HardByNewton, ReachesTheComplementaritySolution) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    for (const RandomProblem::Counts& counts : {kSmallTrees, kLargeTree}) {
      const Problem p(seed, counts);
      SCOPED_TRACE(seed);
      Arena arena;
      Outcome o;
      o.lambda.assign(static_cast<std::size_t>(p->rows()), 0.0);
      o.velocity.assign(p->smoothAcceleration.begin(), p->smoothAcceleration.end());
      o.report = solveHardByNewton(*p, {p->aref}, {.maxSweeps = 100, .tolerance = 1e-8}, arena, o.lambda, o.velocity);
      EXPECT_TRUE(o.report.converged);
      o.lacking.resize(o.lambda.size());
      multiplyRows(*p, o.velocity.data(), o.lacking.data());
      for (std::size_t i = 0; i < o.lacking.size(); ++i) o.lacking[i] = p->aref[i] - o.lacking[i];
      expectAdmissible(*p, o);
      expectSolved(*p, o, 1e-2);
      const Outcome sweeps = p.solve(20000, 1e-12);
      if (!sweeps.report.converged) continue;
      double size = 0;
      for (const double v : sweeps.velocity) size = std::max(size, std::abs(v));
      EXPECT_TRUE(allNear(o.velocity, sweeps.velocity, 1e-3 * size));
    }
  }
}

}  // namespace
}  // namespace sinew::solve
