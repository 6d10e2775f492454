#pragma once

namespace sinew::solve {

/// min 1/2 x' A x + x' b subject to sum (x_i / scale_i)^2 <= radius^2, in n <= 5 dimensions, A symmetric (row-major).
/// Newton's method on the multiplier of the constraint [More and Sorensen 1983]. Writes x; returns whether the
/// constraint is active. A singular A (to 1e-10, after scaling) gives x = 0.
bool solveBallQp(int n, const double* A, const double* b, const double* scale, double radius, double* x);

}  // namespace sinew::solve
