#include "forces/spring.h"

#include "math/quat.h"
#include "model/awake.h"

namespace sinew {
namespace {

/// Displacement of a ball joint (or the rotation of a free one) from its relaxed orientation: a rotation vector in the
/// axes of the relaxed frame. The rotation vector is along the eigenaxis, so it is the same in the body's own axes,
/// which are those of the dofs.
Vec3 rotationFromRelaxed(const Model& m, const Data& d, int qposadr) {
  return difference(normalized(Quat::load(&d.qpos[qposadr])), Quat::load(&m.qpos_spring[qposadr]));
}

Vec3 translationFromRelaxed(const Model& m, const Data& d, int qposadr) {
  return ConstMapVec3(&d.qpos[qposadr]) - ConstMapVec3(&m.qpos_spring[qposadr]);
}

}  // namespace

SpringLaw jointSpring(const Model& m, int joint) {
  return {m.jnt_stiffness[joint], m.jnt_stiffnesspoly[2 * joint], m.jnt_stiffnesspoly[2 * joint + 1]};
}

SpringLaw tendonSpring(const Model& m, int tendon) {
  return {m.tendon_stiffness[tendon], m.tendon_stiffnesspoly[2 * tendon], m.tendon_stiffnesspoly[2 * tendon + 1]};
}

double tendonStretch(const Model& m, const Data& d, int tendon) {
  const double length = d.ten_length[tendon];
  const double lower = m.tendon_lengthspring[2 * tendon];
  const double upper = m.tendon_lengthspring[2 * tendon + 1];
  if (length > upper) return length - upper;
  if (length < lower) return length - lower;
  return 0;
}

void addJointSprings(const Model& m, Data& d) {
  for (int j = 0; j < m.njnt; ++j) {
    const SpringLaw spring = jointSpring(m, j);
    if (spring.isZero() || jointAsleep(m, d, j)) continue;
    int q = m.jnt_qposadr[j];
    int v = m.jnt_dofadr[j];
    switch (m.jnt_type[j]) {
      case JointType::Free: {
        const Vec3 x = translationFromRelaxed(m, d, q);
        MapVec3(&d.qfrc_spring[v]) -= spring.stiffness(x.norm()) * x;
        q += 3;
        v += 3;
        [[fallthrough]];
      }
      case JointType::Ball: {
        const Vec3 x = rotationFromRelaxed(m, d, q);
        MapVec3(&d.qfrc_spring[v]) -= spring.stiffness(x.norm()) * x;
        break;
      }
      case JointType::Slide:
      case JointType::Hinge:
        d.qfrc_spring[v] += spring.force(d.qpos[q] - m.qpos_spring[q]);
        break;
    }
  }
}

void addTendonSprings(const Model& m, Data& d) {
  for (int t = 0; t < m.ntendon; ++t) {
    const double force = tendonSpring(m, t).force(tendonStretch(m, d, t));
    if (force == 0 || tendonAsleep(m, d, t)) continue;
    const int end = m.ten_J_rowadr[t] + m.ten_J_rownnz[t];
    for (int k = m.ten_J_rowadr[t]; k < end; ++k) d.qfrc_spring[m.ten_J_colind[k]] += d.ten_J[k] * force;
  }
}

double jointSpringEnergy(const Model& m, const Data& d) {
  double energy = 0;
  for (int j = 0; j < m.njnt; ++j) {
    const SpringLaw spring = jointSpring(m, j);
    if (spring.isZero()) continue;
    int q = m.jnt_qposadr[j];
    switch (m.jnt_type[j]) {
      case JointType::Free:
        energy += spring.potential(translationFromRelaxed(m, d, q).norm());
        q += 3;
        [[fallthrough]];
      case JointType::Ball:
        energy += spring.potential(rotationFromRelaxed(m, d, q).norm());
        break;
      case JointType::Slide:
      case JointType::Hinge:
        energy += spring.potential(d.qpos[q] - m.qpos_spring[q]);
        break;
    }
  }
  return energy;
}

double tendonSpringEnergy(const Model& m, const Data& d) {
  double energy = 0;
  for (int t = 0; t < m.ntendon; ++t) energy += tendonSpring(m, t).potential(tendonStretch(m, d, t));
  return energy;
}

}  // namespace sinew
