#pragma once

#include <span>

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// A part of the metric (Model, "stiffness of flexes in the metric") that nothing holds moves as a rigid body and
/// deforms. Elastic forces know nothing of rigid motion, but x + h v does: a rotation that is predicted along its
/// tangent stretches everything by (h w)^2/2, and stiffness fights that. Forces at x + h v + h^2 a, directed as they
/// are there, have a torque about x: the part loses w^2 h of its spin per second, and a steel ring would burst.
/// So the step is linearised about the motion of the part as a rigid body, which takes it from x to R x exactly. What
/// is left, a torque of the second order in the deformation of a step, is taken out by a rigid motion.
namespace sinew {

/// How much of stiffness and damping an integrator has in its metric A = M + damping h D + stiffness h^2 K, and how far
/// its elastic forces are ahead of the state: f(x + rate h v).
struct StepWeights {
  double stiffness, damping, rate;
};
/// All of it, at the end of the step; under Midpoint half of it.
///
/// Midpoint: an oscillator of frequency w goes, with y = h w, c = y^2/(1 + y^2/2), s = (y^2/2/(1 + y^2/2))^2, in a step
/// from u = (1 - s) v to v' = u - c (x + h u/2)/h, x' = x + h (u + v')/2. The product of both eigenvalues is 1 - s,
/// their sum (2 - s)(1 - c/2): stable for every y; both vanish for y -> infinity, and what a mode loses of its
/// amplitude per step, s/2, goes with y^4.
StepWeights stepWeights(Integrator integrator);

/// Whether a part may turn as a whole: nothing of it is pinned, the trees it pulls at float, and no flex follows the
/// law of the reference, whose numbers are to stay what they are. Interpolated shells, whose inner nodes are pinned, do
/// not.
bool partTurns(const Model& m, int part);

/// Rigid motion of a part during a step.
struct PartMotion {
  bool turns = false;            ///< false: it is held, and all else is zero
  Vec3 center = Vec3::Zero();    ///< of mass
  Vec3 velocity = Vec3::Zero();  ///< of the centre
  Vec3 spin = Vec3::Zero();      ///< mean angular velocity, inv(J) L
  Mat3 turn = Mat3::Identity();  ///< rotation in this step
  Mat3 half = Mat3::Identity();  ///< half of it
  bool middle = false;           ///< positions advance by the mean of both velocities; else by the later one

  /// Velocity and acceleration of a point that goes around with the part, such that a step takes it from r to R r
  /// (from the centre).
  Vec3 velocityOf(const Vec3& r, double h) const;
  Vec3 accelerationOf(const Vec3& r, double h) const;
};
PartMotion partMotion(const Model& m, const Data& d, int part);

/// Takes what is left of the torque (and of the force) of implicit elasticity out of qacc_smooth, and adds to
/// qfrc_implicit what does that: momentum changes by what acts from outside, to rounding. Needs both, and flexA.
void keepMomentum(const Model& m, Data& d);

/// cfrc_ext += what keepMomentum() does to bodies: inertia times the acceleration it adds. Beside the forces on points
/// it is what an implicit step does to the bodies that carry a flex. Needs keepMomentum() and comPos().
void addKeptMomentum(const Model& m, Data& d);

/// The inverse of it. `acceleration` is smooth, that is without what constraints do; `force` are all smooth forces but
/// those of implicit elasticity, such that keepMomentum() would not have to change anything: what it does is taken out
/// of them. Both have one number per dof. Needs flexA, qfrc_implicit before keepMomentum().
void releaseMomentum(const Model& m, Data& d, const double* acceleration, double* force);

/// Velocity of the dofs of a part less that of its rigid motion, by row of the part.
void velocityOfDeformation(const Model& m, Data& d, int part, const PartMotion& motion, std::span<double> u);

}  // namespace sinew
