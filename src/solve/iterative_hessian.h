#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.h"
#include "math/sparse/block_matrix.h"
#include "solve/block_plan.h"
#include "solve/problem.h"

namespace sinew::solve {

/// H = A + sum over blocks B' W B for problems too large to be factored: systems with H are solved by conjugate
/// gradients, preconditioned by an incomplete factor of H. Cost and memory of an iteration grow with the number of dofs
/// and rows.
class IterativeHessian {
 public:
  /// `plan` must hold all blocks of `p` and outlive this (PlanMemory::blockPlanFor). A solve is abandoned once it has
  /// cost as much as `factorFlops` multiplications of a factorization.
  IterativeHessian(const ConstraintProblem& p, const BlockPlan& plan, Accuracy accuracy, double factorFlops,
                   Arena& arena);

  /// What solving costs, in multiplications of a direct factorization that take as long.
  static double predictedCost(const ConstraintProblem& p, Accuracy accuracy);

  void assemble(const double* r, const RowState* state, const double* dual = nullptr);
  void update(const double* r, const RowState* state, const RowState* before, const double* dual = nullptr);

  /// y ~ inv(H) x, as a step of Newton's method needs it. Iterations end when what is left of the predicted
  /// decrease 1/2 x' inv(H) x is a small fraction of it, which is smaller if few rows changed state, or
  /// (Accuracy::OfTheTolerance) below `enough`. If no row changed state, they end at round-off. False if they did not
  /// converge.
  bool solve(const double* x, double enough, double* y);
  /// Hy = H y for the y of the last solve(), which gave it along with y. `x` is what it was called with.
  void productOfSolution(const double* x, double* Hy) const;
  /// Iterations of all calls of solve().
  int iterations() const { return iterations_; }

 private:
  void addBlock(int block, const double* W);
  void markTouched(int block);
  void makeCoarse();

  const ConstraintProblem& p_;
  const BlockPlan& plan_;
  const Accuracy accuracy_;
  const int mostIterations_;
  int firstVarying_ = 0;  // blocks before it never change state
  int changed_ = 1;       // blocks that changed state in the last update
  double most_ = 0;       // the largest decrease that any solve began with
  int iterations_ = 0;
  BlockPlaces known_, more_;  // places of the plan's blocks, and of further ones
  BlockMaker H_;
  BlockGradients gradients_;
  std::optional<sparse::CoarseMaker> coarseMaker_;
  std::optional<sparse::CoarseSpace> coarse_;
  bool twoLevels_ = false;
  Arena& arena_;
  std::span<std::uint8_t> touched_;     // rows of H that the last update changed
  std::span<double> coneWeights_;       // of blocks in their cone: what they have in H
  std::span<double> basis_, weighted_;  // scratch: columns of one block, three per touched row
};

}  // namespace sinew::solve
