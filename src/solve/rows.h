#pragma once

#include <cstddef>
#include <span>

#include "solve/problem.h"

/// Operations on the rows of a problem, block by block.
namespace sinew::solve {

/// Largest number of basis vectors of a block that has a dense weight matrix (a contact has at most 6).
inline constexpr int kMaxBasis = 6;

/// Rows that push and never pull: limits, frictionless contacts, edges of friction pyramids.
inline bool isUnilateral(BlockKind kind) { return kind == BlockKind::Unilateral || kind == BlockKind::Pyramid; }

/// How many blocks at the beginning are equalities: their rows never change sides.
inline std::size_t leadingEqualities(std::span<const RowBlock> blocks) {
  std::size_t count = 0;
  while (count < blocks.size() && blocks[count].kind == BlockKind::Equality) ++count;
  return count;
}

/// y = J x, one number per row.
void multiplyRows(const ConstraintProblem& p, const double* x, double* y);
/// The same for two vectors: J, which may be large, is read once.
void multiplyRows(const ConstraintProblem& p, const double* x1, double* y1, const double* x2, double* y2);

/// x += J' f.
void addTransposed(const ConstraintProblem& p, const double* f, double* x);

/// Forces, states and cost of all rows at the residual r = J x - aref. Returns sum_i s_i(r_i).
///
/// Elliptic cone with U = (mu r_0, friction_k r_k), N = U_0, T = |U_1..|:
///   N >= mu T        satisfied, no force
///   mu N + T <= 0    quadratic in all rows, 1/2 sum D_k r_k^2
///   between          1/2 Dm (N - mu T)^2 with Dm = D_0 / (mu^2 (1 + mu^2)): the distance to the cone
double evaluateRows(const ConstraintProblem& p, const double* r, double* force, RowState* state);

/// y = S'' v, S'' the second derivative of the cost of all rows at the residual r, to which the states must belong.
void weighRows(const ConstraintProblem& p, const double* r, const RowState* state, const double* v, double* y);

/// Second derivative of a block's cost with respect to its basis values, W (nbasis x nbasis, row-major, symmetric), so
/// that the block adds B' W B to the Hessian. Returns false when W is zero. The state must belong to r.
bool blockWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, const RowState* state, double* W);

}  // namespace sinew::solve
