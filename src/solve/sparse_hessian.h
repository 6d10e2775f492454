#pragma once

#include "sinew/arena.h"
#include "solve/factor_plan.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B and its Cholesky factor for problems too large to be stored densely: multifrontal,
/// see FactorPlan. A block of rows couples all of its columns, so all of B' W B belongs into one front: that of its
/// column eliminated first.
///
/// Everything but the numbers is settled in the constructor, and so is all memory.
class SparseHessian {
 public:
  /// `plan` must hold every row of the metric and every block of `p`, and outlive this.
  SparseHessian(const ConstraintProblem& p, const FactorPlan& plan, Arena& arena);

  /// Sets and factors H for the given residuals and states.
  void assemble(const double* r, const RowState* state);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

 private:
  using Front = FactorPlan::Front;

  void gatherElements(Arena& arena);
  void assembleFront(std::size_t front, const double* r, const RowState* state, double* F) const;
  void extendAdd(const Front& child, const double* update, const Front& parent, double* F) const;

  const ConstraintProblem& p_;
  const FactorPlan& plan_;
  int n_;
  std::span<int> elementAdr_;     // first entry of each front in elements_, and one past the last
  std::span<int> elements_;       // rows of A (>= 0: dof) and blocks (< 0: ~block) by front
  std::span<double> factor_;      // panels of all fronts
  std::span<double> diagInv_;     // 1 / L_ii by elimination position
  std::span<double> work_;        // the front being factored
  std::span<double> updates_;     // stack of updates waiting for their parents
  std::span<int> pending_;        // and the fronts they come from
  mutable std::span<int> local_;  // dof -> place in the current front
  mutable std::span<double> x_;
};

/// Plans of one problem from step to step. What a step uses depends on its problem alone, never on what came before:
/// the plan of the parts that stay (metric and equalities) if that holds all the rest, otherwise one made for all of
/// it.
class PlanMemory {
 public:
  const FactorPlan& planFor(const ConstraintProblem& p, Arena& scratch);

 private:
  FactorPlan wanted_, base_, full_;
};

}  // namespace sinew::solve
