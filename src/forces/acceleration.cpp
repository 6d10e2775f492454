#include <algorithm>

#include "forces/forces.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"

namespace sinew {
namespace {

/// qfrc_smooth += J'(force, torque) of xfrc_applied, which acts at the centres of mass.
void addCartesianForces(const Model& m, Data& d) {
  for (int b = 1; b < m.nbody; ++b) {
    const ConstMapVec3 force(&d.xfrc_applied[6 * b]);
    const ConstMapVec3 torque(&d.xfrc_applied[6 * b + 3]);
    if (force.isZero(0) && torque.isZero(0)) continue;
    addForce(m, d, b, vec3(d.xipos.data(), b), force, torque, d.qfrc_smooth.data());
  }
}

}  // namespace

void acceleration(const Model& m, Data& d) {
  for (int i = 0; i < m.nv; ++i) {
    d.qfrc_smooth[i] = d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_applied[i] + d.qfrc_actuator[i];
  }
  addCartesianForces(m, d);
  std::copy(d.qfrc_smooth.begin(), d.qfrc_smooth.end(), d.qacc_smooth.begin());
  if (!stiffnessIsImplicit(m)) return solveMass(m, d, d.qacc_smooth.data());

  assembleStiffness(m, d);
  for (int i = 0; i < m.nv; ++i) d.qacc_smooth[i] += d.qfrc_implicit[i];
  solveMetric(m, d, d.qacc_smooth.data());
}

}  // namespace sinew
