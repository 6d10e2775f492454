#pragma once

#include "base/arena.h"
#include "solve/problem.h"

/// Exact search along a direction: the cost is piecewise quadratic (plus smooth cone pieces), convex, and has cheap
/// first and second derivatives, so a safeguarded scalar Newton iteration finds its minimum to a given slope.
namespace sinew::solve {

/// cost(x + alpha s) - cost(x) along a direction s, prepared once per direction. Rows are sorted into what needs
/// looking at: equalities are one parabola together, the rest keeps its own arrays.
class DirectionalCost {
 public:
  /// Takes all memory it will ever need.
  DirectionalCost(const ConstraintProblem& p, Arena& arena);

  /// r = J x - aref, Js = J s. What is not in the rows is quadratic: its slope and curvature along s; with the metric
  /// alone, s'(A x - A a0) and s' A s.
  void prepare(const double* r, const double* Js, double slope, double curvature);

  struct Point {
    double alpha = 0;
    double cost = 0;  ///< relative to alpha = 0, free of cancellation
    double slope = 0;
    double curvature = 0;
  };
  Point at(double alpha);
  int evaluations() const { return evaluations_; }

 private:
  struct Cone {
    double mu, Dm;
    double q0, q1, q2;  // bottom zone: q2 alpha^2 + q1 alpha + q0
    double U0, V0, UU, UV, VV;
  };
  void addEqualities(const double* r, const double* Js);
  void addFriction(double alpha, Point& point) const;
  void addUnilateral(double alpha, Point& point) const;
  void addCones(double alpha, Point& point) const;

  const ConstraintProblem& p_;
  double slope_ = 0;      // of the quadratic part at alpha = 0
  double curvature_ = 0;  // of the quadratic part
  int evaluations_ = 0;
  std::size_t firstVarying_ = 0;            // block
  int equalities_ = 0, firstEquality_ = 0;  // rows
  int frictionBegin_ = 0, frictionEnd_ = 0;
  const double* r_ = nullptr;
  const double* Js_ = nullptr;
  // unilateral rows: neighbors, unless there are cones between them; then they are packed
  int unilateral_ = 0, unilateralBegin_ = 0;
  bool packed_ = false;
  std::span<double> ur_, uv_, uD_;
  std::span<Cone> cones_;
};

struct LineSearchResult {
  double alpha = 0;
  double improvement = 0;  ///< cost(x) - cost(x + alpha s)
};

/// Step length along the prepared direction. `slopeTolerance` bounds |d cost / d alpha| at the result; at most
/// `maxEvaluations` evaluations. alpha = 0 means that no better point was found.
LineSearchResult lineSearch(DirectionalCost& cost, double slopeTolerance, int maxEvaluations);

}  // namespace sinew::solve
