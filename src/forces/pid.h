#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The pid actuator: a servo with setpoints for position and velocity, a feedforward force and an integral,
///   force = kp (p - length) + kv (w - velocity) + ff + ki z,   z' = p - length,
/// where an input that is absent is zero. On a ball joint, or between the orientations of two sites, the position error
/// is that on the circle. kp and kv are those of the affine bias, which adds -kp length - kv velocity.
namespace sinew::pid {

/// act_dot of actuator `u`, which has states. A limited rate of the position setpoint replaces that in `ctrl`, the
/// actuator's controls.
void activationRates(const Model& m, Data& d, int u, double* ctrl);

/// The force without the bias.
double force(const Model& m, const Data& d, int u, const double* ctrl);

}  // namespace sinew::pid
