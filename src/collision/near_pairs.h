#pragma once

#include <span>

#include "base/arena.h"
#include "model/bounding_tree.h"
#include "model/near_pairs.h"
#include "sinew/model.h"

namespace sinew {

/// Up to so many colliders each is asked about every other when lists are made; the tree of boxes does for more.
inline constexpr std::ptrdiff_t kMostAskedAbout = 1000;

/// Two colliders in the order of a ColliderPair; `pair` is the explicit pair, -1: automatic.
ColliderPair orderedPair(const Model& m, int collider1, int collider2, int pair);

/// Brings the lists up to date: afterwards box[i] is that of plan.bounded[i], and every two of them that overlap and
/// may meet are listed, beside others. Needs updatePlan().
void updateNearPairs(const Model& m, std::span<const BoundingTree::Box> boxes, NearPairs& near, Arena& scratch);

}  // namespace sinew
