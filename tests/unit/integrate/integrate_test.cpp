#include "integrate/integrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/quat.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

void run(const Model& m, Data& d, int steps) {
  for (int i = 0; i < steps; ++i) step(m, d);
}

constexpr const char* kOscillator = R"(<mujoco><option gravity="0 0 0" timestep="0.01"/><worldbody><body>
  <joint type="slide" stiffness="25"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)";

// v' = v - h w^2 q, q' = q + h v': the recurrence itself is the oracle.
TEST(Euler, OscillatorFollowsTheSemiImplicitRecurrence) {
  const Model m = modelOf(kOscillator);
  Data d(m);
  double q = d.qpos[0] = 1, v = 0;
  for (int i = 0; i < 200; ++i) {
    step(m, d);
    v -= .01 * 25 * q;
    q += .01 * v;
    ASSERT_NEAR(d.qpos[0], q, tolerance(1e-12));
  }
}

TEST(Euler, DampingIsImplicitUnlessSwitchedOff) {
  Model m =
      modelOf(R"(<mujoco><option gravity="0 0 0" timestep="0.1"/><worldbody><body><joint type="slide" damping="8"/>
    <geom size=".1" mass="2"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qvel[0] = 1;
  run(m, d, 5);
  EXPECT_NEAR(d.qvel[0], std::pow(1 / (1 + .1 * 8 / 2), 5), tolerance(1e-14));
  m.opt.disableflags = disable::kEulerDamp;
  reset(m, d);
  d.qvel[0] = 1;
  run(m, d, 5);
  EXPECT_NEAR(d.qvel[0], std::pow(1 - .1 * 8 / 2, 5), tolerance(1e-14));
}

// One step of v' = -(b1 |v| + b2 v^2) v, linearized: v + h f / (1 + h (2 b1 |v| + 3 b2 v^2)).
TEST(Euler, PolynomialDampingIsLinearized) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0" timestep="0.1"/><worldbody><body><joint type="slide"
    damping="0 2 3"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)");
  Data d(m);
  const double v = d.qvel[0] = -1.5;
  step(m, d);
  const double f = -(2 * 1.5 + 3 * v * v) * v;
  EXPECT_NEAR(d.qvel[0], v + .1 * f / (1 + .1 * (2 * 2 * 1.5 + 3 * 3 * v * v)), tolerance(1e-14));
}

TEST(Euler, LeavesTheServosDampingExplicit) {
  const std::string body =
      R"(<worldbody><body><joint name="j" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
    <actuator><velocity joint="j" kv="3"/></actuator></mujoco>)";
  for (const auto& [integrator, factor] :
       {std::pair{"Euler", 1 - .3}, {"implicit", 1 / 1.3}, {"implicitfast", 1 / 1.3}}) {
    const Model m =
        modelOf(std::string("<mujoco><option gravity='0 0 0' timestep='0.1' integrator='") + integrator + "'/>" + body);
    Data d(m);
    d.qvel[0] = 1;
    step(m, d);
    EXPECT_NEAR(d.qvel[0], factor, tolerance(1e-14)) << integrator;
  }
}

/// Error of the angle of a pendulum after one second against a much finer run.
double pendulumError(const char* integrator, double timestep) {
  const auto angle = [&](double h) {
    Model m = modelOf(std::string("<mujoco><option integrator='") + integrator + R"('/><worldbody><body>
      <joint axis="0 1 0"/><geom size=".1" pos="0 0 -1"/><body pos="0 0 -1"><joint axis="1 1 0"/><geom size=".1" pos="0 .2 -.5"/>
      </body></body></worldbody></mujoco>)");
    m.opt.timestep = h;
    m.opt.disableflags |= disable::kContact;
    Data d(m);
    d.qpos[0] = 1.5;
    d.qvel[1] = 1;
    run(m, d, static_cast<int>(std::lround(1 / h)));
    return d.qpos[0];
  };
  return std::abs(angle(timestep) - angle(timestep / 16));
}

// Halving the step divides the error by 2^p; the finer reference run shifts the ratio by less than 16^-p.
TEST(Integrators, ConvergeWithTheirOrder) {
  EXPECT_NEAR(pendulumError("RK4", 1. / 50) / pendulumError("RK4", 1. / 100), 16, tolerance(2));
  for (const char* integrator : {"Euler", "implicit", "implicitfast"}) {
    EXPECT_NEAR(pendulumError(integrator, 1. / 500) / pendulumError(integrator, 1. / 1000), 2, tolerance(.1))
        << integrator;
  }
}

TEST(RungeKutta, ConservesTheEnergyOfAPendulumToFourthOrder) {
  Model m =
      modelOf(R"(<mujoco><option integrator="RK4" timestep="0.01"><flag energy="enable"/></option><worldbody><body>
    <joint axis="0 1 0"/><geom size=".1" pos="0 0 -1"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qpos[0] = 2;
  forward(m, d);
  const double start = d.energy[0] + d.energy[1];
  run(m, d, 1000);
  forward(m, d);
  EXPECT_NEAR((d.energy[0] + d.energy[1]) / start, 1, tolerance(1e-6));  // 10 s at h = 0.01: about h^4 per second
}

TEST(RungeKutta, MovesActivationsTimeAndWarmStart) {
  const Model m = modelOf(R"(<mujoco><option integrator="RK4" timestep="0.01" gravity="0 0 0"/><worldbody><body>
    <joint name="j" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
    <actuator><general joint="j" dyntype="integrator"/></actuator></mujoco>)");
  Data d(m);
  d.ctrl[0] = 6;
  run(m, d, 10);
  const double t = .1;  // jerk 6: cubic motion, which RK4 integrates exactly
  EXPECT_NEAR(d.time, t, tolerance(1e-14));
  EXPECT_NEAR(d.act[0], 6 * t, tolerance(1e-13));
  EXPECT_NEAR(d.qvel[0], 3 * t * t, tolerance(1e-13));
  EXPECT_NEAR(d.qpos[0], t * t * t, tolerance(1e-13));
  EXPECT_EQ(d.qacc_warmstart[0], d.qacc[0]);
}

constexpr const char* kTumbling = R"(<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body><freejoint/>
  <geom type="box" size=".1 .2 .4" mass="3"/></body></worldbody></mujoco>)";

Vec3 angularMomentum(const Model& m, const Data& d) {
  const Mat3 R = mat3(d.ximat.data(), 1);
  const Vec3 w = R.transpose() * toMatrix(normalized(Quat::load(&d.qpos[3]))) * ConstMapVec3(&d.qvel[3]);
  return R * vec3(m.body_inertia.data(), 1).cwiseProduct(w);
}

// After 2 s. First order in h for the one-stage integrators. Runge-Kutta averages rotation vectors without the
// commutators that a true fourth-order step on the sphere of rotations would need, so it is better but not fourth
// order.
TEST(Integrators, TumblingBodyKeepsItsAngularMomentum) {
  for (const auto& [integrator, drift] : {std::pair{Integrator::RK4, 1e-5},
                                          {Integrator::Euler, 2e-2},
                                          {Integrator::Implicit, 2e-2},
                                          {Integrator::ImplicitFast, 2e-2}}) {
    Model m = modelOf(kTumbling);
    m.opt.integrator = integrator;
    Data d(m);
    d.qvel[3] = .3, d.qvel[4] = 4, d.qvel[5] = .2;  // near the unstable middle axis
    forward(m, d);
    const Vec3 start = angularMomentum(m, d);
    run(m, d, 1000);
    forward(m, d);
    EXPECT_NEAR((angularMomentum(m, d) - start).norm() / start.norm(), 0, tolerance(drift));
  }
}

TEST(Implicit, FastEqualsFullForAStandaloneFreeBody) {
  Model m = modelOf(R"(<mujoco><option density="10" viscosity=".1" timestep=".01"/><worldbody><body><freejoint/>
    <geom type="ellipsoid" size=".1 .2 .3" pos=".1 .05 0" fluidshape="ellipsoid"/></body></worldbody></mujoco>)");
  Data full(m), fast(m);
  test::randomizeState(m, full, 1);
  test::randomizeState(m, fast, 1);
  for (int i = 0; i < 20; ++i) {
    m.opt.integrator = Integrator::Implicit;
    step(m, full);
    m.opt.integrator = Integrator::ImplicitFast;
    step(m, fast);
  }
  EXPECT_TRUE(allNear(full.qpos, fast.qpos, 1e-12));
  EXPECT_TRUE(allNear(full.qvel, fast.qvel, 1e-11));
}

// Without velocity-dependent bias forces (one slide per tree and dampers only) all three solve the same equation.
TEST(Implicit, AgreesWithDampedEulerWhereOnlyDofDampingDependsOnVelocity) {
  Model m = modelOf(R"(<mujoco><option timestep=".01"/><worldbody>
    <body><joint type="slide" axis="0 0 1" damping="3 1"/><geom size=".1" mass="1"/></body>
    <body><joint type="slide" axis="1 0 1" damping="2" stiffness="5"/><geom size=".1" mass="2"/></body></worldbody></mujoco>)");
  m.opt.disableflags |= disable::kContact;
  Array<double> results[3];
  int k = 0;
  for (const Integrator integrator : {Integrator::Euler, Integrator::Implicit, Integrator::ImplicitFast}) {
    m.opt.integrator = integrator;
    Data d(m);
    d.qvel[0] = 1;
    d.qvel[1] = -2;
    run(m, d, 50);
    results[k++] = d.qvel;
  }
  EXPECT_TRUE(allNear(results[1], results[0], 1e-13));
  EXPECT_TRUE(allNear(results[2], results[0], 1e-13));
}

TEST(Advance, StoresTheSolversAccelerationAsWarmStart) {
  Model m = modelOf(test::kRichModel);
  m.opt.integrator = Integrator::ImplicitFast;
  Data d(m);
  test::randomizeState(m, d, 4);
  step(m, d);
  EXPECT_EQ(d.qacc_warmstart, d.qacc);
  EXPECT_EQ(d.time, m.opt.timestep);
}

}  // namespace
}  // namespace sinew
