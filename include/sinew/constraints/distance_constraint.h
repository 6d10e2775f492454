#pragma once

#include "sinew/constraints/constraint.h"

namespace sinew {

/// A massless rod between the centre of mass of a body and a fixed point: C = |x - anchor| - length, in both
/// directions.
class DistanceConstraint final : public Constraint {
 public:
  /// `length` must be finite and above 0, `erp` in [0, 1]; throws std::invalid_argument.
  DistanceConstraint(const Vector3& anchor, double length, double erp = 0.2);

  int dimension() const override { return 1; }
  std::vector<double> evaluate(const BodyState& state, double time) const override;
  /// The direction of the rod; +x when the body sits on the anchor, where there is none.
  std::vector<JacobianRow> jacobian(const BodyState& state, double time) const override;
  double alpha() const override { return erp_; }
  std::string typeName() const override { return "DistanceConstraint"; }

  const Vector3& getAnchor() const { return anchor_; }
  double getLength() const { return length_; }

 private:
  Vector3 anchor_;
  double length_;
  double erp_;
};

}  // namespace sinew
