#include "collision/elements.h"

#include <algorithm>

#include "collision/bounding_tree.h"
#include "math/kernel.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// The box around points, of which there is at least one, with x and y side by side.
class Extent {
 public:
  explicit Extent(const double* x) : low_(loadPair(x)), high_(low_), lowZ_(x[2]), highZ_(x[2]) {}

  void include(const double* x) {
    const Pair xy = loadPair(x);
    low_ = xy < low_ ? xy : low_;
    high_ = high_ < xy ? xy : high_;
    lowZ_ = std::min(lowZ_, x[2]);
    highZ_ = std::max(highZ_, x[2]);
  }

  BoundingTree::Box grown(double reach) const {
    BoundingTree::Box box;
    store(box.lower, low_ - reach);
    box.lower[2] = lowZ_ - reach;
    store(box.upper, high_ + reach);
    box.upper[2] = highZ_ + reach;
    return box;
  }

 private:
  Pair low_, high_;
  double lowZ_, highZ_;
};

BoundingTree::Box elementBox(const Model& m, const Data& d, int elem) {
  const ElementVertices e(m, elem);
  const double* x = d.flexvert_xpos.data() + 3 * e.first;
  Extent extent(x + 3 * e.local[0]);
  for (int i = 1; i < e.count; ++i) extent.include(x + 3 * e.local[i]);
  return extent.grown(m.flex_radius[e.flex]);
}

}  // namespace

geom::Element elementAt(const Model& m, const Data& d, int elem) {
  const ElementVertices e(m, elem);
  geom::Element element;
  element.count = e.count;
  element.radius = m.flex_radius[e.flex];
  for (int i = 0; i < e.count; ++i) {
    element.corner[i] = vec3(d.flexvert_xpos.data(), e.first + e.local[i]);
  }
  return element;
}

geom::Element vertexAt(const Model& m, const Data& d, int vert) {
  geom::Element element;
  element.count = 1;
  element.radius = m.flex_radius[m.flexvert_flexid[vert]];
  element.corner[0] = vec3(d.flexvert_xpos.data(), vert);
  return element;
}

BoundingTree::Box flexBox(const Model& m, const Data& d, int flex, double reach) {
  const double* x = d.flexvert_xpos.data() + 3 * m.flex_vertadr[flex];
  Extent extent(x);
  for (int i = 1; i < m.flex_vertnum[flex]; ++i) extent.include(x + 3 * i);
  return extent.grown(m.flex_radius[flex] + reach);
}

ElementTrees::ElementTrees(const Model& m, Data& d)
    : m_(m), d_(d), active_(d.work->arena.zeros<std::span<int>>(m.nflex)), fresh_(d.work->arena.zeros<bool>(m.nflex)) {
  if (d.work->elementTree.size() != m.nflex) d.work->elementTree.resize(m.nflex);
}

const BoundingTree& ElementTrees::of(int flex) {
  if (!fresh_[flex]) update(flex);
  return d_.work->elementTree[flex];
}

void ElementTrees::update(int flex) {
  fresh_[flex] = true;
  const int begin = m_.flex_elemadr[flex], end = begin + m_.flex_elemnum[flex];
  std::size_t count = static_cast<std::size_t>(end - begin);
  if (m_.flex_dim[flex] == 3) {
    const std::span<int> list = d_.work->arena.take<int>(end - begin);
    count = 0;
    for (int e = begin; e < end; ++e) {
      if (isActive(m_, e)) list[count++] = e;
    }
    active_[flex] = list.first(count);
  }
  const Arena::Scope scope(d_.work->arena);
  const std::span<BoundingTree::Box> boxes = d_.work->arena.take<BoundingTree::Box>(static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) boxes[i] = elementBox(m_, d_, element(flex, static_cast<int>(i)));
  updateTree(d_.work->elementTree[flex], boxes);
}

}  // namespace sinew
