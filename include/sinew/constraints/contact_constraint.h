#pragma once

#include "sinew/constraints/two_body_constraint.h"

namespace sinew {

/// All that a contact at one point is made of. Lever arms go from the centres of mass to the material points that
/// touch, in world axes at the time of creation; `orientationA` and `orientationB` are the bodies' orientations then.
struct ContactDescription {
  int bodyA = 0;
  int bodyB = 1;
  Vector3 normal{1, 0, 0};       ///< unit vector from A to B
  Vector3 point{};               ///< midway between the two surfaces
  double depth = 0;              ///< how far they overlap, m; 0 when they do not
  Vector3 leverArmA{};           ///< p_A - x_A
  Vector3 leverArmB{};           ///< p_B - x_B
  double restitution = 0;        ///< combined, 0 to 1
  double preImpactVelocity = 0;  ///< relative normal velocity at the start of the step, negative when approaching, m/s
  Quaternion orientationA{1, 0, 0, 0};
  Quaternion orientationB{1, 0, 0, 0};
  double erp = 0.2;                    ///< share of the overlap removed per step
  double slop = 0;                     ///< overlap that is left alone, m
  double restVelocityThreshold = 0.5;  ///< slower approach does not bounce, m/s
};

/// Two bodies must not overlap at one point: C = (p_B - p_A) . n >= 0, p_A and p_B being material points of the bodies.
///   J = [-n, -(r_A x n), n, (r_B x n)]
/// The normal stays as it was at creation; lever arms turn with their bodies, so that C and J exist at any state.
class ContactConstraint final : public TwoBodyConstraint {
 public:
  /// Contacts farther apart than this are inactive, m.
  static constexpr double kActivationDistance = 0.01;

  /// Throws std::invalid_argument for a normal whose length differs from 1 by more than 1e-6, a negative depth, a
  /// restitution or ERP outside [0, 1], and for anything that is not finite.
  explicit ContactConstraint(const ContactDescription& description);

  int dimension() const override { return 1; }
  std::vector<double> evaluateTwoBody(const BodyState& a, const BodyState& b, double time) const override;
  std::vector<TwoBodyRow> jacobianTwoBody(const BodyState& a, const BodyState& b, double time) const override;
  bool isActiveTwoBody(const BodyState& a, const BodyState& b, double time) const override;
  /// The engine's own rule (see docs/impulse.md), with the pre-impact velocity given at creation.
  std::optional<double> targetVelocity(int row, const BodyState& a, const BodyState& b, double time,
                                       double h) const override;
  double alpha() const override { return what_.erp; }
  double beta() const override { return 0; }
  std::string typeName() const override { return "ContactConstraint"; }

  const Vector3& getContactNormal() const { return what_.normal; }
  const Vector3& getContactPoint() const { return what_.point; }
  double getPenetrationDepth() const { return what_.depth; }
  double getRestitution() const { return what_.restitution; }
  /// Restitution of this impact: 0 if the bodies approach slower than the threshold.
  double getEffectiveRestitution() const;
  double getPreImpactVelocity() const { return what_.preImpactVelocity; }
  const Vector3& getLeverArmA() const { return what_.leverArmA; }
  const Vector3& getLeverArmB() const { return what_.leverArmB; }

 private:
  ContactDescription what_;
  Vector3 armInA_, armInB_;  // lever arms in the frames of the bodies
};

}  // namespace sinew
