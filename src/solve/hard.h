#pragma once

#include <span>

#include "base/arena.h"
#include "solve/impulse.h"

namespace sinew::solve {

/// Hard contacts by Newton's method: the problem of ImpulseSolver, solved to the tolerance whatever it is made of.
///
/// Every round solves the convex problem
///
///   v+ = argmin 1/2 (v - v*)' A (v - v*) + sum_i s_i((J v - target - R lambda)_i)             [Castro et al. 2022]
///
/// of the soft solvers with velocities in the place of accelerations. R is the compliance of a row, a small share of
/// what its own impulse does to it, and lambda the impulses of the round before, in the first round those of the step
/// before: the method of multipliers [Rockafellar 1976], which takes the compliance out, so that rows are hard however
/// large R is. The convex problem lets sliding contacts separate at friction times the speed of sliding. With the
/// targets of their normals lower by just that, the shift, it is Coulomb's law [De Saxce and Feng 1998]. The shift is
/// found in the same rounds, extrapolated from one to the next [Irons and Tuck 1969].
///
/// `velocity` carries v* in and v+ out, `lambda` the warm start in and the impulses out. `before` is the velocity at
/// the start of the step, from which shift and v+ are guessed; empty: v*. `options`: iterations per round, and the
/// tolerance, of the same measure as that of sweeps.
ImpulseReport solveHardByNewton(const ConstraintProblem& p, const ImpulseRows& rows, const ImpulseOptions& options,
                                Arena& arena, std::span<double> lambda, std::span<double> velocity,
                                std::span<const double> before = {});

}  // namespace sinew::solve
