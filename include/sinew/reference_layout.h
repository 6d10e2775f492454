#pragma once

#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// The state as the reference engine counts it, and back.
///
/// There every free point of a flexcomp is a body with three slides: its coordinates are displacements from rest along
/// the axes of the body the flexcomp is in, and stand in depth-first order among the joints, where the flexcomp was
/// written. Pinned points have none. Sinew keeps world positions of all nodes after the joints. Rigid coordinates are
/// the same in both. Without free nodes so is everything.
///
/// All lengths are those of the arrays: nq(), nv() for the reference, m.nq, m.nv for Sinew. The model must outlive
/// this.
class ReferenceLayout {
 public:
  explicit ReferenceLayout(const Model& m);

  int nq() const { return static_cast<int>(qpos_.size()); }
  int nv() const { return static_cast<int>(dof_.size()); }
  /// True if the two count alike.
  bool isSame() const { return nodes_.empty() && nq() == m_.nq; }

  /// For each coordinate, dof, joint and body of the reference: the same thing in Sinew. A point of a flex has no
  /// joints and no body: -1 there; its coordinates and dofs are those of the node.
  const std::vector<int>& qpos() const { return qpos_; }
  const std::vector<int>& dofs() const { return dof_; }
  const std::vector<int>& joints() const { return joint_; }
  const std::vector<int>& bodies() const { return body_; }

  void positionsToReference(const double* qpos, double* reference);
  /// Pinned nodes get their places in qpos0.
  void positionsFromReference(const double* reference, double* qpos);

  /// Velocities at the positions `qpos` (Sinew's).
  void velocitiesToReference(const double* qpos, const double* qvel, double* reference);
  void velocitiesFromReference(const double* qpos, const double* reference, double* qvel);

  /// Accelerations in the state `qpos`, `qvel` (Sinew's).
  void accelerationsToReference(const double* qpos, const double* qvel, const double* qacc, double* reference);

  /// Generalized forces at the positions `qpos` (Sinew's). A force on a node also moves the body the node is declared
  /// under, as far as the reference is concerned: there the node rides on it.
  void forcesToReference(const double* qpos, const double* force, double* reference);
  void forcesFromReference(const double* qpos, const double* reference, double* force);

 private:
  void place(const double* qpos);
  void move(const double* qpos, const double* qvel);

  const Model& m_;
  Data scratch_;
  std::vector<int> qpos_, dof_, joint_, body_;
  std::vector<int> nodes_;               ///< free nodes in the order of the reference
  std::vector<int> nodeQpos_, nodeDof_;  ///< and where their coordinates and dofs begin there
};

}  // namespace sinew
