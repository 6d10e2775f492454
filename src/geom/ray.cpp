#include "geom/ray.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew::geom {
namespace {

/// The ray in the shape's own frame.
Ray toLocal(const Vec3& pos, const Mat3& R, const Ray& ray) {
  return {R.transpose() * (ray.origin - pos), R.transpose() * ray.direction};
}

RayHit toWorld(const Mat3& R, RayHit hit) {
  hit.normal = R * hit.normal;
  return hit;
}

Vec3 pointAt(const Ray& ray, double x) { return ray.origin + x * ray.direction; }

bool isNearer(double x, const RayHit& hit) { return x >= 0 && (!hit.isHit() || x < hit.distance); }

/// Real roots of a x^2 + 2 b x + c = 0 in ascending order, a > 0; both -1 if there are none.
std::array<double, 2> roots(double a, double b, double c) {
  const double det = b * b - a * c;
  if (det < 0 || a < kMinVal) return {-1, -1};
  const double root = std::sqrt(det);
  return {(-b - root) / a, (-b + root) / a};
}

/// The smaller root that is not negative, or -1.
double firstAhead(const std::array<double, 2>& x) { return x[0] >= 0 ? x[0] : x[1] >= 0 ? x[1] : -1; }

std::array<double, 2> ballRoots(const Ray& ray, const Vec3& center, double radius) {
  const Vec3 d = ray.origin - center;
  return roots(ray.direction.squaredNorm(), ray.direction.dot(d), d.squaredNorm() - radius * radius);
}

/// The wall of an endless cylinder around z.
double wallAhead(const Ray& ray, double radius) {
  const auto o = ray.origin.head<2>(), d = ray.direction.head<2>();
  return firstAhead(roots(d.squaredNorm(), d.dot(o), o.squaredNorm() - radius * radius));
}

RayHit rayPlane(const Ray& ray, const Vec3& size) {
  if (ray.direction.z() > -kMinVal) return {};
  const double x = -ray.origin.z() / ray.direction.z();
  if (x < 0) return {};
  const Vec3 p = pointAt(ray, x);
  for (int i = 0; i < 2; ++i)
    if (size[i] > 0 && std::abs(p[i]) > size[i]) return {};
  return {x, Vec3::UnitZ()};
}

RayHit raySphere(const Ray& ray, double radius) {
  const double x = firstAhead(ballRoots(ray, Vec3::Zero(), radius));
  if (x < 0) return {};
  return {x, normalizedOrX(pointAt(ray, x))};
}

RayHit rayCapsule(const Ray& ray, double radius, double half) {
  RayHit hit;
  const double wall = wallAhead(ray, radius);
  if (wall >= 0 && std::abs(pointAt(ray, wall).z()) <= half) {
    const Vec3 p = pointAt(ray, wall);
    hit = {wall, normalizedOrX(Vec3(p.x(), p.y(), 0))};
  }
  for (const double side : {1.0, -1.0}) {
    const Vec3 center(0, 0, side * half);
    for (const double x : ballRoots(ray, center, radius)) {
      // only the outer half of each ball is surface
      const Vec3 p = pointAt(ray, x);
      if (isNearer(x, hit) && side * p.z() >= half) hit = {x, normalizedOrX(p - center)};
    }
  }
  return hit;
}

RayHit rayEllipsoid(const Ray& ray, const Vec3& size) {
  const Vec3 s = size.cwiseAbs2().cwiseInverse();
  const Vec3 so = s.cwiseProduct(ray.origin), sd = s.cwiseProduct(ray.direction);
  const double x = firstAhead(roots(sd.dot(ray.direction), sd.dot(ray.origin), so.dot(ray.origin) - 1));
  if (x < 0) return {};
  return {x, normalizedOrX(s.cwiseProduct(pointAt(ray, x)))};
}

RayHit rayCylinder(const Ray& ray, double radius, double half) {
  RayHit hit;
  if (std::abs(ray.direction.z()) > kMinVal) {
    for (const double side : {-1.0, 1.0}) {
      const double x = (side * half - ray.origin.z()) / ray.direction.z();
      const auto p = pointAt(ray, x);
      if (isNearer(x, hit) && p.x() * p.x() + p.y() * p.y() <= radius * radius) hit = {x, side * Vec3::UnitZ()};
    }
  }
  const double wall = wallAhead(ray, radius);
  if (isNearer(wall, hit) && std::abs(pointAt(ray, wall).z()) <= half) {
    const Vec3 p = pointAt(ray, wall);
    hit = {wall, normalizedOrX(Vec3(p.x(), p.y(), 0))};
  }
  return hit;
}

/// Where the ray passes the six sides of a box (-x, +x, -y, ...), -1 for sides it does not.
std::array<double, 6> boxPassages(const Ray& ray, const Vec3& center, const Vec3& half) {
  std::array<double, 6> all;
  all.fill(-1);
  for (int i = 0; i < 3; ++i) {
    if (std::abs(ray.direction[i]) <= kMinVal) continue;
    for (const int side : {-1, 1}) {
      const double x = (center[i] + side * half[i] - ray.origin[i]) / ray.direction[i];
      if (x < 0) continue;
      const Vec3 p = pointAt(ray, x) - center;
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      if (std::abs(p[j]) <= half[j] && std::abs(p[k]) <= half[k])
        all[static_cast<std::size_t>(2 * i + (side + 1) / 2)] = x;
    }
  }
  return all;
}

Vec3 sideNormal(std::size_t side) {
  Vec3 n = Vec3::Zero();
  n[static_cast<int>(side / 2)] = side % 2 == 0 ? -1 : 1;
  return n;
}

RayHit nearestSide(const std::array<double, 6>& all) {
  RayHit hit;
  for (std::size_t side = 0; side < 6; ++side)
    if (isNearer(all[side], hit)) hit = {all[side], sideNormal(side)};
  return hit;
}

RayHit rayBox(const Ray& ray, const Vec3& center, const Vec3& half) {
  return nearestSide(boxPassages(ray, center, half));
}

/// Tests triangles against one ray. The triangle is projected along the ray; it is met if the projection holds the
/// ray's point, which is found by solving for two barycentric coordinates.
class TriangleTester {
 public:
  explicit TriangleTester(const Ray& ray) : ray_(ray) {
    // two axes across the ray, starting from one that is not along it
    const Vec3& d = ray.direction;
    int longest = 2;
    if (std::abs(d[0]) >= std::abs(d[1]) && std::abs(d[0]) >= std::abs(d[2])) {
      longest = 0;
    } else if (std::abs(d[1]) >= std::abs(d[2])) {
      longest = 1;
    }
    Vec3 seed = Vec3::Ones();
    seed[longest] = 0;
    across1_ = normalizedOrX(seed - d.dot(seed) / d.squaredNorm() * d);
    across0_ = normalizedOrX(across1_.cross(d));
  }

  /// Replaces `hit` if the triangle is met nearer. The normal is that of the order a, b, c.
  void test(const Vec3& a, const Vec3& b, const Vec3& c, RayHit& hit) const {
    const double p[3][2] = {{across0_.dot(a - ray_.origin), across1_.dot(a - ray_.origin)},
                            {across0_.dot(b - ray_.origin), across1_.dot(b - ray_.origin)},
                            {across0_.dot(c - ray_.origin), across1_.dot(c - ray_.origin)}};
    for (int k = 0; k < 2; ++k) {
      if (p[0][k] > 0 && p[1][k] > 0 && p[2][k] > 0) return;
      if (p[0][k] < 0 && p[1][k] < 0 && p[2][k] < 0) return;
    }
    const double a00 = p[0][0] - p[2][0], a01 = p[1][0] - p[2][0], a10 = p[0][1] - p[2][1], a11 = p[1][1] - p[2][1];
    const double det = a00 * a11 - a01 * a10;
    if (std::abs(det) < kMinVal) return;
    const double t0 = (-a11 * p[2][0] + a01 * p[2][1]) / det;
    const double t1 = (a10 * p[2][0] - a00 * p[2][1]) / det;
    if (t0 < 0 || t1 < 0 || t0 + t1 > 1) return;

    const Vec3 n = (a - c).cross(b - c);
    const double slope = ray_.direction.dot(n);
    if (std::abs(slope) < kMinVal) return;
    const double x = (c - ray_.origin).dot(n) / slope;
    if (isNearer(x, hit)) hit = {x, normalizedOrX(n)};
  }

 private:
  const Ray& ray_;
  Vec3 across0_, across1_;
};

/// The grid of a height field in its own frame.
struct Grid {
  int nrow, ncol;
  std::span<const float> elevation;
  const HeightFieldSize& size;
  double dx = 2 * size.x / (ncol - 1);
  double dy = 2 * size.y / (nrow - 1);

  double height(int r, int c) const {
    return elevation[static_cast<std::size_t>(r) * static_cast<std::size_t>(ncol) + static_cast<std::size_t>(c)];
  }
  Vec3 vertex(int r, int c) const { return {dx * c - size.x, dy * r - size.y, height(r, c) * size.top}; }

  /// Elevation on the rim under the point p of wall `side` (-x, +x, -y, +y), linear between vertices.
  double rim(std::size_t side, const Vec3& p) const {
    const bool alongY = side < 2;
    const double at = alongY ? (p.y() + size.y) / dy : (p.x() + size.x) / dx;
    const int last = (alongY ? nrow : ncol) - 2;
    const int cell = std::clamp(static_cast<int>(std::floor(at)), 0, last);
    const int across = side % 2 == 0 ? 0 : (alongY ? ncol : nrow) - 1;
    const double z0 = alongY ? height(cell, across) : height(across, cell);
    const double z1 = alongY ? height(cell + 1, across) : height(across, cell + 1);
    return z0 * (cell + 1 - at) + z1 * (at - cell);
  }
};

/// The cells between two points on one axis, one more on each side: [first, second).
std::pair<int, int> cellRange(double a, double b, double step, int count) {
  const int first = static_cast<int>(std::floor(std::min(a, b) / step)) - 1;
  const int last = static_cast<int>(std::ceil(std::max(a, b) / step)) + 1;
  return {std::max(0, first), std::min(count - 1, last)};
}

/// Triangles of the cells that the ray passes while it is inside the box above elevation 0.
void rayCells(const Grid& grid, const Ray& ray, double begin, double end, RayHit& hit) {
  const TriangleTester tester(ray);
  const Vec3 p = pointAt(ray, begin), q = pointAt(ray, end);
  const auto [c0, c1] = cellRange(p.x() + grid.size.x, q.x() + grid.size.x, grid.dx, grid.ncol);
  const auto [r0, r1] = cellRange(p.y() + grid.size.y, q.y() + grid.size.y, grid.dy, grid.nrow);
  for (int r = r0; r < r1; ++r) {
    for (int c = c0; c < c1; ++c) {
      const Vec3 corner = grid.vertex(r, c), opposite = grid.vertex(r + 1, c + 1);
      tester.test(corner, grid.vertex(r, c + 1), opposite, hit);
      tester.test(corner, opposite, grid.vertex(r + 1, c), hit);
    }
  }
}

bool hasDirection(const Ray& ray) { return ray.direction.squaredNorm() >= kMinVal; }

}  // namespace

RayHit rayShape(GeomType type, const Vec3& size, const Vec3& pos, const Mat3& R, const Ray& ray) {
  if (!hasDirection(ray)) return {};
  const Ray local = toLocal(pos, R, ray);
  switch (type) {
    case GeomType::Plane:
      return toWorld(R, rayPlane(local, size));
    case GeomType::Sphere:
      return toWorld(R, raySphere(local, size[0]));
    case GeomType::Capsule:
      return toWorld(R, rayCapsule(local, size[0], size[1]));
    case GeomType::Ellipsoid:
      return toWorld(R, rayEllipsoid(local, size));
    case GeomType::Cylinder:
      return toWorld(R, rayCylinder(local, size[0], size[1]));
    case GeomType::Box:
      return toWorld(R, rayBox(local, Vec3::Zero(), size));
    default:
      return {};
  }
}

RayHit rayMesh(std::span<const float> vertex, std::span<const int> face, const Vec3& size, const Vec3& pos,
               const Mat3& R, const Ray& ray) {
  if (!hasDirection(ray)) return {};
  const Ray local = toLocal(pos, R, ray);
  if (!rayBox(local, Vec3::Zero(), size).isHit()) return {};
  const TriangleTester tester(local);
  const auto corner = [vertex](int v) {
    const float* p = vertex.data() + 3 * static_cast<std::ptrdiff_t>(v);
    return Vec3(p[0], p[1], p[2]);
  };
  RayHit hit;
  for (std::size_t i = 0; i + 2 < face.size(); i += 3)
    tester.test(corner(face[i]), corner(face[i + 1]), corner(face[i + 2]), hit);
  return toWorld(R, hit);
}

RayHit rayHfield(int nrow, int ncol, std::span<const float> elevation, const HeightFieldSize& size, const Vec3& pos,
                 const Mat3& R, const Ray& ray) {
  if (!hasDirection(ray)) return {};
  const Ray local = toLocal(pos, R, ray);
  RayHit hit = rayBox(local, Vec3(0, 0, -size.base / 2), Vec3(size.x, size.y, size.base / 2));
  const std::array<double, 6> top = boxPassages(local, Vec3(0, 0, size.top / 2), Vec3(size.x, size.y, size.top / 2));
  const double enter = nearestSide(top).distance;
  if (enter < 0 || nrow < 2 || ncol < 2) return toWorld(R, hit);

  // inside the box from the beginning, if it is passed only once
  const double leave = *std::max_element(top.begin(), top.end());
  const Grid grid{nrow, ncol, elevation, size};
  rayCells(grid, local, leave > enter ? enter : 0, leave, hit);

  // the walls below the rim
  for (std::size_t side = 0; side < 4; ++side) {
    if (!isNearer(top[side], hit)) continue;
    const Vec3 p = pointAt(local, top[side]);
    if (p.z() / size.top < grid.rim(side, p)) hit = {top[side], sideNormal(side)};
  }
  return toWorld(R, hit);
}

}  // namespace sinew::geom
