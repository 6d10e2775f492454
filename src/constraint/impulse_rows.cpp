#include "constraint/impulse_rows.h"

#include <algorithm>
#include <limits>

#include "base/arena.h"
#include "collision/thin.h"
#include "constraint/contact_target.h"
#include "constraint/row_builder.h"
#include "forces/stiff_metric.h"
#include "math/types.h"
#include "model/workspace.h"
#include "solve/bounce.h"
#include "solve/hard.h"
#include "solve/impulse.h"
#include "solve/rows.h"

namespace sinew {
namespace {

ImpulseParameters parametersOf(const Option& opt) {
  return {.erp = opt.erp, .slop = opt.slop, .threshold = opt.restitution_threshold, .h = opt.timestep};
}

/// J_i x for the first row of a block.
double firstRow(const Data& d, const RowBlock& block, const double* x) {
  const double* J = d.row_value.data() + block.value;
  const int* column = d.row_column.data() + block.column;
  double sum = 0;
  for (int k = 0; k < block.ncol; ++k) sum += J[k] * x[column[k]];
  return sum;
}

/// Whether a contact that has not been reached must act now so that its sides do not pass each other within the step.
bool actsAhead(const Model& m, const Contact& contact, double gap, double vn) {
  if (contact.swept) return true;
  return m.opt.speculative != Speculative::None && gap > 0 && gap + m.opt.timestep * vn < -passingDepth(m, contact);
}

double targetOfContact(const Model& m, const Data& d, const RowBlock& block, const ImpulseParameters& p) {
  const Contact& contact = d.contact[d.efc_id[block.row]];
  const double vn = d.efc_vel[block.row];
  const double gap = contact.dist - d.efc_margin[block.row];
  const double effective = effectiveRestitution(contact.restitution, vn, p.threshold);
  const bool bounces = effective > 0;
  if (actsAhead(m, contact, gap, vn)) return bounces ? -effective * vn : -std::max(0.0, gap) / p.h;
  return contactTarget(gap, vn, contact.restitution, p, bounces ? firstRow(d, block, d.work->qacc_free.data()) : 0);
}

/// Targets of a block's rows, for J v+: less the velocities that are prescribed from outside, which is all there is to
/// say of friction losses and the tangents of contacts.
void setTargets(const Model& m, const Data& d, const RowBlock& block, const ImpulseParameters& p, double* target) {
  for (int r = 0; r < block.nrow; ++r) target[r] = 0.0 - d.work->row_drive[block.row + r];
  switch (d.efc_type[block.row]) {
    case RowType::Equality:
      for (int r = 0; r < block.nrow; ++r) target[r] += equalityTarget(d.efc_pos[block.row + r], p);
      break;
    case RowType::FrictionDof:
    case RowType::FrictionTendon:
      break;
    case RowType::LimitJoint:
    case RowType::LimitTendon:
      target[0] += limitTarget(d.efc_pos[block.row] - d.efc_margin[block.row], p);
      break;
    case RowType::ContactFrictionless:
    case RowType::ContactPyramidal:
    case RowType::ContactElliptic:
      target[0] += targetOfContact(m, d, block, p);
      break;
  }
}

/// Whether a block is a contact that bounces in this step.
bool bounces(const Data& d, const RowBlock& block, double threshold) {
  if (d.efc_type[block.row] < RowType::ContactFrictionless) return false;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  if (contact.restitution == 0 || contact.dist > d.efc_margin[block.row]) return false;
  return effectiveRestitution(contact.restitution, d.efc_vel[block.row], threshold) > 0;
}

/// Target of the normal of a contact that bounces, in a solution in which nothing does: depth is corrected when the
/// impact is over, and what mocap bodies do counts (constraint/prescribed.h).
double targetWithoutBounce(const Data& d, const RowBlock& block) {
  return d.mocap_pos.empty() ? 0 : firstRow(d, block, d.qvel.data()) - d.efc_vel[block.row];
}

/// Targets of an island's rows if nothing bounced; empty if nothing does.
std::span<double> targetsWithoutBounce(const Data& d, const Island& island, const solve::ConstraintProblem& problem,
                                       double threshold, Arena& arena) {
  std::span<double> target;
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    if (!bounces(d, d.row_block[island.blocks[b]], threshold)) continue;
    if (target.empty()) {
      target = arena.take<double>(problem.rows());
      std::copy(problem.target.begin(), problem.target.end(), target.begin());
    }
    target[problem.blocks[b].row] = targetWithoutBounce(d, d.row_block[island.blocks[b]]);
  }
  return target;
}

RowState stateOf(BlockKind kind, double bound, double lambda) {
  switch (kind) {
    case BlockKind::Equality:
      return RowState::Quadratic;
    case BlockKind::Friction:
      return lambda >= bound ? RowState::LinearNeg : lambda <= -bound ? RowState::LinearPos : RowState::Quadratic;
    default:
      return lambda > 0 ? RowState::Quadratic : RowState::Satisfied;
  }
}

/// A cone is Satisfied without impulse, Quadratic when it sticks, Cone when it slides.
RowState stateOfCone(const ConeParameters& cone, int n, const double* lambda) {
  if (!(lambda[0] > 0)) return RowState::Satisfied;
  double share = 0;
  for (int k = 1; k < n; ++k) {
    const double t = lambda[k] / cone.friction[k - 1];
    share += t * t;
  }
  constexpr double kBorder = 1 - 1e-9;
  return share < kBorder * lambda[0] * lambda[0] ? RowState::Quadratic : RowState::Cone;
}

/// States and forces of a block's rows.
void finishBlock(const solve::ConstraintProblem& p, const RowBlock& block, double h, const double* lambda,
                 double* force, RowState* state) {
  const bool cone = block.kind == BlockKind::Elliptic;
  const RowState ofAll = cone ? stateOfCone(p.cones[block.cone], block.nrow, lambda) : RowState::Satisfied;
  for (int r = 0; r < block.nrow; ++r) {
    state[r] = cone ? ofAll : stateOf(block.kind, h * p.frictionloss[block.row + r], lambda[r]);
    force[r] = lambda[r] / h;
  }
}

/// What an island is made of.
solve::ProblemShape shapeOf(const Model& m, const Data& d, const Island& island) {
  solve::ProblemShape shape{.dofs = island.ndof};
  for (const int tree : island.trees) {
    shape.stiff = shape.stiff || (stiffnessIsImplicit(m) && m.dof_stiffrow[m.tree_dofadr[tree]] >= 0);
  }
  for (const int b : island.blocks) shape.hasEqualities |= d.row_block[b].kind == BlockKind::Equality;
  return shape;
}

IslandReport reportOf(const Island& island, const solve::Plan& plan, const solve::ImpulseReport& report) {
  const bool asked = plan.reason == PlanReason::Asked && report.matrix.form != MatrixForm::None;
  return {.dofs = island.ndof,
          .rows = island.nrow,
          .iterations = report.sweeps,
          .innerIterations = report.innerIterations,
          .converged = report.converged,
          .residual = report.residual,
          .method = plan.method,
          .matrix = report.matrix.form,
          .reason = asked ? report.matrix.reason : plan.reason};
}

/// One island by sweeps, in the numbering of Data. Substeps first, in which depth is corrected: positions move by their
/// displacement (qvel_correction). Relaxing sweeps then take the velocity of the correction out, and restitution is the
/// last pass. The next step is warm started from the impulses of the substeps.
class SweptIsland {
 public:
  SweptIsland(const Model& m, Data& d, const Island& island, SharedImpulses& shared, Arena& arena)
      : m_(m),
        d_(d),
        island_(island),
        p_(shared.problem()),
        space_(shared.space()),
        arena_(arena),
        free_(d.work->qacc_free),
        lambda_(d.work->row_impulse) {
    row_ = arena.take<int>(island.nrow);
    dof_ = arena.take<int>(island.ndof);
    std::size_t count = 0;
    for (const int b : island.blocks) {
      for (int r = 0; r < d.row_block[b].nrow; ++r) row_[count++] = d.row_block[b].row + r;
    }
    count = 0;
    for (const int tree : island.trees) {
      for (int k = 0; k < m.tree_dofnum[tree]; ++k) dof_[count++] = m.tree_dofadr[tree] + k;
    }
  }

  solve::ImpulseReport solve() {
    const double h = m_.opt.timestep;
    const std::span<int> first = arena_.take<int>(static_cast<std::ptrdiff_t>(island_.trees.size()));
    for (std::size_t t = 0; t < first.size(); ++t) first[t] = m_.tree_dofadr[island_.trees[t]];
    setTargets();
    const solve::ImpulseOptions options{
        .maxSweeps = m_.opt.iterations, .tolerance = m_.opt.tolerance, .threads = d_.threads};
    solve::ImpulseSolver solver(p_, {island_.blocks, first}, space_, {plain_, h}, options, arena_);
    solve::ImpulseReport report = touches_ ? solveTouching(solver) : solveApproaching(solver);
    solver.restore(lambda_);
    solver.addImpulses(lambda_);
    for (std::size_t i = 0; i < dof_.size(); ++i) {
      d_.qacc[dof_[i]] = (velocity_[i] - d_.qvel[dof_[i]]) / h;
      d_.qfrc_constraint[dof_[i]] = space_.impulse(dof_[i]) / h;
    }
    for (const int b : island_.blocks) {
      const RowBlock& block = d_.row_block[b];
      finishBlock(p_, block, h, &lambda_[block.row], &d_.efc_force[block.row], &d_.efc_state[block.row]);
    }
    return report;
  }

 private:
  /// Nothing touches yet: gaps close at the end of the step at the earliest, and nothing else is to be corrected.
  solve::ImpulseReport solveApproaching(solve::ImpulseSolver& solver) {
    const double h = m_.opt.timestep;
    for (const int dof : dof_) space_.velocity(dof) = d_.qvel[dof] + h * free_[dof];  // v* = v + h a0
    const solve::ImpulseReport report = solver.solve(lambda_);
    velocity_ = velocities();
    for (const int row : row_) d_.work->row_last[row] = lambda_[row] / h;
    return report;
  }

  solve::ImpulseReport solveTouching(solve::ImpulseSolver& solver) {
    const double h = m_.opt.timestep;
    std::span<double> Jv, before;
    if (bounces_) {
      for (const int dof : dof_) space_.velocity(dof) = d_.qvel[dof] + h * free_[dof];
      Jv = arena_.take<double>(p_.rows());
      before = rowsNow(solver, Jv);
    }
    for (const int dof : dof_) {
      space_.velocity(dof) = d_.qvel[dof];
      space_.acceleration(dof) = free_[dof];
    }
    const std::span<double> last = arena_.take<double>(p_.rows());
    for (const int row : row_) last[row] = lambda_[row];
    const ImpulseParameters p = parametersOf(m_.opt);
    solve::ImpulseReport report =
        solver.solveInSubsteps({.gap = gap_, .length = length_, .h = h, .erp = p.erp, .slop = p.slop}, last, lambda_);
    for (const int row : row_) d_.work->row_last[row] = last[row] / h;
    velocity_ = velocities();
    if (bounces_) {  // an impact: positions move with the velocities after it
      solver.restore(lambda_);
      bounce(solver, before, Jv, report);
      return report;
    }
    for (std::size_t i = 0; i < dof_.size(); ++i) {
      d_.work->qvel_correction[dof_[i]] = space_.moved(dof_[i]) / h - velocity_[i];
    }
    return report;
  }

  /// plain_: what rows shall do beside what gaps and depths ask for; bouncing_: the same for the pass in which
  /// contacts bounce; gap_: where contacts and limits are at the start of the step.
  void setTargets() {
    ImpulseParameters p = parametersOf(m_.opt);
    p.erp = 0;
    const std::span<double> plain = arena_.take<double>(p_.rows()), gap = arena_.take<double>(p_.rows()),
                            length = arena_.take<double>(p_.rows());
    for (const int row : row_) plain[row] = p_.target[row];
    std::span<double> bouncing;
    for (const int b : island_.blocks) {
      const RowBlock& block = d_.row_block[b];
      if (block.kind != BlockKind::Unilateral && block.kind != BlockKind::Elliptic) continue;
      const double still = targetWithoutBounce(d_, block);
      const bool contact = d_.efc_type[block.row] >= RowType::ContactFrictionless;
      for (int r = 0; r < (block.kind == BlockKind::Elliptic ? 1 : block.nrow); ++r) {
        const auto i = static_cast<std::size_t>(block.row + r);
        const double distance = contact ? d_.contact[d_.efc_id[block.row]].dist : d_.efc_pos[block.row + r];
        gap[i] = distance - d_.efc_margin[block.row + r];
        length[i] = d_.work->block_length[b] / m_.opt.timestep;
        if (plain[i] == -std::numeric_limits<double>::infinity()) continue;
        plain[i] = still;
        touches_ = touches_ || gap[i] <= 0;
      }
      if (!contact || d_.contact[d_.efc_id[block.row]].restitution == 0) continue;
      const double rebound = targetOfContact(m_, d_, block, p);
      if (!(rebound > 0)) continue;
      if (!bounces_) {
        bouncing = arena_.take<double>(p_.rows());
        bounces_ = true;
      }
      bouncing[block.row] = still + rebound;
    }
    touches_ = touches_ || bounces_;
    plain_ = touches_ ? plain : p_.target;
    gap_ = gap;
    length_ = length;
    if (!bounces_) return;
    for (const int b : island_.blocks) {
      const RowBlock& block = d_.row_block[b];
      for (int r = 0; r < block.nrow; ++r) {
        const auto i = static_cast<std::size_t>(block.row + r);
        const bool normal = r == 0 && d_.efc_type[block.row] >= RowType::ContactFrictionless;
        if (normal && targetOfContact(m_, d_, block, p) > 0) continue;
        bouncing[i] = std::min(p_.target[i], plain[i]);
      }
    }
    bouncing_ = bouncing;
  }

  std::span<double> velocities() {
    const std::span<double> v = arena_.take<double>(static_cast<std::ptrdiff_t>(dof_.size()));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = space_.velocity(dof_[i]);
    return v;
  }
  std::span<double> impulses() {
    const std::span<double> lambda = arena_.take<double>(static_cast<std::ptrdiff_t>(row_.size()));
    for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = lambda_[row_[i]];
    return lambda;
  }
  /// J v of the island's rows.
  std::span<double> rowsNow(const solve::ImpulseSolver& solver, std::span<double> Jv) {
    for (const int row : row_) Jv[row] = 0;
    solver.rowVelocities(Jv);
    const std::span<double> now = arena_.take<double>(static_cast<std::ptrdiff_t>(row_.size()));
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = Jv[row_[i]];
    return now;
  }

  /// Restitution: some sweeps more, with the speeds of rebound as targets.
  void bounce(solve::ImpulseSolver& solver, std::span<const double> before, std::span<double> Jv,
              solve::ImpulseReport& report) {
    const std::span<double> plain = impulses();
    const std::span<const double> plainRows = rowsNow(solver, Jv);
    const solve::ImpulseReport more = solver.proceed(bouncing_, m_.opt.iterations, lambda_);
    report.sweeps += more.sweeps;
    report.converged = report.converged && more.converged;
    report.residual = std::max(report.residual, more.residual);
    const std::span<const double> bouncing = impulses(), bouncingRows = rowsNow(solver, Jv);
    const std::span<double> target = arena_.take<double>(static_cast<std::ptrdiff_t>(row_.size()));
    for (std::size_t i = 0; i < target.size(); ++i) target[i] = plain_[row_[i]];
    const double share = solve::shareOfBounce(before, target, {plain, plainRows}, {bouncing, bouncingRows});
    for (std::size_t i = 0; i < row_.size(); ++i) lambda_[row_[i]] = plain[i] + share * (bouncing[i] - plain[i]);
    for (std::size_t i = 0; i < dof_.size(); ++i) {
      velocity_[i] += share * (space_.velocity(dof_[i]) - velocity_[i]);
      space_.velocity(dof_[i]) = velocity_[i];
    }
    solver.restore(lambda_);
  }

  const Model& m_;
  Data& d_;
  const Island& island_;
  const solve::ConstraintProblem& p_;
  solve::ImpulseSpace& space_;
  Arena& arena_;
  const Array<double>& free_;  // a0
  Array<double>& lambda_;      // of this and all other islands
  std::span<int> row_, dof_;   // of the island, in the numbering of Data
  std::span<const double> plain_, bouncing_, gap_, length_;
  std::span<double> velocity_;  // v+ by dof of the island
  bool bounces_ = false, touches_ = false;
};

/// Velocities become accelerations; the impulses make the forces; both go back to Data.
void finish(const solve::ConstraintProblem& p, IslandProblem& local, std::span<const double> start,
            std::span<const double> lambda, double h, Data& d) {
  const solve::Solution s = local.solution();
  for (std::size_t i = 0; i < start.size(); ++i) s.x[i] = (s.x[i] - start[i]) / h;
  for (const RowBlock& block : p.blocks) {
    const auto row = static_cast<std::size_t>(block.row);
    finishBlock(p, block, h, &lambda[row], &s.force[row], &s.state[row]);
  }
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  solve::addTransposed(p, s.force.data(), s.constraintForce.data());
  local.scatter(d);
}

/// Compliance of contacts of flexes, such that at rest the penetration is the compliance times the force: position
/// correction removes the fraction erp of a penetration per step, and R lambda balances it. It distributes the pressure
/// over the area of contact; hard contacts are redundant there, and round-off would decide which of them carries it.
std::span<const double> complianceOfRows(const Model& m, const Data& d, const Island& island,
                                         const solve::ConstraintProblem& p, Arena& arena) {
  if (!p.hasFlexNodes) return {};
  const std::span<double> compliance = arena.zeros<double>(p.rows());
  const double h = m.opt.timestep;
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    compliance[p.blocks[b].row] = m.opt.erp / (h * h) * complianceOf(m, d, d.row_block[island.blocks[b]]);
  }
  return compliance;
}

/// One island by Newton's method, in its own numbering.
solve::ImpulseReport solveByNewton(const Model& m, Data& d, const Island& island, Arena& arena) {
  const double h = m.opt.timestep;
  IslandProblem local(m, d, island, {d.qH.data(), d.qHDiagInv.data(), d.work->qacc_free.data()}, arena);
  const solve::ConstraintProblem& p = local.problem();
  const solve::Solution s = local.solution();
  const std::span<double> lambda = arena.take<double>(p.rows());
  local.takeImpulses(d, lambda);
  local.takeVelocities(d);
  const auto copyOf = [&](std::span<const double> x) {
    const std::span<double> copy = arena.take<double>(static_cast<std::ptrdiff_t>(x.size()));
    std::copy(x.begin(), x.end(), copy.begin());
    return copy;
  };
  const std::span<const double> start = copyOf(s.x);
  for (std::size_t i = 0; i < start.size(); ++i) s.x[i] += h * p.smoothAcceleration[i];
  const solve::ImpulseOptions options{m.opt.iterations, m.opt.tolerance};
  const std::span<const double> compliance = complianceOfRows(m, d, island, p, arena);
  const std::span<const double> noBounce = targetsWithoutBounce(d, island, p, m.opt.restitution_threshold, arena);
  if (noBounce.empty()) {
    solve::ImpulseReport report =
        solve::solveHardByNewton(p, {p.target, h, compliance}, options, arena, lambda, s.x, start);
    finish(p, local, start, lambda, h, d);
    return report;
  }

  const auto rowsOf = [&](std::span<const double> v) {
    const std::span<double> Jv = arena.take<double>(p.rows());
    solve::multiplyRows(p, v.data(), Jv.data());
    return Jv;
  };
  const std::span<const double> free = copyOf(s.x);
  solve::ImpulseReport report =
      solve::solveHardByNewton(p, {noBounce, h, compliance}, options, arena, lambda, s.x, start);
  const std::span<const double> plain = copyOf(lambda), plainVelocity = copyOf(s.x);
  std::copy(free.begin(), free.end(), s.x.begin());
  const solve::ImpulseReport more =
      solve::solveHardByNewton(p, {p.target, h, compliance}, options, arena, lambda, s.x, plainVelocity);
  report.sweeps += more.sweeps;
  report.converged = report.converged && more.converged;
  report.residual = std::max(report.residual, more.residual);
  const double share =
      solve::shareOfBounce(rowsOf(free), noBounce, {plain, rowsOf(plainVelocity)}, {lambda, rowsOf(s.x)});
  for (std::size_t i = 0; i < plain.size(); ++i) lambda[i] = plain[i] + share * (lambda[i] - plain[i]);
  for (std::size_t i = 0; i < free.size(); ++i) {
    s.x[i] = plainVelocity[i] + share * (s.x[i] - plainVelocity[i]);
  }
  finish(p, local, start, lambda, h, d);
  return report;
}

}  // namespace

void setImpulseTargets(const Model& m, Data& d) {
  const ImpulseParameters p = parametersOf(m.opt);
  for (const RowBlock& block : d.row_block) setTargets(m, d, block, p, &d.efc_target[block.row]);
}

SharedImpulses::SharedImpulses(const Model& m, const Data& d, Arena& arena)
    : trees_({m.nv, m.M_rownnz.data(), m.M_rowadr.data(), m.M_colind.data(), d.M.data()}, d.qH.data(),
             d.qHDiagInv.data(), m.dof_treeid.data(), m.tree_dofadr.data(), m.tree_dofnum.data()),
      space_(trees_, arena),
      problem_(rowsOf(d)) {
  problem_.metric = &trees_;
}

IslandReport solveImpulses(const Model& m, Data& d, const Island& island, SharedImpulses* shared, Arena& arena) {
  const solve::Plan plan = solve::choosePlan(shapeOf(m, d, island), m.opt);
  if (plan.method == SolveMethod::HardSweep) {
    return reportOf(island, plan, SweptIsland(m, d, island, *shared, arena).solve());
  }
  const IslandReport report = reportOf(island, plan, solveByNewton(m, d, island, arena));
  for (const int b : island.blocks) {
    const RowBlock& block = d.row_block[b];
    for (int row = block.row; row < block.row + block.nrow; ++row) d.work->row_last[row] = d.efc_force[row];
  }
  return report;
}

}  // namespace sinew
