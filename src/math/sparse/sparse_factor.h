#pragma once

#include <span>

#include "base/arena.h"
#include "math/sparse/factor_plan.h"

namespace sinew::sparse {

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

/// Makes the numbers of a SparseFactor, front by front: each takes off its panel what earlier ones have to do with it
/// (left-looking), so that a front can be made anew as long as the earlier ones are there.
class FactorMaker {
 public:
  using Front = FactorPlan::Front;

  /// Scratch from `arena`.
  FactorMaker(const FactorPlan& plan, std::span<double> matrices, std::span<double> diagInv, Arena& arena);

  /// The size x columns panel of a front, column-major: before eliminate() that of the matrix, afterwards the factor.
  double* matrix(const Front& front) const { return matrices_.data() + front.matrix; }
  /// Eliminates the columns of front f. All earlier fronts must have been.
  void eliminate(int f) const;

 private:
  const FactorPlan& plan_;
  std::span<double> matrices_;
  std::span<double> diagInv_;
  std::span<int> placeOfPosition_, places_;
  std::span<double> work_;
};

}  // namespace sinew::sparse
