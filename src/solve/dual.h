#pragma once

#include "base/arena.h"
#include "solve/problem.h"

/// Solvers that work on the forces: min 1/2 f' (C + R) f + f' b over admissible f, with C = J inv(A) J' and
/// b = J a0 - aref. With y = inv(A) J' f kept up to date, row i of C f is J_i y, and a change of f_i moves y by f_i
/// times inv(A) J_i', which is stored per block. Where C has no more numbers than these, it is formed, and C f is kept
/// up to date instead.
namespace sinew::solve {

/// Admissible forces: any (Equality), |f| <= frictionloss (Friction), f >= 0 (Unilateral, Pyramid),
/// sum (f_k / friction_k)^2 <= f_0^2 with f_0 >= 0 (Elliptic).
class DualSolver {
 public:
  /// Takes all memory and prepares inv(A) J'.
  DualSolver(const ConstraintProblem& p, const SolveOptions& options, Arena& arena);

  /// Projected Gauss-Seidel from solution.force. Blocks are visited in a pseudo-random order that is the same in every
  /// run; forces are extrapolated between sweeps with Nesterov's weights, restarted when the extrapolation turns
  /// against the correction [O'Donoghue and Candes 2015]. Fills all of `solution`.
  SolveReport projectedGaussSeidel(Solution solution);

  /// Sweeps over friction rows alone with their regularization R removed and normal forces fixed, so that contacts do
  /// not creep. Starts from solution.force, fills all of `solution`.
  SolveReport removeSlip(Solution solution);

 private:
  struct Wide {
    int column = 0;  // first of nwide dofs in wideColumns_
    int nwide = 0;
    int value = 0;  // first of nbasis x nwide entries of inv(A) B'
    int gram = 0;   // first of nbasis x nbasis entries of B inv(A) B'
  };
  /// One row with all that a visit needs.
  struct Line {
    const double* J = nullptr;  // ncol entries of J_i
    const double* Y = nullptr;  // nwide entries of inv(A) J_i'
    const int* column = nullptr;
    const int* wideColumn = nullptr;
    int ncol = 0, nwide = 0;
    bool inOneRun = false;  // the wide columns follow each other
    double b = 0, R = 0;
    double diagonal = 0, inverse = 0;  // of C + R
    double least = 0, most = 0;        // bounds of the force
  };
  void prepareLines();
  /// C, if it is to be formed.
  void prepareProducts();
  /// As sweep(), by C.
  double sweepProducts(std::span<const int> order, std::span<double> force);
  /// Goes on from `force` and what is kept up to date with it as they changed since the last call, times beta, and
  /// projects the forces.
  void extrapolate(double beta, std::span<double> force);
  /// Visits rows and cones in the order given. Returns the improvement of the dual cost.
  double sweep(std::span<const int> order, std::span<double> force);
  /// Improves one force, given its row of C f + b. Returns the change of the cost.
  double visitLine(std::size_t i, double acceleration, double& force);
  void multiplyBasis(const RowBlock& block, const double* y, double* c) const;
  void move(std::size_t b, const double* basisForce);  // y += inv(A) B' basisForce
  void recompute(std::span<const double> force);       // y = inv(A) J' force
  double rowValue(const RowBlock& block, int r, const double* c) const;
  double rowDiagonal(std::size_t b, int r) const;  // of C
  void moveRow(std::size_t b, int r, double delta);
  /// What is kept up to date follows a change of force i, which is not in a cone.
  void follow(std::size_t i, double delta);
  double visitCone(std::size_t b, std::span<double> force);
  double visitSlipPair(std::size_t b, int k, std::span<double> force);
  double visitSlipCone(std::size_t b, std::span<double> force);
  double visitSlipLoss(std::size_t b, std::span<double> force);
  /// Into the admissible set; what is kept up to date follows.
  void project(std::span<double> force);
  void finish(Solution& solution) const;

  const ConstraintProblem& p_;
  const SolveOptions& options_;
  std::span<Wide> wide_;
  std::span<int> wideColumns_;
  std::span<double> wideValues_;
  std::span<double> grams_;
  std::span<Line> lines_;         // by row; those of cones are empty
  std::span<double> lineValues_;  // their J and Y
  std::span<double> products_;    // C by rows; empty: it is not formed
  std::span<double> b_;           // J a0 - aref
  std::span<double> y_;           // inv(A) J' f
  std::span<double> product_;     // C f, where C is formed
  std::span<double> kept_;        // the one of these that the sweeps keep up to date
  std::span<double> before_, keptBefore_, extrapolated_;
  std::span<int> order_;  // visiting order: (block, row in block) packed as first global row
  std::span<int> blockOfRow_;
};

/// Start of a dual solve: the forces the primal cost gives at the previous acceleration, or zero if those are worse
/// than nothing. Writes them to `force`.
void chooseDualStart(const ConstraintProblem& p, std::span<const double> previous, std::span<double> force,
                     Arena& scratch);

}  // namespace sinew::solve
