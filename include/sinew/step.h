#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Advances the state by opt.timestep. Never throws; trouble is counted in d.status.
void step(const Model& m, Data& d);

/// Everything step() computes before it integrates: all derived arrays, qacc and sensordata for the present state.
void forward(const Model& m, Data& d);

/// Inverse dynamics: reads qpos, qvel, qacc and writes qfrc_inverse, the applied plus actuator force (and the image of
/// xfrc_applied) that makes this acceleration happen. With the flag `invdiscrete`, qacc is the change of velocity of
/// one step divided by the timestep; that does not exist for RK4 (throws std::invalid_argument).
void inverse(const Model& m, Data& d);

/// Potential and kinetic energy of the present state into d.energy. Needs forward() or at least kinematics.
void energy(const Model& m, Data& d);

}  // namespace sinew
