#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// What the integrators need to know about actuators besides actuation() itself.
namespace sinew {

/// True if the actuator's group is switched off: no force, and its activation does not move.
bool actuatorDisabled(const Model& m, int u);

/// The input of a position servo on a ball joint or between the orientations of two sites means the same after a full
/// turn: its period in units of the transmission length, 0 if the actuator is not such a servo.
double setpointPeriod(const Model& m, int u);

/// The setpoint that means the same as `setpoint` and is nearest to `length`.
double nearestSetpoint(double setpoint, double length, double period);

/// Index of the last activation variable of a stateful actuator, the one its force is made from.
int lastActivation(const Model& m, int u);

/// d force / d (actuator velocity) at fixed control and activation; 0 where the force is clamped. Needs actuation().
double actuatorVelocitySlope(const Model& m, const Data& d, int u);

}  // namespace sinew
