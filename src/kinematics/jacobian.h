#pragma once

#include <span>

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Jacobians of points on bodies. The dofs that move a body form a chain: the last dof of its weld body and the
/// dof_parentid links upward. Column i of the translational Jacobian at point p is cdof_lin + cdof_ang x (p - com),
/// that of the rotational one is cdof_ang, com being subtree_com of the tree's root. All need comPos().
namespace sinew {

/// Last dof of the chain that moves `body`, -1 if nothing does.
inline int lastDof(const Model& m, int body) {
  const int weld = m.body_weldid[body];
  const int count = m.body_dofnum[weld];
  return count > 0 ? m.body_dofadr[weld] + count - 1 : -1;
}

/// Number of dofs in the chain that moves `body`.
int chainLength(const Model& m, int body);

/// Dofs of the chain in growing order, written to `dofs` (at least chainLength entries). Returns their number.
int chainDofs(const Model& m, int body, int* dofs);

/// Column of dof `dof` for a point p of a body that the dof moves: translational and rotational part.
struct JacobianColumn {
  Vec3 linear;
  Vec3 angular;
};
JacobianColumn jacobianColumn(const Model& m, const Data& d, int dof, const Vec3& p);

/// Dense Jacobians (3 x nv, row-major) of point p fixed to `body`. Either may be null.
void denseJacobian(const Model& m, const Data& d, int body, const Vec3& p, double* jacp, double* jacr);

/// qfrc += J(p)' (force, torque): the generalized force of a force acting at p on `body` and a torque, world axes.
void addForce(const Model& m, const Data& d, int body, const Vec3& p, const Vec3& force, const Vec3& torque,
              double* qfrc);

/// Velocity of the material point p of `body`, world axes: linear and angular. Needs comVel().
struct PointVelocity {
  Vec3 linear;
  Vec3 angular;
};
PointVelocity pointVelocity(const Model& m, const Data& d, int body, const Vec3& p);

/// The same for accelerations, from d.cacc (gravity included as an upward acceleration of the base):
/// linear = cacc_lin + cacc_ang x r + w x v. A body that nothing moves has acceleration zero. Needs bodyForces().
PointVelocity pointAcceleration(const Model& m, const Data& d, int body, const Vec3& p);

}  // namespace sinew
