#include "solve/primal.h"

#include <algorithm>
#include <cmath>

#include "math/types.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Inner iterations end when the decrease they still promise is this share of what the outer ones end at: so small that
/// they are as good as a factor. They converge fast, so this costs little.
constexpr double kEnoughOfTolerance = 1e-12;
constexpr double kStalled = 1e-6;  ///< of the tolerance: an iteration that improves less is rounding

double dot(std::span<const double> a, std::span<const double> b) {
  // four interleaved sums: fixed order, and independent enough to run in parallel lanes
  const std::size_t n = a.size();
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  double sum = (s0 + s2) + (s1 + s3);
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

void addScaled(std::span<double> y, std::span<const double> x, double s) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += s * x[i];
}

/// 1/2 (x - a0)' (A x - A a0).
double gaussCost(const ConstraintProblem& p, std::span<const double> x, std::span<const double> Ax) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += 0.5 * (Ax[i] - p.smoothForce[i]) * (x[i] - p.smoothAcceleration[i]);
  }
  return sum;
}

}  // namespace

PrimalSolver::PrimalSolver(const ConstraintProblem& p, const SolveOptions& options, PrimalMethod method, Arena& arena)
    : p_(p),
      options_(options),
      method_(method),
      arena_(arena),
      n_(p.dofs()),
      rows_(p.rows()),
      fixed_(p),
      varying_(p),
      fixedGradient_(arena.take<double>(n_)),
      fixedProduct_(arena.take<double>(n_)),
      residual_(arena.take<double>(rows_)),
      Js_(arena.take<double>(rows_)),
      gradient_(arena.take<double>(n_)),
      preconditioned_(arena.take<double>(n_)),
      direction_(arena.take<double>(n_)),
      dual_(arena.take<double>(method == PrimalMethod::Newton && p.hasFlexNodes ? rows_ : 0)),
      oldGradient_(arena.take<double>(method == PrimalMethod::Newton ? 0 : n_)),
      oldPreconditioned_(arena.take<double>(method == PrimalMethod::Newton ? 0 : n_)),
      oldState_(arena.take<RowState>(rows_)) {
  if (method == PrimalMethod::Newton) chooseHessian();
  const std::size_t fixed = iterative_ ? leadingEqualities(p.blocks) : 0;
  if (iterative_) weighed_ = arena.take<double>(rows_);
  fixed_.blocks = p.blocks.first(fixed);
  varying_.blocks = p.blocks.subspan(fixed);
  firstVarying_ = fixed < p.blocks.size() ? p.blocks[fixed].row : rows_;
  directional_.emplace(varying_, arena);
}

PlanMemory& PrimalSolver::plans() {
  if (p_.plans) return *p_.plans;
  return ownPlans_ ? *ownPlans_ : ownPlans_.emplace();
}

/// What the forms of the matrix would cost, found out when asked.
class PrimalSolver::Costs final : public MatrixCosts {
 public:
  explicit Costs(PrimalSolver& solver) : solver_(solver) {}

  bool canBeSparse() const override { return solver_.p_.nodes.size() > 1; }
  // only cloth and solids: piles of rigid bodies give matrices of another kind
  bool canIterate() const override { return solver_.p_.plans && solver_.p_.hasFlexNodes; }
  double sparseFactor() const override { return solver_.plans().planFor(solver_.p_, solver_.arena_).flops(); }
  double baseFactor() const override { return solver_.plans().baseFlops(solver_.p_, solver_.arena_); }
  bool baseHoldsAll() const override { return solver_.plans().baseHolds(solver_.p_); }
  bool rowsAreFixed() const override {
    return solver_.p_.blocks.empty() || solver_.p_.blocks.back().kind == BlockKind::Equality;
  }
  double iterations() const override { return IterativeHessian::predictedCost(solver_.p_, solver_.options_.accuracy); }
  int nodes() const override { return static_cast<int>(solver_.p_.nodes.size()); }

 private:
  PrimalSolver& solver_;
};

void PrimalSolver::chooseHessian() {
  plan_ = chooseMatrix(n_, options_.matrix, Costs(*this));
  switch (plan_.form) {
    case MatrixForm::Iterative: {
      const double factorFlops = plans().baseFlops(p_, arena_);
      iterative_.emplace(p_, plans().blockPlanFor(p_, arena_), options_.accuracy, factorFlops, arena_);
      break;
    }
    case MatrixForm::Sparse:
      useSparse(plans().planFor(p_, arena_));
      break;
    default:
      dense_.emplace(p_, arena_);
  }
}

void PrimalSolver::useSparse(const FactorPlan& plan) {
  sparse_.emplace(p_, plan, plans().placesFor(p_.metric->lower(), plan), plans().layoutFor(p_, plan), arena_);
}

void PrimalSolver::start(const Solution& s) {
  p_.metric->multiply(s.x.data(), fixedGradient_.data());
  for (std::size_t i = 0; i < fixedGradient_.size(); ++i) fixedGradient_[i] -= p_.smoothForce[i];
  fixedCost_ = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    fixedCost_ += 0.5 * fixedGradient_[i] * (s.x[i] - p_.smoothAcceleration[i]);
  }
  if (s.startResidual.empty()) {
    multiplyRows(p_, s.x.data(), residual_.data());
    for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= p_.aref[i];
  } else {
    std::copy(s.startResidual.begin(), s.startResidual.end(), residual_.begin());
  }
  if (!fixed_.blocks.empty()) {
    fixedCost_ += evaluateRows(fixed_, residual_.data(), s.force.data(), s.state.data());
    std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
    addTransposed(fixed_, s.force.data(), s.constraintForce.data());
    for (std::size_t i = 0; i < fixedGradient_.size(); ++i) fixedGradient_[i] -= s.constraintForce[i];
  }
  evaluate(s);
}

void PrimalSolver::evaluate(const Solution& s) {
  cost_ = fixedCost_ + evaluateRows(varying_, residual_.data(), s.force.data(), s.state.data());
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  addTransposed(varying_, s.force.data(), s.constraintForce.data());
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = fixedGradient_[i] - s.constraintForce[i];
}

void PrimalSolver::finish(const Solution& s) {
  if (fixed_.blocks.empty()) return;
  multiplyRows(fixed_, s.x.data(), residual_.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(firstVarying_); ++i) residual_[i] -= p_.aref[i];
  evaluateRows(fixed_, residual_.data(), s.force.data(), s.state.data());
  addTransposed(fixed_, s.force.data(), s.constraintForce.data());
}

void PrimalSolver::multiplyFixed(const Solution& s) {
  if (!iterates()) {
    p_.metric->multiply(direction_.data(), fixedProduct_.data());
    if (fixed_.blocks.empty()) return;
    multiplyRows(fixed_, direction_.data(), Js_.data());
    weighRows(fixed_, residual_.data(), s.state.data(), Js_.data(), weighed_.data());
    addTransposed(fixed_, weighed_.data(), fixedProduct_.data());
    return;
  }
  // H d less what the other rows have in it, J' S'' J d; H was made for the states of now, and d = -preconditioned_
  iterative_->productOfSolution(gradient_.data(), fixedProduct_.data());
  for (double& value : fixedProduct_) value = -value;
  weighRows(varying_, residual_.data(), s.state.data(), Js_.data(), weighed_.data(), duals());
  for (std::size_t i = static_cast<std::size_t>(firstVarying_); i < weighed_.size(); ++i) weighed_[i] = -weighed_[i];
  addTransposed(varying_, weighed_.data(), fixedProduct_.data());
}

void PrimalSolver::updateHessian(const Solution& s) {
  withHessian([&](auto& H) {
    isAssembled_ ? H.update(residual_.data(), s.state.data(), oldState_.data(), duals())
                 : H.assemble(residual_.data(), s.state.data(), duals());
  });
  isAssembled_ = true;
  std::copy(s.state.begin(), s.state.end(), oldState_.begin());
}

void PrimalSolver::solveHessian(const Solution& s) {
  if (iterates()) {
    const double enough = kEnoughOfTolerance * options_.tolerance / p_.primalScale;
    if (iterative_->solve(gradient_.data(), enough, preconditioned_.data())) return;
    // conjugate gradients stagnated: fall back to a factor
    plan_ = {MatrixForm::Sparse, PlanReason::NoConvergence};
    useSparse(plans().planFor(p_, arena_));
    sparse_->assemble(residual_.data(), s.state.data(), duals());
  }
  sparse_ ? sparse_->solve(gradient_.data(), preconditioned_.data())
          : dense_->solve(gradient_.data(), preconditioned_.data());
}

bool PrimalSolver::directionFrom(const Solution& s, bool improvedLittle) {
  if (!improvedLittle) {
    updateHessian(s);
    solveHessian(s);
    if (!(decrement() < options_.tolerance)) return true;
  }
  // Weights that are stiffer than the second derivative promise less than there is: that only the latter can say.
  if (dual_.empty() || !alignDuals(varying_, residual_.data(), s.state.data(), dual_.data())) {
    return !improvedLittle;
  }
  updateHessian(s);
  solveHessian(s);
  return true;
}

double PrimalSolver::decrement() const {
  // in this order the maximum of NaN is NaN, which is below no tolerance
  return std::max(0.5 * p_.primalScale * dot(gradient_, preconditioned_), 0.0);
}

bool PrimalSolver::gapIsWithinTolerance() const {
  const bool hasKinks = std::any_of(p_.blocks.begin(), p_.blocks.end(), [&](const RowBlock& block) {
    return block.kind == BlockKind::Elliptic && isFrictionStiffer(p_.cones[block.cone]);
  });
  if (!hasKinks) return true;
  const Arena::Scope scope(arena_);
  const std::span<double> y = arena_.take<double>(n_);
  std::copy(gradient_.begin(), gradient_.end(), y.begin());
  p_.metric->solve(y.data());
  return 0.5 * p_.primalScale * dot(gradient_, y) < options_.tolerance;
}

void PrimalSolver::predict(const Solution& s, std::span<const double> expected) {
  start(s);
  const double before = cost_;
  const Arena::Scope scope(arena_);
  const std::span<double> gap = arena_.take<double>(rows_), x = arena_.take<double>(n_);
  std::copy(s.x.begin(), s.x.end(), x.begin());
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] = residual_[i] - expected[i];
  // forces of the model at the start: f(expected) - S''(expected) gap
  std::copy(expected.begin(), expected.end(), residual_.begin());
  evaluateRows(varying_, residual_.data(), s.force.data(), s.state.data());
  if (!dual_.empty()) initializeDuals(varying_, residual_.data(), s.state.data(), dual_.data());
  weighRows(varying_, residual_.data(), s.state.data(), gap.data(), Js_.data(), duals());
  for (std::size_t i = static_cast<std::size_t>(firstVarying_); i < Js_.size(); ++i) Js_[i] = s.force[i] - Js_[i];
  std::fill(s.constraintForce.begin(), s.constraintForce.end(), 0.0);
  addTransposed(varying_, Js_.data(), s.constraintForce.data());
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = fixedGradient_[i] - s.constraintForce[i];
  updateHessian(s);
  solveHessian(s);
  addScaled(s.x, preconditioned_, -1);
  start(s);
  if (!(cost_ < before)) std::copy(x.begin(), x.end(), s.x.begin());
}

SolveReport PrimalSolver::solve(Solution s, std::span<double> costs) {
  const bool newton = method_ == PrimalMethod::Newton;
  const double scale = p_.primalScale;
  const double tolerance = options_.tolerance;
  SolveReport report;
  std::size_t recorded = 0;
  const auto record = [&] {
    if (recorded < costs.size()) costs[recorded++] = cost_;
  };

  start(s);
  record();
  if (!dual_.empty()) initializeDuals(varying_, residual_.data(), s.state.data(), dual_.data());

  // is the start good enough already?
  report.gradientNorm = scale * norm(gradient_);
  const bool smallGradient = report.gradientNorm < tolerance;
  if (!newton || smallGradient) {
    std::copy(gradient_.begin(), gradient_.end(), preconditioned_.begin());
    p_.metric->solve(preconditioned_.data());
    report.converged = decrement() < tolerance;
  }
  if (newton && !report.converged) {
    updateHessian(s);
    solveHessian(s);
    report.converged = smallGradient && decrement() < tolerance;
  }

  for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -preconditioned_[i];
  while (!report.converged && report.iterations < options_.maxIterations) {
    // best point along the direction
    const double length = norm(direction_);
    if (!(length >= kMinVal && std::isfinite(length))) break;
    multiplyRows(varying_, direction_.data(), Js_.data());
    multiplyFixed(s);
    const double slope = dot(direction_, fixedGradient_), curvature = dot(direction_, fixedProduct_);
    directional_->prepare(residual_.data(), Js_.data(), slope, curvature);
    const LineSearchResult step = lineSearch(*directional_, tolerance * options_.lineSearchTolerance * length / scale,
                                             options_.lineSearchEvaluations);
    if (step.alpha == 0) break;

    addScaled(s.x, direction_, step.alpha);
    addScaled(fixedGradient_, fixedProduct_, step.alpha);
    fixedCost_ += step.alpha * (slope + 0.5 * step.alpha * curvature);
    if (!dual_.empty()) updateDuals(varying_, residual_.data(), s.state.data(), Js_.data(), step.alpha, dual_.data());
    const auto varying = static_cast<std::size_t>(firstVarying_);
    addScaled(residual_.subspan(varying), Js_.subspan(varying), step.alpha);
    if (!newton) {
      std::copy(gradient_.begin(), gradient_.end(), oldGradient_.begin());
      std::copy(preconditioned_.begin(), preconditioned_.end(), oldPreconditioned_.begin());
    }
    evaluate(s);
    record();
    if (!dual_.empty()) resetDuals(varying_, residual_.data(), s.state.data(), dual_.data());

    ++report.iterations;
    report.improvement = scale * step.improvement;
    report.gradientNorm = scale * norm(gradient_);
    report.converged = report.gradientNorm < tolerance;
    const bool improvedLittle = report.improvement > 0 && report.improvement < tolerance;
    if (!report.converged && newton) {
      const bool hasDirection = directionFrom(s, improvedLittle);
      report.converged = !hasDirection || decrement() < tolerance;
      if (report.converged && options_.boundsGap && !dual_.empty() && report.improvement > kStalled * tolerance &&
          !gapIsWithinTolerance()) {
        report.converged = false;
        if (!hasDirection) {
          updateHessian(s);
          solveHessian(s);
        }
      }
    } else if (!report.converged) {
      report.converged = improvedLittle;
      std::copy(gradient_.begin(), gradient_.end(), preconditioned_.begin());
      p_.metric->solve(preconditioned_.data());
    }
    if (report.converged) break;

    if (newton) {
      for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = -preconditioned_[i];
      continue;
    }
    // [Hager and Zhang 2005] with d the old direction, y = g - g_old, and P the preconditioner:
    //   beta = (y'P g - 2 (y'P y)(d'g)/(d'y)) / (d'y), not below -1 / (|d| min(0.01, |g|))
    double dy = 0, yPy = 0, yPg = 0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const double y = gradient_[i] - oldGradient_[i];
      dy += direction_[i] * y;
      yPy += y * (preconditioned_[i] - oldPreconditioned_[i]);
      yPg += y * preconditioned_[i];
    }
    double beta = 0;
    if (dy >= kMinVal) {
      const double lowest = -1 / std::max(kMinVal, norm(direction_) * std::min(0.01, norm(gradient_)));
      beta = std::max(lowest, (yPg - 2 * (yPy / dy) * dot(direction_, gradient_)) / dy);
    }
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = beta * direction_[i] - preconditioned_[i];
  }
  finish(s);
  report.cost = cost_;
  report.matrix = plan_;
  report.innerIterations = iterative_ ? iterative_->iterations() : 0;
  return report;
}

void chooseStart(const ConstraintProblem& p, std::span<const double> previous, std::span<double> x,
                 std::span<double> residual, Arena& scratch) {
  const Arena::Scope scope(scratch);
  const std::span<double> ofSmooth = scratch.take<double>(p.rows());
  const std::span<double> force = scratch.take<double>(p.rows());
  const std::span<RowState> state = scratch.take<RowState>(p.rows());
  multiplyRows(p, previous.data(), residual.data(), p.smoothAcceleration.data(), ofSmooth.data());
  const auto rowCost = [&](std::span<double> r) {
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= p.aref[i];
    return evaluateRows(p, r.data(), force.data(), state.data());
  };
  const std::span<double> Aprevious = scratch.zeros<double>(p.dofs());
  p.metric->multiply(previous.data(), Aprevious.data());
  const bool keep = !(rowCost(ofSmooth) < rowCost(residual) + gaussCost(p, previous, Aprevious));
  const std::span<const double> chosen = keep ? previous : p.smoothAcceleration;
  std::copy(chosen.begin(), chosen.end(), x.begin());
  if (!keep) std::copy(ofSmooth.begin(), ofSmooth.end(), residual.begin());
}

}  // namespace sinew::solve
