#pragma once

#include "math/types.h"
#include "sinew/query.h"

namespace sinew {

struct NearestPoints {
  double distance = 0;
  bool found = false;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  int element1 = -1, element2 = -1;
};

/// The same as distance() of sinew/query.h, without its checks. Needs kinematics() and flexes().
NearestPoints nearestPoints(const Model& m, Data& d, const Collider& first, const Collider& second, double cutoff);

}  // namespace sinew
