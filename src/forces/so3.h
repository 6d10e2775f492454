#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The orientation actuator: a servo for a whole rotation, with three forces, the components of a torque in the frame
/// of what it turns,
///   torque = kp log(q^-1 q*) + b - kv w,
/// q the orientation of a ball joint or of a site against another, q* the setpoint, w the relative angular velocity.
namespace sinew::so3 {

/// The torque of actuator `u`, three numbers. `ctrl`: its controls, a rotation vector or a quaternion. An integrated
/// setpoint is in its activations instead.
void torque(const Model& m, const Data& d, int u, const double* ctrl, double* out);

/// Shortens the torque to the upper bound of the actuator's force range.
void limitTorque(const Model& m, int u, double* torque);

/// d torque / d w, the same for all three components; 0 where the torque is limited. Needs actuation().
double velocitySlope(const Model& m, const Data& d, int u);

/// The rotation vector of at most half a turn that means the same as `setpoint`, which it replaces.
void shortenSetpoint(double* setpoint);

}  // namespace sinew::so3
