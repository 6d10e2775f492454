#pragma once

#include "compile/draft.h"

namespace sinew::draft {

/// Fills draft.bodies from the tree of the Spec: depth first, frames resolved, inertias computed, free joints aligned
/// where asked. Needs draft.meshes and draft.hfields.
void draftTree(Draft& draft);

}  // namespace sinew::draft
