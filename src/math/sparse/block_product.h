#pragma once

#include <cstddef>
#include <span>

namespace sinew::sparse {

/// Columns [begin, end) of a block in one dense piece of H, column-major from entry `matrix` on with leading dimension
/// `ld`: column i >= begin of the block has row (and, below end, column) place[i - begin] there.
struct BlockPiece {
  std::ptrdiff_t matrix = 0;
  int ld = 0;
  int begin = 0, end = 0;
  const int* place = nullptr;  ///< growing
};

/// H += B' W B, lower triangle. B is nb x nc by rows with nb <= 6, W symmetric. If `order` is given, column c of the
/// pieces is column order[c] of B.
void addBlockProduct(int nb, int nc, const double* B, const double* W, const int* order,
                     std::span<const BlockPiece> pieces, double* H);

}  // namespace sinew::sparse
