#include "kinematics/wrap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew {
namespace {

using Vec2 = Eigen::Vector2d;

/// A path around a circle about the origin of the plane; negative length as in WrapPath.
struct PlanePath {
  Vec2 first;
  Vec2 second;
  double length = -1;
};

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

Vec2 normalizedOrX(const Vec2& v) {
  const double length = v.norm();
  return length < kMinVal ? Vec2(1, 0) : Vec2(v / length);
}

/// Point of the segment a-b nearest to the origin as a fraction of b - a, not limited to [0, 1].
double nearestFraction(const Vec2& a, const Vec2& b) { return -(b - a).dot(a) / (b - a).squaredNorm(); }

/// Do the segments a1-a2 and b1-b2 have a point in common? Parallel ones count as apart.
bool segmentsCross(const Vec2& a1, const Vec2& a2, const Vec2& b1, const Vec2& b2) {
  const Vec2 a = a2 - a1, b = b2 - b1, offset = a1 - b1;
  const double det = cross(a, b);
  if (std::abs(det) < kMinVal) return false;
  const double s = cross(b, offset) / det;
  const double t = cross(a, offset) / det;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/// Length of the arc from p to q, running clockwise or counter-clockwise.
double arcLength(const Vec2& p, const Vec2& q, bool clockwise, double radius) {
  const double cosine = std::clamp(normalizedOrX(p).dot(normalizedOrX(q)), -1.0, 1.0);
  double angle = std::acos(cosine);
  const double turn = cross(p, q);
  if (clockwise ? turn > 0 : turn < 0) angle = 2 * std::numbers::pi - angle;
  return radius * angle;
}

/// The tangent from p touches the circle at c + s h (s = 1 or -1), with c = p r^2/|p|^2 on the line to the centre and
/// h across it, |h| = r sqrt(|p|^2 - r^2)/|p|.
Vec2 tangentPoint(const Vec2& p, double radius, double sign) {
  const double sq = p.squaredNorm();
  const double along = radius * radius;
  const double across = sign * radius * std::sqrt(sq - radius * radius);
  return Vec2(p.x() * along + p.y() * across, p.y() * along - p.x() * across) / sq;
}

/// Around the outside. Of the two paths made of tangent, arc, tangent the one nearer to `side` is taken, or without a
/// side the one with the shorter chord; a path whose tangents cross is no path.
PlanePath wrapOutside(const Vec2& a, const Vec2& b, const Vec2* side, double radius) {
  const double sqRadius = radius * radius;
  if (a.squaredNorm() < sqRadius || b.squaredNorm() < sqRadius || radius < kMinVal) return {};
  if ((b - a).squaredNorm() < kMinVal) return {};

  // free passage: the segment misses the circle, on the right side of it
  const Vec2 nearest = a + std::clamp(nearestFraction(a, b), 0.0, 1.0) * (b - a);
  if (nearest.squaredNorm() > sqRadius && (!side || side->dot(nearest) >= 0)) return {};

  PlanePath paths[2];
  double merit[2];
  bool crossed[2];
  for (int i = 0; i < 2; ++i) {
    const double sign = i == 0 ? 1 : -1;
    PlanePath& path = paths[i];
    path.first = tangentPoint(a, radius, sign);
    path.second = tangentPoint(b, radius, -sign);
    merit[i] = side ? normalizedOrX(path.first + path.second).dot(*side) : -(path.first - path.second).squaredNorm();
    crossed[i] = segmentsCross(a, path.first, b, path.second);
    if (crossed[i]) merit[i] = -10000;
  }
  const int best = merit[0] > merit[1] ? 0 : 1;
  if (crossed[best]) return {};
  PlanePath& path = paths[best];
  path.length = arcLength(path.first, path.second, best == 0, radius);
  return path;
}

/// Through the inside: two straight pieces that meet the circle in one point t with equal angles. With z the sine of
/// the angle between the pieces and the radius at t, A = r/|a|, B = r/|b| and G the angle between a and b, the
/// triangles a-0-t and b-0-t give asin(A z) + asin(B z) - 2 asin(z) + G = 0. Newton from z near 1 moves left
/// monotonically; should it fail, t lies in the direction of the midpoint.
PlanePath wrapInside(const Vec2& a, const Vec2& b, double radius) {
  constexpr int kMaxIterations = 20;
  constexpr double kStart = 1 - 1e-7;
  constexpr double kTolerance = 1e-6;

  const double lengthA = a.norm(), lengthB = b.norm();
  if (lengthA <= radius || lengthB <= radius || radius < kMinVal) return {};
  const double sqDistance = (b - a).squaredNorm();
  if (sqDistance > kMinVal) {
    const double s = nearestFraction(a, b);
    if (s > 0 && s < 1 && (a + s * (b - a)).norm() <= radius) return {};
  }

  const Vec2 middle = radius * normalizedOrX(0.5 * (a + b));
  const PlanePath fallback{middle, middle, 0};
  const double A = radius / lengthA, B = radius / lengthB;
  const double cosG = (lengthA * lengthA + lengthB * lengthB - sqDistance) / (2 * lengthA * lengthB);
  if (cosG < -1 + kMinVal) return {};
  if (cosG > 1 - kMinVal) return fallback;
  const double G = std::acos(cosG);

  const auto residual = [&](double z) { return std::asin(A * z) + std::asin(B * z) - 2 * std::asin(z) + G; };
  const auto slopeOfAsin = [](double c, double z) { return c / std::max(kMinVal, std::sqrt(1 - c * c * z * z)); };
  double z = kStart;
  double f = residual(z);
  if (f > 0) return fallback;
  int iterations = 0;
  for (; iterations < kMaxIterations && std::abs(f) > kTolerance; ++iterations) {
    const double slope = slopeOfAsin(A, z) + slopeOfAsin(B, z) - 2 * slopeOfAsin(1, z);
    if (slope > -kMinVal) return fallback;
    const double next = z - f / slope;
    if (next > z) return fallback;
    z = next;
    f = residual(z);
    if (f > kTolerance) return fallback;
  }
  if (iterations == kMaxIterations) return fallback;

  // turn from the endpoint that comes first counter-clockwise
  const bool fromA = cross(a, b) > 0;
  const Vec2 direction = normalizedOrX(fromA ? a : b);
  const double angle = std::asin(z) - std::asin((fromA ? A : B) * z);
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec2 touch = radius * Vec2(c * direction.x() - s * direction.y(), s * direction.x() + c * direction.y());
  return {touch, touch, 0};
}

/// Two axes of the plane that contains the wrapped path around a sphere: through its centre, a and b.
void spherePlane(const Vec3& a, const Vec3& b, Vec3& x, Vec3& y) {
  x = sinew::normalizedOrX(a);
  Vec3 normal = a.cross(b);
  if (normal.norm() < kMinVal) {
    // a, b and the centre on one line: any plane through it will do
    Vec3 other(1, 1, 1);
    int largest = 0;
    if (std::abs(x[1]) > std::abs(x[0]) && std::abs(x[1]) > std::abs(x[2])) largest = 1;
    if (std::abs(x[2]) > std::abs(x[0]) && std::abs(x[2]) > std::abs(x[1])) largest = 2;
    other[largest] = 0;
    normal = x.cross(other);
  }
  normal = sinew::normalizedOrX(normal);
  y = sinew::normalizedOrX(normal.cross(x));
}

}  // namespace

WrapPath wrapAround(const WrapObstacle& obstacle, const Vec3& a_world, const Vec3& b_world, const Vec3* side_world) {
  const Vec3 a = obstacle.R.transpose() * (a_world - obstacle.pos);
  const Vec3 b = obstacle.R.transpose() * (b_world - obstacle.pos);
  if (a.norm() < kMinVal || b.norm() < kMinVal) return {};

  Vec3 x = Vec3::UnitX(), y = Vec3::UnitY();
  if (!obstacle.cylinder) spherePlane(a, b, x, y);
  const auto project = [&](const Vec3& p) { return Vec2(p.dot(x), p.dot(y)); };

  PlanePath plane;
  if (side_world) {
    const Vec3 side = obstacle.R.transpose() * (*side_world - obstacle.pos);
    const Vec2 sidePoint = obstacle.radius * normalizedOrX(project(side));
    plane = side.norm() < obstacle.radius ? wrapInside(project(a), project(b), obstacle.radius)
                                          : wrapOutside(project(a), project(b), &sidePoint, obstacle.radius);
  } else {
    plane = wrapOutside(project(a), project(b), nullptr, obstacle.radius);
  }
  if (plane.length < 0) return {};

  Vec3 first = x * plane.first.x() + y * plane.first.y();
  Vec3 second = x * plane.second.x() + y * plane.second.y();
  double length = plane.length;
  if (obstacle.cylinder) {
    // unrolled, the path is straight: its height grows in proportion to the length in the plane
    const double before = (a.head<2>() - first.head<2>()).norm();
    const double after = (b.head<2>() - second.head<2>()).norm();
    const double total = before + length + after;
    first.z() = a.z() + (b.z() - a.z()) * before / total;
    second.z() = a.z() + (b.z() - a.z()) * (before + length) / total;
    const double height = second.z() - first.z();
    length = std::sqrt(length * length + height * height);
  }
  return {obstacle.R * first + obstacle.pos, obstacle.R * second + obstacle.pos, length};
}

}  // namespace sinew
