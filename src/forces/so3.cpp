#include "forces/so3.h"

#include <cmath>
#include <numbers>

#include "forces/forces.h"
#include "math/quat.h"

namespace sinew::so3 {
namespace {

/// Relative error of the length of a torque that was shortened to its bound.
constexpr double kRounding = 1e-14;

Quat fromRotationVector(const Vec3& v) {
  const double angle = v.norm();
  return angle < kMinVal ? Quat{} : fromAxisAngle(v / angle, angle);
}

Quat setpoint(const Model& m, const Data& d, int u, const double* ctrl) {
  if (m.actuator_ctrlspec[u] == input::kQuaternion) return normalized(Quat::load(ctrl));
  if (m.actuator_dyntype[u] == DynType::None) return fromRotationVector(ConstMapVec3(ctrl));
  const int first = m.actuator_actadr[u];
  Vec3 v = ConstMapVec3(&d.act[first]);
  if (m.actuator_actearly[u]) {
    for (int k = 0; k < 3; ++k) v[k] = nextActivation(m, d, u, first + k, d.act_dot[first + k]);
  }
  return fromRotationVector(v);
}

}  // namespace

void torque(const Model& m, const Data& d, int u, const double* ctrl, double* out) {
  const int adr = m.actuator_outadr[u];
  const Quat current = fromRotationVector(ConstMapVec3(&d.actuator_length[adr]));
  const Vec3 error = difference(setpoint(m, d, u, ctrl), current);
  const double kp = m.actuator_gainprm[10 * u];
  const double* bias = &m.actuator_biasprm[10 * u];
  for (int k = 0; k < 3; ++k) out[k] = kp * error[k] + bias[0] + bias[2] * d.actuator_velocity[adr + k];
}

void limitTorque(const Model& m, int u, double* torque) {
  Eigen::Map<Vec3> t(torque);
  const double most = m.actuator_forcerange[2 * u + 1], norm = t.norm();
  if (norm > most) t *= most / norm;
}

double velocitySlope(const Model& m, const Data& d, int u) {
  const ConstMapVec3 torque(&d.actuator_force[m.actuator_outadr[u]]);
  if (m.actuator_forcelimited[u] && torque.norm() >= m.actuator_forcerange[2 * u + 1] * (1 - kRounding)) return 0;
  return m.actuator_biasprm[10 * u + 2];
}

void shortenSetpoint(double* setpoint) {
  constexpr double kTurn = 2 * std::numbers::pi;
  Eigen::Map<Vec3> v(setpoint);
  const double angle = v.norm();
  if (angle > std::numbers::pi) v *= (angle - kTurn * std::round(angle / kTurn)) / angle;
}

}  // namespace sinew::so3
