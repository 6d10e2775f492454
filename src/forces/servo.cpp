#include "forces/servo.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/types.h"

namespace sinew {

double setpointPeriod(const Model& m, int u) {
  const DynType dynamics = m.actuator_dyntype[u];
  const bool servo = m.actuator_gaintype[u] == GainType::Fixed && m.actuator_biastype[u] == BiasType::Affine &&
                     m.actuator_gainprm[10 * u] == -m.actuator_biasprm[10 * u + 1] &&
                     (dynamics == DynType::None || dynamics == DynType::Integrator);
  if (!servo && m.actuator_gaintype[u] != GainType::Pid) return 0;
  const double* gear = &m.actuator_gear[6 * m.actuator_outadr[u]];
  const ConstMapVec3 translation(gear);
  const ConstMapVec3 rotation(gear + 3);
  switch (m.actuator_trntype[u]) {
    case TransmissionType::Site:
      if (m.actuator_trnid[2 * u + 1] < 0 || !translation.isZero(0)) return 0;
      return 2 * std::numbers::pi * rotation.norm();
    case TransmissionType::Joint:
    case TransmissionType::JointInParent:
      if (m.jnt_type[m.actuator_trnid[2 * u]] != JointType::Ball) return 0;
      return 2 * std::numbers::pi * translation.norm();  // a ball joint's gear is in the first three numbers
    default:
      return 0;
  }
}

double nearestSetpoint(double setpoint, double length, double period) {
  return setpoint - period * std::round((setpoint - length) / period);
}

ServoInput servoInput(const double* ctrl, int inputs) {
  ServoInput result;
  if (inputs & input::kPos) result.pos = *ctrl++;
  if (inputs & input::kVel) result.vel = *ctrl++;
  if (inputs & input::kForce) result.force = *ctrl++;
  if (inputs & input::kVoltage) result.voltage = *ctrl;
  return result;
}

double slewLimited(double setpoint, double before, double step) {
  if (setpoint < before - step) return before - step;
  if (setpoint > before + step) return before + step;
  return setpoint;
}

double integralRate(double error, double z, double limit) {
  if (limit <= 0) return error;
  if (z >= limit) return std::min(error, 0.0);
  if (z <= -limit) return std::max(error, 0.0);
  return error;
}

}  // namespace sinew
