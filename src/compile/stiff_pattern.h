#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew::draft {

/// The pattern of the metric of stiff flexes, from the elements that couple their points: nstiffnode, nK, flex_stiff*,
/// stiff_*, flexpoint_stiffid, K_*. Needs the constants of elasticity, and d at the reference configuration.
void writeStiffPattern(Model& m, Data& d);

}  // namespace sinew::draft
