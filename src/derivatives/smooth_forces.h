#pragma once

#include <Eigen/Core>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

/// Derivatives of smooth forces in closed form, with respect to the tangent of qpos (as integratePositions() moves it)
/// and to qvel. Dense matrices of nv x nv: they are results that a user asks for, not part of a step.
namespace sinew::smooth {

using Matrix = Eigen::MatrixXd;

/// Why the forces of this model have no derivatives here, as text; empty if they have. `actuators`: whether those
/// count.
std::string obstacle(const Model& m, const Data& d, bool actuators);

/// d (M(q) a + C(q, v)) / dq and / dv: inverse dynamics of the rigid bodies, gravity included. Needs comVel().
///
/// With S_j the axis of dof j, V and A the velocity and acceleration before it (P), f_i = I_i A_i + V_i x* I_i V_i:
/// moving along dof j carries all bodies behind it rigidly, and what is left over is
///   d f_i / dq_j = S_j x* f_i - I_i c_j - B_i u_j,   u_j = S_j x V_P,   c_j = S_j x A_P - u_j x V_P
///   d f_i / dv_j = I_i e_j + B_i S_j,                 e_j = 2 V_P x S_j + W x S_j, W what the joint's own dofs add
///   B_i x = x x* I_i V_i + V_i x* I_i x - I_i (V_i x x)
/// Sums of I, B and f over the bodies behind a dof give every entry; axes behind dof j turn with it, which cancels the
/// first term for them.
void addInverseDynamics(const Model& m, const Data& d, const double* acceleration, Matrix& dq, Matrix& dv);

/// Adds d qfrc_passive / dq, / dv: springs, dampers, gravity compensation.
void addPassive(const Model& m, const Data& d, Matrix& dq, Matrix& dv);

/// Adds those of xfrc_applied, which stays as it is in world axes.
void addApplied(const Model& m, const Data& d, Matrix& dq);

/// Adds those of qfrc_actuator, with respect to act (nv x na) and ctrl (nv x nu) too.
void addActuators(const Model& m, const Data& d, Matrix& dq, Matrix& dv, Matrix& dact, Matrix& dctrl);

/// d act_dot / d act and / d ctrl of each activation, and what multiplies act_dot in the step; 0 where a limit holds
/// it.
struct Activation {
  double byAct = 0, byCtrl = 0;
  int ctrl = -1;
  double duration = 0;
  double next = 1;  ///< d act(t + h) / d act(t) with act_dot held; 0 if it is at a limit
};
Activation activation(const Model& m, const Data& d, int actuator, double meanRate);

/// Right Jacobian of the exponential map of rotations: exp(x + dx) = exp(x) exp(J dx); and its inverse.
Eigen::Matrix3d expJacobian(const Eigen::Vector3d& x);
Eigen::Matrix3d logJacobian(const Eigen::Vector3d& x);

}  // namespace sinew::smooth
