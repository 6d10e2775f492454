#pragma once

#include <span>

#include "sinew/bounding_tree.h"

namespace sinew {

/// Builds or refits the tree over the boxes of `count` items; box i belongs to item i. Rebuilds when the number of
/// items has changed or the tree has become loose.
void updateTree(BoundingTree& tree, std::span<const BoundingTree::Box> boxes);

inline bool overlap(const BoundingTree::Box& a, const BoundingTree::Box& b) {
  // all six without branches: which one fails is hard to guess
  return ((a.lower[0] <= b.upper[0]) & (b.lower[0] <= a.upper[0]) & (a.lower[1] <= b.upper[1]) &
          (b.lower[1] <= a.upper[1]) & (a.lower[2] <= b.upper[2]) & (b.lower[2] <= a.upper[2])) != 0;
}

/// Calls f(i, j) once for every two items whose boxes overlap, in no particular order.
template <class F>
void forEachOverlap(const BoundingTree& tree, F&& f);

namespace detail {

template <class F>
void overlapsBetween(const BoundingTree& tree, int a, int b, F&& f) {
  if (!overlap(tree.box[a], tree.box[b])) return;
  if (tree.leaves[a] == 1 && tree.leaves[b] == 1) {
    f(tree.item[tree.firstLeaf[a]], tree.item[tree.firstLeaf[b]]);
  } else if (tree.leaves[a] >= tree.leaves[b]) {
    overlapsBetween(tree, a + 1, b, f);
    overlapsBetween(tree, a + 2 * tree.leaves[a + 1], b, f);
  } else {
    overlapsBetween(tree, a, b + 1, f);
    overlapsBetween(tree, a, b + 2 * tree.leaves[b + 1], f);
  }
}

template <class F>
void overlapsWithin(const BoundingTree& tree, int node, F&& f) {
  if (tree.leaves[node] == 1) return;
  const int left = node + 1, right = node + 2 * tree.leaves[node + 1];
  overlapsWithin(tree, left, f);
  overlapsWithin(tree, right, f);
  overlapsBetween(tree, left, right, f);
}

}  // namespace detail

template <class F>
void forEachOverlap(const BoundingTree& tree, F&& f) {
  if (!tree.item.empty()) detail::overlapsWithin(tree, 0, f);
}

}  // namespace sinew
