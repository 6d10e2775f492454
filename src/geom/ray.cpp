#include "geom/ray.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/index.h"

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
      if (std::abs(p[j]) <= half[j] && std::abs(p[k]) <= half[k]) all[2 * i + (side + 1) / 2] = x;
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
    const int cell = floorWithin(at, last);
    const int across = side % 2 == 0 ? 0 : (alongY ? ncol : nrow) - 1;
    const double z0 = alongY ? height(cell, across) : height(across, cell);
    const double z1 = alongY ? height(cell + 1, across) : height(across, cell + 1);
    return z0 * (cell + 1 - at) + z1 * (at - cell);
  }
};

/// The cells between two points on one axis, one more on each side: [first, second).
std::pair<int, int> cellRange(double a, double b, double step, int count) {
  const int first = floorWithin(std::min(a, b) / step, count) - 1, last = ceilWithin(std::max(a, b) / step, count) + 1;
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

/// The part of a ray, taken as a line, that is inside something convex: [begin, end], empty if begin > end.
struct Interval {
  double begin = std::numeric_limits<double>::infinity();
  double end = -std::numeric_limits<double>::infinity();

  static Interval all() { return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}; }
  bool empty() const { return !(begin <= end); }
  void cut(const Interval& other) {
    begin = std::max(begin, other.begin);
    end = std::min(end, other.end);
  }
  /// Of a part of the same convex thing, so that the union is an interval as well.
  void unite(const Interval& other) {
    if (other.empty()) return;
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

/// Where offset + x speed is between low and high.
Interval between(double offset, double speed, double low, double high) {
  if (std::abs(speed) < std::numeric_limits<double>::min()) {
    return offset >= low && offset <= high ? Interval::all() : Interval{};
  }
  const double a = (low - offset) / speed, b = (high - offset) / speed;
  return {std::min(a, b), std::max(a, b)};
}

/// Where offset + x speed is within `radius` of the origin; both may be projections. The foot of the origin on the line
/// comes first: |offset|^2 - radius^2 would lose the radius of something far away.
Interval within(const Vec3& offset, const Vec3& speed, double radius) {
  const double square = speed.squaredNorm();
  if (square < std::numeric_limits<double>::min()) {
    return offset.squaredNorm() <= radius * radius ? Interval::all() : Interval{};
  }
  double x = -offset.dot(speed) / square;
  Vec3 foot = offset + x * speed;
  const double correction = -foot.dot(speed) / square;  // what rounding left along the line
  x += correction;
  foot += correction * speed;
  const double depth = radius * radius - foot.squaredNorm();
  if (depth < 0) return {};
  const double half = std::sqrt(depth / square);
  return {x - half, x + half};
}

/// A segment with a radius: the two balls, and the cylinder between them.
Interval insideCapsule(const Ray& ray, const Vec3& a, const Vec3& b, double radius) {
  Interval inside = within(ray.origin - a, ray.direction, radius);
  inside.unite(within(ray.origin - b, ray.direction, radius));
  const Vec3 axis = b - a;
  const double length = axis.norm();
  if (!(length > 0)) return inside;
  const Vec3 u = axis / length;
  const Vec3 offset = ray.origin - a;
  const double height = u.dot(offset), climb = u.dot(ray.direction);
  Interval wall = within(offset - height * u, ray.direction - climb * u, radius);
  wall.cut(between(height, climb, 0, length));
  inside.unite(wall);
  return inside;
}

/// A triangle without a radius, as a set of one point. The volumes that the ray spans with the three sides have the
/// same sign; that of a side that two triangles share is the same number but for the sign, so no ray slips through
/// between them.
Interval throughTriangle(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 p = a - ray.origin, q = b - ray.origin, r = c - ray.origin;
  const double u = ray.direction.dot(q.cross(r)), v = ray.direction.dot(r.cross(p)), w = ray.direction.dot(p.cross(q));
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return {};
  const Vec3 n = (b - a).cross(c - a);
  const double slope = n.dot(ray.direction);
  if (std::abs(slope) < std::numeric_limits<double>::min()) return {};
  const double x = n.dot(p) / slope;
  return {x, x};
}

/// A triangle with a radius: a prism and the capsules around its sides.
Interval insideTriangle(const Ray& ray, const Vec3& a, const Vec3& b, const Vec3& c, double radius) {
  if (!(radius > 0)) return throughTriangle(ray, a, b, c);
  const std::array<Vec3, 3> corner = {a, b, c};
  Interval inside;
  for (std::size_t i = 0; i < 3; ++i) inside.unite(insideCapsule(ray, corner[i], corner[(i + 1) % 3], radius));
  const Vec3 normal = (b - a).cross(c - a);
  const double area = normal.norm();
  if (!(area > 0)) return inside;
  const Vec3 n = normal / area;
  Interval prism = between(n.dot(ray.origin - a), n.dot(ray.direction), -radius, radius);
  for (std::size_t i = 0; i < 3 && !prism.empty(); ++i) {
    const Vec3 inward = n.cross(corner[(i + 1) % 3] - corner[i]);
    prism.cut(between(inward.dot(ray.origin - corner[i]), inward.dot(ray.direction), 0,
                      std::numeric_limits<double>::infinity()));
  }
  inside.unite(prism);
  return inside;
}

Interval insideElement(const Element& e, const Ray& ray) {
  switch (e.count) {
    case 1:
      return e.radius > 0 ? within(ray.origin - e.corner[0], ray.direction, e.radius) : Interval{};
    case 2:
      return e.radius > 0 ? insideCapsule(ray, e.corner[0], e.corner[1], e.radius) : Interval{};
    case 3:
      return insideTriangle(ray, e.corner[0], e.corner[1], e.corner[2], e.radius);
    default: {
      Interval inside;
      for (const std::array<int, 4>& face : kFacesAndCorner) {
        const auto at = [&](std::size_t i) -> const Vec3& { return e.corner[face[i]]; };
        inside.unite(insideTriangle(ray, at(0), at(1), at(2), e.radius));
      }
      return inside;
    }
  }
}

/// Normal of the surface at the point x of a ray. Without a radius it is that of the triangle, or of the face of a
/// tetrahedron whose plane is nearest.
Vec3 normalOfElement(const Element& e, const Ray& ray, double x, bool entering) {
  const Vec3 p = pointAt(ray, x);
  const Vec3 away = p - e.at(nearestWeights(e, p));
  if (e.radius > 0 && away.norm() > 0.5 * e.radius) return normalizedOrX(away);
  Vec3 n = Vec3::Zero();
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::array<int, 4>& face : kFacesAndCorner) {
    const auto at = [&](std::size_t i) -> const Vec3& { return e.corner[face[i]]; };
    const Vec3 candidate = normalizedOrX((at(1) - at(0)).cross(at(2) - at(0)));
    const double distance = std::abs(candidate.dot(p - at(0)));
    if (distance < nearest) {
      nearest = distance;
      n = candidate;
    }
    if (e.count < 4) break;
  }
  return (n.dot(ray.direction) > 0) == entering ? Vec3(-n) : n;
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

RayHit rayElement(const Element& element, const Ray& ray) {
  if (!hasDirection(ray)) return {};
  const Interval inside = insideElement(element, ray);
  if (inside.empty() || !(inside.end >= 0)) return {};
  const bool entering = inside.begin >= 0;
  const double x = entering ? inside.begin : inside.end;
  return {x, normalOfElement(element, ray, x, entering)};
}

}  // namespace sinew::geom
