#pragma once

#include <span>

namespace sinew::solve {

/// Lower triangle of a symmetric matrix by rows: growing columns, the diagonal last.
struct LowerRows {
  int n = 0;
  const int* rownnz = nullptr;
  const int* rowadr = nullptr;
  const int* colind = nullptr;
  const double* value = nullptr;
};

/// The matrix A that measures accelerations. Solvers ask for it through this interface alone, so that the plain inertia
/// matrix and M + hD + h^2 K are the same to them.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual LowerRows lower() const = 0;
  /// y = A x.
  virtual void multiply(const double* x, double* y) const = 0;
  /// x <- inv(A) x.
  virtual void solve(double* x) const = 0;

  /// inv(A) is block diagonal: the dofs [begin, end) around `dof` that it couples.
  struct Range {
    int begin = 0, end = 0;
  };
  virtual Range component(int dof) const = 0;
  /// x <- inv(A) x for an x that is zero outside the component; touches nothing else.
  virtual void solveComponent(Range component, double* x) const = 0;
};

/// Inertia matrix of kinematic trees with its factor L'DL, which has the pattern of the matrix itself (no fill-in).
class TreeMetric final : public Metric {
 public:
  /// `factor` holds L (D on the diagonal) in the pattern of `matrix`, diagInv is 1/D; treeBegin[i] and treeEnd[i] are
  /// the first and one past the last dof of the tree of dof i.
  TreeMetric(const LowerRows& matrix, const double* factor, const double* diagInv, const int* treeBegin,
             const int* treeEnd)
      : matrix_(matrix), factor_(factor), diagInv_(diagInv), treeBegin_(treeBegin), treeEnd_(treeEnd) {}

  LowerRows lower() const override { return matrix_; }
  void multiply(const double* x, double* y) const override;
  void solve(double* x) const override { solveComponent({0, matrix_.n}, x); }
  Range component(int dof) const override { return {treeBegin_[dof], treeEnd_[dof]}; }
  void solveComponent(Range component, double* x) const override;

 private:
  LowerRows matrix_;
  const double* factor_;
  const double* diagInv_;
  const int* treeBegin_;
  const int* treeEnd_;
};

}  // namespace sinew::solve
