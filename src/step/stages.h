#pragma once

#include <cstdint>

#include "sinew/data.h"
#include "sinew/model.h"

/// The parts that forward(), inverse() and the Runge-Kutta integrator are made of.
namespace sinew {

/// Bits of Data::stagesRun, in the order of the stages (sinew/stages.h). A stage that runs takes away the bits of those
/// behind it.
enum class StageBit : int {
  Kinematics = 0,
  ComPos,
  Cameras,
  Flexes,
  Tendons,
  MassMatrix,
  Collide,
  Wake,
  Rows,
  Transmissions,
  PositionSensors,
  Velocities,
  Passive,
  Bias,
  RowReferences,
  VelocitySensors,
  Control,
  Actuation,
  SmoothAcceleration,
  Solve,
  AccelerationSensors,
  Count
};

/// Bits of all stages before `stage`.
inline std::uint32_t bitsBefore(StageBit stage) { return (std::uint32_t{1} << static_cast<int>(stage)) - 1; }

/// Intermediate evaluations of an integrator leave the sensors as they are.
enum class Sensing : bool { Off, On };

/// Everything that follows from qpos, with the sensors of that stage and, if asked for, the potential energy.
void positionStage(const Model& m, Data& d, Sensing sensing);

/// Everything that follows from qpos and qvel, needs positionStage().
void velocityStage(const Model& m, Data& d, Sensing sensing);

/// The user's control callback, if there is one; needs velocityStage(). What it leaves behind when it throws is undone.
void controlStage(const Model& m, Data& d);

/// Part of accelerationStage(): acceleration() and, for the impulse solver, its metric. Needs actuation().
void smoothAcceleration(const Model& m, Data& d);

/// Forces of actuators, applied forces, and the acceleration they cause, needs velocityStage().
void accelerationStage(const Model& m, Data& d, Sensing sensing);

/// All of them: forward() without checks of the inputs.
void evaluate(const Model& m, Data& d, Sensing sensing);

/// What step() does with an evaluated state: looks for trouble, puts to sleep, integrates.
void advanceStage(const Model& m, Data& d);

/// Classical fourth-order Runge-Kutta step; the state must have been evaluated.
void integrateRungeKutta4(const Model& m, Data& d);

}  // namespace sinew
