#include "solve/sparse_factor.h"

#include <cmath>

#include "math/types.h"

namespace sinew::solve {

/// Partial Cholesky: the first `columns` columns of the front F (m x m, column-major, lower) become the factor, the
/// rest the update. Left-looking within the columns, then one rank-`columns` update of the remainder.
void SparseFactor::factorFront(int m, int columns, double* F, double* diagInv) {
  const auto column = [&](int j) { return F + static_cast<std::ptrdiff_t>(j) * m; };
  const auto subtract = [&](int j, int upTo) {
    double* c = column(j);
    int k = 0;
    for (; k + 4 <= upTo; k += 4) {
      const double *a0 = column(k), *a1 = column(k + 1), *a2 = column(k + 2), *a3 = column(k + 3);
      const double s0 = a0[j], s1 = a1[j], s2 = a2[j], s3 = a3[j];
      for (int i = j; i < m; ++i) c[i] = (((c[i] - a0[i] * s0) - a1[i] * s1) - a2[i] * s2) - a3[i] * s3;
    }
    for (; k < upTo; ++k) {
      const double* a = column(k);
      const double s = a[j];
      for (int i = j; i < m; ++i) c[i] -= a[i] * s;
    }
  };
  for (int j = 0; j < columns; ++j) {
    subtract(j, j);
    double* c = column(j);
    c[j] = std::sqrt(std::max(c[j], kMinVal));
    diagInv[j] = 1 / c[j];
    for (int i = j + 1; i < m; ++i) c[i] *= diagInv[j];
  }
  for (int j = columns; j < m; ++j) subtract(j, columns);
}

void SparseFactor::extendAdd(const Front& child, const double* update, const Front& parent, const int* local,
                             double* F) const {
  const int rest = child.size - child.columns, m = parent.size;
  const int* dof = plan_->dofsOf(child) + child.columns;
  for (int j = 0; j < rest; ++j) {
    const int lj = local[dof[j]];  // the order of the child's rows is that of the parent's, so li >= lj
    double* target = F + static_cast<std::ptrdiff_t>(lj) * m;
    const double* source = update + static_cast<std::ptrdiff_t>(j) * rest;
    for (int i = j; i < rest; ++i) target[local[dof[i]]] += source[i];
  }
}

void SparseFactor::solve(double* x) const {
  const std::span<const Front> fronts = plan_->fronts();
  const auto inverse = [&](const Front& front) { return diagInv_.data() + plan_->position(*plan_->dofsOf(front)); };
  const auto column = [&](const Front& front, int j) {
    return panels_.data() + front.panel + static_cast<std::ptrdiff_t>(j) * front.size;
  };
  for (const Front& front : fronts) {
    const int* dof = plan_->dofsOf(front);
    for (int j = 0; j < front.columns; ++j) {
      const double* L = column(front, j);
      const double xj = x[dof[j]] *= inverse(front)[j];
      for (int i = j + 1; i < front.size; ++i) x[dof[i]] -= L[i] * xj;
    }
  }
  for (std::size_t f = fronts.size(); f-- > 0;) {
    const Front& front = fronts[f];
    const int* dof = plan_->dofsOf(front);
    for (int j = front.columns - 1; j >= 0; --j) {
      const double* L = column(front, j);
      double xj = x[dof[j]];
      for (int i = j + 1; i < front.size; ++i) xj -= L[i] * x[dof[i]];
      x[dof[j]] = xj * inverse(front)[j];
    }
  }
}

}  // namespace sinew::solve
