#include "constraint/impulse_rows.h"

#include <algorithm>

#include "constraint/contact_target.h"
#include "solve/bounce.h"
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

double targetOfContact(const Data& d, const RowBlock& block, const ImpulseParameters& p) {
  const Contact& contact = d.contact[d.efc_id[block.row]];
  const double vn = d.efc_vel[block.row];
  const bool bounces = effectiveRestitution(contact.restitution, vn, p.threshold) > 0;
  return contactTarget(contact.dist - d.efc_margin[block.row], vn, contact.restitution, p,
                       bounces ? firstRow(d, block, d.qacc.data()) : 0);
}

/// Targets of a block's rows; the tangents of contacts have theirs already.
void setTargets(const Data& d, const RowBlock& block, const ImpulseParameters& p, double* target) {
  switch (d.efc_type[block.row]) {
    case RowType::Equality:
      for (int r = 0; r < block.nrow; ++r) target[r] = equalityTarget(d.efc_pos[block.row + r], p);
      break;
    case RowType::FrictionDof:
    case RowType::FrictionTendon:
      std::fill_n(target, block.nrow, 0.0);
      break;
    case RowType::LimitJoint:
    case RowType::LimitTendon:
      target[0] = limitTarget(d.efc_pos[block.row] - d.efc_margin[block.row], p);
      break;
    case RowType::ContactFrictionless:
    case RowType::ContactPyramidal:
    case RowType::ContactElliptic:
      target[0] = targetOfContact(d, block, p);
      break;
  }
}

/// Targets of an island's rows if nothing bounced; empty if nothing does.
std::span<double> targetsWithoutBounce(const Data& d, const Island& island, const solve::ConstraintProblem& problem,
                                       const ImpulseParameters& p, Arena& arena) {
  std::span<double> target;
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    const RowBlock& block = d.row_block[island.blocks[b]];
    if (d.efc_type[block.row] < RowType::ContactFrictionless) continue;
    const Contact& contact = d.contact[d.efc_id[block.row]];
    const double vn = d.efc_vel[block.row], C = contact.dist - d.efc_margin[block.row];
    if (C > 0 || !(effectiveRestitution(contact.restitution, vn, p.threshold) > 0)) continue;
    if (target.empty()) {
      target = arena.take<double>(problem.rows());
      std::copy(problem.aref.begin(), problem.aref.end(), target.begin());
    }
    target[static_cast<std::size_t>(problem.blocks[b].row)] = 0;  // depth is corrected when the impact is over
  }
  return target;
}

RowState stateOf(const solve::ConstraintProblem& p, const RowBlock& block, int row, double lambda) {
  switch (block.kind) {
    case BlockKind::Equality:
      return RowState::Quadratic;
    case BlockKind::Friction: {
      const double bound = p.frictionloss[static_cast<std::size_t>(row)];
      return lambda >= bound ? RowState::LinearNeg : lambda <= -bound ? RowState::LinearPos : RowState::Quadratic;
    }
    default:
      return lambda > 0 ? RowState::Quadratic : RowState::Satisfied;
  }
}

/// A cone is Satisfied without impulse, Quadratic when it sticks, Cone when it slides.
RowState stateOfCone(const ConeParameters& cone, int n, const double* lambda) {
  if (!(lambda[0] > 0)) return RowState::Satisfied;
  double share = 0;
  for (int k = 1; k < n; ++k) {
    const double t = lambda[k] / (cone.friction[static_cast<std::size_t>(k - 1)] * lambda[0]);
    share += t * t;
  }
  constexpr double kBorder = 1 - 1e-9;
  return share < kBorder ? RowState::Quadratic : RowState::Cone;
}

}  // namespace

void setImpulseTargets(const Model& m, Data& d) {
  const ImpulseParameters p = parametersOf(m.opt);
  for (const RowBlock& block : d.row_block) setTargets(d, block, p, d.efc_aref.data() + block.row);
}

IslandReport solveImpulses(const Model& m, Data& d, const Island& island, Arena& arena) {
  const double h = m.opt.timestep;
  IslandProblem local(m, d, island, {d.qH.data(), d.qHDiagInv.data(), d.qacc.data()}, arena);
  solve::ConstraintProblem p = local.problem();
  const solve::Solution s = local.solution();
  local.takeForces(d);
  local.takeVelocities(d);
  const std::span<double> bound = arena.take<double>(p.rows());
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] = h * p.frictionloss[i];
  p.frictionloss = bound;

  // v* = v + h a0
  const std::span<double> before = arena.take<double>(p.dofs());
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = s.x[i];
    s.x[i] += h * p.smoothAcceleration[i];
  }
  const solve::ImpulseOptions options{m.opt.iterations, m.opt.tolerance};
  const std::span<const double> calm = targetsWithoutBounce(d, island, p, parametersOf(m.opt), arena);
  const solve::ImpulseReport report = calm.empty()
                                          ? solve::ImpulseSolver(p, {p.aref}, options, arena).solve(s.force, s.x)
                                          : solve::solveBounce(p, p.aref, calm, options, arena, s.force, s.x);

  for (const RowBlock& block : p.blocks) {
    const double* lambda = s.force.data() + block.row;
    if (block.kind == BlockKind::Elliptic) {
      const RowState state = stateOfCone(p.cones[static_cast<std::size_t>(block.cone)], block.nrow, lambda);
      std::fill_n(s.state.data() + block.row, block.nrow, state);
      continue;
    }
    for (int r = 0; r < block.nrow; ++r) {
      s.state[static_cast<std::size_t>(block.row + r)] = stateOf(p, block, block.row + r, lambda[r]);
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) s.x[i] = (s.x[i] - before[i]) / h;
  for (double& f : s.force) f /= h;
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  solve::addTransposed(p, s.force.data(), s.constraintForce.data());
  local.scatter(d);
  return {.dofs = p.dofs(),
          .rows = p.rows(),
          .iterations = report.sweeps,
          .converged = report.converged,
          .residual = report.residual};
}

}  // namespace sinew
