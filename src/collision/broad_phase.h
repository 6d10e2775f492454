#pragma once

#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

class Sweep;

/// geom poses, flexvert_xpos -> all pairs of colliders that may touch, or pass through each other in this step, in the
/// order of their contacts. Updates d.work->nearPairs.
void findCandidates(const Model& m, Data& d, const Sweep& sweep, Array<ColliderPair>& candidates);

}  // namespace sinew
