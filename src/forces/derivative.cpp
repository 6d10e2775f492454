#include "forces/derivative.h"

#include <algorithm>
#include <span>

#include "forces/actuation.h"
#include "forces/cable.h"
#include "forces/damper.h"
#include "forces/fluid.h"
#include "kinematics/jacobian.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// qDeriv(row, columns) += scale values. Both the row of D and `columns` are in growing order; entries outside the
/// pattern are dropped.
void addToRow(const Model& m, Data& d, int row, const int* columns, const double* values, int count, double scale) {
  const int* pattern = &m.D_colind[m.D_rowadr[row]];
  double* target = &d.qDeriv[m.D_rowadr[row]];
  const int length = m.D_rownnz[row];
  for (int p = 0, k = 0; p < length && k < count;) {
    if (pattern[p] < columns[k]) {
      ++p;
    } else if (pattern[p] > columns[k]) {
      ++k;
    } else {
      target[p++] += scale * values[k++];
    }
  }
}

/// qDeriv += J' b J for one row J.
void addOuterProduct(const Model& m, Data& d, const int* columns, const double* J, int count, double b) {
  for (int k = 0; k < count; ++k) {
    if (J[k] != 0) addToRow(m, d, columns[k], columns, J, count, b * J[k]);
  }
}

/// qDeriv += J' B J, J the Jacobian of a point of `body` in the local axes R, angular rows first.
void addLocalDerivative(const Model& m, Data& d, int body, const Vec3& pos, const Mat3& R, const Mat6& B) {
  const Arena::Scope scope(d.work->arena);
  const int count = chainLength(m, body);
  const std::span<int> dofs = d.work->arena.take<int>(count);
  const std::span<double> columns = d.work->arena.take<double>(6 * count);
  const std::span<double> row = d.work->arena.take<double>(count);
  chainDofs(m, body, dofs.data());
  for (int k = 0; k < count; ++k) {
    const JacobianColumn column = jacobianColumn(m, d, dofs[k], pos);
    vec6(columns.data(), k) << R.transpose() * column.angular, R.transpose() * column.linear;
  }
  for (int k = 0; k < count; ++k) {
    const Vec6 weighted = B.transpose() * vec6(columns.data(), k);
    for (int l = 0; l < count; ++l) row[l] = weighted.dot(vec6(columns.data(), l));
    addToRow(m, d, dofs[k], dofs.data(), row.data(), count, 1);
  }
}

}  // namespace

int entryOfD(const Model& m, int row, int column) {
  const int* first = &m.D_colind[m.D_rowadr[row]];
  return m.D_rowadr[row] + static_cast<int>(std::lower_bound(first, first + m.D_rownnz[row], column) - first);
}

bool isStandaloneFreeBody(const Model& m, int body) {
  if (m.body_jntnum[body] != 1 || m.jnt_type[m.body_jntadr[body]] != JointType::Free) return false;
  return m.tree_dofnum[m.body_treeid[body]] == 6 && m.body_subtreemass[body] == m.body_mass[body];
}

void addActuatorDerivative(const Model& m, Data& d) {
  if (m.opt.disabled(disable::kActuation)) return;
  for (int u = 0; u < m.nactuator; ++u) {
    if (actuatorDisabled(m, u) || actuatorAsleep(m, d, u)) continue;
    const double slope = actuatorVelocitySlope(m, d, u);
    if (slope == 0) continue;
    for (int i = m.actuator_outadr[u]; i < m.actuator_outadr[u] + m.actuator_outnum[u]; ++i) {
      const int adr = d.moment_rowadr[i];
      addOuterProduct(m, d, d.moment_colind.data() + adr, d.actuator_moment.data() + adr, d.moment_rownnz[i], slope);
    }
  }
}

void addFluidDerivative(const Model& m, Data& d, bool fast) {
  const Medium medium{m.opt.density, m.opt.viscosity};
  forEachFluidShape(m, d, [&](int body, const FluidContact& contact, const auto& shape) {
    Mat6 B = fluidDerivative(shape, medium, contact.velocity);
    if (fast && !isStandaloneFreeBody(m, body)) B = (0.5 * (B + B.transpose())).eval();
    addLocalDerivative(m, d, body, contact.pos, contact.R, B);
  });
  // dofs of a node have no place for couplings: exact if the body it was declared under is not turned
  forEachFluidNode(m, d, [&](int node, const FluidContact& contact, const FluidBox& box) {
    const Mat3 B = fluidDerivative(box, medium, contact.velocity).bottomRightCorner<3, 3>();
    const Mat3 inWorld = contact.R * B * contact.R.transpose();
    for (int k = 0; k < 3; ++k) {
      const int dof = m.nv_rigid + 3 * node + k;
      d.qDeriv[m.D_rowadr[dof] + m.D_diag[dof]] += inWorld(k, k);
    }
  });
}

void addDamperDerivative(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.nv);
  dofDamping(m, d, laws);
  forEachAwakeDof(m, d, [&](int i) { d.qDeriv[m.D_rowadr[i] + m.D_diag[i]] -= laws[i].rate(d.qvel[i]); });
}

void addTendonDamperDerivative(const Model& m, Data& d) {
  if (m.ntendon == 0) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.ntendon);
  tendonDamping(m, laws);
  for (int t = 0; t < m.ntendon; ++t) {
    const double rate = laws[t].rate(d.ten_velocity[t]);
    if (rate == 0 || tendonAsleep(m, d, t)) continue;
    const int adr = m.ten_J_rowadr[t];
    addOuterProduct(m, d, m.ten_J_colind.data() + adr, d.ten_J.data() + adr, m.ten_J_rownnz[t], -rate);
  }
}

void addCableDerivative(const Model& m, Data& d) {
  if (!cablesAreImplicit(m)) return;
  forEachCableStiffness(m, d, [&](int dof, const Mat3& K) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) d.qDeriv[entryOfD(m, dof + r, dof + c)] -= m.opt.timestep * K(r, c);
    }
  });
}

void velocityDerivative(const Model& m, Data& d, bool fast) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    std::fill(&d.qDeriv[m.D_rowadr[begin]], d.qDeriv.data() + (end < m.nv ? m.D_rowadr[end] : m.nD), 0.0);
  });
  addActuatorDerivative(m, d);

  const bool dampers = !m.opt.disabled(disable::kDamper);
  const bool springs = !m.opt.disabled(disable::kSpring);
  if (dampers || springs) addFluidDerivative(m, d, fast);  // as in passive()
  if (springs) addCableDerivative(m, d);
  if (dampers) {
    addDamperDerivative(m, d);
    addTendonDamperDerivative(m, d);
  }

  for (int tree = 0; tree < m.ntree; ++tree) {
    if (m.tree_bodynum[tree] == 0 || treeAsleep(d, tree)) continue;  // a flex node has no bias force
    if (!fast || isStandaloneFreeBody(m, m.tree_bodyadr[tree])) subtractBiasDerivative(m, d, tree);
  }
}

}  // namespace sinew
