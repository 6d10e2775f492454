#include "forces/forces.h"
#include "kinematics/dof_chains.h"
#include "kinematics/jacobian.h"
#include "math/spatial.h"
#include "model/awake.h"

namespace sinew {
namespace {

/// (dJ/dt) v of a point: the acceleration it has when qacc is zero, without gravity.
Vec3 velocityProductAcceleration(const Model& m, const Data& d, int body, const Vec3& p) {
  double a[6] = {0, 0, 0, 0, 0, 0};
  for (int i = lastDof(m, body); i >= 0; i = m.dof_parentid[i]) addScaled6(a, &d.cdof_dot[6 * i], d.qvel[i]);
  const PointVelocity v = pointVelocity(m, d, body, p);
  return velocityAt(a, p - treeCom(m, d, body)) + v.angular.cross(v.linear);
}

/// (dJ/dt) v of a tendon. For a straight piece of direction u and length l between points with velocities and
/// accelerations v, a:  u . (a2 - a1) + |w|^2 / l, w being the part of v2 - v1 across u. Fixed tendons have constant J;
/// the compiler allows no armature on tendons that wrap around geoms.
double jacobianRateTimesVelocity(const Model& m, const Data& d, int tendon) {
  const int first = m.tendon_adr[tendon];
  const int last = first + m.tendon_num[tendon] - 1;
  if (m.wrap_type[first] == WrapType::Joint) return 0;
  double sum = 0, divisor = 1;
  for (int w = first; w < last; ++w) {
    if (m.wrap_type[w] == WrapType::Pulley) divisor = m.wrap_prm[w];
    if (m.wrap_type[w] != WrapType::Site || m.wrap_type[w + 1] != WrapType::Site) continue;
    const int site1 = m.wrap_objid[w], site2 = m.wrap_objid[w + 1];
    const int body1 = m.site_bodyid[site1], body2 = m.site_bodyid[site2];
    if (body1 == body2) continue;
    const Vec3 p1 = vec3(d.site_xpos.data(), site1), p2 = vec3(d.site_xpos.data(), site2);
    const Vec3 u = normalizedOrX(p2 - p1);
    const double length = (p2 - p1).norm();
    const Vec3 v = pointVelocity(m, d, body2, p2).linear - pointVelocity(m, d, body1, p1).linear;
    const Vec3 across = v - u * dot3(u, v);
    const Vec3 a = velocityProductAcceleration(m, d, body2, p2) - velocityProductAcceleration(m, d, body1, p1);
    sum += (dot3(u, a) + (length > kMinVal ? dot3(across, v) / length : 0)) / divisor;
  }
  return sum;
}

void addArmatureBias(const Model& m, const Data& d, int tendon, double armature, double* qfrc) {
  const double force = armature * jacobianRateTimesVelocity(m, d, tendon);
  if (force == 0) return;
  const int end = m.ten_J_rowadr[tendon] + m.ten_J_rownnz[tendon];
  for (int k = m.ten_J_rowadr[tendon]; k < end; ++k) {
    if (!dofAsleep(m, d, m.ten_J_colind[k])) qfrc[m.ten_J_colind[k]] += force * d.ten_J[k];
  }
}

}  // namespace

void addTendonArmatureBias(const Model& m, const Data& d, double* qfrc) {
  for (int i = 0; i < m.ntendon; ++i) {
    if (m.tendon_armature[i] != 0) addArmatureBias(m, d, i, m.tendon_armature[i], qfrc);
  }
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_armature[u] == 0 || m.actuator_trntype[u] != TransmissionType::Tendon) continue;
    const double gear = m.actuator_gear[6 * m.actuator_outadr[u]];
    addArmatureBias(m, d, m.actuator_trnid[2 * u], m.actuator_armature[u] * (gear * gear), qfrc);
  }
}

void bias(const Model& m, Data& d) {
  newtonEuler(m, d, nullptr, d.qfrc_bias.data());
  addTendonArmatureBias(m, d, d.qfrc_bias.data());
}

}  // namespace sinew
