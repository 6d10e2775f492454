#pragma once

#include <span>

#include "base/arena.h"
#include "solve/impulse.h"

namespace sinew::solve {

/// As ImpulseSolver::solve(), for rows of which some bounce: impacts shall not add energy.
///
/// Newton's law, u+ = -e u-, says nothing about energy: with several points or with friction it can create some, even
/// with e < 1 [Kane and Levinson 1985]. The work of all impulses is W = lambda . (J v* + J v+)/2. Without bounce it is
/// never more than the work of the targets, lambda . target, which is what position correction and moving surfaces put
/// in. If it is more with bounce, the impulses are solved for once more without, and the result is the mixture of both
/// with as much bounce as energy allows: the cones of admissible impulses are convex and v+ is linear in the impulses,
/// so that a mixture keeps every promise both keep.
///
/// `withoutBounce`: the targets for the case that nothing bounces.
ImpulseReport solveBounce(const ConstraintProblem& p, const ImpulseRows& bouncing,
                          std::span<const double> withoutBounce, const ImpulseOptions& options, Arena& arena,
                          std::span<double> lambda, std::span<double> velocity);

}  // namespace sinew::solve
