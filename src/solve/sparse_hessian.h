#pragma once

#include "sinew/arena.h"
#include "solve/factor_plan.h"
#include "solve/problem.h"
#include "solve/sparse_factor.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B and its Cholesky factor for problems too large to be stored densely: multifrontal,
/// see FactorPlan. A block of rows couples all of its columns, so all of B' W B belongs into one front: that of its
/// column eliminated first.
///
/// Everything but the numbers is settled in the constructor; the memory of the factor comes from the arena, and so does
/// what assemble() needs for a moment.
class SparseHessian {
 public:
  /// `plan` must hold every row of the metric and every block of `p`, and outlive this.
  SparseHessian(const ConstraintProblem& p, const FactorPlan& plan, Arena& arena);

  /// Sets and factors H for the given residuals and states.
  void assemble(const double* r, const RowState* state);
  /// y = inv(H) x. y and x may be the same.
  void solve(const double* x, double* y) const;

 private:
  /// A piece of H that belongs into one front: entries [begin, end) of a row of A, or (row < 0) block ~row.
  struct Element {
    int row, begin, end;
  };

  void gatherElements(Arena& arena);
  void assembleFront(std::size_t front, const double* r, const RowState* state, const int* local, double* F) const;

  const ConstraintProblem& p_;
  const FactorPlan& plan_;
  int n_;
  std::span<int> elementAdr_;    // first entry of each front in elements_, and one past the last
  std::span<Element> elements_;  // by front
  Arena& arena_;                 // for the work of one factorization
  SparseFactor factor_;
};

/// Plans of one problem from step to step. What a step uses depends on its problem alone, never on what came before:
/// the plan of the parts that stay (metric and equalities) if that holds all the rest, otherwise one made for all of
/// it.
class PlanMemory {
 public:
  const FactorPlan& planFor(const ConstraintProblem& p, Arena& scratch);
  /// The same for a matrix alone.
  const FactorPlan& planFor(const LowerRows& A, std::span<const int> nodes, Arena& scratch);

 private:
  void addMatrix(const LowerRows& A, std::span<const int> nodes);

  FactorPlan wanted_, base_, full_;
};

}  // namespace sinew::solve
