#pragma once

#include <optional>
#include <span>

#include "sinew/arena.h"
#include "solve/block_matrix.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B for problems too large to be factored: systems with H are solved by conjugate
/// gradients, preconditioned by an incomplete factor of H. Cost and memory of an iteration grow with the number of dofs
/// and rows.
///
/// Dofs are in blocks of three: a flex node is one, a body has as many as its dofs need, filled up.
class IterativeHessian {
 public:
  IterativeHessian(const ConstraintProblem& p, Accuracy accuracy, Arena& arena);

  /// What solving costs, in multiplications of a direct factorization that take as long.
  static double predictedCost(const ConstraintProblem& p, Accuracy accuracy);

  void assemble(const double* r, const RowState* state);
  void update(const double* r, const RowState* state, const RowState* before);

  /// y ~ inv(H) x, as a step of Newton's method needs it. Iterations end when what is left of the decrease
  /// 1/2 x' inv(H) x that it predicts is a small share of that, or (Accuracy::OfTheTolerance) below `enough`. The share
  /// is that of rounding once rows no longer change sides.
  void solve(const double* x, double enough, double* y);

 private:
  void mapDofs(Arena& arena);
  void makePattern(Arena& arena);
  void addBlock(int block, const double* W);
  int placeColumns(const RowBlock& block);  // slot_; returns how many block rows it touches
  void listTouched(const RowBlock& block);  // touched_

  const ConstraintProblem& p_;
  const Accuracy accuracy_;
  int changed_ = 1;           // blocks that changed sides in the last update
  int unknown_ = 0;           // those that did since the incomplete factor was made
  bool isQuadratic_ = false;  // one step leads to the minimum
  std::span<int> lane_;       // dof -> kStride (block row) + lane
  int rows_ = 0;              // of blocks
  std::optional<BlockMatrix> H_;
  std::span<int> slot_;        // like the list of columns: kStride (which of the block rows its block touches) + lane
  std::span<int> touchedNum_;  // block rows that a block of rows touches
  std::span<int> placeAdr_, place_;  // blocks of H that a block of rows adds to: pairs (a, b <= a) of its block rows
  std::span<double> padded_[4];      // of conjugate gradients: residual, preconditioned, direction, product
  std::span<double> solution_;
  std::span<double> coneWeights_;       // of blocks in their cone: what they have in H
  std::span<int> touched_;              // scratch: block rows of one block of rows
  std::span<double> basis_, weighted_;  // scratch: its columns, three per block row
};

}  // namespace sinew::solve
