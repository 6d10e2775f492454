#include "geom/element_distance.h"

#include "geom/collide_convex.h"

namespace sinew::geom {
namespace {

double convexDistance(ConvexBody& a, ConvexBody& b, double cutoff, const CollideOptions& options, Vec3* onA,
                      Vec3* onB) {
  WitnessList contacts;
  a.startInside();
  b.startInside();
  const double dist = penetration(a, b, cutoff, 1, options, contacts);
  if (contacts.count == 0 || !(dist < cutoff)) return cutoff;
  *onA = contacts.item[0].onA;
  *onB = contacts.item[0].onB;
  return dist;
}

/// The lowest corner.
double planeDistance(const Shape& plane, const Element& element, double cutoff, Vec3* onPlane, Vec3* onElement) {
  const Vec3 n = plane.rot.col(2);
  double nearest = cutoff;
  for (std::size_t i = 0; i < static_cast<std::size_t>(element.count); ++i) {
    const double height = n.dot(element.corner[i] - plane.pos);
    if (!(height - element.radius < nearest)) continue;
    nearest = height - element.radius;
    *onPlane = element.corner[i] - height * n;
    *onElement = element.corner[i] - element.radius * n;
  }
  return nearest;
}

/// A sphere or capsule as an element: for points and segments the search ends exactly, not within a tolerance.
Element coreOf(const Shape& shape) {
  const Vec3 half = (shape.type == GeomType::Capsule ? shape.size[1] : 0) * shape.rot.col(2);
  Element element;
  element.count = shape.type == GeomType::Capsule ? 2 : 1;
  element.corner = {shape.pos - half, shape.pos + half};
  element.radius = shape.size[0];
  return element;
}

}  // namespace

double distance(const Shape& shape, const Element& element, double cutoff, const CollideOptions& options, Vec3* onShape,
                Vec3* onElement) {
  if (!isSomewhere(shape) || !isSomewhere(element)) return cutoff;
  if (shape.type == GeomType::Plane) return planeDistance(shape, element, cutoff, onShape, onElement);
  if (shape.type == GeomType::HField) return heightFieldDistance(shape, element, cutoff, options, onShape, onElement);
  if (shape.type == GeomType::Mesh && shape.hull.vertex.empty()) return cutoff;
  if (shape.type == GeomType::Sphere || shape.type == GeomType::Capsule) {
    return distance(coreOf(shape), element, cutoff, options, onShape, onElement);
  }
  ConvexBody a(shape, 0), b(element, 0);
  return convexDistance(a, b, cutoff, options, onShape, onElement);
}

double distance(const Element& a, const Element& b, double cutoff, const CollideOptions& options, Vec3* onA,
                Vec3* onB) {
  if (!isSomewhere(a) || !isSomewhere(b)) return cutoff;
  // Bodies with a radius around them: the distance of what is inside, less the radii, whether they overlap or not. The
  // search for the depth of an overlap would take the faces of the rounded bodies for flat.
  const double radii = a.radius + b.radius;
  if (radii > 0) {
    constexpr double kApart = 1e-9;  // of the radii: enough for a direction
    Element coreA = a, coreB = b;
    coreA.radius = coreB.radius = 0;
    ConvexBody bodyA(coreA, 0), bodyB(coreB, 0);
    Vec3 insideA = Vec3::Zero(), insideB = Vec3::Zero();
    const double apart = convexDistance(bodyA, bodyB, cutoff + radii, options, &insideA, &insideB);
    if (!(apart < cutoff + radii)) return cutoff;
    if (apart > kApart * radii) {
      const Vec3 normal = (insideB - insideA).normalized();
      *onA = insideA + a.radius * normal;
      *onB = insideB - b.radius * normal;
      return apart - radii;
    }
  }
  ConvexBody bodyA(a, 0), bodyB(b, 0);
  return convexDistance(bodyA, bodyB, cutoff, options, onA, onB);
}

}  // namespace sinew::geom
