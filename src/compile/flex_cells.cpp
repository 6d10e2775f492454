#include "compile/flex_cells.h"

#include <algorithm>
#include <cmath>

#include "math/index.h"

namespace sinew::draft {
namespace {

/// Cell of a unit coordinate. A vertex on the border belongs to the upper cell, whatever rounding says.
int cellOf(double x, int n) { return floorWithin(x * n + 1e-9, n - 1); }

class Grid {
 public:
  explicit Grid(const std::array<int, 3>& n) : n_(n) {}
  std::size_t size() const { return static_cast<std::size_t>(n_[0]) * static_cast<std::size_t>(n_[1] * n_[2]); }
  std::size_t index(const std::array<int, 3>& c) const {
    return static_cast<std::size_t>((c[0] * n_[1] + c[1]) * n_[2] + c[2]);
  }
  std::array<int, 3> cell(std::size_t index) const {
    const int i = static_cast<int>(index);
    return {i / (n_[1] * n_[2]), i / n_[2] % n_[1], i % n_[2]};
  }
  bool isOuter(const std::array<int, 3>& c) const {
    for (std::size_t k = 0; k < 3; ++k) {
      if (c[k] == 0 || c[k] == n_[k] - 1) return true;
    }
    return false;
  }
  int count(std::size_t axis) const { return n_[axis]; }

 private:
  std::array<int, 3> n_;
};

std::vector<char> touchedCells(const Grid& grid, int dim, std::span<const Vec3> unit, std::span<const int> elements) {
  std::vector<char> touched(grid.size(), 0);
  const std::size_t corners = static_cast<std::size_t>(dim) + 1;
  for (std::size_t e = 0; e + corners <= elements.size(); e += corners) {
    Vec3 low = unit[elements[e]];
    Vec3 high = low;
    for (std::size_t i = 1; i < corners; ++i) {
      low = low.cwiseMin(unit[elements[e + i]]);
      high = high.cwiseMax(unit[elements[e + i]]);
    }
    std::array<int, 3> from, to;
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = cellOf(low[static_cast<Eigen::Index>(k)], grid.count(k));
      to[k] = cellOf(high[static_cast<Eigen::Index>(k)], grid.count(k));
    }
    for (int i = from[0]; i <= to[0]; ++i) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int k = from[2]; k <= to[2]; ++k) touched[grid.index({i, j, k})] = 1;
      }
    }
  }
  return touched;
}

/// Untouched cells that can be reached from the border of the grid.
std::vector<char> outside(const Grid& grid, const std::vector<char>& touched) {
  std::vector<char> reached(grid.size(), 0);
  std::vector<std::size_t> open;
  const auto reach = [&](std::size_t index) {
    if (touched[index] || reached[index]) return;
    reached[index] = 1;
    open.push_back(index);
  };
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (grid.isOuter(grid.cell(i))) reach(i);
  }
  while (!open.empty()) {
    const std::array<int, 3> cell = grid.cell(open.back());
    open.pop_back();
    for (std::size_t k = 0; k < 3; ++k) {
      for (const int step : {-1, 1}) {
        std::array<int, 3> next = cell;
        next[k] += step;
        if (next[k] >= 0 && next[k] < grid.count(k)) reach(grid.index(next));
      }
    }
  }
  return reached;
}

}  // namespace

std::vector<char> emptyCells(const std::array<int, 3>& cells, int dim, std::span<const Vec3> unit,
                             std::span<const int> elements) {
  const Grid grid(cells);
  if (grid.size() == 1) return {0};
  const std::vector<char> touched = touchedCells(grid, dim, unit, elements);
  if (dim == 2) return outside(grid, touched);
  std::vector<char> empty(touched.size());
  for (std::size_t i = 0; i < touched.size(); ++i) empty[i] = !touched[i];
  return empty;
}

}  // namespace sinew::draft
