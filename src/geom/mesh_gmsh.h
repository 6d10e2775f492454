#pragma once

#include <span>
#include <vector>

namespace sinew::geom {

/// Segments, triangles or tetrahedra.
struct SimplexMesh {
  int dim = 0;
  std::vector<double> vertex;  ///< 3 per vertex, all finite
  std::vector<int> element;    ///< dim + 1 valid vertex indices per element
};

/// Reads a Gmsh file of version 2.2 or 4.1, text or binary. Vertices keep their order. Elements of the highest
/// dimension are taken, in order; others, down to single points, are skipped. Any bytes give a valid mesh or a
/// MeshError; memory and time are bounded by a small multiple of the input size.
SimplexMesh loadGmsh(std::span<const unsigned char> data);

}  // namespace sinew::geom
