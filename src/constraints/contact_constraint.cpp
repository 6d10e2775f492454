#include "sinew/constraints/contact_constraint.h"

#include <fmt/format.h>

#include <cmath>

#include "base/joined.h"
#include "constraint/contact_target.h"
#include "constraints/checks.h"
#include "constraints/vectors.h"

namespace sinew {
namespace {

/// Normals are computed in double precision; a longer or shorter one is not a rounding error but a forgotten division.
constexpr double kNormalTolerance = 1e-6;

static_assert(ContactConstraint::kActivationDistance == kSpeculativeDistance);

Vector3 inFrame(const Quaternion& orientation, const Vector3& arm) {
  return fromEigen(rotate(normalized(toQuat(orientation)).conjugate(), toEigen(arm)));
}

Vec3 inWorld(const BodyState& state, const Vector3& arm) {
  return rotate(normalized(toQuat(state.orientation)), toEigen(arm));
}

}  // namespace

ContactConstraint::ContactConstraint(const ContactDescription& description)
    : TwoBodyConstraint(description.bodyA, description.bodyB),
      what_(description),
      armInA_(inFrame(description.orientationA, description.leverArmA)),
      armInB_(inFrame(description.orientationB, description.leverArmB)) {
  const std::string who = fmt::format("contact between bodies {} and {}", what_.bodyA, what_.bodyB);
  const double length = toEigen(what_.normal).norm();
  if (!(std::abs(length - 1) <= kNormalTolerance)) {
    check::fail(who, "normal", fmt::format("({}) of length {:.9g}", joined(what_.normal, ", "), length),
                "of length 1 within 1e-6");
  }
  check::notNegative(who, "depth", what_.depth);
  check::fraction(who, "restitution", what_.restitution);
  check::fraction(who, "erp", what_.erp);
  check::notNegative(who, "slop", what_.slop);
  check::notNegative(who, "rest velocity threshold", what_.restVelocityThreshold);
  check::finite(who, "pre-impact velocity", what_.preImpactVelocity);
  check::finite(who, "point", what_.point);
  check::finite(who, "lever arm of A", what_.leverArmA);
  check::finite(who, "lever arm of B", what_.leverArmB);
  check::orientation(who, "orientation of A", what_.orientationA);
  check::orientation(who, "orientation of B", what_.orientationB);
}

std::vector<double> ContactConstraint::evaluateTwoBody(const BodyState& a, const BodyState& b, double) const {
  const Vec3 pA = toEigen(a.position) + inWorld(a, armInA_);
  const Vec3 pB = toEigen(b.position) + inWorld(b, armInB_);
  return {(pB - pA).dot(toEigen(what_.normal))};
}

std::vector<TwoBodyConstraint::TwoBodyRow> ContactConstraint::jacobianTwoBody(const BodyState& a, const BodyState& b,
                                                                              double) const {
  const Vec3 n = toEigen(what_.normal);
  const Vec3 turnA = -inWorld(a, armInA_).cross(n), turnB = inWorld(b, armInB_).cross(n);
  return {{-n.x(), -n.y(), -n.z(), turnA.x(), turnA.y(), turnA.z(),  //
           n.x(), n.y(), n.z(), turnB.x(), turnB.y(), turnB.z()}};
}

bool ContactConstraint::isActiveTwoBody(const BodyState& a, const BodyState& b, double time) const {
  return evaluateTwoBody(a, b, time).front() <= kActivationDistance;
}

double ContactConstraint::getEffectiveRestitution() const {
  return effectiveRestitution(what_.restitution, what_.preImpactVelocity, what_.restVelocityThreshold);
}

std::optional<double> ContactConstraint::targetVelocity(int, const BodyState& a, const BodyState& b, double time,
                                                        double h) const {
  const double C = evaluateTwoBody(a, b, time).front();
  const double target =
      contactTarget(C, what_.preImpactVelocity, what_.restitution,
                    {.erp = what_.erp, .slop = what_.slop, .threshold = what_.restVelocityThreshold, .h = h});
  if (!std::isfinite(target)) return std::nullopt;  // too far away, or it bounces only when it gets there
  return target;
}

}  // namespace sinew
