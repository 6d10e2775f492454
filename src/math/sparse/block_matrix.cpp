#include "math/sparse/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/kernel.h"
#include "math/sparse/coarse_space.h"

namespace sinew::sparse {
namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

/// A pivot below this share of the diagonal it started from counts as not positive.
constexpr double kSmallestPivot = 1e-6;
/// The diagonal is enlarged by this share from the beginning: stiff solids converge sooner, others hardly later.
constexpr double kFirstShift = 0.003;
/// A diagonal that is enlarged by that much is all there is of the matrix.
constexpr double kLargestShift = 1e8;

constexpr int kStride = BlockMatrix::kStride;
constexpr std::ptrdiff_t kColumns = 3 * kStride;  // numbers of a block by columns, padded

#define SINEW_INLINE inline __attribute__((always_inline))

/// Without the last lane, which belongs to the next row of a block.
template <class W>
SINEW_INLINE void dropLast(W& w) {
  const W zero{};
  w = __builtin_shufflevector(w, zero, 0, 1, 2, 7);
}
/// The sums over the lanes of three.
SINEW_INLINE void sumLanes(const Wide (&s)[3], Wide& out) {
  const Wide zero{};
  const Wide a = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) + __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7);
  const Wide b = __builtin_shufflevector(s[2], zero, 0, 4, 2, 6) + __builtin_shufflevector(s[2], zero, 1, 5, 3, 7);
  out = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
SINEW_INLINE void sumLanes(const WideFloat (&s)[3], WideFloat& out) {
  const WideFloat zero{};
  const WideFloat a = __builtin_shufflevector(s[0], s[1], 0, 4, 1, 5) + __builtin_shufflevector(s[0], s[1], 2, 6, 3, 7);
  const WideFloat b = __builtin_shufflevector(s[2], zero, 0, 4, 1, 5) + __builtin_shufflevector(s[2], zero, 2, 6, 3, 7);
  out = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// inv(S) of a symmetric S, of which `column` has the columns below the diagonal. False if S is not safely positive.
bool invertDiagonal(const Wide (&column)[3], const double (&start)[3], float* inverse) {
  // S = L diag(p) L'
  const auto sound = [&](double pivot, int k) { return pivot > kSmallestPivot * start[k]; };
  const double p0 = column[0][0];
  if (!sound(p0, 0)) return false;
  const double i0 = 1 / p0;
  const double l10 = column[0][1] * i0, l20 = column[0][2] * i0;
  const double p1 = column[1][1] - l10 * column[0][1];
  if (!sound(p1, 1)) return false;
  const double i1 = 1 / p1;
  const double s21 = column[1][2] - l20 * column[0][1];
  const double l21 = s21 * i1;
  const double p2 = column[2][2] - l20 * column[0][2] - l21 * s21;
  if (!sound(p2, 2)) return false;
  const double i2 = 1 / p2;
  // inv(L) has -l10, m20, -l21 below the diagonal
  const double m20 = l10 * l21 - l20;
  const double b = -(l10 * i1 + l21 * m20 * i2), e = -l21 * i2;
  const double all[] = {i0 + l10 * l10 * i1 + m20 * m20 * i2, b, m20 * i2, b, i1 + l21 * l21 * i2, e, m20 * i2, e, i2};
  for (int k = 0; k < BlockMatrix::kSize; ++k) inverse[k] = static_cast<float>(all[k]);
  return true;
}

SINEW_INLINE double sumOf(const Wide& w) { return (w[0] + w[2]) + (w[1] + w[3]); }

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
  longestRow_ = 0;
  for (int r = 0; r < rows; ++r) longestRow_ = std::max(longestRow_, rowAdr_[at(r + 1)] - rowAdr_[at(r)]);
  listColumns();
  findCommon();
}

void BlockPattern::listColumns() {
  belowAdr_.assign(at(rows() + 1), 0);
  below_.resize(at(blocks() - rows()));
  const auto forEachBelow = [&](auto&& visit) {
    for (int i = 0; i < rows(); ++i) {
      for (int k = rowAdr_[at(i)]; k < rowAdr_[at(i + 1)] - 1; ++k) visit(k);
    }
  };
  forEachBelow([&](int k) { ++belowAdr_[at(column_[at(k)])]; });
  for (int j = 0, sum = 0; j <= rows(); ++j) sum += std::exchange(belowAdr_[at(j)], sum);
  forEachBelow([&](int k) { below_[at(belowAdr_[at(column_[at(k)])]++)] = k; });
  // each address has moved on to that of the next column
  std::rotate(belowAdr_.begin(), belowAdr_.end() - 1, belowAdr_.end());
  belowAdr_.front() = 0;
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

int BlockPattern::worthwhileIterations(double factorFlops) const {
  constexpr double kPerBlock = 36;  // multiplications of an iteration, which take as long as those of a factor
  constexpr double kLeast = 50, kMost = 5000;
  return static_cast<int>(std::clamp(factorFlops / (kPerBlock * blocks()), kLeast, kMost));
}

BlockMaker::BlockMaker(const BlockPattern& pattern, std::span<double> value, std::span<float> factor, Arena& arena)
    : pattern_(&pattern),
      value_(value),
      factor_(factor),
      sums_(arena.take<float>(kColumns * pattern.rows())),
      row_(arena.take<float>(kColumns * pattern.longestRow())) {
  value_.back() = 0;
  factor_.back() = 0;
}

namespace {

/// y = A x, where x[i] is made only when its row comes: a row needs none of the later ones.
template <class MakeX>
SINEW_INLINE double multiplyRows(const BlockPattern& pattern, const double* value, const double* x, double* y,
                                 MakeX&& makeX) {
  const int *rowAdr = pattern.rowAdr(), *column = pattern.column();
  const int rows = pattern.rows();
  Wide form{};
  for (int i = 0; i < rows; ++i) {
    Wide xi;
    makeX(i, xi);
    const double x0 = xi[0], x1 = xi[1], x2 = xi[2];
    Wide s[3] = {};
    const int last = rowAdr[i + 1] - 1;
    const double* B = value + std::ptrdiff_t{BlockMatrix::kSize} * rowAdr[i];
    for (int k = rowAdr[i]; k < last; ++k, B += BlockMatrix::kSize) {
      const Wide xj = loadWide(x + kStride * column[k]);
      const Wide r0 = loadWide(B), r1 = loadWide(B + 3), r2 = loadWide(B + 6);
      s[0] += r0 * xj;
      s[1] += r1 * xj;
      s[2] += r2 * xj;
      store(y + kStride * column[k], loadWide(y + kStride * column[k]) + ((r0 * x0 + r1 * x1) + r2 * x2));
    }
    // what is beside the diagonal counts twice in the form
    Wide t;
    sumLanes(s, t);
    const Wide u = t + ((loadWide(B) * x0 + loadWide(B + 3) * x1) + loadWide(B + 6) * x2);
    form += xi * (t + u);
    store(y + kStride * i, u);
  }
  return sumOf(form);
}

}  // namespace

SINEW_KERNEL double BlockMatrix::multiply(const double* x, double* y) const {
  return multiplyRows(
      *pattern_, value_, x, y, [&](int i, Wide& xi) __attribute__((always_inline)) { xi = loadWide(x + kStride * i); });
}

SINEW_KERNEL double BlockMatrix::turn(double alpha, double* x, double scale, const float* w, double beta, double* d,
                                      double* q) const {
  return multiplyRows(
      *pattern_, value_, d, q, [&](int i, Wide& di) __attribute__((always_inline)) {
        WideFloat wi = loadWide(w + kStride * i);
        dropLast(wi);
        const Wide old = loadWide(d + kStride * i);
        store(x + kStride * i, loadWide(x + kStride * i) + alpha * old);
        di = scale * __builtin_convertvector(wi, Wide) + beta * old;
        store(d + kStride * i, di);
      });
}

SINEW_KERNEL double BlockMatrix::forward(double alpha, const double* q, double* r, double scale, float* w,
                                         float* carry) const {
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  const int rows = pattern_->rows();
  Wide form{};
  const float* B = factor_;
  for (int i = 0; i < rows; ++i) {
    WideFloat s[3] = {};
    const int last = rowAdr[i + 1] - 1;
    for (int k = rowAdr[i]; k < last; ++k, B += kSize) {
      const WideFloat wj = loadWide(w + kStride * column[k]);
      s[0] += loadWide(B) * wj;
      s[1] += loadWide(B + 3) * wj;
      s[2] += loadWide(B + 6) * wj;
    }
    const Wide ri = loadWide(r + kStride * i) - alpha * loadWide(q + kStride * i);
    store(r + kStride * i, ri);
    WideFloat t;
    sumLanes(s, t);
    WideFloat zi = __builtin_convertvector(scale * ri, WideFloat) - t;
    dropLast(zi);
    WideFloat wi = (loadWide(B) * zi[0] + loadWide(B + 3) * zi[1]) + loadWide(B + 6) * zi[2];
    dropLast(wi);
    B += kSize;
    store(w + kStride * i, wi);
    store(carry + kStride * i, WideFloat{});
    form += __builtin_convertvector(zi * wi, Wide);
  }
  return sumOf(form);
}

SINEW_KERNEL void BlockMatrix::backward(float* w, float* carry) const {
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  for (int i = pattern_->rows() - 1; i >= 0; --i) {
    const int last = rowAdr[i + 1] - 1;
    const float* D = factor_ + std::ptrdiff_t{kSize} * last;
    const float* c = carry + kStride * i;
    const WideFloat wi =
        loadWide(w + kStride * i) - ((loadWide(D) * c[0] + loadWide(D + 3) * c[1]) + loadWide(D + 6) * c[2]);
    store(w + kStride * i, wi);
    const float w0 = wi[0], w1 = wi[1], w2 = wi[2];
    const float* B = factor_ + std::ptrdiff_t{kSize} * rowAdr[i];
    for (int k = rowAdr[i]; k < last; ++k, B += kSize) {
      store(carry + kStride * column[k],
            loadWide(carry + kStride * column[k]) + ((loadWide(B) * w0 + loadWide(B + 3) * w1) + loadWide(B + 6) * w2));
    }
  }
}

namespace {

/// rows += X Y', X by rows, Y by columns.
SINEW_INLINE void addProduct(const float* X, const float* Y, WideFloat (&rows)[3]) {
  const WideFloat y0 = loadWide(Y), y1 = loadWide(Y + kStride), y2 = loadWide(Y + 2 * kStride);
  for (int r = 0; r < 3; ++r) rows[r] += (X[3 * r] * y0 + X[3 * r + 1] * y1) + X[3 * r + 2] * y2;
}

/// The columns of X V, X by rows, V symmetric.
SINEW_INLINE void columnsOfProduct(const float* X, const float* V, float* columns) {
  const WideFloat x0 = {X[0], X[3], X[6], 0}, x1 = {X[1], X[4], X[7], 0}, x2 = {X[2], X[5], X[8], 0};
  for (int c = 0; c < 3; ++c) store(columns + kStride * c, (x0 * V[c] + x1 * V[3 + c]) + x2 * V[6 + c]);
}

}  // namespace

/// Column j of S, and D_j. With F_pq = S_pl L_ql', what eliminating row l leaves at (p, q):
///
///   S_ij = A_ij - sum of F_ij over the columns l < j that rows i and j share,
///   D_j = A_jj - sum over l of (F_jj + compensation (the F_jq that have no place at (j, q), q not j)),
///
/// symmetrized. The latter are all F_jq of l, that is S_jl (sum of L_ql over q)', but F_jj and those that have a place;
/// these are A_jq - S_jq in sum.
SINEW_KERNEL bool BlockMaker::makeColumns(std::span<const std::uint8_t> changed) const {
  constexpr int kSize = BlockMatrix::kSize;
  const int *rowAdr = pattern_->rowAdr(), *column = pattern_->column();
  const int rows = pattern_->rows();
  const float compensation = compensation_;
  const auto factorAt = [&](int k) __attribute__((always_inline)) {
    return factor_.data() + std::ptrdiff_t{kSize} * k;
  };
  for (int j = 0; j < rows; ++j) {
    const int begin = rowAdr[j], last = rowAdr[j + 1] - 1;
    if (!changed.empty()) {
      bool touched = false;
      for (int k = begin; k <= last; ++k) touched |= changed[at(column[k])] != 0;
      if (!touched) continue;
    }
    WideFloat off[3] = {}, kept[3] = {};  // by rows: what is taken off D_j, and the sum of F_jq that have a place
    for (int k = begin; k < last; ++k) {
      const int l = column[k];
      const float *S = factorAt(k), *sums = sums_.data() + kColumns * l;
      const double* A = value_.data() + std::ptrdiff_t{kSize} * k;
      float *L = row_.data() + kColumns * (k - begin), mixed[kColumns];
      columnsOfProduct(S, factorAt(rowAdr[l + 1] - 1), L);
      for (int c = 0; c < kColumns; c += kStride) {
        store(mixed + c, (1 - compensation) * loadWide(L + c) + compensation * loadWide(sums + c));
      }
      addProduct(S, mixed, off);
      for (int r = 0; r < 3; ++r) {
        kept[r] += __builtin_convertvector(loadWide(A + 3 * r), WideFloat) - loadWide(S + 3 * r);
      }
    }
    for (const int k : pattern_->below(j)) {
      const double* A = value_.data() + std::ptrdiff_t{kSize} * k;
      WideFloat F[3] = {};
      for (const BlockPattern::Common& common : pattern_->commonOf(k)) {
        addProduct(factorAt(common.first), row_.data() + kColumns * (common.second - begin), F);
      }
      float* S = factorAt(k);
      for (int r = 0; r < 3; ++r) {
        const WideFloat row = __builtin_convertvector(loadWide(A + 3 * r), WideFloat) - F[r];
        for (int c = 0; c < 3; ++c) S[3 * r + c] = row[c];
        kept[r] += F[r];
      }
    }
    completeDiagonal(j);
    const double* D = value_.data() + std::ptrdiff_t{kSize} * last;
    for (int r = 0; r < 3; ++r) off[r] -= compensation * kept[r];
    double start[3];
    Wide diagonal[3];
    for (int c = 0; c < 3; ++c) {
      start[c] = D[4 * c] * (1 + shift_);
      for (int r = 0; r < 3; ++r) {
        diagonal[c][r] = (r == c ? start[c] : D[3 * r + c]) - 0.5 * (double{off[r][c]} + double{off[c][r]});
      }
    }
    if (!invertDiagonal(diagonal, start, factorAt(last))) return false;
    sumColumn(j);
  }
  return true;
}

/// Of a block on the diagonal only what is below the diagonal was counted.
SINEW_INLINE void BlockMaker::completeDiagonal(int j) const {
  double* D = value_.data() + std::ptrdiff_t{BlockMatrix::kSize} * (pattern_->rowAdr()[j + 1] - 1);
  D[1] = D[3];
  D[2] = D[6];
  D[5] = D[7];
}

/// The sum over column j of L = S inv(D).
SINEW_INLINE void BlockMaker::sumColumn(int j) const {
  constexpr int kSize = BlockMatrix::kSize;
  float sum[kSize] = {};
  for (const int k : pattern_->below(j)) {
    const float* S = factor_.data() + std::ptrdiff_t{kSize} * k;
    for (int i = 0; i < kSize; ++i) sum[i] += S[i];
  }
  const float* inverse = factor_.data() + std::ptrdiff_t{kSize} * (pattern_->rowAdr()[j + 1] - 1);
  columnsOfProduct(sum, inverse, sums_.data() + kColumns * j);
}

bool BlockMaker::takeFactor(const BlockMatrix& other) {
  if (!pattern_->sameAs(*other.pattern_)) return false;
  std::copy_n(other.factor_, factor_.size(), factor_.begin());
  for (int j = 0; j < pattern_->rows(); ++j) {
    completeDiagonal(j);
    sumColumn(j);
  }
  shift_ = kFirstShift;
  return true;
}

void BlockMaker::factor() {
  shift_ = kFirstShift;
  while (!makeColumns({})) {
    shift_ *= 3;
    if (shift_ < kLargestShift) continue;
    std::fill(factor_.begin(), factor_.end(), std::numeric_limits<float>::quiet_NaN());
    return;
  }
}

void BlockMaker::factorAgain(std::span<const std::uint8_t> changed) {
  if (!makeColumns(changed)) factor();
}

BlockGradients::BlockGradients(int rows, Arena& arena) {
  const std::ptrdiff_t lanes = std::ptrdiff_t{kStride} * rows;
  residual_ = arena.zeros<double>(lanes);
  direction_ = arena.take<double>(lanes);
  product_ = arena.take<double>(lanes);
  solution_ = arena.take<double>(lanes);
  carry_ = arena.take<float>(lanes);
  preconditioned_ = arena.take<float>(lanes);
}

BlockGradients::Report BlockGradients::solve(const BlockMatrix& A, double share, double enough, int mostIterations,
                                             const CoarseSpace* coarse) const {
  std::fill(solution_.begin(), solution_.end(), 0.0);
  std::fill(direction_.begin(), direction_.end(), 0.0);
  double ofStart = 0;  // b'x of the start
  if (coarse) {
    ofStart = coarse->solve(residual_.data(), solution_.data());
    A.multiply(solution_.data(), product_.data());
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= i % kStride < 3 ? product_[i] : residual_[i];
  }
  // a power of two that leaves single precision room on either side
  double largest = 0;
  for (const double value : residual_) largest = std::max(largest, std::abs(value));
  const double scale = largest > 0 && std::isfinite(largest) ? std::ldexp(1, -std::max(-1000, std::ilogb(largest))) : 1;

  double rho = 0, most = 0, alpha = 0;
  int iteration = 0;
  bool converged = false;
  for (; iteration < mostIterations; ++iteration) {
    const double* q = iteration == 0 ? direction_.data() : product_.data();  // 0 at first
    double form = A.forward(alpha, q, residual_.data(), scale, preconditioned_.data(), carry_.data());
    if (coarse) {
      A.backward(preconditioned_.data(), carry_.data());
      form += coarse->correct(residual_.data(), scale, preconditioned_.data());
    }
    const double now = form / scale / scale;
    if (!std::isfinite(now)) break;
    if (iteration == 0) most = ofStart + now;
    converged = !(now > share * most) || (iteration > 0 && 0.5 * now <= enough);
    if (converged) break;
    const double beta = iteration == 0 ? 0 : now / rho;
    rho = now;
    if (!coarse) A.backward(preconditioned_.data(), carry_.data());
    // the step of the last iteration is taken along
    const double curvature =
        A.turn(alpha, solution_.data(), 1 / scale, preconditioned_.data(), beta, direction_.data(), product_.data());
    alpha = curvature > 0 ? rho / curvature : 0;
    if (!(curvature > 0)) break;
  }
  for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += alpha * direction_[i];
  if (iteration == mostIterations) {
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= alpha * product_[i];
  }
  return {iteration, converged, 0.5 * most};
}

}  // namespace sinew::sparse
