#pragma once

#include "base/arena.h"
#include "sinew/model.h"

namespace sinew {

/// The vertices of a flex from its points: of an array with three numbers per point of the model to one with three per
/// vertex. Each is the sum of what carries it, by its shares, in their order.
void interpolate(const Model& m, int flex, const double* points, double* vertices, Arena& scratch);

}  // namespace sinew
