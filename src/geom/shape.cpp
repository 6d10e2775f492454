#include "geom/shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sinew::geom {
namespace {

double cube(double x) { return x * x * x; }
double square(double x) { return x * x; }

/// Moments of something whose mean squares of x, y, z are `s`: (s_y + s_z, s_x + s_z, s_x + s_y).
Vec3 momentsOf(const Vec3& s) { return {s[1] + s[2], s[0] + s[2], s[0] + s[1]}; }

Vec3 axial(double across, double along) { return {across, across, along}; }

/// Cylinder of height H between two hemispheres; ms and mc share the mass by volume or area.
Vec3 capsuleInertia(double r, double H, bool shell, double m) {
  if (!shell) {
    const double ms = m * 4 * r / (4 * r + 3 * H), mc = m - ms;
    const double ball = 2 * ms * r * r / 5;
    return axial(mc * (3 * r * r + H * H) / 12 + ball + ms * H * (3 * r + 2 * H) / 8, mc * r * r / 2 + ball);
  }
  const double sphereArea = 4 * std::numbers::pi * r * r, tubeArea = 2 * std::numbers::pi * r * H;
  const double ms = m * sphereArea / (sphereArea + tubeArea), mc = m - ms;
  const double ball = 2 * ms * r * r / 3;
  // a hemispherical shell has its com at r/2
  return axial(mc * (6 * r * r + H * H) / 12 + ball + ms * (square(H / 2 + r / 2) - square(r / 2)), mc * r * r + ball);
}

Vec3 cylinderInertia(double r, double H, bool shell, double m) {
  if (!shell) return axial(m * (3 * r * r + H * H) / 12, m * r * r / 2);
  const double discArea = std::numbers::pi * r * r, tubeArea = 2 * std::numbers::pi * r * H;
  const double disc = m * discArea / (2 * discArea + tubeArea), tube = m - 2 * disc;
  return axial(tube * (6 * r * r + H * H) / 12 + 2 * disc * (r * r / 4 + square(H / 2)),
               tube * r * r + 2 * disc * r * r / 2);
}

Vec3 ellipsoidInertia(const Vec3& s, bool shell, double m) {
  if (!shell) return m * momentsOf(s.cwiseAbs2()) / 5;
  const Vec3 outer = s + Vec3::Constant(1e-6);
  const double innerVolume = 4 * std::numbers::pi * s.prod() / 3, outerVolume = 4 * std::numbers::pi * outer.prod() / 3;
  const double density = m / (outerVolume - innerVolume);
  return density * outerVolume * momentsOf(outer.cwiseAbs2()) / 5 -
         density * innerVolume * momentsOf(s.cwiseAbs2()) / 5;
}

Vec3 boxInertia(const Vec3& s, bool shell, double m) {
  const Vec3 s2 = s.cwiseAbs2();
  if (!shell) return m * momentsOf(s2) / 3;
  // two plates across each axis i, at distance s_i: mean square of x_j is s_j^2/3 in the plate, x_i^2 = s_i^2
  const Vec3 area(s[1] * s[2], s[0] * s[2], s[0] * s[1]);
  Vec3 meanSquare = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    Vec3 plate = s2 / 3;
    plate[i] = s2[i];
    meanSquare += area[i] / area.sum() * plate;
  }
  return m * momentsOf(meanSquare);
}

}  // namespace

double shapeAmount(GeomType type, const Vec3& size, bool shell) {
  const double r = size[0], H = 2 * size[1];
  switch (type) {
    case GeomType::Sphere:
      return shell ? 4 * std::numbers::pi * r * r : 4 * std::numbers::pi * cube(r) / 3;
    case GeomType::Capsule:
      return shell ? 4 * std::numbers::pi * r * r + 2 * std::numbers::pi * r * H
                   : std::numbers::pi * (r * r * H + 4 * cube(r) / 3);
    case GeomType::Cylinder:
      return shell ? 2 * std::numbers::pi * r * r + 2 * std::numbers::pi * r * H : std::numbers::pi * r * r * H;
    case GeomType::Ellipsoid: {
      if (!shell) return 4 * std::numbers::pi * size.prod() / 3;
      constexpr double p = 1.6075;
      const double sum =
          std::pow(size[0] * size[1], p) + std::pow(size[1] * size[2], p) + std::pow(size[2] * size[0], p);
      return 4 * std::numbers::pi * std::pow(sum / 3, 1 / p);
    }
    case GeomType::Box:
    case GeomType::HField:
      return shell ? 8 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]) : 8 * size.prod();
    case GeomType::Plane:
    case GeomType::Mesh:
    case GeomType::Sdf:
      break;
  }
  return 0;
}

Vec3 shapeInertia(GeomType type, const Vec3& size, bool shell, double mass) {
  const double r = size[0], H = 2 * size[1];
  switch (type) {
    case GeomType::Sphere:
      return Vec3::Constant(2 * mass * r * r / (shell ? 3 : 5));
    case GeomType::Capsule:
      return capsuleInertia(r, H, shell, mass);
    case GeomType::Cylinder:
      return cylinderInertia(r, H, shell, mass);
    case GeomType::Ellipsoid:
      return ellipsoidInertia(size, shell, mass);
    case GeomType::Box:
    case GeomType::HField:
      return boxInertia(size, shell, mass);
    case GeomType::Plane:
    case GeomType::Mesh:
    case GeomType::Sdf:
      break;
  }
  return Vec3::Zero();
}

Aabb boxAabb(const Vec3& lower, const Vec3& upper) { return {(lower + upper) / 2, (upper - lower) / 2}; }

Aabb shapeAabb(GeomType type, const Vec3& size) {
  switch (type) {
    case GeomType::Plane:
      return boxAabb(Vec3::Constant(-kMaxVal), Vec3(kMaxVal, kMaxVal, 0));
    case GeomType::Sphere:
      return {Vec3::Zero(), Vec3::Constant(size[0])};
    case GeomType::Capsule:
      return {Vec3::Zero(), Vec3(size[0], size[0], size[0] + size[1])};
    case GeomType::Cylinder:
      return {Vec3::Zero(), Vec3(size[0], size[0], size[1])};
    default:
      return {Vec3::Zero(), size};
  }
}

double shapeBoundingRadius(GeomType type, const Vec3& size) {
  switch (type) {
    case GeomType::Plane:
      return 0;
    case GeomType::Sphere:
      return size[0];
    case GeomType::Capsule:
      return size[0] + size[1];
    case GeomType::Cylinder:
      return std::sqrt(size[0] * size[0] + size[1] * size[1]);
    case GeomType::Ellipsoid:
      return size.maxCoeff();
    default:  // boxes, and meshes by the corner of geomSize()
      return size.norm();
  }
}

Vec3 hfieldGeomSize(const HeightFieldSize& size) { return {size.x, size.y, 0.25 * size.top + 0.5 * size.base}; }

Aabb hfieldAabb(const HeightFieldSize& size) {
  return boxAabb(Vec3(-size.x, -size.y, -size.base), Vec3(size.x, size.y, size.top));
}

double hfieldBoundingRadius(const HeightFieldSize& size) {
  return std::sqrt(size.x * size.x + size.y * size.y + std::max(size.top * size.top, size.base * size.base));
}

}  // namespace sinew::geom
