#pragma once

#include "geom/ray.h"
#include "sinew/query.h"

namespace sinew {

/// What a ray meets first.
struct SurfaceHit {
  geom::RayHit hit;
  int geom = -1;     ///< -1: a flex
  int flex = -1;     ///< -1: a geom
  int element = -1;  ///< as in RayHit
};

/// The same as ray() of sinew/query.h, without its checks. Needs kinematics() and flexes().
SurfaceHit castRay(const Model& m, Data& d, const geom::Ray& ray, const RayOptions& options);

/// The same of one collider alone: a geom, or ngeom + flex.
SurfaceHit castRayAt(const Model& m, Data& d, const geom::Ray& ray, int collider);

}  // namespace sinew
