#pragma once

/// Cholesky factorization of dense matrices and parts of them. Only the lower triangle counts, column-major (entry
/// (i, j) at H[j m + i]); what lies above the diagonal is overwritten with anything.
namespace sinew {

/// The first `columns` columns of the m x m matrix F become those of the factor L, the rest becomes what is left to
/// factor (the Schur complement). diagInv receives 1 / L_jj of the eliminated columns. A pivot below 1e-15 is replaced
/// by 1e-15; returns how many were.
int partialCholesky(int m, int columns, double* F, double* diagInv);

/// x <- inv(L) x for the leading `columns` entries; the others lose what those contribute to them.
void forwardPanel(int m, int columns, const double* L, const double* diagInv, double* x);
/// x <- inv(L') x for the leading `columns` entries, the others being known.
void backwardPanel(int m, int columns, const double* L, const double* diagInv, double* x);

/// H = L L' in place.
inline int denseCholesky(int n, double* H, double* diagInv) { return partialCholesky(n, n, H, diagInv); }

/// x <- inv(L L') x.
inline void denseCholeskySolve(int n, const double* L, const double* diagInv, double* x) {
  forwardPanel(n, n, L, diagInv, x);
  backwardPanel(n, n, L, diagInv, x);
}

}  // namespace sinew
