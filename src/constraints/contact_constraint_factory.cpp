#include "sinew/constraints/contact_constraint_factory.h"

#include "constraint/contact_target.h"
#include "constraints/checks.h"
#include "constraints/vectors.h"

namespace sinew::contact_constraint_factory {

std::vector<ContactConstraint> createFromCollision(int bodyA, int bodyB, const CollisionResult& collision,
                                                   const BodyState& a, const BodyState& b,
                                                   const ContactSettings& settings) {
  std::vector<ContactConstraint> constraints;
  constraints.reserve(collision.points.size());
  const Vec3 n = toEigen(collision.normal);
  for (const CollisionResult::Point& point : collision.points) {
    const Vec3 p = toEigen(point.position);
    ContactDescription what;
    what.bodyA = bodyA;
    what.bodyB = bodyB;
    what.normal = collision.normal;
    what.point = point.position;
    what.depth = point.distance > 0 ? 0 : -point.distance;
    what.leverArmA = fromEigen(p - n * (point.distance / 2) - toEigen(a.position));
    what.leverArmB = fromEigen(p + n * (point.distance / 2) - toEigen(b.position));
    what.orientationA = a.orientation;
    what.orientationB = b.orientation;
    what.restitution = settings.restitution;
    what.preImpactVelocity = computeRelativeNormalVelocity(a, b, what.leverArmA, what.leverArmB, what.normal);
    what.erp = settings.erp;
    what.slop = settings.slop;
    what.restVelocityThreshold = settings.restVelocityThreshold;
    constraints.emplace_back(what);
  }
  return constraints;
}

double combineRestitution(double eA, double eB) {
  check::fraction("combineRestitution", "restitution of A", eA);
  check::fraction("combineRestitution", "restitution of B", eB);
  return sinew::combineRestitution(eA, eB);
}

double computeRelativeNormalVelocity(const BodyState& a, const BodyState& b, const Vector3& leverArmA,
                                     const Vector3& leverArmB, const Vector3& normal) {
  const Vec3 vA = toEigen(a.velocity) + toEigen(a.angularVelocity).cross(toEigen(leverArmA));
  const Vec3 vB = toEigen(b.velocity) + toEigen(b.angularVelocity).cross(toEigen(leverArmB));
  return (vB - vA).dot(toEigen(normal));
}

double effectiveRestitution(double e, double vn, double threshold) {
  return sinew::effectiveRestitution(e, vn, threshold);
}

}  // namespace sinew::contact_constraint_factory
