#include "geom/thin_out.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "math/index.h"

namespace sinew::geom {
namespace {

/// Numbers the cells of a cube of `perSide` cells in each direction over the points.
class PointGrid {
 public:
  PointGrid(const Array<ContactPoint>& points, std::ptrdiff_t begin, int perSide)
      : perSide_(perSide), low_(points[begin].pos), size_(Vec3::Zero()) {
    Vec3 high = low_;
    for (std::ptrdiff_t i = begin + 1; i < points.size(); ++i) {
      low_ = low_.cwiseMin(points[i].pos);
      high = high.cwiseMax(points[i].pos);
    }
    size_ = high - low_;
  }

  std::int64_t cellOf(const Vec3& p) const {
    std::int64_t cell = 0;
    for (int k = 0; k < 3; ++k) {
      const double share = size_[k] > 0 ? (p[k] - low_[k]) / size_[k] : 0;
      cell = cell * perSide_ + floorWithin(share * perSide_, perSide_ - 1);
    }
    return cell;
  }

 private:
  int perSide_;
  Vec3 low_, size_;
};

}  // namespace

void thinOut(Array<ContactPoint>& points, std::ptrdiff_t begin, std::ptrdiff_t most) {
  const std::ptrdiff_t count = points.size() - begin;
  if (count <= most) return;
  const auto at = [&](std::int32_t i) -> const ContactPoint& { return points[begin + i]; };
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto deeper = [&](std::int32_t i, std::int32_t j) {
    return at(i).dist != at(j).dist ? at(i).dist < at(j).dist : i < j;
  };
  const auto half = order.begin() + most / 2;
  std::nth_element(order.begin(), half, order.end(), deeper);

  // Contacts lie on a surface, so that about the square of the number of cells along a side is occupied. From each
  // cell one after the other, the deepest first, until there are enough.
  const PointGrid grid(points, begin, std::max(1, static_cast<int>(std::sqrt(0.5 * static_cast<double>(most)))));
  struct Candidate {
    std::int64_t cell;
    std::int32_t point, rank;
  };
  std::vector<Candidate> rest;
  rest.reserve(static_cast<std::size_t>(order.end() - half));
  for (auto i = half; i != order.end(); ++i) rest.push_back({grid.cellOf(at(*i).pos), *i, 0});
  std::sort(rest.begin(), rest.end(), [&](const Candidate& a, const Candidate& b) {
    return a.cell != b.cell ? a.cell < b.cell : deeper(a.point, b.point);
  });
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i].cell == rest[i - 1].cell) rest[i].rank = rest[i - 1].rank + 1;
  }
  const auto wanted = rest.begin() + (most - most / 2);
  std::nth_element(rest.begin(), wanted, rest.end(), [&](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : deeper(a.point, b.point);
  });

  std::vector<std::int32_t> kept(order.begin(), half);
  for (auto i = rest.begin(); i != wanted; ++i) kept.push_back(i->point);
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i < kept.size(); ++i) points[begin + static_cast<std::ptrdiff_t>(i)] = at(kept[i]);
  points.resize(begin + most);
}

}  // namespace sinew::geom
