#include "solve/metric.h"

#include <algorithm>

namespace sinew::solve {

namespace {

/// Conjugate gradients end when this share of what they minimize is left: the error is 1e-10 of the solution.
constexpr double kRounding = 1e-20;

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

BlockGradients::Report MatrixSolver::solve(double* x) const {
  if (!matrix_) {
    factor_.solve(x);
    return {0, true};
  }
  const std::span<double> right = gradients_->right();
  std::fill(right.begin(), right.end(), 0.0);
  for (std::size_t i = 0; i < lanes_.size(); ++i) right[lanes_[i]] = x[i];
  const BlockGradients::Report report =
      gradients_->solve(*matrix_, kRounding, 0, mostIterations_, coarse_ ? &*coarse_ : nullptr);
  const std::span<const double> solution = gradients_->solution();
  for (std::size_t i = 0; i < lanes_.size(); ++i) x[i] = solution[lanes_[i]];
  return report;
}

void StiffMetric::solve(double* x) const {
  for (const Part& part : parts_) {
    for (std::size_t k = 0; k < part.dofs.size(); ++k) part.work[k] = x[part.dofs[k]];
    part.solver.solve(part.work.data());
  }
  trees_.solve(x);
  for (const Part& part : parts_) {
    for (std::size_t k = 0; k < part.dofs.size(); ++k) x[part.dofs[k]] = part.work[k];
  }
}

const StiffMetric::Part* StiffMetric::partOf(int dof) const {
  for (const Part& part : parts_) {
    if (std::binary_search(part.dofs.begin(), part.dofs.end(), dof)) return &part;
  }
  return nullptr;
}

Metric::Range StiffMetric::component(int dof) const {
  // a part with gaps spans trees and other parts: then all is one component
  if (!std::all_of(parts_.begin(), parts_.end(), isOneRun)) return {0, matrix_.n};
  const Part* part = partOf(dof);
  return part ? Range{part->dofs.front(), part->dofs.back() + 1} : trees_.component(dof);
}

void StiffMetric::solveComponent(Range component, double* x) const {
  if (component.begin == 0 && component.end == matrix_.n) return solve(x);
  const Part* part = partOf(component.begin);
  if (part) {
    part->solver.solve(x + component.begin);
  } else {
    trees_.solveComponent(component, x);
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
