#pragma once

#include <span>

namespace sinew::solve {

/// Impulses of some rows, and the velocities J v after them.
struct RowMotion {
  std::span<const double> impulse, velocity;
};

/// How much of a bounce energy allows, from 0 to 1.
///
/// Newton's law of restitution, u+ = -e u-, says nothing about energy: with several points or with friction it can
/// create some, even with e < 1 [Kane and Levinson 1985]. So restitution is the last part of a solve: `plain` is the
/// solution in which nothing bounces, `bouncing` goes on from it. The work of all impulses is lambda . (J v* + J v+)/2.
/// Without bounce it is never more than lambda . target, which position correction and moving surfaces put in. If it is
/// more with bounce, as much of the additional impulses is taken as is not: admissible impulses are convex and v+ is
/// linear in them, so that the result is admissible as well.
///
/// `before`: J v*; `target`: the targets of the plain solution.
double shareOfBounce(std::span<const double> before, std::span<const double> target, const RowMotion& plain,
                     const RowMotion& bouncing);

}  // namespace sinew::solve
