#include "solve/hard.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/types.h"
#include "solve/primal.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Numbers of inv(A) J' that sweeps may keep.
constexpr std::ptrdiff_t kMostOfInverse = 100'000;
/// Target of a contact that does not act: lower than any velocity.
constexpr double kNever = -1e10;
/// Rows get stiff from round to round by this factor: from where softer ones leave them, Newton's method is near.
constexpr double kFirstGive = 0.1, kStiffer = 1.0 / 30;
constexpr double kRough = 1e-6,
                 kExact = 1e-10;  // tolerances of all rounds but those with the stiffest rows, and of these
/// Rounds until the speed of sliding is known, to this share of itself or in m/s.
constexpr int kMostRounds = 30;
constexpr double kSlideShare = 1e-4, kSlideSpeed = 1e-7;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

bool needsTooMuchOfInverse(const ConstraintProblem& p) {
  if (!p.stiff) return false;
  std::ptrdiff_t numbers = 0;
  for (const RowBlock& block : p.blocks) {
    const int* column = p.columns.data() + block.column;
    for (int j = 0, end = -1; j < block.ncol; ++j) {
      if (column[j] < end) continue;
      const Metric::Range component = p.metric->component(column[j]);
      end = component.end;
      numbers += std::ptrdiff_t{block.nbasis} * (component.end - component.begin);
    }
    if (numbers > kMostOfInverse) return true;
  }
  return false;
}

/// What is needed beside the problem itself to have it solved as a soft one.
struct SoftRows {
  std::span<double> target, bound;
  std::span<double> moved;  ///< by an impulse of 1
  std::span<double> R, D;
  std::span<ConeParameters> cones;

  void stiffen(double give) const {
    for (std::size_t i = 0; i < R.size(); ++i) {
      R[i] = std::max(kMinVal, give * moved[i]);
      D[i] = 1 / R[i];
    }
  }
};

SoftRows softRows(const ConstraintProblem& p, const ImpulseRows& rows, Arena& arena) {
  const auto perRow = [&] { return arena.take<double>(p.rows()); };
  const SoftRows soft{perRow(), perRow(), perRow(),
                      perRow(), perRow(), arena.take<ConeParameters>(static_cast<std::ptrdiff_t>(p.cones.size()))};
  std::copy(p.cones.begin(), p.cones.end(), soft.cones.begin());
  const LowerRows A = p.metric->lower();
  for (const RowBlock& block : p.blocks) {
    const int* column = p.columns.data() + block.column;
    double largest = 0;
    for (int r = 0; r < block.nrow; ++r) {
      const double* J = p.values.data() + block.value + r * block.ncol;
      double moved = 0;  // if dofs moved alone
      for (int k = 0; k < block.ncol; ++k) {
        const int i = column[k];
        moved += J[k] * J[k] / A.value[A.rowadr[i] + A.rownnz[i] - 1];
      }
      const std::size_t row = at(block.row + r);
      soft.moved[row] = moved;
      largest = std::max(largest, moved);
      soft.bound[row] = rows.bound * p.frictionloss[row];
      soft.target[row] = std::max(kNever, rows.target[row]);
    }
    if (block.kind == BlockKind::Elliptic) {
      // all directions of a cone give way alike, in the measure in which it is round
      ConeParameters& cone = soft.cones[at(block.cone)];
      cone.mu = cone.friction[0];
      for (int r = 0; r < block.nrow; ++r) {
        const double share = r == 0 ? 1 : cone.friction[0] / cone.friction[at(r - 1)];
        soft.moved[at(block.row + r)] = largest * share * share;
      }
    }
  }
  return soft;
}

/// friction times the speed of sliding, (sum (mu_k u_k)^2)^(1/2).
double slideOf(const ConstraintProblem& p, const RowBlock& block, const double* Jv, const double* target) {
  const auto& friction = p.cones[at(block.cone)].friction;
  double sum = 0;
  for (int k = 1; k < block.nrow; ++k) {
    const double u = friction[at(k - 1)] * (Jv[block.row + k] - target[block.row + k]);
    sum += u * u;
  }
  return std::sqrt(sum);
}

/// Lowers the targets of contacts by friction times the speed at which they slide. Returns by how much they were wrong.
double lowerTargets(const ConstraintProblem& p, std::span<const double> given, std::span<const double> Jv,
                    std::span<const double> lambda, std::span<double> target) {
  double worst = 0;
  for (const RowBlock& block : p.blocks) {
    const std::size_t row = at(block.row);
    if (block.kind != BlockKind::Elliptic || given[row] == -std::numeric_limits<double>::infinity()) continue;
    const double slide = slideOf(p, block, Jv.data(), target.data());
    // one that does not push need not be lowered rightly, as long as it is not too slow
    const bool pushes = lambda.empty() || lambda[row] > 0;
    const double wrong = pushes ? std::abs(given[row] - slide - target[row]) : given[row] - Jv[row];
    worst = std::max(worst, wrong - kSlideShare * slide);
    target[row] = given[row] - slide;
  }
  return worst;
}

}  // namespace

ImpulseReport solveHardByNewton(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                                Arena& arena, std::span<double> lambda, std::span<double> velocity, double give) {
  const SoftRows soft = softRows(p, rows, arena);
  const std::span<double> start = arena.take<double>(p.dofs()), force = arena.take<double>(p.dofs());
  std::copy(velocity.begin(), velocity.end(), start.begin());
  p.metric->multiply(start.data(), force.data());
  ConstraintProblem q = p;
  q.smoothAcceleration = start;
  q.smoothForce = force;
  q.aref = soft.target;
  q.D = soft.D;
  q.R = soft.R;
  q.frictionloss = soft.bound;
  q.cones = soft.cones;
  // the cost that a step's accelerations would have
  q.primalScale = p.primalScale / (rows.bound * rows.bound);

  const Solution solution{velocity, lambda, arena.take<RowState>(p.rows()), arena.take<double>(p.dofs())};
  const std::span<double> Jv = arena.take<double>(p.rows());
  ImpulseReport report;
  report.converged = false;
  multiplyRows(q, velocity.data(), Jv.data());
  double gives = std::max(give, kFirstGive);
  for (int round = 0; round < kMostRounds; ++round) {
    report.residual = lowerTargets(q, rows.target, Jv, round == 0 ? std::span<double>{} : lambda, soft.target);
    if (gives < give && report.residual <= kSlideSpeed) {
      report.converged = true;
      break;
    }
    const bool last = gives * kStiffer < give;
    soft.stiffen(last ? give : gives);
    const Arena::Scope scope(arena);
    const SolveOptions newton{.maxIterations = options.maxSweeps, .tolerance = last ? kExact : kRough};
    const SolveReport step = PrimalSolver(q, newton, PrimalMethod::Newton, arena).solve(solution);
    report.sweeps += step.iterations;
    multiplyRows(q, velocity.data(), Jv.data());
    if (last && !step.converged) break;
    gives *= kStiffer;
  }
  return report;
}

ImpulseReport solveHard(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                        Arena& arena, std::span<double> lambda, std::span<double> velocity) {
  Nets nets;
  for (const RowBlock& block : p.blocks) nets.add(block);
  if (nets.flexes() || needsTooMuchOfInverse(p)) {
    return solveHardByNewton(p, rows, options, arena, lambda, velocity);
  }
  if (nets.bodies()) return solveHardByNewton(p, rows, options, arena, lambda, velocity, kGiveOfBodies);
  return ImpulseSolver(p, rows, options, arena).solve(lambda, velocity);
}

}  // namespace sinew::solve
