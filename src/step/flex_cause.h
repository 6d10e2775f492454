#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// What to blame when `dof` goes bad: if it moves points of a flex, the element and vertex on which the largest single
/// force of that flex acts, by the last positions and forces computed, and the term it comes from. Forces that are not
/// numbers count as infinitely large. Where that is a row or contact, but the timestep is too long for explicit
/// integration of the forces that resist strain, the largest of those. Nothing (flex -1) for other dofs. d lends
/// scratch memory only.
FlexCause flexCause(const Model& m, Data& d, int dof);

/// Largest timestep for which explicit integration of x'' + damping x' + stiffness x = 0 is stable, s; 0 if there is no
/// bound. Semi-implicit Euler: h^2 stiffness + 2 h damping = 4; RK4: where its polynomial leaves the unit circle.
double stableTimestep(Integrator integrator, double stiffness, double damping);

}  // namespace sinew
