#pragma once

#include "math/types.h"

namespace sinew {

/// Obstacle that a tendon wraps around: a sphere, or a cylinder along z without ends.
struct WrapObstacle {
  Vec3 pos;
  Mat3 R;  ///< obstacle to world
  double radius;
  bool cylinder;
};

/// Where a taut path touches the obstacle, in world coordinates, and its length between these points.
struct WrapPath {
  Vec3 first;
  Vec3 second;
  double length = -1;  ///< negative: the path is straight and the points mean nothing

  bool touches() const { return length >= 0; }
};

/// Shortest path from a to b around the obstacle [Garner & Pandy 2000 describe the geometry]. `side`, null if there is
/// none, is a point that tells on which side to pass; inside the obstacle it makes the path run through the obstacle's
/// inside and touch its surface from within, in one point.
WrapPath wrapAround(const WrapObstacle& obstacle, const Vec3& a, const Vec3& b, const Vec3* side);

}  // namespace sinew
