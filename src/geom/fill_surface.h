#pragma once

#include <span>
#include <vector>

#include "math/types.h"

namespace sinew::geom {

/// A solid made of tetrahedra.
struct TetMesh {
  std::vector<Vec3> vertex;
  std::vector<int> tetrahedron;  ///< 4 vertices each: ((x1 - x0) x (x2 - x0)) . (x3 - x0) > 0
};

/// Fills a closed surface of triangles (3 vertex indices each, in any orientation) with tetrahedra, by isosurface
/// stuffing [Labelle and Shewchuk 2007]: a body-centred lattice with `cells` cells along the longest side of the
/// bounding box (and whole cells along the others) is cut by the surface. Lattice points next to a cut move onto the
/// surface, so that no tetrahedron is thin. Faces along the sides of the box are met exactly; sharp edges elsewhere are
/// bevelled, and what is thinner than a cell may be lost. Throws MeshError if an edge does not belong to an even number
/// of triangles, if the surface is flat, or if no tetrahedron fits into it.
TetMesh fillSurface(std::span<const Vec3> vertices, std::span<const int> faces, int cells);

}  // namespace sinew::geom
