#pragma once

#include <cstdint>

#include "model/bounding_tree.h"
#include "sinew/array.h"

namespace sinew {

/// Two colliders that may touch. `first` is the geom of the smaller type, or the smaller flex after all geoms. The
/// order of contacts: by bodies (flexes count as bodies after all others), explicit pairs first, then by geoms.
struct ColliderPair {
  std::int64_t bodies = 0;  ///< twice the key of the bodies, one more if automatic
  std::int64_t geoms = 0;   ///< number of the explicit pair, or both geoms
  int pair = -1;            ///< explicit pair, -1: automatic
  int first = 0, second = 0;

  friend bool operator<(const ColliderPair& a, const ColliderPair& b) {
    return a.bodies != b.bodies ? a.bodies < b.bodies : a.geoms < b.geoms;
  }
};

/// Which colliders can ever meet, by all that the filters look at: contact bits, bodies, excludes, explicit pairs. Made
/// in the first step, and anew when a program has changed any of that.
struct ColliderPlan {
  Array<int> bounded;         ///< colliders with bounds that may meet others with bounds, growing
  Array<ColliderPair> plane;  ///< planes and what may meet them, in the order of contacts
  Array<int> passing;         ///< colliders that might pass through others: `bounded`, and geoms of explicit pairs

  // what it was made from
  Array<int> contype, conaffinity, excluded, pair;
  bool filterParent = true;
  bool isMade = false;
};

/// Which boxes of colliders are near each other, kept from step to step [Verlet 1967]. Each box has room around it, and
/// all pairs of rooms that overlap are listed. While every box stays in its room, no two of them overlap that are not
/// listed; one that leaves gets another room, and its pairs are looked up again. Pairs that the filters keep from
/// touching are left out; where few are left, rooms are endless and all of these are listed. What is kept never shows
/// in results, only in speed.
struct NearPairs {
  struct Pair {
    ColliderPair colliders;
    int first = 0, second = 0;  ///< their numbers in the lists below
  };
  ColliderPlan plan;              ///< plan.bounded: which colliders it is about
  Array<BoundingTree::Box> box;   ///< of each, as of the last step
  Array<BoundingTree::Box> room;  ///< around it; empty: all rooms are endless
  Array<Pair> pair;               ///< rooms that overlap, in the order of contacts
  BoundingTree tree;              ///< of the rooms
  bool isListed = false;          ///< else all of the above but the plan has yet to be made

  /// Forgets everything.
  void clear() { plan.isMade = isListed = false; }
};

}  // namespace sinew
