#include "solve/plan.h"

#include <fmt/format.h>

#include "sinew/data.h"
#include "solve/costs.h"

namespace sinew::solve {

Plan choosePlan(const ProblemShape& shape, const Option& option) {
  switch (option.solver) {
    case Solver::PGS:
      return {SolveMethod::GaussSeidel, PlanReason::Asked};
    case Solver::CG:
      // with stiffness in the metric no iteration comes without a factor, and conjugate gradients have no advantage
      if (shape.stiff) return {SolveMethod::Newton, PlanReason::StiffMetric};
      if (shape.newtonFlops < shape.gradientFlops) return {SolveMethod::Newton, PlanReason::FewestFlops};
      return {SolveMethod::ConjugateGradient, PlanReason::Asked};
    case Solver::Newton:
      return {SolveMethod::Newton, PlanReason::Asked};
    case Solver::Impulse:
      break;
  }
  if (option.method == ImpulseMethod::Newton) return {SolveMethod::HardNewton, PlanReason::Asked};
  if (shape.stiff) return {SolveMethod::HardNewton, PlanReason::StiffMetric};
  if (shape.hasEqualities) return {SolveMethod::HardNewton, PlanReason::Equalities};
  return {SolveMethod::HardSweep, PlanReason::Asked};
}

namespace {

bool iterationsAreCheaper(const MatrixCosts& costs) {
  const double iterations = costs.iterations();
  double factors = (costs.rowsAreFixed() ? cost::kFactorsFixed : cost::kFactorsChanging) * costs.baseFactor();
  if (factors > iterations) return true;
  if (!costs.baseHoldsAll()) factors += cost::kKnownOrder * costs.nodes();
  return factors > iterations;
}

}  // namespace

MatrixPlan chooseMatrix(int dofs, MatrixForm asked, const MatrixCosts& costs) {
  const bool canBeSparse = costs.canBeSparse();
  if (asked == MatrixForm::Dense || !canBeSparse) {
    return {MatrixForm::Dense, asked == MatrixForm::Dense ? PlanReason::Asked : PlanReason::Small};
  }
  if (asked != MatrixForm::None) return {asked, PlanReason::Asked};
  if (dofs >= cost::kSmallestIterative && costs.canIterate() && iterationsAreCheaper(costs)) {
    return {MatrixForm::Iterative, PlanReason::FewestFlops};
  }
  if (dofs <= cost::kLargestAlwaysDense) return {MatrixForm::Dense, PlanReason::Small};
  const double n = dofs;
  const bool sparse = cost::kSparse * costs.sparseFactor() < n * n * n / 6;
  return {sparse ? MatrixForm::Sparse : MatrixForm::Dense, PlanReason::FewestFlops};
}

}  // namespace sinew::solve

namespace sinew {
namespace {

const char* nameOf(SolveMethod method) {
  switch (method) {
    case SolveMethod::None:
      break;
    case SolveMethod::Newton:
      return "Newton's method";
    case SolveMethod::ConjugateGradient:
      return "nonlinear conjugate gradients";
    case SolveMethod::GaussSeidel:
      return "projected Gauss-Seidel";
    case SolveMethod::HardNewton:
      return "hard contacts by Newton's method";
    case SolveMethod::HardSweep:
      return "hard contacts by sweeps";
  }
  return "not solved";
}

const char* nameOf(MatrixForm form) {
  switch (form) {
    case MatrixForm::None:
      break;
    case MatrixForm::Dense:
      return ", dense factor";
    case MatrixForm::Sparse:
      return ", sparse factor";
    case MatrixForm::Iterative:
      return ", preconditioned conjugate gradients";
  }
  return "";
}

const char* nameOf(PlanReason reason) {
  switch (reason) {
    case PlanReason::None:
      break;
    case PlanReason::Asked:
      return ": as asked for";
    case PlanReason::StiffMetric:
      return ": stiffness is part of the metric, whose inverse is full";
    case PlanReason::Equalities:
      return ": equality constraints hold it together";
    case PlanReason::Small:
      return ": the problem is small";
    case PlanReason::FewestFlops:
      return ": fewest operations";
    case PlanReason::NoConvergence:
      return ": conjugate gradients did not converge";
  }
  return "";
}

}  // namespace

std::string describePlan(const IslandReport& report) {
  return fmt::format("{}{}{}", nameOf(report.method), nameOf(report.matrix), nameOf(report.reason));
}

}  // namespace sinew
