#pragma once

#include <algorithm>
#include <span>

#include "sinew/arena.h"
#include "solve/factor_plan.h"

namespace sinew::solve {

/// The numbers of a sparse Cholesky factor, laid out by a FactorPlan. Does not own them: the same factor can be made in
/// one place and used in another.
class SparseFactor {
 public:
  SparseFactor() = default;
  /// `panels` has plan.panelSize() numbers, `diagInv` one per dof.
  SparseFactor(const FactorPlan& plan, std::span<double> panels, std::span<double> diagInv)
      : plan_(&plan), panels_(panels), diagInv_(diagInv) {}

  /// Factors the matrix whose entries addFront(front, local, F) adds to F, the lower triangle of a zeroed size x size
  /// matrix, column-major. `front` is the index of the front, local[dof] the place of a dof within it.
  template <class AddFront>
  void factor(AddFront&& addFront, Arena& scratch);

  /// x <- inv(L L') x, in the numbering of the dofs.
  void solve(double* x) const;

 private:
  using Front = FactorPlan::Front;
  static void factorFront(int size, int columns, double* F, double* diagInv);
  void extendAdd(const Front& child, const double* update, const Front& parent, const int* local, double* F) const;

  const FactorPlan* plan_ = nullptr;
  std::span<double> panels_;   // of all fronts
  std::span<double> diagInv_;  // 1 / L_ii by elimination position
};

template <class AddFront>
void SparseFactor::factor(AddFront&& addFront, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const std::span<const Front> fronts = plan_->fronts();
  const std::span<double> work = scratch.take<double>(plan_->largestFront());
  const std::span<double> updates = scratch.take<double>(plan_->deepestStack());  // waiting for their parents
  const std::span<int> pending = scratch.take<int>(static_cast<std::ptrdiff_t>(fronts.size()));
  const std::span<int> local = scratch.take<int>(plan_->dofs());
  std::ptrdiff_t top = 0;
  std::size_t depth = 0;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const Front& front = fronts[f];
    const int* dof = plan_->dofsOf(front);
    const int m = front.size, c = front.columns, rest = m - c;
    for (int k = 0; k < m; ++k) local[static_cast<std::size_t>(dof[k])] = k;
    double* F = work.data();
    std::fill_n(F, static_cast<std::ptrdiff_t>(m) * m, 0.0);
    addFront(f, local.data(), F);
    for (int k = 0; k < front.children; ++k) {
      const Front& child = fronts[static_cast<std::size_t>(pending[--depth])];
      const std::ptrdiff_t size = child.size - child.columns;
      top -= size * size;
      extendAdd(child, updates.data() + top, front, local.data(), F);
    }
    if (front.parent >= 0) pending[depth++] = static_cast<int>(f);
    factorFront(m, c, F, diagInv_.data() + plan_->position(dof[0]));
    std::copy_n(F, static_cast<std::ptrdiff_t>(m) * c, panels_.data() + front.panel);
    for (int j = 0; j < rest; ++j) {
      const double* source = F + static_cast<std::ptrdiff_t>(c + j) * m + c;
      std::copy_n(source + j, rest - j, updates.data() + top + static_cast<std::ptrdiff_t>(j) * rest + j);
    }
    top += static_cast<std::ptrdiff_t>(rest) * rest;
  }
}

}  // namespace sinew::solve
