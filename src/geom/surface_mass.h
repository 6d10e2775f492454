#pragma once

#include <span>

#include "geom/tri_mesh.h"
#include "math/types.h"

namespace sinew::geom {

/// How a triangle surface gets its mass, as in the `inertia` attribute of a mesh.
enum class MeshInertia {
  Convex,  ///< the solid convex hull
  Legacy,  ///< pyramids from the centroid of the surface, all counted positive: too heavy for non-convex meshes
  Exact,   ///< the solid inside a closed, consistently wound surface
  Shell,   ///< the surface itself; density is mass per area
};

/// Mass properties at unit density.
struct SurfaceMass {
  double amount = 0;            ///< volume, or area for a shell
  Vec3 com = Vec3::Zero();      ///< center of mass
  Mat3 inertia = Mat3::Zero();  ///< about com
};

/// Total area of the faces and their area-weighted centroid.
SurfaceMass surfaceArea(std::span<const double> points, std::span<const int> faces);

/// Integrates over the pyramids (shell: triangles) under `faces`. `reference` is any point near the surface, best its
/// centroid: it keeps the result independent of where the surface lies, and Legacy depends on it by definition.
///   volume V_i = area_i n_i.(c_i - reference)/3;  com = sum V_i (3 c_i + reference)/4 / V
/// and then, about com, with D, E, F the corners of a face and V_i taken again from com
///   integral x_j x_k = sum V_i/20 [2 (D_j D_k + E_j E_k + F_j F_k) + mixed products]     (shell: area/12).
/// A negative total (surface inside out) changes sign as a whole. An amount of 0 leaves com at `reference`.
SurfaceMass surfaceMass(std::span<const double> points, std::span<const int> faces, const Vec3& reference,
                        MeshInertia mode);

/// Throws MeshError naming an edge unless the surface is closed and consistently wound: every edge is passed as often
/// in one direction as in the other. Vertices at the same place count as one, faces with a repeated vertex are
/// skipped.
void requireClosedSurface(const TriMesh& mesh);

}  // namespace sinew::geom
