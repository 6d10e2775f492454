#include "collision/element_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/contact_maker.h"
#include "collision/element_touches.h"
#include "collision/filters.h"
#include "collision/seams.h"
#include "collision/sides.h"
#include "collision/smooth_normals.h"
#include "collision/sweep.h"
#include "geom/element_distance.h"
#include "math/kernel.h"
#include "math/types.h"
#include "model/workspace.h"

namespace sinew {
namespace {

Touching elementOf(const Model& m, int elem) {
  const int flex = m.flexelem_flexid[elem];
  return {.flex = flex, .elem = elem - m.flex_elemadr[flex]};
}

void collidePlane(const Model& m, Data& d, const geom::CollideOptions& options, int plane, int flex,
                  const MixedParameters& p, ContactLimit& limit) {
  Array<geom::ContactPoint>& points = d.work->collideMemory->slot(0).points;
  const geom::Shape shape = shapeOf(m, d, plane);
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  const Vec3 normal = shape.rot.col(2);
  const double radius = m.flex_radius[flex];
  const double* x = d.flexvert_xpos.data() + 3 * m.flex_vertadr[flex];
  for (int i = 0; i < m.flex_vertnum[flex]; ++i) {
    const double height = normal.dot(vec3(x, i) - shape.pos);
    constexpr double kSlack = 1e-9;  // rounding must not hide a contact
    if ((1 - kSlack) * height > distance + radius + kSlack * (1 + std::abs(distance))) continue;
    points.clear();
    if (geom::collide(shape, vertexAt(m, d, m.flex_vertadr[flex] + i), distance, options, points) == 0) continue;
    addContact(m, d, p, points[0], {.geom = plane}, {.flex = flex, .vert = i});
    limit.check();
  }
}

/// The box around a geom in the axes of the geom, against elements whose boxes in the axes of the world overlap the
/// geom's: a slab that is tilted fills little of its box there.
class OwnBox {
 public:
  /// `distance`: up to which contacts are looked for.
  OwnBox(const Model& m, const Data& d, int geom, double distance)
      : size_(ConstMapVec3(m.geom_aabb.data() + 6 * geom + 3)), distance_(distance) {
    const Mat3 rot = mat3(d.geom_xmat.data(), geom);
    center_ = vec3(d.geom_xpos.data(), geom) + rot * ConstMapVec3(m.geom_aabb.data() + 6 * geom);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) row_[i][k] = rot(i, k);
    }
  }

  /// False only if the element is surely farther away than that.
  bool mayTouch(const geom::Element& element) const {
    double low[kLanes], high[kLanes];
    range(element, low, high);
    constexpr double kSlack = 1e-9;  // rounding must not hide a contact
    const double reach = distance_ + element.radius;
    const double more = reach + kSlack * std::abs(reach);
    for (int i = 0; i < 3; ++i) {
      const double bound = (1 + kSlack) * size_[i] + more;
      if (!(low[i] <= bound && -high[i] <= bound)) return false;
    }
    return true;
  }

 private:
  /// Of the corners of an element along the axes of the geom.
  SINEW_KERNEL void range(const geom::Element& element, double* low, double* high) const {
    const Wide x = loadWide(row_[0]), y = loadWide(row_[1]), z = loadWide(row_[2]);
    constexpr double kFar = std::numeric_limits<double>::max();
    Wide least = {kFar, kFar, kFar, kFar}, most = -least;
    for (std::size_t i = 0; i < static_cast<std::size_t>(element.count); ++i) {
      const Vec3 corner = element.corner[i] - center_;
      const Wide at = x * corner[0] + y * corner[1] + z * corner[2];
      least = at < least ? at : least;
      most = most < at ? at : most;
    }
    store(low, least);
    store(high, most);
  }

  double row_[3][kLanes] = {};  // of the rotation
  Vec3 center_, size_;
  double distance_;
};

/// The edges of the triangles of a flex, each once: with the first of its triangles that is asked about.
class EdgesOnce {
 public:
  EdgesOnce(const Model& m, Data& d, int flex) : m_(m), flex_(flex) {
    if (m.flex_dim[flex] == 2) seen_ = d.work->arena.zeros<bool>(m.flex_edgenum[flex]);
  }

  /// Calls f(i, j) with the corners of edges of the triangle that no other triangle before had.
  template <class F>
  void forEachNew(int elem, F&& f) {
    const int* const id = m_.flex_elemedge.data() + m_.flex_elemedgeadr[flex_] + 3 * (elem - m_.flex_elemadr[flex_]);
    for (std::size_t k = 0; k < 3; ++k) {
      bool& seen = seen_[id[k]];
      if (!seen) f(kCorners[k][0], kCorners[k][1]);
      seen = true;
    }
  }

 private:
  static constexpr std::array<std::array<std::size_t, 2>, 3> kCorners = {{{1, 2}, {2, 0}, {0, 1}}};

  const Model& m_;
  int flex_;
  std::span<bool> seen_;
};

/// The corners of elements as balls, each looked at once. The convex collider finds the deepest point of an element,
/// and where an element lies flat on a shape every point of it is: which one comes out changes from step to step, and
/// nothing would come to rest on that. So what may lie flat touches with its corners, and with its deepest point only
/// where that is deeper. Not under the law of the reference engine, whose contacts are to stay as they are.
class CornersOnce {
 public:
  CornersOnce(const Model& m, Data& d, const geom::Shape& shape, int flex)
      : m_(m),
        d_(d),
        shape_(shape),
        active_(m.flex_law[flex] != FlexLaw::Reference && geom::mayLieFlat(shape, m.flex_dim[flex] + 1)) {
    if (!active_) return;
    const int count = m.flex_vertnum[flex];
    seen_ = d.work->arena.zeros<bool>(count);
    dist_ = d.work->arena.take<double>(count);
  }

  /// Replaces the points of an element by those of its corners that no element before had, called as f(vertex, point),
  /// and by its deepest one.
  template <class F>
  void refine(int elem, double margin, const geom::CollideOptions& options, Array<geom::ContactPoint>& points, F&& f) {
    if (!active_ || points.empty()) return;
    const ElementVertices vertices(m_, elem);
    double deepest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < vertices.count; ++k) deepest = std::min(deepest, look(vertices, k, margin, options, f));
    const auto end = std::remove_if(points.begin(), points.end(), [&](const geom::ContactPoint& point) {
      return !(point.dist < deepest - options.tolerance);
    });
    points.resize(end - points.begin());
  }

 private:
  template <class F>
  double look(const ElementVertices& vertices, int k, double margin, const geom::CollideOptions& options, F&& f) {
    const int vert = vertices.local[k];
    double& dist = dist_[vert];
    bool& seen = seen_[vert];
    if (seen) return dist;
    seen = true;
    dist = std::numeric_limits<double>::infinity();
    Array<geom::ContactPoint>& points = d_.work->collideMemory->cornerPoints;
    points.clear();
    if (geom::collide(shape_, vertexAt(m_, d_, vertices.first + vert), margin, options, points) == 0) return dist;
    dist = points[0].dist;
    f(vert, points[0]);
    return dist;
  }

  const Model& m_;
  Data& d_;
  const geom::Shape& shape_;
  bool active_;
  std::span<bool> seen_;
  std::span<double> dist_;
};

/// Two elements whose boxes overlap, looked at more closely before they are listed. The cheap test comes first.
bool elementsMayTouch(const Model& m, const Data& d, int elem1, int elem2, double distance) {
  return !geom::farApart(elementAt(m, d, elem1), elementAt(m, d, elem2), distance) && !areOnOneBody(m, elem1, elem2);
}

/// Adds the contacts of collideMemory->elementPairs, elements counted over all flexes.
void collidePairs(const Model& m, Data& d, const geom::CollideOptions& options, const MixedParameters& p,
                  ContactLimit& limit) {
  Array<std::pair<int, int>>& pairs = d.work->collideMemory->elementPairs;
  Array<geom::ContactPoint>& points = d.work->collideMemory->slot(0).points;
  std::sort(pairs.begin(), pairs.end());
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  ElementTouches touches(m, d);
  for (const auto& [elem1, elem2] : pairs) {
    points.clear();
    geom::collide(elementAt(m, d, elem1), elementAt(m, d, elem2), distance, options, points);
    for (const geom::ContactPoint& point : points) touches.add(point, elementOf(m, elem1), elementOf(m, elem2));
    if (touches.isFull()) touches.makeContacts(p, limit);
  }
  touches.makeContacts(p, limit);
}

/// Parameters of contacts of a flex with itself.
MixedParameters parametersWithin(const Model& m, int flex) {
  const ContactParameters own = parametersOf(m, m.ngeom + flex);
  MixedParameters p = mixParameters(m.opt, own, own);
  p.margin = p.gap = 0;
  return p;
}

void collideInside(const Model& m, Data& d, const geom::CollideOptions& options, int flex, MixedParameters p) {
  Array<geom::ContactPoint>& points = d.work->collideMemory->slot(0).points;
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

Vec3 normalOf(const geom::Element& triangle) {
  const auto& x = triangle.corner;
  return normalizedOrX((x[1] - x[0]).cross(x[2] - x[0]));
}

/// Notes on which side of a triangle a geom is that does not touch it but is nearer than `reach`.
void noteSideAhead(Data& d, int geom, int elem, const geom::Shape& shape, const geom::Element& triangle, double reach,
                   const geom::CollideOptions& options) {
  Vec3 onShape = Vec3::Zero(), onTriangle = Vec3::Zero();
  const double apart = geom::distance(shape, triangle, reach, options, &onShape, &onTriangle);
  if (apart > 0 && apart < reach) noteSide(d, geom, elem, triangle, normalizedOrX(onTriangle - onShape));
}

/// The same for any geom, with its contact points: the deepest of those across the triangle decides.
void noteSideOf(Data& d, int geom, int elem, const geom::Shape& shape, const geom::Element& triangle, double reach,
                const geom::CollideOptions& options, const Array<geom::ContactPoint>& points) {
  if (points.empty()) return noteSideAhead(d, geom, elem, shape, triangle, reach, options);
  const Vec3 face = normalOf(triangle);
  const geom::ContactPoint* deepest = nullptr;
  for (const geom::ContactPoint& point : points) {
    if (!(std::abs(face.dot(point.normal)) > geom::kFacing)) continue;
    if (!deepest || point.dist < deepest->dist) deepest = &point;
  }
  if (deepest) noteSide(d, geom, elem, triangle, deepest->normal);
}

double stiffEarly(const Model& m, int geom, int flex) {
  const double early = stiffEarlyDistance(m, flex);
  return m.geom_rbound[geom] > 0 ? std::min(early, 0.2 * m.geom_rbound[geom]) : early;
}

}  // namespace

void collideGeomWithFlex(const Model& m, Data& d, const Sweep& sweep, ElementTrees& trees,
                         const geom::CollideOptions& options, int geom, int flex, ContactLimit& limit) {
  MixedParameters p = mixParameters(m.opt, parametersOf(m, geom), parametersOf(m, m.ngeom + flex));
  p.early = std::max(p.early, stiffEarly(m, geom, flex));
  // what flies by so fast that it leaves the reach of its contacts in a step has none ahead: they would be in its way
  const bool isPlane = m.geom_type[geom] == GeomType::Plane;
  if (p.early > 0 && !isPlane && sweep.way(geom, m.ngeom + flex) > p.early) p.early = 0;
  if (isPlane) return collidePlane(m, d, options, geom, flex, p, limit);

  const BoundingTree& tree = trees.of(flex);  // takes memory that stays, so it comes before the scope
  const Arena::Scope scope(d.work->arena);
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  Array<geom::ContactPoint>& points = d.work->collideMemory->slot(0).points;
  Array<int>& elements = d.work->collideMemory->elements;
  elements.clear();
  // sides are known before something touches: as far ahead as the next step may get
  const bool sides = hasSides(m, geom, flex);
  const double reach = distance + (sides ? sweep.way(geom, m.ngeom + flex) : 0);
  forEachInside(tree, geomBox(m, d, geom, reach), [&](int item) { elements.push_back(trees.element(flex, item)); });
  std::sort(elements.begin(), elements.end());
  const geom::Shape shape = shapeOf(m, d, geom);
  const OwnBox box(m, d, geom, distance), farBox(m, d, geom, reach);
  EdgesOnce edges(m, d, flex);
  CornersOnce corners(m, d, shape, flex);
  SmoothNormals normals(m, d, flex);
  const bool smooths = shape.type == GeomType::Box && normals.isActive();
  ElementTouches touches(m, d);
  const bool seams = options.steady && m.flex_rigid[flex] && m.flex_dim[flex] == 2;
  for (const int elem : elements) {
    const geom::Element element = elementAt(m, d, elem);
    if (!farBox.mayTouch(element) || hasVertexOn(m, elem, m.geom_bodyid[geom])) continue;
    points.clear();
    const double side = sides ? recallSide(d, geom, elem) : 0;
    if (!box.mayTouch(element)) {
      noteSideAhead(d, geom, elem, shape, element, reach, options);
      continue;
    }
    // only triangles have sides
    const int found = side != 0
                          ? geom::collideOnSide(shape, element, -side * normalOf(element), distance, options, points)
                          : geom::collide(shape, element, distance, options, points);
    if (found > geom::kMostPoints) limit.thinned(geom, m.ngeom + flex, found);
    if (element.count == 3) {
      edges.forEachNew(elem, [&](std::size_t i, std::size_t j) {
        const std::ptrdiff_t begin = points.size();
        geom::collideCrossing(shape, element.corner[i], element.corner[j], element.radius, distance, points);
        if (!smooths) return;
        const int* local = ElementVertices(m, elem).local;
        normals.turn(shape.rot, local[i], local[j], std::span(points.data() + begin, points.data() + points.size()));
      });
    }
    if (sides) noteSideOf(d, geom, elem, shape, element, reach, options, points);
    corners.refine(elem, distance, options, points, [&](int vert, const geom::ContactPoint& point) {
      touches.add(point, {.geom = geom}, {.flex = flex, .vert = vert});
    });
    for (const geom::ContactPoint& point : points) {
      if (seams && isSeamContact(m, d, elements, elem, element, point)) continue;
      touches.add(point, {.geom = geom}, elementOf(m, elem));
    }
    if (touches.isFull()) touches.makeContacts(p, limit);
  }
  touches.makeContacts(p, limit);
  if (sweep.mayPass(geom, m.ngeom + flex)) sweep.meetFlex(geom, flex, d, trees, options, p, limit);
}

void collideFlexes(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int flex1,
                   int flex2, ContactLimit& limit) {
  MixedParameters p = mixParameters(m.opt, parametersOf(m, m.ngeom + flex1), parametersOf(m, m.ngeom + flex2));
  p.early = std::max(p.early, std::min(stiffEarlyDistance(m, flex1), stiffEarlyDistance(m, flex2)));
  Array<std::pair<int, int>>& pairs = d.work->collideMemory->elementPairs;
  pairs.clear();
  const BoundingTree &tree1 = trees.of(flex1), &tree2 = trees.of(flex2);
  const double distance = detectionDistance(m.opt, p.margin, p.gap, p.early);
  forEachOverlap(tree1, tree2, distance, [&](int i, int j) {
    const int elem1 = trees.element(flex1, i), elem2 = trees.element(flex2, j);
    if (elementsMayTouch(m, d, elem1, elem2, distance)) pairs.push_back({elem1, elem2});
  });
  collidePairs(m, d, options, p, limit);
}

void collideFlexWithItself(const Model& m, Data& d, ElementTrees& trees, const geom::CollideOptions& options, int flex,
                           ContactLimit& limit) {
  if (m.flex_rigid[flex] || (m.flex_contype[flex] & m.flex_conaffinity[flex]) == 0) return;
  const MixedParameters p = parametersWithin(m, flex);
  if (m.flex_internal[flex]) collideInside(m, d, options, flex, p);
  if (m.flex_selfcollide[flex] == SelfCollide::None) return;
  Array<std::pair<int, int>>& pairs = d.work->collideMemory->elementPairs;
  pairs.clear();
  forEachOverlap(trees.of(flex), [&](int i, int j) {
    const int first = trees.element(flex, i), second = trees.element(flex, j);
    const int elem1 = std::min(first, second), elem2 = std::max(first, second);
    if (!shareVertex(m, elem1, elem2) && elementsMayTouch(m, d, elem1, elem2, 0)) pairs.push_back({elem1, elem2});
  });
  collidePairs(m, d, options, p, limit);
}

}  // namespace sinew
