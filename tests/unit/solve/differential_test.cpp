#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "constraint/problem.h"
#include "forces/stiff_metric.h"
#include "sinew/load.h"
#include "sinew/step.h"
#include "solve/rows.h"
#include "support/paths.h"
#include "support/piles.h"
#include "support/tolerance.h"

/// The constraints of a step are one convex problem with one solution. Every way to solve it must find that: three
/// solvers, islands or the whole, dense or sparse, one thread or two.
namespace sinew {
namespace {

using test::tolerance;

struct Scene {
  std::string name;
  Model model;
};

struct Way {
  Solver solver;
  bool islands;
  JacobianForm jacobian;
  int threads;

  std::string name() const {
    const char* method = solver == Solver::Newton ? "Newton" : solver == Solver::CG ? "CG" : "PGS";
    return fmt::format("{}, {}, {}, {} thread(s)", method, islands ? "islands" : "whole",
                       jacobian == JacobianForm::Sparse ? "sparse" : "dense", threads);
  }
};

std::vector<Way> allWays() {
  std::vector<Way> ways;
  for (const Solver solver : {Solver::Newton, Solver::CG, Solver::PGS}) {
    for (const bool islands : {true, false}) {
      for (const JacobianForm jacobian : {JacobianForm::Dense, JacobianForm::Sparse}) {
        for (const int threads : {1, 2}) ways.push_back({solver, islands, jacobian, threads});
      }
    }
  }
  return ways;
}

/// Model as in the file, set to be solved this way to the end.
Model solvedBy(Model m, const Way& way) {
  m.opt.solver = way.solver;
  m.opt.jacobian = way.jacobian;
  m.opt.iterations = way.solver == Solver::PGS ? 20000 : 1000;
  m.opt.tolerance = 1e-16;
  m.opt.ls_tolerance = 1e-6;
  m.opt.noslip_iterations = 0;
  if (way.islands) {
    m.opt.disableflags &= ~disable::kIsland;
  } else {
    m.opt.disableflags |= disable::kIsland;
  }
  return m;
}

/// The cost that the solvers minimize, at d.qacc, in the units in which they compare it with their tolerance.
double scaledCost(const Model& m, Data& d) {
  const solve::ConstraintProblem p = rowsOf(d);
  const auto rows = static_cast<std::size_t>(p.rows());
  std::vector<double> residual(rows), force(rows), away(d.qacc.begin(), d.qacc.end()), Aaway(away.size(), 0);
  std::vector<RowState> state(rows);
  solve::multiplyRows(p, d.qacc.data(), residual.data());
  for (std::size_t i = 0; i < rows; ++i) residual[i] -= p.aref[i];
  double cost = solve::evaluateRows(p, residual.data(), force.data(), state.data());
  for (std::size_t i = 0; i < away.size(); ++i) away[i] -= d.qacc_smooth[static_cast<std::ptrdiff_t>(i)];
  multiplyMetric(m, d, away.data(), Aaway.data());
  for (std::size_t i = 0; i < away.size(); ++i) cost += 0.5 * away[i] * Aaway[i];
  return cost / (m.stat.meaninertia * std::max(1, m.nv));
}

/// A state in the middle of things: `steps` after a start with every dof moving. The controls push.
Data stateAfter(const Model& m, int steps) {
  Data d(m);
  if (m.nkey > 0) resetToKey(m, d, 0);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] += 0.1 * std::sin(1.0 + i);
  for (int i = 0; i < m.nu; ++i) d.ctrl[i] = std::sin(0.7 * i);
  for (int i = 0; i < steps; ++i) step(m, d);
  return d;
}

/// Compares all ways in one state; false if there are no rows in it.
bool compareAllWaysFrom(const Scene& scene, const Data& start) {
  std::optional<double> least;
  std::vector<double> costs;
  std::vector<double> twin;  // accelerations of the same way on one thread
  const std::vector<Way> ways = allWays();
  for (const Way& way : ways) {
    const Model m = solvedBy(scene.model, way);
    Data d = start;
    d.threads = way.threads;
    forward(m, d);
    if (d.nefc() == 0) return false;
    const std::vector<double> qacc(d.qacc.begin(), d.qacc.end());
    if (way.threads == 1) twin = qacc;
    EXPECT_TRUE(qacc == twin) << scene.name << ": " << way.name() << " has other bits than one thread";
    costs.push_back(scaledCost(m, d));
    least = least ? std::min(*least, costs.back()) : costs.back();
  }
  // Newton and CG stop when an iteration gains less than 1e-16 in these units, PGS converges linearly and slowly;
  // rounding of the cost itself limits both
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double allowed = (ways[i].solver == Solver::PGS ? 1e-7 : 1e-11) + 1e-13 * *least;
    EXPECT_LE(costs[i] - *least, tolerance(allowed)) << scene.name << ": " << ways[i].name();
  }
  return true;
}

/// Compares all ways in several states of a scene; false if it has no rows in any of them.
bool compareAllWays(const Scene& scene) {
  bool compared = false;
  for (const int steps : {0, 20, 100}) compared |= compareAllWaysFrom(scene, stateAfter(scene.model, steps));
  return compared;
}

std::vector<Scene> scenesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Scene> scenes;
  for (const std::filesystem::path& file : files) {
    Warnings ignored;
    scenes.push_back({file.filename().string(), load(file.string(), &ignored)});
  }
  return scenes;
}

TEST(Differential, AllWaysAgreeOnTheConstrainedScenes) {
  int constrained = 0;
  for (const Scene& scene : scenesBelow(test::sourceDir() / "tests/conformance/scenes/constrained")) {
    constrained += compareAllWays(scene);
  }
  EXPECT_GT(constrained, 35);
}

// Scenes that are about something else, as far as they have constraints.
TEST(Differential, AllWaysAgreeOnTheOtherScenes) {
  int constrained = 0;
  for (const Scene& scene : scenesBelow(test::sourceDir() / "tests/conformance/scenes")) {
    constrained += compareAllWays(scene);
  }
  EXPECT_GT(constrained, 3);
}

TEST(Differential, AllWaysAgreeOnPiles) {
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    const std::string option = fmt::format(R"(cone="{}")", cone);
    EXPECT_TRUE(compareAllWays({"stacks " + cone, compile(readMjcfText(test::stacks(4, 5, option)))}));
    EXPECT_TRUE(compareAllWays({"pit " + cone, compile(readMjcfText(test::pit(40, option)))}));
    EXPECT_TRUE(compareAllWays({"crowd " + cone, compile(readMjcfText(test::crowd(3, option)))}));
  }
}

}  // namespace
}  // namespace sinew
