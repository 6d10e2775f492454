#pragma once

#include <span>

#include "geom/element.h"
#include "geom/shape.h"
#include "math/types.h"
#include "sinew/types.h"

/// Where a ray meets a shape. All functions are pure, allocate nothing, and follow the reference engine's rules: only
/// points ahead of the origin count; a ray that starts inside a solid meets the surface from within; a plane is seen
/// from its front only, and only on its rectangle if it has one; triangles are seen from both sides.
namespace sinew::geom {

struct Ray {
  Vec3 origin;
  Vec3 direction;  ///< of any length; shorter than about 1e-8 meets nothing
};

struct RayHit {
  double distance = -1;        ///< in units of |direction|; -1: the ray misses
  Vec3 normal = Vec3::Zero();  ///< unit normal of the surface, world frame; zero if missed

  bool isHit() const { return distance >= 0; }
};

/// Plane, sphere, capsule, ellipsoid, cylinder or box at `pos` with rotation `R`. Other types are missed.
RayHit rayShape(GeomType type, const Vec3& size, const Vec3& pos, const Mat3& R, const Ray& ray);

/// Triangles of a mesh: 3 floats per vertex, 3 indices per face. `size` is the mesh's geomSize(), for an early out.
RayHit rayMesh(std::span<const float> vertex, std::span<const int> face, const Vec3& size, const Vec3& pos,
               const Mat3& R, const Ray& ray);

/// A height field: nrow x ncol elevations in [0, 1] as in HeightField, two triangles per cell, walls down to the base
/// box of thickness size.base.
RayHit rayHfield(int nrow, int ncol, std::span<const float> elevation, const HeightFieldSize& size, const Vec3& pos,
                 const Mat3& R, const Ray& ray);

/// An element of a flex: everything within its radius of a point, segment, triangle or tetrahedron, a convex solid like
/// the shapes above. Without a radius a triangle is a sheet that is met from both sides, and neighbours that share an
/// edge leave no gap; its normal points to where the ray comes from. Segments and points without a radius are missed.
/// Distances are good to rounding at the scale of the coordinates.
RayHit rayElement(const Element& element, const Ray& ray);

}  // namespace sinew::geom
