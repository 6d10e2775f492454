#include "math/dense_cholesky.h"

#include <cmath>
#include <cstddef>

#include "math/types.h"

namespace sinew {
namespace {

inline const double* columnOf(const double* H, int n, int j) { return H + static_cast<std::ptrdiff_t>(j) * n; }

}  // namespace

int denseCholesky(int n, double* H, double* diagInv) {
  // left-looking: column j takes the contributions of all columns before it, four at a time, walking down the column;
  // the inner loop is a sum of scaled columns and vectorizes without changing the order of any addition
  int replaced = 0;
  for (int j = 0; j < n; ++j) {
    double* c = H + static_cast<std::ptrdiff_t>(j) * n;
    int k = 0;
    for (; k + 4 <= j; k += 4) {
      const double* a0 = columnOf(H, n, k);
      const double* a1 = columnOf(H, n, k + 1);
      const double* a2 = columnOf(H, n, k + 2);
      const double* a3 = columnOf(H, n, k + 3);
      const double s0 = a0[j], s1 = a1[j], s2 = a2[j], s3 = a3[j];
      for (int i = j; i < n; ++i) c[i] = (((c[i] - a0[i] * s0) - a1[i] * s1) - a2[i] * s2) - a3[i] * s3;
    }
    for (; k < j; ++k) {
      const double* a = columnOf(H, n, k);
      const double s = a[j];
      for (int i = j; i < n; ++i) c[i] -= a[i] * s;
    }
    double pivot = c[j];
    if (!(pivot >= kMinVal)) {
      pivot = kMinVal;
      ++replaced;
    }
    c[j] = std::sqrt(pivot);
    diagInv[j] = 1 / c[j];
    for (int i = j + 1; i < n; ++i) c[i] *= diagInv[j];
  }
  return replaced;
}

void denseCholeskySolve(int n, const double* L, const double* diagInv, double* x) {
  for (int j = 0; j < n; ++j) {
    const double* c = columnOf(L, n, j);
    const double xj = x[j] *= diagInv[j];
    for (int i = j + 1; i < n; ++i) x[i] -= c[i] * xj;
  }
  for (int j = n - 1; j >= 0; --j) {
    const double* c = columnOf(L, n, j);
    double xj = x[j];
    for (int i = j + 1; i < n; ++i) xj -= c[i] * x[i];
    x[j] = xj * diagInv[j];
  }
}

}  // namespace sinew
