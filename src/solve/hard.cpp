#include "solve/hard.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/types.h"
#include "solve/block_solve.h"
#include "solve/primal.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Compliance of a row as a share of what its impulse does to it: in the first round, where it decides which rows are
/// active, the factor from round to round while they converge slowly, and the least, for factors in double precision
/// and for incomplete ones in single precision, beside which softer rows would be lost.
constexpr double kFirstGive = 1e-5;
constexpr double kStiffer = 0.03;
constexpr double kLeastGive = 1e-8, kLeastGiveOfFlexes = 1e-5;
/// A round that leaves more than this share of the error converges slowly.
constexpr double kSlow = 0.1;
constexpr int kMostRounds = 40;
/// Where compliance stays, rounds end when so many of them brought the error below this share of the lowest so far.
constexpr int kPatience = 3;
constexpr double kProgress = 0.5;
/// Tolerance of a round, as a share of the cost of its compliance: the square of the error of the impulses, just above
/// rounding, so that the tolerance of the whole decides.
constexpr double kRoundTolerance = 1e-15;
/// Target of a contact that does not act: lower than any velocity.
constexpr double kNever = -1e10;
/// Bounds of the factor by which a change of the shift is extrapolated.
constexpr double kLeastRelaxation = 0.1, kMostRelaxation = 20;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

bool acts(double target) { return target != -std::numeric_limits<double>::infinity(); }

/// What is needed beside the problem itself to have it solved as a soft one.
struct SoftRows {
  std::span<double> target, bound;
  std::span<double> moved;  ///< velocity that an impulse of 1 causes; 0: nothing can move the row
  std::span<double> R, D;
  std::span<ConeParameters> cones;

  void stiffen(const ConstraintProblem& p, const ImpulseRows& rows, double give) const {
    for (std::size_t i = 0; i < R.size(); ++i) {
      R[i] = give * moved[i];
      if (!rows.compliance.empty() && R[i] > 0) R[i] = std::max(R[i], rows.compliance[i]);
      D[i] = R[i] > 0 ? 1 / R[i] : 0;
    }
    // friction stays hard where the normal gives way
    for (const RowBlock& block : p.blocks) {
      if (block.kind != BlockKind::Elliptic) continue;
      ConeParameters& cone = cones[at(block.cone)];
      const auto normal = at(block.row);
      cone.mu = cone.friction[0] * (R[normal] > give * moved[normal] ? std::sqrt(give * moved[normal] / R[normal]) : 1);
    }
  }
};

/// J inv(diag A) J' of one row, that is with every dof moving alone.
double mobility(const ConstraintProblem& p, const LowerRows& A, const RowBlock& block, int r) {
  const double* J = p.values.data() + block.value + r * block.ncol;
  const int* column = p.columns.data() + block.column;
  double moved = 0, largest = 0;
  for (int k = 0; k < block.ncol; ++k) {
    const int i = column[k];
    moved += J[k] * J[k] / A.value[A.rowadr[i] + A.rownnz[i] - 1];
    largest = std::max(largest, std::abs(J[k]));
  }
  return largest > kLeastLever ? moved : 0;
}

SoftRows softRows(const ConstraintProblem& p, const ImpulseRows& rows, Arena& arena) {
  const auto perRow = [&] { return arena.take<double>(p.rows()); };
  const SoftRows soft{perRow(), perRow(), perRow(),
                      perRow(), perRow(), arena.take<ConeParameters>(static_cast<std::ptrdiff_t>(p.cones.size()))};
  std::copy(p.cones.begin(), p.cones.end(), soft.cones.begin());
  const LowerRows A = p.metric->lower();
  for (const RowBlock& block : p.blocks) {
    double* moved = soft.moved.data() + block.row;
    for (int r = 0; r < block.nrow; ++r) {
      moved[r] = mobility(p, A, block, r);
      soft.bound[at(block.row + r)] = moved[r] > 0 ? rows.bound * p.frictionloss[at(block.row + r)] : 0;
    }
    if (block.kind != BlockKind::Elliptic) continue;
    // all directions of a cone give way alike, in the measure in which it is round
    ConeParameters& cone = soft.cones[at(block.cone)];
    cone.mu = cone.friction[0];
    const double across = block.nrow > 2 ? std::max(moved[1], moved[2]) : 0;
    const bool yields = moved[0] > kLeastMobility * across && acts(rows.target[at(block.row)]);
    const double largest = yields ? *std::max_element(moved, moved + block.nrow) : 0;
    for (int r = 0; r < block.nrow; ++r) {
      const double share = r == 0 ? 1 : cone.friction[0] / cone.friction[at(r - 1)];
      moved[r] = largest * share * share;
    }
  }
  return soft;
}

/// friction times the speed of sliding, (sum (friction_k u_k)^2)^(1/2).
double slideOf(const ConstraintProblem& p, const RowBlock& block, const double* Jv, const double* target) {
  const auto& friction = p.cones[at(block.cone)].friction;
  double sum = 0;
  for (int k = 1; k < block.nrow; ++k) {
    const double u = friction[at(k - 1)] * (Jv[block.row + k] - target[block.row + k]);
    sum += u * u;
  }
  return std::sqrt(sum);
}

/// Energy, roughly, that it takes to stop what v* does to the rows.
double energyToStop(const ConstraintProblem& p, const ImpulseRows& rows, const SoftRows& soft, const double* Jv) {
  double sum = 0;
  for (const RowBlock& block : p.blocks) {
    const bool pushes = block.kind == BlockKind::Unilateral || block.kind == BlockKind::Elliptic;
    for (int i = block.row; i < block.row + block.nrow; ++i) {
      if (!(soft.moved[at(i)] > 0) || !acts(rows.target[at(i)])) continue;
      const double lacks = rows.target[at(i)] - Jv[i];
      if (pushes && i == block.row && lacks <= 0) break;
      sum += 0.5 * lacks * lacks / soft.moved[at(i)];
    }
  }
  return sum;
}

/// How much the targets of the normals of sliding contacts are lowered, one number per cone.
class Shift {
 public:
  Shift(const ConstraintProblem& p, std::span<const double> given, Arena& arena)
      : p_(p),
        given_(given),
        value_(arena.zeros<double>(static_cast<std::ptrdiff_t>(p.cones.size()))),
        change_(arena.zeros<double>(static_cast<std::ptrdiff_t>(p.cones.size()))) {}

  double operator[](int cone) const { return value_[at(cone)]; }

  /// What contacts that slide with Jv would have.
  void guess(const double* Jv) {
    forEach([&](const RowBlock& block) { value_[at(block.cone)] = slideOf(p_, block, Jv, given_.data()); });
  }

  /// Goes on to the shift that belongs to Jv, or beyond it, as the last two changes suggest. Adds up what the old one
  /// was wrong by, squared and over what moves the rows. One that does not push need not be right, but must not be too
  /// slow.
  double improve(const double* Jv, const double* lambda, const double* moved) {
    double error = 0, product = 0, square = 0;
    forEach([&](const RowBlock& block) {
      const double slide = slideOf(p_, block, Jv, given_.data()), now = value_[at(block.cone)];
      const bool pushes = lambda[block.row] > 0;
      const double wrong = pushes ? slide - now : std::max(0.0, given_[at(block.row)] - Jv[block.row]);
      error += moved[block.row] > 0 ? wrong * wrong / moved[block.row] : 0;
      const double next = slide - now, difference = next - change_[at(block.cone)];
      if (!pushes) return;
      product += change_[at(block.cone)] * difference;
      square += difference * difference;
    });
    if (isFirst_) {
      relaxation_ = 1;
    } else if (square > 0) {
      relaxation_ = std::clamp(-relaxation_ * product / square, kLeastRelaxation, kMostRelaxation);
    }
    isFirst_ = false;
    forEach([&](const RowBlock& block) {
      double& value = value_[at(block.cone)];
      const double change = change_[at(block.cone)] = slideOf(p_, block, Jv, given_.data()) - value;
      const bool pushes = lambda[block.row] > 0;
      value = std::max(0.0, value + (pushes ? relaxation_ : 1) * change);
    });
    return error;
  }

 private:
  template <class F>
  void forEach(const F& f) const {
    for (const RowBlock& block : p_.blocks) {
      if (block.kind == BlockKind::Elliptic && acts(given_[at(block.row)])) f(block);
    }
  }

  const ConstraintProblem& p_;
  std::span<const double> given_;
  std::span<double> value_, change_;
  double relaxation_ = 1;
  bool isFirst_ = true;
};

}  // namespace

ImpulseReport solveHardByNewton(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                                Arena& arena, std::span<double> lambda, std::span<double> velocity,
                                std::span<const double> before) {
  const SoftRows soft = softRows(p, rows, arena);
  const std::span<double> free = arena.take<double>(p.dofs()), force = arena.take<double>(p.dofs());
  std::copy(velocity.begin(), velocity.end(), free.begin());
  p.metric->multiply(free.data(), force.data());
  ConstraintProblem q = p;
  q.smoothAcceleration = free;
  q.smoothForce = force;
  q.aref = soft.target;
  q.D = soft.D;
  q.R = soft.R;
  q.frictionloss = soft.bound;
  q.cones = soft.cones;
  // the cost that a step's accelerations would have
  q.primalScale = p.primalScale / (rows.bound * rows.bound);

  const std::span<double> Jv = arena.take<double>(p.rows()), old = arena.take<double>(p.rows());
  const std::span<double> residual = arena.take<double>(p.rows());
  Solution solution{velocity, lambda, arena.take<RowState>(p.rows()), arena.take<double>(p.dofs())};
  if (before.empty()) before = free;
  multiplyRows(p, free.data(), Jv.data());
  const double energy = energyToStop(p, rows, soft, Jv.data());
  Shift shift(p, rows.target, arena);
  multiplyRows(p, before.data(), Jv.data());
  shift.guess(Jv.data());
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = soft.moved[i] > 0 ? lambda[i] : 0;

  ImpulseReport report;
  report.converged = false;
  // Length rows of a mesh may contradict each other, where a sheet folds over an edge, and then their multipliers have
  // no limit: in islands with flexes rows keep their compliance. The shift need not be found better than to what it
  // does, and often cannot: contacts of one point share what they carry at will.
  const bool keeps = p.hasFlexNodes;
  const double least = keeps ? kLeastGiveOfFlexes : kLeastGive;
  SolveOptions newton{.maxIterations = options.maxSweeps};
  double give = std::max(least, kFirstGive), error = 0, lowest = std::numeric_limits<double>::infinity();
  const double tolerance = keeps ? std::max(give, options.tolerance) : options.tolerance;
  bool isFirst = true;
  bool anySolved = false;
  int round = 0, idle = 0;
  // stages of equal compliance, in which the matrix stays what it is as long as rows do not change sides
  while (round < kMostRounds && !report.converged) {
    soft.stiffen(p, rows, give);
    newton.tolerance = kRoundTolerance * give * energy * q.primalScale;
    const Arena::Scope scope(arena);
    PrimalSolver solver(q, newton, PrimalMethod::Newton, arena);
    const int innerBefore = report.innerIterations;
    bool isSolved = true;
    for (bool isQuick = true; isQuick && round < kMostRounds && !report.converged; ++round) {
      // a round that ran out of iterations goes on: its impulses are no multipliers yet
      if (isSolved) {
        for (std::size_t i = 0; i < old.size(); ++i) {
          old[i] = keeps ? 0 : lambda[i];
          soft.target[i] = std::max(kNever, rows.target[i]) + soft.R[i] * old[i];
        }
        for (const RowBlock& block : p.blocks) {
          if (block.kind == BlockKind::Elliptic) soft.target[at(block.row)] -= shift[block.cone];
        }
      }
      if (isFirst) {
        chooseStart(q, before, velocity, residual, arena);
        solution.startResidual = residual;
      } else if (keeps && isSolved) {
        solver.predict(solution, residual);
      }
      const SolveReport step = solver.solve(solution);
      solution.startResidual = {};
      report.sweeps += step.iterations;
      report.innerIterations = innerBefore + step.innerIterations;
      report.matrix = step.matrix;
      isFirst = false;
      isSolved = step.converged || step.iterations < newton.maxIterations;
      if (!isSolved) continue;
      anySolved = true;
      multiplyRows(p, velocity.data(), Jv.data());
      for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = Jv[i] - soft.target[i];

      // rows are off their targets by R times the change of their impulses, and by what the shift was wrong
      const double last = error;
      error = shift.improve(Jv.data(), lambda.data(), soft.moved.data());
      double size = 0;
      for (std::size_t i = 0; i < lambda.size(); ++i) {
        const double off = keeps ? 0 : give * (lambda[i] - old[i]);
        error += soft.moved[i] * off * off;
        size += soft.moved[i] * lambda[i] * lambda[i];
      }
      report.residual = size > 0 ? std::sqrt(error / size) : std::sqrt(error);
      report.converged = error <= tolerance * tolerance * size;
      isQuick = last == 0 || give <= least || error <= kSlow * kSlow * last;
      if (!keeps) continue;
      idle = error < kProgress * kProgress * lowest ? 0 : idle + 1;
      lowest = std::min(lowest, error);
      if (idle >= kPatience) round = kMostRounds;
    }
    give = std::max(least, give * kStiffer);
  }
  if (!anySolved) report.residual = 1;  // too few iterations for anything: v+ is better than v*, and no more
  return report;
}

}  // namespace sinew::solve
