#pragma once

#include <span>
#include <vector>

#include "geom/convex_hull.h"

namespace sinew::geom {

/// The flat sides of a convex hull: triangles whose normals fall in the same bin of 0.01 rad (azimuth and polar angle)
/// merged into polygons, in order of the first triangle of each bin.
struct HullPolygons {
  std::vector<int> vertex;     ///< corners (mesh vertex ids) of all polygons, counter-clockwise from outside
  std::vector<int> vertexAdr;  ///< per polygon: its first corner
  std::vector<int> vertexNum;  ///< per polygon: number of corners
  std::vector<double> normal;  ///< per polygon: unit normal of its first three corners, see setPolygonNormals()
  std::vector<int> map;        ///< the polygons around each mesh vertex
  std::vector<int> mapAdr;     ///< per mesh vertex: its first entry in map
  std::vector<int> mapNum;     ///< per mesh vertex: number of entries, 0 off the hull

  int numPolygons() const { return static_cast<int>(vertexAdr.size()); }
};

/// Merges the faces of the hull of `points` (3 numbers each). Fills everything but `normal`.
HullPolygons hullPolygons(const HullGraph& graph, std::span<const double> points);

/// Normals from the first three corners of each polygon; (1,0,0) if they are on a line. `points` may be another
/// placement of the same vertices: the reference engine merges before scaling and takes normals after it.
void setPolygonNormals(HullPolygons& polygons, std::span<const double> points);

}  // namespace sinew::geom
