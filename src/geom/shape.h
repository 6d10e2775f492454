#pragma once

#include "math/types.h"
#include "sinew/types.h"

/// Mass properties and bounds of the primitive shapes. `size` is that of geom_size: radius; radius, half length;
/// three semi-axes or half sides. A height field counts as the box of hfieldGeomSize(). Densities are 1.
namespace sinew::geom {

/// Volume (m^3), or surface area (m^2) of the shell. 0 for planes. Ellipsoid area: Thomsen's formula, p = 1.6075, good
/// to about 1 %. Meshes have their own, see Mesh::amount.
double shapeAmount(GeomType type, const Vec3& size, bool shell);

/// Principal moments about the center for the given mass. An ellipsoidal shell is the difference of two solids whose
/// semi-axes differ by 1e-6, so it is thicker where the ellipsoid is flat.
Vec3 shapeInertia(GeomType type, const Vec3& size, bool shell, double mass);

/// Center and half sizes of the bounding box, in the geom's frame.
struct Aabb {
  Vec3 center = Vec3::Zero();
  Vec3 half = Vec3::Zero();
};

/// Bounding box of a primitive; a plane's is everything below it, out to kMaxVal.
Aabb shapeAabb(GeomType type, const Vec3& size);
Aabb boxAabb(const Vec3& lower, const Vec3& upper);

/// Radius of the sphere around the geom's origin that holds the shape; 0 for planes, meaning infinite.
double shapeBoundingRadius(GeomType type, const Vec3& size);

/// A height field's `size` attribute: half sizes in x and y, height of elevation 1, thickness below elevation 0.
struct HeightFieldSize {
  double x = 0, y = 0, top = 0, base = 0;
};

Vec3 hfieldGeomSize(const HeightFieldSize& size);  ///< (x, y, top/4 + base/2)
Aabb hfieldAabb(const HeightFieldSize& size);
double hfieldBoundingRadius(const HeightFieldSize& size);

}  // namespace sinew::geom
