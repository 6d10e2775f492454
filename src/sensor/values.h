#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Values of single sensors, written to `out` (sensor_dim numbers) before the cutoff is applied.
namespace sinew {

void positionSensor(const Model& m, Data& d, int sensor, double* out);
void velocitySensor(const Model& m, const Data& d, int sensor, double* out);
void accelerationSensor(const Model& m, Data& d, int sensor, double* out);

/// The row of a joint's or tendon's limit, the lower stop before the upper; -1 when neither is near.
int limitRow(const Data& d, RowType type, int id);

}  // namespace sinew
