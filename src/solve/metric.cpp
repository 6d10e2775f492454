#include "solve/metric.h"

namespace sinew::solve {

void TreeMetric::multiply(const double* x, double* y) const {
  // each off-diagonal entry acts twice, once from either side of the diagonal
  for (int i = 0; i < matrix_.n; ++i) {
    const int begin = matrix_.rowadr[i];
    const int last = begin + matrix_.rownnz[i] - 1;
    double sum = matrix_.value[last] * x[i];
    for (int k = begin; k < last; ++k) {
      const int j = matrix_.colind[k];
      sum += matrix_.value[k] * x[j];
      y[j] += matrix_.value[k] * x[i];
    }
    y[i] = sum;
  }
}

void TreeMetric::solveComponent(Range component, double* x) const {
  // x <- inv(L') x: dof i passes on to its ancestors, so start from the last
  for (int i = component.end - 1; i >= component.begin; --i) {
    const double xi = x[i];
    if (xi == 0) continue;
    const int begin = matrix_.rowadr[i];
    const int last = begin + matrix_.rownnz[i] - 1;
    for (int k = begin; k < last; ++k) x[matrix_.colind[k]] -= factor_[k] * xi;
  }
  // x <- inv(L) inv(D) x
  for (int i = component.begin; i < component.end; ++i) {
    const int begin = matrix_.rowadr[i];
    const int last = begin + matrix_.rownnz[i] - 1;
    double xi = x[i] * diagInv_[i];
    for (int k = begin; k < last; ++k) xi -= factor_[k] * x[matrix_.colind[k]];
    x[i] = xi;
  }
}

}  // namespace sinew::solve
