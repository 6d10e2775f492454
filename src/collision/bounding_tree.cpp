#include "collision/bounding_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "math/kernel.h"
#include "model/bounding_tree.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

/// The order is made anew when the boxes' extents exceed those of a fresh tree by this factor.
constexpr double kLoose = 1.5;

double extent(const Box& box) {
  return (box.upper[0] - box.lower[0]) + (box.upper[1] - box.lower[1]) + (box.upper[2] - box.lower[2]);
}

static_assert(sizeof(Box) == 6 * sizeof(double));

inline __attribute__((always_inline)) void merge(const Box& a, const Box& b, Box& out) {
  const double *p = reinterpret_cast<const double*>(&a), *q = reinterpret_cast<const double*>(&b);
  const Wide x = loadWide(p), y = loadWide(q);  // the lower ends, and one upper end
  const Wide low = y < x ? y : x, high = x < y ? y : x;
  const Pair u = loadPair(p + kLanes), v = loadPair(q + kLanes);
  double* to = reinterpret_cast<double*>(&out);
  store(to, __builtin_shufflevector(low, high, 0, 1, 2, 7));
  store(to + kLanes, Pair(u < v ? v : u));
}

/// Children come after their parents, so one pass from the back refits everything. Returns the sum of extents.
SINEW_KERNEL double refit(BoundingTree& tree, std::span<const Box> boxes) {
  double size = 0;
  for (std::ptrdiff_t node = tree.leaves.size() - 1; node >= 0; --node) {
    const int leaves = tree.leaves[node];
    Box& box = tree.box[node];
    if (leaves == 1) {
      box = boxes[tree.item[tree.firstLeaf[node]]];
    } else {
      merge(tree.box[node + 1], tree.box[node + 2 * tree.leaves[node + 1]], box);
    }
    size += extent(box);
  }
  return size;
}

/// Splits the items [begin, end) at the median of their centres along the axis on which the centres spread most.
void buildNode(BoundingTree& tree, std::span<const Box> boxes, int begin, int end) {
  tree.leaves.push_back(end - begin);
  tree.firstLeaf.push_back(begin);
  if (end - begin == 1) return;
  double lower[3], upper[3];
  std::fill_n(lower, 3, std::numeric_limits<double>::max());
  std::fill_n(upper, 3, std::numeric_limits<double>::lowest());
  for (int k = begin; k < end; ++k) {
    const Box& box = boxes[tree.item[k]];
    for (int i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], box.lower[i] + box.upper[i]);
      upper[i] = std::max(upper[i], box.lower[i] + box.upper[i]);
    }
  }
  int axis = 0;
  for (int i = 1; i < 3; ++i) {
    if (upper[i] - lower[i] > upper[axis] - lower[axis]) axis = i;
  }
  const int middle = begin + (end - begin) / 2;
  int* items = tree.item.data();
  std::nth_element(items + begin, items + middle, items + end, [&](int a, int b) {
    const Box& p = boxes[a];
    const Box& q = boxes[b];
    const double pc = p.lower[axis] + p.upper[axis], qc = q.lower[axis] + q.upper[axis];
    return pc < qc || (pc == qc && a < b);
  });
  buildNode(tree, boxes, begin, middle);
  buildNode(tree, boxes, middle, end);
}

/// A new order of the items.
void rebuild(BoundingTree& tree, std::span<const Box> boxes) {
  tree.leaves.clear();
  tree.firstLeaf.clear();
  if (!boxes.empty()) buildNode(tree, boxes, 0, static_cast<int>(boxes.size()));
  tree.box.resize(tree.leaves.size());
  tree.builtSize = refit(tree, boxes);
}

}  // namespace

void updateTree(BoundingTree& tree, std::span<const Box> boxes) {
  const auto count = static_cast<std::ptrdiff_t>(boxes.size());
  if (tree.item.size() == count) {
    if (count == 0 || refit(tree, boxes) <= kLoose * tree.builtSize) return;
  } else {
    tree.item.resize(count);
    std::iota(tree.item.begin(), tree.item.end(), 0);
  }
  rebuild(tree, boxes);
}

}  // namespace sinew
