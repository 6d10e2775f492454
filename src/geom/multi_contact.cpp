#include "geom/multi_contact.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "geom/body_faces.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

constexpr double kFacing = 0.996;      ///< cosine from which two directions count as parallel, about 5 degrees
constexpr double kAlongFace = 0.0888;  ///< and sine of about the same angle, for an edge along a face

/// A feature reduced to its distinct vertices.
struct Distinct {
  std::array<int, 3> vertex;
  std::array<Vec3, 3> point;
  int count;

  explicit Distinct(const Feature& f) : vertex(f.vertex), point(f.point), count(3) {
    if (vertex[0] == vertex[1]) {
      if (vertex[0] == vertex[2]) {
        count = 1;
        return;
      }
      vertex[1] = vertex[2];
      point[1] = point[2];
      count = 2;
    } else if (vertex[2] == vertex[0] || vertex[2] == vertex[1]) {
      count = 2;
    }
  }
};

// ------------------------------------------------------------------------------------------- faces at a feature

void addFace(const ConvexBody& body, int face, ClipScratch::Side& side) {
  side.normal.push_back(faceNormal(body, face));
  side.face.push_back(face);
}

/// Faces of a box that contain all vertices of the feature. Where edges or triangles run through the inside of the box,
/// the face whose normal is near `outward`, if there is one.
void boxFaces(const ConvexBody& box, const Distinct& feature, const Vec3& outward, ClipScratch::Side& side) {
  for (int axis = 0; axis < 3; ++axis) {
    int positive = 0;
    for (int i = 0; i < feature.count; ++i) positive += feature.vertex[i] >> axis & 1;
    if (positive == feature.count) addFace(box, 2 * axis, side);
    if (positive == 0) addFace(box, 2 * axis + 1, side);
  }
  const int expected = 4 - feature.count;  // a corner belongs to 3 faces, an edge to 2
  if (static_cast<int>(side.face.size()) == expected) return;

  side.normal.clear();
  side.face.clear();
  const Vec3 local = unitOrX(applyTransposed(box.rot(), outward));
  for (int face = 0; face < 6; ++face) {
    if ((face % 2 == 0 ? 1 : -1) * local[face / 2] > kFacing) return addFace(box, face, side);
  }
}

/// Hull polygons that contain all vertices of the feature. An edge has at most two; three vertices take the first.
void meshFaces(const ConvexBody& mesh, const Distinct& feature, ClipScratch::Side& side) {
  const HullView& hull = mesh.hull();
  const std::span<const int> around = polygonsAround(hull, feature.vertex[0]);
  if (feature.count == 1) {
    for (const int polygon : around) addFace(mesh, polygon, side);
    return;
  }
  const auto contains = [](std::span<const int> list, int value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  std::array<int, 2> common{};
  std::size_t count = 0;
  for (const int polygon : around) {
    if (count < 2 && contains(polygonsAround(hull, feature.vertex[1]), polygon)) common[count++] = polygon;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (feature.count == 3 && !contains(polygonsAround(hull, feature.vertex[2]), common[i])) continue;
    addFace(mesh, common[i], side);
    if (feature.count == 3) return;
  }
}

void facesAt(const ConvexBody& body, const Distinct& feature, const Vec3& outward, ClipScratch::Side& side) {
  side.normal.clear();
  side.face.clear();
  if (body.isBox()) {
    boxFaces(body, feature, outward, side);
  } else {
    meshFaces(body, feature, side);
  }
}

/// Replaces the faces of a vertex or edge feature by its edges: unit directions and far ends, seen from point[0].
void edgesAt(const ConvexBody& body, const Distinct& feature, ClipScratch::Side& side) {
  side.normal.clear();
  side.edgeEnd.clear();
  const auto add = [&](const Vec3& end) {
    side.edgeEnd.push_back(end);
    side.normal.push_back(unitOrX(end - feature.point[0]));
  };
  if (feature.count == 2) return add(feature.point[1]);
  if (body.isBox()) {
    for (int axis = 0; axis < 3; ++axis) add(cornerPoint(body, feature.vertex[0] ^ (1 << axis)));
    return;
  }
  for (const int polygon : polygonsAround(body.hull(), feature.vertex[0])) {
    const std::span<const int> corner = polygonVertices(body.hull(), polygon);
    const auto here = std::find(corner.begin(), corner.end(), feature.vertex[0]);
    if (here != corner.end()) add(cornerPoint(body, here == corner.begin() ? corner.back() : *(here - 1)));
  }
}

struct Match {
  std::size_t first = 0, second = 0;
  bool found = false;
};

Match facingPair(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (dot(a[i], b[j]) < -kFacing) return {i, j, true};
    }
  }
  return {};
}

/// An edge (first) that runs along a face (second).
Match edgeAlongFace(const std::vector<Vec3>& edge, const std::vector<Vec3>& face) {
  for (std::size_t j = 0; j < face.size(); ++j) {
    for (std::size_t i = 0; i < edge.size(); ++i) {
      if (std::abs(dot(edge[i], face[j])) < kAlongFace) return {i, j, true};
    }
  }
  return {};
}

// ------------------------------------------------------------------------------------------- clipping

/// Corners of the quadrilateral of (locally) largest area inscribed in a convex polygon of more than four: the corners
/// are pushed on, last first, as long as the area grows, from every choice of the first corner.
std::array<std::size_t, 4> largestQuadrilateral(std::span<const Vec3> p) {
  const auto after = [&](std::size_t i) { return i + 1 == p.size() ? 0 : i + 1; };
  const auto areaOf = [&](const std::array<std::size_t, 4>& q) {
    const Vec3 &a = p[q[0]], &b = p[q[1]], &c = p[q[2]], &d = p[q[3]];
    return 0.5 * norm(Vec3((d - a).cross(b - d) + (c - b).cross(a - c)));
  };
  std::array<std::size_t, 4> q = {0, 1, 2, 3}, best = q;
  double area = areaOf(q);
  const auto push = [&](std::size_t corner) {
    std::array<std::size_t, 4> pushed = q;
    pushed[corner] = after(q[corner]);
    const double pushedArea = areaOf(pushed);
    if (!(pushedArea > area)) return false;
    area = pushedArea;
    best = q = pushed;
    return true;
  };
  for (; q[0] < p.size(); ++q[0]) {
    while (push(3)) {
      while (push(2)) {
      }
      while (push(1)) {
      }
    }
    for (std::size_t corner = 1; corner < 4 && q[corner] == q[corner - 1]; ++corner) q[corner] = after(q[corner]);
  }
  return best;
}

/// Clips `subject` (a polygon, or an edge of two points) by the prism over the clockwise polygon `clipper` with outward
/// normal `n`, and keeps what lies below its plane. Each point kept is a contact with the point of the clipping face
/// that lies `along` of it.
void clip(std::span<const Vec3> clipper, std::span<const Vec3> subject, const Vec3& n, const Vec3& along, bool swapped,
          ClipScratch& scratch, WitnessList& contacts) {
  if (clipper.size() < 3) return;
  scratch.planes.clear();
  for (std::size_t i = 0; i < clipper.size(); ++i) {
    const Vec3& from = clipper[i];
    const Vec3& to = clipper[i + 1 == clipper.size() ? 0 : i + 1];
    const Vec3 above = from + n;
    const Vec3 inward = unitOrX((to - from).cross(above - from));
    scratch.planes.push_back({inward, dot(inward, from)});
  }

  std::vector<Vec3>& polygon = scratch.clipped;
  polygon.assign(subject.begin(), subject.end());
  for (std::size_t e = 0; e < clipper.size(); ++e) {
    const auto& [inward, offset] = scratch.planes[e];
    const auto inside = [&, &normal = inward](const Vec3& p) { return dot(p - clipper[e], normal) > -kMinVal; };
    scratch.swap.clear();
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Vec3& p = polygon[i];
      const Vec3& q = polygon[i + 1 < polygon.size() ? i + 1 : 0];
      const bool pInside = inside(p), qInside = inside(q);
      if (pInside != qInside) {
        const Vec3 pq = q - p;
        const double slope = dot(inward, pq);
        const double t = slope != 0 ? (offset - dot(inward, p)) / slope : -1;
        if (t >= 0 && t <= 1) scratch.swap.push_back(p + pq * t);
      }
      if (qInside) scratch.swap.push_back(q);
    }
    std::swap(polygon, scratch.swap);
  }
  std::erase_if(polygon, [&](const Vec3& p) { return !(dot(p - clipper[0], n) <= 0); });
  if (polygon.empty()) return;

  contacts.count = 0;
  const auto add = [&](const Vec3& p) {
    const double dist = dot(p - clipper[0], n);
    Witness w{.onA = p + along * -std::abs(dist), .onB = p, .dist = dist};
    if (swapped) std::swap(w.onA, w.onB);
    contacts.item[contacts.count++] = w;
  };
  if (polygon.size() > kMaxWitnesses) {
    for (const std::size_t i : largestQuadrilateral(polygon)) add(polygon[i]);
    return;
  }
  if (subject.size() == 2 && polygon.size() > 2) {  // an edge keeps its two most distant points
    std::size_t first = 0, second = 1;
    double farthest = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      for (std::size_t j = i + 1; j < polygon.size(); ++j) {
        const Vec3 between = polygon[j] - polygon[i];
        if (dot(between, between) > farthest) {
          farthest = dot(between, between);
          first = i;
          second = j;
        }
      }
    }
    add(polygon[first]);
    add(polygon[second]);
    return;
  }
  for (const Vec3& p : polygon) add(p);
}

}  // namespace

void clipFeatures(const ConvexBody& a, const ConvexBody& b, const Feature& featureA, const Feature& featureB,
                  ClipScratch& scratch, WitnessList& contacts) {
  if ((a.isMesh() && a.hull().polynum == 0) || (b.isMesh() && b.hull().polynum == 0)) return;
  const Distinct fa(featureA), fb(featureB);
  const Witness deepest = contacts.item[0];
  facesAt(a, fa, deepest.onA - deepest.onB, scratch.a);
  facesAt(b, fb, deepest.onB - deepest.onA, scratch.b);

  const Match faces = facingPair(scratch.a.normal, scratch.b.normal);
  if (faces.found) {
    faceCorners(a, scratch.a.face[faces.first], scratch.a.polygon);
    faceCorners(b, scratch.b.face[faces.second], scratch.b.polygon);
    clip(scratch.a.polygon, scratch.b.polygon, scratch.a.normal[faces.first], scratch.b.normal[faces.second], false,
         scratch, contacts);
    return;
  }

  // an edge of the body with the smaller feature against a face of the other
  const bool edgeOfA = fa.count < 3 && fa.count <= fb.count;
  if (!edgeOfA && fb.count == 3) return;
  const ConvexBody& edgeBody = edgeOfA ? a : b;
  const ConvexBody& faceBody = edgeOfA ? b : a;
  const Distinct& feature = edgeOfA ? fa : fb;
  ClipScratch::Side& edge = edgeOfA ? scratch.a : scratch.b;
  ClipScratch::Side& face = edgeOfA ? scratch.b : scratch.a;
  edgesAt(edgeBody, feature, edge);
  const Match match = edgeAlongFace(edge.normal, face.normal);
  if (!match.found) return;
  faceCorners(faceBody, face.face[match.second], face.polygon);
  edge.polygon = {feature.point[0], edge.edgeEnd[match.first]};
  const Vec3 n = face.normal[match.second];
  clip(face.polygon, edge.polygon, n, -n, edgeOfA, scratch, contacts);
}

}  // namespace sinew::geom
