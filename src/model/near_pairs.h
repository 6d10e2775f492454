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

/// Which boxes of colliders are near each other, kept from step to step [Verlet 1967]. Each box has room around it, and
/// all pairs of rooms that overlap are listed. While every box stays in its room, no two of them overlap that are not
/// listed; one that leaves gets another room, and its pairs are looked up again. Pairs that the filters (bits, bodies,
/// excludes, explicit pairs) keep from touching are left out. What is kept never shows in results, only in speed.
struct NearPairs {
  struct Pair {
    ColliderPair colliders;
    int first = 0, second = 0;  ///< their numbers in the lists below
  };
  Array<int> collider;            ///< which colliders it is about
  Array<BoundingTree::Box> box;   ///< of each, as of the last step
  Array<BoundingTree::Box> room;  ///< around it
  Array<Pair> pair;               ///< rooms that overlap, in the order of contacts
  BoundingTree tree;              ///< of the rooms
  std::uint64_t filters = 0;      ///< digest of all that the filters look at; another one: the list is made anew

  /// Forgets everything.
  void clear() { collider.clear(); }
};

}  // namespace sinew
