#include "math/sparse/sparse_lu.h"

namespace sinew::sparse {

// Eliminating dof i touches only its ancestors, which are the columns left of the diagonal of row i. For an ancestor j:
//   U(j,i) = A(j,i) / L(i,i),   A(j,k) -= U(j,i) L(i,k)   for all ancestors k of i.
// Row j holds its own ancestors first, in the same order as row i does; then j; then its descendants, among them the
// ancestors k of i that lie below j and finally i, found by walking on.
void factorUL(const TreeRows& rows, int begin, int end, double* A) {
  for (int i = end - 1; i >= begin; --i) {
    const int* columns = &rows.colind[rows.rowadr[i]];
    const double* row = A + rows.rowadr[i];
    const int ancestors = rows.diag[i];
    for (int a = 0; a < ancestors; ++a) {
      const int j = columns[a];
      const int* target = &rows.colind[rows.rowadr[j]];
      double* values = A + rows.rowadr[j];
      int at = a;  // position of column i in row j
      while (target[at] != i) ++at;
      const double u = values[at] /= row[ancestors];
      if (u == 0) continue;
      for (int k = 0; k <= a; ++k) values[k] -= u * row[k];
      for (int k = a + 1, p = a + 1; k < ancestors; ++k, ++p) {
        while (target[p] != columns[k]) ++p;
        values[p] -= u * row[k];
      }
    }
  }
}

void solveUL(const TreeRows& rows, int begin, int end, const double* UL, double* x) {
  for (int i = end - 1; i >= begin; --i) {
    const int adr = rows.rowadr[i];
    for (int k = rows.diag[i] + 1; k < rows.rownnz[i]; ++k) x[i] -= UL[adr + k] * x[rows.colind[adr + k]];
  }
  for (int i = begin; i < end; ++i) {
    const int adr = rows.rowadr[i];
    for (int k = 0; k < rows.diag[i]; ++k) x[i] -= UL[adr + k] * x[rows.colind[adr + k]];
    x[i] /= UL[adr + rows.diag[i]];
  }
}

void multiply(const TreeRows& rows, const double* A, const double* x, double* y) {
  for (int i = 0; i < rows.n; ++i) {
    const int adr = rows.rowadr[i];
    double sum = 0;
    for (int k = 0; k < rows.rownnz[i]; ++k) sum += A[adr + k] * x[rows.colind[adr + k]];
    y[i] = sum;
  }
}

}  // namespace sinew::sparse
