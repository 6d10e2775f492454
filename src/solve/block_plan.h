#pragma once

#include <span>
#include <vector>

#include "base/arena.h"
#include "math/sparse/block_matrix.h"
#include "math/sparse/coarse_space.h"
#include "sinew/rows.h"
#include "solve/metric.h"

namespace sinew::solve {

/// Where blocks of rows belong in a BlockMatrix. A block of rows touches a few rows of the matrix.
struct BlockPlaces {
  int firstBlock = 0, firstColumn = 0;  ///< where the problem's lists begin to count
  std::span<const int> slot;            ///< by column of the rows: kStride (which of the touched rows) + lane
  std::span<const int> touchedNum;      ///< touched rows, by block of rows
  std::span<const int> placeAdr;        ///< first place of each block of rows, and one past the last
  std::span<const int> place;           ///< blocks of the matrix, for pairs (a, b <= a) of the touched rows
};

/// Where the dofs, the metric, and blocks of rows of a problem belong in a BlockMatrix. Dofs are in blocks of three: a
/// flex node is one, a body has as many as its dofs need, filled up. A plan serves every problem with the same metric,
/// whose other rows it holds(). It keeps its memory when it is made anew.
class BlockPlan {
 public:
  /// For the pattern of A, groups of dofs that stay together (first dof of each, and one past the last), and blocks of
  /// rows with their columns.
  void make(const LowerRows& A, std::span<const int> nodes, std::span<const RowBlock> blocks,
            std::span<const int> columns, Arena& scratch);

  const BlockPattern& pattern() const { return pattern_; }
  /// Makes the plan of a coarse space for the pattern, too, if that is large enough for two levels to pay.
  void makeCoarse(Arena& scratch);
  /// Null: there is none.
  const sparse::CoarsePlan* coarse() const { return hasCoarse_ ? &coarse_ : nullptr; }
  /// dof -> kStride (row of blocks) + lane.
  std::span<const int> lanes() const { return lane_; }
  /// Sets a matrix to A, and to 1 on the diagonal where no dof is.
  void set(const LowerRows& A, const BlockMaker& matrix) const;
  /// Whether the matrix has blocks for all that these columns of a block of rows couple.
  bool holds(const RowBlock& block, std::span<const int> columns) const;

  /// How many blocks of rows it was made for; they are the first ones.
  int blocks() const { return static_cast<int>(touchedNum_.size()); }
  /// Places of those.
  BlockPlaces places() const { return {0, 0, slot_, touchedNum_, placeAdr_, place_}; }
  /// Places of further ones, which the plan holds, in memory of the arena.
  BlockPlaces placesOf(std::span<const RowBlock> blocks, std::span<const int> columns, Arena& arena) const;

 private:
  int placeColumns(const RowBlock& block, std::span<const int> columns, int* slot) const;
  void findPlaces(std::span<const RowBlock> blocks, std::span<const int> columns, const BlockPlaces& known, int* place,
                  Arena& scratch) const;

  BlockPattern pattern_;
  bool hasCoarse_ = false;
  sparse::CoarsePlan coarse_;
  std::vector<int> lane_;
  std::vector<int> entry_;   // of A: where it belongs among the numbers of the matrix
  std::vector<int> filled_;  // diagonal entries without a dof
  std::vector<int> slot_, touchedNum_, placeAdr_, place_;
};

}  // namespace sinew::solve
