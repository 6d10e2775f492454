#pragma once

#include "sinew/model.h"

namespace sinew::draft {

/// The pattern of the metric of stiff flexes, from the blocks that couple their points: nstiffnode, nK, flex_stiff*,
/// stiff_nodeid, flexnode_stiffid, K_*. Needs writeElasticity().
void writeStiffPattern(Model& m);

}  // namespace sinew::draft
