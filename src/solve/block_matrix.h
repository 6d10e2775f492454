#pragma once

#include <span>

#include "sinew/arena.h"

namespace sinew::solve {

/// A symmetric matrix in blocks of 3 x 3, and an incomplete Cholesky factor of it without fill-in, IC(0). Only blocks
/// of the lower triangle are stored, row by row, columns growing, the diagonal last; entries of a block by rows.
class BlockMatrix {
 public:
  static constexpr int kStride = 4;          ///< numbers per block in a vector, and per row of a block
  static constexpr int kSize = 3 * kStride;  ///< numbers per block
  /// Rows of blocks, and pairs of rows that are coupled, in any order and any number of times (row and column alike:
  /// ignored). Takes all memory.
  struct Pair {
    int row, column;
  };
  BlockMatrix(int rows, std::span<const Pair> pairs, Arena& arena);

  int rows() const { return rows_; }
  /// Where the block (row, column), row >= column, is; it must exist.
  int find(int row, int column) const;
  double* block(int index) { return value_.data() + kSize * static_cast<std::ptrdiff_t>(index); }
  void clear();

  /// y = A x.
  void multiply(const double* x, double* y) const;
  /// Makes the incomplete factor. A pivot that is not positive makes it start again with the diagonal enlarged, until
  /// it succeeds [Manteuffel 1980].
  void factor();
  /// x <- inv(L L') x.
  void solve(double* x) const;

 private:
  bool tryFactor(double shift);

  int rows_;
  std::span<int> rowAdr_, column_;
  std::span<double> value_, factor_, inverse_;  // inverse: of the factor's diagonal blocks
};

}  // namespace sinew::solve
