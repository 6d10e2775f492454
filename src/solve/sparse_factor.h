#pragma once

#include <span>

#include "solve/factor_plan.h"

namespace sinew::solve {

/// A sparse Cholesky factor, laid out by a FactorPlan. Does not own its numbers: the same factor can be made in one
/// place and used in another.
class SparseFactor {
 public:
  using Front = FactorPlan::Front;

  SparseFactor() = default;
  /// `matrices` has plan.entries() numbers, `diagInv` one per dof, `work` plan.largestFront().
  SparseFactor(const FactorPlan& plan, std::span<const double> matrices, std::span<const double> diagInv,
               std::span<double> work)
      : plan_(&plan), matrices_(matrices), diagInv_(diagInv), work_(work) {}

  /// x <- inv(L L') x, in the numbering of the dofs.
  void solve(double* x) const;

 private:
  const FactorPlan* plan_ = nullptr;
  std::span<const double> matrices_;
  std::span<const double> diagInv_;  // 1 / L_ii by elimination position
  std::span<double> work_;
};

/// Makes the numbers of a SparseFactor, front by front, children before parents.
class FactorMaker {
 public:
  using Front = FactorPlan::Front;

  FactorMaker(const FactorPlan& plan, std::span<double> matrices, std::span<double> diagInv)
      : plan_(plan), matrices_(matrices), diagInv_(diagInv) {}

  /// The size x size matrix of a front, column-major: before eliminate() what belongs to it alone, lower triangle;
  /// afterwards the factor in the first columns and the update for the parent in the rest.
  double* matrix(const Front& front) const { return matrices_.data() + front.matrix; }
  /// Adds the updates of the front's children, which must have been eliminated, and eliminates its columns.
  void eliminate(const Front& front) const;

 private:
  void extendAdd(const Front& child, const Front& parent, double* F) const;

  const FactorPlan& plan_;
  std::span<double> matrices_;
  std::span<double> diagInv_;
};

}  // namespace sinew::solve
