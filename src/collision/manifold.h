#pragma once

#include "geom/collide.h"
#include "sinew/array.h"

namespace sinew {

/// Points that hold two rigid shapes as well as all of them: hard contacts gain nothing from more, and every one costs.
/// Points nearer to another than a thousandth of `size` are left out, and at most four stay: the deepest, and those
/// that span the most, in the order of their features.
void reduceManifold(Array<geom::ContactPoint>& points, double size);

}  // namespace sinew
