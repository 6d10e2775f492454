#pragma once

#include <functional>

#include "compile/draft.h"

namespace sinew::draft {

/// Calls `onBody` for every body below and including `world`, depth first in document order, with the id of its parent;
/// ids count the calls. `onFlexcomp` is called in between and returns how many bodies (and ids) it takes.
void visitTree(const spec::Body& world, const std::function<void(const spec::Body& body, int parent)>& onBody,
               const std::function<int(const spec::Flexcomp& flexcomp, int parent)>& onFlexcomp);

/// Fills draft.bodies from the tree of the Spec: depth first, frames resolved, inertias computed, free joints aligned
/// where asked. Needs draft.meshes and draft.hfields.
void draftTree(Draft& draft);

}  // namespace sinew::draft
