#pragma once

#include "kinematics/jacobian.h"
#include "math/spatial.h"

/// What Jacobians along chains of dofs are made of.
namespace sinew {

/// f(dof, movesA, movesB) for every dof that moves body a or body b, from the last to the first.
template <class F>
void forEachDofOfEither(const Model& m, int a, int b, F&& f) {
  int i = lastDof(m, a), j = lastDof(m, b);
  while (i >= 0 || j >= 0) {
    const int dof = i > j ? i : j;
    const bool movesA = i == dof, movesB = j == dof;
    f(dof, movesA, movesB);
    if (movesA) i = m.dof_parentid[i];
    if (movesB) j = m.dof_parentid[j];
  }
}

/// f(dof, movesA) for every dof that moves exactly one of the two bodies (if not a, then b): what changes their
/// relative position. Dofs have larger numbers than their parents, so the larger of two different ones cannot be
/// common.
template <class F>
void forEachDofBetween(const Model& m, int a, int b, F&& f) {
  int i = lastDof(m, a), j = lastDof(m, b);
  while (i != j) {
    if (i > j) {
      f(i, true);
      i = m.dof_parentid[i];
    } else {
      f(j, false);
      j = m.dof_parentid[j];
    }
  }
}

/// Centre of mass of the tree that `body` belongs to: the reference point of its spatial quantities.
inline ConstMapVec3 treeCom(const Model& m, const Data& d, int body) {
  return vec3(d.subtree_com.data(), m.body_rootid[body]);
}

/// Velocity that unit speed along `cdof` gives to the point at r from the reference point.
inline Vec3 velocityAt(const double* cdof, const Vec3& r) { return linear(cdof) + angular(cdof).cross(r); }

}  // namespace sinew
