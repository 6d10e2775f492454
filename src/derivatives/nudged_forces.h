#pragma once

#include "derivatives/smooth_forces.h"

namespace sinew::smooth {

/// Whether flexes move with the mean of two velocities, less what the step cannot resolve (forces/stiff_metric.h).
bool isMidpoint(const Model& m);

/// What the stages of a step make of the smooth forces, differentiated by central differences of these stages: for
/// forces without a closed form (flexes, fluids, spatial tendons, muscles), and for integrators whose matrix changes
/// with the state. Neither contacts nor the solver are part of it.
struct NudgedForces {
  Parts solver;      ///< S (qacc_smooth - b), S the metric of the solver
  Parts step;        ///< qfrc_smooth - A a, A the matrix of the integrator
  Parts rate;        ///< act_dot
  Parts unresolved;  ///< of midpoint: what it takes out of the velocity of flexes; else zero
};

/// At the state of x, which has been evaluated, for the accelerations a and b, which stay what they are. A control at
/// the end of its range moves inwards, one beyond it has no effect. Without `actuators` there are neither these nor
/// applied forces. Cost: 2 (2 nv + na + nu) evaluations of the forces, a third of them with the poses, and with a
/// factor of the metric each if stiffness is implicit.
NudgedForces nudgedForces(const Model& m, const Data& x, const double* b, const double* a, bool actuators);

}  // namespace sinew::smooth
