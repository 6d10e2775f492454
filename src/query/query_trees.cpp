#include "query/query_trees.h"

#include <algorithm>

#include "collision/bounding_tree.h"
#include "collision/colliders.h"
#include "collision/elements.h"
#include "math/types.h"
#include "model/carrier.h"
#include "model/workspace.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

Box pointBox(const Vec3& x) { return {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}}; }

/// Vertices of what rays meet: those of an element, or of a boundary triangle of a solid. They count within the flex.
std::span<const int> surfaceVertices(const Model& m, int flex, int item) {
  const int dim = m.flex_dim[flex], corners = std::min(dim + 1, 3);
  const int* first = dim == 3 ? m.flex_shell.data() + m.flex_shelldataadr[flex] + corners * item
                              : m.flex_elem.data() + m.flex_elemdataadr[flex] + corners * item;
  return {first, static_cast<std::size_t>(corners)};
}

int surfaceCount(const Model& m, int flex) {
  return m.flex_dim[flex] == 3 ? m.flex_shellnum[flex] : m.flex_elemnum[flex];
}

Box boxOf(const geom::Element& element) {
  Vec3 low = element.corner[0], high = low;
  for (std::size_t i = 1; i < static_cast<std::size_t>(element.count); ++i) {
    low = low.cwiseMin(element.corner[i]);
    high = high.cwiseMax(element.corner[i]);
  }
  const double r = element.radius;
  return {{low[0] - r, low[1] - r, low[2] - r}, {high[0] + r, high[1] + r, high[2] + r}};
}

/// Brings a tree of `count` items up to date, boxOf(i) being the box of item i.
template <class BoxOf>
const BoundingTree& refreshed(Data& d, QueryTrees::Tree& tree, int count, BoxOf&& boxOfItem) {
  if (tree.placed == d.work->queryTrees.placed && tree.placed > 0) return tree.boxes;
  const Arena::Scope scope(d.work->arena);
  const std::span<Box> boxes = d.work->arena.take<Box>(count);
  for (int i = 0; i < count; ++i) boxes[i] = boxOfItem(i);
  updateTree(tree.boxes, boxes);
  tree.placed = d.work->queryTrees.placed;
  return tree.boxes;
}

QueryTrees::Tree& treeOfFlex(const Model& m, Array<QueryTrees::Tree>& trees, int flex) {
  if (trees.size() != m.nflex) trees.resize(m.nflex);
  return trees[flex];
}

}  // namespace

const BoundingTree& colliderTree(const Model& m, Data& d) {
  QueryTrees& trees = d.work->queryTrees;
  if (trees.colliders.placed == 0) {
    trees.planes.clear();
    for (int g = 0; g < m.ngeom; ++g) {
      if (m.geom_type[g] == GeomType::Plane) trees.planes.push_back(g);
    }
  }
  return refreshed(d, trees.colliders, m.ngeom + m.nflex, [&](int c) {
    if (c >= m.ngeom) return flexBox(m, d, c - m.ngeom, 0);
    return m.geom_type[c] == GeomType::Plane ? pointBox(vec3(d.geom_xpos.data(), c)) : geomBox(m, d, c, 0);
  });
}

const BoundingTree& surfaceTree(const Model& m, Data& d, int flex) {
  return refreshed(d, treeOfFlex(m, d.work->queryTrees.surface, flex), surfaceCount(m, flex),
                   [&](int i) { return boxOf(surfaceElement(m, d, flex, i)); });
}

geom::Element surfaceElement(const Model& m, const Data& d, int flex, int item) {
  const std::span<const int> vertices = surfaceVertices(m, flex, item);
  geom::Element element;
  element.count = static_cast<int>(vertices.size());
  element.radius = m.flex_radius[flex];
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    element.corner[i] = vec3(d.flexvert_xpos.data(), m.flex_vertadr[flex] + vertices[i]);
  }
  return element;
}

int bodyOfSurfaceElement(const Model& m, int flex, int item) {
  int body = -2;  // none seen yet
  const auto see = [&](int point) {
    const int behind = bodyBehind(m, Carrier::ofPoint(m, point));
    body = body == -2 || body == behind ? behind : -1;
  };
  for (const int v : surfaceVertices(m, flex, item)) {
    const int vertex = m.flex_vertadr[flex] + v, adr = m.flexvert_supportadr[vertex];
    if (adr < 0) see(m.flex_pointadr[flex] + v);
    for (int k = adr; adr >= 0 && k < adr + m.flexvert_supportnum[vertex]; ++k) see(m.flexsupport_pointid[k]);
    if (body == -1) return -1;
  }
  return body;
}

const BoundingTree& elementTree(const Model& m, Data& d, int flex) {
  if (m.flex_dim[flex] < 3) return surfaceTree(m, d, flex);
  return refreshed(d, treeOfFlex(m, d.work->queryTrees.solid, flex), m.flex_elemnum[flex],
                   [&](int i) { return boxOf(elementAt(m, d, m.flex_elemadr[flex] + i)); });
}

}  // namespace sinew
