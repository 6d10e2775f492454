#include "forces/cable.h"

#include "elastic/cosserat.h"
#include "math/quat.h"

namespace sinew {
namespace {

/// From the parent of the joint's body to the body.
Vec3 turnOf(const Model& m, const Data& d, int cable) {
  const int joint = m.cable_jntid[cable];
  const Quat rest = Quat::load(&m.body_quat[4 * m.jnt_bodyid[joint]]);
  return toRotationVector(rest * normalized(Quat::load(&d.qpos[m.jnt_qposadr[joint]])));
}

}  // namespace

void addCableTorques(const Model& m, Data& d) {
  for (int i = 0; i < m.ncable; ++i) {
    const int joint = m.cable_jntid[i];
    if (jointAsleep(m, d, joint)) continue;
    const Vec3 w = turnOf(m, d, i);
    const Vec3 gradient =
        ConstMapVec3(&m.cable_stiffness[3 * i]).cwiseProduct(w - ConstMapVec3(&m.cable_relaxed[3 * i]));
    MapVec3(&d.qfrc_spring[m.jnt_dofadr[joint]]) -= elastic::turnRate(w).transpose() * gradient;
  }
  if (!cablesAreImplicit(m)) return;
  forEachCableStiffness(m, d, [&](int dof, const Mat3& K) {
    MapVec3(&d.qfrc_damper[dof]) -= m.opt.timestep * (K * ConstMapVec3(&d.qvel[dof]));
  });
}

bool cablesAreImplicit(const Model& m) { return isImplicit(m.opt.integrator); }

Mat3 detail::cableStiffness(const Model& m, const Data& d, int cable) {
  const Mat3 J = elastic::turnRate(turnOf(m, d, cable));
  return J.transpose() * ConstMapVec3(&m.cable_stiffness[3 * cable]).asDiagonal() * J;
}

double cableEnergy(const Model& m, const Data& d) {
  double energy = 0;
  for (int i = 0; i < m.ncable; ++i) {
    const Vec3 bent = turnOf(m, d, i) - ConstMapVec3(&m.cable_relaxed[3 * i]);
    energy += 0.5 * ConstMapVec3(&m.cable_stiffness[3 * i]).dot(bent.cwiseProduct(bent));
  }
  return energy;
}

}  // namespace sinew
