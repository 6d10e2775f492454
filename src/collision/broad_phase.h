#pragma once

#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// geom poses, flexvert_xpos -> all pairs of colliders that may touch, in the order of their contacts. Updates
/// d.work->nearPairs.
void findCandidates(const Model& m, Data& d, Array<ColliderPair>& candidates);

}  // namespace sinew
