#pragma once

#include <optional>

#include "sinew/constraints/constraint.h"

namespace sinew {

/// A condition C(a, b, t) >= 0 between two bodies A and B, which are named by their index in the solver's lists. The
/// functions about one body are an error in the calling program: they throw std::logic_error.
class TwoBodyConstraint : public UnilateralConstraint {
 public:
  /// Columns (v_A, w_A, v_B, w_B): dC/dt = J (v_A, w_A, v_B, w_B).
  using TwoBodyRow = std::array<double, 12>;

  /// Both indices must be 0 or more and differ; throws std::invalid_argument.
  TwoBodyConstraint(int bodyA, int bodyB);

  virtual std::vector<double> evaluateTwoBody(const BodyState& a, const BodyState& b, double time) const = 0;
  virtual std::vector<TwoBodyRow> jacobianTwoBody(const BodyState& a, const BodyState& b, double time) const = 0;
  virtual bool isActiveTwoBody(const BodyState& a, const BodyState& b, double time) const = 0;

  /// The velocity J v that row `row` must have at least at the end of a step of length h, none if the row is to be left
  /// out of this step. a and b are the states at its start. Unless overridden: -alpha C / h for C <= 0, and -C / h
  /// (just touching at the end of the step) before that.
  virtual std::optional<double> targetVelocity(int row, const BodyState& a, const BodyState& b, double time,
                                               double h) const;

  int getBodyAIndex() const { return bodyA_; }
  int getBodyBIndex() const { return bodyB_; }

  std::vector<double> evaluate(const BodyState&, double) const final;
  std::vector<JacobianRow> jacobian(const BodyState&, double) const final;
  bool isActive(const BodyState&, double) const final;

 private:
  int bodyA_;
  int bodyB_;
};

}  // namespace sinew
