#include "geom/fluid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/tolerance.h"

namespace sinew::geom {
namespace {

constexpr double kPi = std::numbers::pi;

/// k of Lamb's integral by the midpoint rule on a million points of l = u/(1-u) times s^2; an independent route.
double lamb(int axis, const Vec3& s) {
  constexpr int n = 1000000;
  const double scale = std::pow(s.prod(), 2.0 / 3);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double u = (i + 0.5) / n, rest = 1 - u;
    const double l = scale * u * u / (rest * rest), slope = scale * 2 * u / (rest * rest * rest);
    const Vec3 f = s.cwiseAbs2() + Vec3::Constant(l);
    sum += slope / (f[axis] * std::sqrt(f.prod()));
  }
  return s.prod() * sum / n;
}

// A sphere drags along half of the fluid it displaces, and nothing when it turns. 1e-5: the 15-point rule.
TEST(AddedMass, SphereCarriesHalfItsVolume) {
  const double r = 0.3;
  const AddedMass added = ellipsoidAddedMass(Vec3::Constant(r));
  EXPECT_LT((added.mass - Vec3::Constant(2 * kPi * r * r * r / 3)).norm(), test::tolerance(1e-5 * r * r * r));
  EXPECT_EQ(added.inertia, Vec3::Zero());
}

TEST(AddedMass, AgreesWithLambsIntegral) {
  for (const Vec3& s : {Vec3(0.1, 0.2, 0.3), Vec3(1, 1, 2), Vec3(3, 1, 2)}) {
    const AddedMass added = ellipsoidAddedMass(s);
    const double V = 4 * kPi / 3 * s.prod();
    const Vec3 k(lamb(0, s), lamb(1, s), lamb(2, s));
    EXPECT_NEAR(k.sum(), 2, test::tolerance(1e-6));  // holds for every ellipsoid
    for (int x = 0; x < 3; ++x) {
      const int y = (x + 1) % 3, z = (x + 2) % 3;
      EXPECT_NEAR(added.mass[x], V * k[x] / (2 - k[x]), test::tolerance(2e-3 * V));
      const double d = s[y] * s[y] - s[z] * s[z];
      if (d == 0) continue;
      const double inertia = V / 5 * d * d * (k[z] - k[y]) / (2 * d + (s[y] * s[y] + s[z] * s[z]) * (k[y] - k[z]));
      EXPECT_NEAR(added.inertia[x], inertia, test::tolerance(5e-3 * V * s.squaredNorm() / 5));
    }
  }
}

TEST(AddedMass, ScalesAndPermutes) {
  const AddedMass a = ellipsoidAddedMass({0.1, 0.2, 0.3}), b = ellipsoidAddedMass({0.2, 0.4, 0.6});
  EXPECT_LT((b.mass - 8 * a.mass).norm(), test::tolerance(1e-15));
  EXPECT_LT((b.inertia - 32 * a.inertia).norm(), test::tolerance(1e-15));
  const AddedMass c = ellipsoidAddedMass({0.2, 0.3, 0.1});
  EXPECT_LT((c.mass - Vec3(a.mass[1], a.mass[2], a.mass[0])).norm(), test::tolerance(1e-16));
}

// geom_fluid of an ellipsoid geom of size 0.1 0.2 0.3, from the reference engine
TEST(FluidCoefficients, MatchTheReference) {
  const std::array<double, 12> row = fluidCoefficients({0.1, 0.2, 0.3}, {0.5, 0.25, 1.5, 1, 1});
  const std::array<double, 12> expected = {1,
                                           0.5,
                                           0.25,
                                           1.5,
                                           1,
                                           1,
                                           0.03421892335102304,
                                           0.009161969686093343,
                                           0.004656001295402555,
                                           3.914190145187043e-05,
                                           0.0003559983762595036,
                                           9.632561918504682e-05};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(row[i], expected[i], test::tolerance(1e-15)) << i;
}

TEST(FluidSemiAxes, IncludeTheCapsOfACapsule) {
  EXPECT_EQ(fluidSemiAxes(GeomType::Sphere, {0.1, 0, 0}), Vec3::Constant(0.1));
  EXPECT_EQ(fluidSemiAxes(GeomType::Capsule, {0.1, 0.5, 0}), Vec3(0.1, 0.1, 0.6));
  EXPECT_EQ(fluidSemiAxes(GeomType::Cylinder, {0.1, 0.5, 0}), Vec3(0.1, 0.1, 0.5));
  EXPECT_EQ(fluidSemiAxes(GeomType::Box, {0.1, 0.5, 0.2}), Vec3(0.1, 0.5, 0.2));
}

}  // namespace
}  // namespace sinew::geom
