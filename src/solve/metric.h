#pragma once

#include <optional>
#include <span>

#include "base/arena.h"
#include "math/sparse/block_matrix.h"
#include "math/sparse/coarse_space.h"
#include "math/sparse/lower_rows.h"
#include "math/sparse/sparse_factor.h"

namespace sinew::solve {

using sparse::BlockGradients;
using sparse::BlockMaker;
using sparse::BlockMatrix;
using sparse::BlockPattern;
using sparse::FactorMaker;
using sparse::FactorPlan;
using sparse::LowerRows;
using sparse::SparseFactor;

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

  /// The whole of A in blocks with its incomplete factor, if systems with it are solved by that; else null.
  virtual const BlockMatrix* blocks() const { return nullptr; }
};

/// Inertia matrix of kinematic trees with its factor L'DL, which has the pattern of the matrix itself (no fill-in).
class TreeMetric final : public Metric {
 public:
  /// `factor` holds L (D on the diagonal) in the pattern of `matrix`, diagInv is 1/D; tree treeOf[i] of dof i has the
  /// dofs from treeAdr[t] on, treeNum[t] of them. A dof that cannot move has tree -1 and stands alone.
  TreeMetric(const LowerRows& matrix, const double* factor, const double* diagInv, const int* treeOf,
             const int* treeAdr, const int* treeNum)
      : matrix_(matrix), factor_(factor), diagInv_(diagInv), treeOf_(treeOf), treeAdr_(treeAdr), treeNum_(treeNum) {
    matrix_.treeRows = matrix.n;
  }

  LowerRows lower() const override { return matrix_; }
  void multiply(const double* x, double* y) const override;
  void solve(double* x) const override { solveComponent({0, matrix_.n}, x); }
  Range component(int dof) const override {
    const int tree = treeOf_[dof];
    if (tree < 0) return {dof, dof + 1};  // of a pinned node
    return {treeAdr_[tree], treeAdr_[tree] + treeNum_[tree]};
  }
  void solveComponent(Range component, double* x) const override;

 private:
  LowerRows matrix_;
  const double* factor_;
  const double* diagInv_;
  const int* treeOf_;
  const int* treeAdr_;
  const int* treeNum_;
};

/// Systems with a positive matrix whose numbers are elsewhere: by its factor or, if that is too large, by conjugate
/// gradients that are as good.
class MatrixSolver {
 public:
  explicit MatrixSolver(const SparseFactor& factor) : factor_(factor) {}
  /// `lanes` are those of a BlockPlan, `coarse` is a coarse space of the matrix, if there is one. Iterations end
  /// without success after `mostIterations`.
  MatrixSolver(std::span<const int> lanes, const BlockMatrix& matrix, const std::optional<sparse::CoarseSpace>& coarse,
               int mostIterations, Arena& arena)
      : lanes_(lanes),
        matrix_(matrix),
        coarse_(coarse),
        mostIterations_(mostIterations),
        gradients_(BlockGradients(matrix.rows(), arena)) {}

  /// x <- inv(A) x. If conjugate gradients did not get there, the report says so, and x is as near as they came.
  BlockGradients::Report solve(double* x) const;
  /// Null: there is a factor.
  const BlockMatrix* blocks() const { return matrix_ ? &*matrix_ : nullptr; }

 private:
  SparseFactor factor_;
  std::span<const int> lanes_;
  std::optional<BlockMatrix> matrix_;
  std::optional<sparse::CoarseSpace> coarse_;
  int mostIterations_ = 0;
  std::optional<BlockGradients> gradients_;
};

/// M + hD + h^2 K: kinematic trees as above, and groups of dofs that stiffness couples.
class StiffMetric final : public Metric {
 public:
  struct Part {
    std::span<const int> dofs;  ///< growing
    MatrixSolver solver;        ///< in the order of `dofs`
    std::span<double> work;     ///< one number per dof
  };

  /// `trees` serves all dofs outside of the parts; no tree may be partly in one. `matrix` is the whole of A.
  StiffMetric(const TreeMetric& trees, const LowerRows& matrix, std::span<const Part> parts)
      : trees_(trees), matrix_(matrix), parts_(parts) {}

  LowerRows lower() const override { return matrix_; }
  void multiply(const double* x, double* y) const override;
  void solve(double* x) const override;
  Range component(int dof) const override;
  void solveComponent(Range component, double* x) const override;
  const BlockMatrix* blocks() const override {
    const bool one = parts_.size() == 1 && static_cast<int>(parts_[0].dofs.size()) == matrix_.n;
    return one ? parts_[0].solver.blocks() : nullptr;
  }

 private:
  const Part* partOf(int dof) const;
  static bool isOneRun(const Part& part) {
    return part.dofs.back() - part.dofs.front() + 1 == static_cast<int>(part.dofs.size());
  }

  TreeMetric trees_;
  LowerRows matrix_;
  std::span<const Part> parts_;
};

}  // namespace sinew::solve
