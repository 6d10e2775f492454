#include "collision/manifold.h"

#include <algorithm>

#include "math/types.h"

namespace sinew {
namespace {

constexpr double kNear = 1e-3;  // of the size: points this near to each other are one

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
      if (kept < i) points[kept] = point;
      ++kept;
      continue;
    }
    twin->dist = std::min(twin->dist, point.dist);
    twin->feature = std::min(twin->feature, point.feature);
  }
  points.resize(kept);
}

}  // namespace

void settleManifold(Array<geom::ContactPoint>& points, double size) {
  if (points.size() < 2) return;
  mergeNeighbours(points, size);
  // rounding decides where a clipped face begins; the order shall not
  std::sort(points.begin(), points.end(),
            [](const geom::ContactPoint& a, const geom::ContactPoint& b) { return a.feature < b.feature; });
}

}  // namespace sinew
