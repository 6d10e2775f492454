#include <algorithm>

#include "forces/forces.h"
#include "forces/part_motion.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "math/number_checks.h"
#include "model/awake.h"
#include "model/inputs.h"

namespace sinew {
namespace {

/// qfrc_smooth += J'(force, torque) of xfrc_applied, which acts at the centres of mass.
void addCartesianForces(const Model& m, Data& d) {
  if (allZero(d.xfrc_applied)) return;
  for (const int b : awakeBodies(d)) {
    const Vec3 force = usableForce(&d.xfrc_applied[6 * b]);
    const Vec3 torque = usableForce(&d.xfrc_applied[6 * b + 3]);
    if (force.isZero(0) && torque.isZero(0)) continue;
    addForce(m, d, b, vec3(d.xipos.data(), b), force, torque, d.qfrc_smooth.data());
  }
}

}  // namespace

void acceleration(const Model& m, Data& d) {
  forEachAwakeDof(m, d, [&](int i) {
    d.qfrc_smooth[i] = d.qfrc_passive[i] - d.qfrc_bias[i] + usableForce(d.qfrc_applied[i]) + d.qfrc_actuator[i];
  });
  addCartesianForces(m, d);
  forEachAwakeRun(m, d, [&](int begin, int end) {
    std::copy_n(d.qfrc_smooth.data() + begin, end - begin, d.qacc_smooth.data() + begin);
  });
  if (!stiffnessIsImplicit(m)) return solveMass(m, d, d.qacc_smooth.data());

  assembleStiffness(m, d);
  forEachAwakeDof(m, d, [&](int i) { d.qacc_smooth[i] += d.qfrc_implicit[i]; });
  solveMetric(m, d, d.qacc_smooth.data());
  keepMomentum(m, d);
}

}  // namespace sinew
