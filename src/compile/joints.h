#pragma once

#include <vector>

#include "compile/draft.h"

namespace sinew::draft {

/// The joints of `body` (body.spec) with anchors and axes in the body frame, angles in radians and limits decided.
/// Checks what one joint can get wrong, and the rules for the joints of one body: at most 6 dofs, no rotation after a
/// ball, a free joint alone.
void draftJoints(const Draft& draft, const std::vector<Pose>& frames, Body& body);

/// Throws for free joints below bodies other than the world; bodies that are fused with it do not count.
void requireFreeOnTop(const Draft& draft);

}  // namespace sinew::draft
