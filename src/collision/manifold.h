#pragma once

#include "geom/collide.h"
#include "sinew/array.h"

namespace sinew {

/// Makes the points of two shapes the same list from step to step, as impulses that are carried over need it: points
/// nearer to each other than a thousandth of `size`, which clipping finds once or twice as rounding has it, become one
/// with the larger depth, and all are put in the order of their features. No other point is left out.
void settleManifold(Array<geom::ContactPoint>& points, double size);

}  // namespace sinew
