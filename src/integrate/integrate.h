#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"

/// Last stage: the state moves on by one timestep.
namespace sinew {

/// What a step moves on with: inv(A) F with the matrix of metric() and all forces, made in `scratch` (nv numbers); qacc
/// where the solver has seen A already.
const double* stepAcceleration(const Model& m, Data& d, std::span<double> scratch);

/// Takes away the velocity of pinned flex nodes, whatever a user wrote there.
void stopPinnedNodes(const Model& m, Data& d);

/// Moves activations, velocities (by h `acceleration`), positions (with velocity `qvel`; if null with the new velocity,
/// under Midpoint in stiff parts with the mean of the old and the new one) and time, and stores qacc as the next warm
/// start.
void advance(const Model& m, Data& d, const double* act_dot, const double* acceleration, const double* qvel);

}  // namespace sinew
