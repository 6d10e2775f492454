#include "solve/block_matrix.h"

#include <algorithm>
#include <cmath>

#include "math/kernel.h"

namespace sinew::solve {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

/// A pivot below this share of the diagonal it started from counts as not positive.
constexpr double kSmallestPivot = 1e-6;
constexpr double kFirstShift = 0.01;

constexpr int kStride = BlockMatrix::kStride;
constexpr std::ptrdiff_t kSize = BlockMatrix::kSize;

const Wide& wide(const double* p) { return *reinterpret_cast<const Wide*>(p); }
Wide& wide(double* p) { return *reinterpret_cast<Wide*>(p); }

/// L L' = S for the lower triangle of a block, and inv(L). False if S is not safely positive.
bool factorDiagonal(const double* S, const double (&start)[3], double* L, double* inverse) {
  const auto sound = [&](double pivot, int k) { return pivot > kSmallestPivot * start[k]; };
  if (!sound(S[0], 0)) return false;
  const double l00 = std::sqrt(S[0]);
  const double l10 = S[4] / l00, l20 = S[8] / l00;
  const double p1 = S[5] - l10 * l10;
  if (!sound(p1, 1)) return false;
  const double l11 = std::sqrt(p1);
  const double l21 = (S[9] - l20 * l10) / l11;
  const double p2 = S[10] - l20 * l20 - l21 * l21;
  if (!sound(p2, 2)) return false;
  const double l22 = std::sqrt(p2);
  const double all[] = {l00, 0, 0, 0, l10, l11, 0, 0, l20, l21, l22, 0};
  std::copy_n(all, kSize, L);
  const double i00 = 1 / l00, i11 = 1 / l11, i22 = 1 / l22;
  const double i10 = -l10 * i00 * i11;
  const double i21 = -l21 * i11 * i22;
  const double i20 = -(l20 * i00 + l21 * i10) * i22;
  const double inverses[] = {i00, 0, 0, 0, i10, i11, 0, 0, i20, i21, i22, 0};
  std::copy_n(inverses, kSize, inverse);
  return true;
}

/// Products of the rows of two blocks, A B'.
inline double rowProduct(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// S -= A B'.
inline void subtractProduct(const double* A, const double* B, double* S) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) S[kStride * i + j] -= rowProduct(A + kStride * i, B + kStride * j);
  }
}

inline __attribute__((always_inline)) double sumOf(const Wide& w) { return (w[0] + w[2]) + (w[1] + w[3]); }

}  // namespace

BlockMatrix::BlockMatrix(int rows, std::span<const Pair> pairs, Arena& arena) : rows_(rows) {
  // by rows, sorted, each once
  const std::span<int> adr = arena.zeros<int>(rows + 1);
  for (const Pair& pair : pairs) ++adr[at(std::max(pair.row, pair.column) + 1)];
  for (int i = 0; i < rows; ++i) adr[at(i + 1)] += adr[at(i)];
  const std::span<int> all = arena.take<int>(static_cast<std::ptrdiff_t>(pairs.size()));
  const std::span<int> next = arena.take<int>(rows);
  std::copy_n(adr.begin(), rows, next.begin());
  for (const Pair& pair : pairs) {
    all[at(next[at(std::max(pair.row, pair.column))]++)] = std::min(pair.row, pair.column);
  }
  rowAdr_ = arena.take<int>(rows + 1);
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    const auto begin = all.begin() + adr[at(i)];
    auto end = all.begin() + adr[at(i + 1)];
    std::sort(begin, end);
    end = std::unique(begin, end);
    next[at(i)] = static_cast<int>(std::remove(begin, end, i) - begin);
    rowAdr_[at(i)] = count;
    count += next[at(i)] + 1;
  }
  rowAdr_[at(rows)] = count;
  column_ = arena.take<int>(count);
  for (int i = 0; i < rows; ++i) {
    const auto target = column_.begin() + rowAdr_[at(i)];
    std::copy_n(all.begin() + adr[at(i)], next[at(i)], target);
    target[next[at(i)]] = i;
  }
  value_ = arena.take<double>(kSize * count);
  factor_ = arena.take<double>(kSize * count);
  inverse_ = arena.take<double>(kSize * rows);
}

void BlockMatrix::clear() { std::fill(value_.begin(), value_.end(), 0.0); }

int BlockMatrix::find(int row, int column) const {
  const auto begin = column_.begin() + rowAdr_[at(row)], end = column_.begin() + rowAdr_[at(row + 1)];
  return static_cast<int>(std::lower_bound(begin, end, column) - column_.begin());
}

SINEW_KERNEL void BlockMatrix::multiply(const double* x, double* y) const {
  const int* column = column_.data();
  for (int i = 0; i < rows_; ++i) {
    const double* xi = x + kStride * i;
    const double x0 = xi[0], x1 = xi[1], x2 = xi[2];
    Wide s0{}, s1{}, s2{};
    const int last = rowAdr_[at(i + 1)] - 1;
    for (int k = rowAdr_[at(i)]; k < last; ++k) {
      const double* B = value_.data() + kSize * k;
      const Wide xj = wide(x + kStride * column[k]);
      Wide& yj = wide(y + kStride * column[k]);
      const Wide r0 = wide(B), r1 = wide(B + 4), r2 = wide(B + 8);
      s0 += r0 * xj;
      s1 += r1 * xj;
      s2 += r2 * xj;
      yj += (r0 * x0 + r1 * x1) + r2 * x2;
    }
    const double* D = value_.data() + kSize * last;  // counts below the diagonal only
    double* yi = y + kStride * i;
    yi[0] = sumOf(s0) + (D[0] * x0 + D[4] * x1 + D[8] * x2);
    yi[1] = sumOf(s1) + (D[4] * x0 + D[5] * x1 + D[9] * x2);
    yi[2] = sumOf(s2) + (D[8] * x0 + D[9] * x1 + D[10] * x2);
    yi[3] = 0;
  }
}

bool BlockMatrix::tryFactor(double shift) {
  const auto L = [&](int k) { return factor_.data() + kSize * k; };
  for (int i = 0; i < rows_; ++i) {
    const int begin = rowAdr_[at(i)], last = rowAdr_[at(i + 1)] - 1;
    double diagonal[kSize], start[3];
    std::copy_n(value_.data() + kSize * last, kSize, diagonal);
    for (int k = 0; k < 3; ++k) start[k] = diagonal[(kStride + 1) * k] *= 1 + shift;
    for (int k = begin; k < last; ++k) {
      // S = A_ij - sum over columns that rows i and j have in common; L_ij = S inv(L_jj)'
      const int j = column_[at(k)];
      double S[kSize];
      std::copy_n(value_.data() + kSize * k, kSize, S);
      for (int a = begin, b = rowAdr_[at(j)], end = rowAdr_[at(j + 1)] - 1; a < k && b < end;) {
        if (column_[at(a)] < column_[at(b)]) {
          ++a;
        } else if (column_[at(a)] > column_[at(b)]) {
          ++b;
        } else {
          subtractProduct(L(a++), L(b++), S);
        }
      }
      const double* inverse = inverse_.data() + kSize * j;
      double* out = L(k);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out[kStride * r + c] = rowProduct(S + kStride * r, inverse + kStride * c);
        out[kStride * r + 3] = 0;
      }
      subtractProduct(out, out, diagonal);
    }
    if (!factorDiagonal(diagonal, start, L(last), inverse_.data() + kSize * i)) return false;
  }
  return true;
}

void BlockMatrix::factor() {
  double shift = 0;
  while (!tryFactor(shift)) shift = shift == 0 ? kFirstShift : 3 * shift;
}

SINEW_KERNEL void BlockMatrix::solve(double* x) const {
  const int* column = column_.data();
  for (int i = 0; i < rows_; ++i) {
    Wide s0{}, s1{}, s2{};
    const int last = rowAdr_[at(i + 1)] - 1;
    for (int k = rowAdr_[at(i)]; k < last; ++k) {
      const double* B = factor_.data() + kSize * k;
      const Wide xj = wide(x + kStride * column[k]);
      s0 += wide(B) * xj;
      s1 += wide(B + 4) * xj;
      s2 += wide(B + 8) * xj;
    }
    double* xi = x + kStride * i;
    const double t0 = xi[0] - sumOf(s0), t1 = xi[1] - sumOf(s1), t2 = xi[2] - sumOf(s2);
    const double* inverse = inverse_.data() + kSize * i;
    xi[0] = inverse[0] * t0;
    xi[1] = inverse[4] * t0 + inverse[5] * t1;
    xi[2] = inverse[8] * t0 + inverse[9] * t1 + inverse[10] * t2;
  }
  for (int i = rows_ - 1; i >= 0; --i) {
    const double* inverse = inverse_.data() + kSize * i;
    double* xi = x + kStride * i;
    const double x0 = inverse[0] * xi[0] + inverse[4] * xi[1] + inverse[8] * xi[2];
    const double x1 = inverse[5] * xi[1] + inverse[9] * xi[2];
    const double x2 = inverse[10] * xi[2];
    xi[0] = x0;
    xi[1] = x1;
    xi[2] = x2;
    const int last = rowAdr_[at(i + 1)] - 1;
    for (int k = rowAdr_[at(i)]; k < last; ++k) {
      const double* B = factor_.data() + kSize * k;
      wide(x + kStride * column[k]) -= (wide(B) * x0 + wide(B + 4) * x1) + wide(B + 8) * x2;
    }
  }
}

}  // namespace sinew::solve
