#include "collision/element_contacts.h"

#include <algorithm>
#include <utility>

#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/contact_maker.h"
#include "collision/filters.h"

namespace sinew {
namespace {

Touching elementOf(const Model& m, int elem) {
  const int flex = m.flexelem_flexid[elem];
  return {.flex = flex, .elem = elem - m.flex_elemadr[flex]};
}

void collidePlane(const Model& m, Data& d, const geom::CollideOptions& options, int plane, int flex,
                  const MixedParameters& p) {
  Array<geom::ContactPoint>& points = d.collideMemory->slot(0).points;
  const geom::Shape shape = shapeOf(m, d, plane);
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  for (int i = 0; i < m.flex_vertnum[flex]; ++i) {
    points.clear();
    if (geom::collide(shape, vertexAt(m, d, m.flex_vertadr[flex] + i), distance, options, points) == 0) continue;
    addContact(m, d, p, points[0], {.geom = plane}, {.flex = flex, .vert = i});
  }
}

/// Two elements whose boxes overlap, looked at more closely before they are listed. The cheap test comes first.
bool mayTouch(const Model& m, const Data& d, int elem1, int elem2, double distance) {
  return !geom::farApart(elementAt(m, d, elem1), elementAt(m, d, elem2), distance) && !areOnOneBody(m, elem1, elem2);
}

/// Adds the contacts of collideMemory->elementPairs, elements counted over all flexes.
void collidePairs(const Model& m, Data& d, const geom::CollideOptions& options, const MixedParameters& p) {
  Array<std::pair<int, int>>& pairs = d.collideMemory->elementPairs;
  Array<geom::ContactPoint>& points = d.collideMemory->slot(0).points;
  std::sort(pairs.begin(), pairs.end());
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  for (const auto& [elem1, elem2] : pairs) {
    points.clear();
    geom::collide(elementAt(m, d, elem1), elementAt(m, d, elem2), distance, options, points);
    for (const geom::ContactPoint& point : points) {
      addContact(m, d, p, point, elementOf(m, elem1), elementOf(m, elem2));
    }
  }
}

/// Parameters of contacts of a flex with itself.
MixedParameters parametersWithin(const Model& m, int flex) {
  const ContactParameters own = parametersOf(m, m.ngeom + flex);
  MixedParameters p = mixParameters(m.opt, own, own);
  p.margin = p.gap = 0;
  return p;
}

void collideInside(const Model& m, Data& d, const geom::CollideOptions& options, int flex, MixedParameters p) {
  Array<geom::ContactPoint>& points = d.collideMemory->slot(0).points;
  const int vertadr = m.flex_vertadr[flex], elemadr = m.flex_elemadr[flex];
  for (int i = m.flex_evpairadr[flex]; i < m.flex_evpairadr[flex] + m.flex_evpairnum[flex]; ++i) {
    const int elem = m.flex_evpair[2 * i], vert = m.flex_evpair[2 * i + 1];
    points.clear();
    geom::collide(vertexAt(m, d, vertadr + vert), elementAt(m, d, elemadr + elem), 0, options, points);
    for (const geom::ContactPoint& point : points) {
      addContact(m, d, p, point, {.flex = flex, .vert = vert}, {.flex = flex, .elem = elem});
    }
  }
  if (m.flex_dim[flex] != 3) return;
  p.dim = 1;
  for (int elem = 0; elem < m.flex_elemnum[flex]; ++elem) {
    const geom::Element tetrahedron = elementAt(m, d, elemadr + elem);
    const int* local = ElementVertices(m, elemadr + elem).local;
    for (const std::array<int, 4>& faceAndCorner : geom::kFacesAndCorner) {
      points.clear();
      if (geom::collideCornerWithFace(tetrahedron, faceAndCorner, points) == 0) continue;
      addContact(m, d, p, points[0], {.flex = flex, .elem = elem}, {.flex = flex, .vert = local[faceAndCorner[3]]});
    }
  }
}

}  // namespace

void collideGeomWithFlex(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int geom,
                         int flex) {
  const MixedParameters p = mixParameters(m.opt, parametersOf(m, geom), parametersOf(m, m.ngeom + flex));
  if (m.geom_type[geom] == GeomType::Plane) return collidePlane(m, d, options, geom, flex, p);

  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  Array<geom::ContactPoint>& points = d.collideMemory->slot(0).points;
  Array<int>& elements = d.collideMemory->elements;
  elements.clear();
  forEachInside(trees.of(flex), geomBox(m, d, geom, distance),
                [&](int item) { elements.push_back(trees.element(flex, item)); });
  std::sort(elements.begin(), elements.end());
  const geom::Shape shape = shapeOf(m, d, geom);
  for (const int elem : elements) {
    if (hasVertexOn(m, elem, m.geom_bodyid[geom])) continue;
    points.clear();
    geom::collide(shape, elementAt(m, d, elem), distance, options, points);
    for (const geom::ContactPoint& point : points) {
      addContact(m, d, p, point, {.geom = geom}, elementOf(m, elem));
    }
  }
}

void collideFlexes(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int flex1,
                   int flex2) {
  const MixedParameters p = mixParameters(m.opt, parametersOf(m, m.ngeom + flex1), parametersOf(m, m.ngeom + flex2));
  Array<std::pair<int, int>>& pairs = d.collideMemory->elementPairs;
  pairs.clear();
  const BoundingTree &tree1 = trees.of(flex1), &tree2 = trees.of(flex2);
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  forEachOverlap(tree1, tree2, distance, [&](int i, int j) {
    const int elem1 = trees.element(flex1, i), elem2 = trees.element(flex2, j);
    if (mayTouch(m, d, elem1, elem2, distance)) pairs.push_back({elem1, elem2});
  });
  collidePairs(m, d, options, p);
}

void collideFlexWithItself(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options,
                           int flex) {
  if (m.flex_rigid[flex] || (m.flex_contype[flex] & m.flex_conaffinity[flex]) == 0) return;
  const MixedParameters p = parametersWithin(m, flex);
  if (m.flex_internal[flex]) collideInside(m, d, options, flex, p);
  if (m.flex_selfcollide[flex] == SelfCollide::None) return;
  Array<std::pair<int, int>>& pairs = d.collideMemory->elementPairs;
  pairs.clear();
  forEachOverlap(trees.of(flex), [&](int i, int j) {
    const auto [elem1, elem2] = std::minmax({trees.element(flex, i), trees.element(flex, j)});
    if (!shareVertex(m, elem1, elem2) && mayTouch(m, d, elem1, elem2, 0)) pairs.push_back({elem1, elem2});
  });
  collidePairs(m, d, options, p);
}

}  // namespace sinew
