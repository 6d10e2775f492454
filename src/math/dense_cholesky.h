#pragma once

/// Cholesky factorization of dense matrices and parts of them. Only the lower triangle counts, column-major (entry
/// (i, j) at H[j m + i]); what lies above the diagonal is overwritten with anything.
namespace sinew {

/// The m x columns panel F, the first columns of a symmetric matrix, becomes that of the factor L. diagInv receives
/// 1 / L_jj. A pivot below 1e-15 is replaced by 1e-15; returns how many were.
int panelCholesky(int m, int columns, double* F, double* diagInv);

/// What the panel L (m x columns) takes off the columns to which its rows [begin, end) belong:
///   F(place_i, place_j) -= sum over k of L(begin + i, k) L(begin + j, k)  for begin + j < end, i >= j,
/// place, one number for each of the rows from `begin` on, grows; F has leading dimension ld. `work`: 6 (m - begin).
void subtractPanel(int m, int columns, const double* L, int begin, int end, const int* place, int ld, double* F,
                   double* work);

/// x <- inv(L) x for the leading `columns` entries; the others lose what those contribute to them.
void forwardPanel(int m, int columns, const double* L, const double* diagInv, double* x);
/// x <- inv(L') x for the leading `columns` entries, the others being known.
void backwardPanel(int m, int columns, const double* L, const double* diagInv, double* x);

/// H = L L' in place.
inline int denseCholesky(int n, double* H, double* diagInv) { return panelCholesky(n, n, H, diagInv); }

/// x <- inv(L L') x.
inline void denseCholeskySolve(int n, const double* L, const double* diagInv, double* x) {
  forwardPanel(n, n, L, diagInv, x);
  backwardPanel(n, n, L, diagInv, x);
}

}  // namespace sinew
