#include "forces/gravcomp.h"

#include "kinematics/jacobian.h"
#include "model/awake.h"

namespace sinew {

void addGravityCompensation(const Model& m, Data& d) {
  if (m.ngravcomp == 0 || m.opt.disabled(disable::kGravity)) return;
  const ConstMapVec3 gravity(m.opt.gravity.data());
  if (gravity.isZero(0)) return;
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_gravcomp[b] == 0 || bodyAsleep(d, b)) continue;
    const Vec3 force = gravity * -(m.body_mass[b] * m.body_gravcomp[b]);
    addForce(m, d, b, vec3(d.xipos.data(), b), force, Vec3::Zero(), d.qfrc_gravcomp.data());
  }
}

}  // namespace sinew
