#include "query/nearest.h"

#include <algorithm>
#include <tuple>

#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/elements.h"
#include "geom/element_distance.h"
#include "model/bounding_tree.h"
#include "query/query_trees.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

/// Distance of two boxes; 0 if they overlap.
double gapBetween(const Box& a, const Box& b) {
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({0.0, a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]});
    square += gap * gap;
  }
  return std::sqrt(square);
}

/// How low a box reaches over a plane; negative below it.
double heightOver(const Vec3& pos, const Vec3& normal, const Box& box) {
  double height = -normal.dot(pos);
  for (int i = 0; i < 3; ++i) height += std::min(normal[i] * box.lower[i], normal[i] * box.upper[i]);
  return height;
}

/// The nearest pair so far. Which pairs are looked at depends on the trees, the result does not: of equal distances the
/// smallest elements count.
class Search {
 public:
  Search(const Model& m, double cutoff) : options_{m.opt.ccd_tolerance, m.opt.ccd_iterations, false} {
    nearest_.distance = cutoff;
  }

  /// Whether something at this distance or farther can still matter; rounding hides nothing.
  bool matters(double bound) const { return bound <= 0 || bound <= reach(); }

  /// How far a pair is looked for.
  double reach() const { return std::max(nearest_.distance, 0.0) * (1 + 1e-9) + 1e-12; }

  const geom::CollideOptions& options() const { return options_; }

  void offer(double dist, const Vec3& from, const Vec3& to, int element1, int element2) {
    const auto rank = std::tuple(dist, element1, element2);
    if (nearest_.found ? !(rank < std::tuple(nearest_.distance, nearest_.element1, nearest_.element2))
                       : !(dist < nearest_.distance)) {
      return;
    }
    nearest_ = {dist, true, from, to, element1, element2};
  }

  const NearestPoints& result() const { return nearest_; }

 private:
  geom::CollideOptions options_;
  NearestPoints nearest_;
};

void searchGeoms(const Model& m, const Data& d, int g1, int g2, Search& search) {
  const double cutoff = search.result().distance;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  const double dist = geom::distance(shapeOf(m, d, g1), shapeOf(m, d, g2), cutoff, search.options(), &from, &to);
  if (dist < cutoff) search.offer(dist, from, to, -1, -1);
}

/// visit(item) for the leaves whose bound matters, nearer subtrees first.
template <class Bound, class Visit>
void descend(const BoundingTree& tree, int node, const Search& search, Bound& bound, Visit& visit) {
  if (tree.leaves[node] == 1) return visit(tree.item[tree.firstLeaf[node]]);
  int near = node + 1, far = node + 2 * tree.leaves[node + 1];
  double toNear = bound(tree.box[near]), toFar = bound(tree.box[far]);
  if (toFar < toNear) {
    std::swap(near, far);
    std::swap(toNear, toFar);
  }
  if (search.matters(toNear)) descend(tree, near, search, bound, visit);
  if (search.matters(toFar)) descend(tree, far, search, bound, visit);
}

void searchGeomAndFlex(const Model& m, Data& d, int g, int flex, bool flipped, Search& search) {
  const BoundingTree& tree = elementTree(m, d, flex);
  if (tree.item.empty()) return;
  const geom::Shape shape = shapeOf(m, d, g);
  const auto visit = [&](int item) {
    Vec3 onGeom = Vec3::Zero(), onFlex = Vec3::Zero();
    const double reach = search.reach();
    const double dist =
        geom::distance(shape, elementAt(m, d, m.flex_elemadr[flex] + item), reach, search.options(), &onGeom, &onFlex);
    if (!(dist < reach)) return;
    flipped ? search.offer(dist, onFlex, onGeom, item, -1) : search.offer(dist, onGeom, onFlex, -1, item);
  };
  if (m.geom_type[g] == GeomType::Plane) {
    const Vec3 normal = shape.rot.col(2);
    const auto bound = [&](const Box& box) { return heightOver(shape.pos, normal, box); };
    descend(tree, 0, search, bound, visit);
  } else {
    const Box around = geomBox(m, d, g, 0);
    const auto bound = [&](const Box& box) { return gapBetween(around, box); };
    descend(tree, 0, search, bound, visit);
  }
}

template <class Visit>
void descendBoth(const BoundingTree& first, int a, const BoundingTree& second, int b, const Search& search,
                 Visit& visit) {
  if (first.leaves[a] == 1 && second.leaves[b] == 1) {
    return visit(first.item[first.firstLeaf[a]], second.item[second.firstLeaf[b]]);
  }
  const bool splitFirst = first.leaves[a] >= second.leaves[b];
  const BoundingTree& tree = splitFirst ? first : second;
  const int node = splitFirst ? a : b;
  const Box& other = splitFirst ? second.box[b] : first.box[a];
  int near = node + 1, far = node + 2 * tree.leaves[node + 1];
  double toNear = gapBetween(tree.box[near], other), toFar = gapBetween(tree.box[far], other);
  if (toFar < toNear) {
    std::swap(near, far);
    std::swap(toNear, toFar);
  }
  const auto follow = [&](int child) {
    splitFirst ? descendBoth(first, child, second, b, search, visit)
               : descendBoth(first, a, second, child, search, visit);
  };
  if (search.matters(toNear)) follow(near);
  if (search.matters(toFar)) follow(far);
}

void searchFlexes(const Model& m, Data& d, int flex1, int flex2, Search& search) {
  const BoundingTree &tree1 = elementTree(m, d, flex1), &tree2 = elementTree(m, d, flex2);
  if (tree1.item.empty() || tree2.item.empty()) return;
  const auto visit = [&](int i, int j) {
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    const double reach = search.reach();
    const double dist = geom::distance(elementAt(m, d, m.flex_elemadr[flex1] + i),
                                       elementAt(m, d, m.flex_elemadr[flex2] + j), reach, search.options(), &from, &to);
    if (dist < reach) search.offer(dist, from, to, i, j);
  };
  descendBoth(tree1, 0, tree2, 0, search, visit);
}

}  // namespace

NearestPoints nearestPoints(const Model& m, Data& d, const Collider& first, const Collider& second, double cutoff) {
  Search search(m, cutoff);
  const bool flex1 = first.type == ObjType::Flex, flex2 = second.type == ObjType::Flex;
  if (flex1 && flex2) {
    searchFlexes(m, d, first.id, second.id, search);
  } else if (flex1 || flex2) {
    searchGeomAndFlex(m, d, flex1 ? second.id : first.id, flex1 ? first.id : second.id, flex1, search);
  } else {
    searchGeoms(m, d, first.id, second.id, search);
  }
  return search.result();
}

}  // namespace sinew
