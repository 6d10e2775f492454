#pragma once

#include <array>
#include <vector>

#include "compile/flex_draft.h"
#include "math/types.h"

namespace sinew::draft {

/// The nodes of an interpolated flex: a box of cells, each with order + 1 nodes along every axis, neighbours sharing
/// those between them. Node (i, j, k) has the number (i ny + j) nz + k.
class NodeGrid {
 public:
  NodeGrid(const std::array<int, 3>& cells, int order) : cells_(cells), order_(order) {}

  /// Nodes along an axis.
  int count(int axis) const { return cells_[axis] * order_ + 1; }
  int size() const { return count(0) * count(1) * count(2); }
  std::array<int, 3> counts() const { return {count(0), count(1), count(2)}; }
  int index(int i, int j, int k) const { return (i * count(1) + j) * count(2) + k; }
  bool isInside(int i, int j, int k) const {
    return i > 0 && i < count(0) - 1 && j > 0 && j < count(1) - 1 && k > 0 && k < count(2) - 1;
  }

  /// Node positions that fill a box.
  std::vector<Vec3> positions(const Vec3& low, const Vec3& high) const;

  /// Nodes that belong to empty cells only.
  std::vector<char> unusedNodes(const std::vector<char>& emptyCells) const;

  /// Share of each node in the mass of the whole box: equal (order 1), or by Simpson's rule (order 2).
  std::vector<double> massShares() const;

  /// Weights of the nodes at a point given in unit coordinates of the box: tensor products of Lagrange polynomials in
  /// the cell that holds it. With `shell` the nodes inside the box are replaced by what the surface implies for them.
  /// Zero weights are left out.
  std::vector<FlexSupport> weights(const Vec3& unit, bool shell) const;

 private:
  void addSurfaceWeights(int i, int j, int k, double weight, std::vector<double>& sum) const;

  std::array<int, 3> cells_;
  int order_;
};

/// Unit coordinates of points in a box of nodes, from the nodes' positions (any rotation of the box). Returns nothing
/// if the box is flat or its axes are not orthogonal.
std::vector<Vec3> unitCoordinates(const NodeGrid& grid, const std::vector<Vec3>& nodes,
                                  const std::vector<Vec3>& points);

}  // namespace sinew::draft
