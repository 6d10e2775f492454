#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "forces/fluid.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

constexpr double kPi = std::numbers::pi;

Vec6 randomVelocity(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-2, 2);
  Vec6 v;
  for (int i = 0; i < 6; ++i) v[i] = uniform(random);
  return v;
}

template <class Shape>
Mat6 differences(const Shape& shape, const Medium& medium, const Vec6& v, double e) {
  Mat6 B;
  for (int i = 0; i < 6; ++i) {
    const Vec6 step = Vec6::Unit(i) * e;
    B.col(i) = (fluidForce(shape, medium, v + step) - fluidForce(shape, medium, v - step)) / (2 * e);
  }
  return B;
}

FluidEllipsoid someEllipsoid() {
  return {Vec3(.3, .5, .2), .5, .25, 1.5, 1.1, .9, Vec3(.02, .01, .05), Vec3(1e-3, 2e-3, 3e-3)};
}

TEST(FluidBox, HasTheBoxOfItsInertia) {
  const Vec3 edge(.2, .5, .9);
  const double mass = 3;
  Vec3 inertia;
  for (int i = 0; i < 3; ++i) {
    const double b = edge[(i + 1) % 3], c = edge[(i + 2) % 3];
    inertia[i] = mass / 12 * (b * b + c * c);
  }
  EXPECT_TRUE(allNear(equivalentBox(mass, inertia).edge, edge, 1e-14));
}

// Central differences with e = 1e-6: error e^2 times third derivatives, rounding 1e-13 / e for forces of about 1000.
TEST(FluidBox, DerivativeIsThatOfTheForce) {
  std::mt19937 random(1);
  const FluidBox box{Vec3(.2, .5, .9)};
  for (const Medium medium : {Medium{1000, 0}, Medium{0, 2}, Medium{1.2, .3}}) {
    const Vec6 v = randomVelocity(random);
    EXPECT_TRUE(allNear(fluidDerivative(box, medium, v), differences(box, medium, v, 1e-6), 1e-6, 1e-7));
  }
}

TEST(FluidEllipsoid, DerivativeIsThatOfTheForce) {
  std::mt19937 random(2);
  for (const Medium medium : {Medium{1000, 0}, Medium{0, 2}, Medium{1.2, .3}}) {
    for (int i = 0; i < 5; ++i) {
      const Vec6 v = randomVelocity(random);
      const Mat6 expected = differences(someEllipsoid(), medium, v, 1e-6);
      EXPECT_TRUE(allNear(fluidDerivative(someEllipsoid(), medium, v), expected, 1e-6, 1e-7));
    }
  }
}

TEST(FluidEllipsoid, SphereFeelsStokesAndBluntDragOnly) {
  const double r = .3, mu = 2, rho = 5;
  const FluidEllipsoid sphere{Vec3::Constant(r), .5, .25, 1.5, 1, 0, Vec3::Zero(), Vec3::Zero()};
  const Vec3 u(.3, -.4, 1.2), w(.5, .6, -.7);
  Vec6 v;
  v << w, u;
  const Vec6 force = fluidForce(sphere, {rho, mu}, v);
  const double area = kPi * r * r;
  EXPECT_TRUE(allNear(Vec3(force.tail<3>()), Vec3(-(6 * kPi * mu * r + rho * .5 * area * u.norm()) * u), 1e-12));
  const double moment = 8. / 15 * kPi * std::pow(r, 5);
  EXPECT_TRUE(
      allNear(Vec3(force.head<3>()), Vec3(-(8 * kPi * mu * r * r * r + rho * 1.5 * moment * w.norm()) * w), 1e-12));
}

TEST(FluidEllipsoid, LiftDoesNoWork) {
  std::mt19937 random(3);
  FluidEllipsoid e = someEllipsoid();
  e.blunt = e.slender = e.angular = 0;  // no drag
  for (int i = 0; i < 5; ++i) {
    const Vec6 v = randomVelocity(random);
    const Vec6 force = fluidForce(e, {10, 0}, v);
    EXPECT_GT(force.norm(), .1);
    EXPECT_NEAR(force.dot(v), 0, tolerance(1e-12));
  }
}

// m g = a v + b v^2 with the coefficients of a cube of edge s: a = 3 pi s mu, b = rho s^2 / 2. The approach is
// exponential with the rate (a + 2 b v) / m, here about 10 / s: nothing is left after 5 s but the integrator's
// rounding.
TEST(Fluid, FallingCubeReachesItsTerminalVelocity) {
  const Model m = modelOf(R"(<mujoco><option density="100" viscosity="1" timestep="0.001" integrator="implicitfast"/>
    <worldbody><body><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>)");
  Data d(m);
  for (int i = 0; i < 5000; ++i) step(m, d);
  const double a = 3 * kPi * .2 * 1, b = .5 * 100 * .2 * .2, weight = 2 * 9.81;
  const double v = (-a + std::sqrt(a * a + 4 * b * weight)) / (2 * b);
  EXPECT_NEAR(d.qvel[2], -v, tolerance(1e-10));
}

TEST(Fluid, WindPushesLikeMotionTheOtherWay) {
  for (const char* shape : {"", "fluidshape=\"ellipsoid\""}) {
    Model m = modelOf(R"(<mujoco><option density="3" viscosity=".1"/><worldbody><body euler="10 20 30"><freejoint/>
      <geom type="ellipsoid" size=".1 .2 .3" pos=".1 0 0" )" +
                      std::string(shape) + R"(/></body></worldbody></mujoco>)");
    Data moving(m);
    moving.qvel[0] = 1, moving.qvel[1] = -2, moving.qvel[2] = .5;
    forward(m, moving);
    m.opt.wind = {-1, 2, -.5};
    Data blown(m);
    forward(m, blown);
    EXPECT_TRUE(allNear(blown.qfrc_fluid, moving.qfrc_fluid, 1e-14));
    EXPECT_GT(std::abs(blown.qfrc_fluid[0]), 1e-3);
  }
}

TEST(Fluid, ABodyWithAnEllipsoidGeomIsNotABoxAsWell) {
  const Model m = modelOf(R"(<mujoco><option density="10"/><worldbody><body><freejoint/>
    <geom size=".1" fluidshape="ellipsoid" fluidcoef="0 0 0 0 0"/><geom size=".2" pos="1 0 0"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qvel[0] = 1;
  forward(m, d);
  EXPECT_TRUE(allNear(d.qfrc_fluid, Array<double>(6), 0));  // straight motion: no added-mass force either
}

}  // namespace
}  // namespace sinew
