#pragma once

#include "base/arena.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B and its Cholesky factor, for a problem small enough to be stored densely.
/// The parts that change little from one Newton iteration to the next (blocks whose rows are on or off) are kept in a
/// base matrix and updated by difference; cone blocks, which change always, are added to a copy before factoring.
class DenseHessian {
 public:
  DenseHessian(const ConstraintProblem& p, Arena& arena);

  /// Sets H for the given residuals and states, from scratch.
  void assemble(const double* r, const RowState* state, const double* dual = nullptr);
  /// The same when only some states differ from those of the last call (`before`).
  void update(const double* r, const RowState* state, const RowState* before, const double* dual = nullptr);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

 private:
  void addBlock(const RowBlock& block, int nbasis, const double* W, double* H) const;
  void factorWithCones(const double* r, const RowState* state, const double* dual);

  const ConstraintProblem& p_;
  int n_;
  std::span<double> base_;    // n x n, column-major lower triangle: A and the on/off blocks
  std::span<double> factor_;  // Cholesky factor L, same layout
  std::span<double> inverseDiagonal_;
};

}  // namespace sinew::solve
