#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The parts that forward(), inverse() and the Runge-Kutta integrator are made of.
namespace sinew {

/// Intermediate evaluations of an integrator leave the sensors as they are.
enum class Sensing : bool { Off, On };

/// Everything that follows from qpos, with the sensors of that stage and, if asked for, the potential energy.
void positionStage(const Model& m, Data& d, Sensing sensing);

/// Everything that follows from qpos and qvel, needs positionStage().
void velocityStage(const Model& m, Data& d, Sensing sensing);

/// Forces of actuators, applied forces, and the acceleration they cause, needs velocityStage().
void accelerationStage(const Model& m, Data& d, Sensing sensing);

/// All three: forward() without tidying up the scratch memory.
void evaluate(const Model& m, Data& d, Sensing sensing);

/// Classical fourth-order Runge-Kutta step; the state must have been evaluated.
void integrateRungeKutta4(const Model& m, Data& d);

}  // namespace sinew
