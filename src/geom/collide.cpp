#include "geom/collide.h"

#include <array>
#include <limits>

#include "geom/collide_convex.h"
#include "geom/collide_primitive.h"
#include "geom/collide_scratch.h"
#include "math/number_checks.h"

namespace sinew::geom {
namespace {

using ClosedForm = int (*)(const Shape&, const Shape&, double, PointList&);

/// Who handles a pair of types; the smaller type comes first.
struct Collider {
  enum Kind { Never, Exact, Convex, Field } kind = Never;
  ClosedForm function = nullptr;
};

constexpr int kNumTypes = static_cast<int>(GeomType::Mesh) + 1;

Collider colliderFor(GeomType a, GeomType b) {
  constexpr Collider kNever{}, kConvex{Collider::Convex}, kField{Collider::Field};
  constexpr auto kExact = [](ClosedForm f) { return Collider{Collider::Exact, f}; };
  // columns: plane, height field, sphere, capsule, ellipsoid, cylinder, box, mesh
  static constexpr std::array<std::array<Collider, kNumTypes>, kNumTypes> kTable = {{
      {kNever, kNever, kExact(planeSphere), kExact(planeCapsule), kExact(planeEllipsoid), kExact(planeCylinder),
       kExact(planeBox), kExact(planeMesh)},
      {kNever, kNever, kField, kField, kField, kField, kField, kField},
      {kNever, kNever, kExact(sphereSphere), kExact(sphereCapsule), kConvex, kExact(sphereCylinder), kExact(sphereBox),
       kConvex},
      {kNever, kNever, kNever, kExact(capsuleCapsule), kConvex, kConvex, kExact(capsuleBox), kConvex},
      {kNever, kNever, kNever, kNever, kConvex, kConvex, kConvex, kConvex},
      {kNever, kNever, kNever, kNever, kNever, kConvex, kConvex, kConvex},
      {kNever, kNever, kNever, kNever, kNever, kNever, kExact(boxBox), kConvex},
      {kNever, kNever, kNever, kNever, kNever, kNever, kNever, kConvex},
  }};
  const int i = static_cast<int>(a), j = static_cast<int>(b);
  if (i < 0 || i >= kNumTypes || j < 0 || j >= kNumTypes) return kNever;
  return kTable[i][j];
}

/// The same pair with points that keep their names from step to step.
ClosedForm steadyForm(ClosedForm function) {
  if (function == boxBox) return boxBoxSteady;
  if (function == planeMesh) return planeMeshSteady;
  return function;
}

/// A mesh without vertices touches nothing.
bool isNothing(const Shape& s) { return (s.type == GeomType::Mesh && s.hull.vertex.empty()) || !isSomewhere(s); }

}  // namespace

bool isSomewhere(const Shape& shape) {
  // entries of a rotation are at most 1, up to rounding
  return allWithin({shape.pos.data(), 3}, kFarthest) && allWithin({shape.rot.data(), 9}, 2);
}

int collide(const Shape& a, const Shape& b, double margin, const CollideOptions& options, Array<ContactPoint>& out) {
  if (isNothing(a) || isNothing(b)) return 0;
  const Collider collider = colliderFor(a.type, b.type);
  switch (collider.kind) {
    case Collider::Exact:
      return (options.steady ? steadyForm(collider.function) : collider.function)(a, b, margin, out);
    case Collider::Convex:
      return collideConvex(a, b, margin, options, out);
    case Collider::Field:
      return collideHeightField(a, b, margin, options, out);
    case Collider::Never:
      break;
  }
  return 0;
}

double distance(const Shape& a, const Shape& b, double cutoff, const CollideOptions& options, Vec3* onA, Vec3* onB) {
  if (isNothing(a) || isNothing(b)) return cutoff;
  const bool sorted = a.type <= b.type;
  const Shape &first = sorted ? a : b, &second = sorted ? b : a;
  Vec3* const onFirst = sorted ? onA : onB;
  Vec3* const onSecond = sorted ? onB : onA;
  const Collider collider = colliderFor(first.type, second.type);
  if (collider.kind == Collider::Never) return cutoff;
  if (collider.kind == Collider::Field) return heightFieldDistance(first, second, cutoff, options, onFirst, onSecond);

  // Clipped faces of boxes do not include the nearest point, so boxes go through GJK as well.
  if (collider.kind == Collider::Convex || (first.type == GeomType::Box && second.type == GeomType::Box)) {
    ConvexBody bodyA(a, 0), bodyB(b, 0);
    WitnessList contacts;
    const double dist = penetration(bodyA, bodyB, cutoff, 1, options, contacts);
    if (contacts.count > 0) {
      if (onA) *onA = contacts.item[0].onA;
      if (onB) *onB = contacts.item[0].onB;
    }
    return dist < cutoff ? dist : cutoff;
  }

  ScratchOf memory(options);
  PointList& points = memory->points;
  points.clear();
  collider.function(first, second, cutoff, points);
  double nearest = cutoff;
  for (const ContactPoint& p : points) {
    if (!(p.dist < nearest)) continue;
    nearest = p.dist;
    if (onFirst) *onFirst = p.pos - p.normal * (0.5 * p.dist);
    if (onSecond) *onSecond = p.pos + p.normal * (0.5 * p.dist);
  }
  return nearest;
}

}  // namespace sinew::geom
