#pragma once

#include "sinew/arena.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B and its Cholesky factor for problems too large to be stored densely: multifrontal
/// [Duff and Reid 1983]. Dofs are grouped into nodes; nodes are ordered for low fill-in; columns with the same
/// structure form a supernode. Each supernode has a dense front of its own columns and the later rows they touch. A
/// block of rows couples all of its columns, so all of B' W B belongs into one front: that of its column eliminated
/// first.
///
/// Everything but the numbers is settled in the constructor, and so is all memory.
class SparseHessian {
 public:
  /// nodeAdr: first dof of each node, and one past the last dof of all.
  SparseHessian(const ConstraintProblem& p, std::span<const int> nodeAdr, Arena& arena);

  /// Sets and factors H for the given residuals and states.
  void assemble(const double* r, const RowState* state);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

  /// Multiplications of one factorization.
  double flops() const { return flops_; }

 private:
  struct Front {
    int columns = 0;   // dofs eliminated here
    int size = 0;      // dofs of the front: columns, then later rows
    int dof = 0;       // first of `size` entries in dofs_
    int panel = 0;     // first entry of its size x columns part of the factor, column-major
    int parent = -1;   // front that receives its update
    int children = 0;  // fronts whose updates it receives
    int element = 0;   // first of its entries in elements_
    int elements = 0;
  };

  void order(std::span<const int> nodeAdr, Arena& arena);
  void gatherElements(Arena& arena);
  void assembleFront(const Front& front, const double* r, const RowState* state, double* F) const;
  void extendAdd(const Front& child, const double* update, const Front& parent, double* F) const;

  const ConstraintProblem& p_;
  int n_;
  double flops_ = 0;
  std::span<Front> fronts_;       // children before parents
  std::span<int> dofs_;           // dofs of the fronts
  std::span<int> position_;       // elimination position of each dof
  std::span<int> frontOf_;        // front that eliminates each dof
  std::span<int> elements_;       // rows of A (>= 0: dof) and blocks (< 0: ~block) by front
  std::span<double> factor_;      // panels of all fronts
  std::span<double> diagInv_;     // 1 / L_ii by elimination position
  std::span<double> work_;        // the front being factored
  std::span<double> updates_;     // stack of updates waiting for their parents
  std::span<int> pending_;        // and the fronts they come from
  mutable std::span<int> local_;  // dof -> place in the current front
  mutable std::span<double> x_;
};

}  // namespace sinew::solve
