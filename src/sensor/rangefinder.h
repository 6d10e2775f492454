#pragma once

#include "geom/ray.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// First geom that a ray meets, among all that are visible (alpha above 0) and not on `excludedBody`. The direction
/// must have unit length. Needs kinematics().
geom::RayHit castRay(const Model& m, const Data& d, const geom::Ray& ray, int excludedBody);

/// Output of a rangefinder: the chosen fields for the ray along a site's z axis, or for every pixel of a camera, row by
/// row. A ray that meets nothing has distance and depth -1 and zero vectors (its origin stays).
void rangefinder(const Model& m, const Data& d, int sensor, double* out);

}  // namespace sinew
