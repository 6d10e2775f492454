#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Values of the sensors that need exactly this stage (Stage::Pos after kinematics, Vel after velocities and bias, Acc
/// after the solve) into sensordata: as they are, or, with a delay or between the ticks of an interval, as they were.
void sense(const Model& m, Data& d, Stage stage);

/// cacc, cfrc_ext, cfrc_int by Newton-Euler over qacc, with applied (and, once they exist, contact and equality)
/// forces.
void bodyForces(const Model& m, Data& d);

/// Adds the controls to the samples in d.history of actuators that keep some. Belongs to the end of a step, before
/// anything moves.
void sampleControls(const Model& m, Data& d);

/// The same for sensors; those that show a delayed value are measured here. Needs all stages of forward().
void sampleSensors(const Model& m, Data& d);

/// Parts of the mechanical energy, J: weight times height above the origin; springs, cables and flexes; motion. The
/// second needs tendons(), the third massMatrix().
double energyOfGravity(const Model& m, const Data& d);
double energyOfSprings(const Model& m, Data& d);
double energyOfMotion(const Model& m, Data& d);

/// d.energy[0] and d.energy[1]. The first needs tendons(), the second massMatrix().
void potentialEnergy(const Model& m, Data& d);
void kineticEnergy(const Model& m, Data& d);

}  // namespace sinew
