#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "solve/metric.h"

/// The convex problem behind a step, free of any Model, so that it can be built by hand in a test.
///
///   x* = argmin 1/2 (x - a0)' A (x - a0) + sum_i s_i((J x - aref)_i)                         [Todorov 2014]
///
/// x is the acceleration, A the metric (the inertia matrix, or that plus implicit stiffness), a0 the acceleration
/// without constraints, J the rows, s_i the cost of violating row i. The force of row i is f_i = -s_i'.
namespace sinew::solve {

/// How a block of rows is charged. With r = J x - aref, D > 0 the row's mass and R = 1/D:
enum class BlockKind : std::uint8_t {
  Equality,    ///< 1/2 D r^2
  Friction,    ///< 1/2 D r^2 for |r| < R f, beyond that f |r| - 1/2 R f^2, f the friction loss
  Unilateral,  ///< 1/2 D min(0, r)^2: limits and frictionless contacts
  Pyramid,     ///< the same for the edges b_0 +- mu_k b_k of a friction pyramid, k = 1 .. nbasis - 1
  Elliptic     ///< an elliptic friction cone over (normal, tangents): see evaluateRows()
};

/// In which part of its cost a row is.
enum class RowState : std::uint8_t { Satisfied = 0, Quadratic, LinearNeg, LinearPos, Cone };

/// Rows that share their columns. Their Jacobian is a small dense matrix `basis` (nbasis x ncol); the rows are its
/// rows, except for a Pyramid, whose 2 (nbasis - 1) rows are b_0 + mu_1 b_1, b_0 - mu_1 b_1, b_0 + mu_2 b_2, ...
struct Block {
  BlockKind kind = BlockKind::Equality;
  int row = 0;     ///< first row
  int nrow = 0;    ///< number of rows
  int nbasis = 0;  ///< rows of the stored matrix
  int ncol = 0;    ///< columns of the stored matrix
  int column = 0;  ///< first of its ncol entries in ConstraintProblem::columns, which are growing dof indices
  int value = 0;   ///< first of its nbasis * ncol entries in ConstraintProblem::values, row by row
  int cone = -1;   ///< Pyramid, Elliptic: index into ConstraintProblem::cones
};

/// Friction of one contact.
struct ConeParameters {
  double mu = 0;                     ///< regularized friction of the cone, friction[0] sqrt(R_tangent / R_normal)
  std::array<double, 5> friction{};  ///< coefficients of the tangential rows
};

struct ConstraintProblem {
  const Metric* metric = nullptr;
  std::span<const double> smoothAcceleration;  ///< a0
  std::span<const double> smoothForce;         ///< A a0
  std::span<const Block> blocks;               ///< Equality, then Friction, then the rest, rows without gaps
  std::span<const int> columns;
  std::span<const double> values;
  std::span<const ConeParameters> cones;
  // one entry per row
  std::span<const double> aref;
  std::span<const double> D;
  std::span<const double> R;
  std::span<const double> frictionloss;
  /// Multiplies costs and gradients before they are compared with a tolerance: primal solvers, dual solvers.
  double primalScale = 1;
  double dualScale = 1;

  int dofs() const { return static_cast<int>(smoothAcceleration.size()); }
  int rows() const { return static_cast<int>(D.size()); }
};

struct SolveOptions {
  int maxIterations = 100;
  double tolerance = 1e-8;
  int lineSearchEvaluations = 50;
  double lineSearchTolerance = 0.01;
  int noslipIterations = 0;
  double noslipTolerance = 1e-6;
};

/// What a solver did. Not converging is a report, not an error.
struct SolveReport {
  int iterations = 0;
  bool converged = false;
  double improvement = 0;   ///< scaled decrease of the cost in the last iteration
  double gradientNorm = 0;  ///< scaled, primal solvers only
  double cost = 0;          ///< at the end, primal solvers only
};

/// Where the results of a solve go: x carries the warm start in and the solution out.
struct Solution {
  std::span<double> x;
  std::span<double> force;            ///< one per row; PGS reads its warm start here
  std::span<RowState> state;          ///< one per row
  std::span<double> constraintForce;  ///< J' force
};

}  // namespace sinew::solve
