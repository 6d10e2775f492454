#pragma once

#include <vector>

#include "math/types.h"
#include "solve/problem.h"

namespace sinew {

/// Free rigid bodies with rows between them, as the solvers want it: six dofs (v, w) per body, less what cannot move.
/// Each body is a kinematic tree of its own, so that the metric is the engine's.
class FreeBodies {
 public:
  /// Bodies get their dofs in the order given. `inverseInertia` must be symmetric: positive definite, or zero.
  void addBody(double inverseMass, const Mat3& inverseInertia);
  int bodies() const { return static_cast<int>(linear_.size()); }
  bool translates(int body) const { return linear_[body] >= 0; }
  bool turns(int body) const { return angular_[body] >= 0; }
  bool moves(int body) const { return translates(body) || turns(body); }
  int dofs() const { return static_cast<int>(rownnz_.size()); }
  int rows() const { return static_cast<int>(blocks_.size()); }

  /// One row: `count` bodies in growing order, six columns (v, w) of each. Equalities must come first.
  void addRow(BlockKind kind, const int* bodies, const double* columns, int count);

  /// Puts the two vectors of a body where its dofs are, and takes them from there; what cannot move is left out.
  void scatter(int body, const Vec3& linear, const Vec3& angular, std::vector<double>& dofs) const;
  void gather(int body, const std::vector<double>& dofs, Vec3& linear, Vec3& angular) const;

  /// The problem without targets; it and its metric refer to this object. Call when all rows are there.
  solve::ConstraintProblem problem();

 private:
  int addDofs(const Mat3& inertia, bool diagonal);

  std::vector<int> linear_, angular_;  // first of the three dofs, -1: it cannot move
  std::vector<int> rownnz_, rowadr_, colind_, treeOf_, treeAdr_, treeNum_;
  std::vector<double> matrix_, factor_, diagInv_;
  std::vector<RowBlock> blocks_;
  std::vector<int> columns_, nodes_;
  std::vector<double> values_, zerosPerDof_, zerosPerRow_, ones_;
  std::vector<solve::TreeMetric> metric_;  // none before problem(), then one
};

}  // namespace sinew
