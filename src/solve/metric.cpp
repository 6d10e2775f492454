#include "solve/metric.h"

namespace sinew::solve {

namespace {

void multiplySymmetric(const LowerRows& A, const double* x, double* y) {
  // each off-diagonal entry acts twice, once from either side of the diagonal
  for (int i = 0; i < A.n; ++i) {
    const int begin = A.rowadr[i];
    const int last = begin + A.rownnz[i] - 1;
    const double xi = x[i];
    double even = A.value[last] * xi, odd = 0;
    int k = begin;
    for (; k + 2 <= last; k += 2) {
      const int j0 = A.colind[k], j1 = A.colind[k + 1];
      even += A.value[k] * x[j0];
      odd += A.value[k + 1] * x[j1];
      y[j0] += A.value[k] * xi;
      y[j1] += A.value[k + 1] * xi;
    }
    if (k < last) {
      const int j = A.colind[k];
      even += A.value[k] * x[j];
      y[j] += A.value[k] * xi;
    }
    y[i] = even + odd;
  }
}

}  // namespace

void TreeMetric::multiply(const double* x, double* y) const { multiplySymmetric(matrix_, x, y); }

void StiffMetric::multiply(const double* x, double* y) const { multiplySymmetric(matrix_, x, y); }

void StiffMetric::solve(double* x) const {
  int done = 0;
  for (const Part& part : parts_) {
    trees_.solveComponent({done, part.begin}, x);
    part.factor.solve(x + part.begin);
    done = part.end;
  }
  trees_.solveComponent({done, matrix_.n}, x);
}

Metric::Range StiffMetric::component(int dof) const {
  for (const Part& part : parts_) {
    if (part.begin <= dof && dof < part.end) return {part.begin, part.end};
  }
  return trees_.component(dof);
}

void StiffMetric::solveComponent(Range component, double* x) const {
  for (const Part& part : parts_) {
    if (part.begin == component.begin) return part.factor.solve(x + part.begin);
  }
  trees_.solveComponent(component, x);
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
  // x <- inv(L) inv(D) x, in two sums, so that an addition need not wait for the one before
  for (int i = component.begin; i < component.end; ++i) {
    const int begin = matrix_.rowadr[i];
    const int last = begin + matrix_.rownnz[i] - 1;
    double even = x[i] * diagInv_[i], odd = 0;
    int k = begin;
    for (; k + 2 <= last; k += 2) {
      even -= factor_[k] * x[matrix_.colind[k]];
      odd += factor_[k + 1] * x[matrix_.colind[k + 1]];
    }
    if (k < last) even -= factor_[k] * x[matrix_.colind[k]];
    x[i] = even - odd;
  }
}

}  // namespace sinew::solve
