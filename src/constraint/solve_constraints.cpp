#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/parallel.h"
#include "constraint/constraint.h"
#include "constraint/impulse_rows.h"
#include "constraint/problem.h"
#include "forces/stiff_metric.h"
#include "model/workspace.h"
#include "solve/costs.h"
#include "solve/dual.h"
#include "solve/iterative_hessian.h"
#include "solve/plan.h"
#include "solve/primal.h"
#include "solve/sparse_hessian.h"

namespace sinew {
namespace {

/// Predicted multiplications per iteration that outweigh waking another thread (some ten microseconds).
constexpr double kWorkWorthAThread = 10'000;

MatrixForm matrixForm(JacobianForm jacobian) {
  switch (jacobian) {
    case JacobianForm::Dense:
      return MatrixForm::Dense;
    case JacobianForm::Sparse:
      return MatrixForm::Sparse;
    case JacobianForm::Auto:
      break;
  }
  return MatrixForm::None;
}

solve::SolveOptions solveOptions(const Option& opt) {
  return {.maxIterations = opt.iterations,
          .tolerance = opt.tolerance,
          .lineSearchEvaluations = opt.ls_iterations,
          .lineSearchTolerance = opt.ls_tolerance,
          .noslipIterations = opt.noslip_iterations,
          .noslipTolerance = opt.noslip_tolerance,
          .matrix = matrixForm(opt.jacobian),
          .accuracy = opt.solver == Solver::Newton ? solve::Accuracy::OfAFactor : solve::Accuracy::OfTheTolerance};
}

/// Whether a contact of an island must stop in this step.
bool hasStops(const Data& d, const Island& island) {
  return std::any_of(island.blocks.begin(), island.blocks.end(), [&](int b) {
    const int row = d.row_block[b].row;
    return d.efc_type[row] >= RowType::ContactFrictionless && d.contact[d.efc_id[row]].swept;
  });
}

/// What the choice of the solver depends on. Stops are so much harder than other rows that conjugate gradients would
/// not end.
solve::ProblemShape shapeOf(const Option& opt, const solve::ConstraintProblem& p, bool stops, Arena& arena) {
  namespace cost = solve::cost;
  solve::ProblemShape shape = p.shape();
  if (opt.solver == Solver::CG && stops) {
    shape.gradientFlops = std::numeric_limits<double>::infinity();
    return shape;
  }
  if (opt.solver != Solver::CG || shape.stiff || !p.hasFlexNodes || !p.plans) return shape;
  double perIteration = 8 * static_cast<double>(p.dofs());
  for (const RowBlock& block : p.blocks) perIteration += 2.0 * block.nbasis * block.ncol + 4 * block.nrow;
  shape.gradientFlops = cost::kFactorSpeed * cost::kGradientIterations * perIteration;
  shape.newtonFlops = std::min(cost::kNewtonFactors * p.plans->baseFlops(p, arena),
                               solve::IterativeHessian::predictedCost(p, solve::Accuracy::OfTheTolerance));
  return shape;
}

/// How much the last iteration still changed: the root of its improvement of the cost over the work of the constraint
/// forces, 1/2 (J'f).(qacc - qacc_smooth).
double relativeChange(const solve::ConstraintProblem& p, const solve::Solution& solution, double improvement) {
  double work = 0;
  for (std::size_t i = 0; i < solution.x.size(); ++i) {
    work += 0.5 * solution.constraintForce[i] * (solution.x[i] - p.smoothAcceleration[i]);
  }
  return improvement > 0 && work > 0 ? std::sqrt(improvement / work) : 0;
}

/// One problem by the solver of the model, then, if asked for, without slip.
IslandReport solveOne(const Model& m, const solve::ConstraintProblem& p, bool stops, solve::Solution solution,
                      Arena& arena) {
  solve::SolveOptions options = solveOptions(m.opt);
  options.boundsGap = true;
  const solve::Plan plan = solve::choosePlan(shapeOf(m.opt, p, stops, arena), m.opt);
  solve::SolveReport report;
  double scale = p.primalScale;
  if (plan.method == SolveMethod::GaussSeidel) {
    scale = p.dualScale;
    report = solve::DualSolver(p, options, arena).projectedGaussSeidel(solution);
  } else {
    const bool newton = plan.method == SolveMethod::Newton;
    const auto method = newton ? solve::PrimalMethod::Newton : solve::PrimalMethod::ConjugateGradient;
    report = solve::PrimalSolver(p, options, method, arena).solve(solution);
  }
  int slipIterations = 0;
  if (options.noslipIterations > 0) {
    slipIterations = solve::DualSolver(p, options, arena).removeSlip(solution).iterations;
  }
  return {.dofs = p.dofs(),
          .rows = p.rows(),
          .iterations = report.iterations,
          .innerIterations = report.innerIterations,
          .noslipIterations = slipIterations,
          .converged = report.converged,
          .improvement = report.improvement,
          .gradientNorm = report.gradientNorm,
          .residual = relativeChange(p, solution, report.improvement / scale),
          .method = plan.method,
          .matrix = report.matrix.form,
          .reason = plan.reason == PlanReason::Asked && report.matrix.form != MatrixForm::None ? report.matrix.reason
                                                                                               : plan.reason};
}

/// Multiplications of one iteration, roughly: each block's share of J'DJ.
double workOf(const Data& d, const Island& island) {
  double work = 0;
  for (const int b : island.blocks) {
    const RowBlock& block = d.row_block[b];
    work += static_cast<double>(block.nrow) * block.ncol * block.ncol;
  }
  return work;
}

/// Islands by the work they are predicted to need, largest first, in `order`; and whether sharing them pays, that is
/// whether the work beside the largest island is worth waking a thread for.
bool orderByWork(const Data& d, std::span<const Island> islands, std::span<int> order, Arena& arena) {
  const std::span<double> work = arena.take<double>(static_cast<std::ptrdiff_t>(islands.size()));
  double total = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    order[i] = static_cast<int>(i);
    total += work[i] = workOf(d, islands[i]);
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const double left = work[a], right = work[b];
    return left != right ? left > right : a < b;
  });
  return total - work[order[0]] > kWorkWorthAThread;
}

/// Every island on its own, on as many threads as the user allows. An island's result depends on nothing but its own
/// rows and goes to its own places, so the order in which they are solved leaves no trace.
void solveIslands(const Model& m, Data& d, std::span<Island> islands) {
  for (Island& island : islands) {
    if (island.ndof > solve::cost::kLargestAlwaysDense) island.plans = &d.work->solverMemory.plans(island.trees[0]);
  }
  d.island.resize(static_cast<std::ptrdiff_t>(islands.size()));
  std::optional<SharedImpulses> shared;
  if (m.opt.solver == Solver::Impulse && m.opt.method == ImpulseMethod::Sweep) {
    shared.emplace(m, d, d.work->arena);
  }
  const auto solve = [&](int i, Arena& arena) {
    const Arena::Scope scope(arena);
    if (m.opt.solver == Solver::Impulse) {
      d.island[i] = solveImpulses(m, d, islands[i], shared ? &*shared : nullptr, arena);
      return;
    }
    const Island& island = islands[i];
    IslandProblem local(m, d, island, arena);
    local.chooseStart(m.opt, arena);
    d.island[i] = solveOne(m, local.problem(), hasStops(d, island), local.solution(), arena);
    local.scatter(d);
  };
  const int count = static_cast<int>(islands.size());
  if (d.threads < 2) {
    for (int i = 0; i < count; ++i) solve(i, d.work->arena);
    return;
  }

  const std::span<int> order = d.work->arena.take<int>(count);
  const int threads = orderByWork(d, islands, order, d.work->arena) ? d.threads : 1;
  d.work->threadArena.resize(static_cast<std::size_t>(d.threads));
  parallelFor(threads, count, [&](int k, int slot) { solve(order[k], d.work->threadArena[slot]); });

  // any thread may meet the largest island next time
  std::size_t most = 0;
  for (const Arena& arena : d.work->threadArena) most = std::max(most, arena.capacity());
  for (Arena& arena : d.work->threadArena) arena.reserve(most);
}

}  // namespace

namespace {

void solveRows(const Model& m, Data& d) {
  const bool impulses = m.opt.solver == Solver::Impulse;
  if (impulses) {
    setImpulseTargets(m, d);
    recallImpulses(m, d);
  }
  d.work->solverMemory.forgetOld();

  const Arena::Scope scope(d.work->arena);
  if (!m.opt.disabled(disable::kIsland)) return solveIslands(m, d, findIslands(m, d));
  Island island = wholeIsland(m, d);
  solveIslands(m, d, {&island, 1});
}

}  // namespace

void solveConstraints(const Model& m, Data& d) {
  const Array<double>& free = m.opt.solver == Solver::Impulse ? d.work->qacc_free : d.qacc_smooth;
  std::copy(free.begin(), free.end(), d.qacc.begin());
  std::fill(d.qfrc_constraint.begin(), d.qfrc_constraint.end(), 0.0);
  d.work->row_last.resize(d.nefc());
  std::fill(d.work->row_last.begin(), d.work->row_last.end(), 0.0);
  d.work->row_recall.clear();
  if (d.nefc() == 0) return;
  bool finite = true;
  for (const double a : d.qacc) finite &= std::abs(a) <= std::numeric_limits<double>::max();
  if (finite) return solveRows(m, d);

  // A solver may well find something finite from a warm start. Such an acceleration must not pass for a result: what
  // was no number stays none, for step() to see.
  solveRows(m, d);
  for (int i = 0; i < m.nv; ++i) {
    if (!std::isfinite(free[i])) d.qacc[i] = free[i];
  }
}

std::array<double, 6> forceOfContact(const Model&, const Data& d, int contact) {
  std::array<double, 6> force{};
  const Contact& c = d.contact[contact];
  if (c.efc_address < 0) return force;
  const double* f = d.efc_force.data() + c.efc_address;
  if (d.efc_type[c.efc_address] != RowType::ContactPyramidal) {
    std::copy_n(f, c.dim, force.begin());
  } else {
    // edges carry f+ and f-: the normal is their sum, tangent k their difference times friction
    for (int k = 1; k < c.dim; ++k) {
      const auto i = static_cast<std::size_t>(k);
      force[0] += f[2 * (k - 1)] + f[2 * (k - 1) + 1];
      force[i] = c.friction[i - 1] * (f[2 * (k - 1)] - f[2 * (k - 1) + 1]);
    }
  }
  force[0] -= c.adhesion;
  return force;
}

}  // namespace sinew
