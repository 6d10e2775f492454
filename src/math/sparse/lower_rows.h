#pragma once

namespace sinew::sparse {

/// Lower triangle of a symmetric matrix by rows: growing columns, the diagonal last.
struct LowerRows {
  int n = 0;
  const int* rownnz = nullptr;
  const int* rowadr = nullptr;
  const int* colind = nullptr;
  const double* value = nullptr;
  /// The first rows are those of kinematic trees: the columns of a row are coupled among themselves. In later rows they
  /// need not be.
  int treeRows = 0;
};

}  // namespace sinew::sparse
