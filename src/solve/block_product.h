#pragma once

#include "sinew/rows.h"

namespace sinew::solve {

/// H += B' W B, lower triangle: column c of B belongs to row and column place[c] of H, which is column-major with
/// leading dimension `ld`. B is block.nbasis x block.ncol by rows, W symmetric. If `order` is given, place[c] belongs
/// to column order[c] of B instead. place must grow.
void addBlockProduct(const RowBlock& block, const double* B, const double* W, const int* order, const int* place,
                     int ld, double* H);

}  // namespace sinew::solve
