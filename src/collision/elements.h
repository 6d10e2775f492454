#pragma once

#include <span>

#include "geom/element.h"
#include "math/types.h"
#include "model/bounding_tree.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// The vertices of an element, which is counted over all flexes.
struct ElementVertices {
  ElementVertices(const Model& m, int elem)
      : flex(m.flexelem_flexid[elem]),
        count(m.flex_dim[flex] + 1),
        first(m.flex_vertadr[flex]),
        local(m.flex_elem.data() + m.flex_elemdataadr[flex] + (elem - m.flex_elemadr[flex]) * count) {}

  int flex, count;
  int first;         ///< vertex 0 of the flex, counted over all flexes
  const int* local;  ///< counted within the flex
};

/// An element, or a vertex as a ball, where it is now. Needs kinematics().
geom::Element elementAt(const Model& m, const Data& d, int elem);
geom::Element vertexAt(const Model& m, const Data& d, int vert);

/// Whether an element (counted over all flexes) takes part in collisions: inner layers of a solid do not.
inline bool isActive(const Model& m, int elem) {
  const int flex = m.flexelem_flexid[elem];
  return m.flex_dim[flex] < 3 || m.flex_elemlayer[elem] < m.flex_activelayers[flex];
}

/// World box of all vertices of a flex, grown by its radius and `reach`.
BoundingTree::Box flexBox(const Model& m, const Data& d, int flex, double reach);

/// The trees over the active elements of each flex. A tree is brought up to date when it is first asked for in a step,
/// so flexes that meet nothing cost nothing. Memory comes from the arena and lives as long as the caller's scope.
class ElementTrees {
 public:
  ElementTrees(const Model& m, Data& d);

  /// Over boxes of the elements that include the radius. Its items are numbers for element().
  const BoundingTree& of(int flex);
  /// Item of the tree to element, counted over all flexes.
  int element(int flex, int item) const {
    const std::span<const int> list = active_[flex];
    return list.empty() ? m_.flex_elemadr[flex] + item : list[item];
  }

 private:
  void update(int flex);

  const Model& m_;
  Data& d_;
  std::span<std::span<int>> active_;  ///< elements of dim 3 flexes; empty: all of them
  std::span<bool> fresh_;
};

}  // namespace sinew
