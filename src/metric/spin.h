#pragma once

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// How bodies and trees of bodies turn under the impulse solver when nothing acts on them. Taken at the start of a
/// step, gyroscopic and Coriolis forces add energy in every step.
namespace sinew {

/// Angular velocity after a time h of a rigid body that nothing acts on, both in its principal axes; `inertia` are the
/// principal moments, all above 0. Keeps the kinetic energy to rounding, whatever h, and the length of the angular
/// momentum as well unless the body turns by radians per step.
Vec3 freeSpin(const Vec3& inertia, const Vec3& w, double h);

/// Trees of one rigid body: all, or those that are made of several bodies without joints between them.
enum class SpinOf { All, Composites };

/// Adds to qacc_free of trees that are one rigid body what is between freeSpin() and the gyroscopic torque at the start
/// of the step. Needs qacc_free, kinematics, massMatrix.
void spinRigidTrees(const Model& m, Data& d, SpinOf which);

/// Adds to qacc_free of all other trees that move by several dofs what is between the motion forces at the start of the
/// step and their motion over the step if nothing else acts, which keeps the kinetic energy and, if the root is free,
/// the momentum. Where no row acts on a tree, its positions follow that motion as well, by qvel_correction of the
/// workspace. Needs qacc_free, the position stage, comVel(). Evaluates kinematics and M several times if such a tree
/// moves fast, and leaves them as they were.
void spinTrees(const Model& m, Data& d);

}  // namespace sinew
