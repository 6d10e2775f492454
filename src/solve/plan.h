#pragma once

#include "sinew/option.h"
#include "sinew/plan.h"

/// The one place that chooses how an island is solved.
namespace sinew::solve {

/// What the choice depends on: what the model is made of, and what the problem would cost.
struct ProblemShape {
  int dofs = 0;
  bool stiff = false;          ///< stiffness is part of the metric
  bool hasEqualities = false;  ///< equality rows hold bodies or nodes together
  /// Multiplications that Newton's method and nonlinear conjugate gradients are predicted to take, for islands with
  /// flexes and solver="CG"; 0: not known. Of rigid bodies it is not asked: both behave as in the reference engine.
  double newtonFlops = 0, gradientFlops = 0;
};

struct Plan {
  SolveMethod method = SolveMethod::None;
  PlanReason reason = PlanReason::None;
};

/// The method for an island. It depends on the options and on what the island is made of, never on how many rows it has
/// at the moment or how they are numbered.
Plan choosePlan(const ProblemShape& shape, const Option& option);

/// What forms of the matrix of Newton's method would cost, in multiplications. Asked only where it matters.
class MatrixCosts {
 public:
  virtual ~MatrixCosts() = default;
  /// Whether rows and columns of the matrix can be grouped into nodes at all.
  virtual bool canBeSparse() const = 0;
  /// Whether nodes of a flex are among the dofs: only then the incomplete factor is known to work.
  virtual bool canIterate() const = 0;
  virtual double sparseFactor() const = 0;  ///< of all rows
  virtual double baseFactor() const = 0;    ///< of the metric and the equalities alone
  virtual bool baseHoldsAll() const = 0;    ///< whether that factor has room for the other rows
  virtual bool rowsAreFixed() const = 0;    ///< no row can change state
  virtual double iterations() const = 0;    ///< conjugate gradients
  virtual int nodes() const = 0;
};

struct MatrixPlan {
  MatrixForm form = MatrixForm::Dense;
  PlanReason reason = PlanReason::None;
};

/// The form of the matrix. `asked`: None: the cheapest.
MatrixPlan chooseMatrix(int dofs, MatrixForm asked, const MatrixCosts& costs);

}  // namespace sinew::solve
