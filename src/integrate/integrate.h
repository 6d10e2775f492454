#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Last stage: the state moves on by one timestep.
namespace sinew {

/// Semi-implicit Euler; joint damping is treated implicitly unless that is switched off.
void integrateEuler(const Model& m, Data& d);

/// (M - h dF/dv) a = F, v += h a, q integrated with the new v; `fast` leaves out the derivative of the bias forces and
/// keeps the matrix symmetric, except for standalone free bodies.
void integrateImplicit(const Model& m, Data& d, bool fast);

/// For the impulse solver, which needs to know beforehand what the integrator would do: qacc = the acceleration that it
/// would move on with if there were no constraints, and qH, qHDiagInv = the factor of its matrix, by which impulses
/// change velocities (its symmetric part, without the derivatives of bias forces; M where that is indefinite). Under
/// Euler free bodies spin as spin.h says. Needs acceleration(). Overwrites qDeriv, qLU.
void impulseMetric(const Model& m, Data& d);

// Its parts. [euler.cpp, implicit.cpp]
void impulseMetricEuler(const Model& m, Data& d);
void impulseMetricImplicit(const Model& m, Data& d, bool fast);

/// qfrc = (the matrix that the integrator solves with) acceleration: the force that makes a step change the velocity by
/// h `acceleration`. Their inverse is what the integrators above do; inverse() uses them. Overwrite qDeriv, qLU, qH.
void discreteForceEuler(const Model& m, Data& d, const double* acceleration, double* qfrc);
void discreteForceImplicit(const Model& m, Data& d, bool fast, const double* acceleration, double* qfrc);

/// q <- q (+) h v on the manifold of the joints.
void integratePositions(const Model& m, double* qpos, const double* qvel, double h);

/// The same over one timestep for what is awake; not a bit of the rest changes.
void integrateAwakePositions(const Model& m, const Data& d, double* qpos, const double* qvel);

/// v such that q1 (+) h v = q2: the velocity that takes q1 to q2 in time h.
void differentiatePositions(const Model& m, double* qvel, double h, const double* q1, const double* q2);

/// Takes away the velocity of pinned flex nodes, whatever a user wrote there.
void stopPinnedNodes(const Model& m, Data& d);

/// Moves activations, velocities (by h `acceleration`), positions (with velocity `qvel`, the new velocity if null) and
/// time, and stores qacc as the next warm start.
void advance(const Model& m, Data& d, const double* act_dot, const double* acceleration, const double* qvel);

}  // namespace sinew
