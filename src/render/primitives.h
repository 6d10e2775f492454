#pragma once

#include <array>

#include "math/types.h"
#include "sinew/scene.h"

/// Shapes that rays meet exactly, not as triangles.
namespace sinew::render {

/// A shape with a pose. Local coordinates: x = rotation' (p - pos).
struct Primitive {
  SceneShape shape = SceneShape::Sphere;
  Vec3 size = Vec3::Zero();
  Vec3 pos = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  int surface = 0;  ///< what it looks like, see ray_scene.h
};

struct PrimitiveHit {
  double t = 0;
  Vec3 normal = Vec3::Zero();  ///< outward, in local axes
};

/// The nearest point of the surface along o + t d with t in (tmin, tmax), in local coordinates; d need not be a unit
/// vector. Planes are met from both sides. False: none.
bool intersect(const Primitive& p, const Vec3& o, const Vec3& d, double tmin, double tmax, PrimitiveHit& hit);

/// World bounding box of a shape other than a plane without end.
void bounds(const Primitive& p, Vec3& lower, Vec3& upper);

/// Part of an arrow's length that is its head, and how much wider that is.
inline constexpr double kHeadLength = 0.3, kHeadWidth = 2;

}  // namespace sinew::render
