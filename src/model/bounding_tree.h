#pragma once

#include "sinew/array.h"

namespace sinew {

/// A balanced binary tree of axis-aligned boxes over a fixed set of items. Nodes are stored in preorder: the left child
/// of node k is k + 1, the right one follows the left subtree. Boxes are refitted every step; the order of the items is
/// made anew only when the boxes have become much larger than they were. What the tree looks like never shows in
/// results, only in speed.
struct BoundingTree {
  struct Box {
    double lower[3];
    double upper[3];
  };
  Array<int> item;       ///< items in the order of the leaves
  Array<int> leaves;     ///< number of leaves below each node; 1: a leaf
  Array<int> firstLeaf;  ///< position in `item` of each node's first leaf
  Array<Box> box;        ///< of each node
  double builtSize = 0;  ///< sum of the nodes' extents when the order was made
};

}  // namespace sinew
