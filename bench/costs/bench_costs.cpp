// Measures the constants of src/solve/costs.h, by which methods and forms of matrices are compared: every form of the
// matrix is made for the same problems, whatever the plan would have chosen. Prints the constants as they are and as
// measured here: the median over the problems, and the least and largest.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/arena.h"
#include "constraint/problem.h"
#include "machine.h"
#include "model/workspace.h"
#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "solve/costs.h"
#include "solve/hessian.h"
#include "solve/primal.h"
#include "solve/rows.h"
#include "solve/sparse_hessian.h"

namespace {

using namespace sinew;         // NOLINT(google-build-using-namespace)
using namespace sinew::solve;  // NOLINT(google-build-using-namespace)

constexpr int kWarmup = 100;
constexpr int kRounds = 5;
constexpr int kLargestDense = 1000;  // dofs: larger ones take seconds and memory, and tell nothing new

/// Least processor time of some rounds, us.
template <class F>
double least(F&& f) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRounds; ++i) {
    const double begin = bench::cpuMicroseconds();
    f();
    best = std::min(best, bench::cpuMicroseconds() - begin);
  }
  return best;
}

/// What one problem says about the constants. Zero: nothing.
struct Sample {
  std::string name;
  int dofs = 0, nodes = 0;
  double dense = 0;   // us of a dense factor, assembled
  double sparse = 0;  // us of a sparse factor, assembled, its plan being known
  double order = 0;   // us of a new plan
  double known = 0;   // us of one in the order of the parts that stay
  double sparseFlops = 0, baseFlops = 0;
  double newtonSparse = 0;                        // us of a whole solve with factors
  double iterativeFine = 0, iterativeCoarse = 0;  // us of a whole solve with conjugate gradients, by accuracy
  double blocks = 0;                              // 3 x 3 blocks that the prediction counts
  double newtonDense = 0;                         // us of a whole solve with dense factors
  double chosen = 0;                              // us of a whole solve by the form that the plan chooses
  MatrixForm form = MatrixForm::None;
  bool fixed = false, lengthRows = false;  // no row can change sides; cloth held by length rows
  double gradient = 0, gradientFlops = 0;  // nonlinear conjugate gradients: us, multiplications per iteration
  int gradientIterations = 0;
};

class Problem {
 public:
  Problem(const Model& m, Data& d, const Island& island) : island_(island), local_(m, d, island, arena_), m_(m) {
    local_.chooseStart(m.opt, arena_);
    const ConstraintProblem& p = local_.problem();
    x_.assign(local_.solution().x.begin(), local_.solution().x.end());
    residual_.resize(static_cast<std::size_t>(p.rows()));
    force_ = residual_;
    state_.resize(residual_.size());
    multiplyRows(p, x_.data(), residual_.data());
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= p.aref[i];
    evaluateRows(p, residual_.data(), force_.data(), state_.data());
  }

  Sample measure(const std::string& name) {
    const ConstraintProblem& p = local_.problem();
    Sample s{.name = name, .dofs = p.dofs(), .nodes = static_cast<int>(p.nodes.size())};
    s.fixed = p.blocks.back().kind == BlockKind::Equality;
    if (s.dofs <= kLargestDense) {
      s.dense = least([&] {
        const Arena::Scope scope(arena_);
        DenseHessian H(p, arena_);
        H.assemble(residual_.data(), state_.data());
      });
    }
    PlanMemory plans;
    const sparse::FactorPlan& plan = plans.planFor(p, arena_);
    s.sparseFlops = plan.flops();
    s.order = least([&] {
      PlanMemory fresh;
      fresh.planFor(p, arena_);
    });
    const auto places = plans.placesFor(p.metric->lower(), plan);
    s.sparse = least([&] {
      const Arena::Scope scope(arena_);
      SparseHessian H(p, plan, places, {}, arena_);
      H.assemble(residual_.data(), state_.data());
    });
    s.known = measureKnownOrder(plans);
    s.baseFlops = plans.baseFlops(p, arena_);
    if (s.dofs <= kLargestDense) s.newtonDense = solveBy(MatrixForm::Dense, Accuracy::OfAFactor);
    s.newtonSparse = solveBy(MatrixForm::Sparse, Accuracy::OfAFactor);
    s.chosen = solveBy(MatrixForm::None, Accuracy::OfAFactor);
    s.form = form_;
    if (!p.hasFlexNodes) return s;

    s.iterativeFine = solveBy(MatrixForm::Iterative, Accuracy::OfAFactor);
    s.iterativeCoarse = solveBy(MatrixForm::Iterative, Accuracy::OfTheTolerance);
    s.blocks = IterativeHessian::predictedCost(p, Accuracy::OfAFactor) / cost::kBlockOfAFactor;
    s.lengthRows = leadingEqualities(p.blocks) > 0 && !p.stiff;
    if (s.lengthRows) {
      s.gradientFlops = 8 * static_cast<double>(p.dofs());
      for (const RowBlock& block : p.blocks) s.gradientFlops += 2.0 * block.nbasis * block.ncol + 4 * block.nrow;
      s.gradient =
          solveBy(PrimalMethod::ConjugateGradient, MatrixForm::None, Accuracy::OfTheTolerance, &s.gradientIterations);
    }
    return s;
  }

 private:
  /// With and without the last of the rows that do not stay, in turns. 0: the parts that stay hold all of them.
  double measureKnownOrder(PlanMemory& plans) {
    ConstraintProblem p = local_.problem();
    if (!p.hasFlexNodes || plans.baseHolds(p)) return 0;
    ConstraintProblem fewer = p;
    fewer.blocks = p.blocks.first(p.blocks.size() - 1);
    if (plans.baseHolds(fewer)) return 0;
    return 0.5 * least([&] {
             plans.planFor(fewer, arena_);
             plans.planFor(p, arena_);
           });
  }

  double solveBy(MatrixForm form, Accuracy accuracy) { return solveBy(PrimalMethod::Newton, form, accuracy, nullptr); }

  double solveBy(PrimalMethod method, MatrixForm form, Accuracy accuracy, int* iterations) {
    const SolveOptions options{.maxIterations = m_.opt.iterations,
                               .tolerance = m_.opt.tolerance,
                               .lineSearchEvaluations = m_.opt.ls_iterations,
                               .lineSearchTolerance = m_.opt.ls_tolerance,
                               .matrix = form,
                               .accuracy = accuracy};
    return least([&] {
      const Arena::Scope scope(arena_);
      const Solution solution = local_.solution();
      std::copy(x_.begin(), x_.end(), solution.x.begin());
      const SolveReport report = PrimalSolver(local_.problem(), options, method, arena_).solve(solution);
      form_ = report.matrix.form;
      if (iterations) *iterations = report.iterations;
    });
  }

  const Island& island_;
  Arena arena_;
  IslandProblem local_;
  const Model& m_;
  std::vector<double> x_, residual_, force_;
  std::vector<RowState> state_;
  MatrixForm form_ = MatrixForm::None;  // of the last solve
};

/// A sheet of `side` x `side` points, held by length rows and at its corners, with four bodies on it.
scenes::Scene net(int side) {
  std::string bodies;
  const char* const geoms[] = {"type='sphere' size='.1'", "type='capsule' size='.07 .1'", "type='box' size='.1 .1 .06'",
                               "type='ellipsoid' size='.12 .1 .08'"};
  for (int i = 0; i < 4; ++i) {
    bodies += fmt::format("<body pos='{} {} 1.1'><freejoint/><geom {} mass='.2'/></body>", i % 2 == 0 ? -0.2 : 0.2,
                          i < 2 ? -0.2 : 0.2, geoms[i]);
  }
  return {fmt::format("net{}", side), fmt::format(R"(<mujoco><option solver="Newton"/><worldbody>{}
            <flexcomp name="net" type="grid" count="{} {} 1" spacing="{} {} 1" pos="0 0 1" radius=".005" mass="1">
              <edge equality="true"/><contact selfcollide="none"/><pin id="0 {} {} {}"/>
            </flexcomp></worldbody></mujoco>)",
                                                  bodies, side, side, 1.0 / (side - 1), 1.0 / (side - 1), side - 1,
                                                  side * (side - 1), side * side - 1)};
}

Sample measure(const scenes::Scene& scene) {
  const Model m = compile(readMjcfText(scene.mjcf, scene.name + ".xml"));
  Data d(m);
  for (int i = 0; i < kWarmup; ++i) step(m, d);
  forward(m, d);
  const Arena::Scope scope(d.work->arena);
  const std::span<Island> islands = findIslands(m, d);
  if (islands.empty()) return {.name = scene.name};
  Island& largest = *std::max_element(islands.begin(), islands.end(),
                                      [](const Island& a, const Island& b) { return a.ndof < b.ndof; });
  PlanMemory plans;
  largest.plans = &plans;
  return Problem(m, d, largest).measure(scene.name);
}

const char* nameOf(MatrixForm form) {
  switch (form) {
    case MatrixForm::Dense:
      return "dense";
    case MatrixForm::Sparse:
      return "sparse";
    case MatrixForm::Iterative:
      return "conjugate gradients";
    case MatrixForm::None:
      break;
  }
  return "none";
}

struct Constant {
  std::string name;
  double now = 0;
  std::vector<double> measured = {};
};

void print(Constant& c) {
  if (c.measured.empty()) {
    fmt::print("| {} | {:g} | nothing measured | |\n", c.name, c.now);
    return;
  }
  std::sort(c.measured.begin(), c.measured.end());
  fmt::print("| {} | {:g} | {:.3g} | {:.3g} to {:.3g} |\n", c.name, c.now, c.measured[c.measured.size() / 2],
             c.measured.front(), c.measured.back());
}

}  // namespace

int main() {
  std::vector<scenes::Scene> all;
  for (const int side : {4, 5, 7, 10, 14, 20, 30}) {
    all.push_back(scenes::hangingCloth(side));
    all.push_back(scenes::clothOnBall(side));
    all.push_back(scenes::elasticCloth(side));
  }
  for (const int side : {8, 12, 16, 24}) all.push_back(net(side));
  for (const int side : {3, 4, 5, 7, 9}) all.push_back(scenes::solidCube(side));
  for (scenes::Scene& scene : scenes::contactScenes()) all.push_back(std::move(scene));

  std::vector<Sample> samples;
  fmt::print(
      "# Costs of methods and matrices: {}\n\nWritten by `make bench-costs`. Every form of the matrix of Newton's "
      "method is made for the same "
      "problems, whatever the plan would choose. Times in us, processor time, least of {} rounds.\n\n",
      bench::machineName(), kRounds);
  fmt::print(
      "| problem | dofs | nodes | dense factor | sparse factor | ordering | Newton, dense factors | sparse factors "
      "| conjugate gradients | nonlinear conjugate gradients | chosen | chosen by fastest |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  double loss = 0;
  for (const scenes::Scene& scene : all) {
    const Sample s = measure(scene);
    if (s.dofs == 0) continue;
    double fastest = s.newtonSparse;
    for (const double time : {s.newtonDense, s.iterativeFine}) {
      if (time > 0) fastest = std::min(fastest, time);
    }
    loss += std::log(s.chosen / fastest);
    fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {:.2f} |\n",
               s.name, s.dofs, s.nodes, s.dense, s.sparse, s.order, s.newtonDense, s.newtonSparse, s.iterativeFine,
               s.gradient, nameOf(s.form), s.chosen / fastest);
    std::fflush(stdout);
    samples.push_back(s);
  }
  fmt::print("\nWhat the plan chooses takes {:.2f} times as long as the fastest form (geometric mean).\n",
             std::exp(loss / static_cast<double>(samples.size())));

  // the unit: one multiplication of a dense factor that is large enough to be one, us
  std::vector<double> units;
  for (const Sample& s : samples) {
    if (s.dense > 0 && s.dofs > 3 * cost::kLargestAlwaysDense) units.push_back(s.dense / (std::pow(s.dofs, 3) / 6));
  }
  if (units.empty()) return 1;
  std::sort(units.begin(), units.end());
  const double unit = units[units.size() / 2];

  Constant sparse{"kSparse", cost::kSparse}, order{"kOrder", cost::kOrder}, known{"kKnownOrder", cost::kKnownOrder},
      factorsFixed{"kFactorsFixed", cost::kFactorsFixed}, factorsChanging{"kFactorsChanging", cost::kFactorsChanging},
      fine{"kBlockOfAFactor", cost::kBlockOfAFactor}, coarse{"kBlockOfTheTolerance", cost::kBlockOfTheTolerance},
      iterations{"kGradientIterations", cost::kGradientIterations}, newton{"kNewtonFactors", cost::kNewtonFactors},
      speed{"kFactorSpeed", cost::kFactorSpeed};
  int largestDense = 0, smallestIterative = std::numeric_limits<int>::max();
  for (const Sample& s : samples) {
    if (s.dofs > cost::kLargestAlwaysDense) {
      sparse.measured.push_back(s.sparse / unit / s.sparseFlops);
      order.measured.push_back(s.order / unit / s.nodes);
      if (s.known > 0) known.measured.push_back(s.known / unit / s.nodes);
    }
    if (s.dense > 0 && s.dense <= s.sparse) largestDense = std::max(largestDense, s.dofs);
    if (s.iterativeFine == 0) continue;
    if (s.iterativeFine < s.newtonSparse) smallestIterative = std::min(smallestIterative, s.dofs);
    if (s.dofs < cost::kSmallestIterative) continue;
    (s.fixed ? factorsFixed : factorsChanging).measured.push_back(s.newtonSparse / unit / s.baseFlops);
    fine.measured.push_back(s.iterativeFine / unit / s.blocks);
    coarse.measured.push_back(s.iterativeCoarse / unit / s.blocks);
    if (!s.lengthRows) continue;
    iterations.measured.push_back(s.gradientIterations);
    newton.measured.push_back(s.newtonSparse / unit / s.baseFlops);
    if (s.gradientIterations > 0) speed.measured.push_back(s.gradient / s.gradientIterations / s.gradientFlops / unit);
  }
  fmt::print("\nOne multiplication of a dense factor: {:.3g} ns.\n\n", 1000 * unit);
  fmt::print("| constant | in costs.h | measured here (median) | range |\n|---|---|---|---|\n");
  fmt::print("| kLargestAlwaysDense | {} | {} | |\n", cost::kLargestAlwaysDense, largestDense);
  fmt::print("| kSmallestIterative | {} | {} | |\n", cost::kSmallestIterative, smallestIterative);
  for (Constant* c :
       {&sparse, &order, &known, &factorsFixed, &factorsChanging, &fine, &coarse, &iterations, &newton, &speed})
    print(*c);
}
