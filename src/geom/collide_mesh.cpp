#include <algorithm>
#include <cmath>

#include "geom/body_faces.h"
#include "geom/collide_convex.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

constexpr int kMaxMeshPoints = 3;
constexpr double kApart = 0.3;     ///< distance of further points from the first, of the mesh's bounding radius
constexpr double kOnPlane = 0.99;  ///< cosine from which a side lies on the plane
constexpr int kClimbFrom = 10;     ///< meshes with fewer vertices are searched exhaustively

Vec3 vertexOf(const HullView& hull, int vertex) {
  const float* v = hull.vertex.data() + 3 * static_cast<std::size_t>(vertex);
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

/// First of the vertices that are farthest along `direction`.
int farthestOfAll(const HullView& hull, const Vec3& direction) {
  const int count = static_cast<int>(hull.vertex.size() / 3);
  int best = 0;
  double farthest = dot(direction, vertexOf(hull, 0));
  for (int i = 1; i < count; ++i) {
    const double reach = dot(direction, vertexOf(hull, i));
    if (reach > farthest) {
      farthest = reach;
      best = i;
    }
  }
  return best;
}

/// Neighbours of hull vertices, in the layout of HullGraph::packed().
struct Neighbours {
  explicit Neighbours(const HullView& hull)
      : count(hull.graph[0]), edgeAdr(hull.graph.data() + 2), globalId(edgeAdr + count), edges(globalId + count) {}
  /// Ids in the hull, ended by -1.
  const int* of(int hullVertex) const { return edges + edgeAdr[hullVertex]; }
  /// The hull vertex farthest along `direction`, by climbing from the first one.
  int climb(const HullView& hull, const Vec3& direction) const {
    int best = 0;
    double farthest = dot(direction, vertexOf(hull, globalId[0]));
    for (int from = -1; from != best;) {
      from = best;
      for (const int* next = of(from); *next >= 0; ++next) {
        const double reach = dot(direction, vertexOf(hull, globalId[*next]));
        if (reach > farthest) {
          farthest = reach;
          best = *next;
        }
      }
    }
    return best;
  }

  int count;
  const int *edgeAdr, *globalId, *edges;
};

}  // namespace

int planeMesh(const Shape& plane, const Shape& mesh, double margin, Array<ContactPoint>& out) {
  const HullView& hull = mesh.hull;
  const int numVertices = static_cast<int>(hull.vertex.size() / 3);
  if (numVertices == 0) return 0;
  const Vec3 n = plane.rot.col(2);
  const Vec3 down = applyTransposed(mesh.rot, -n);
  const auto add = [&](const Vec3& point, int vertex) {
    const double dist = dot(n, point - plane.pos);
    out.push_back({.pos = point + n * (-0.5 * dist), .normal = n, .dist = dist, .feature = vertex});
  };
  const auto inWorld = [&](int vertex) { return Vec3(apply(mesh.rot, vertexOf(hull, vertex)) + mesh.pos); };

  // Small meshes are searched through, as in the reference engine: it matters among equally low vertices. The
  // neighbours of the vertex found that way are then looked up by its place in the hull; a vertex inside a flat side
  // has none there, and the hull vertex next in line lends its own.
  int lowest = -1, hullVertex = -1;
  if (hull.graph.empty()) {
    lowest = farthestOfAll(hull, down);
  } else {
    const Neighbours neighbours(hull);
    if (numVertices < kClimbFrom) {
      lowest = farthestOfAll(hull, down);
      const int* place = std::find(neighbours.globalId, neighbours.globalId + neighbours.count, lowest);
      hullVertex = static_cast<int>(place - neighbours.globalId);
    }
    if (hullVertex < 0 || hullVertex == neighbours.count) hullVertex = neighbours.climb(hull, down);
    if (lowest < 0) lowest = neighbours.globalId[hullVertex];
  }

  const Vec3 point = inWorld(lowest);
  if (dot(n, point - plane.pos) > margin) return 0;
  add(point, lowest);
  const Vec3 first = out.back().pos;
  int count = 1;

  const double threshold = dot(n, mesh.pos - plane.pos) - margin;
  const auto tryVertex = [&](int vertex) {
    if (!(dot(down, vertexOf(hull, vertex)) > threshold)) return;
    const Vec3 candidate = inWorld(vertex);
    if (norm(candidate - first) < kApart * mesh.rbound) return;
    add(candidate, vertex);
    ++count;
  };
  if (hull.graph.empty()) {
    for (int i = 0; i < numVertices && count < kMaxMeshPoints; ++i) {
      if (i != lowest) tryVertex(i);
    }
    return count;
  }
  const Neighbours neighbours(hull);
  for (const int* next = neighbours.of(hullVertex); *next >= 0 && count < kMaxMeshPoints; ++next) {
    tryVertex(neighbours.globalId[*next]);
  }
  return count;
}

int planeMeshSteady(const Shape& plane, const Shape& mesh, double margin, Array<ContactPoint>& out) {
  ConvexBody body(mesh, 0);
  if (!hasFaces(body)) return planeMesh(plane, mesh, margin, out);
  const Vec3 n = plane.rot.col(2);
  int count = 0;
  const auto add = [&](int vertex) {
    const Vec3 point = cornerPoint(body, vertex);
    const double dist = dot(n, point - plane.pos);
    if (dist > margin) return;
    out.push_back({.pos = point + n * (-0.5 * dist), .normal = n, .dist = dist, .feature = vertex});
    ++count;
  };
  const Face side = faceAlong(body, -n);
  if (side.id < 0) return planeMesh(plane, mesh, margin, out);
  if (dot(side.normal, n) < -kOnPlane) {
    for (const int vertex : polygonVertices(mesh.hull, side.id)) add(vertex);
    return count;
  }
  const int lowest = body.lastVertex();
  add(lowest);
  // the corner before it in every polygon around it: each neighbour once
  for (const int polygon : polygonsAround(mesh.hull, lowest)) {
    const std::span<const int> corner = polygonVertices(mesh.hull, polygon);
    const auto here = std::find(corner.begin(), corner.end(), lowest);
    if (here != corner.end()) add(here == corner.begin() ? corner.back() : *(here - 1));
  }
  return count;
}

}  // namespace sinew::geom
