#pragma once

#include "sinew/model.h"

namespace sinew {

/// What a material point belongs to: a body (the world is body 0) or a flex node. The arrays of Model and Data
/// (support_carrier, eq_obj1id of a connect) hold its code: the body, or nbody + node.
class Carrier {
 public:
  static Carrier ofBody(int body) { return Carrier(body, -1); }
  static Carrier ofNode(int node) { return Carrier(-1, node); }
  /// A point of a flex: its node, or the body it rides on.
  static Carrier ofPoint(const Model& m, int point) {
    const int node = m.flexpoint_nodeid[point];
    return node >= 0 ? ofNode(node) : ofBody(m.flexpoint_bodyid[point]);
  }
  static Carrier fromCode(const Model& m, int code) { return code < m.nbody ? ofBody(code) : ofNode(code - m.nbody); }
  int code(const Model& m) const { return isNode() ? m.nbody + node_ : body_; }

  bool isBody() const { return node_ < 0; }
  bool isNode() const { return node_ >= 0; }
  int body() const { return body_; }  ///< -1: it is a node
  int node() const { return node_; }  ///< -1: it is a body

  friend bool operator==(const Carrier&, const Carrier&) = default;

 private:
  Carrier(int body, int node) : body_(body), node_(node) {}
  int body_, node_;
};

/// The body that a carrier is fixed to: itself, or the static body that a pinned node was declared under; -1: a node
/// that moves on its own.
inline int bodyBehind(const Model& m, Carrier carrier) {
  if (carrier.isBody()) return carrier.body();
  return m.flexnode_pinned[carrier.node()] ? m.flexnode_bodyid[carrier.node()] : -1;
}

/// Whether a point of a flex has a body of its own that does nothing but carry it along slides (dof="radial", "2d", or
/// bodies listed in a <flex>): such a point moves as a node does. `pointsOnBody` is the number of points on its body.
inline bool hasOwnSlides(const Model& m, int point, int pointsOnBody) {
  const int body = m.flexpoint_bodyid[point];
  if (m.flexpoint_nodeid[point] >= 0 || pointsOnBody > 1) return false;
  if (m.body_jntnum[body] == 0 || m.body_geomnum[body] > 0) return false;
  for (int j = m.body_jntadr[body]; j < m.body_jntadr[body] + m.body_jntnum[body]; ++j) {
    if (m.jnt_type[j] != JointType::Slide) return false;
  }
  return true;
}

/// Kinematic tree, -1: it never moves.
inline int treeOf(const Model& m, Carrier carrier) {
  return carrier.isBody() ? m.body_treeid[carrier.body()] : m.dof_treeid[m.nv_rigid + 3 * carrier.node()];
}

/// Mean inverse mass against a force on the carrier at qpos0, 1/kg; 0: it never moves.
inline double translationWeight(const Model& m, Carrier carrier) {
  return carrier.isBody() ? m.body_invweight0[2 * carrier.body()] : m.flexnode_invmass[carrier.node()];
}

/// The same against a torque, 1/(kg m^2). A node does not turn.
inline double rotationWeight(const Model& m, Carrier carrier) {
  return carrier.isBody() ? m.body_invweight0[2 * carrier.body() + 1] : 0;
}

}  // namespace sinew
