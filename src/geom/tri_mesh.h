#pragma once

#include <string>
#include <vector>

#include "math/types.h"

namespace sinew::geom {

/// Triangles as they were read: single precision, before any transform.
struct TriMesh {
  std::vector<float> vertex;  ///< 3 per vertex, all finite
  std::vector<int> face;      ///< 3 vertex indices per triangle, all valid; empty means "the convex hull"
  std::vector<float> normal;  ///< 3 per normal, a whole number of normals per vertex, or empty
  std::vector<std::string> warnings;

  int numVertices() const { return static_cast<int>(vertex.size() / 3); }
  int numFaces() const { return static_cast<int>(face.size() / 3); }
};

/// Throws MeshError unless there are at least 4 vertices, all finite, and every face index names one of them.
void checkMesh(const TriMesh& mesh);

}  // namespace sinew::geom
