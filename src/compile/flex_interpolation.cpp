#include "compile/flex_interpolation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "math/index.h"

namespace sinew::draft {
namespace {

/// Lagrange polynomials of equally spaced nodes on [0, 1].
std::array<double, 3> basis(int order, double s) {
  if (order == 1) return {1 - s, s, 0};
  return {2 * s * s - 3 * s + 1, 4 * (s - s * s), 2 * s * s - s};
}

}  // namespace

std::vector<Vec3> NodeGrid::positions(const Vec3& low, const Vec3& high) const {
  std::vector<Vec3> nodes;
  nodes.reserve(static_cast<std::size_t>(size()));
  for (int i = 0; i < count(0); ++i) {
    for (int j = 0; j < count(1); ++j) {
      for (int k = 0; k < count(2); ++k) {
        const Vec3 share(static_cast<double>(i) / (count(0) - 1), static_cast<double>(j) / (count(1) - 1),
                         static_cast<double>(k) / (count(2) - 1));
        nodes.emplace_back(low + share.cwiseProduct(high - low));
      }
    }
  }
  return nodes;
}

std::vector<char> NodeGrid::unusedNodes(const std::vector<char>& emptyCells) const {
  std::vector<char> unused(static_cast<std::size_t>(size()), 1);
  for (int ci = 0; ci < cells_[0]; ++ci) {
    for (int cj = 0; cj < cells_[1]; ++cj) {
      for (int ck = 0; ck < cells_[2]; ++ck) {
        if (emptyCells[(ci * cells_[1] + cj) * cells_[2] + ck]) continue;
        for (int i = 0; i <= order_; ++i) {
          for (int j = 0; j <= order_; ++j) {
            for (int k = 0; k <= order_; ++k) {
              unused[index(ci * order_ + i, cj * order_ + j, ck * order_ + k)] = 0;
            }
          }
        }
      }
    }
  }
  return unused;
}

std::vector<double> NodeGrid::massShares() const {
  std::vector<double> shares(static_cast<std::size_t>(size()), 1.0);
  if (order_ == 1) return shares;
  // Simpson's weights 1/6, 2/3, 1/6 per cell; a node between two cells has both
  const auto weight = [&](int i, int n) {
    if (i % 2 == 1) return 2.0 / 3;
    return i > 0 && i < n - 1 ? 2.0 / 6 : 1.0 / 6;
  };
  for (int i = 0; i < count(0); ++i) {
    for (int j = 0; j < count(1); ++j) {
      for (int k = 0; k < count(2); ++k) {
        shares[index(i, j, k)] = weight(i, count(0)) * weight(j, count(1)) * weight(k, count(2));
      }
    }
  }
  return shares;
}

/// Transfinite interpolation: faces minus edges plus corners, each with linear weights.
void NodeGrid::addSurfaceWeights(int i, int j, int k, double weight, std::vector<double>& sum) const {
  const std::array<int, 3> at{i, j, k};
  // per axis: stay (side -1), or go to the low or high end; the sign follows from how many axes go
  for (int si = -1; si <= 1; ++si) {
    for (int sj = -1; sj <= 1; ++sj) {
      for (int sk = -1; sk <= 1; ++sk) {
        const std::array<int, 3> side{si, sj, sk};
        std::array<int, 3> to = at;
        double share = -weight;
        for (std::size_t a = 0; a < 3; ++a) {
          if (side[a] < 0) continue;
          const int last = count(static_cast<int>(a)) - 1;
          const double s = static_cast<double>(at[a]) / last;
          to[a] = side[a] == 0 ? 0 : last;
          share *= -(side[a] == 0 ? 1 - s : s);
        }
        if (to == at && si < 0 && sj < 0 && sk < 0) continue;
        sum[index(to[0], to[1], to[2])] += share;
      }
    }
  }
}

std::vector<FlexSupport> NodeGrid::weights(const Vec3& unit, bool shell) const {
  std::array<int, 3> cell;
  std::array<std::array<double, 3>, 3> shape;
  for (std::size_t a = 0; a < 3; ++a) {
    const double scaled = unit[static_cast<Eigen::Index>(a)] * cells_[a];
    cell[a] = floorWithin(scaled, cells_[a] - 1);
    shape[a] = basis(order_, std::clamp(scaled - cell[a], 0.0, 1.0));
  }
  std::map<int, double> sum;  // by node number
  std::vector<double> surface;
  for (int i = 0; i <= order_; ++i) {
    for (int j = 0; j <= order_; ++j) {
      for (int k = 0; k <= order_; ++k) {
        const double w = shape[0][i] * shape[1][j] * shape[2][k];
        if (w == 0) continue;
        const int gi = cell[0] * order_ + i, gj = cell[1] * order_ + j, gk = cell[2] * order_ + k;
        if (shell && isInside(gi, gj, gk)) {
          surface.resize(static_cast<std::size_t>(size()), 0.0);
          addSurfaceWeights(gi, gj, gk, w, surface);
        } else {
          sum[index(gi, gj, gk)] += w;
        }
      }
    }
  }
  for (std::size_t n = 0; n < surface.size(); ++n) {
    if (surface[n] != 0) sum[static_cast<int>(n)] += surface[n];
  }
  std::vector<FlexSupport> supports;
  supports.reserve(sum.size());
  for (const auto& [node, weight] : sum) supports.push_back({node, weight});
  return supports;
}

std::vector<Vec3> unitCoordinates(const NodeGrid& grid, const std::vector<Vec3>& nodes,
                                  const std::vector<Vec3>& points) {
  const Vec3& origin = nodes[0];
  std::array<Vec3, 3> axis;
  for (int a = 0; a < 3; ++a) {
    std::array<int, 3> end{0, 0, 0};
    end[a] = grid.count(a) - 1;
    axis[a] = nodes[grid.index(end[0], end[1], end[2])] - origin;
    if (!(axis[a].norm() > kMinVal)) return {};
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const Vec3 &u = axis[a], &v = axis[(a + 1) % 3];
    if (std::abs(u.dot(v)) > 1e-8 * u.norm() * v.norm()) return {};
  }
  std::vector<Vec3> unit;
  unit.reserve(points.size());
  for (const Vec3& point : points) {
    const Vec3 offset = point - origin;
    unit.emplace_back(offset.dot(axis[0]) / axis[0].squaredNorm(), offset.dot(axis[1]) / axis[1].squaredNorm(),
                      offset.dot(axis[2]) / axis[2].squaredNorm());
  }
  return unit;
}

}  // namespace sinew::draft
