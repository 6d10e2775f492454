#pragma once

#include <limits>
#include <vector>

#include "sinew/constraints/constraint.h"
#include "sinew/constraints/two_body_constraint.h"

namespace sinew {

/// Force and torque of the constraints on one body, at its centre of mass.
struct BodyForces {
  Vector3 linearForce{};    ///< N
  Vector3 angularTorque{};  ///< N m
};

struct MultiBodySolveResult {
  std::vector<BodyForces> bodyForces;    ///< J' lambda / h, one per body
  std::vector<double> lambdas;           ///< impulses of the contact rows in the order given, N s; 0: inactive
  std::vector<double> bilateralLambdas;  ///< impulses of the one-body constraints, body after body, N s
  std::vector<Vector3> velocities;       ///< of the centres of mass at the end of the step, one per body
  std::vector<Vector3> angularVelocities;
  bool converged = false;
  int iterations = 0;  ///< sweeps
  double residual =
      std::numeric_limits<double>::quiet_NaN();  ///< |change in the last one| / |impulses|, |x|^2 = sum A_ii x_i^2
};

/// Rigid bodies with what acts on them. All lists have one entry per body, except that `bilateralConstraints` may be
/// empty. The objects pointed to must outlive the call.
struct MultiBodySystem {
  std::vector<BodyState> states;
  std::vector<double> inverseMasses;     ///< 1/kg; 0: nothing pushes it
  std::vector<Matrix3> inverseInertias;  ///< world axes, 1/(kg m^2); all zeros: nothing turns it
  std::vector<Vector3> externalForces;   ///< N
  std::vector<Vector3> externalTorques;  ///< N m
  std::vector<std::vector<const Constraint*>> bilateralConstraints;  ///< those of each body alone
  std::vector<const TwoBodyConstraint*> contactConstraints;
  double time = 0;
};

/// Impulses of constraints between free rigid bodies, for those who keep their own bodies. It writes the rows down and
/// hands them to the solver that also serves <option solver="Impulse">: with v* = v + h inv(M) F,
///   A lambda = b + w,  A = J inv(M) J',  b = target - J v*,  v+ = v* + inv(M) J' lambda,
/// lambda >= 0 for contacts. Joints and contacts are in the same sweep.
class ConstraintSolver {
 public:
  struct Options {
    int maxIterations = 10;
    double tolerance = 1e-4;  ///< relative change of the impulses at which to stop
  };

  ConstraintSolver() = default;
  /// Throws std::invalid_argument if maxIterations < 1 or the tolerance is not above 0.
  explicit ConstraintSolver(const Options& options);

  /// Throws std::invalid_argument when h is not above 0, the lists do not fit together, a constraint names a body that
  /// does not exist, or a mass or inertia is impossible. Not converging is a result.
  MultiBodySolveResult solveWithContacts(const MultiBodySystem& system, double h) const;

  /// A over the rows that are active, row by row: those of one-body constraints first, then contacts. Without the
  /// regularization the solver adds to its diagonal.
  std::vector<std::vector<double>> effectiveMass(const MultiBodySystem& system, double h) const;
  /// b of the same rows.
  std::vector<double> rightHandSide(const MultiBodySystem& system, double h) const;

 private:
  Options options_;
};

}  // namespace sinew
