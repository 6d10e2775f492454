#pragma once

#include <span>

#include "model/bounding_tree.h"

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

/// Calls f(i, j) for every item of the one tree and of the other whose boxes are nearer than `reach`, in no particular
/// order.
template <class F>
void forEachOverlap(const BoundingTree& a, const BoundingTree& b, double reach, F&& f);

/// Calls f(i) for every item whose box overlaps the given one, in no particular order.
template <class F>
void forEachInside(const BoundingTree& tree, const BoundingTree::Box& box, F&& f);

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

/// Node `a` of one tree against node `b` of the other, `reach` included in neither.
template <class F>
void overlapsAcross(const BoundingTree& first, int a, const BoundingTree& second, int b, double reach, F&& f) {
  const BoundingTree::Box &p = first.box[a], &q = second.box[b];
  for (int i = 0; i < 3; ++i) {
    if (p.lower[i] > q.upper[i] + reach || q.lower[i] > p.upper[i] + reach) return;
  }
  if (first.leaves[a] == 1 && second.leaves[b] == 1) {
    f(first.item[first.firstLeaf[a]], second.item[second.firstLeaf[b]]);
  } else if (first.leaves[a] >= second.leaves[b]) {
    overlapsAcross(first, a + 1, second, b, reach, f);
    overlapsAcross(first, a + 2 * first.leaves[a + 1], second, b, reach, f);
  } else {
    overlapsAcross(first, a, second, b + 1, reach, f);
    overlapsAcross(first, a, second, b + 2 * second.leaves[b + 1], reach, f);
  }
}

template <class F>
void insideBelow(const BoundingTree& tree, int node, const BoundingTree::Box& box, F&& f) {
  if (!overlap(tree.box[node], box)) return;
  if (tree.leaves[node] == 1) {
    f(tree.item[tree.firstLeaf[node]]);
    return;
  }
  insideBelow(tree, node + 1, box, f);
  insideBelow(tree, node + 2 * tree.leaves[node + 1], box, f);
}

}  // namespace detail

template <class F>
void forEachOverlap(const BoundingTree& tree, F&& f) {
  if (!tree.item.empty()) detail::overlapsWithin(tree, 0, f);
}

template <class F>
void forEachOverlap(const BoundingTree& a, const BoundingTree& b, double reach, F&& f) {
  if (!a.item.empty() && !b.item.empty()) detail::overlapsAcross(a, 0, b, 0, reach, f);
}

template <class F>
void forEachInside(const BoundingTree& tree, const BoundingTree::Box& box, F&& f) {
  if (!tree.item.empty()) detail::insideBelow(tree, 0, box, f);
}

}  // namespace sinew
