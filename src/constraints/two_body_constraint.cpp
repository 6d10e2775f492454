#include "sinew/constraints/two_body_constraint.h"

#include <fmt/format.h>

#include <stdexcept>

#include "constraint/contact_target.h"

namespace sinew {
namespace {

[[noreturn]] void refuse(const TwoBodyConstraint& constraint, const char* function) {
  throw std::logic_error(
      fmt::format("{} is about two bodies: call {}TwoBody instead of {}", constraint.typeName(), function, function));
}

}  // namespace

TwoBodyConstraint::TwoBodyConstraint(int bodyA, int bodyB) : bodyA_(bodyA), bodyB_(bodyB) {
  if (bodyA < 0 || bodyB < 0 || bodyA == bodyB) {
    throw std::invalid_argument(
        fmt::format("constraint between bodies {} and {}: indices must be 0 or more and differ", bodyA, bodyB));
  }
}

std::optional<double> TwoBodyConstraint::targetVelocity(int row, const BodyState& a, const BodyState& b, double time,
                                                        double h) const {
  const double C = evaluateTwoBody(a, b, time)[row];
  return limitTarget(C, {.erp = alpha(), .slop = 0, .threshold = 0, .h = h});
}

std::vector<double> TwoBodyConstraint::evaluate(const BodyState&, double) const { refuse(*this, "evaluate"); }
std::vector<Constraint::JacobianRow> TwoBodyConstraint::jacobian(const BodyState&, double) const {
  refuse(*this, "jacobian");
}
bool TwoBodyConstraint::isActive(const BodyState&, double) const { refuse(*this, "isActive"); }

}  // namespace sinew
