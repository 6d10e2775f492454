#pragma once

#include "sinew/model.h"

namespace sinew {

/// Mean distance of the vertices of a flex from their neighbours at rest, m.
double vertexSpacing(const Model& m, int flex);

}  // namespace sinew
