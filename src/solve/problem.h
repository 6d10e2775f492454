#pragma once

#include <span>

#include "sinew/rows.h"
#include "solve/metric.h"
#include "solve/plan.h"

/// The convex problem behind a step, free of any Model, so that it can be built by hand in a test.
///
///   x* = argmin 1/2 (x - a0)' A (x - a0) + sum_i s_i((J x - aref)_i)                         [Todorov 2014]
///
/// x is the acceleration, A the metric (the inertia matrix, or that plus implicit stiffness), a0 the acceleration
/// without constraints, J the rows, s_i the cost of violating row i. The force of row i is f_i = -s_i'.
namespace sinew::solve {

class PlanMemory;

struct ConstraintProblem {
  const Metric* metric = nullptr;
  std::span<const double> smoothAcceleration;  ///< a0
  std::span<const double> smoothForce;         ///< A a0
  std::span<const RowBlock> blocks;            ///< Equality, then Friction, then the rest, rows without gaps
  std::span<const int> columns;
  std::span<const double> values;
  std::span<const ConeParameters> cones;
  /// First dof of each group of dofs that are eliminated together (a body, a flex node), and one past the last dof.
  std::span<const int> nodes;
  // one entry per row
  std::span<const double> frictionloss;
  std::span<const double> aref;  ///< hard rows have none of these three
  std::span<const double> D;
  std::span<const double> R;
  std::span<const double> target;  ///< hard rows only: the velocity J v+ they shall have, see solve/impulse.h
  /// Multiplies costs and gradients before they are compared with a tolerance: primal solvers, dual solvers.
  double primalScale = 1;
  double dualScale = 1;

  /// Stiffness is part of the metric, so that a factor of H costs no more than one of the metric.
  bool stiff = false;
  /// Points held together by rows of their own are among the dofs. Their equalities make up most of H and never change
  /// sides, so that a factor may be cheaper than the iterations it saves.
  bool hasFlexNodes = false;
  /// Of the dofs, those of bodies, which come first; the others are those of flex nodes.
  int bodyDofs = 0;
  /// Tetrahedra are part of the stiffness in the metric: then a preconditioner of two levels pays. It does not for
  /// sheets and shells, whose slow modes bend without stretching, which no vectors that are smooth in all directions
  /// do.
  bool hasStiffSolids = false;
  /// Where plans of sparse factors are kept between steps; none: they are made anew.
  PlanMemory* plans = nullptr;

  int dofs() const { return static_cast<int>(smoothAcceleration.size()); }
  int rows() const { return static_cast<int>(frictionloss.size()); }
  ProblemShape shape() const {
    return {.dofs = dofs(), .stiff = stiff, .hasEqualities = !blocks.empty() && blocks[0].kind == BlockKind::Equality};
  }
};

/// What Newton's method asks of systems that it solves by iterations: to be as good as with a factor, or no better than
/// the tolerance of the whole.
enum class Accuracy { OfAFactor, OfTheTolerance };

struct SolveOptions {
  int maxIterations = 100;
  double tolerance = 1e-8;
  int lineSearchEvaluations = 50;
  double lineSearchTolerance = 0.01;
  int noslipIterations = 0;
  double noslipTolerance = 1e-6;
  MatrixForm matrix = MatrixForm::None;  ///< of Newton's method; None: whichever is predicted to be cheapest
  Accuracy accuracy = Accuracy::OfAFactor;
  /// Newton's method ends only when the bound 1/2 g' inv(A) g of the optimality gap is below the tolerance, too, where
  /// cones have kinks: near these the decrement is no bound.
  bool boundsGap = false;
};

/// What a solver did. Not converging is a report, not an error.
struct SolveReport {
  int iterations = 0;
  int innerIterations = 0;  ///< of conjugate gradients within Newton's method
  bool converged = false;
  double improvement = 0;   ///< scaled decrease of the cost in the last iteration
  double gradientNorm = 0;  ///< scaled, primal solvers only
  double cost = 0;          ///< at the end, primal solvers only
  MatrixPlan matrix{MatrixForm::None, PlanReason::None};
};

/// Where the results of a solve go: x carries the warm start in and the solution out.
struct Solution {
  std::span<double> x;
  std::span<double> force;            ///< one per row; PGS reads its warm start here
  std::span<RowState> state;          ///< one per row
  std::span<double> constraintForce;  ///< J' force
  /// J x - aref for the x that comes in, one per row, if it is known; primal solvers.
  std::span<const double> startResidual = {};
};

}  // namespace sinew::solve
