#include "constraint/impulse_rows.h"

#include <algorithm>

#include "base/arena.h"
#include "constraint/contact_target.h"
#include "math/types.h"
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

double targetOfContact(const Data& d, const RowBlock& block, const ImpulseParameters& p) {
  const Contact& contact = d.contact[d.efc_id[block.row]];
  const double vn = d.efc_vel[block.row];
  const bool bounces = effectiveRestitution(contact.restitution, vn, p.threshold) > 0;
  return contactTarget(contact.dist - d.efc_margin[block.row], vn, contact.restitution, p,
                       bounces ? firstRow(d, block, d.qacc.data()) : 0);
}

/// Targets of a block's rows; friction losses and the tangents of contacts have theirs already.
void setTargets(const Data& d, const RowBlock& block, const ImpulseParameters& p, double* target) {
  switch (d.efc_type[block.row]) {
    case RowType::Equality:
      for (int r = 0; r < block.nrow; ++r) target[r] = equalityTarget(d.efc_pos[block.row + r], p);
      break;
    case RowType::FrictionDof:
    case RowType::FrictionTendon:
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

/// Whether a block is a contact that bounces in this step.
bool bounces(const Data& d, const RowBlock& block, double threshold) {
  if (d.efc_type[block.row] < RowType::ContactFrictionless) return false;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  if (contact.restitution == 0 || contact.dist > d.efc_margin[block.row]) return false;
  return effectiveRestitution(contact.restitution, d.efc_vel[block.row], threshold) > 0;
}

/// Targets of an island's rows if nothing bounced; empty if nothing does.
std::span<double> targetsWithoutBounce(const Data& d, const Island& island, const solve::ConstraintProblem& problem,
                                       double threshold, Arena& arena) {
  std::span<double> target;
  for (std::size_t b = 0; b < island.blocks.size(); ++b) {
    if (!bounces(d, d.row_block[island.blocks[b]], threshold)) continue;
    if (target.empty()) {
      target = arena.take<double>(problem.rows());
      std::copy(problem.aref.begin(), problem.aref.end(), target.begin());
    }
    target[static_cast<std::size_t>(problem.blocks[b].row)] = 0;  // depth is corrected when the impact is over
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
    const double t = lambda[k] / cone.friction[static_cast<std::size_t>(k - 1)];
    share += t * t;
  }
  constexpr double kBorder = 1 - 1e-9;
  return share < kBorder * lambda[0] * lambda[0] ? RowState::Quadratic : RowState::Cone;
}

/// The states of a block's rows; then its impulses become forces.
void finishBlock(const solve::ConstraintProblem& p, const RowBlock& block, double h, double* lambda, RowState* state) {
  const bool cone = block.kind == BlockKind::Elliptic;
  const RowState ofAll =
      cone ? stateOfCone(p.cones[static_cast<std::size_t>(block.cone)], block.nrow, lambda) : RowState::Satisfied;
  for (int r = 0; r < block.nrow; ++r) {
    state[r] =
        cone ? ofAll : stateOf(block.kind, h * p.frictionloss[static_cast<std::size_t>(block.row + r)], lambda[r]);
    lambda[r] /= h;
  }
}

IslandReport reportOf(int dofs, int rows, const solve::ImpulseReport& report) {
  return {.dofs = dofs,
          .rows = rows,
          .iterations = report.sweeps,
          .converged = report.converged,
          .residual = report.residual};
}

/// How contacts are numbered.
enum class Numbering { Unclear, FromTheTop, FromTheGround };

/// Unclear where numbers say nothing about height, and where most impulses are not known yet: then it does not matter.
Numbering numberingOf(const Model& m, const Data& d, const Island& island) {
  constexpr double kClear = 0.5;  // correlation of number and height
  constexpr double kFlat = 1e-3;  // height of a pile, relative to its size, below which it has no top
  constexpr double kKnown = 0.8;  // share of the contacts that start from an impulse
  const Vec3 up = -ConstMapVec3(m.opt.gravity.data());
  if (up.isZero()) return Numbering::Unclear;
  const auto forEachContact = [&](const auto& visit) {
    double number = 0;
    for (const int b : island.blocks) {
      const int row = d.row_block[b].row;
      if (d.efc_type[row] < RowType::ContactFrictionless) continue;
      visit(number++, row, ConstMapVec3(d.contact[d.efc_id[row]].pos.data()));
    }
    return number;
  };
  Vec3 center = Vec3::Zero();
  double known = 0;
  const double count = forEachContact([&](double, int row, const ConstMapVec3& pos) {
    center += pos;
    known += d.efc_force[row] > 0 ? 1 : 0;
  });
  if (count < 2 || known < kKnown * count) return Numbering::Unclear;
  center /= count;
  double size = 0, height = 0, both = 0;  // sums of squares, and of number times height
  forEachContact([&](double number, int, const ConstMapVec3& pos) {
    const Vec3 from = pos - center;
    const double above = up.dot(from);
    size += from.squaredNorm();
    height += above * above;
    both += (number - 0.5 * (count - 1)) * above;
  });
  const double numbers = count * (count * count - 1) / 12;  // sum of the squares of number - mean
  const bool flat = height <= kFlat * kFlat * size * up.squaredNorm();
  if (flat || both * both < kClear * kClear * height * numbers) return Numbering::Unclear;
  return both > 0 ? Numbering::FromTheGround : Numbering::FromTheTop;
}

/// How sweeps visit the blocks of an island.
struct Visits {
  std::span<const int> blocks;
  solve::SweepOrder order = solve::SweepOrder::Forth;
};

/// Loads go down. Sweeps from the top down take them to the ground at once, others a layer at a time: at ten sweeps
/// piles are less deep that way, and walls stand that fall otherwise. Both ways in turn where the top is not known or
/// news of the ground must get there as well. Contacts with what does not move come first in the order of rows; from
/// the top down their turn is last.
Visits visitsOf(const Model& m, const Data& d, const Island& island, Arena& arena) {
  const Numbering numbering = numberingOf(m, d, island);
  if (numbering == Numbering::Unclear) return {island.blocks, solve::SweepOrder::InTurn};
  const std::span<int> blocks = arena.take<int>(static_cast<std::ptrdiff_t>(island.blocks.size()));
  if (numbering == Numbering::FromTheGround) {
    std::reverse_copy(island.blocks.begin(), island.blocks.end(), blocks.begin());
    return {blocks};
  }
  const auto couplesTrees = [&](int b) {
    const RowBlock& block = d.row_block[b];
    const int* column = d.row_column.data() + block.column;
    return m.dof_treeid[column[0]] != m.dof_treeid[column[block.ncol - 1]];
  };
  const auto end = std::copy_if(island.blocks.begin(), island.blocks.end(), blocks.begin(), couplesTrees);
  std::copy_if(island.blocks.begin(), island.blocks.end(), end, [&](int b) { return !couplesTrees(b); });
  return {blocks};
}

/// Whether the island has equalities for which sweeps are no good.
bool hasNet(const Data& d, const Island& island) {
  solve::Nets nets;
  for (const int b : island.blocks) nets.add(d.row_block[b]);
  return nets.flexes() || nets.bodies();
}

IslandReport solveInPlace(const Model& m, Data& d, const Island& island, SharedImpulses& shared, Arena& arena) {
  const double h = m.opt.timestep;
  const solve::ConstraintProblem& p = shared.problem();
  solve::ImpulseSpace& space = shared.space();
  const auto forEachDof = [&](const auto& visit) {
    for (const int tree : island.trees) {
      for (int dof = m.tree_dofadr[tree]; dof < m.tree_dofadr[tree] + m.tree_dofnum[tree]; ++dof) visit(dof);
    }
  };
  forEachDof([&](int dof) { space.velocity(dof) = d.qvel[dof] + h * d.qacc[dof]; });  // v* = v + h a0
  const std::span<int> dofs = arena.take<int>(static_cast<std::ptrdiff_t>(island.trees.size()));
  for (std::size_t t = 0; t < dofs.size(); ++t) dofs[t] = m.tree_dofadr[island.trees[t]];
  const Visits visits = visitsOf(m, d, island, arena);
  const solve::ImpulseOptions options{m.opt.iterations, m.opt.tolerance, visits.order};
  solve::ImpulseSolver solver(p, {visits.blocks, dofs}, space, {p.aref, h}, options, arena);
  const solve::ImpulseReport report = solver.solve(d.efc_force);
  solver.addImpulses(d.efc_force);
  forEachDof([&](int dof) {
    d.qacc[dof] = (space.velocity(dof) - d.qvel[dof]) / h;
    d.qfrc_constraint[dof] = space.impulse(dof) / h;
  });
  for (const int b : island.blocks) {
    const RowBlock& block = d.row_block[b];
    finishBlock(p, block, h, d.efc_force.data() + block.row, d.efc_state.data() + block.row);
  }
  return reportOf(island.ndof, island.nrow, report);
}

IslandReport solveCopied(const Model& m, Data& d, const Island& island, Arena& arena) {
  const double h = m.opt.timestep;
  IslandProblem local(m, d, island, {d.qH.data(), d.qHDiagInv.data(), d.qacc.data()}, arena);
  const solve::ConstraintProblem& p = local.problem();
  const solve::Solution s = local.solution();
  local.takeForces(d);
  local.takeVelocities(d);
  const std::span<double> before = arena.take<double>(p.dofs());
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = s.x[i];
    s.x[i] += h * p.smoothAcceleration[i];
  }
  const solve::ImpulseOptions options{m.opt.iterations, m.opt.tolerance};
  const solve::ImpulseRows rows{p.aref, h};
  const std::span<const double> calm = targetsWithoutBounce(d, island, p, m.opt.restitution_threshold, arena);
  const solve::ImpulseReport report = calm.empty() ? solve::solveHard(p, rows, options, arena, s.force, s.x)
                                                   : solve::solveBounce(p, rows, calm, options, arena, s.force, s.x);
  for (std::size_t i = 0; i < before.size(); ++i) s.x[i] = (s.x[i] - before[i]) / h;
  for (const RowBlock& block : p.blocks) {
    finishBlock(p, block, h, s.force.data() + block.row, s.state.data() + block.row);
  }
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  solve::addTransposed(p, s.force.data(), s.constraintForce.data());
  local.scatter(d);
  return reportOf(p.dofs(), p.rows(), report);
}

}  // namespace

void setImpulseTargets(const Model& m, Data& d) {
  const ImpulseParameters p = parametersOf(m.opt);
  for (const RowBlock& block : d.row_block) setTargets(d, block, p, d.efc_aref.data() + block.row);
}

SharedImpulses::SharedImpulses(const Model& m, const Data& d, Arena& arena)
    : trees_({m.nv, m.M_rownnz.data(), m.M_rowadr.data(), m.M_colind.data(), d.M.data()}, d.qH.data(),
             d.qHDiagInv.data(), m.dof_treeid.data(), m.tree_dofadr.data(), m.tree_dofnum.data()),
      space_(trees_, arena),
      problem_(rowsOf(d)) {
  problem_.metric = &trees_;
}

IslandReport solveImpulses(const Model& m, Data& d, const Island& island, SharedImpulses* shared, Arena& arena) {
  const bool calm = std::none_of(island.blocks.begin(), island.blocks.end(),
                                 [&](int b) { return bounces(d, d.row_block[b], m.opt.restitution_threshold); });
  const bool inPlace = shared && calm && !hasNet(d, island);
  return inPlace ? solveInPlace(m, d, island, *shared, arena) : solveCopied(m, d, island, arena);
}

}  // namespace sinew
