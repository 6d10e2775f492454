#include "metric/sparse_lu.h"

#include "model/awake.h"

namespace sinew {

// Eliminating dof i touches only its ancestors, which are the columns left of the diagonal of row i. For an ancestor j:
//   U(j,i) = A(j,i) / L(i,i),   A(j,k) -= U(j,i) L(i,k)   for all ancestors k of i.
// Row j holds its own ancestors first, in the same order as row i does; then j; then its descendants, among them the
// ancestors k of i that lie below j and finally i, found by walking on.
namespace {

/// Trees whose dofs are [begin, end).
void factorDofs(const Model& m, double* A, int begin, int end) {
  for (int i = end - 1; i >= begin; --i) {
    const int* columns = &m.D_colind[m.D_rowadr[i]];
    const double* row = A + m.D_rowadr[i];
    const int ancestors = m.D_diag[i];
    for (int a = 0; a < ancestors; ++a) {
      const int j = columns[a];
      const int* target = &m.D_colind[m.D_rowadr[j]];
      double* values = A + m.D_rowadr[j];
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

void solveDofs(const Model& m, const double* UL, double* x, int begin, int end) {
  for (int i = end - 1; i >= begin; --i) {
    const int adr = m.D_rowadr[i];
    for (int k = m.D_diag[i] + 1; k < m.D_rownnz[i]; ++k) x[i] -= UL[adr + k] * x[m.D_colind[adr + k]];
  }
  for (int i = begin; i < end; ++i) {
    const int adr = m.D_rowadr[i];
    for (int k = 0; k < m.D_diag[i]; ++k) x[i] -= UL[adr + k] * x[m.D_colind[adr + k]];
    x[i] /= UL[adr + m.D_diag[i]];
  }
}

}  // namespace

void factorUL(const Model& m, const Data& d, double* A) {
  forEachAwakeRun(m, d, [&](int begin, int end) { factorDofs(m, A, begin, end); });
}

void solveUL(const Model& m, const Data& d, const double* UL, double* x) {
  forEachAwakeRun(m, d, [&](int begin, int end) { solveDofs(m, UL, x, begin, end); });
}

void multiplyD(const Model& m, const double* A, const double* x, double* y) {
  for (int i = 0; i < m.nv; ++i) {
    const int adr = m.D_rowadr[i];
    double sum = 0;
    for (int k = 0; k < m.D_rownnz[i]; ++k) sum += A[adr + k] * x[m.D_colind[adr + k]];
    y[i] = sum;
  }
}

}  // namespace sinew
