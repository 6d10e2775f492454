#pragma once

#include "geom/collide.h"

namespace sinew::geom {

/// Keeps `most` of the points from `begin` on, in their order: the deepest half of that number, and, from the others,
/// the deepest in each cell of a grid over all of them, so that they stay spread. Few points are left alone.
void thinOut(Array<ContactPoint>& points, std::ptrdiff_t begin, std::ptrdiff_t most);

}  // namespace sinew::geom
