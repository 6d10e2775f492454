#pragma once

#include <span>

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Dofs that change the relative position of two material points, growing, and for each the relative velocity that unit
/// speed of the dof causes: v_2 - v_1, w_2 - w_1. Lives in the arena.
struct RelativeMotion {
  std::span<int> columns;
  std::span<double> linear, angular;  ///< 3 per column
};

/// Motion of the two sides of a contact at its point. A side moves with the weighted mean of its carriers: bodies with
/// all the dofs of their chains, flex nodes with their three. A pinned node does not move, a point does not turn.
/// Between two single bodies a dof that moves both moves the common point alike and drops out.
RelativeMotion contactMotion(const Model& m, Data& d, const Contact& contact);

/// Motion of flex point `point2` against `point1`, translations only.
RelativeMotion pointMotion(const Model& m, Data& d, int point1, int point2);

}  // namespace sinew
