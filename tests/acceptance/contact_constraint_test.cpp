#include "sinew/contact_constraint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "support/free_bodies.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// CONTACT-T8: spheres of radius 0.5, A at the origin, n = x, lever arms (0.5,0,0) and (-0.5,0,0) unless said.
namespace sinew {
namespace {

using test::fromAxisAngle;
using test::fromEigen;
using test::fromQuat;
using test::toEigen;
using test::toQuat;
using test::Vec3;

using test::tolerance;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ContactDescription spheres() {
  ContactDescription what;
  what.leverArmA = {0.5, 0, 0};
  what.leverArmB = {-0.5, 0, 0};
  return what;
}

BodyState at(const Vector3& position) {
  BodyState state;
  state.position = position;
  return state;
}

double gap(const ContactConstraint& c, double x) { return c.evaluateTwoBody(at({0, 0, 0}), at({x, 0, 0}), 0).front(); }

TEST(ContactConstraint, CONTACT_T8_1_HasOneDimension) {
  const ContactConstraint c(spheres());
  EXPECT_EQ(c.dimension(), 1);
  EXPECT_EQ(c.evaluateTwoBody({}, {}, 0).size(), 1u);
  EXPECT_EQ(c.jacobianTwoBody({}, {}, 0).size(), 1u);
}

// a few roundings of numbers near 1
TEST(ContactConstraint, CONTACT_T8_2_GapIsNegativeWhenOverlapping) {
  EXPECT_NEAR(gap(ContactConstraint(spheres()), 0.9), -0.1, tolerance(1e-12));
}

TEST(ContactConstraint, CONTACT_T8_3_GapIsPositiveWhenApart) {
  const ContactConstraint c(spheres());
  EXPECT_NEAR(gap(c, 0.9), -0.1, tolerance(1e-12));
  EXPECT_NEAR(gap(c, 1.2), 0.2, tolerance(1e-12));  // the same object
}

TEST(ContactConstraint, CONTACT_T8_4_GapIsZeroWhenTouching) {
  EXPECT_NEAR(gap(ContactConstraint(spheres()), 1.0), 0, tolerance(1e-12));
}

TEST(ContactConstraint, CONTACT_T8_5_LinearColumnsAreMinusAndPlusTheNormal) {
  const auto J = ContactConstraint(spheres()).jacobianTwoBody(at({0, 0, 0}), at({1, 0, 0}), 0).front();
  EXPECT_TRUE(test::allNear(std::span(J).subspan(0, 3), Vector3{-1, 0, 0}, 0));
  EXPECT_TRUE(test::allNear(std::span(J).subspan(6, 3), Vector3{1, 0, 0}, 0));
}

TEST(ContactConstraint, CONTACT_T8_6_AngularColumnsAreLeverArmCrossNormal) {
  ContactDescription what;
  what.normal = {0, 0, 1};
  what.leverArmA = {0.3, 0.4, 0};
  what.leverArmB = {-0.2, 0.1, 0.5};
  const auto J = ContactConstraint(what).jacobianTwoBody({}, {}, 0).front();
  EXPECT_TRUE(test::allNear(std::span(J).subspan(3, 3), Vector3{-0.4, 0.3, 0}, 1e-15));
  EXPECT_TRUE(test::allNear(std::span(J).subspan(9, 3), Vector3{0.1, 0.2, 0}, 1e-15));
}

/// The state after moving for time t with the velocities of `s`.
BodyState moved(const BodyState& s, double t) {
  BodyState result = s;
  result.position = fromEigen(toEigen(s.position) + t * toEigen(s.velocity));
  const Vec3 turn = t * toEigen(s.angularVelocity);
  if (turn.norm() > 0) {
    const Vec3 axis = turn / turn.norm();
    result.orientation = fromQuat(fromAxisAngle(axis, turn.norm()) * toQuat(s.orientation));
  }
  return result;
}

// Central difference with step 1e-5: error about 1e-10 |C'''| and 1e-16 / 1e-5 from rounding.
TEST(ContactConstraint, CONTACT_T8_7_JacobianIsTheDerivativeOfTheGapAlongAnyMotion) {
  test::Random random(8);
  for (int i = 0; i < 100; ++i) {
    BodyState a{random.vector(1), random.orientation(), random.vector(1), random.vector(1)};
    BodyState b{random.vector(1), random.orientation(), random.vector(1), random.vector(1)};
    ContactDescription what;
    what.normal = random.direction();
    what.leverArmA = random.vector(1);
    what.leverArmB = random.vector(1);
    what.orientationA = random.orientation();  // of creation: the arms have turned since
    what.orientationB = random.orientation();
    const ContactConstraint c(what);
    const auto J = c.jacobianTwoBody(a, b, 0).front();
    double rate = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      rate += J[k] * a.velocity[k] + J[3 + k] * a.angularVelocity[k] + J[6 + k] * b.velocity[k] +
              J[9 + k] * b.angularVelocity[k];
    }
    const double t = 1e-5;
    const double difference = (c.evaluateTwoBody(moved(a, t), moved(b, t), 0).front() -
                               c.evaluateTwoBody(moved(a, -t), moved(b, -t), 0).front()) /
                              (2 * t);
    EXPECT_NEAR(rate, difference, tolerance(1e-6)) << "case " << i;
  }
}

bool isActiveAt(double C) { return ContactConstraint(spheres()).isActiveTwoBody(at({0, 0, 0}), at({1 + C, 0, 0}), 0); }

TEST(ContactConstraint, CONTACT_T8_8_IsActiveInsideAndUpToOneCentimetreApart) {
  EXPECT_TRUE(isActiveAt(-0.1));
  EXPECT_TRUE(isActiveAt(0));
  EXPECT_TRUE(isActiveAt(0.009));
}

TEST(ContactConstraint, CONTACT_T8_9_IsInactiveBeyondOneCentimetre) {
  EXPECT_FALSE(isActiveAt(0.011));
  EXPECT_FALSE(isActiveAt(1));
}

TEST(ContactConstraint, CONTACT_T8_10_AlphaIsTheErrorReduction) {
  EXPECT_EQ(ContactConstraint(spheres()).alpha(), 0.2);
  ContactDescription what = spheres();
  what.erp = 0.7;
  EXPECT_EQ(ContactConstraint(what).alpha(), 0.7);
}

TEST(ContactConstraint, CONTACT_T8_11_BetaIsZero) { EXPECT_EQ(ContactConstraint(spheres()).beta(), 0); }

TEST(ContactConstraint, CONTACT_T8_12_KnowsItsName) {
  EXPECT_EQ(ContactConstraint(spheres()).typeName(), "ContactConstraint");
}

/// The message with which a description is refused, empty if it is accepted.
std::string refusal(const ContactDescription& what) {
  try {
    ContactConstraint{what};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(ContactConstraint, CONTACT_T8_13_NormalMustHaveUnitLength) {
  const auto refused = [](const Vector3& normal) {
    ContactDescription what = spheres();
    what.normal = normal;
    return refusal(what);
  };
  EXPECT_EQ(refused({1 + 5e-7, 0, 0}), "");
  EXPECT_EQ(refused({1 + 2e-6, 0, 0}),
            "contact between bodies 0 and 1: normal is (1.000002, 0, 0) of length 1.000002, must be of length 1 within "
            "1e-6");
  EXPECT_NE(refused({0.5, 0, 0}), "");
  EXPECT_NE(refused({0, 0, 0}), "");
  EXPECT_NE(refused({kNaN, 0, 0}), "");
}

TEST(ContactConstraint, CONTACT_T8_14_DepthMustNotBeNegative) {
  const auto refused = [](double depth) {
    ContactDescription what = spheres();
    what.depth = depth;
    return refusal(what);
  };
  EXPECT_EQ(refused(-1e-9), "contact between bodies 0 and 1: depth is -1e-09, must be finite and 0 or more");
  EXPECT_NE(refused(kNaN), "");
  EXPECT_EQ(refused(0), "");
}

TEST(ContactConstraint, CONTACT_T8_15_RestitutionMustBeAFraction) {
  const auto refused = [](double e) {
    ContactDescription what = spheres();
    what.restitution = e;
    return refusal(what);
  };
  EXPECT_EQ(refused(1.01), "contact between bodies 0 and 1: restitution is 1.01, must be in [0, 1]");
  EXPECT_NE(refused(-0.01), "");
  EXPECT_NE(refused(kNaN), "");
  EXPECT_EQ(refused(0), "");
  EXPECT_EQ(refused(1), "");
}

TEST(ContactConstraint, CONTACT_B9_OrientationsMustBeQuaternionsWithALength) {
  const auto refused = [](const Quaternion& q) {
    ContactDescription what = spheres();
    what.orientationB = q;
    return refusal(what);
  };
  EXPECT_EQ(refused({0, 0, 0, 0}),
            "contact between bodies 0 and 1: orientation of B is (0, 0, 0, 0), must be a quaternion with finite length "
            "above 0");
  EXPECT_NE(refused({1, kNaN, 0, 0}), "");
  EXPECT_EQ(refused({2, 0, 0, 0}), "");
}

TEST(ContactConstraint, CONTACT_T8_16_AccessorsReturnWhatWasGiven) {
  ContactDescription what = spheres();
  what.bodyA = 3;
  what.bodyB = 7;
  what.point = {1, 2, 3};
  what.depth = 0.25;
  what.restitution = 0.5;
  what.preImpactVelocity = -2;
  what.orientationA = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};
  const ContactConstraint c(what);
  EXPECT_EQ(c.getContactNormal(), what.normal);
  EXPECT_EQ(c.getPenetrationDepth(), 0.25);
  EXPECT_EQ(c.getRestitution(), 0.5);
  EXPECT_EQ(c.getPreImpactVelocity(), -2);
  EXPECT_EQ(c.getLeverArmA(), what.leverArmA);
  EXPECT_EQ(c.getLeverArmB(), what.leverArmB);
  EXPECT_EQ(c.getContactPoint(), what.point);
  EXPECT_EQ(c.getBodyAIndex(), 3);
  EXPECT_EQ(c.getBodyBIndex(), 7);
}

/// The text of the logic_error that `call` throws.
template <class Call>
std::string logicError(Call call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(ContactConstraint, CONTACT_T8_17_EvaluatingOneBodyIsALogicError) {
  const ContactConstraint contact(spheres());
  EXPECT_EQ(logicError([&] { static_cast<const Constraint&>(contact).evaluate({}, 0); }),
            "ContactConstraint is about two bodies: call evaluateTwoBody instead of evaluate");
}

TEST(ContactConstraint, CONTACT_T8_18_TheJacobianOfOneBodyIsALogicError) {
  const ContactConstraint contact(spheres());
  EXPECT_EQ(logicError([&] { static_cast<const Constraint&>(contact).jacobian({}, 0); }),
            "ContactConstraint is about two bodies: call jacobianTwoBody instead of jacobian");
}

TEST(ContactConstraint, CONTACT_T8_19_AskingOneBodyWhetherItIsActiveIsALogicError) {
  const ContactConstraint contact(spheres());
  EXPECT_EQ(logicError([&] { static_cast<const UnilateralConstraint&>(contact).isActive({}, 0); }),
            "ContactConstraint is about two bodies: call isActiveTwoBody instead of isActive");
}

TEST(ContactConstraint, CONTACT_B4_TwoBodyConstraintsAreUnilateral) {
  const ContactConstraint contact(spheres());
  EXPECT_NE(dynamic_cast<const UnilateralConstraint*>(&contact), nullptr);
  EXPECT_NE(dynamic_cast<const TwoBodyConstraint*>(&contact), nullptr);
  ContactDescription what = spheres();
  what.bodyB = what.bodyA;
  EXPECT_EQ(refusal(what), "constraint between bodies 0 and 0: indices must be 0 or more and differ");
}

}  // namespace
}  // namespace sinew
