#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/collide_convex.h"
#include "geom/collide_primitive.h"
#include "geom/element.h"
#include "math/number_checks.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

Vec3 faceNormal(const Vec3& a, const Vec3& b, const Vec3& c) { return unitOrX((b - a).cross(c - a)); }

/// Where a triangle is, seen from a shape whose side of it is known: a unit vector across the triangle. None: the
/// nearest way out decides.
using Toward = const Vec3*;

/// A ball of radius r around c, first, against a triangle. A centre in the triangle leaves along the triangle's normal.
int ballTriangle(const Vec3& c, double r, const Element& triangle, double margin, PointList& out,
                 Toward toward = nullptr, int feature = 0) {
  const Vec3 between = triangle.at(nearestWeights(triangle, c)) - c;
  double length = norm(between);
  Vec3 n = length < kMinVal ? faceNormal(triangle.corner[0], triangle.corner[1], triangle.corner[2])
                            : Vec3(between * (1 / length));
  if (toward && dot(n, *toward) < -kFacing) {  // the centre is beyond
    n = -n;
    length = -length;
  }
  const double dist = length - r - triangle.radius;
  if (dist > margin) return 0;
  out.push_back({.pos = c + n * (r + 0.5 * dist), .normal = n, .dist = dist, .feature = feature});
  return 1;
}

int planeElement(const Shape& plane, const Element& element, double margin, PointList& out) {
  const Vec3 n = plane.rot.col(2);
  int count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(element.count); ++i) {
    const Vec3& x = element.corner[i];
    const double dist = dot(n, x - plane.pos) - element.radius;
    if (dist > margin) continue;
    out.push_back(
        {.pos = x - n * (element.radius + 0.5 * dist), .normal = n, .dist = dist, .feature = static_cast<int>(i)});
    ++count;
  }
  return count;
}

/// A corner of the triangle, given in the box's frame, leaves through the side it is nearest to.
int boxCorner(const Shape& box, const Vec3& corner, double radius, double margin, PointList& out) {
  const Vec3 local = applyTransposed(box.rot, corner - box.pos);
  int axis = 0;
  double height = std::abs(local[0]) - box.size[0];
  for (int i = 1; i < 3; ++i) {
    if (std::abs(local[i]) - box.size[i] <= height) continue;
    height = std::abs(local[i]) - box.size[i];
    axis = i;
  }
  const double dist = height - radius;
  if (dist > margin) return 0;
  const Vec3 n = local[axis] > 0 ? Vec3(box.rot.col(axis)) : Vec3(-box.rot.col(axis));
  out.push_back({.pos = corner - n * (radius + 0.5 * dist), .normal = n, .dist = dist});
  return 1;
}

int boxTriangle(const Shape& box, const Element& triangle, double margin, PointList& out, Toward toward = nullptr) {
  int count = 0;
  for (std::size_t i = 0; i < 3; ++i) count += boxCorner(box, triangle.corner[i], triangle.radius, margin, out);
  for (int i = 0; i < 8; ++i) {
    const Vec3 local((i & 1 ? 1 : -1) * box.size[0], (i & 2 ? 1 : -1) * box.size[1], (i & 4 ? 1 : -1) * box.size[2]);
    count += ballTriangle(apply(box.rot, local) + box.pos, 0, triangle, margin, out, toward, -1 - i);
  }
  return count;
}

int capsuleTriangle(const Shape& capsule, const Element& triangle, double margin, PointList& out,
                    Toward toward = nullptr) {
  const Vec3 axis = capsule.rot.col(2);
  const double radius = capsule.size[0], half = capsule.size[1];
  int count = ballTriangle(capsule.pos - half * axis, radius, triangle, margin, out, toward, -1);
  count += ballTriangle(capsule.pos + half * axis, radius, triangle, margin, out, toward, -2);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& x = triangle.corner[i];
    const double along = dot(axis, x - capsule.pos);
    if (!(std::abs(along) < half)) continue;  // beyond the ends, which have been seen
    const Vec3 foot = capsule.pos + along * axis;
    const double length = norm(x - foot);
    const double dist = length - radius - triangle.radius;
    if (dist > margin) continue;
    const Vec3 n = unitOrX(x - foot);
    out.push_back({.pos = 0.5 * (foot + x + n * (radius - triangle.radius)), .normal = n, .dist = dist});
    ++count;
  }
  return count;
}

constexpr double kAlong = 1e-6;  ///< sine below which an edge runs along another and does not cross it

bool isInside(const Vec3& half, const Vec3& p) { return (p.cwiseAbs().array() < half.array()).all(); }

/// All in the frame of the box. An edge that crosses one of the box leaves across both, if no side is a shorter way.
int crossBoxEdges(const Shape& box, const Vec3& a, const Vec3& b, double radius, double margin, PointList& out) {
  const Vec3 p = applyTransposed(box.rot, a - box.pos), q = applyTransposed(box.rot, b - box.pos), along = q - p;
  const Vec3& half = box.size;
  if (isInside(half, p) || isInside(half, q)) return 0;
  double side = -std::numeric_limits<double>::max();  // how far the edge is outside of the box, seen across its sides
  for (int i = 0; i < 3; ++i) {
    side = std::max({side, std::min(p[i], q[i]) - half[i], -std::max(p[i], q[i]) - half[i]});
  }
  if (side - radius > margin) return 0;
  const double length = norm(along), slack = kAlong * length;
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Vec3 n = Vec3::Unit(i).cross(along);
    if (!(norm(n) > kAlong * length)) continue;
    n = unitOrX(n);
    if (dot(n, p) < 0) n = -n;  // the line passes the centre on the side it leaves to
    for (const double u : {-half[j], half[j]}) {
      for (const double v : {-half[k], half[k]}) {
        if (n[j] * u < -kAlong * half[j] || n[k] * v < -kAlong * half[k]) continue;  // not an edge on that side
        Vec3 onEdge = Vec3::Zero();
        onEdge[j] = u;
        onEdge[k] = v;
        const double height = dot(n, p - onEdge);
        if (height < side - slack || height - radius > margin) continue;
        const Vec3 across = n.cross(Vec3::Unit(i));
        const double t = dot(across, onEdge - p) / dot(across, along);
        const Vec3 crossing = p + t * along;
        if (!(t > 0 && t < 1 && std::abs(crossing[i]) < half[i])) continue;
        const double dist = height - radius;
        out.push_back({.pos = apply(box.rot, crossing - n * (radius + 0.5 * dist)) + box.pos,
                       .normal = apply(box.rot, n),
                       .dist = dist,
                       .feature = 1 + 4 * i + (u > 0 ? 2 : 0) + (v > 0 ? 1 : 0)});
        ++count;
      }
    }
  }
  return count;
}

int crossCapsuleAxis(const Shape& capsule, const Vec3& a, const Vec3& b, double radius, double margin, PointList& out) {
  const Vec3 axis = capsule.rot.col(2), along = b - a, from = a - capsule.pos;
  const double half = capsule.size[1];
  const double ee = dot(along, along), ea = dot(along, axis), rest = ee - ea * ea;
  if (!(rest > kAlong * kAlong * ee)) return 0;
  const double t = (ea * dot(axis, from) - dot(along, from)) / rest, s = dot(axis, from) + t * ea;
  if (!(t > 0 && t < 1 && std::abs(s) < half)) return 0;
  const auto reaches = [&](const Vec3& p) {
    const Vec3 to = p - axis * std::clamp(dot(axis, p), -half, half);
    return dot(to, to) < capsule.size[0] * capsule.size[0];
  };
  if (reaches(from) || reaches(from + along)) return 0;
  const Vec3 between = from + t * along - s * axis;
  const double height = norm(between);
  const double dist = height - capsule.size[0] - radius;
  if (dist > margin) return 0;
  const Vec3 n = height > kMinVal ? Vec3(between / height) : unitOrX(axis.cross(along));
  out.push_back(
      {.pos = capsule.pos + s * axis + n * (capsule.size[0] + 0.5 * dist), .normal = n, .dist = dist, .feature = 1});
  return 1;
}

/// A segment is a capsule whose axis points from its second end to the first.
Shape capsuleOf(const Element& segment) {
  Shape capsule;
  capsule.type = GeomType::Capsule;
  const Vec3 between = segment.corner[0] - segment.corner[1];
  const double length = norm(between);
  const Vec3 z = length < kMinVal ? Vec3(Vec3::UnitZ()) : Vec3(between * (1 / length));
  const Vec3 x = unitOrX((std::abs(z[0]) < 0.5 ? Vec3::UnitX() : Vec3::UnitY()).cross(z));
  capsule.rot.col(0) = x;
  capsule.rot.col(1) = z.cross(x);
  capsule.rot.col(2) = z;
  capsule.pos = 0.5 * (segment.corner[0] + segment.corner[1]);
  capsule.size = Vec3(segment.radius, 0.5 * length, 0);
  capsule.rbound = segment.radius + 0.5 * length;
  return capsule;
}

Shape ballOf(const Element& point) {
  Shape ball;
  ball.pos = point.corner[0];
  ball.size = Vec3(point.radius, 0, 0);
  ball.rbound = point.radius;
  return ball;
}

/// Outward normal of an ellipsoid at its point nearest to p; false where there is none (the centre of a ball).
bool ellipsoidNormal(const Vec3& size, const Vec3& p, Vec3& normal) {
  // the nearest point is x_i = s_i^2 p_i / (s_i^2 + t) with f(t) = sum (s_i p_i / (s_i^2 + t))^2 - 1 = 0; for
  // t > -min s^2 f falls and is convex, so Newton's method from the left of the root never overshoots
  const Vec3 square = size.cwiseProduct(size);
  const double smallest = square.minCoeff();
  const auto lowerBound = [&] {  // one term alone already reaches 1 there
    double t = -smallest;
    for (int i = 0; i < 3; ++i) t = std::max(t, size[i] * std::abs(p[i]) - square[i]);
    return t;
  };
  double t = lowerBound();
  if (!(t > -smallest)) return false;
  constexpr int kIterations = 50;
  constexpr double kPrecision = 1e-14;
  for (int i = 0; i < kIterations; ++i) {
    const Vec3 term = size.cwiseProduct(p).cwiseQuotient(square + Vec3::Constant(t));
    const double value = term.squaredNorm() - 1;
    const double slope = -2 * (term.cwiseProduct(term)).cwiseQuotient(square + Vec3::Constant(t)).sum();
    if (!(value > kPrecision) || !(slope < 0)) break;
    t -= value / slope;
  }
  normal = p.cwiseQuotient(square + Vec3::Constant(t));
  const double length = norm(normal);
  if (!(length > kMinVal)) return false;
  normal *= 1 / length;
  return true;
}

/// A triangle pressed into a round shape touches it with an edge or corner, whose normal jumps about; the shape's own
/// normal at that place is smooth. Ellipsoids, and cylinders where the contact is on their side.
void useNormalOfShape(const Shape& shape, ContactPoint& contact) {
  const Vec3 p = applyTransposed(shape.rot, contact.pos - shape.pos);
  Vec3 n;
  if (shape.type == GeomType::Ellipsoid) {
    if (!(shape.size.minCoeff() > kMinVal) || !ellipsoidNormal(shape.size, p, n)) return;
  } else if (shape.type == GeomType::Cylinder) {
    constexpr double kNearCap = 0.95;  // of the half length: there the normal stays
    constexpr double kPreferSide = 0.25;
    const double radius = shape.size[0], half = shape.size[1];
    const double across = std::hypot(p[0], p[1]);
    if (std::abs(p[2]) > kNearCap * half || across < kMinVal) return;
    if (half - std::abs(p[2]) < kPreferSide * std::abs(radius - across)) return;
    n = Vec3(p[0] / across, p[1] / across, 0);
  } else {
    return;
  }
  contact.normal = apply(shape.rot, n);
}

int convexElement(const Shape& shape, const Element& element, double margin, const CollideOptions& options,
                  PointList& out) {
  ConvexBody a(shape, 0.5 * margin), b(element, 0.5 * margin);
  const int count = collideOnce(a, b, margin, options, out);
  if (count == 1 && element.count == 3) useNormalOfShape(shape, out.back());
  return count;
}

}  // namespace

bool isSomewhere(const Element& element) {
  for (int i = 0; i < element.count; ++i) {
    if (!allWithin({element.corner[i].data(), 3}, kFarthest)) return false;
  }
  return true;
}

int collide(const Shape& shape, const Element& element, double margin, const CollideOptions& options, PointList& out) {
  if (!isSomewhere(shape) || !isSomewhere(element)) return 0;
  if (shape.type == GeomType::Plane) return planeElement(shape, element, margin, out);
  if (shape.type == GeomType::HField) return collideHeightField(shape, element, margin, options, out);
  if (shape.type == GeomType::Mesh && shape.hull.vertex.empty()) return 0;
  if (element.count == 3) {
    switch (shape.type) {
      case GeomType::Sphere:
        return ballTriangle(shape.pos, shape.size[0], element, margin, out);
      case GeomType::Capsule:
        return capsuleTriangle(shape, element, margin, out);
      case GeomType::Box:
        return boxTriangle(shape, element, margin, out);
      default:
        break;
    }
  } else if (element.count == 2) {
    switch (shape.type) {
      case GeomType::Sphere:
        return sphereCapsule(shape, capsuleOf(element), margin, out);
      case GeomType::Capsule:
        return capsuleCapsule(shape, capsuleOf(element), margin, out);
      case GeomType::Box: {
        const int count = capsuleBox(capsuleOf(element), shape, margin, out);
        std::for_each(out.end() - count, out.end(), [](ContactPoint& c) { c.normal = -c.normal; });
        return count;
      }
      default:
        break;
    }
  }
  return convexElement(shape, element, margin, options, out);
}

bool mayLieFlat(const Shape& shape, int corners) {
  if (shape.type == GeomType::Box) return corners == 4;
  return shape.type == GeomType::Cylinder || shape.type == GeomType::Mesh;
}

int collideOnSide(const Shape& shape, const Element& triangle, const Vec3& toward, double margin,
                  const CollideOptions& options, PointList& out) {
  if (!isSomewhere(shape) || !isSomewhere(triangle)) return 0;
  switch (shape.type) {
    case GeomType::Sphere:
      return ballTriangle(shape.pos, shape.size[0], triangle, margin, out, &toward);
    case GeomType::Capsule:
      return capsuleTriangle(shape, triangle, margin, out, &toward);
    case GeomType::Box:
      return boxTriangle(shape, triangle, margin, out, &toward);
    default:
      break;
  }
  const std::ptrdiff_t begin = out.size();
  const int count = collide(shape, triangle, margin, options, out);
  ConvexBody body(shape, 0);
  for (std::ptrdiff_t i = begin; i < out.size(); ++i) {
    ContactPoint& point = out[i];
    if (!(dot(point.normal, toward) < -kFacing)) continue;
    // out through the other side of the shape
    point.normal = -point.normal;
    const double nearest = std::min({dot(point.normal, triangle.corner[0]), dot(point.normal, triangle.corner[1]),
                                     dot(point.normal, triangle.corner[2])});
    point.dist = nearest - triangle.radius - dot(point.normal, body.support(point.normal));
  }
  return count;
}

int collideCrossing(const Shape& shape, const Vec3& a, const Vec3& b, double radius, double margin, PointList& out) {
  if (!isSomewhere(shape) || !isSomewhere({.count = 2, .corner = {a, b}, .radius = radius})) return 0;
  if (shape.type == GeomType::Box) return crossBoxEdges(shape, a, b, radius, margin, out);
  if (shape.type == GeomType::Capsule) return crossCapsuleAxis(shape, a, b, radius, margin, out);
  return 0;
}

int collide(const Element& a, const Element& b, double margin, const CollideOptions& options, PointList& out) {
  if (!isSomewhere(a) || !isSomewhere(b)) return 0;
  if (a.count == 2 && b.count == 2) return capsuleCapsule(capsuleOf(a), capsuleOf(b), margin, out);
  if (a.count == 1 && b.count == 2) return sphereCapsule(ballOf(a), capsuleOf(b), margin, out);
  if (a.count == 1 && b.count == 3) return ballTriangle(a.corner[0], a.radius, b, margin, out);
  ConvexBody bodyA(a, 0.5 * margin), bodyB(b, 0.5 * margin);
  return collideOnce(bodyA, bodyB, margin, options, out);
}

int collideCornerWithFace(const Element& tetrahedron, const std::array<int, 4>& faceAndCorner, PointList& out) {
  if (!isSomewhere(tetrahedron)) return 0;
  const auto at = [&](std::size_t i) -> const Vec3& { return tetrahedron.corner[faceAndCorner[i]]; };
  const Vec3 n = faceNormal(at(0), at(1), at(2));
  const double height = dot(n, at(3) - at(0));  // negative inside
  if (!(height > -2 * tetrahedron.radius)) return 0;
  out.push_back({.pos = at(3) - 0.5 * height * n, .normal = -n, .dist = -height - 2 * tetrahedron.radius});
  return 1;
}

}  // namespace sinew::geom
