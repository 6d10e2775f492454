#include "geom/convex_hull.h"

#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "geom/mesh_error.h"
#include "math/types.h"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace sinew::geom {
namespace {

/// Refuses points without volume. The limits are rounding noise relative to the extent, so that a flat mesh gets a
/// message of its own and not Qhull's.
void requireVolume(std::span<const double> points) {
  const int n = static_cast<int>(points.size() / 3);
  const Vec3 origin = vec3(points.data(), 0);

  Vec3 along = Vec3::Zero();
  for (int i = 1; i < n && along.norm() <= kMinVal; ++i) along = vec3(points.data(), i) - origin;
  if (along.norm() <= kMinVal)
    throw MeshError("all vertices coincide, so there is no convex hull; a small sphere geom may serve instead");

  Vec3 normal = Vec3::Zero();
  for (int i = 1; i < n; ++i) {
    const Vec3 edge = vec3(points.data(), i) - origin;
    normal = along.cross(edge);
    if (edge.norm() >= kMinVal && normal.norm() > kMinVal * along.norm() * edge.norm()) break;
    normal.setZero();
  }
  if (normal.isZero(0))
    throw MeshError("all vertices lie on a line, so there is no convex hull; a thin capsule geom may serve instead");

  normal.normalize();
  const double offset = normal.dot(origin);
  for (int i = 0; i < n; ++i)
    if (std::abs(normal.dot(vec3(points.data(), i)) - offset) > kMinVal * along.norm()) return;
  throw MeshError(
      "all vertices lie in a plane, so there is no convex hull; a plane or a thin box geom may serve "
      "instead");
}

/// Qhull's state and the stream it writes messages to. Qhull reports errors by longjmp to `errexit`, so every call into
/// it sits in a function without destructors (build, collect), and this class owns what must be freed.
class Qhull {
 public:
  Qhull() {
    messages_ = open_memstream(&text_, &textSize_);
    if (messages_ == nullptr) throw MeshError("no memory for the convex hull");
    qh_zero(&qh_, messages_);
  }
  ~Qhull() {
    qh_.NOerrexit = True;
    qh_freeqhull(&qh_, !qh_ALL);
    int blocks = 0, bytes = 0;
    qh_memfreeshort(&qh_, &blocks, &bytes);
    std::fclose(messages_);
    std::free(text_);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  qhT* state() { return &qh_; }

  /// The first line Qhull wrote.
  std::string message() {
    std::fflush(messages_);
    const std::string all(text_, textSize_);
    return all.substr(0, all.find('\n'));
  }

  /// Computes the hull; false on a Qhull error.
  bool build(char* options, double* points, int n) {
    qhT* qh = &qh_;
    qh_init_A(qh, nullptr, messages_, messages_, 0, nullptr);
    if (setjmp(qh->errexit) != 0) return false;
    qh->NOerrexit = False;
    qh_initflags(qh, options);
    qh_init_B(qh, points, n, 3, False);
    qh_qhull(qh);
    qh_triangulate(qh);
    qh_vertexneighbors(qh);
    return true;
  }

  /// Copies the hull out; the arrays have the sizes of HullGraph with V = num_vertices and F = num_facets. False if
  /// the facets are not a closed surface of triangles.
  bool collect(int* edgeAdr, int* vertexId, int* edgeId, int* faceId) {
    qhT* qh = &qh_;
    if (setjmp(qh->errexit) != 0) return false;
    const int numVertices = qh->num_vertices, numEdges = numVertices + 3 * qh->num_facets;
    int v = 0, e = 0, f = 0;
    vertexT *vertex, *corner, **cornerp;
    facetT *facet, *neighbor, **neighborp;

    // neighbours of a vertex: the corners of its facets, in order of first appearance, still as point ids
    FORALLvertices {
      if (v >= numVertices) return false;
      const int id = qh_pointid(qh, vertex->point);
      edgeAdr[v] = e;
      vertexId[v++] = id;
      const int begin = e;
      FOREACHneighbor_(vertex) {
        FOREACHsetelement_(vertexT, neighbor->vertices, corner) {
          const int other = qh_pointid(qh, corner->point);
          int k = begin;
          while (k < e && edgeId[k] != other) ++k;
          if (other == id || k < e) continue;
          if (e >= numEdges) return false;
          edgeId[e++] = other;
        }
      }
      if (e >= numEdges) return false;
      edgeId[e++] = -1;
    }

    FORALLfacets {
      if (f >= qh->num_facets || qh_setsize(qh, facet->vertices) != 3) return false;
      // a facet with top orientation lists its vertices clockwise
      int k = 0;
      FOREACHsetelement_(vertexT, facet->vertices, corner) {
        const int slot = facet->toporient && k < 2 ? 1 - k : k;
        faceId[3 * f + slot] = qh_pointid(qh, corner->point);
        ++k;
      }
      ++f;
    }
    return v == numVertices && e == numEdges && f == qh->num_facets;
  }

 private:
  qhT qh_;
  std::FILE* messages_ = nullptr;
  char* text_ = nullptr;
  std::size_t textSize_ = 0;
};

}  // namespace

std::vector<int> HullGraph::packed() const {
  std::vector<int> out = {numVertices(), numFaces()};
  for (const auto* part : {&vertexEdgeAdr, &vertexGlobalId, &edgeLocalId, &faceGlobalId})
    out.insert(out.end(), part->begin(), part->end());
  return out;
}

HullGraph convexHull(std::span<const double> points, int maxVertices) {
  const int n = static_cast<int>(points.size() / 3);
  if (n < 4) throw MeshError("a convex hull needs at least 4 vertices");
  requireVolume(points);

  // Qt triangulates; Q9 adds the furthest of all points next; TAn stops n points after the initial simplex
  std::string options = "qhull Qt";
  if (maxVertices >= 4) options += " Q9 TA" + std::to_string(maxVertices - 4);

  std::vector<double> copy(points.begin(), points.end());
  const auto qhull = std::make_unique<Qhull>();
  if (!qhull->build(options.data(), copy.data(), n))
    throw MeshError("the convex hull could not be computed: " + qhull->message());

  const auto numVertices = static_cast<std::size_t>(qhull->state()->num_vertices);
  const auto numFaces = static_cast<std::size_t>(qhull->state()->num_facets);
  HullGraph graph;
  graph.vertexEdgeAdr.resize(numVertices);
  graph.vertexGlobalId.resize(numVertices);
  graph.edgeLocalId.resize(numVertices + 3 * numFaces);
  graph.faceGlobalId.resize(3 * numFaces);
  if (!qhull->collect(graph.vertexEdgeAdr.data(), graph.vertexGlobalId.data(), graph.edgeLocalId.data(),
                      graph.faceGlobalId.data()))
    throw MeshError("the convex hull is not a closed surface of triangles");

  // point ids of neighbours become hull ids
  std::vector<int> local(static_cast<std::size_t>(n), -1);
  for (std::size_t i = 0; i < numVertices; ++i) local.at(static_cast<std::size_t>(graph.vertexGlobalId[i])) = int(i);
  for (int& id : graph.edgeLocalId)
    if (id >= 0) id = local.at(static_cast<std::size_t>(id));
  for (const int id : graph.faceGlobalId)
    if (id < 0 || id >= n) throw MeshError("the convex hull refers to a vertex that does not exist");
  return graph;
}

}  // namespace sinew::geom
