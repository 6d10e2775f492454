#include "forces/damper.h"

#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

int dofCount(JointType type) {
  switch (type) {
    case JointType::Free:
      return 6;
    case JointType::Ball:
      return 3;
    default:
      return 1;
  }
}

bool damps(const Model& m, int actuator) {
  return m.actuator_damping[actuator] != 0 || m.actuator_dampingpoly[2 * actuator] != 0 ||
         m.actuator_dampingpoly[2 * actuator + 1] != 0;
}

/// The actuator's damping as its target feels it.
DampingLaw reflectedDamping(const Model& m, int actuator) {
  const double gear = m.actuator_gear[6 * m.actuator_outadr[actuator]];
  const double gear2 = gear * gear;
  return {m.actuator_damping[actuator] * gear2, m.actuator_dampingpoly[2 * actuator] * gear2,
          m.actuator_dampingpoly[2 * actuator + 1] * gear2};
}

void accumulate(DampingLaw& law, const DampingLaw& more) {
  law.b0 += more.b0;
  law.b1 += more.b1;
  law.b2 += more.b2;
}

bool drivesJoint(TransmissionType type) {
  return type == TransmissionType::Joint || type == TransmissionType::JointInParent;
}

}  // namespace

void dofDamping(const Model& m, const Data& d, std::span<DampingLaw> laws) {
  forEachAwakeDof(m, d, [&](int i) {
    laws[i] = {m.dof_damping[i], m.dof_dampingpoly[2 * i], m.dof_dampingpoly[2 * i + 1]};
  });
  for (int u = 0; u < m.nactuator; ++u) {
    if (!damps(m, u) || !drivesJoint(m.actuator_trntype[u])) continue;
    const DampingLaw reflected = reflectedDamping(m, u);
    if (reflected.isZero()) continue;
    const int joint = m.actuator_trnid[2 * u];
    if (jointAsleep(m, d, joint)) continue;
    const int first = m.jnt_dofadr[joint];
    const int end = first + dofCount(m.jnt_type[joint]);
    for (int i = first; i < end; ++i) accumulate(laws[i], reflected);
  }
}

void tendonDamping(const Model& m, std::span<DampingLaw> laws) {
  for (int t = 0; t < m.ntendon; ++t) {
    laws[t] = {m.tendon_damping[t], m.tendon_dampingpoly[2 * t], m.tendon_dampingpoly[2 * t + 1]};
  }
  for (int u = 0; u < m.nactuator; ++u) {
    if (!damps(m, u) || m.actuator_trntype[u] != TransmissionType::Tendon) continue;
    accumulate(laws[m.actuator_trnid[2 * u]], reflectedDamping(m, u));
  }
}

bool sleepingDofDamps(const Model& m, const Data& d) {
  if (!someAsleep(m, d)) return false;
  for (int i = 0; i < m.nv; ++i) {
    const bool damps = m.dof_damping[i] > 0 || m.dof_dampingpoly[2 * i] != 0 || m.dof_dampingpoly[2 * i + 1] != 0;
    if (damps && dofAsleep(m, d, i)) return true;
  }
  return false;
}

void addDofDampers(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.nv);
  dofDamping(m, d, laws);
  forEachAwakeDof(m, d, [&](int i) {
    const DampingLaw& law = laws[i];
    if (!law.isZero()) d.qfrc_damper[i] += law.force(d.qvel[i]);
  });
}

void addTendonDampers(const Model& m, Data& d) {
  if (m.ntendon == 0) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.ntendon);
  tendonDamping(m, laws);
  for (int t = 0; t < m.ntendon; ++t) {
    const double force = laws[t].force(d.ten_velocity[t]);
    if (force == 0 || tendonAsleep(m, d, t)) continue;
    const int end = m.ten_J_rowadr[t] + m.ten_J_rownnz[t];
    for (int k = m.ten_J_rowadr[t]; k < end; ++k) d.qfrc_damper[m.ten_J_colind[k]] += d.ten_J[k] * force;
  }
}

}  // namespace sinew
