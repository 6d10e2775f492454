#pragma once

#include <span>

#include "base/arena.h"
#include "model/bounding_tree.h"
#include "model/near_pairs.h"
#include "sinew/model.h"

namespace sinew {

/// Two colliders in the order of a ColliderPair; `pair` is the explicit pair, -1: automatic.
ColliderPair orderedPair(const Model& m, int collider1, int collider2, int pair);

/// Whether the lists are about these colliders.
bool isAbout(const NearPairs& near, std::span<const int> colliders);

/// Brings the lists up to date: afterwards box[i] is that of colliders[i], and every two of them that overlap are
/// listed, beside others.
void updateNearPairs(const Model& m, std::span<const int> colliders, std::span<const BoundingTree::Box> boxes,
                     NearPairs& near, Arena& scratch);

}  // namespace sinew
