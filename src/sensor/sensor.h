#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Values of the sensors that need exactly this stage (Stage::Pos after kinematics, Vel after velocities and bias, Acc
/// after the solve) into sensordata.
void sense(const Model& m, Data& d, Stage stage);

/// d.energy[0] and d.energy[1]. The first needs tendons(), the second massMatrix().
void potentialEnergy(const Model& m, Data& d);
void kineticEnergy(const Model& m, Data& d);

}  // namespace sinew
