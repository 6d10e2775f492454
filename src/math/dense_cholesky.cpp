#include "math/dense_cholesky.h"

#include <cmath>
#include <cstddef>

#include "math/kernel.h"
#include "math/types.h"

namespace sinew {
namespace {

constexpr int kBlock = 4;  // columns factored before the rest of the matrix hears of them

const Wide& wide(const double* p) { return *reinterpret_cast<const Wide*>(p); }
Wide& wide(double* p) { return *reinterpret_cast<Wide*>(p); }

/// F(i, j) -= sum over k in [from, to) of L(i, k) L(j, k), in the order of k, for to <= j <= i < m. Tiles of 8 x 4
/// entries stay in registers over the whole sum.
SINEW_KERNEL void subtractProducts(int m, int from, int to, double* F) {
  const std::ptrdiff_t ld = m;
  int j = to;
  for (; j + 4 <= m; j += 4) {
    double* c = F + j * ld;
    int i = j;
    for (; i + 2 * kLanes <= m; i += 2 * kLanes) {
      double* t = c + i;
      Wide c00 = wide(t), c01 = wide(t + 4), c10 = wide(t + ld), c11 = wide(t + ld + 4);
      Wide c20 = wide(t + 2 * ld), c21 = wide(t + 2 * ld + 4), c30 = wide(t + 3 * ld), c31 = wide(t + 3 * ld + 4);
      for (int k = from; k < to; ++k) {
        const double* a = F + k * ld;
        const Wide a0 = wide(a + i), a1 = wide(a + i + 4);
        const double s0 = a[j], s1 = a[j + 1], s2 = a[j + 2], s3 = a[j + 3];
        c00 -= a0 * s0;
        c01 -= a1 * s0;
        c10 -= a0 * s1;
        c11 -= a1 * s1;
        c20 -= a0 * s2;
        c21 -= a1 * s2;
        c30 -= a0 * s3;
        c31 -= a1 * s3;
      }
      wide(t) = c00;
      wide(t + 4) = c01;
      wide(t + ld) = c10;
      wide(t + ld + 4) = c11;
      wide(t + 2 * ld) = c20;
      wide(t + 2 * ld + 4) = c21;
      wide(t + 3 * ld) = c30;
      wide(t + 3 * ld + 4) = c31;
    }
    for (; i + kLanes <= m; i += kLanes) {
      double* t = c + i;
      Wide c0 = wide(t), c1 = wide(t + ld), c2 = wide(t + 2 * ld), c3 = wide(t + 3 * ld);
      for (int k = from; k < to; ++k) {
        const double* a = F + k * ld;
        const Wide a0 = wide(a + i);
        c0 -= a0 * a[j];
        c1 -= a0 * a[j + 1];
        c2 -= a0 * a[j + 2];
        c3 -= a0 * a[j + 3];
      }
      wide(t) = c0;
      wide(t + ld) = c1;
      wide(t + 2 * ld) = c2;
      wide(t + 3 * ld) = c3;
    }
    for (; i < m; ++i) {
      double* t = c + i;
      Wide sum = {t[0], t[ld], t[2 * ld], t[3 * ld]};
      for (int k = from; k < to; ++k) {
        const double* a = F + k * ld;
        sum -= wide(a + j) * a[i];
      }
      t[0] = sum[0];
      t[ld] = sum[1];
      t[2 * ld] = sum[2];
      t[3 * ld] = sum[3];
    }
  }
  for (; j < m; ++j) {
    for (int i = j; i < m; ++i) {
      double sum = F[j * ld + i];
      for (int k = from; k < to; ++k) sum -= F[k * ld + i] * F[k * ld + j];
      F[j * ld + i] = sum;
    }
  }
}

/// Column `from` + N of the factor: takes the N columns from `from` on off it, in their order, and divides by the root
/// of the pivot. Returns false if that had to be replaced.
template <int N>
inline __attribute__((always_inline)) bool factorColumn(int m, int from, double* F, double* diagInv) {
  const std::ptrdiff_t ld = m;
  const int j = from + N;
  const double* a = F + from * ld;
  double* c = F + j * ld;
  double s[N + 1];
  double pivot = c[j];
  for (int k = 0; k < N; ++k) {
    s[k] = a[k * ld + j];
    pivot -= s[k] * s[k];
  }
  const bool sound = pivot >= kMinVal;  // NaN is not
  c[j] = std::sqrt(sound ? pivot : kMinVal);
  const double inverse = diagInv[j] = 1 / c[j];
  int i = j + 1;
  for (; i + kLanes <= m; i += kLanes) {
    Wide sum = wide(c + i);
    for (int k = 0; k < N; ++k) sum -= wide(a + k * ld + i) * s[k];
    wide(c + i) = sum * inverse;
  }
  for (; i < m; ++i) {
    double sum = c[i];
    for (int k = 0; k < N; ++k) sum -= a[k * ld + i] * s[k];
    c[i] = sum * inverse;
  }
  return sound;
}

/// Columns [from, to) of the factor, at most kBlock, once all earlier columns have been subtracted from them.
SINEW_KERNEL int factorBlock(int m, int from, int to, double* F, double* diagInv) {
  int sound = factorColumn<0>(m, from, F, diagInv);
  if (to - from > 1) sound += factorColumn<1>(m, from, F, diagInv);
  if (to - from > 2) sound += factorColumn<2>(m, from, F, diagInv);
  if (to - from > 3) sound += factorColumn<3>(m, from, F, diagInv);
  return to - from - sound;
}

}  // namespace

int partialCholesky(int m, int columns, double* F, double* diagInv) {
  int replaced = 0;
  for (int from = 0; from < columns; from += kBlock) {
    const int to = from + kBlock < columns ? from + kBlock : columns;
    replaced += factorBlock(m, from, to, F, diagInv);
    subtractProducts(m, from, to, F);
  }
  return replaced;
}

SINEW_KERNEL void forwardPanel(int m, int columns, const double* L, const double* diagInv, double* x) {
  const std::ptrdiff_t ld = m;
  int j = 0;
  for (; j + 4 <= columns; j += 4) {
    const double* c0 = L + j * ld;
    const double *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    const double x0 = x[j] * diagInv[j];
    const double x1 = (x[j + 1] - c0[j + 1] * x0) * diagInv[j + 1];
    const double x2 = ((x[j + 2] - c0[j + 2] * x0) - c1[j + 2] * x1) * diagInv[j + 2];
    const double x3 = (((x[j + 3] - c0[j + 3] * x0) - c1[j + 3] * x1) - c2[j + 3] * x2) * diagInv[j + 3];
    x[j] = x0;
    x[j + 1] = x1;
    x[j + 2] = x2;
    x[j + 3] = x3;
    int i = j + 4;
    for (; i + kLanes <= m; i += kLanes) {
      wide(x + i) = (((wide(x + i) - wide(c0 + i) * x0) - wide(c1 + i) * x1) - wide(c2 + i) * x2) - wide(c3 + i) * x3;
    }
    for (; i < m; ++i) x[i] = (((x[i] - c0[i] * x0) - c1[i] * x1) - c2[i] * x2) - c3[i] * x3;
  }
  for (; j < columns; ++j) {
    const double* c = L + j * ld;
    const double xj = x[j] *= diagInv[j];
    for (int i = j + 1; i < m; ++i) x[i] -= c[i] * xj;
  }
}

SINEW_KERNEL void backwardPanel(int m, int columns, const double* L, const double* diagInv, double* x) {
  const std::ptrdiff_t ld = m;
  int j = columns;
  // single columns until a multiple of four is left
  for (; j % 4 != 0; --j) {
    const double* c = L + (j - 1) * ld;
    double sum = x[j - 1];
    for (int i = j; i < m; ++i) sum -= c[i] * x[i];
    x[j - 1] = sum * diagInv[j - 1];
  }
  // then four at a time: the known entries in lanes, the four new ones from the last to the first
  for (; j > 0; j -= 4) {
    const double* c0 = L + (j - 4) * ld;
    const double *c1 = c0 + ld, *c2 = c1 + ld, *c3 = c2 + ld;
    Wide s0{}, s1{}, s2{}, s3{};
    int i = j;
    for (; i + kLanes <= m; i += kLanes) {
      const Wide xi = wide(x + i);
      s0 += wide(c0 + i) * xi;
      s1 += wide(c1 + i) * xi;
      s2 += wide(c2 + i) * xi;
      s3 += wide(c3 + i) * xi;
    }
    double t0 = (s0[0] + s0[2]) + (s0[1] + s0[3]), t1 = (s1[0] + s1[2]) + (s1[1] + s1[3]);
    double t2 = (s2[0] + s2[2]) + (s2[1] + s2[3]), t3 = (s3[0] + s3[2]) + (s3[1] + s3[3]);
    for (; i < m; ++i) {
      t0 += c0[i] * x[i];
      t1 += c1[i] * x[i];
      t2 += c2[i] * x[i];
      t3 += c3[i] * x[i];
    }
    const double x3 = (x[j - 1] - t3) * diagInv[j - 1];
    const double x2 = (x[j - 2] - t2 - c2[j - 1] * x3) * diagInv[j - 2];
    const double x1 = (x[j - 3] - t1 - c1[j - 1] * x3 - c1[j - 2] * x2) * diagInv[j - 3];
    x[j - 4] = (x[j - 4] - t0 - c0[j - 1] * x3 - c0[j - 2] * x2 - c0[j - 3] * x1) * diagInv[j - 4];
    x[j - 3] = x1;
    x[j - 2] = x2;
    x[j - 1] = x3;
  }
}

}  // namespace sinew
