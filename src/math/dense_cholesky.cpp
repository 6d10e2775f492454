#include "math/dense_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "math/kernel.h"
#include "math/types.h"

namespace sinew {
namespace {

constexpr int kBlock = 6;  // columns worked on together: those of two flex nodes, or of a free body

/// C(i, n) -= sum over k < depth of A(i, k) A(n, k), in the order of k, for 0 <= n < N and n <= i < rows; entries of C
/// above its diagonal become anything. Tiles of 8 x N entries stay in registers over the whole sum.
template <int N>
inline __attribute__((always_inline)) void subtractProducts(int rows, int depth, const double* A, std::ptrdiff_t lda,
                                                            double* C, std::ptrdiff_t ldc) {
  int i = 0;
  for (; i + 2 * kLanes <= rows; i += 2 * kLanes) {
    Wide lower[N], upper[N];
    for (int n = 0; n < N; ++n) {
      lower[n] = loadWide(C + n * ldc + i);
      upper[n] = loadWide(C + n * ldc + i + kLanes);
    }
    const double* a = A;
    for (int k = 0; k < depth; ++k, a += lda) {
      const Wide a0 = loadWide(a + i), a1 = loadWide(a + i + kLanes);
      for (int n = 0; n < N; ++n) {
        const double s = a[n];
        lower[n] -= a0 * s;
        upper[n] -= a1 * s;
      }
    }
    for (int n = 0; n < N; ++n) {
      store(C + n * ldc + i, lower[n]);
      store(C + n * ldc + i + kLanes, upper[n]);
    }
  }
  for (; i + kLanes <= rows; i += kLanes) {
    Wide sum[N];
    for (int n = 0; n < N; ++n) sum[n] = loadWide(C + n * ldc + i);
    const double* a = A;
    for (int k = 0; k < depth; ++k, a += lda) {
      const Wide ai = loadWide(a + i);
      for (int n = 0; n < N; ++n) sum[n] -= ai * a[n];
    }
    for (int n = 0; n < N; ++n) store(C + n * ldc + i, sum[n]);
  }
  for (; i < rows; ++i) {
    double sum[N];
    for (int n = 0; n < N; ++n) sum[n] = C[n * ldc + i];
    const double* a = A;
    for (int k = 0; k < depth; ++k, a += lda) {
      for (int n = 0; n < N; ++n) sum[n] -= a[i] * a[n];
    }
    for (int n = 0; n < N; ++n) C[n * ldc + i] = sum[n];
  }
}

/// The same for 1 to kBlock columns.
SINEW_KERNEL void subtractColumns(int columns, int rows, int depth, const double* A, std::ptrdiff_t lda, double* C,
                                  std::ptrdiff_t ldc) {
  switch (columns) {
    case 1:
      return subtractProducts<1>(rows, depth, A, lda, C, ldc);
    case 2:
      return subtractProducts<2>(rows, depth, A, lda, C, ldc);
    case 3:
      return subtractProducts<3>(rows, depth, A, lda, C, ldc);
    case 4:
      return subtractProducts<4>(rows, depth, A, lda, C, ldc);
    case 5:
      return subtractProducts<5>(rows, depth, A, lda, C, ldc);
    default:
      return subtractProducts<6>(rows, depth, A, lda, C, ldc);
  }
}

// Large matrices: columns are taken off in runs of kDeep, from kTall rows at a time, and what a run of products reads
// is copied together first. Otherwise each product would read the matrix from memory, at a new page for every column.
// Every entry loses the same products in the same order either way, so this changes no bit.
constexpr int kTile = 2 * kLanes;
constexpr int kDeep = 16 * kBlock;
constexpr int kTall = 8 * kTile;
/// Entries below which all of it stays in a cache anyway.
constexpr std::ptrdiff_t kFewEntries = 131'072;

/// C(i, n) -= sum over k < depth of a_k(i) b_k(n) for i < kTile, n < N; a_k has kTile entries, b_k has kBlock.
template <int N>
inline __attribute__((always_inline)) void subtractTile(int depth, const double* a, const double* b, double* C,
                                                        std::ptrdiff_t ldc) {
  Wide lower[N], upper[N];
  for (int n = 0; n < N; ++n) {
    lower[n] = loadWide(C + n * ldc);
    upper[n] = loadWide(C + n * ldc + kLanes);
  }
  for (int k = 0; k < depth; ++k, a += kTile, b += kBlock) {
    const Wide a0 = loadWide(a), a1 = loadWide(a + kLanes);
    for (int n = 0; n < N; ++n) {
      lower[n] -= a0 * b[n];
      upper[n] -= a1 * b[n];
    }
  }
  for (int n = 0; n < N; ++n) {
    store(C + n * ldc, lower[n]);
    store(C + n * ldc + kLanes, upper[n]);
  }
}

/// Rows [tile, height) of N columns of C, kTile at a time, by copies of `depth` columns of A; C begins at row 0.
template <int N>
inline __attribute__((always_inline)) void subtractTiles(int tile, int height, int depth, const double* a,
                                                         const double* b, double* C, std::ptrdiff_t ldc) {
  for (; tile + kTile <= height; tile += kTile) subtractTile<N>(depth, a + tile * depth, b, C + tile, ldc);
  if (tile == height) return;
  double last[kTile * N] = {};  // rows that fill no tile
  for (int n = 0; n < N; ++n) std::copy_n(C + n * ldc + tile, height - tile, last + n * kTile);
  subtractTile<N>(depth, a + tile * depth, b, last, kTile);
  for (int n = 0; n < N; ++n) std::copy_n(last + n * kTile, height - tile, C + n * ldc + tile);
}

/// subtractColumns() for any number of columns.
SINEW_KERNEL void subtractMany(int columns, int rows, int depth, const double* A, std::ptrdiff_t lda, double* C,
                               std::ptrdiff_t ldc) {
  double a[kTall * kDeep], b[kBlock * kDeep];
  for (int begin = 0; begin < depth; begin += kDeep) {
    const int deep = std::min(kDeep, depth - begin);
    const double* run = A + begin * lda;
    for (int top = 0; top < rows; top += kTall) {
      const int height = std::min(kTall, rows - top);
      for (int tile = 0; tile < height; tile += kTile) {
        const int count = std::min(kTile, height - tile);
        double* to = a + tile * deep;
        for (int k = 0; k < deep; ++k, to += kTile) {
          const double* from = run + k * lda + top + tile;
          if (count == kTile) {
            store(to, loadWide(from));
            store(to + kLanes, loadWide(from + kLanes));
          } else {
            for (int i = 0; i < kTile; ++i) to[i] = i < count ? from[i] : 0;
          }
        }
      }
      for (int j = 0; j < std::min(columns, top + height); j += kBlock) {
        const int count = std::min(kBlock, columns - j);
        for (int k = 0; k < deep; ++k) {
          for (int n = 0; n < count; ++n) b[k * kBlock + n] = run[k * lda + j + n];
        }
        const int tile = j > top ? (j - top) / kTile * kTile : 0;
        double* c = C + j * ldc + top;
        switch (count) {
          case 1:
            subtractTiles<1>(tile, height, deep, a, b, c, ldc);
            break;
          case 2:
            subtractTiles<2>(tile, height, deep, a, b, c, ldc);
            break;
          case 3:
            subtractTiles<3>(tile, height, deep, a, b, c, ldc);
            break;
          case 4:
            subtractTiles<4>(tile, height, deep, a, b, c, ldc);
            break;
          case 5:
            subtractTiles<5>(tile, height, deep, a, b, c, ldc);
            break;
          default:
            subtractTiles<6>(tile, height, deep, a, b, c, ldc);
        }
      }
    }
  }
}

bool isLarge(int rows, int depth) { return static_cast<std::ptrdiff_t>(rows) * depth > kFewEntries; }

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
    Wide sum = loadWide(c + i);
    for (int k = 0; k < N; ++k) sum -= loadWide(a + k * ld + i) * s[k];
    store(c + i, sum * inverse);
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
  if (to - from > 4) sound += factorColumn<4>(m, from, F, diagInv);
  if (to - from > 5) sound += factorColumn<5>(m, from, F, diagInv);
  return to - from - sound;
}

}  // namespace

int panelCholesky(int m, int columns, double* F, double* diagInv) {
  const std::ptrdiff_t ld = m;
  int replaced = 0;
  const int run = isLarge(m, columns) ? kDeep : columns;  // columns after which all later ones lose their products
  for (int first = 0; first < columns; first += run) {
    const int last = std::min(first + run, columns);
    for (int from = first; from < last; from += kBlock) {
      const int to = std::min(from + kBlock, last);
      if (from > first) {
        subtractColumns(to - from, m - from, from - first, F + first * ld + from, ld, F + from * ld + from, ld);
      }
      replaced += factorBlock(m, from, to, F, diagInv);
    }
    if (last < columns) {
      subtractMany(columns - last, m - last, last - first, F + first * ld + last, ld, F + last * ld + last, ld);
    }
  }
  return replaced;
}

void subtractPanel(int m, int columns, const double* L, int begin, int end, const int* place, int ld, double* F,
                   double* work) {
  if (const int rows = m - begin; isLarge(rows, columns) && place[rows - 1] - place[0] == rows - 1) {
    return subtractMany(end - begin, rows, columns, L + begin, m,
                        F + static_cast<std::ptrdiff_t>(place[0]) * ld + place[0], ld);
  }
  for (int j = begin; j < end; j += kBlock) {
    const int count = std::min(kBlock, end - j), rows = m - j;
    const int* to = place + (j - begin);
    if (to[rows - 1] - to[0] == rows - 1) {
      subtractColumns(count, rows, columns, L + j, m, F + static_cast<std::ptrdiff_t>(to[0]) * ld + to[0], ld);
      continue;
    }
    std::fill_n(work, static_cast<std::ptrdiff_t>(count) * rows, 0.0);
    subtractColumns(count, rows, columns, L + j, m, work, rows);
    for (int n = 0; n < count; ++n) {
      double* __restrict target = F + static_cast<std::ptrdiff_t>(to[n]) * ld;
      const double* __restrict source = work + static_cast<std::ptrdiff_t>(n) * rows;
      for (int i = n; i < rows; ++i) target[to[i]] += source[i];
    }
  }
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
      store(x + i, (((loadWide(x + i) - loadWide(c0 + i) * x0) - loadWide(c1 + i) * x1) - loadWide(c2 + i) * x2) -
                       loadWide(c3 + i) * x3);
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
      const Wide xi = loadWide(x + i);
      s0 += loadWide(c0 + i) * xi;
      s1 += loadWide(c1 + i) * xi;
      s2 += loadWide(c2 + i) * xi;
      s3 += loadWide(c3 + i) * xi;
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
