#include "constraints/free_bodies.h"

#include <Eigen/LU>

#include "base/index.h"

namespace sinew {

void FreeBodies::addBody(double inverseMass, const Mat3& inverseInertia) {
  treeAdr_.push_back(dofs());
  nodes_.push_back(dofs());
  linear_.push_back(inverseMass > 0 ? addDofs(Mat3::Identity() / inverseMass, true) : -1);
  angular_.push_back(inverseInertia.isZero(0) ? -1 : addDofs(Mat3(inverseInertia.inverse()), false));
  treeNum_.push_back(dofs() - treeAdr_.back());
}

/// Three dofs with their rows of the matrix and of its factor L'DL, which eliminates the last dof first.
int FreeBodies::addDofs(const Mat3& inertia, bool diagonal) {
  const int first = dofs();
  Mat3 LD = inertia;
  for (int k = 2; k > 0 && !diagonal; --k) {
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j <= i; ++j) LD(i, j) -= LD(k, i) * LD(k, j) / LD(k, k);
    }
    for (int i = 0; i < k; ++i) LD(k, i) /= LD(k, k);
  }
  for (int i = 0; i < 3; ++i) {
    const int begin = diagonal ? i : 0;
    rownnz_.push_back(i - begin + 1);
    rowadr_.push_back(static_cast<int>(colind_.size()));
    treeOf_.push_back(static_cast<int>(treeAdr_.size()) - 1);
    for (int j = begin; j <= i; ++j) {
      colind_.push_back(first + j);
      matrix_.push_back(inertia(i, j));
      factor_.push_back(LD(i, j));
    }
    diagInv_.push_back(1 / LD(i, i));
  }
  return first;
}

void FreeBodies::addRow(BlockKind kind, const int* bodies, const double* columns, int count) {
  RowBlock block;
  block.kind = kind;
  block.row = rows();
  block.nrow = block.nbasis = 1;
  block.column = static_cast<int>(columns_.size());
  block.value = static_cast<int>(values_.size());
  for (int k = 0; k < count; ++k) {
    const int first[] = {linear_[at(bodies[k])], angular_[at(bodies[k])]};
    for (int part = 0; part < 2; ++part) {
      if (first[part] < 0) continue;
      for (int i = 0; i < 3; ++i) {
        columns_.push_back(first[part] + i);
        values_.push_back(columns[6 * k + 3 * part + i]);
      }
    }
  }
  block.ncol = static_cast<int>(columns_.size()) - block.column;
  blocks_.push_back(block);
}

void FreeBodies::scatter(int body, const Vec3& linear, const Vec3& angular, std::vector<double>& dofs) const {
  if (linear_[at(body)] >= 0) MapVec3(dofs.data() + linear_[at(body)]) = linear;
  if (angular_[at(body)] >= 0) MapVec3(dofs.data() + angular_[at(body)]) = angular;
}

void FreeBodies::gather(int body, const std::vector<double>& dofs, Vec3& linear, Vec3& angular) const {
  if (linear_[at(body)] >= 0) linear = ConstMapVec3(dofs.data() + linear_[at(body)]);
  if (angular_[at(body)] >= 0) angular = ConstMapVec3(dofs.data() + angular_[at(body)]);
}

solve::ConstraintProblem FreeBodies::problem() {
  zerosPerDof_.assign(at(dofs()), 0);
  zerosPerRow_.assign(at(rows()), 0);
  ones_.assign(at(rows()), 1);
  nodes_.push_back(dofs());
  const sparse::LowerRows matrix{dofs(), rownnz_.data(), rowadr_.data(), colind_.data(), matrix_.data(), dofs()};
  metric_.assign(
      1, solve::TreeMetric(matrix, factor_.data(), diagInv_.data(), treeOf_.data(), treeAdr_.data(), treeNum_.data()));
  solve::ConstraintProblem p;
  p.metric = &metric_.front();
  p.smoothAcceleration = zerosPerDof_;
  p.smoothForce = zerosPerDof_;
  p.blocks = blocks_;
  p.columns = columns_;
  p.values = values_;
  p.nodes = nodes_;
  p.aref = zerosPerRow_;
  p.D = ones_;
  p.R = ones_;
  p.frictionloss = zerosPerRow_;
  return p;
}

}  // namespace sinew
