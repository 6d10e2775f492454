// Rotations against what defines them: Rodrigues' formula, Eigen's independent implementation, and the identities every
// rotation obeys. Tolerances are a few rounding errors (2.2e-16) of numbers of size one unless a comment says
// otherwise.
#include "math/quat.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::tolerance;

constexpr double kPi = std::numbers::pi;
constexpr double kRounding = 4e-15;
constexpr int kSamples = 2000;

Eigen::Vector4d coefficients(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

// Fixed seed: the same rotations on every run.
class Random {
 public:
  Vec3 vector() { return {normal_(engine_), normal_(engine_), normal_(engine_)}; }
  Vec3 direction() { return vector().normalized(); }
  double angle() { return std::uniform_real_distribution<double>(-kPi, kPi)(engine_); }

  // Uniform over all rotations: four independent normals, scaled to unit length.
  Quat rotation() {
    const Eigen::Vector4d c =
        Eigen::Vector4d(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_)).normalized();
    return {c[0], c[1], c[2], c[3]};
  }

 private:
  std::mt19937 engine_{20140531};
  std::normal_distribution<double> normal_;
};

// exp([a]x) for a unit axis: R = 1 + sin(t) [a]x + (1 - cos(t)) [a]x^2
Mat3 rodrigues(const Vec3& axis, double angle) {
  const Mat3 K = crossMatrix(axis);
  return Mat3::Identity() + std::sin(angle) * K + (1 - std::cos(angle)) * K * K;
}

// Same rotation: q and -q are one.
testing::AssertionResult sameRotation(const Quat& a, const Quat& b, double absolute) {
  const double sign = coefficients(a).dot(coefficients(b)) < 0 ? -1 : 1;
  return allNear(coefficients(a), sign * coefficients(b), absolute);
}

TEST(Quat, IsStoredScalarFirst) {
  const double stored[4] = {1, 2, 3, 4};
  const Quat q = Quat::load(stored);
  EXPECT_EQ(q.w, 1);
  EXPECT_EQ(q.vec(), Vec3(2, 3, 4));
  double out[4];
  q.store(out);
  EXPECT_TRUE(allNear(out, stored, 0));
}

TEST(Quat, ProductFollowsHamiltonsTable) {
  const Quat one, i{0, 1, 0, 0}, j{0, 0, 1, 0}, k{0, 0, 0, 1};
  EXPECT_EQ(coefficients(i * j), coefficients(k));
  EXPECT_EQ(coefficients(j * k), coefficients(i));
  EXPECT_EQ(coefficients(k * i), coefficients(j));
  EXPECT_EQ(coefficients(j * i), -coefficients(k));
  EXPECT_EQ(coefficients(i * i), -coefficients(one));
  EXPECT_EQ(coefficients(one * k), coefficients(k));
}

TEST(Quat, FromAxisAngleAgreesWithRodrigues) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 axis = random.direction();
    const double angle = random.angle();
    EXPECT_TRUE(allNear(toMatrix(fromAxisAngle(axis, angle)), rodrigues(axis, angle), kRounding));
  }
}

TEST(Quat, AgreesWithEigenOnProductsMatricesAndRotatedVectors) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.vector();
    const Eigen::Quaterniond ea(a.w, a.x, a.y, a.z), eb(b.w, b.x, b.y, b.z);
    const Eigen::Quaterniond product = ea * eb;
    EXPECT_TRUE(
        allNear(coefficients(a * b), coefficients({product.w(), product.x(), product.y(), product.z()}), kRounding));
    EXPECT_TRUE(allNear(toMatrix(a), ea.toRotationMatrix(), kRounding));
    EXPECT_TRUE(allNear(rotate(a, v), ea * v, 4 * kRounding));  // |v| up to about 4
  }
}

TEST(Quat, RotationKeepsLengthsAnglesAndHandedness) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat q = random.rotation();
    const Vec3 u = random.direction(), v = random.direction();
    EXPECT_NEAR(rotate(q, u).norm(), 1, tolerance(kRounding));
    EXPECT_NEAR(rotate(q, u).dot(rotate(q, v)), u.dot(v), tolerance(kRounding));
    EXPECT_TRUE(allNear(rotate(q, u.cross(v)), rotate(q, u).cross(rotate(q, v)), kRounding));
  }
}

TEST(Quat, ProductRotatesByTheRightFactorFirst) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.direction();
    EXPECT_TRUE(allNear(rotate(a * b, v), rotate(a, rotate(b, v)), kRounding));
    EXPECT_TRUE(allNear(toMatrix(a * b), toMatrix(a) * toMatrix(b), kRounding));
  }
}

TEST(Quat, ConjugateUndoesTheRotation) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat q = random.rotation();
    const Vec3 v = random.direction();
    EXPECT_TRUE(allNear(rotate(q.conjugate(), rotate(q, v)), v, kRounding));
    EXPECT_TRUE(allNear(toMatrix(q.conjugate()), toMatrix(q).transpose(), kRounding));
  }
}

TEST(Quat, IdentityLeavesVectorsBitForBit) {
  const Vec3 v(0.1, -1e-300, 1e300);
  EXPECT_EQ(rotate({}, v), v);
  EXPECT_EQ(toMatrix({}), Mat3(Mat3::Identity()));
  EXPECT_TRUE(fromAxisAngle(Vec3::UnitY(), 0).isIdentity());
}

TEST(Quat, MatrixRoundTripGivesTheSameRotation) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat q = random.rotation();
    EXPECT_TRUE(sameRotation(fromMatrix(toMatrix(q)), q, kRounding));
  }
}

TEST(Quat, MatrixRoundTripHoldsForHalfTurns) {
  // trace = -1: w = 0, and each of x, y, z is the largest in turn
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 axis = random.direction();
    const Quat q{0, axis.x(), axis.y(), axis.z()};
    EXPECT_TRUE(sameRotation(fromMatrix(toMatrix(q)), q, kRounding));
  }
  for (const Quat& q : {Quat{0, 1, 0, 0}, Quat{0, 0, 1, 0}, Quat{0, 0, 0, 1}}) {
    EXPECT_TRUE(sameRotation(fromMatrix(toMatrix(q)), q, 0));
  }
}

TEST(Quat, NormalizedHasUnitLengthAndTheSameDirection) {
  const Quat q = normalized({1, -2, 2, 4});  // length 5
  EXPECT_TRUE(allNear(coefficients(q), Eigen::Vector4d(0.2, -0.4, 0.4, 0.8), 1e-16));
}

TEST(Quat, NormalizedOfNothingIsTheIdentity) {
  EXPECT_TRUE(normalized({0, 0, 0, 0}).isIdentity());
  EXPECT_TRUE(normalized({1e-16, 0, 1e-16, 0}).isIdentity());
}

TEST(Quat, NormalizedLeavesBitForBitWhatIsOffByRoundingOnly) {
  const Quat q{0.6, 0.8 + 4e-16, 0, 0};
  ASSERT_GT(q.norm(), 1);
  EXPECT_EQ(coefficients(normalized(q)), coefficients(q));
}

TEST(Quat, RotationVectorInvertsAxisAngle) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 axis = random.direction();
    const double angle = random.angle();
    EXPECT_TRUE(allNear(toRotationVector(fromAxisAngle(axis, angle)), axis * angle, 2 * kRounding));
  }
}

TEST(Quat, RotationVectorTakesTheShortWay) {
  // 350 degrees one way are 10 degrees the other
  const double ten = kPi / 18;
  EXPECT_TRUE(allNear(toRotationVector(fromAxisAngle(Vec3::UnitZ(), 35 * ten)), Vec3(0, 0, -ten), kRounding));
  EXPECT_TRUE(allNear(toRotationVector({}), Vec3(0, 0, 0), 0));
}

TEST(Quat, RotationVectorIsAccurateForTinyAngles) {
  const Vec3 w(1e-9, -2e-9, 3e-9);
  EXPECT_TRUE(allNear(toRotationVector(fromAxisAngle(w.normalized(), w.norm())), w, 0, 1e-14));
}

TEST(Quat, DifferenceTakesOneRotationToTheOther) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 r = difference(a, b);
    EXPECT_LE(r.norm(), kPi + 1e-15);
    EXPECT_TRUE(sameRotation(integrated(b, r, 1), a, 2 * kRounding));
  }
}

TEST(Quat, FromZToTurnsZOntoTheDirectionByTheSmallestAngle) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Vec3 v = random.vector();
    const Vec3 direction = v.normalized();
    const Quat q = fromZTo(v);
    EXPECT_TRUE(allNear(rotate(q, Vec3::UnitZ()), direction, kRounding));
    // smallest: the angle is the one between the two, the axis stands on both
    EXPECT_NEAR(2 * std::acos(q.w), std::acos(direction.z()), tolerance(1e-7));  // acos loses half the digits near 1
    EXPECT_EQ(q.z, 0);
  }
}

TEST(Quat, FromZToKnowsTheTwoDirectionsWithoutAnAxis) {
  EXPECT_TRUE(fromZTo({0, 0, 3}).isIdentity());
  const Quat down = fromZTo({0, 0, -2});
  EXPECT_TRUE(allNear(coefficients(down), Eigen::Vector4d(0, 1, 0, 0), 1e-16));  // cos(pi/2) in doubles is 6e-17
}

TEST(Quat, IntegratedAtConstantSpeedIsExactForAnyStep) {
  // R(t) = R(0) exp(t [w]x): one step of t, and ten of t/10, end at the same place
  Random random;
  for (int n = 0; n < 200; ++n) {
    const Quat start = random.rotation();
    const Vec3 w = random.vector();
    const double t = 1.5;
    const Mat3 expected = toMatrix(start) * rodrigues(w.normalized(), t * w.norm());
    EXPECT_TRUE(allNear(toMatrix(integrated(start, w, t)), expected, 2 * kRounding));
    Quat q = start;
    for (int i = 0; i < 10; ++i) q = integrated(q, w, t / 10);
    EXPECT_TRUE(allNear(toMatrix(q), expected, 10 * kRounding));
  }
}

TEST(Quat, IntegratedHasTheDerivativeOfAQuaternion) {
  // dq/dt = 1/2 q (0, w), by central differences: error h^2 |w|^3 / 48 + rounding / h, both below 1e-9
  Random random;
  const double h = 1e-5;
  for (int n = 0; n < 200; ++n) {
    const Quat q = random.rotation();
    const Vec3 w = random.vector();
    const Eigen::Vector4d slope = (coefficients(integrated(q, w, h)) - coefficients(integrated(q, w, -h))) / (2 * h);
    EXPECT_TRUE(allNear(slope, 0.5 * coefficients(q * Quat{0, w.x(), w.y(), w.z()}), 1e-9));
  }
}

TEST(Quat, IntegratedAtRestOnlyNormalizes) {
  const Quat q{0.5, 0.5, -0.5, 0.5};
  EXPECT_EQ(coefficients(integrated(q, Vec3::Zero(), 0.1)), coefficients(q));
  EXPECT_EQ(coefficients(integrated({2, 2, -2, 2}, Vec3::Zero(), 0.1)), coefficients(q));
}

TEST(Quat, IntegratedStaysOfUnitLengthOverManySteps) {
  Quat q;
  const Vec3 w(3, -1, 2);
  for (int i = 0; i < 100000; ++i) q = integrated(q, w, 1e-3);
  EXPECT_NEAR(q.norm(), 1, tolerance(kRounding));
}

TEST(Pose, CompositionActsAsOneTransformAfterTheOther) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Pose a{random.direction(), random.rotation()}, b{random.direction(), random.rotation()};
    const Vec3 x = random.direction();
    const Pose ab = compose(a, b);
    const Vec3 inB = b.pos + rotate(b.quat, x);
    EXPECT_TRUE(allNear(ab.pos + rotate(ab.quat, x), a.pos + rotate(a.quat, inB), kRounding));
    EXPECT_NEAR(ab.quat.norm(), 1, tolerance(kRounding));
  }
}

TEST(Pose, InverseUndoesTheTransform) {
  Random random;
  for (int n = 0; n < kSamples; ++n) {
    const Pose a{random.direction(), random.rotation()};
    for (const Pose& p : {compose(a, inverse(a)), compose(inverse(a), a)}) {
      EXPECT_TRUE(allNear(p.pos, Vec3(Vec3::Zero()), kRounding));
      EXPECT_TRUE(sameRotation(p.quat, {}, kRounding));
    }
  }
}

}  // namespace
}  // namespace sinew
