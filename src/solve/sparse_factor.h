#pragma once

#include <span>

#include "solve/factor_plan.h"

namespace sinew::solve {

/// The numbers of a sparse Cholesky factor, laid out by a FactorPlan. Does not own them: the same factor can be made in
/// one place and used in another.
class SparseFactor {
 public:
  using Front = FactorPlan::Front;

  SparseFactor() = default;
  /// `matrices` has plan.entries() numbers, `diagInv` one per dof, `work` plan.largestFront().
  SparseFactor(const FactorPlan& plan, std::span<double> matrices, std::span<double> diagInv, std::span<double> work)
      : plan_(&plan), matrices_(matrices), diagInv_(diagInv), work_(work) {}

  /// The size x size matrix of a front, column-major: before eliminate() what belongs to it alone, lower triangle;
  /// afterwards the factor in the first columns and the update for the parent in the rest.
  double* matrix(const Front& front) const { return matrices_.data() + front.matrix; }
  /// Adds the updates of the front's children, which must have been eliminated, and eliminates its columns.
  void eliminate(const Front& front) const;

  /// x <- inv(L L') x, in the numbering of the dofs.
  void solve(double* x) const;

 private:
  void extendAdd(const Front& child, const Front& parent, double* F) const;
  double* inverses(const Front& front) const { return diagInv_.data() + plan_->position(*plan_->dofsOf(front)); }

  const FactorPlan* plan_ = nullptr;
  std::span<double> matrices_;
  std::span<double> diagInv_;  // 1 / L_ii by elimination position
  std::span<double> work_;
};

}  // namespace sinew::solve
