#pragma once

#include "compile/draft.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::draft {

/// Scales masses and inertias so that the whole model weighs `mass`.
void scaleTotalMass(double mass, Model& m);

/// flexnode_invmass and body_subtreemass.
void writeMasses(Model& m);

/// The same, and the sleep policies: trees with actuators never sleep by themselves, nor do trees that a tendon
/// with a spring or damper couples. Throws LoadError when such a tree was asked to sleep.
void writeFixed(const Draft& draft, Model& m);

/// Throws LoadError if a tree that is to start asleep could not, because it is coupled to one that does not. Needs the
/// finished model.
void requireInitialSleep(const Draft& draft, const Model& m);

/// Everything that is evaluated at the reference configuration qpos0: dof_M0, body_invweight0, dof_invweight0,
/// tendon_length0, tendon_invweight0, actuator_length0, actuator_acc0, cam_pos0, cam_poscom0, cam_mat0, the missing
/// parts of eq_data, damping ratios of servos. Leaves kinematics, M and its factor at qpos0 in `d`.
void writeReference(Model& m, Data& d);

/// tendon_lengthspring where the Spec leaves it open: the length at qpos_spring.
void writeSpringLengths(Model& m, Data& d);

/// Joints with `springdamper` (time constant t, damping ratio z): with I = n / sum of dof_invweight0 over the joint's
/// n dofs, stiffness I / (t z)^2 and damping 2 I / t.
void writeSpringDampers(const Draft& draft, Model& m);

}  // namespace sinew::draft
