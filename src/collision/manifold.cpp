#include "collision/manifold.h"

#include <algorithm>
#include <array>

#include "math/types.h"

namespace sinew {
namespace {

constexpr double kNear = 1e-3;
constexpr int kMost = 4;

/// The later one of two points in one place goes; what stays has the larger depth and the smaller name, so that neither
/// depends on which of them was found first.
void mergeNeighbours(Array<geom::ContactPoint>& points, double size) {
  const double near = kNear * size * kNear * size;
  std::ptrdiff_t kept = 0;
  for (std::ptrdiff_t i = 0; i < points.size(); ++i) {
    const geom::ContactPoint& point = points[i];
    const auto end = points.begin() + kept;
    const auto twin = std::find_if(points.begin(), end, [&](const geom::ContactPoint& other) {
      return (other.pos - point.pos).squaredNorm() < near && other.normal.dot(point.normal) > 0.99;
    });
    if (twin == end) {
      points[kept++] = geom::ContactPoint(point);
      continue;
    }
    twin->dist = std::min(twin->dist, point.dist);
    twin->feature = std::min(twin->feature, point.feature);
  }
  points.resize(kept);
}

/// At most kMost of the points: the deepest, and those that span the largest area with it.
void keepFew(Array<geom::ContactPoint>& points) {
  if (points.size() <= kMost) return;

  // each time the point that is best by some measure of those not chosen yet, the first of equals
  std::array<std::ptrdiff_t, kMost> chosen{};
  const auto choose = [&](int count, const auto& measure) {
    double best = 0;
    std::ptrdiff_t found = -1;
    for (std::ptrdiff_t i = 0; i < points.size(); ++i) {
      if (std::find(chosen.begin(), chosen.begin() + count, i) != chosen.begin() + count) continue;
      const double value = measure(points[i]);
      if (found < 0 || value > best) {
        best = value;
        found = i;
      }
    }
    chosen[static_cast<std::size_t>(count)] = found;
  };
  const auto at = [&](int k) -> const Vec3& { return points[chosen[static_cast<std::size_t>(k)]].pos; };
  choose(0, [](const geom::ContactPoint& p) { return -p.dist; });
  choose(1, [&](const geom::ContactPoint& p) { return (p.pos - at(0)).squaredNorm(); });
  choose(2, [&](const geom::ContactPoint& p) { return (p.pos - at(0)).cross(at(1) - at(0)).squaredNorm(); });
  // on the far side of one of the triangle's edges, as far as possible
  const Vec3 across = (at(1) - at(0)).cross(at(2) - at(0));
  choose(3, [&](const geom::ContactPoint& p) {
    double beyond = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3& from = at(k);
      beyond = std::max(beyond, -(at((k + 1) % 3) - from).cross(p.pos - from).dot(across));
    }
    return beyond;
  });
  std::sort(chosen.begin(), chosen.end());
  for (std::size_t k = 0; k < kMost; ++k)
    points[static_cast<std::ptrdiff_t>(k)] = geom::ContactPoint(points[chosen[k]]);
  points.resize(kMost);
}

}  // namespace

void reduceManifold(Array<geom::ContactPoint>& points, double size) {
  if (points.size() < 2) return;
  mergeNeighbours(points, size);
  keepFew(points);
  // rounding decides where a clipped face begins; the order shall not
  std::sort(points.begin(), points.end(),
            [](const geom::ContactPoint& a, const geom::ContactPoint& b) { return a.feature < b.feature; });
}

}  // namespace sinew
