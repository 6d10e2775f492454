#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Output of a rangefinder: the chosen fields for the ray along a site's z axis, or for every pixel of a camera, row by
/// row. Rays meet geoms and flexes, see sinew/query.h, but not what is fixed to the sensor's own body. A ray that meets
/// nothing has distance and depth -1 and zero vectors (its origin stays).
void rangefinder(const Model& m, Data& d, int sensor, double* out);

}  // namespace sinew
