#pragma once

#include <vector>

#include "sinew/constraints/contact_constraint.h"

namespace sinew {

/// What a collision test found: points that share a normal.
struct CollisionResult {
  struct Point {
    Vector3 position{};   ///< midway between the two surfaces
    double distance = 0;  ///< between the surfaces, negative when they overlap, m
  };
  Vector3 normal{1, 0, 0};  ///< unit vector from A to B
  std::vector<Point> points;
};

/// Makes contact constraints. No state.
namespace contact_constraint_factory {

/// Approach slower than this does not bounce, m/s.
inline constexpr double kRestVelocityThreshold = 0.5;
/// Restitution of static surroundings that say nothing else.
inline constexpr double kEnvironmentRestitution = 0.5;

/// What contacts share besides their points.
struct ContactSettings {
  double restitution = 0;  ///< combined
  double erp = 0.2;
  double slop = 0;
  double restVelocityThreshold = kRestVelocityThreshold;
};

/// One constraint per point, in the order of the points. With distance d the two material points are p -+ n d / 2 of A
/// and B. Throws what ContactConstraint throws.
std::vector<ContactConstraint> createFromCollision(int bodyA, int bodyB, const CollisionResult& collision,
                                                   const BodyState& a, const BodyState& b,
                                                   const ContactSettings& settings);

/// sqrt(eA eB). Both must be in [0, 1]; throws std::invalid_argument.
double combineRestitution(double eA, double eB);

/// (v_B + w_B x r_B - v_A - w_A x r_A) . n, negative when approaching.
double computeRelativeNormalVelocity(const BodyState& a, const BodyState& b, const Vector3& leverArmA,
                                     const Vector3& leverArmB, const Vector3& normal);

/// e if vn <= -threshold, else 0: slow contacts do not bounce.
double effectiveRestitution(double e, double vn, double threshold = kRestVelocityThreshold);

}  // namespace contact_constraint_factory
}  // namespace sinew
