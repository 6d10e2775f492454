#pragma once

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Angular velocity after a time h of a rigid body that nothing acts on, both in its principal axes; `inertia` are the
/// principal moments, all above 0. Keeps the kinetic energy to rounding, whatever h, and the length of the angular
/// momentum as well unless the body turns by radians per step.
Vec3 freeSpin(const Vec3& inertia, const Vec3& w, double h);

/// Adds to qacc of standalone free bodies what is between freeSpin() and the gyroscopic torque at the start of the
/// step. Needs qacc, kinematics.
void spinFreeBodies(const Model& m, Data& d);

}  // namespace sinew
