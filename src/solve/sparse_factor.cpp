#include "solve/sparse_factor.h"

#include "math/dense_cholesky.h"

namespace sinew::solve {

void FactorMaker::extendAdd(const Front& child, const Front& parent, double* F) const {
  const int begin = child.columns, m = child.size;
  const int* place = plan_.placesInParent(child);
  for (int j = begin; j < m; ++j) {
    // the order of the child's rows is that of the parent's, so the lower triangle goes into the lower triangle
    double* __restrict target = F + static_cast<std::ptrdiff_t>(place[j]) * parent.size;
    const double* __restrict source = matrix(child) + static_cast<std::ptrdiff_t>(j) * m;
    if (place[m - 1] - place[j] == m - 1 - j) {
      double* __restrict run = target + place[j] - j;
      for (int i = j; i < m; ++i) run[i] += source[i];
    } else {
      for (int i = j; i < m; ++i) target[place[i]] += source[i];
    }
  }
}

void FactorMaker::eliminate(const Front& front) const {
  double* F = matrix(front);
  const std::span<const Front> fronts = plan_.fronts();
  for (int c = front.child; c >= 0; c = fronts[static_cast<std::size_t>(c)].sibling) {
    extendAdd(fronts[static_cast<std::size_t>(c)], front, F);
  }
  partialCholesky(front.size, front.columns, F, diagInv_.data() + plan_.position(*plan_.dofsOf(front)));
}

void SparseFactor::solve(double* x) const {
  const std::span<const Front> fronts = plan_->fronts();
  double* local = work_.data();
  const auto matrix = [&](const Front& front) { return matrices_.data() + front.matrix; };
  const auto inverses = [&](const Front& front) { return diagInv_.data() + plan_->position(*plan_->dofsOf(front)); };
  const auto gather = [&](const Front& front) {
    const int* dof = plan_->dofsOf(front);
    for (int i = 0; i < front.size; ++i) local[i] = x[dof[i]];
    return dof;
  };
  for (const Front& front : fronts) {
    const int* dof = gather(front);
    forwardPanel(front.size, front.columns, matrix(front), inverses(front), local);
    for (int i = 0; i < front.size; ++i) x[dof[i]] = local[i];
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    const Front& front = fronts[f];
    const int* dof = gather(front);
    backwardPanel(front.size, front.columns, matrix(front), inverses(front), local);
    for (int i = 0; i < front.columns; ++i) x[dof[i]] = local[i];
  }
}

}  // namespace sinew::solve
