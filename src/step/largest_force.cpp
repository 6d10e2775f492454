#include "step/largest_force.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kinematics/jacobian.h"
#include "math/types.h"
#include "model/inputs.h"
#include "model/workspace.h"

namespace sinew {
namespace {

double sizeOf(double force) { return std::isnan(force) ? std::numeric_limits<double>::infinity() : std::abs(force); }

}  // namespace

LargestForce largestForce(const Model& m, Data& d, int first, int count) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> applied = d.work->arena.take<double>(m.nv);
  std::transform(d.qfrc_applied.begin(), d.qfrc_applied.end(), applied.begin(),
                 [](double f) { return usableForce(f); });
  for (int b = 1; b < m.nbody; ++b) {
    const Vec3 force = usableForce(&d.xfrc_applied[6 * b]);
    const Vec3 torque = usableForce(&d.xfrc_applied[6 * b + 3]);
    if (force.isZero(0) && torque.isZero(0)) continue;
    addForce(m, d, b, vec3(d.xipos.data(), b), force, torque, applied.data());
  }

  LargestForce largest;
  for (int dof = first; dof < first + count; ++dof) {
    const auto consider = [&](ForceTerm term, double value) {
      if (sizeOf(value) > sizeOf(largest.value)) largest = {dof, term, value};
    };
    consider(ForceTerm::Bias, d.qfrc_bias[dof]);
    consider(ForceTerm::Passive, d.qfrc_passive[dof]);
    consider(ForceTerm::Actuator, d.qfrc_actuator[dof]);
    consider(ForceTerm::Applied, applied[dof]);
    consider(ForceTerm::Constraint, d.qfrc_constraint[dof]);
  }
  return largest;
}

int jointOfCoordinate(const Model& m, int coordinate) {
  int joint = -1;
  while (joint + 1 < m.njnt && m.jnt_qposadr[joint + 1] <= coordinate) ++joint;
  return joint;
}

int dofsOf(const Model& m, int joint) {
  return (joint + 1 < m.njnt ? m.jnt_dofadr[joint + 1] : m.nv_rigid) - m.jnt_dofadr[joint];
}

}  // namespace sinew
