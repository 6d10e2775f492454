#pragma once

#include <cstdint>

#include "model/bounding_tree.h"
#include "sinew/array.h"

namespace sinew {

/// Bounding trees for rays and distances (sinew/query.h), refitted when a query needs one that is out of date. They
/// never show in results, only in speed.
struct QueryTrees {
  /// A tree and the value of `placed` that its boxes belong to; 0: none yet.
  struct Tree {
    BoundingTree boxes;
    std::uint64_t placed = 0;
  };
  std::uint64_t placed = 0;  ///< counts changes of the poses since reset; 0: nothing is placed yet [kinematics, flexes]
  Tree colliders;            ///< items: geoms, then ngeom + flex. Planes have no bounds: they do not count there
  Array<int> planes;         ///< geoms that are planes
  Array<Tree> surface;       ///< of each flex: segments, triangles, or the boundary triangles of a solid
  Array<Tree> solid;         ///< of each flex of dim 3: tetrahedra

  /// After a reset: nothing is placed, no tree is up to date.
  void forget() {
    placed = colliders.placed = 0;
    for (Tree& tree : surface) tree.placed = 0;
    for (Tree& tree : solid) tree.placed = 0;
  }
};

}  // namespace sinew
