#include "math/sparse/sparse_factor.h"

#include "math/dense_cholesky.h"

namespace sinew::sparse {

FactorMaker::FactorMaker(const FactorPlan& plan, std::span<double> matrices, std::span<double> diagInv, Arena& arena)
    : plan_(plan),
      matrices_(matrices),
      diagInv_(diagInv),
      placeOfPosition_(arena.take<int>(plan.dofs())),
      places_(arena.take<int>(plan.largestFront())),
      work_(arena.take<double>(6 * static_cast<std::ptrdiff_t>(plan.largestFront()))) {}

void FactorMaker::eliminate(int f) const {
  const Front& front = plan_.fronts()[f];
  double* F = matrix(front);
  const int* position = plan_.positionsOf(front);
  for (int i = 0; i < front.size; ++i) placeOfPosition_[position[i]] = i;
  for (const FactorPlan::Update& update : plan_.updatesOf(f)) {
    const Front& earlier = plan_.fronts()[update.front];
    const int* rows = plan_.positionsOf(earlier);
    for (int i = update.begin; i < earlier.size; ++i) {
      places_[i - update.begin] = placeOfPosition_[rows[i]];
    }
    subtractPanel(earlier.size, earlier.columns, matrix(earlier), update.begin, update.end, places_.data(), front.size,
                  F, work_.data());
  }
  panelCholesky(front.size, front.columns, F, diagInv_.data() + position[0]);
}

void SparseFactor::solve(double* x) const {
  const std::span<const Front> fronts = plan_->fronts();
  double* local = work_.data();
  const auto matrix = [&](const Front& front) { return matrices_.data() + front.matrix; };
  const auto inverses = [&](const Front& front) { return diagInv_.data() + *plan_->positionsOf(front); };
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

}  // namespace sinew::sparse
