#include <algorithm>
#include <array>
#include <cmath>

#include "collision/restitution.h"
#include "constraint/row_builder.h"
#include "model/awake.h"

namespace sinew {
namespace {

std::span<const int> tendonColumns(const Model& m, int tendon) {
  return {m.ten_J_colind.data() + m.ten_J_rowadr[tendon], static_cast<std::size_t>(m.ten_J_rownnz[tendon])};
}

const double* tendonJacobian(const Model& m, const Data& d, int tendon) {
  return d.ten_J.data() + m.ten_J_rowadr[tendon];
}

/// A tendon row exists only if something can move the tendon, and is awake.
bool movable(const Model& m, const Data& d, int tendon) {
  if (tendonAsleep(m, d, tendon)) return false;
  const double* J = tendonJacobian(m, d, tendon);
  return std::any_of(J, J + m.ten_J_rownnz[tendon], [](double x) { return x != 0; });
}

/// Both stops of a scalar: r = q - lo with J, r = hi - q with -J.
template <class AddStop>
void forEachStop(double value, const double* range, double margin, AddStop&& addStop) {
  if (value - range[0] < margin) addStop(value - range[0], 1.0);
  if (range[1] - value < margin) addStop(range[1] - value, -1.0);
}

/// The impulse solver wants to know of a stop before it is reached: m or rad, with `length` m per unit of the
/// coordinate and `speed` its velocity. It may double within a step and still be stopped.
double earlyDistance(const Option& opt, double length, double speed) {
  if (opt.solver != Solver::Impulse) return 0;
  return std::max(kSpeculativeDistance / std::max(length, kMinVal), 2 * opt.timestep * std::abs(speed));
}

void addBallLimit(RowBuilder& rows, int joint) {
  const Model& m = rows.model();
  const Quat q = normalized(Quat::load(rows.data().qpos.data() + m.jnt_qposadr[joint]));
  const Vec3 rotation = toRotationVector(q);
  const double angle = rotation.norm();
  const double dist = std::max(m.jnt_range[2 * joint], m.jnt_range[2 * joint + 1]) - angle;
  const int dof = m.jnt_dofadr[joint];
  const double speed = ConstMapVec3(rows.data().qvel.data() + dof).norm();
  if (dist >= m.jnt_margin[joint] + earlyDistance(m.opt, m.dof_length[dof], speed)) return;
  const std::array<int, 3> columns{dof, dof + 1, dof + 2};
  MapVec3(rows.addBlock(BlockKind::Unilateral, 1, columns)) = -normalizedOrX(rotation);
  rows.addRow(RowType::LimitJoint, joint, dist, m.jnt_margin[joint]);
}

}  // namespace

void addFrictionRows(RowBuilder& rows) {
  const Model& m = rows.model();
  for (const int dof : awakeDofs(rows.data())) {
    if (m.dof_frictionloss[dof] == 0 || m.dof_treeid[dof] < 0) continue;  // -1: of a pinned node
    *rows.addBlock(BlockKind::Friction, 1, {&dof, 1}) = 1;
    rows.addRow(RowType::FrictionDof, dof, 0, 0, m.dof_frictionloss[dof]);
  }
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    if (m.tendon_frictionloss[tendon] <= 0 || !movable(m, rows.data(), tendon)) continue;
    double* J = rows.addBlock(BlockKind::Friction, 1, tendonColumns(m, tendon));
    std::copy_n(tendonJacobian(m, rows.data(), tendon), m.ten_J_rownnz[tendon], J);
    rows.addRow(RowType::FrictionTendon, tendon, 0, 0, m.tendon_frictionloss[tendon]);
  }
}

void addLimitRows(RowBuilder& rows) {
  const Model& m = rows.model();
  const Data& d = rows.data();
  for (int joint = 0; joint < m.njnt; ++joint) {
    if (!m.jnt_limited[joint] || jointAsleep(m, d, joint)) continue;
    if (m.jnt_type[joint] == JointType::Ball) {
      addBallLimit(rows, joint);
    } else if (m.jnt_type[joint] != JointType::Free) {
      const int dof = m.jnt_dofadr[joint];
      const double early = earlyDistance(m.opt, m.dof_length[dof], d.qvel[dof]);
      forEachStop(d.qpos[m.jnt_qposadr[joint]], m.jnt_range.data() + 2 * joint, m.jnt_margin[joint] + early,
                  [&](double dist, double sign) {
                    *rows.addBlock(BlockKind::Unilateral, 1, {m.jnt_dofadr.data() + joint, 1}) = sign;
                    rows.addRow(RowType::LimitJoint, joint, dist, m.jnt_margin[joint]);
                  });
    }
  }
  for (int tendon = 0; tendon < m.ntendon; ++tendon) {
    if (!m.tendon_limited[tendon] || !movable(m, d, tendon)) continue;
    const std::span<const int> columns = tendonColumns(m, tendon);
    double speed = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) speed += tendonJacobian(m, d, tendon)[k] * d.qvel[columns[k]];
    const double early = earlyDistance(m.opt, 1, speed);
    forEachStop(d.ten_length[tendon], m.tendon_range.data() + 2 * tendon, m.tendon_margin[tendon] + early,
                [&](double dist, double sign) {
                  double* J = rows.addBlock(BlockKind::Unilateral, 1, columns);
                  const double* source = tendonJacobian(m, d, tendon);
                  for (int k = 0; k < m.ten_J_rownnz[tendon]; ++k) J[k] = sign * source[k];
                  rows.addRow(RowType::LimitTendon, tendon, dist, m.tendon_margin[tendon]);
                });
  }
}

}  // namespace sinew
