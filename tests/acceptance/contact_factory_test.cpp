#include <gtest/gtest.h>

#include <stdexcept>

#include "sinew/contact_constraint_factory.h"
#include "support/free_bodies.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using namespace contact_constraint_factory;
using test::tolerance;

BodyState moving(const Vector3& position, const Vector3& velocity, const Vector3& angular = {0, 0, 0}) {
  return {position, {1, 0, 0, 0}, velocity, angular};
}

TEST(ContactFactory, CONTACT_T9_1_OnePointGivesOneConstraintWithEverythingTakenOver) {
  const BodyState a = moving({0, 0, 0}, {1, 0, 0}), b = moving({0.9, 0, 0}, {-1, 0, 0});
  const CollisionResult found{{1, 0, 0}, {{{0.45, 0, 0}, -0.1}}};
  const auto made = createFromCollision(4, 9, found, a, b, {.restitution = 0.3, .erp = 0.6});
  ASSERT_EQ(made.size(), 1u);
  const ContactConstraint& c = made.front();
  EXPECT_EQ(c.getBodyAIndex(), 4);
  EXPECT_EQ(c.getBodyBIndex(), 9);
  EXPECT_EQ(c.getContactNormal(), (Vector3{1, 0, 0}));
  EXPECT_EQ(c.getPenetrationDepth(), 0.1);
  EXPECT_EQ(c.getRestitution(), 0.3);
  EXPECT_EQ(c.alpha(), 0.6);
  EXPECT_EQ(c.getPreImpactVelocity(), -2);
  // the surfaces are half the depth away from the point, on the far side: p_A = p + n depth/2
  EXPECT_TRUE(test::allNear(c.getLeverArmA(), Vector3{0.5, 0, 0}, 1e-15));
  EXPECT_TRUE(test::allNear(c.getLeverArmB(), Vector3{-0.5, 0, 0}, 1e-15));
  EXPECT_NEAR(c.evaluateTwoBody(a, b, 0).front(), -0.1, tolerance(1e-15));
}

TEST(ContactFactory, CONTACT_T9_2_FourPointsGiveFourConstraintsInTheirOrder) {
  const BodyState floor = moving({0, 0, -1}, {0, 0, 0});
  const BodyState cube = moving({0, 0, 0.5}, {0, 0, -1}, {1, 0, 0});
  CollisionResult found{{0, 0, 1}, {}};
  for (int k = 0; k < 4; ++k) {
    found.points.push_back({{k % 2 - 0.5, k / 2 - 0.5, 0}, -0.01 * k});
  }
  const auto made = createFromCollision(0, 1, found, floor, cube, {.restitution = 0.5});
  ASSERT_EQ(made.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3& p = found.points[k].position;
    const double depth = -found.points[k].distance;
    EXPECT_EQ(made[k].getContactPoint(), p);
    EXPECT_EQ(made[k].getPenetrationDepth(), depth);
    EXPECT_TRUE(test::allNear(made[k].getLeverArmB(), Vector3{p[0], p[1], -0.5 - depth / 2}, 1e-15));
    EXPECT_NEAR(made[k].getPreImpactVelocity(), -1 + p[1], tolerance(1e-15));  // w x r . z = r_y
  }
}

TEST(ContactFactory, CONTACT_T9_3_NoPointsGiveNoConstraints) {
  EXPECT_TRUE(createFromCollision(0, 1, {}, {}, {}, {}).empty());
}

// 7 digits are given
TEST(ContactFactory, CONTACT_T9_4_RestitutionIsCombinedByTheGeometricMean) {
  EXPECT_NEAR(combineRestitution(0.5, 0.8), 0.6324555, tolerance(5e-8));
  EXPECT_EQ(combineRestitution(0, 1), 0);
  EXPECT_NEAR(combineRestitution(1, kEnvironmentRestitution), 0.7071068, tolerance(5e-8));
  EXPECT_EQ(combineRestitution(0.3, 0.9), combineRestitution(0.9, 0.3));
  EXPECT_THROW(combineRestitution(0.5, 1.5), std::invalid_argument);
}

TEST(ContactFactory, CONTACT_T9_5_HeadOnVelocitiesAddUp) {
  EXPECT_EQ(computeRelativeNormalVelocity(moving({}, {1, 0, 0}), moving({}, {-1, 0, 0}), {}, {}, {1, 0, 0}), -2);
}

// v_A + w x r = (-0.4, 1, 0); v_B + w x r = (-0.7, 0.5, 0)
TEST(ContactFactory, CONTACT_T9_6_RotationCounts) {
  const BodyState a = moving({}, {0, 0, 0}, {0, 0, 2}), b = moving({}, {-1, 0, 0}, {0, 0, -1});
  EXPECT_NEAR(computeRelativeNormalVelocity(a, b, {0.5, 0.2, 0}, {-0.5, 0.3, 0}, {1, 0, 0}), -0.3, tolerance(1e-15));
}

TEST(ContactFactory, CONTACT_T9_7_SlowContactsDoNotBounce) {
  EXPECT_EQ(effectiveRestitution(0.8, -0.49), 0);
  EXPECT_EQ(effectiveRestitution(0.8, -0.51), 0.8);
  EXPECT_EQ(effectiveRestitution(0.8, -0.5), 0.8);
  EXPECT_EQ(effectiveRestitution(0.8, 1), 0);
  const auto made = createFromCollision(0, 1, {{1, 0, 0}, {{}}}, moving({}, {0.3, 0, 0}), {}, {.restitution = 0.8});
  EXPECT_EQ(made.front().getRestitution(), 0.8);
  EXPECT_EQ(made.front().getEffectiveRestitution(), 0);
}

TEST(ContactFactory, SpeculativeContactsHaveNoDepthButAGap) {
  const BodyState a = moving({0, 0, 0}, {0, 0, 0}), b = moving({1.004, 0, 0}, {0, 0, 0});
  const auto made = createFromCollision(0, 1, {{1, 0, 0}, {{{0.502, 0, 0}, 0.004}}}, a, b, {});
  EXPECT_EQ(made.front().getPenetrationDepth(), 0);
  EXPECT_NEAR(made.front().evaluateTwoBody(a, b, 0).front(), 0.004, tolerance(1e-15));
}

}  // namespace
}  // namespace sinew
