#include <algorithm>
#include <cmath>

#include "geom/collide_primitive.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// Two balls given by centre and radius; where they coincide, the axes of their shapes suggest a direction.
int balls(const Vec3& c1, double r1, const Vec3& c2, double r2, const Vec3& axis1, const Vec3& axis2, double margin,
          PointList& out) {
  const Vec3 between = c2 - c1;
  const double length = norm(between);
  const double dist = length - r1 - r2;
  if (dist > margin) return 0;
  const Vec3 n = length < kMinVal ? unitOrX(axis1.cross(axis2)) : Vec3(between * (1 / length));
  out.push_back({.pos = c1 + n * (r1 + 0.5 * dist), .normal = n, .dist = dist});
  return 1;
}

Vec3 axisOf(const Shape& s) { return s.rot.col(2); }

/// A ball of radius r against the half-space below a plane with normal n through p.
int planeBall(const Vec3& p, const Vec3& n, const Vec3& c, double r, double margin, PointList& out) {
  const double dist = dot(n, c - p) - r;
  if (dist > margin) return 0;
  out.push_back({.pos = c - n * (r + 0.5 * dist), .normal = n, .dist = dist});
  return 1;
}

/// A surface point at signed height `dist` over the plane: the contact lies halfway.
void addPlanePoint(const Vec3& point, const Vec3& n, double dist, int feature, PointList& out) {
  out.push_back({.pos = point - n * (0.5 * dist), .normal = n, .dist = dist, .feature = feature});
}

}  // namespace

int planeSphere(const Shape& plane, const Shape& sphere, double margin, PointList& out) {
  return planeBall(plane.pos, axisOf(plane), sphere.pos, sphere.size[0], margin, out);
}

int planeCapsule(const Shape& plane, const Shape& capsule, double margin, PointList& out) {
  const Vec3 axis = axisOf(capsule);
  int count = 0;
  for (const double end : {1.0, -1.0}) {
    const Vec3 center = capsule.pos + axis * (end * capsule.size[1]);
    if (planeBall(plane.pos, axisOf(plane), center, capsule.size[0], margin, out) == 0) continue;
    out.back().tangent = axis;  // the friction frame follows the capsule
    out.back().feature = end > 0 ? 0 : 1;
    ++count;
  }
  return count;
}

int planeBox(const Shape& plane, const Shape& box, double margin, PointList& out) {
  const Vec3 n = axisOf(plane);
  const double height = dot(n, box.pos - plane.pos);
  int count = 0;
  for (int corner = 0; corner < 8 && count < 4; ++corner) {
    const Vec3 local((corner & 1 ? 1 : -1) * box.size[0], (corner & 2 ? 1 : -1) * box.size[1],
                     (corner & 4 ? 1 : -1) * box.size[2]);
    const Vec3 offset = apply(box.rot, local);
    const double below = dot(n, offset);
    if (height + below > margin || below > 0) continue;
    addPlanePoint(box.pos + offset, n, height + below, corner, out);
    ++count;
  }
  return count;
}

int planeCylinder(const Shape& plane, const Shape& cylinder, double margin, PointList& out) {
  const Vec3 n = axisOf(plane);
  const double radius = cylinder.size[0], half = cylinder.size[1];
  Vec3 axis = axisOf(cylinder);
  double axisHeight = dot(n, axis);
  if (axisHeight > 0) {
    axis = -axis;
    axisHeight = -axisHeight;
  }

  // u: from the axis to the lowest rim point, the part of -n across the axis; upright cylinders have no lowest point.
  // When nearly upright the difference is rounding, which may point along the axis: that share is taken out again.
  Vec3 u = axis * axisHeight - n;
  u -= axis * dot(axis, u);
  const double length = norm(u);
  u = length < kMinVal ? Vec3(cylinder.rot.col(0) * radius) : Vec3(u * (radius / length));
  const double rimHeight = dot(n, u);
  axis *= half;
  axisHeight *= half;
  const double height = dot(n, cylinder.pos - plane.pos);

  if (height + axisHeight + rimHeight > margin) return 0;
  addPlanePoint(cylinder.pos + u + axis, n, height + axisHeight + rimHeight, 0, out);
  int count = 1;
  if (height - axisHeight + rimHeight <= margin) {
    addPlanePoint(cylinder.pos + u - axis, n, height - axisHeight + rimHeight, 1, out);
    ++count;
  }
  // the other two corners of an equilateral triangle on the lower disc
  const double sideHeight = height + axisHeight - 0.5 * rimHeight;
  if (sideHeight <= margin) {
    const Vec3 across = unitOrX(u.cross(axis)) * (radius * std::sqrt(3.0) / 2);
    for (const double side : {1.0, -1.0}) {
      addPlanePoint(cylinder.pos + side * across + axis - 0.5 * u, n, sideHeight, side > 0 ? 2 : 3, out);
      ++count;
    }
  }
  return count;
}

int planeEllipsoid(const Shape& plane, const Shape& ellipsoid, double margin, PointList& out) {
  // lowest point: the support point along -n is S^2 d / |S d| in the ellipsoid's frame
  const Vec3 n = axisOf(plane);
  const Vec3 scaled = ellipsoid.size.cwiseProduct(applyTransposed(ellipsoid.rot, -n));
  const Vec3 point = apply(ellipsoid.rot, ellipsoid.size.cwiseProduct(unitOrX(scaled))) + ellipsoid.pos;
  const double dist = dot(n, point - plane.pos);
  if (dist > margin) return 0;
  addPlanePoint(point, n, dist, 0, out);
  return 1;
}

int sphereSphere(const Shape& a, const Shape& b, double margin, PointList& out) {
  return balls(a.pos, a.size[0], b.pos, b.size[0], axisOf(a), axisOf(b), margin, out);
}

int sphereCapsule(const Shape& sphere, const Shape& capsule, double margin, PointList& out) {
  const Vec3 axis = axisOf(capsule);
  const double along = std::clamp(dot(axis, sphere.pos - capsule.pos), -capsule.size[1], capsule.size[1]);
  return balls(sphere.pos, sphere.size[0], capsule.pos + axis * along, capsule.size[0], axisOf(sphere), axis, margin,
               out);
}

int sphereCylinder(const Shape& sphere, const Shape& cylinder, double margin, PointList& out) {
  const double radius = cylinder.size[0], half = cylinder.size[1];
  const Vec3 axis = axisOf(cylinder);
  const Vec3 offset = sphere.pos - cylinder.pos;
  const double along = dot(axis, offset);
  const Vec3 across = offset - axis * along;
  const double distance = norm(across);

  bool side = std::abs(along) < half, cap = distance < radius;
  if (side && cap) {  // centre inside: leave through the nearer surface
    cap = half - std::abs(along) < radius - distance;
    side = !cap;
  }
  if (side) {
    return balls(sphere.pos, sphere.size[0], cylinder.pos + axis * along, radius, axisOf(sphere), axis, margin, out);
  }
  const Vec3 outward = along > 0 ? axis : Vec3(-axis);
  const Vec3 capCenter = cylinder.pos + outward * half;
  if (cap) {
    if (planeBall(capCenter, outward, sphere.pos, sphere.size[0], margin, out) == 0) return 0;
    out.back().normal = -out.back().normal;  // from the sphere to the cylinder
    return 1;
  }
  return balls(sphere.pos, sphere.size[0], capCenter + across * (distance > 0 ? radius / distance : 0), 0,
               axisOf(sphere), axis, margin, out);
}

int capsuleCapsule(const Shape& a, const Shape& b, double margin, PointList& out) {
  // nearest points of the segments a.pos + s g1 and b.pos + t g2, s and t in [-1, 1]
  const Vec3 g1 = axisOf(a) * a.size[1], g2 = axisOf(b) * b.size[1];
  const Vec3 offset = a.pos - b.pos;
  const double g11 = dot(g1, g1), g22 = dot(g2, g2), g12 = dot(g1, g2);
  const double p1 = -dot(g1, offset), p2 = dot(g2, offset);
  const double det = g11 * g22 - g12 * g12;
  const auto clip = [](double x) { return std::clamp(x, -1.0, 1.0); };
  const auto at = [&](double s, double t, int feature) {
    if (balls(a.pos + g1 * s, a.size[0], b.pos + g2 * t, b.size[0], axisOf(a), axisOf(b), margin, out) == 0) return 0;
    out.back().feature = feature;
    return 1;
  };

  if (std::abs(det) >= kMinVal) {
    double s = (g22 * p1 + g12 * p2) / det;
    double t = (g11 * p2 + g12 * p1) / det;
    if (s > 1 || s < -1) {
      s = clip(s);
      t = (p2 + g12 * s) / g22;
    }
    if (t > 1 || t < -1) {
      t = clip(t);
      s = clip((p1 + g12 * t) / g11);
    }
    return at(s, t, 0);
  }

  // parallel: the ends of the first, then of the second, until two points are found
  int count = 0;
  for (const double s : {1.0, -1.0}) count += at(s, g22 > 0 ? clip((p2 + g12 * s) / g22) : 0, s > 0 ? 1 : 2);
  for (const double t : {1.0, -1.0}) {
    if (count < 2) count += at(g11 > 0 ? clip((p1 + g12 * t) / g11) : 0, t, t > 0 ? 3 : 4);
  }
  return count;
}

}  // namespace sinew::geom
