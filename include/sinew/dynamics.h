#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/vector.h"

/// Jacobians, forces at points, the inertia matrix and coordinates on their manifold: what controllers, planners and
/// estimators call between steps.
///
/// All functions read a Data in which forward() or step() has run for the state of interest; those that need less say
/// so ("needs kinematics" stands for the stages up to comPos() and flexes(), "needs velocities" for those up to
/// comVel()). After step() derived arrays belong to the state *before* it moved on, as in MuJoCo.
///
/// Matrices are dense and row-major: a Jacobian has 3 rows and nv columns, so 3 nv numbers. An output span may be empty
/// if that output is not wanted. SI units, world axes. Ids out of range, spans of the wrong size and a Data of another
/// Model throw std::invalid_argument, which names the value and what was expected.
namespace sinew {

/// Jacobian of a point fixed to `body`, given in world coordinates: velocity = jacp qvel, angular velocity = jacr qvel.
/// Cost: the depth of the body, plus clearing the output. Needs kinematics.
void pointJacobian(const Model& m, const Data& d, int body, const Vector3& point, std::span<double> jacp,
                   std::span<double> jacr = {});

/// The same at the origin of the body's frame (xpos), at its centre of mass (xipos), at the centre of a geom or a site.
void bodyJacobian(const Model& m, const Data& d, int body, std::span<double> jacp, std::span<double> jacr = {});
void bodyComJacobian(const Model& m, const Data& d, int body, std::span<double> jacp, std::span<double> jacr = {});
void geomJacobian(const Model& m, const Data& d, int geom, std::span<double> jacp, std::span<double> jacr = {});
void siteJacobian(const Model& m, const Data& d, int site, std::span<double> jacp, std::span<double> jacr = {});

/// Jacobian of a vertex of a flex (an index into flexvert_xpos), whether it is a node, rides on a body or is
/// interpolated from several of them. Needs kinematics.
void flexVertexJacobian(const Model& m, const Data& d, int vertex, std::span<double> jacp);

/// The same for a point that carries a flex (an index into flexpoint_xpos): a node, or a point of a body.
void flexPointJacobian(const Model& m, const Data& d, int point, std::span<double> jacp);

/// Time derivative of pointJacobian() while the point moves with the body: acceleration = jacp qacc + jacpDot qvel.
/// Needs velocities.
void pointJacobianDot(const Model& m, const Data& d, int body, const Vector3& point, std::span<double> jacpDot,
                      std::span<double> jacrDot = {});

/// The same for the other Jacobians above. That of a flex is zero except where it rides on bodies. Need velocities.
void bodyJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot,
                     std::span<double> jacrDot = {});
void bodyComJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot,
                        std::span<double> jacrDot = {});
void geomJacobianDot(const Model& m, const Data& d, int geom, std::span<double> jacpDot,
                     std::span<double> jacrDot = {});
void siteJacobianDot(const Model& m, const Data& d, int site, std::span<double> jacpDot,
                     std::span<double> jacrDot = {});
void flexVertexJacobianDot(const Model& m, const Data& d, int vertex, std::span<double> jacpDot);
void flexPointJacobianDot(const Model& m, const Data& d, int point, std::span<double> jacpDot);

/// Jacobian of the centre of mass of everything below `body` (subtree_com), flex nodes that were declared there
/// included; body 0 is the whole model. Cost: bodies of the subtree times their depth. Needs kinematics.
void subtreeComJacobian(const Model& m, const Data& d, int body, std::span<double> jacp);

/// Matrix that takes qvel to the angular momentum of the subtree about its centre of mass (subtree_angmom). Needs
/// kinematics.
void angularMomentumMatrix(const Model& m, const Data& d, int body, std::span<double> matrix);

/// Time derivatives of the two: acceleration of the centre = jacp qacc + jacpDot qvel, and the rate of the angular
/// momentum = matrix qacc + matrixDot qvel. Need velocities.
void subtreeComJacobianDot(const Model& m, const Data& d, int body, std::span<double> jacpDot);
void angularMomentumMatrixDot(const Model& m, const Data& d, int body, std::span<double> matrixDot);

/// qfrc += Jp(point)' force + Jr' torque: the generalized force (nv numbers) of a force that acts on `body` at `point`
/// and a torque. Needs kinematics.
void addForceAtPoint(const Model& m, const Data& d, int body, const Vector3& point, const Vector3& force,
                     const Vector3& torque, std::span<double> qfrc);

/// qfrc += J' force for a force on a vertex of a flex. A pinned vertex takes it without moving anything. Needs
/// kinematics.
void addForceAtFlexVertex(const Model& m, const Data& d, int vertex, const Vector3& force, std::span<double> qfrc);
void addForceAtFlexPoint(const Model& m, const Data& d, int point, const Vector3& force, std::span<double> qfrc);

/// y = J x (nv numbers in, Data::nefc() out) and qfrc = J' f, with the Jacobian of the constraint rows: what J qvel and
/// qfrc_constraint are made of. Need the rows. Cost: the entries of J.
void multiplyConstraintJacobian(const Model& m, const Data& d, std::span<const double> x, std::span<double> y);
void multiplyConstraintJacobianTransposed(const Model& m, const Data& d, std::span<const double> f,
                                          std::span<double> qfrc);

/// y = M x. M is the inertia matrix of forward() or step(). Cost: its nonzero entries.
void multiplyMass(const Model& m, const Data& d, std::span<const double> x, std::span<double> y);

/// x = inv(M) b, with the factor that forward() made; x and b may be the same. Dofs that sleep keep b.
void solveMass(const Model& m, const Data& d, std::span<const double> b, std::span<double> x);

/// M as a dense, symmetric matrix of nv x nv numbers. For inspection and small models: it grows with the square of nv.
void fullMass(const Model& m, const Data& d, std::span<double> matrix);

/// Recursive Newton-Euler: qfrc = C(qpos, qvel), the force of gravity and motion, plus M qacc if `qacc` is not empty.
/// Tendon armature is left out, as in MuJoCo's mj_rne. `d` lends scratch memory only. Needs velocities.
void newtonEuler(const Model& m, Data& d, std::span<const double> qacc, std::span<double> qfrc);

/// Body accelerations and forces (cacc, cfrc_int, cfrc_ext) for the present qacc and constraint forces. step() and
/// forward() compute them only if a sensor asks for them.
void computeBodyForces(const Model& m, Data& d);

/// Velocity of the centre of mass and angular momentum about it of every subtree (subtree_linvel, subtree_angmom).
/// step() and forward() compute them only if a sensor asks for them. Needs velocities.
void computeSubtreeVelocities(const Model& m, Data& d);

/// qpos <- qpos moved by `qvel` over the time h, on the manifold of the joints (quaternions stay normalized).
void integratePositions(const Model& m, std::span<double> qpos, std::span<const double> qvel, double h);

/// The velocity that takes q1 to q2 in the time h: the inverse of integratePositions().
void differentiatePositions(const Model& m, std::span<double> qvel, double h, std::span<const double> q1,
                            std::span<const double> q2);

/// Rate of turning and of moving. Angular first in MuJoCo's six-vectors; here each part has its name.
struct SpatialMotion {
  Vector3 linear{};   ///< m/s or m/s^2
  Vector3 angular{};  ///< rad/s or rad/s^2
};

/// Axes in which a motion is expressed.
enum class Axes { World, Local };

/// Velocity of the origin of an object's frame: ObjType::Body (centre of mass and principal axes), XBody (body frame),
/// Geom, Site or Camera. Needs velocities.
SpatialMotion objectVelocity(const Model& m, const Data& d, ObjType type, int id, Axes axes = Axes::World);

/// Its acceleration, gravity included as an upward acceleration (what an accelerometer feels); zero for objects that no
/// dof moves. Needs computeBodyForces().
SpatialMotion objectAcceleration(const Model& m, const Data& d, ObjType type, int id, Axes axes = Axes::World);

/// Velocity of a vertex, or of a point, of a flex. Needs velocities.
Vector3 flexVertexVelocity(const Model& m, const Data& d, int vertex);
Vector3 flexPointVelocity(const Model& m, const Data& d, int point);

}  // namespace sinew
