#include "geom/gjk_simplex.h"

#include <cmath>
#include <limits>

#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

using Weights2 = std::array<double, 2>;
using Weights3 = std::array<double, 3>;
using Weights4 = std::array<double, 4>;

/// Both positive or both negative.
bool sameSign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

/// Triple product a . (b x c), six times the volume of the tetrahedron of the three points and the origin.
double tripleProduct(const Vec3& a, const Vec3& b, const Vec3& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// A triangle seen along the coordinate axis that shows most of it: coordinates x and y are kept, and `area` is twice
/// its signed area there.
struct Projection {
  int x = 1, y = 2;
  double area = 0;

  Projection(const Vec3& a, const Vec3& b, const Vec3& c) {
    const auto areaOn = [&](int i, int j) {
      return b[i] * c[j] - b[j] * c[i] - a[i] * c[j] + a[j] * c[i] + a[i] * b[j] - a[j] * b[i];
    };
    const double yz = areaOn(1, 2), xz = areaOn(0, 2), xy = areaOn(0, 1);
    area = yz;
    if (std::abs(yz) >= std::abs(xz) && std::abs(yz) >= std::abs(xy)) return;
    x = 0;
    y = std::abs(xz) >= std::abs(xy) ? 2 : 1;
    area = y == 2 ? xz : xy;
  }

  /// Twice the signed area of the triangle p, q, r.
  double areaOf(const Vec3& p, const Vec3& q, const Vec3& r) const {
    return p[x] * q[y] + p[y] * r[x] + q[x] * r[y] - p[x] * r[y] - p[y] * q[x] - r[x] * q[y];
  }
};

Weights2 segmentWeights(const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  if (dot(ab, ab) == 0) return {0, 1};
  const double scale = -(dot(b, ab) / dot(ab, ab));
  const Vec3 foot = b + scale * ab;

  // compare along the axis on which the segment is longest
  int axis = 0;
  double length = a[0] - b[0];
  for (int i = 1; i < 3; ++i) {
    if (std::abs(a[i] - b[i]) >= std::abs(length)) {
      length = a[i] - b[i];
      axis = i;
    }
  }
  const double toB = foot[axis] - b[axis], toA = a[axis] - foot[axis];
  if (sameSign(length, toB) && sameSign(length, toA)) return {toB / length, toA / length};
  return {0, 1};  // b is the newer vertex: the search came from a to get nearer
}

Weights3 triangleWeights(const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 foot;
  if (!projectOriginOnPlane(a, b, c, foot)) {
    const Weights2 w = segmentWeights(a, b);
    return {w[0], w[1], 0};
  }
  const Projection view(a, b, c);
  const Weights3 area = {view.areaOf(foot, b, c), view.areaOf(foot, c, a), view.areaOf(foot, a, b)};
  const std::array<bool, 3> inside = {sameSign(view.area, area[0]), sameSign(view.area, area[1]),
                                      sameSign(view.area, area[2])};
  if (inside[0] && inside[1] && inside[2]) return {area[0] / view.area, area[1] / view.area, area[2] / view.area};

  // outside: the nearest of the edges that the foot lies beyond
  Weights3 best{};
  double bestSquare = std::numeric_limits<double>::max();
  const auto tryEdge = [&](const Vec3& p, const Vec3& q, std::size_t i, std::size_t j, bool first) {
    const Weights2 w = segmentWeights(p, q);
    const Vec3 x = w[0] * p + w[1] * q;
    const double square = dot(x, x);
    if (!first && !(square < bestSquare)) return;
    bestSquare = square;
    best = {};
    best[i] = w[0];
    best[j] = w[1];
  };
  if (!inside[0]) tryEdge(b, c, 1, 2, true);
  if (!inside[1]) tryEdge(a, c, 0, 2, false);
  if (!inside[2]) tryEdge(a, b, 0, 1, false);
  return best;
}

Weights4 tetrahedronWeights(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Weights4 volume = {-tripleProduct(b, c, d), tripleProduct(a, c, d), -tripleProduct(a, b, d),
                           tripleProduct(a, b, c)};
  const double total = volume[0] + volume[1] + volume[2] + volume[3];
  std::array<bool, 4> inside;
  for (std::size_t i = 0; i < 4; ++i) inside[i] = sameSign(total, volume[i]);
  if (inside[0] && inside[1] && inside[2] && inside[3]) {
    return {volume[0] / total, volume[1] / total, volume[2] / total, volume[3] / total};
  }

  // outside: the nearest of the faces that the origin lies beyond
  const std::array<const Vec3*, 4> vertex = {&a, &b, &c, &d};
  Weights4 best{};
  double bestSquare = std::numeric_limits<double>::max();
  for (std::size_t opposite = 0; opposite < 4; ++opposite) {
    if (inside[opposite]) continue;
    std::array<std::size_t, 3> face;
    for (std::size_t i = 0, k = 0; i < 4; ++i) {
      if (i != opposite) face[k++] = i;
    }
    const Vec3 &p = *vertex[face[0]], &q = *vertex[face[1]], &r = *vertex[face[2]];
    const Weights3 w = triangleWeights(p, q, r);
    const Vec3 x = w[0] * p + w[1] * q + w[2] * r;
    const double square = dot(x, x);
    if (opposite > 0 && !(square < bestSquare)) continue;
    bestSquare = square;
    best = {};
    for (std::size_t k = 0; k < 3; ++k) best[face[k]] = w[k];
  }
  return best;
}

}  // namespace

bool projectOriginOnPlane(const Vec3& a, const Vec3& b, const Vec3& c, Vec3& foot) {
  // the normal from each pair of edges in turn, until one is well conditioned
  const Vec3 ab = b - a, ac = c - a, bc = c - b;
  const auto project = [&](const Vec3& n, const Vec3& base, bool last) {
    const double height = dot(n, base), square = dot(n, n);
    if (square == 0) return -1;
    if (!last && (height == 0 || square <= kMinVal)) return 0;
    foot = n * (height / square);
    return 1;
  };
  int done = project(bc.cross(ab), b, false);
  if (done == 0) done = project(ab.cross(ac), a, false);
  if (done == 0) done = project(ac.cross(bc), c, true);
  return done > 0;
}

std::array<double, 3> affineCoordinates(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p) {
  const Projection view(a, b, c);
  if (view.area == 0) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, kNone};
  }
  return {view.areaOf(p, b, c) / view.area, view.areaOf(p, c, a) / view.area, view.areaOf(p, a, b) / view.area};
}

std::array<double, 4> nearestWeights(std::span<const MinkowskiVertex> simplex) {
  switch (simplex.size()) {
    case 1:
      return {1, 0, 0, 0};
    case 2: {
      const Weights2 w = segmentWeights(simplex[0].point, simplex[1].point);
      return {w[0], w[1], 0, 0};
    }
    case 3: {
      const Weights3 w = triangleWeights(simplex[0].point, simplex[1].point, simplex[2].point);
      return {w[0], w[1], w[2], 0};
    }
    default:
      return tetrahedronWeights(simplex[0].point, simplex[1].point, simplex[2].point, simplex[3].point);
  }
}

}  // namespace sinew::geom
