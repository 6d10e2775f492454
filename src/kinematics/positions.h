#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Positions on the manifold of the joints: quaternions turn, they are not added.
namespace sinew {

/// q <- q (+) h v on the manifold of the joints.
void integratePositions(const Model& m, double* qpos, const double* qvel, double h);

/// The same over one timestep for what is awake; not a bit of the rest changes.
void integrateAwakePositions(const Model& m, const Data& d, double* qpos, const double* qvel);

/// v such that q1 (+) h v = q2: the velocity that takes q1 to q2 in time h.
void differentiatePositions(const Model& m, double* qvel, double h, const double* q1, const double* q2);

}  // namespace sinew
