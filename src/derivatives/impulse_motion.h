#pragma once

#include <string>

#include "derivatives/smooth_forces.h"

namespace sinew {

/// How the velocity at the end of a step changes under the impulse solver. The step solves
///   v+ = v* + inv(A) J' lambda,   r = J v+ - target,
/// with r = 0 for rows that hold (equalities, limits and contacts that push, contacts that stick, friction loss below
/// its bound), lambda constant for those that do not push and for friction loss at its bound, and lambda_t opposite to
/// the slip r_t for contacts that slide. v*, A, J and the targets are explicit functions of the state, differenced at a
/// given lambda; the change of lambda follows from these equations, linearized, by the implicit function theorem. Where
/// rows share what they carry in more than one way, their impulses change by the least that does it.
struct ImpulseMotion {
  std::string obstacle;      ///< why there is none, empty if there is; then the others are not set
  smooth::Parts velocity;    ///< d v+
  smooth::Parts correction;  ///< d of what positions move with beside v+, but for -h a/2 of midpoint
  smooth::Parts rate;        ///< d act_dot
  smooth::Parts rowForce;    ///< d efc_force, rows x variables
};

/// At the state of x, which forward() has evaluated with the impulse solver. Cost: 2 (2 nv + na + nu) evaluations of
/// all stages but the solver, a third of them with the position stage, and a decomposition of a matrix of all rows.
ImpulseMotion impulseMotion(const Model& m, const Data& x);

}  // namespace sinew
