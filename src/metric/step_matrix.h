#pragma once

#include "model/step_matrix.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Stage between forces and solve: the matrix A by which a step turns forces into accelerations, A a = F, of rigid
/// dofs. Stiff flexes have theirs in forces/stiff_metric.h. The soft solvers work with M, as their rows describe
/// accelerations, and A acts on all forces afterwards; the impulse solver, whose rows describe the velocity at the end
/// of the step, works with A itself.
namespace sinew {

/// qvel, forces -> qDeriv and the matrix of an integrator in qH or qLU, not factored. RK4 has M.
StepMatrix assembleStepMatrix(const Model& m, Data& d, Integrator integrator);

/// y = A x with the matrix of assembleStepMatrix().
void multiplyStepMatrix(const Model& m, const Data& d, StepMatrix kind, const double* x, double* y);

/// The stage: forces, M -> Workspace::stepMatrix and its factor in qH or qLU. Under the impulse solver also qacc_free,
/// the acceleration without constraints, and in qH, qHDiagInv the factor of the matrix by which impulses change
/// velocities: the symmetric part of A without the derivatives of bias forces, M where that is not positive definite.
/// Bodies and trees that tumble turn as spin.h says. Needs acceleration().
void metric(const Model& m, Data& d);

/// The same for another integrator than that of the options, without what the impulse solver needs.
void makeStepMatrix(const Model& m, Data& d, Integrator integrator);

/// x <- inv(A) x with the factor of metric() or makeStepMatrix(), for what is awake.
void solveStepMatrix(const Model& m, Data& d, double* x);

}  // namespace sinew
