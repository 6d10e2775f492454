#pragma once

namespace sinew::sparse {

/// Pattern of an unsymmetric matrix over the dofs of trees, by rows: the ancestors of a dof, itself, its descendants.
struct TreeRows {
  int n = 0;
  const int* rownnz = nullptr;
  const int* rowadr = nullptr;
  const int* diag = nullptr;  ///< where in its row the diagonal is: the number of ancestors
  const int* colind = nullptr;
};

/// Factors the rows [begin, end) of A, whole trees, in place, from the last dof to the first, so that the tree
/// structure produces no fill-in: A = U L, U unit upper triangular, L lower triangular with the diagonal. No pivoting.
void factorUL(const TreeRows& rows, int begin, int end, double* A);

/// x <- inv(A) x with a factor made by factorUL().
void solveUL(const TreeRows& rows, int begin, int end, const double* UL, double* x);

/// y = A x.
void multiply(const TreeRows& rows, const double* A, const double* x, double* y);

}  // namespace sinew::sparse
