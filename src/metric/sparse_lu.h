#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Factors an unsymmetric matrix A in pattern D in place, from the last dof to the first, so that the tree structure
/// produces no fill-in: A = U L, U unit upper triangular, L lower triangular with the diagonal. No pivoting. For what
/// is awake.
void factorUL(const Model& m, const Data& d, double* A);

/// x <- inv(A) x with a factor made by factorUL().
void solveUL(const Model& m, const Data& d, const double* UL, double* x);

/// y = A x for a matrix in pattern D.
void multiplyD(const Model& m, const double* A, const double* x, double* y);

}  // namespace sinew
