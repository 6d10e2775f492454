#pragma once

#include <Eigen/Core>
#include <string>

#include "sinew/data.h"
#include "sinew/model.h"

/// Derivatives of smooth forces in closed form, with respect to the tangent of qpos (as integratePositions() moves it)
/// and to qvel. Dense matrices of nv x nv: they are results that a user asks for, not part of a step.
namespace sinew::smooth {

using Matrix = Eigen::MatrixXd;

/// Derivatives of a vector with respect to the tangent of qpos, qvel, act and ctrl.
struct Parts {
  Matrix q, v, act, ctrl;

  static Parts zero(const Model& m, int rows) {
    return {Matrix::Zero(rows, m.nv), Matrix::Zero(rows, m.nv), Matrix::Zero(rows, m.na), Matrix::Zero(rows, m.nu)};
  }
  template <class F>
  void forEach(F&& f) {
    for (Matrix* matrix : {&q, &v, &act, &ctrl}) f(*matrix);
  }
};

/// Why the forces of this model have no derivatives at all, as text; empty if they have. `actuators`: whether those
/// count.
std::string obstacle(const Model& m, const Data& d, bool actuators);

/// Which of them have none in closed form; empty if the functions below give those of all.
std::string withoutClosedForm(const Model& m, bool actuators);

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

/// d act_dot / d act and / d ctrl of an actuator with an integrator or a filter.
struct ActivationRate {
  double byAct = 0, byCtrl = 0;
  int ctrl = -1;
};
ActivationRate activationRate(const Model& m, const Data& d, int actuator);

/// How a step moves an activation: act(t + h) = next act(t) + duration act_dot, differentiated; 0 where it ends at a
/// limit. For all but DC motors.
struct ActivationStep {
  double next = 1, duration = 0;
};
ActivationStep activationStep(const Model& m, const Data& d, int actuator, int activation, double rate);

/// Right Jacobian of the exponential map of rotations: exp(x + dx) = exp(x) exp(J dx); and its inverse.
Eigen::Matrix3d expJacobian(const Eigen::Vector3d& x);
Eigen::Matrix3d logJacobian(const Eigen::Vector3d& x);

}  // namespace sinew::smooth
