#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/arena.h"
#include "solve/dual.h"
#include "solve/line_search.h"
#include "solve/primal.h"
#include "solve/rows.h"
#include "solve/sparse_hessian.h"
#include "support/random_problem.h"
#include "support/tolerance.h"

namespace sinew::solve {
namespace {

using test::allNear;
using test::RandomProblem;
using test::tolerance;

struct Result {
  std::vector<double> x, force, constraintForce;
  std::vector<RowState> state;
  SolveReport report;
  std::vector<double> costs;
};

enum class Method { Newton, CG, PGS };

Result solveBy(const ConstraintProblem& p, Method method, SolveOptions options) {
  Arena arena;
  Result r;
  const auto rows = static_cast<std::size_t>(p.rows());
  r.x.assign(p.smoothAcceleration.begin(), p.smoothAcceleration.end());
  r.force.assign(rows, 0);
  r.state.assign(rows, RowState::Satisfied);
  r.constraintForce.assign(r.x.size(), 0);
  const Solution solution{r.x, r.force, r.state, r.constraintForce};
  if (method == Method::PGS) {
    r.report = DualSolver(p, options, arena).projectedGaussSeidel(solution);
    return r;
  }
  r.costs.assign(static_cast<std::size_t>(options.maxIterations) + 1, 0);
  PrimalSolver solver(p, options, method == Method::Newton ? PrimalMethod::Newton : PrimalMethod::ConjugateGradient,
                      arena);
  r.report = solver.solve(solution, r.costs);
  r.costs.resize(static_cast<std::size_t>(r.report.iterations) + 1);
  return r;
}

double costAt(const ConstraintProblem& p, const std::vector<double>& x) {
  std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size()), Ax(x.size(), 0);
  std::vector<RowState> s(r.size());
  multiplyRows(p, x.data(), r.data());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= p.aref[i];
  double cost = evaluateRows(p, r.data(), f.data(), s.data());
  p.metric->multiply(x.data(), Ax.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    cost += 0.5 * (Ax[i] - p.smoothForce[i]) * (x[i] - p.smoothAcceleration[i]);
  }
  return cost;
}

constexpr RandomProblem::Counts kNoCones{.dofs = 12, .cones = 0};
constexpr RandomProblem::Counts kAll{.dofs = 14, .pyramids = 3, .cones = 3};

TEST(TreeMetric, SolveUndoesMultiply) {
  const RandomProblem random(1, kAll);
  const ConstraintProblem& p = random.problem();
  std::vector<double> x(p.smoothForce.begin(), p.smoothForce.end());
  p.metric->solve(x.data());
  EXPECT_TRUE(allNear(x, p.smoothAcceleration, 1e-10));
}

TEST(Rows, TransposedProductIsTheAdjoint) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    std::vector<double> Jx(static_cast<std::size_t>(p.rows())), f(Jx.size()), Jf(static_cast<std::size_t>(p.dofs()));
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::sin(1.0 + static_cast<double>(i));
    multiplyRows(p, p.smoothAcceleration.data(), Jx.data());
    addTransposed(p, f.data(), Jf.data());
    double left = 0, right = 0;
    for (std::size_t i = 0; i < f.size(); ++i) left += f[i] * Jx[i];
    for (std::size_t i = 0; i < Jf.size(); ++i) right += Jf[i] * p.smoothAcceleration[i];
    EXPECT_NEAR(left, right, tolerance(1e-11) * (1 + std::abs(left)));
  }
}

// f = -ds/dr by central differences. The cost is continuously differentiable, so no residual needs to be avoided.
TEST(Rows, ForceIsMinusTheGradientOfTheCost) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size()), g(r.size());
    std::vector<RowState> s(r.size());
    multiplyRows(p, p.smoothAcceleration.data(), r.data());
    evaluateRows(p, r.data(), f.data(), s.data());
    const double h = 1e-6;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double at = r[i];
      r[i] = at + h;
      const double plus = evaluateRows(p, r.data(), g.data(), s.data());
      r[i] = at - h;
      const double minus = evaluateRows(p, r.data(), g.data(), s.data());
      r[i] = at;
      EXPECT_NEAR(-(plus - minus) / (2 * h), f[i], tolerance(1e-5) * (1 + std::abs(f[i]))) << "row " << i;
    }
  }
}

// W against central differences of the basis gradient, in the interior of a cone zone.
TEST(Rows, WeightsAreTheSecondDerivative) {
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size());
    std::vector<RowState> s(r.size());
    multiplyRows(p, p.smoothAcceleration.data(), r.data());
    evaluateRows(p, r.data(), f.data(), s.data());
    for (const RowBlock& block : p.blocks) {
      if (block.kind != BlockKind::Elliptic || s[block.row] != RowState::Cone) continue;
      double W[36];
      ASSERT_TRUE(blockWeights(p, block, r.data(), s.data(), W));
      for (int j = 0; j < block.nrow; ++j) {
        const double h = 1e-6;
        std::vector<double> rp = r, rm = r, fp(r.size()), fm(r.size());
        rp[block.row + j] += h;
        rm[block.row + j] -= h;
        std::vector<RowState> t(r.size());
        evaluateRows(p, rp.data(), fp.data(), t.data());
        evaluateRows(p, rm.data(), fm.data(), t.data());
        if (t[block.row] != RowState::Cone) continue;
        for (int i = 0; i < block.nrow; ++i) {
          const auto k = static_cast<std::size_t>(block.row + i);
          const double expected = -(fp[k] - fm[k]) / (2 * h);
          EXPECT_NEAR(W[i * block.nrow + j], expected, tolerance(1e-4) * (1 + std::abs(expected)));
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 100) << "the random problems must reach the middle zone";
}

/// With the direction of sliding for a dual, the weights are the second derivative; with none, friction is a spring
/// from the origin to the force of now, so that the force at the origin is zero; and whatever is between is not softer
/// than the second derivative.
TEST(Rows, SharesGoFromTheSecantToTheSecondDerivative) {
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size()), dual(r.size());
    std::vector<RowState> s(r.size());
    multiplyRows(p, p.smoothAcceleration.data(), r.data());
    evaluateRows(p, r.data(), f.data(), s.data());
    for (const RowBlock& block : p.blocks) {
      const auto row = static_cast<std::size_t>(block.row);
      if (block.kind != BlockKind::Elliptic || s[row] != RowState::Cone) continue;
      const ConeParameters& cone = p.cones[block.cone];
      ASSERT_TRUE(isFrictionStiffer(cone));
      const int n = block.nrow;
      using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const auto weights = [&](double length, bool none) {
        double T = 0;
        for (int k = 1; k < n; ++k) {
          const auto i = static_cast<std::size_t>(k);
          dual[row + i] = r[row + i] * cone.friction[i - 1];
          T = std::hypot(T, dual[row + i]);
        }
        for (int k = 1; k < n; ++k) dual[row + static_cast<std::size_t>(k)] *= length / T;
        Matrix W(n, n);
        blockWeights(p, block, r.data(), s.data(), W.data(), none ? nullptr : dual.data());
        return W;
      };
      const Matrix newton = weights(0, true), along = weights(1, false), half = weights(0.5, false),
                   secant = weights(0, false);
      EXPECT_LT((newton - along).norm(), tolerance(1e-12) * newton.norm());
      const double least = -tolerance(1e-9) * newton.norm();
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(half - newton).eigenvalues().minCoeff(), least);
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(secant - half).eigenvalues().minCoeff(), least);
      // what the secant adds to the second derivative takes friction to zero where sliding ends
      for (int k = 1; k < n; ++k) {
        double added = 0;
        for (int j = 1; j < n; ++j) added += (secant - newton)(k, j) * r[row + static_cast<std::size_t>(j)];
        EXPECT_NEAR(added, -f[row + static_cast<std::size_t>(k)], tolerance(1e-9) * std::abs(f[row]));
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

/// A step that turns the direction of sliding round resets the dual; one that does not follows the direction.
TEST(Rows, SharesFollowTheDirectionOfSliding) {
  RowBlock block{};
  block.kind = BlockKind::Elliptic;
  block.nrow = block.nbasis = 3;
  block.cone = 0;
  ConeParameters cone{};
  cone.friction.fill(0.5);
  cone.mu = 0.01;
  const std::vector<double> D{1, 2500, 2500};
  ConstraintProblem p;
  p.blocks = {&block, 1};
  p.cones = {&cone, 1};
  p.D = D;
  const std::vector<double> r{-0.1, 3, 4};
  const std::vector<RowState> slides(3, RowState::Cone), sticks(3, RowState::Quadratic);
  std::vector<double> dual(3, 1);
  initializeDuals(p, r.data(), slides.data(), dual.data());
  EXPECT_EQ(dual, (std::vector<double>{0, 0, 0}));
  // a step across the direction: w = (U + V)/T, cut to length 1
  const std::vector<double> across{0, -2, 1.5}, back{0, -4, -5};
  updateDuals(p, r.data(), slides.data(), across.data(), 1, dual.data());
  EXPECT_NEAR(dual[1], 1 / std::hypot(1, 5.5), tolerance(1e-12));
  EXPECT_NEAR(dual[2], 5.5 / std::hypot(1, 5.5), tolerance(1e-12));
  updateDuals(p, r.data(), slides.data(), back.data(), 0.1, dual.data());
  EXPECT_EQ(dual, (std::vector<double>{0, 0, 0}));
  // a contact that sticks has the dual of its force in its bound
  const std::vector<double> rest{-0.1, 1e-5, 0};
  resetDuals(p, rest.data(), sticks.data(), dual.data());
  EXPECT_NEAR(dual[1], D[1] * rest[1] / (0.5 * D[0] * 0.1), tolerance(1e-12));
}

/// Where rows are in the zones that were predicted, the prediction is the solution.
TEST(Newton, APredictionOfTheRightZonesIsTheSolution) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProblem random(seed, kNoCones);
    const ConstraintProblem& p = random.problem();
    const Result solved = solveBy(p, Method::Newton, {.maxIterations = 100, .tolerance = 1e-14});
    std::vector<double> expected(static_cast<std::size_t>(p.rows()));
    multiplyRows(p, solved.x.data(), expected.data());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= p.aref[i];
    Arena arena;
    const SolveOptions options{};
    PrimalSolver solver(p, options, PrimalMethod::Newton, arena);
    Result r = solved;
    std::copy(p.smoothAcceleration.begin(), p.smoothAcceleration.end(), r.x.begin());
    const Solution solution{r.x, r.force, r.state, r.constraintForce};
    solver.predict(solution, expected);
    EXPECT_TRUE(allNear(r.x, solved.x, 1e-9, 1e-9)) << seed;
    // and never a worse start than it was
    std::fill(expected.begin(), expected.end(), -100.0);
    solver.predict(solution, expected);
    EXPECT_TRUE(allNear(r.x, solved.x, 1e-9, 1e-9)) << seed;
  }
}

TEST(LineSearch, DirectionalCostAgreesWithTheFullCost) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    const auto n = static_cast<std::size_t>(p.dofs()), rows = static_cast<std::size_t>(p.rows());
    std::vector<double> x(p.smoothAcceleration.begin(), p.smoothAcceleration.end()), s(n), Ax(n, 0), As(n, 0);
    for (std::size_t i = 0; i < n; ++i) s[i] = std::cos(static_cast<double>(i * (seed + 1)));
    for (std::size_t i = 0; i < n; ++i) x[i] *= 0.7;
    std::vector<double> r(rows), Js(rows);
    multiplyRows(p, x.data(), r.data());
    for (std::size_t i = 0; i < rows; ++i) r[i] -= p.aref[i];
    multiplyRows(p, s.data(), Js.data());
    p.metric->multiply(x.data(), Ax.data());
    p.metric->multiply(s.data(), As.data());
    double slope = 0, curvature = 0;
    for (std::size_t i = 0; i < n; ++i) {
      slope += s[i] * (Ax[i] - p.smoothForce[i]);
      curvature += s[i] * As[i];
    }
    Arena arena;
    DirectionalCost cost(p, arena);
    cost.prepare(r.data(), Js.data(), slope, curvature);
    const double cost0 = costAt(p, x);
    for (const double alpha : {0.0, 1e-3, -0.3, 0.8, 5.0, -7.0}) {
      std::vector<double> moved = x;
      for (std::size_t i = 0; i < n; ++i) moved[i] += alpha * s[i];
      const double expected = costAt(p, moved) - cost0;
      const auto point = cost.at(alpha);
      EXPECT_NEAR(point.cost, expected, tolerance(1e-10) * (1 + std::abs(cost0) + std::abs(expected)));
      const double h = 1e-6;
      const double difference = (cost.at(alpha + h).cost - cost.at(alpha - h).cost) / (2 * h);
      EXPECT_NEAR(point.slope, difference, tolerance(1e-5) * (1 + std::abs(difference)));
    }
  }
}

// The same matrix, factored densely and by fronts.
TEST(SparseHessian, SolvesLikeTheDenseOne) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    for (const int trees : {1, 2, 7, 40}) {
      const RandomProblem random(seed, {.dofs = 1 + static_cast<int>(seed % 7),
                                        .trees = trees,
                                        .equalities = trees / 2,
                                        .frictions = 3,
                                        .unilateral = trees,
                                        .pyramids = trees,
                                        .cones = trees,
                                        .runs = static_cast<int>(seed % 3)});
      ConstraintProblem p = random.problem();
      p.nodes = random.nodes();
      // of the trees the first ones may be bodies that touch a flex
      p.hasFlexNodes = seed % 2 == 0;
      p.bodyDofs = trees / 5 * (1 + static_cast<int>(seed % 7));
      std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size());
      std::vector<RowState> s(r.size());
      multiplyRows(p, p.smoothAcceleration.data(), r.data());
      evaluateRows(p, r.data(), f.data(), s.data());
      Arena arena;
      PlanMemory plans;
      DenseHessian dense(p, arena);
      const FactorPlan& plan = plans.planFor(p, arena);
      SparseHessian sparse(p, plan, plans.placesFor(p.metric->lower(), plan), plans.layoutFor(p, plan), arena);
      dense.assemble(r.data(), s.data());
      sparse.assemble(r.data(), s.data());
      std::vector<double> x(p.smoothForce.size()), y(x.size());
      dense.solve(p.smoothForce.data(), x.data());
      sparse.solve(p.smoothForce.data(), y.data());
      EXPECT_TRUE(allNear(y, x, 1e-9, 1e-9)) << "seed " << seed << ", " << trees << " trees";
      // H x, row by row
      std::vector<double> Jx(r.size()), weighed(r.size()), Hx(x.size());
      p.metric->multiply(x.data(), Hx.data());
      multiplyRows(p, x.data(), Jx.data());
      weighRows(p, r.data(), s.data(), Jx.data(), weighed.data());
      addTransposed(p, weighed.data(), Hx.data());
      const std::vector<double> f0(p.smoothForce.begin(), p.smoothForce.end());
      EXPECT_TRUE(allNear(Hx, f0, 1e-8, 1e-8)) << "seed " << seed << ", " << trees << " trees";
    }
  }
}

// An update for changed states must give what assembling from scratch gives. The residual moves a little each time, so
// that only some blocks change.
TEST(SparseHessian, UpdatesToTheMatrixOfTheNewStates) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProblem random(
        seed, {.dofs = 6, .trees = 12, .equalities = 3, .frictions = 3, .unilateral = 8, .pyramids = 12, .cones = 12});
    ConstraintProblem p = random.problem();
    p.nodes = random.nodes();
    std::vector<double> r(static_cast<std::size_t>(p.rows())), f(r.size());
    std::vector<RowState> before(r.size()), after(r.size());
    multiplyRows(p, p.smoothAcceleration.data(), r.data());
    evaluateRows(p, r.data(), f.data(), before.data());
    Arena arena;
    PlanMemory plans;
    const FactorPlan& plan = plans.planFor(p, arena);
    const std::span<const std::ptrdiff_t> places = plans.placesFor(p.metric->lower(), plan);
    // once with and once without the layout that is kept
    SparseHessian updated(p, plan, places, plans.layoutFor(p, plan), arena), fresh(p, plan, places, {}, arena);
    updated.assemble(r.data(), before.data());
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < r.size(); ++i) r[i] += 0.3 * std::sin(static_cast<double>(i * i) + round + seed);
      evaluateRows(p, r.data(), f.data(), after.data());
      updated.update(r.data(), after.data(), before.data());
      fresh.assemble(r.data(), after.data());
      std::vector<double> x(p.smoothForce.size()), y(x.size());
      fresh.solve(p.smoothForce.data(), x.data());
      updated.solve(p.smoothForce.data(), y.data());
      EXPECT_TRUE(allNear(y, x, 1e-9, 1e-9)) << "seed " << seed << ", round " << round;
      before = after;
    }
  }
}

/// A matrix over a grid of nodes coupled to their neighbours, one diagonal included; the same numbers in blocks
/// and dense.
struct GridMatrix {
  explicit GridMatrix(int side) : rows(side * side) {
    std::vector<BlockPattern::Pair> pairs;
    const auto couple = [&](int i, int j) { pairs.push_back({i, j}), pairs.push_back({j, i}); };
    for (int i = 0; i < rows; ++i) {
      if (i % side > 0) couple(i, i - 1);
      if (i >= side) couple(i, i - side);
      if (i >= side && i % side > 0) couple(i, i - side - 1);
    }
    pattern.make(rows, pairs, arena);
    maker.emplace(pattern, arena);
    std::fill(maker->value().begin(), maker->value().end(), 0.0);
    dense = Eigen::MatrixXd::Zero(3 * rows, 3 * rows);
    for (int i = 0; i < rows; ++i) set(i, i);
    for (const BlockPattern::Pair& pair : pairs) {
      if (pair.row > pair.column) set(pair.row, pair.column);
    }
  }
  void set(int i, int j) {
    const int row = pattern.rank(i), column = pattern.rank(j);
    double* const block = maker->block(pattern.find(row, column));
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const double value = i != j ? std::sin(3 * r + c + i + j) : r == c ? 14 + r + i % 5 : 0.3 * std::cos(r + c + i);
        dense(3 * row + r, 3 * column + c) = dense(3 * column + c, 3 * row + r) = block[3 * r + c] = value;
      }
    }
  }
  static std::vector<double> padded(const Eigen::VectorXd& v) {
    std::vector<double> x(static_cast<std::size_t>(v.size() / 3 * 4));
    for (int i = 0; i < v.size(); ++i) x[4 * (i / 3) + i % 3] = v[i];
    return x;
  }

  const int rows;
  Arena arena;
  BlockPattern pattern;
  std::optional<BlockMaker> maker;
  Eigen::MatrixXd dense;
};

// Rows are numbered by levels: coupled rows keep their order, and rows of a level are not coupled.
TEST(BlockPattern, NumbersRowsByLevels) {
  const int side = 7;
  const GridMatrix grid(side);
  std::vector<int> seen(static_cast<std::size_t>(grid.rows), 0);
  for (int i = 0; i < grid.rows; ++i) ++seen[grid.pattern.rank(i)];
  for (const int count : seen) EXPECT_EQ(count, 1);
  const auto level = [&](int i) { return i / side + i % side; };
  for (int i = 0; i < grid.rows; ++i) {
    for (int j = 0; j < i; ++j) {
      const int a = grid.pattern.rank(i), b = grid.pattern.rank(j);
      if (level(i) == level(j)) {
        EXPECT_EQ(grid.pattern.find(a, b), -1);
      } else {
        EXPECT_EQ(level(j) < level(i), b < a);
      }
    }
  }
}

TEST(BlockMatrix, Multiplies) {
  GridMatrix grid(6);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(3 * grid.rows, -2, 1).array().sin();
  const std::vector<double> expected = GridMatrix::padded(grid.dense * v);
  std::vector<double> y(expected.size());
  grid.maker->factor();
  const double form = grid.maker->matrix().multiply(GridMatrix::padded(v).data(), y.data());
  EXPECT_NEAR(form, v.dot(grid.dense * v), 1e-10);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i % 4 < 3) {
      EXPECT_NEAR(y[i], expected[i], 1e-12);
    }
  }
}

// One pass over memory does what three loops would: a step along the last direction, the next direction, its product.
TEST(BlockMatrix, TurnsToTheNextDirectionAndMultiplies) {
  GridMatrix grid(6);
  grid.maker->factor();
  const Eigen::Index n = 3 * grid.rows;
  const Eigen::VectorXd old = Eigen::VectorXd::LinSpaced(n, -2, 1).array().sin();
  const Eigen::VectorXd z = Eigen::VectorXd::LinSpaced(n, 1, 5).array().cos().cast<float>().cast<double>();
  const Eigen::VectorXd next = 0.25 * z + 0.3 * old;
  std::vector<double> x(4 * static_cast<std::size_t>(grid.rows), 1.0), d = GridMatrix::padded(old), q(x.size());
  const std::vector<double> z4 = GridMatrix::padded(z);
  std::vector<float> w(z4.begin(), z4.end());
  for (std::size_t i = 3; i < w.size(); i += 4) w[i] = 7;  // means nothing
  const double form = grid.maker->matrix().turn(0.5, x.data(), 0.25, w.data(), 0.3, d.data(), q.data());
  EXPECT_NEAR(form, next.dot(grid.dense * next), 1e-10);
  const std::vector<double> old4 = GridMatrix::padded(old), next4 = GridMatrix::padded(next),
                            product4 = GridMatrix::padded(grid.dense * next);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], 1 + 0.5 * old4[i], 1e-15);
    EXPECT_NEAR(d[i], next4[i], 1e-15);
    if (i % 4 < 3) {
      EXPECT_NEAR(q[i], product4[i], 1e-12);
    }
  }
}

// A grid one node wide is a chain, which has no fill-in: then the incomplete factor is that of the matrix with the
// diagonal enlarged by 0.3 %, but for rounding to single precision.
TEST(BlockMatrix, SolvesAChain) {
  const int rows = 7;
  Arena arena;
  std::vector<BlockPattern::Pair> pairs;
  for (int i = 1; i < rows; ++i) pairs.push_back({i - 1, i}), pairs.push_back({i, i - 1});
  BlockPattern pattern;
  pattern.make(rows, pairs, arena);
  BlockMaker A(pattern, arena);
  std::fill(A.value().begin(), A.value().end(), 0.0);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * rows, 3 * rows);
  const auto set = [&](int i, int j, int r, int c, double value) {
    A.block(pattern.find(i, j))[3 * r + c] = value;
    dense(3 * i + r, 3 * j + c) = dense(3 * j + c, 3 * i + r) = value;
  };
  for (int i = 0; i < rows; ++i) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        set(i, i, r, c, r == c ? 5 + r + i : 0.3 * std::cos(r + c + i));
        if (i > 0) set(i, i - 1, r, c, std::sin(3 * r + c + i));
      }
    }
  }
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(3 * rows, 1, 41).array().sin(), y = dense * x;
  Eigen::MatrixXd enlarged = dense;
  enlarged.diagonal() *= 1.003;
  const Eigen::VectorXd solved = enlarged.llt().solve(0.75 * y);
  A.factor();
  // r = 3 y in two parts, of which a quarter is solved for
  const std::vector<double> y4 = GridMatrix::padded(y), solved4 = GridMatrix::padded(solved);
  std::vector<double> r = GridMatrix::padded(2 * y);
  std::vector<float> w(r.size()), carry(r.size());
  const double form = 0.75 * y.dot(solved);
  EXPECT_NEAR(A.matrix().forward(-1, y4.data(), r.data(), 0.25, w.data(), carry.data()), form, 1e-5 * form);
  A.matrix().backward(w.data(), carry.data());
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (i % 4 < 3) {
      EXPECT_NEAR(r[i], 3 * y4[i], 1e-12);
      EXPECT_NEAR(w[i], solved4[i], 1e-5);
    }
  }
}

TEST(BlockMatrix, EnlargesTheDiagonalUntilTheFactorExists) {
  // three nodes, each coupled to both others: the diagonal minus what is dropped is not positive
  Arena arena;
  const std::vector<BlockPattern::Pair> pairs{{1, 0}, {2, 0}, {3, 1}, {3, 2}};
  BlockPattern pattern;
  pattern.make(4, pairs, arena);
  BlockMaker A(pattern, arena);
  std::fill(A.value().begin(), A.value().end(), 0.0);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3; ++k) A.block(pattern.find(i, i))[4 * k] = 1;
  }
  for (const BlockPattern::Pair& pair : pairs) {
    for (int k = 0; k < 3; ++k) A.block(pattern.find(pair.row, pair.column))[4 * k] = 0.9;
  }
  A.factor();
  const std::vector<double> q(16, 0.0);
  std::vector<double> r(16, 1.0);
  std::vector<float> w(16), carry(16);
  EXPECT_GT(A.matrix().forward(0, q.data(), r.data(), 1, w.data(), carry.data()), 0);
  A.matrix().backward(w.data(), carry.data());
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (i % 4 < 3) {
      EXPECT_TRUE(std::isfinite(w[i]));
    }
  }
}

// The incomplete factor is in single precision, the solution is not.
TEST(BlockGradients, SolveAGridAsAFactorDoes) {
  GridMatrix grid(12);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(3 * grid.rows, -2, 1).array().sin();
  const std::vector<double> right = GridMatrix::padded(v);
  const std::vector<double> expected = GridMatrix::padded(grid.dense.llt().solve(v));
  grid.maker->factor();
  const BlockGradients gradients(grid.rows, grid.arena);
  std::copy(right.begin(), right.end(), gradients.right().begin());
  const BlockGradients::Report report = gradients.solve(grid.maker->matrix(), 1e-26, 0, 100);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 30);
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(gradients.solution()[i], expected[i], 1e-11);
}

// What would fill in is taken off the diagonal: without that this takes 67 iterations, with it 44. Light nodes on
// springs, as a stiff sheet has them.
TEST(BlockGradients, FindSmoothSolutionsOfStiffSheetsQuickly) {
  constexpr int side = 40;
  Arena arena;
  std::vector<BlockPattern::Pair> pairs;
  for (int i = 0; i < side * side; ++i) {
    if (i % side > 0) pairs.push_back({i, i - 1});
    if (i >= side) pairs.push_back({i, i - side});
    if (i >= side && i % side > 0) pairs.push_back({i, i - side - 1});
  }
  BlockPattern pattern;
  pattern.make(side * side, pairs, arena);
  BlockMaker A(pattern, arena);
  std::fill(A.value().begin(), A.value().end(), 0.0);
  const auto add = [&](int i, int j, double value) {
    for (int k = 0; k < 3; ++k) A.block(pattern.find(pattern.rank(i), pattern.rank(j)))[4 * k] += value;
  };
  for (int i = 0; i < side * side; ++i) add(i, i, 0.001);
  for (const BlockPattern::Pair& pair : pairs) {
    add(pair.row, pair.column, -1);
    add(pair.row, pair.row, 1);
    add(pair.column, pair.column, 1);
  }
  A.factor();
  const BlockGradients gradients(side * side, arena);
  for (int i = 0; i < side * side; ++i) gradients.right()[4 * i] = std::sin(0.01 * i);
  const BlockGradients::Report report = gradients.solve(A.matrix(), 1e-20, 0, 100);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 50);
}

// A matrix that differs from another in few rows takes over its factor; of blocks on the diagonal only the lower half
// is given.
TEST(BlockGradients, GoOnFromTheFactorOfASimilarMatrix) {
  GridMatrix grid(12), changed(12), other(11);
  grid.maker->factor();
  std::vector<std::uint8_t> touched(static_cast<std::size_t>(grid.rows), 0);
  for (const int i : {5, 60, 61, 143}) {
    double* const block = changed.maker->block(changed.pattern.find(i, i));
    for (int r = 0; r < 3; ++r) {
      block[4 * r] += 1000 * (1 + r);
      changed.dense(3 * i + r, 3 * i + r) += 1000 * (1 + r);
    }
    touched[i] = 1;
  }
  for (int i = 0; i < grid.rows; ++i) {
    double* const block = changed.maker->block(changed.pattern.find(i, i));
    block[1] = block[2] = block[5] = 1e9;
  }
  EXPECT_FALSE(other.maker->takeFactor(grid.maker->matrix()));
  ASSERT_TRUE(changed.maker->takeFactor(grid.maker->matrix()));
  changed.maker->factorAgain(touched);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(3 * grid.rows, -2, 1).array().sin();
  const std::vector<double> right = GridMatrix::padded(v);
  const std::vector<double> expected = GridMatrix::padded(changed.dense.llt().solve(v));
  const BlockGradients gradients(grid.rows, grid.arena);
  std::copy(right.begin(), right.end(), gradients.right().begin());
  const BlockGradients::Report report = gradients.solve(changed.maker->matrix(), 1e-26, 0, 100);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.iterations, 30);
  for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(gradients.solution()[i], expected[i], 1e-11);
}

// Single precision ends near 1e-38 and 1e38; the numbers of a problem need not.
TEST(BlockGradients, SolveWhateverTheSizeOfTheRightSide) {
  GridMatrix grid(8);
  grid.maker->factor();
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(3 * grid.rows, -2, 1).array().sin();
  const std::vector<double> right = GridMatrix::padded(v);
  const std::vector<double> expected = GridMatrix::padded(grid.dense.llt().solve(v));
  const BlockGradients gradients(grid.rows, grid.arena);
  for (const double size : {1e-60, 1e60}) {
    for (std::size_t i = 0; i < right.size(); ++i) gradients.right()[i] = size * right[i];
    EXPECT_TRUE(gradients.solve(grid.maker->matrix(), 1e-26, 0, 100).converged);
    for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(gradients.solution()[i] / size, expected[i], 1e-11);
  }
  std::fill(gradients.right().begin(), gradients.right().end(), 0.0);
  EXPECT_TRUE(gradients.solve(grid.maker->matrix(), 1e-26, 0, 100).converged);
  for (const double value : gradients.solution()) EXPECT_EQ(value, 0);
}

TEST(BlockGradients, SayThatTheyDidNotGetThere) {
  GridMatrix grid(12);
  grid.maker->factor();
  const BlockGradients gradients(grid.rows, grid.arena);
  gradients.right()[0] = 1;
  EXPECT_FALSE(gradients.solve(grid.maker->matrix(), 1e-26, 0, 2).converged);
  gradients.right()[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(gradients.solve(grid.maker->matrix(), 1e-26, 0, 100).converged);
}

TEST(BlockGradients, DoNotStartWithAMatrixThatHasNoIncompleteFactor) {
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0, 0.0}) {
    SCOPED_TRACE(number);
    GridMatrix grid(12);
    grid.maker->block(grid.pattern.find(5, 5))[4] = number;
    grid.maker->factor();
    const BlockGradients gradients(grid.rows, grid.arena);
    gradients.right()[0] = 1;
    EXPECT_FALSE(gradients.solve(grid.maker->matrix(), 1e-26, 0, 100).converged);
  }
}

// Newton's method by conjugate gradients ends where it ends with a factor, whatever the cones and the sizes of nodes. A
// scaled cost that is 1e-15 too high leaves x some 1e-7 away.
TEST(Newton, IterationsGiveTheSolutionOfFactors) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const int dofs : {3, 5, 6, 7}) {
      const RandomProblem random(
          seed,
          {.dofs = dofs, .trees = 15, .equalities = 8, .frictions = 5, .unilateral = 10, .pyramids = 10, .cones = 10});
      ConstraintProblem p = random.problem();
      p.nodes = random.nodes();
      const Result dense = solveBy(p, Method::Newton, {.tolerance = 1e-15, .matrix = MatrixForm::Dense});
      const Result iterative = solveBy(p, Method::Newton, {.tolerance = 1e-15, .matrix = MatrixForm::Iterative});
      EXPECT_TRUE(iterative.report.converged) << "seed " << seed;
      EXPECT_TRUE(allNear(iterative.x, dense.x, 1e-6, 1e-6)) << "seed " << seed << ", " << dofs << " dofs";
      EXPECT_NEAR(iterative.report.cost, dense.report.cost, 1e-9 * (1 + std::abs(dense.report.cost)));
      for (std::size_t i = 1; i < iterative.costs.size(); ++i) {
        EXPECT_LE(iterative.costs[i], iterative.costs[i - 1] * (1 + 1e-12)) << "seed " << seed << " iteration " << i;
      }
      // forces are those of x, and add up
      const auto n = static_cast<std::size_t>(p.dofs()), rows = static_cast<std::size_t>(p.rows());
      std::vector<double> r(rows), force(rows), sum(n, 0);
      std::vector<RowState> state(rows);
      multiplyRows(p, iterative.x.data(), r.data());
      for (std::size_t i = 0; i < rows; ++i) r[i] -= p.aref[i];
      evaluateRows(p, r.data(), force.data(), state.data());
      addTransposed(p, force.data(), sum.data());
      EXPECT_TRUE(allNear(iterative.force, force, 1e-9, 1e-9)) << "seed " << seed;
      EXPECT_TRUE(allNear(iterative.constraintForce, sum, 1e-9, 1e-9)) << "seed " << seed;
    }
  }
}

// Forces are minus the first derivative of the cost, so their change along v is -S'' v. Central differences; rows near
// a kink between the two points are left out.
TEST(Rows, SecondDerivativeIsThatOfTheForces) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    const auto rows = static_cast<std::size_t>(p.rows());
    std::vector<double> r(rows), v(rows), y(rows), force(rows);
    std::vector<RowState> state(rows), stateThere(rows), stateBack(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      r[i] = std::sin(static_cast<double>(i + 7 * seed));
      v[i] = std::cos(static_cast<double>(3 * i + seed));
    }
    evaluateRows(p, r.data(), force.data(), state.data());
    weighRows(p, r.data(), state.data(), v.data(), y.data());
    const double h = 1e-6;
    std::vector<double> there = r, back = r, forceThere(rows), forceBack(rows);
    for (std::size_t i = 0; i < rows; ++i) there[i] += h * v[i], back[i] -= h * v[i];
    evaluateRows(p, there.data(), forceThere.data(), stateThere.data());
    evaluateRows(p, back.data(), forceBack.data(), stateBack.data());
    for (std::size_t i = 0; i < rows; ++i) {
      if (stateThere[i] != stateBack[i]) continue;
      EXPECT_NEAR(y[i], (forceBack[i] - forceThere[i]) / (2 * h), 1e-4 * (1 + std::abs(y[i])));
    }
  }
}

TEST(Newton, DenseAndSparseMatricesGiveTheSameSolution) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomProblem random(
        seed, {.dofs = 6, .trees = 15, .equalities = 5, .frictions = 5, .unilateral = 10, .pyramids = 10, .cones = 10});
    const Result dense = solveBy(random.problem(), Method::Newton, {.tolerance = 1e-15, .matrix = MatrixForm::Dense});
    const Result sparse = solveBy(random.problem(), Method::Newton, {.tolerance = 1e-15, .matrix = MatrixForm::Sparse});
    EXPECT_TRUE(allNear(sparse.x, dense.x, 1e-7, 1e-7)) << "seed " << seed;
  }
}

// |g|^2 <= 2 lambda_max (cost - cost*): a scaled cost gap of 1e-14 and eigenvalues up to 1e3 leave |g| below 1e-6.
TEST(Newton, CostFallsInEveryIterationAndTheGradientVanishes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const RandomProblem random(seed, kAll);
    const Result r = solveBy(random.problem(), Method::Newton, {.maxIterations = 100, .tolerance = 1e-14});
    EXPECT_TRUE(r.report.converged) << "seed " << seed;
    for (std::size_t i = 1; i < r.costs.size(); ++i) {
      EXPECT_LE(r.costs[i], r.costs[i - 1] * (1 + 1e-12)) << "seed " << seed << " iteration " << i;
    }
    EXPECT_LT(r.report.gradientNorm, tolerance(1e-6)) << "seed " << seed;
  }
}

// What is not a number is no solution, and needs no hundred iterations.
TEST(Solvers, DoNotConvergeToWhatIsNotANumber) {
  const RandomProblem random(3, kAll);
  ConstraintProblem p = random.problem();
  std::vector<double> force(p.smoothForce.begin(), p.smoothForce.end());
  force[0] = std::numeric_limits<double>::quiet_NaN();
  p.smoothForce = force;
  for (const Method method : {Method::Newton, Method::CG}) {
    const Result r = solveBy(p, method, {.maxIterations = 100, .tolerance = 1e-8});
    EXPECT_FALSE(r.report.converged);
    EXPECT_LT(r.report.iterations, 3);
  }
}

// Three algorithms, one minimizer. The dual solvers converge linearly, hence the looser bound.
TEST(Solvers, NewtonConjugateGradientAndGaussSeidelAgree) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (const auto& counts : {kNoCones, kAll}) {
      const RandomProblem random(seed, counts);
      const ConstraintProblem& p = random.problem();
      const Result newton = solveBy(p, Method::Newton, {.maxIterations = 100, .tolerance = 1e-15});
      const Result cg = solveBy(p, Method::CG, {.maxIterations = 2000, .tolerance = 1e-15});
      const Result pgs = solveBy(p, Method::PGS, {.maxIterations = 20000, .tolerance = 1e-16});
      EXPECT_TRUE(allNear(cg.x, newton.x, 1e-5)) << "CG, seed " << seed;
      EXPECT_TRUE(allNear(pgs.x, newton.x, 1e-4)) << "PGS, seed " << seed;
      EXPECT_NEAR(costAt(p, cg.x), costAt(p, newton.x), tolerance(1e-9) * (1 + std::abs(newton.report.cost)));
    }
  }
}

TEST(GaussSeidel, ForcesAreAdmissible) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomProblem random(seed, kAll);
    const ConstraintProblem& p = random.problem();
    const Result r = solveBy(p, Method::PGS, {.maxIterations = 7, .tolerance = 0});
    for (const RowBlock& block : p.blocks) {
      for (int k = 0; k < block.nrow; ++k) {
        const auto i = static_cast<std::size_t>(block.row + k);
        if (block.kind == BlockKind::Friction) {
          EXPECT_LE(std::abs(r.force[i]), p.frictionloss[i]);
        } else if (block.kind == BlockKind::Unilateral || block.kind == BlockKind::Pyramid) {
          EXPECT_GE(r.force[i], 0);
        }
      }
      if (block.kind == BlockKind::Elliptic) {
        const double* f = r.force.data() + block.row;
        const ConeParameters& cone = p.cones[block.cone];
        double sum = 0;
        for (int k = 1; k < block.nrow; ++k) {
          const double t = f[k] / cone.friction[k - 1];
          sum += t * t;
        }
        EXPECT_GE(f[0], 0);
        EXPECT_LE(std::sqrt(sum), f[0] * (1 + 1e-9) + 1e-12);
      }
    }
  }
}

// Without regularization the friction rows of a contact that sticks must not move at all: J_t x = aref_t.
TEST(RemoveSlip, StickingRowsReachTheirReferenceExactly) {
  int sticking = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomProblem random(
        seed, {.dofs = 12, .equalities = 0, .frictions = 4, .unilateral = 0, .pyramids = 0, .cones = 0});
    const ConstraintProblem& p = random.problem();
    Arena arena;
    Result r = solveBy(p, Method::Newton, {});
    SolveOptions options;
    options.noslipIterations = 2000;
    options.noslipTolerance = 0;
    DualSolver(p, options, arena).removeSlip({r.x, r.force, r.state, r.constraintForce});
    std::vector<double> Jx(static_cast<std::size_t>(p.rows()));
    multiplyRows(p, r.x.data(), Jx.data());
    for (std::size_t i = 0; i < Jx.size(); ++i) {
      if (std::abs(r.force[i]) < p.frictionloss[i] * (1 - 1e-6)) {
        EXPECT_NEAR(Jx[i], p.aref[i], tolerance(1e-6));
        ++sticking;
      }
    }
  }
  EXPECT_GT(sticking, 5);
}

}  // namespace
}  // namespace sinew::solve
