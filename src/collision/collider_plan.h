#pragma once

#include "model/near_pairs.h"
#include "sinew/model.h"

namespace sinew {

/// Brings the plan of which colliders can meet up to date. Does nothing while the filters are what they were; else the
/// lists of what is near have yet to be made.
void updatePlan(const Model& m, NearPairs& near);

}  // namespace sinew
