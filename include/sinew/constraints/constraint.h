#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/body_state.h"

namespace sinew {

/// A condition on one rigid body: C(state, t) = 0, dimension() numbers. ConstraintSolver turns each of them into a row
/// that asks for the velocity J v = -alpha C / h, so that a share alpha of an error is gone after a step of length h.
class Constraint {
 public:
  /// Derivative of one number by the velocities (v, w) of the body: dC/dt = J (v, w).
  using JacobianRow = std::array<double, 6>;

  virtual ~Constraint() = default;

  virtual int dimension() const = 0;
  virtual std::vector<double> evaluate(const BodyState& state, double time) const = 0;
  virtual std::vector<JacobianRow> jacobian(const BodyState& state, double time) const = 0;
  /// Share of an error that is removed in one step (ERP), 0 to 1.
  virtual double alpha() const = 0;
  /// Gain on the rate of the error. Rows on velocities reach their rate at once and need none: 0.
  virtual double beta() const { return 0; }
  virtual std::string typeName() const = 0;

 protected:
  Constraint() = default;
  Constraint(const Constraint&) = default;
  Constraint& operator=(const Constraint&) = default;
};

/// A condition that pushes but never pulls: C >= 0, and only while it is active.
class UnilateralConstraint : public Constraint {
 public:
  virtual bool isActive(const BodyState& state, double time) const = 0;
};

}  // namespace sinew
