#pragma once

#include "model/near_pairs.h"
#include "sinew/array.h"
#include "sinew/model.h"

namespace sinew {

/// How thin what each body carries is at its thinnest: what moves less than that in a step passes through nothing.
struct PassingBodies {
  struct Group {
    int body = 0;
    int begin = 0, end = 0;  ///< its geoms, in `collider`
    double depth = 0;        ///< how far the thinnest of them may move, m
    double reach = 0;        ///< not less than the distance of any of their points from the frame of the body, m
  };
  Array<Group> group;
  Array<int> collider;  ///< as ColliderPlan::passing
  int flexes = 0;       ///< where flexes begin in it

  Array<double> pos, size, rbound, aabb, field;  ///< what it was made from, beside them
};

/// Brings it up to date; does nothing while colliders and sizes are what they were.
void updatePassing(const Model& m, const ColliderPlan& plan, PassingBodies& passing);

}  // namespace sinew
