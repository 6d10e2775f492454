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

using WideFloat = float __attribute__((vector_size(16), aligned(4), may_alias));

inline __attribute__((always_inline)) const Wide& wide(const double* p) { return *reinterpret_cast<const Wide*>(p); }
inline __attribute__((always_inline)) Wide& wide(double* p) { return *reinterpret_cast<Wide*>(p); }
/// The rows of a block.
inline __attribute__((always_inline)) void load(const float* B, Wide (&row)[3]) {
  for (int i = 0; i < 3; ++i) {
    row[i] = __builtin_convertvector(*reinterpret_cast<const WideFloat*>(B + 3 * i), Wide);
  }
}

/// Without the last lane, which belongs to the next row of a block.
inline __attribute__((always_inline)) void dropLast(Wide& w) {
  const Wide zero{};
  w = __builtin_shufflevector(w, zero, 0, 1, 2, 7);
}

/// inv(L) for L L' = S, of which `column` has the columns. False if S is not safely positive.
bool invertDiagonal(const Wide (&column)[3], const double (&start)[3], float* inverse) {
  const auto sound = [&](double pivot, int k) { return pivot > kSmallestPivot * start[k]; };
  if (!sound(column[0][0], 0)) return false;
  const double l00 = std::sqrt(column[0][0]);
  const double l10 = column[0][1] / l00, l20 = column[0][2] / l00;
  const double p1 = column[1][1] - l10 * l10;
  if (!sound(p1, 1)) return false;
  const double l11 = std::sqrt(p1);
  const double l21 = (column[1][2] - l20 * l10) / l11;
  const double p2 = column[2][2] - l20 * l20 - l21 * l21;
  if (!sound(p2, 2)) return false;
  const double l22 = std::sqrt(p2);
  const double i00 = 1 / l00, i11 = 1 / l11, i22 = 1 / l22;
  const double i10 = -l10 * i00 * i11;
  const double i21 = -l21 * i11 * i22;
  const double i20 = -(l20 * i00 + l21 * i10) * i22;
  const double all[] = {i00, i10, i11, i20, i21, i22};
  for (int k = 0; k < 6; ++k) inverse[k] = static_cast<float>(all[k]);
  return true;
}

inline __attribute__((always_inline)) double sumOf(const Wide& w) { return (w[0] + w[2]) + (w[1] + w[3]); }

}  // namespace

void BlockPattern::make(int rows, std::span<const Pair> pairs, Arena& scratch) {
  const Arena::Scope scope(scratch);
  // earlier rows by rows, as they come
  const std::span<int> adr = scratch.zeros<int>(rows + 1);
  for (const Pair& pair : pairs) ++adr[at(std::max(pair.row, pair.column) + 1)];
  for (int i = 0; i < rows; ++i) adr[at(i + 1)] += adr[at(i)];
  const std::span<int> all = scratch.take<int>(static_cast<std::ptrdiff_t>(pairs.size()));
  const std::span<int> next = scratch.take<int>(rows);
  std::copy_n(adr.begin(), rows, next.begin());
  for (const Pair& pair : pairs) {
    all[at(next[at(std::max(pair.row, pair.column))]++)] = std::min(pair.row, pair.column);
  }

  // ranks: by levels, within a level as given
  const std::span<int> level = scratch.zeros<int>(rows), start = scratch.zeros<int>(rows + 1);
  for (int i = 0; i < rows; ++i) {
    for (int k = adr[at(i)]; k < adr[at(i + 1)]; ++k) {
      if (all[at(k)] != i) level[at(i)] = std::max(level[at(i)], level[at(all[at(k)])] + 1);
    }
    ++start[at(level[at(i)] + 1)];
  }
  for (int i = 0; i < rows; ++i) start[at(i + 1)] += start[at(i)];
  rank_.resize(at(rows));
  const std::span<int> given = scratch.take<int>(rows);
  for (int i = 0; i < rows; ++i) given[at(rank_[at(i)] = start[at(level[at(i)])]++)] = i;

  // rows in that order, sorted, each column once
  rowAdr_.clear();
  column_.clear();
  for (int r = 0; r < rows; ++r) {
    rowAdr_.push_back(blocks());
    const int i = given[at(r)];
    for (int k = adr[at(i)]; k < adr[at(i + 1)]; ++k) {
      if (all[at(k)] != i) column_.push_back(rank_[at(all[at(k)])]);
    }
    const auto begin = column_.begin() + rowAdr_.back();
    std::sort(begin, column_.end());
    column_.erase(std::unique(begin, column_.end()), column_.end());
    column_.push_back(r);
  }
  rowAdr_.push_back(blocks());
  findCommon();
}

void BlockPattern::findCommon() {
  commonAdr_.clear();
  common_.clear();
  for (int i = 0; i < rows(); ++i) {
    const int begin = rowAdr_[at(i)], last = rowAdr_[at(i + 1)] - 1;
    for (int k = begin; k <= last; ++k) {
      commonAdr_.push_back(static_cast<int>(common_.size()));
      const int j = column_[at(k)];
      if (j == i) continue;
      for (int a = begin, b = rowAdr_[at(j)], end = rowAdr_[at(j + 1)] - 1; a < k && b < end;) {
        if (column_[at(a)] < column_[at(b)]) {
          ++a;
        } else if (column_[at(a)] > column_[at(b)]) {
          ++b;
        } else {
          common_.push_back({a++, b++});
        }
      }
    }
  }
  commonAdr_.push_back(static_cast<int>(common_.size()));
}

int BlockPattern::find(int row, int column) const {
  const auto begin = column_.begin() + rowAdr_[at(row)], end = column_.begin() + rowAdr_[at(row + 1)];
  const auto found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? static_cast<int>(found - column_.begin()) : -1;
}

BlockMaker::BlockMaker(const BlockPattern& pattern, std::span<double> value, std::span<float> factor)
    : pattern_(&pattern), value_(value), factor_(factor), inverse_(factor.data() + BlockMatrix::lowers(pattern)) {
  value_.back() = 0;
  inverse_[-1] = 0;
}

SINEW_KERNEL double BlockMatrix::multiply(const double* x, double* y) const {
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  const int rows = pattern_->rows();
  double form = 0;
  for (int i = 0; i < rows; ++i) {
    const double* xi = x + kStride * i;
    const double x0 = xi[0], x1 = xi[1], x2 = xi[2];
    Wide s0{}, s1{}, s2{};
    const int last = rowAdr[i + 1] - 1;
    for (int k = rowAdr[i]; k < last; ++k) {
      const double* B = value_ + std::ptrdiff_t{kSize} * k;
      const Wide xj = wide(x + kStride * column[k]);
      Wide& yj = wide(y + kStride * column[k]);
      const Wide r0 = wide(B), r1 = wide(B + 3), r2 = wide(B + 6);
      s0 += r0 * xj;
      s1 += r1 * xj;
      s2 += r2 * xj;
      Wide t = (r0 * x0 + r1 * x1) + r2 * x2;
      dropLast(t);
      yj += t;
    }
    const double* D = value_ + std::ptrdiff_t{kSize} * last;  // counts below the diagonal only
    // what is beside the diagonal counts twice in the form
    const double t0 = sumOf(s0), t1 = sumOf(s1), t2 = sumOf(s2);
    const double u0 = t0 + (D[0] * x0 + D[3] * x1 + D[6] * x2);
    const double u1 = t1 + (D[3] * x0 + D[4] * x1 + D[7] * x2);
    const double u2 = t2 + (D[6] * x0 + D[7] * x1 + D[8] * x2);
    form += (x0 * (t0 + u0) + x1 * (t1 + u1)) + x2 * (t2 + u2);
    wide(y + kStride * i) = Wide{u0, u1, u2, 0};
  }
  return form;
}

SINEW_KERNEL bool BlockMaker::makeRows(std::span<const std::uint8_t> changed) const {
  constexpr int kSize = BlockMatrix::kSize;
  constexpr int kDiagonal = BlockMatrix::kDiagonal;
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  const int rows = pattern_->rows();
  for (int i = 0; i < rows; ++i) {
    const int begin = rowAdr[i], last = rowAdr[i + 1] - 1;
    if (!changed.empty()) {
      bool touched = false;
      for (int k = begin; k <= last; ++k) touched |= changed[at(column[k])] != 0;
      if (!touched) continue;
    }
    // there are i diagonal blocks before this row
    float* const own = factor_.data() + std::ptrdiff_t{kSize} * (begin - i);
    const double* D = value_.data() + std::ptrdiff_t{kSize} * last;
    Wide diagonal[3] = {{D[0], D[3], D[6], 0}, {0, D[4], D[7], 0}, {0, 0, D[8], 0}};
    double start[3];
    for (int k = 0; k < 3; ++k) start[k] = diagonal[k][k] *= 1 + shift_;
    for (int k = begin; k < last; ++k) {
      // columns of S = A_ij - sum over columns that rows i and j have in common; L_ij = S inv(L_jj)'
      const int j = column[k];
      const double* A = value_.data() + std::ptrdiff_t{kSize} * k;
      Wide S[3] = {{A[0], A[3], A[6], 0}, {A[1], A[4], A[7], 0}, {A[2], A[5], A[8], 0}};
      for (const BlockPattern::Common& common : pattern_->commonOf(k)) {
        const float* P = own + std::ptrdiff_t{kSize} * (common.first - begin);
        const float* Q = factor_.data() + std::ptrdiff_t{kSize} * (common.second - j);
        const Wide p0{P[0], P[3], P[6], 0}, p1{P[1], P[4], P[7], 0}, p2{P[2], P[5], P[8], 0};
        for (int c = 0; c < 3; ++c) {
          const double q0 = Q[3 * c], q1 = Q[3 * c + 1], q2 = Q[3 * c + 2];
          S[c] -= (p0 * q0 + p1 * q1) + p2 * q2;
        }
      }
      const float* inverse = inverse_ + std::ptrdiff_t{kDiagonal} * j;
      const double i00 = inverse[0], i10 = inverse[1], i11 = inverse[2], i20 = inverse[3], i21 = inverse[4],
                   i22 = inverse[5];
      const Wide L[3] = {S[0] * i00, S[0] * i10 + S[1] * i11, (S[0] * i20 + S[1] * i21) + S[2] * i22};
      float* out = own + std::ptrdiff_t{kSize} * (k - begin);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out[3 * r + c] = static_cast<float>(L[c][r]);
      }
      for (int c = 0; c < 3; ++c) diagonal[c] -= (L[0] * L[0][c] + L[1] * L[1][c]) + L[2] * L[2][c];
    }
    if (!invertDiagonal(diagonal, start, inverse_ + std::ptrdiff_t{kDiagonal} * i)) return false;
  }
  return true;
}

void BlockMaker::factor() {
  shift_ = 0;
  while (!makeRows({})) shift_ = shift_ == 0 ? kFirstShift : 3 * shift_;
}

void BlockMaker::factorAgain(std::span<const std::uint8_t> changed) {
  if (!makeRows(changed)) factor();
}

SINEW_KERNEL double BlockMatrix::solve(double* x) const {
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  const int rows = pattern_->rows();
  double form = 0;
  for (int i = 0; i < rows; ++i) {
    Wide s0{}, s1{}, s2{};
    const int last = rowAdr[i + 1] - 1;
    const float* B = lower_ + std::ptrdiff_t{kSize} * (rowAdr[i] - i);
    for (int k = rowAdr[i]; k < last; ++k, B += kSize) {
      Wide row[3];
      load(B, row);
      const Wide xj = wide(x + kStride * column[k]);
      s0 += row[0] * xj;
      s1 += row[1] * xj;
      s2 += row[2] * xj;
    }
    double* xi = x + kStride * i;
    const double t0 = xi[0] - sumOf(s0), t1 = xi[1] - sumOf(s1), t2 = xi[2] - sumOf(s2);
    const float* inverse = inverse_ + std::ptrdiff_t{kDiagonal} * i;
    const double u0 = inverse[0] * t0;
    const double u1 = inverse[1] * t0 + inverse[2] * t1;
    const double u2 = inverse[3] * t0 + inverse[4] * t1 + inverse[5] * t2;
    form += (u0 * u0 + u1 * u1) + u2 * u2;
    wide(xi) = Wide{u0, u1, u2, 0};
  }
  for (int i = rows - 1; i >= 0; --i) {
    const float* inverse = inverse_ + std::ptrdiff_t{kDiagonal} * i;
    double* xi = x + kStride * i;
    const double x0 = inverse[0] * xi[0] + inverse[1] * xi[1] + inverse[3] * xi[2];
    const double x1 = inverse[2] * xi[1] + inverse[4] * xi[2];
    const double x2 = inverse[5] * xi[2];
    wide(xi) = Wide{x0, x1, x2, 0};
    const int last = rowAdr[i + 1] - 1;
    const float* B = lower_ + std::ptrdiff_t{kSize} * (rowAdr[i] - i);
    for (int k = rowAdr[i]; k < last; ++k, B += kSize) {
      Wide row[3];
      load(B, row);
      Wide t = (row[0] * x0 + row[1] * x1) + row[2] * x2;
      dropLast(t);
      wide(x + kStride * column[k]) -= t;
    }
  }
  return form;
}

BlockGradients::BlockGradients(int rows, Arena& arena) {
  const std::ptrdiff_t lanes = std::ptrdiff_t{kStride} * rows;
  residual_ = arena.zeros<double>(lanes);
  preconditioned_ = arena.take<double>(lanes);
  direction_ = arena.zeros<double>(lanes);
  product_ = arena.take<double>(lanes);
  solution_ = arena.take<double>(lanes);
}

BlockGradients::Report BlockGradients::solve(const BlockMatrix& A, double share, double enough,
                                             int mostIterations) const {
  std::fill(solution_.begin(), solution_.end(), 0.0);
  std::fill(direction_.begin(), direction_.end(), 0.0);
  std::copy(residual_.begin(), residual_.end(), preconditioned_.begin());
  double rho = 0, most = 0;
  for (int iteration = 0; iteration < mostIterations; ++iteration) {
    const double now = A.solve(preconditioned_.data());
    if (!std::isfinite(now)) return {iteration, false};
    if (iteration == 0) most = now;
    if (!(now > share * most) || (iteration > 0 && 0.5 * now <= enough)) return {iteration, true};
    const double beta = iteration == 0 ? 0 : now / rho;
    rho = now;
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = preconditioned_[i] + beta * direction_[i];
    const double curvature = A.multiply(direction_.data(), product_.data());
    if (!(curvature > 0)) return {iteration, false};
    const double alpha = rho / curvature;
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      solution_[i] += alpha * direction_[i];
      preconditioned_[i] = residual_[i] -= alpha * product_[i];
    }
  }
  return {mostIterations, false};
}

}  // namespace sinew::solve
