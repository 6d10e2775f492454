#pragma once

#include <span>
#include <vector>

namespace sinew::geom {

/// A convex hull of triangles with the neighbours of every hull vertex, in the layout of the reference engine's
/// `mesh_graph`. "Local" ids count hull vertices, "global" ids the points that went in.
struct HullGraph {
  std::vector<int> vertexEdgeAdr;   ///< per hull vertex: where its neighbours begin in edgeLocalId
  std::vector<int> vertexGlobalId;  ///< per hull vertex: its point
  std::vector<int> edgeLocalId;     ///< neighbours of vertex 0, -1, neighbours of vertex 1, -1, ...
  std::vector<int> faceGlobalId;    ///< 3 points per triangle, counter-clockwise seen from outside

  int numVertices() const { return static_cast<int>(vertexGlobalId.size()); }
  int numFaces() const { return static_cast<int>(faceGlobalId.size() / 3); }

  /// numVertices, numFaces and then the four arrays in the order above, as one array of integers. The sizes are
  /// V, V, V + 3F and 3F.
  std::vector<int> packed() const;
};

/// The hull of points (3 numbers each), by Qhull with triangulated facets [Barber 1996]. With `maxVertices` >= 4 the
/// search stops after that many hull vertices, furthest points first; -1 means no limit. Throws MeshError when fewer
/// than 4 points are given, when all coincide or lie on a line or in a plane, or when Qhull gives up.
HullGraph convexHull(std::span<const double> points, int maxVertices = -1);

}  // namespace sinew::geom
