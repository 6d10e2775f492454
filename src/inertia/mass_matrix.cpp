#include <algorithm>
#include <span>

#include "inertia/inertia.h"
#include "math/kernel.h"
#include "math/spatial.h"
#include "model/awake.h"
#include "model/tree_pieces.h"

namespace sinew {
namespace {

/// Ic_i = I_i + sum of the children's Ic.
void compositeInertias(const Model& m, Data& d, const TreePiece& piece) {
  double* crb = d.crb.data();
  if (someAsleep(m, d)) {
    if (piece.body == 0) std::copy_n(d.cinert.data(), 10, crb);
    for (const int i : piece.bodies(awakeBodies(d))) std::copy_n(&d.cinert[10 * i], 10, crb + 10 * i);
  } else {
    std::copy_n(&d.cinert[10 * piece.body], 10 * (piece.bodyEnd - piece.body), crb + 10 * piece.body);
  }
  for (const int i : Backward{piece.bodies(awakeParents(d))}) {
    const int parent = m.body_parentid[i];
    if (parent == 0) continue;
    for (int k = 0; k < 10; ++k) crb[10 * parent + k] += crb[10 * i + k];
  }
}

/// Armature of actuators acts on their joint through the gear: A gear^2 on the diagonal of every dof of the joint.
/// Simple dofs have it in dof_M0.
void addActuatorArmature(const Model& m, Data& d) {
  for (int u = 0; u < m.nactuator; ++u) {
    const double armature = m.actuator_armature[u];
    const TransmissionType type = m.actuator_trntype[u];
    if (armature == 0 || (type != TransmissionType::Joint && type != TransmissionType::JointInParent)) continue;
    const double gear = m.actuator_gear[6 * m.actuator_outadr[u]];
    const int joint = m.actuator_trnid[2 * u];
    if (jointAsleep(m, d, joint)) continue;
    for (int i = m.jnt_dofadr[joint]; i < m.nv && m.dof_jntid[i] == joint; ++i) {
      if (m.dof_simplenum[i] == 0) d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1] += armature * (gear * gear);
    }
  }
}

/// M += A J'J for one tendon, where M has entries.
void addTendonInertia(const Model& m, Data& d, int tendon, double armature) {
  const int count = m.ten_J_rownnz[tendon];
  const int* column = m.ten_J_colind.data() + m.ten_J_rowadr[tendon];
  const double* J = d.ten_J.data() + m.ten_J_rowadr[tendon];
  for (int a = 0; a < count; ++a) {
    if (J[a] == 0 || dofAsleep(m, d, column[a])) continue;
    const double scale = armature * J[a];
    const int end = m.M_rowadr[column[a]] + m.M_rownnz[column[a]];
    // both rows are sorted: walk them side by side
    int b = 0;
    for (int k = m.M_rowadr[column[a]]; k < end; ++k) {
      while (b < count && column[b] < m.M_colind[k]) ++b;
      if (b < count && column[b] == m.M_colind[k]) d.M[k] += scale * J[b];
    }
  }
}

/// What dofs have on the diagonal besides bodies.
void startDiagonal(const Model& m, Data& d, std::span<const int> dofs) {
  for (const int i : dofs) {
    d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1] = m.dof_simplenum[i] > 0 ? m.dof_M0[i] : m.dof_armature[i];
  }
}

/// Rows of M, onto what is on the diagonal already.
SINEW_KERNEL void addBodies(const Model& m, Data& d, std::span<const int> dofs) {
  const double* cdof = d.cdof.data();
  for (const int i : dofs) {
    if (m.dof_simplenum[i] > 0) continue;
    double momentum[6];  // Ic_i S_i
    multiplyInertia(momentum, d.crb.data() + 10 * m.dof_bodyid[i], cdof + 6 * i);
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    double* row = d.M.data() + m.M_rowadr[i];
    const int last = m.M_rownnz[i] - 1;
    for (int k = 0; k < last; ++k) row[k] = dot6(cdof + 6 * column[k], momentum);
    row[last] += dot6(cdof + 6 * i, momentum);
  }
}

}  // namespace

void massMatrix(const Model& m, Data& d) {
  startDiagonal(m, d, awakeDofs(d));
  addActuatorArmature(m, d);
  forEachTreePiece(m, d, [&](const TreePiece& piece) {
    compositeInertias(m, d, piece);
    addBodies(m, d, piece.dofs(awakeDofs(d)));
  });

  // M is linear in the armatures of a tendon, so its own and those of its actuators are added one by one
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_armature[i] != 0) addTendonInertia(m, d, i, m.tendon_armature[i]);
  }
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_armature[u] == 0 || m.actuator_trntype[u] != TransmissionType::Tendon) continue;
    const double gear = m.actuator_gear[6 * m.actuator_outadr[u]];
    addTendonInertia(m, d, m.actuator_trnid[2 * u], m.actuator_armature[u] * (gear * gear));
  }
}

}  // namespace sinew
