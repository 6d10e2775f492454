#pragma once

#include "sinew/model.h"

/// What actuators that follow a setpoint have in common.
namespace sinew {

/// The input of a position servo on a ball joint or between the orientations of two sites means the same after a full
/// turn: its period in units of the transmission length, 0 if the actuator is not such a servo.
double setpointPeriod(const Model& m, int u);

/// The setpoint that means the same as `setpoint` and is nearest to `length`.
double nearestSetpoint(double setpoint, double length, double period);

/// What the controls of a pid or dcmotor actuator say; an input that it does not have is zero.
struct ServoInput {
  double pos = 0, vel = 0, force = 0, voltage = 0;
};
/// `inputs`: the bits of namespace input that are present, in that order from `ctrl` on.
ServoInput servoInput(const double* ctrl, int inputs);

/// The setpoint, no further than `step` from the one before.
double slewLimited(double setpoint, double before, double step);

/// Rate of the integral z of a position error: the error, but not one that drives z further beyond `limit` (0: none).
double integralRate(double error, double z, double limit);

}  // namespace sinew
