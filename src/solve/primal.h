#pragma once

#include <optional>

#include "base/arena.h"
#include "solve/hessian.h"
#include "solve/iterative_hessian.h"
#include "solve/line_search.h"
#include "solve/problem.h"
#include "solve/sparse_hessian.h"

/// Solvers that work on the acceleration itself.
namespace sinew::solve {

enum class PrimalMethod {
  Newton,            ///< direction -inv(H) g with H = A + J' S'' J, primal-dual for stiff friction, see solve/rows.h
  ConjugateGradient  ///< preconditioned by A, conjugacy of [Hager and Zhang 2005]
};

/// min 1/2 (x - a0)' A (x - a0) + s(J x - aref), gradient g = A x - A a0 - J' f. The cost falls in every iteration.
/// Takes memory from the arena until solve() is done: solvers that run beside each other need one each.
///
/// Stopping, with everything scaled by ConstraintProblem::primalScale and compared to SolveOptions::tolerance:
///  - before the first iteration: 1/2 g' inv(A) g, which bounds cost(x) - cost(x*) because the cost is strongly convex
///    in the metric; Newton, whose users expect accurate forces, asks for |g| as well;
///  - after an iteration: the improvement, |g|, or (Newton) the predicted next improvement 1/2 g' inv(H) g.
class PrimalSolver {
 public:
  PrimalSolver(const ConstraintProblem& p, const SolveOptions& options, PrimalMethod method, Arena& arena);
  PrimalSolver(const PrimalSolver&) = delete;
  PrimalSolver& operator=(const PrimalSolver&) = delete;

  /// May be called again after a change of the problem's aref: then H is updated, not made anew.
  ///
  /// `solution.x` carries the start in and the minimizer out; forces, states and J' f belong to it. If `costs` is given
  /// it receives the cost at the start and after every iteration, as far as it has room.
  SolveReport solve(Solution solution, std::span<double> costs = {});

  /// Newton only: moves the start, solution.x, to the minimizer of the quadratic model of the cost about the residuals
  /// `expected`, if it costs less than where it is. If the rows are in the zones that these residuals are in, that is
  /// the solution. With rows as hard as those of impulses a start that is not exactly this one is in none of them.
  void predict(const Solution& solution, std::span<const double> expected);

 private:
  void start(const Solution& s);
  void evaluate(const Solution& s);       // the rows of varying_, and the gradient
  void finish(const Solution& s);         // the rows of fixed_
  void multiplyFixed(const Solution& s);  // fixedProduct_
  PlanMemory& plans();
  void chooseHessian();
  void useSparse(const FactorPlan& plan);
  class Costs;
  bool iterates() const { return iterative_ && !sparse_; }
  const double* duals() const { return dual_.empty() ? nullptr : dual_.data(); }
  template <class F>
  void withHessian(F&& f) {
    iterates() ? f(*iterative_) : sparse_ ? f(*sparse_) : f(*dense_);
  }
  void updateHessian(const Solution& s);  // to residuals and states of now
  void solveHessian(const Solution& s);   // preconditioned = inv(H) gradient
  // inv(H) gradient after an iteration; false: it improved too little for another one
  bool directionFrom(const Solution& s, bool improvedLittle);
  // Whether the bound 1/2 g' inv(A) g of the optimality gap, which holds because the cost is as convex as the metric A,
  // is below the tolerance. The decrement is no bound near the kinks of cones whose friction is stiffer than the
  // normal: second derivatives hold there for a small step only.
  bool gapIsWithinTolerance() const;
  double decrement() const;  // 1/2 scale g' P g for the current preconditioned gradient

  const ConstraintProblem& p_;
  const SolveOptions& options_;
  const PrimalMethod method_;
  Arena& arena_;
  const int n_, rows_;
  // The rows in two parts: equalities, and rows whose state may change. Where systems with H are solved iteratively,
  // the equalities are evaluated at the start and at the end only: with the metric they are one quadratic function,
  // whose derivatives along a direction follow from H. Otherwise all rows are in the second part.
  ConstraintProblem fixed_, varying_;
  int firstVarying_ = 0;  // row
  std::optional<DirectionalCost> directional_;
  std::span<double> fixedGradient_;  // of the metric's part of the cost and that of the fixed rows
  std::span<double> fixedProduct_;   // second derivative of these times the direction
  std::span<double> residual_, Js_, gradient_, preconditioned_, direction_;
  std::span<double> dual_;     // Newton with flexes only, by rows: see isFrictionStiffer(); empty: none
  std::span<double> weighed_;  // iterations only, by rows
  std::span<double> oldGradient_, oldPreconditioned_;  // conjugate gradient only
  std::span<RowState> oldState_;                       // to which H belongs
  bool isAssembled_ = false;
  // Newton only, one of the three; the second also where the third did not converge
  std::optional<PlanMemory> ownPlans_;  // if the problem has none
  std::optional<DenseHessian> dense_;
  std::optional<SparseHessian> sparse_;
  std::optional<IterativeHessian> iterative_;
  double fixedCost_ = 0, cost_ = 0;
  MatrixPlan plan_{MatrixForm::None, PlanReason::None};
};

/// Start of a primal solve: whichever of the previous acceleration and a0 has the smaller cost (a0 only if strictly).
/// Writes it to x, and J x - aref to `residual`. `scratch` needs room for the problem's rows and dofs.
void chooseStart(const ConstraintProblem& p, std::span<const double> previous, std::span<double> x,
                 std::span<double> residual, Arena& scratch);

}  // namespace sinew::solve
