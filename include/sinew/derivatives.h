#pragma once

#include <string>
#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// How the next state and the sensors depend on the state and the controls, and forces of inverse dynamics on position,
/// velocity and acceleration: by finite differences of whole steps, and analytically where a step is smooth. For
/// planning, estimation and identification.
///
/// States are differentiated on their manifold: x = (dq, v, act) with nv + nv + na numbers, dq a tangent vector as in
/// integratePositions(). Nothing in the given Data changes. Every column starts from the same state and the same warm
/// start, so the result is the same, bit for bit, for any number of threads.
namespace sinew {

struct DerivativeOptions {
  double eps = 1e-6;      ///< size of a nudge, in the unit of what is nudged; must be above 0
  bool centered = false;  ///< central differences: error of order eps^2 at twice the cost
  int threads = 1;        ///< 0: as many as the machine has
};

/// Dense matrices, row by row. With n = 2 nv + na:
///   dx(t + h) = A dx(t) + B du(t),   ds(t) = C dx(t) + D du(t),   s = sensordata, u = ctrl.
struct TransitionDerivatives {
  int states = 0, controls = 0, sensors = 0;
  std::vector<double> A;  ///< states x states
  std::vector<double> B;  ///< states x controls
  std::vector<double> C;  ///< sensors x states
  std::vector<double> D;  ///< sensors x controls
};

/// Derivatives of one step() from the state in `d`. Sensors are those that the step evaluates, before it moves on. A
/// control is nudged within its range: at a limit the difference is one-sided, towards the inside; a range narrower
/// than eps gives a zero column. Cost: states + controls + 1 steps, twice that if centered. Throws
/// std::invalid_argument for eps <= 0, threads < 0 and a Data of another Model.
TransitionDerivatives transitionDerivatives(const Model& m, const Data& d, const DerivativeOptions& options = {});

/// Dense matrices, row by row, of qfrc_inverse = f(qpos, qvel, qacc) and of the sensors.
struct InverseDerivatives {
  int dofs = 0, sensors = 0;
  std::vector<double> DfDq, DfDv, DfDa;  ///< dofs x dofs
  std::vector<double> DsDq, DsDv, DsDa;  ///< sensors x dofs
};

/// Derivatives of inverse() at qpos, qvel and qacc of `d`. Cost: 3 nv + 1 inverse dynamics, or twice that.
InverseDerivatives inverseDerivatives(const Model& m, const Data& d, const DerivativeOptions& options = {});

/// The same of one step from the derivatives of what it is made of. No step is taken twice: the equation that the step
/// solves is differentiated, and solved with the factor that the step makes.
///
/// Derivatives of rigid bodies, springs and dampers of joints and fixed tendons, gravity compensation, applied forces,
/// and actuators with fixed or affine gain and bias on joints and fixed tendons, with integrators and filters, are in
/// closed form, exact up to round-off. In models with other forces (flexes, fluid, spatial tendons with stiffness,
/// muscles, ...) and under integrators whose matrix changes with the state (implicit; implicitfast and midpoint with
/// free bodies), the smooth forces are differenced, without contacts and solver, good for some 1e-9 of the largest
/// entry. A force or activation at its limit does not change; a control at the end of its range moves inwards.
///
/// Constraint rows (contacts, limits, equalities, friction loss), those of flexes included, may be active, as long as
/// none begins or ends within 2e-6 of the state: then the solution of the constraint solver has a derivative, by the
/// implicit function theorem, which needs its Hessian factored once. How rows turn and move with the coordinates
/// (contact points, above all) is found by central differences of the position stage, with the same accuracy. At a
/// point where a row lies exactly between two sides the derivative is that of one of them.
///
/// Under the Impulse solver all that a step computes before it solves is differenced, and the theorem is applied to the
/// velocity that it solves for: contacts that stick, slide or leave, limits and friction loss stay what they are. Where
/// more rows push than are needed (a box on its four corners), their single forces are not unique, and what C and D say
/// of them is the least change that does it; A, B and all that depends on their sum are unique.
///
/// C and D: sensors are functions of the state, of qacc and of the forces of rows, whose derivatives are known by then;
/// these functions are differenced, with the same accuracy. Callbacks of sensors are called for that.
///
/// Cost: in closed form that of inverse dynamics (nv times the depth of the tree) and a solve per column; else 2 (2 nv
/// + na + nu) evaluations of the smooth forces; with rows 2 to 4 nv position stages and a factor of nv dofs more; with
/// sensors 2 nv position stages and 2 (2 nv + na + nu) evaluations of them. Four times that without the sensors under
/// RK4. Throws std::invalid_argument that names what is in the way; see analyticObstacle().
TransitionDerivatives analyticDerivatives(const Model& m, const Data& d);

/// What analyticDerivatives() would object to in the present state, empty if nothing: what sleeps, callbacks of forces
/// and controls, delays, actuators that act through contacts or turn for ever, contacts that jump, adhesion, noslip, a
/// solver that has not converged. Under the Impulse solver also contacts that bounce, rows on flexes, and rows with
/// method="sweep".
std::string analyticObstacle(const Model& m, const Data& d);

/// DfDq, DfDv and DfDa (M, and what the rows add to it) of inverse() and derivatives of its sensors in the same way, at
/// qpos, qvel and qacc of `d`. Same conditions, except that actuators and integrators do not count; not for discrete
/// time (invdiscrete) and not for flexes under implicit integrators.
InverseDerivatives analyticInverseDerivatives(const Model& m, const Data& d);

}  // namespace sinew
