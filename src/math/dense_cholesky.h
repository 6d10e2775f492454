#pragma once

namespace sinew {

/// Cholesky factorization H = L L' of a small dense matrix, in place. Only the lower triangle is read and written,
/// column-major (entry (i, j) at H[j n + i]). diagInv receives 1 / L_jj. A pivot below 1e-15 is replaced by 1e-15;
/// returns how many were.
int denseCholesky(int n, double* H, double* diagInv);

/// x <- inv(L L') x.
void denseCholeskySolve(int n, const double* L, const double* diagInv, double* x);

}  // namespace sinew
