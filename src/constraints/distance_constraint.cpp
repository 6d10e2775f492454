#include "sinew/constraints/distance_constraint.h"

#include "constraints/checks.h"
#include "constraints/vectors.h"

namespace sinew {

DistanceConstraint::DistanceConstraint(const Vector3& anchor, double length, double erp)
    : anchor_(anchor), length_(length), erp_(erp) {
  check::finite("DistanceConstraint", "anchor", anchor);
  check::positive("DistanceConstraint", "length", length);
  check::fraction("DistanceConstraint", "erp", erp);
}

std::vector<double> DistanceConstraint::evaluate(const BodyState& state, double) const {
  return {(toEigen(state.position) - toEigen(anchor_)).norm() - length_};
}

std::vector<Constraint::JacobianRow> DistanceConstraint::jacobian(const BodyState& state, double) const {
  const Vec3 u = normalizedOrX(toEigen(state.position) - toEigen(anchor_));
  return {{u.x(), u.y(), u.z(), 0, 0, 0}};
}

}  // namespace sinew
