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

/// How many blocks at the beginning are equalities: their rows never change state.
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
/// With `dual` the weights of cones are those of blockWeights().
void weighRows(const ConstraintProblem& p, const double* r, const RowState* state, const double* v, double* y,
               const double* dual = nullptr);

/// How many blocks from `first` on, 1 to kMaxBasis, are single equality rows over the same columns, with values one
/// after the other: together they add B' D B to the Hessian with as many rows of B. 0: the block is no such row.
int equalRun(const ConstraintProblem& p, std::size_t first);
/// Their D as a diagonal matrix, `count` x `count`.
void equalWeights(const ConstraintProblem& p, const RowBlock& block, int count, double* W);

/// Second derivative of a block's cost with respect to its basis values, W (nbasis x nbasis, row-major, symmetric), so
/// that the block adds B' W B to the Hessian. Returns false when W is zero. The state must belong to r.
/// `dual`, one per row: weights of the primal-dual method for cones that slide, see isFrictionStiffer().
bool blockWeights(const ConstraintProblem& p, const RowBlock& block, const double* r, const RowState* state, double* W,
                  const double* dual = nullptr);

/// Whether friction of an elliptic cone is stiffer than its normal (mu < friction: impratio above 1, sheets and solids
/// of textbook laws). Such a cone has a kink where it comes to rest: the second derivative of a sliding contact knows
/// nothing of the force with which it will stick, Newton's steps overshoot, and exact line searches get from kink to
/// kink. The primal-dual method [Chan, Golub and Mulet 1999] treats the direction of sliding u = U/T as a dual variable
/// w of its own, with |w| <= 1 and the complementarity w T = U. Linearized and with w T = U solved for w, the weights
/// are those of Newton's method with (w u' + u w')/2 in the place of u u', from the secant (w = 0), which never
/// overshoots, to Newton's method (w = u).
bool isFrictionStiffer(const ConeParameters& cone);

/// First duals w of these cones, in rows 1.. of their blocks, at the residual r: zero, but for contacts that stick,
/// whose forces are known.
void initializeDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual);
/// Duals of contacts that slide after a step of alpha v from the residual r, to which the states must belong: w moves
/// by alpha dw, T dw = U + V - w (T + u.V), and stays within |w| <= 1. Zero where the whole step would have reversed
/// the direction of sliding.
void updateDuals(const ConstraintProblem& p, const double* r, const RowState* state, const double* v, double alpha,
                 double* dual);
/// w = u for contacts that slide at the residual r: the weights become the second derivative. Returns whether there are
/// any.
bool alignDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual);
/// Duals of contacts that do not slide at the residual r.
void resetDuals(const ConstraintProblem& p, const double* r, const RowState* state, double* dual);

}  // namespace sinew::solve
