#include "geom/element.h"

#include <algorithm>
#include <limits>

namespace sinew::geom {
namespace {

using Weights = std::array<double, 4>;

Weights nearestOnSegment(const Vec3& a, const Vec3& b, const Vec3& p) {
  const Vec3 ab = b - a;
  const double square = ab.squaredNorm();
  const double t = square > 0 ? std::clamp(ab.dot(p - a) / square, 0.0, 1.0) : 0;
  return {1 - t, t, 0, 0};
}

/// A triangle without area: the nearest of its three sides.
Weights nearestOnSides(const std::array<Vec3, 4>& corner, const Vec3& p) {
  Weights best{};
  double nearest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const Weights w = nearestOnSegment(corner[i], corner[j], p);
    const double square = (w[0] * corner[i] + w[1] * corner[j] - p).squaredNorm();
    if (!(square < nearest)) continue;
    nearest = square;
    best = {};
    best[i] = w[0];
    best[j] = w[1];
  }
  return best;
}

/// By the regions of the triangle's corners, sides and interior (Ericson 2005, 5.1.5).
Weights nearestOnTriangle(const std::array<Vec3, 4>& corner, const Vec3& p) {
  const Vec3 &a = corner[0], &b = corner[1], &c = corner[2];
  const Vec3 ab = b - a, ac = c - a;
  const Vec3 ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0, 0};
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0, 0};
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1, 0};

  const double areaC = d1 * d4 - d3 * d2;  // the share of c in the area, signed; likewise below
  const double areaB = d5 * d2 - d1 * d6;
  const double areaA = d3 * d6 - d5 * d4;
  if (areaC <= 0 && d1 >= 0 && d3 <= 0 && d1 - d3 > 0) {
    const double t = d1 / (d1 - d3);
    return {1 - t, t, 0, 0};
  }
  if (areaB <= 0 && d2 >= 0 && d6 <= 0 && d2 - d6 > 0) {
    const double t = d2 / (d2 - d6);
    return {1 - t, 0, t, 0};
  }
  if (areaA <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0 && (d4 - d3) + (d5 - d6) > 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - t, t, 0};
  }
  const double area = areaA + areaB + areaC;
  if (!(areaA >= 0 && areaB >= 0 && areaC >= 0 && area > 0)) return nearestOnSides(corner, p);
  const double v = areaB / area, w = areaC / area;
  return {1 - v - w, v, w, 0};
}

Weights nearestInTetrahedron(const std::array<Vec3, 4>& corner, const Vec3& p) {
  const Vec3 e1 = corner[1] - corner[0], e2 = corner[2] - corner[0], e3 = corner[3] - corner[0], to = p - corner[0];
  const double volume = e1.dot(e2.cross(e3));
  if (volume != 0) {
    const double b = to.dot(e2.cross(e3)) / volume, c = e1.dot(to.cross(e3)) / volume,
                 d = e1.dot(e2.cross(to)) / volume;
    if (b >= 0 && c >= 0 && d >= 0 && b + c + d <= 1) return {1 - b - c - d, b, c, d};
  }
  Weights best{};
  double nearest = std::numeric_limits<double>::max();
  for (const std::array<int, 4>& face : kFacesAndCorner) {
    std::array<Vec3, 4> triangle{};
    for (std::size_t i = 0; i < 3; ++i) triangle[i] = corner[face[i]];
    const Weights w = nearestOnTriangle(triangle, p);
    const double square = (w[0] * triangle[0] + w[1] * triangle[1] + w[2] * triangle[2] - p).squaredNorm();
    if (!(square < nearest)) continue;
    nearest = square;
    best = {};
    for (std::size_t i = 0; i < 3; ++i) best[face[i]] = w[i];
  }
  return best;
}

/// Whether all corners of b lie beyond the plane through `foot` across `axis` (of any length), farther than `reach`.
bool beyond(const Vec3& axis, const Vec3& foot, const Element& b, double reach) {
  double nearest = axis.dot(b.corner[0] - foot);
  for (std::size_t i = 1; i < static_cast<std::size_t>(b.count); ++i) {
    nearest = std::min(nearest, axis.dot(b.corner[i] - foot));
  }
  return nearest > 0 && nearest * nearest > reach * reach * axis.squaredNorm();
}

bool farAcrossFacesOf(const Element& a, const Element& b, double reach) {
  const std::array<Vec3, 4>& c = a.corner;
  if (a.count == 3) {
    const Vec3 normal = (c[1] - c[0]).cross(c[2] - c[0]);
    for (std::size_t i = 0; i < 3; ++i) {
      if (beyond((c[(i + 1) % 3] - c[i]).cross(normal), c[i], b, reach)) return true;
    }
    return beyond(normal, c[0], b, reach) || beyond(-normal, c[0], b, reach);
  }
  if (a.count != 4) return false;
  for (const std::array<int, 4>& face : kFacesAndCorner) {
    const auto at = [&](std::size_t i) -> const Vec3& { return c[face[i]]; };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0));
    const bool outward = normal.dot(at(3) - at(0)) <= 0;
    if (beyond(outward ? normal : Vec3(-normal), at(0), b, reach)) return true;
  }
  return false;
}

}  // namespace

bool farApart(const Element& a, const Element& b, double distance) {
  constexpr double kSlack = 1e-9;  // rounding must not hide a contact
  const double reach = (a.radius + b.radius + distance) * (1 + kSlack);
  return reach >= 0 && (farAcrossFacesOf(a, b, reach) || farAcrossFacesOf(b, a, reach));
}

Vec3 Element::at(const std::array<double, 4>& weight) const {
  Vec3 point = weight[0] * corner[0];
  for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i) point += weight[i] * corner[i];
  return point;
}

std::array<double, 4> nearestWeights(const Element& element, const Vec3& p) {
  switch (element.count) {
    case 2:
      return nearestOnSegment(element.corner[0], element.corner[1], p);
    case 3:
      return nearestOnTriangle(element.corner, p);
    case 4:
      return nearestInTetrahedron(element.corner, p);
    default:
      return {1, 0, 0, 0};
  }
}

}  // namespace sinew::geom
