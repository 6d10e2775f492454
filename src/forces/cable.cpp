#include "forces/cable.h"

#include <cmath>

#include "math/quat.h"

namespace sinew {
namespace {

/// From the parent of the joint's body to the body.
Vec3 turnOf(const Model& m, const Data& d, int cable) {
  const int joint = m.cable_jntid[cable];
  const Quat rest = Quat::load(&m.body_quat[4 * m.jnt_bodyid[joint]]);
  return toRotationVector(rest * normalized(Quat::load(&d.qpos[m.jnt_qposadr[joint]])));
}

/// How the rotation vector w changes with the dofs of a ball joint, which are angular velocities u in the body's axes:
/// w' = (1 + 1/2 [w] + c [w]^2) u with c = (1 - angle/2 cot(angle/2)) / angle^2.
Mat3 changeOfTurn(const Vec3& w) {
  const double square = w.squaredNorm(), angle = std::sqrt(square);
  const double c = angle < 1e-3 ? (1 + square / 60) / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / square;
  Mat3 cross;
  cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return Mat3::Identity() + 0.5 * cross + c * cross * cross;
}

}  // namespace

void addCableTorques(const Model& m, Data& d) {
  for (int i = 0; i < m.ncable; ++i) {
    const int joint = m.cable_jntid[i];
    if (jointAsleep(m, d, joint)) continue;
    const Vec3 w = turnOf(m, d, i);
    const Vec3 gradient =
        ConstMapVec3(&m.cable_stiffness[3 * i]).cwiseProduct(w - ConstMapVec3(&m.cable_relaxed[3 * i]));
    MapVec3(&d.qfrc_spring[m.jnt_dofadr[joint]]) -= changeOfTurn(w).transpose() * gradient;
  }
  if (!cablesAreImplicit(m)) return;
  forEachCableStiffness(m, d, [&](int dof, const Mat3& K) {
    MapVec3(&d.qfrc_damper[dof]) -= m.opt.timestep * (K * ConstMapVec3(&d.qvel[dof]));
  });
}

bool cablesAreImplicit(const Model& m) {
  return m.opt.integrator == Integrator::Implicit || m.opt.integrator == Integrator::ImplicitFast;
}

Mat3 detail::cableStiffness(const Model& m, const Data& d, int cable) {
  const Mat3 J = changeOfTurn(turnOf(m, d, cable));
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
