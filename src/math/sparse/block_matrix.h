#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"

namespace sinew::sparse {

class CoarseSpace;

/// Which blocks a symmetric matrix in blocks of 3 x 3 has. Only those of the lower triangle are listed, row by row,
/// columns growing, the diagonal last.
///
/// Rows are numbered by levels [Anderson and Saad 1989]: a row is one level above the highest of the earlier rows that
/// it is coupled to. Rows of one level are not coupled, so that in a triangular solve none waits for the one before it.
/// Coupled rows keep their order, and with it the incomplete factor stays that of the numbering that was given.
class BlockPattern {
 public:
  struct Pair {
    int row, column;
  };
  /// Rows, and pairs of rows that are coupled, in any order and any number of times (row and column alike: ignored).
  /// Keeps its memory when it is made anew.
  void make(int rows, std::span<const Pair> pairs, Arena& scratch);

  /// Whether rows are numbered and coupled alike.
  bool sameAs(const BlockPattern& other) const {
    return rank_ == other.rank_ && rowAdr_ == other.rowAdr_ && column_ == other.column_;
  }

  int rows() const { return static_cast<int>(rank_.size()); }
  int blocks() const { return static_cast<int>(column_.size()); }
  int longestRow() const { return longestRow_; }  ///< blocks
  int rank(int row) const { return rank_[row]; }  ///< the number of a row that was given
  /// Where the block (row, column), row >= column, is; -1: nowhere.
  int find(int row, int column) const;
  /// After so many iterations without success a factor of that many multiplications had better been made.
  int worthwhileIterations(double factorFlops) const;
  const int* rowAdr() const { return rowAdr_.data(); }  ///< first block of each row, and one past the last
  const int* column() const { return column_.data(); }
  /// Blocks of a column below the diagonal, from the top.
  std::span<const int> below(int column) const {
    const auto begin = static_cast<std::size_t>(belowAdr_[column]);
    return std::span(below_).subspan(begin, static_cast<std::size_t>(belowAdr_[column + 1]) - begin);
  }
  /// Two blocks of a column, the first in the row of some block, the second in the row that its column stands for.
  struct Common {
    int first, second;
  };
  /// What block k of the factor has to take off: S_ij needs S_il L_jl' for all columns l < j that rows i and j share.
  std::span<const Common> commonOf(int k) const {
    const auto begin = static_cast<std::size_t>(commonAdr_[k]);
    return std::span(common_).subspan(begin, static_cast<std::size_t>(commonAdr_[k + 1]) - begin);
  }

 private:
  void listColumns();
  void findCommon();

  int longestRow_ = 0;
  std::vector<int> rank_, rowAdr_, column_;
  std::vector<int> belowAdr_, below_;
  std::vector<int> commonAdr_;
  std::vector<Common> common_;
};

/// A symmetric matrix A in blocks of 3 x 3, entries of a block by rows, and an incomplete factor of it without fill-in:
/// A ~ (D + S) inv(D) (D + S)', blocks of D on the diagonal, blocks of S below it. What would fill in is not forgotten
/// but taken off the diagonal (BlockMaker). The factor, and vectors that it is applied to, are in single precision:
/// they are there to make iterations few, and those wait for memory. A block of a vector has a fourth number, which is
/// 0 unless said otherwise. Does not own its numbers.
class BlockMatrix {
 public:
  static constexpr int kStride = 4;  ///< numbers per block in a vector
  static constexpr int kSize = 9;    ///< numbers per block of the matrix

  /// How many numbers a matrix has, and its incomplete factor.
  static std::ptrdiff_t values(const BlockPattern& p) { return std::ptrdiff_t{kSize} * p.blocks() + kPadding; }
  static std::ptrdiff_t factors(const BlockPattern& p) { return std::ptrdiff_t{kSize} * p.blocks() + kPadding; }
  /// The pattern must outlive this. There must be a factor (BlockMaker) before any of what follows is called.
  BlockMatrix(const BlockPattern& pattern, std::span<const double> value, std::span<const float> factor)
      : pattern_(&pattern), value_(value.data()), factor_(factor.data()) {}

  int rows() const { return pattern_->rows(); }
  const BlockPattern& pattern() const { return *pattern_; }
  /// The numbers of block k; on the diagonal those above it mean nothing.
  const double* block(int k) const { return value_ + std::ptrdiff_t{kSize} * k; }
  /// y = A x; returns x'A x. Fourth numbers of y mean nothing.
  double multiply(const double* x, double* y) const;

  // the three passes over memory of an iteration of conjugate gradients
  /// r -= alpha q; w = inv(D + S) scale r; returns w'D w. Clears `carry`. Fourth numbers of q, r and w mean nothing.
  double forward(double alpha, const double* q, double* r, double scale, float* w, float* carry) const;
  /// w <- inv(D + S') D w, fourth numbers meaning nothing. `carry` as forward() left it.
  void backward(float* w, float* carry) const;
  /// x += alpha d; d = scale w + beta d; q = A d; returns d'q. Fourth numbers of w and q mean nothing.
  double turn(double alpha, double* x, double scale, const float* w, double beta, double* d, double* q) const;

 private:
  friend class BlockMaker;
  static constexpr int kPadding = 1;  // the last row of a block is read with one number too many

  const BlockPattern* pattern_;
  const double* value_;
  const float* factor_;  // blocks of S, and on the diagonal those of inv(D)
};

/// Makes the numbers of a BlockMatrix.
class BlockMaker {
 public:
  static constexpr float kUsualCompensation = 0.95F;  ///< a little less than all: then few pivots become negative

  /// Scratch from `arena`.
  BlockMaker(const BlockPattern& pattern, std::span<double> value, std::span<float> factor, Arena& arena);
  /// The numbers, too.
  BlockMaker(const BlockPattern& pattern, Arena& arena)
      : BlockMaker(pattern, arena.take<double>(BlockMatrix::values(pattern)),
                   arena.take<float>(BlockMatrix::factors(pattern)), arena) {}

  const BlockPattern& pattern() const { return *pattern_; }
  BlockMatrix matrix() const { return {*pattern_, value_, factor_}; }
  double* block(int index) const { return value_.data() + BlockMatrix::kSize * static_cast<std::ptrdiff_t>(index); }
  std::span<double> value() const { return value_; }
  /// Makes the incomplete factor. Most of what would fill in is taken off the diagonal instead, so that vectors which
  /// are the same everywhere, and with them smooth ones, see nearly the right matrix [Gustafsson 1978]: that halves the
  /// iterations of stiff sheets. The diagonal is enlarged a little, and more and more until all pivots are positive
  /// [Manteuffel 1980]. If that does not help, because the matrix has numbers that single precision does not hold, the
  /// factor is not a number, and conjugate gradients do not start.
  void factor();
  /// So much of what would fill in is taken off the diagonal by factor(), from 0 to 1. Less than the usual helps where
  /// a coarse space (coarse_space.h) takes care of smooth vectors.
  void setCompensation(float share) { compensation_ = share; }
  /// Takes the factor of another matrix, from which this one differs in few rows; factorAgain() makes those. False: it
  /// has another pattern, and nothing was done.
  bool takeFactor(const BlockMatrix& other);
  /// Once there is a factor and the given rows have changed (one number per row, not 0): makes these rows of it anew
  /// and those that are coupled to them. What reaches further is left: no more than a few iterations depend on it.
  void factorAgain(std::span<const std::uint8_t> changed);

 private:
  bool makeColumns(std::span<const std::uint8_t> changed) const;
  void completeDiagonal(int j) const;
  void sumColumn(int j) const;

  const BlockPattern* pattern_;
  std::span<double> value_;
  std::span<float> factor_;
  std::span<float> sums_;  // for each column of L = S inv(D) the sum of its blocks, by columns, padded
  std::span<float> row_;   // scratch: blocks of one row of L, by columns, padded
  double shift_ = 0;
  float compensation_ = kUsualCompensation;
};

/// Conjugate gradients for A x = b, preconditioned by the incomplete factor of A. Takes all its memory when it is made.
class BlockGradients {
 public:
  BlockGradients(int rows, Arena& arena);

  /// b before solve(), by lanes, those that no unknown uses being zero; after it b - A x, fourth numbers meaning
  /// nothing.
  std::span<double> right() const { return residual_; }
  std::span<const double> solution() const { return solution_; }

  struct Report {
    int iterations = 0;
    bool converged = false;
    double start = 0;  ///< 1/2 b' P b, P being the preconditioner: about 1/2 b' inv(A) b
  };
  /// Iterations end when what is left of 1/2 b' inv(A) b is below `share` of it, or below `enough`.
  ///
  /// With a coarse space of A the preconditioner has two levels: the start is exact in that space, and what the
  /// incomplete factor says is corrected by it (A-DEF2 of [Tang, Nabben, Vuik and Erlangga 2009]). The number of
  /// iterations then hardly depends on the number of rows.
  Report solve(const BlockMatrix& A, double share, double enough, int mostIterations,
               const CoarseSpace* coarse = nullptr) const;

 private:
  std::span<double> residual_, direction_, product_, solution_;
  std::span<float> carry_, preconditioned_;
};

}  // namespace sinew::sparse
