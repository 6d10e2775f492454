#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// What the integrators need to know about actuators besides actuation() itself.
namespace sinew {

/// True if the actuator's group is switched off: no force, and its activation does not move.
bool actuatorDisabled(const Model& m, int u);

/// Index of the first control that is not finite, or beyond 1e10 once delayed and clamped; -1: none. If there is one,
/// all controls count as zero.
int firstBadControl(const Model& m, Data& d);

/// Index of the last activation variable of a stateful actuator, the one its force is made from.
int lastActivation(const Model& m, int u);

/// d force / d (actuator velocity) at fixed control and activation, the same for each of its forces; 0 where the force
/// is clamped. Needs actuation().
double actuatorVelocitySlope(const Model& m, const Data& d, int u);

}  // namespace sinew
