#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/tolerance.h"

/// What contacts must do according to text-book mechanics.
namespace sinew {
namespace {

using test::tolerance;

constexpr double kGravity = 9.81;
constexpr double kDegree = std::numbers::pi / 180;

/// A block or ball on a plane inclined by `degrees` about y; gravity is turned instead of the plane, downhill is +x.
/// Soft contacts lift a sliding body: friction is part of the same convex problem as the normal, and equilibrium moves
/// up by about 2 mu v timeconst. A short time constant keeps that small, the margin keeps the contact while it happens.
std::string onSlope(double degrees, double friction, const std::string& body, const std::string& option,
                    double margin = 0.01) {
  return fmt::format(
      R"(<mujoco><option timestep="0.0005" gravity="{} 0 {}" {}/><default><geom solref="0.002 1"/></default><worldbody>
         <geom type="plane" size="50 50 1" friction="{}" margin="{}"/><body pos="0 0 {}"><freejoint/>{}</body>
         </worldbody></mujoco>)",
      kGravity * std::sin(degrees * kDegree), -kGravity * std::cos(degrees * kDegree), option, friction, margin,
      0.1 + margin, body);
}

const std::string kBlock = R"(<geom type="box" size="0.2 0.2 0.1" density="500" friction="1e-5"/>)";
const std::string kCones[] = {R"(cone="pyramidal")", R"(cone="elliptic")"};

void settle(const Model& m, Data& d, double duration) {
  const double end = d.time + duration;
  while (d.time < end) step(m, d);
}

// Coulomb: friction is mu times the normal force at every instant, and the normal impulse of a body that ends at the
// height it started from is m g T, so it stops after T = v0 / (mu g) = 0.5097 s, however it may hop and rock on the
// way.
TEST(ContactPhysics, SlidingBlockStopsAfterTheTimeThatMuGGives) {
  for (const std::string& cone : kCones) {
    const Model m = compile(readMjcfText(onSlope(0, 0.4, kBlock, cone)));
    Data d(m);
    settle(m, d, 0.5);
    d.qvel[0] = 2;
    const double start = d.time;
    while (d.qvel[0] > 0.01 && d.time < start + 2) step(m, d);
    EXPECT_NEAR(d.time - start, 2 / (0.4 * kGravity), tolerance(0.02 * 0.5097)) << cone;
    settle(m, d, 1);
    EXPECT_NEAR(d.qvel[0], 0, tolerance(2e-3)) << cone;
    EXPECT_TRUE(d.status.ok());
  }
}

// VALID-8: g (sin a - mu cos a) = 2.35629 m/s^2 at 30 degrees and mu = 0.3.
TEST(VALID_8, BlockSlidesDownAnInclineWithCoulombFriction) {
  for (const std::string& cone : kCones) {
    const Model m = compile(readMjcfText(onSlope(30, 0.3, kBlock, cone)));
    Data d(m);
    settle(m, d, 0.5);
    const double v0 = d.qvel[0], t0 = d.time;
    settle(m, d, 1);
    EXPECT_NEAR((d.qvel[0] - v0) / (d.time - t0), 2.35629, tolerance(0.005 * 2.35629)) << cone;
  }
}

// Without a margin, which would move the contact point away from the sphere. A solid sphere that rolls without
// slipping: 5/7 g sin a = 3.50357 m/s^2 at 30 degrees.
TEST(VALID_8, SphereRollsDownAnIncline) {
  for (const std::string& cone : kCones) {
    const Model m = compile(readMjcfText(onSlope(30, 1, R"(<geom size="0.1" friction="1 0 0"/>)", cone, 0)));
    Data d(m);
    settle(m, d, 0.3);
    const double v0 = d.qvel[0], t0 = d.time;
    settle(m, d, 1);
    EXPECT_NEAR((d.qvel[0] - v0) / (d.time - t0), 3.50357, tolerance(0.005 * 3.50357)) << cone;
  }
}

// tan(20 degrees) = 0.364: 0.5 holds. The regularized cone creeps; noslip takes that away.
TEST(ContactPhysics, BlockHoldsBelowTheFrictionAngle) {
  const Model m = compile(readMjcfText(onSlope(20, 0.5, kBlock, R"(cone="elliptic" noslip_iterations="30")")));
  Data d(m);
  settle(m, d, 0.5);
  const double x = d.qpos[0];
  settle(m, d, 5);
  EXPECT_NEAR(d.qpos[0], x, tolerance(1e-3));
}

TEST(ContactPhysics, StackOfTenBoxesStandsForTenSeconds) {
  std::string bodies;
  for (int i = 0; i < 10; ++i) {
    bodies +=
        fmt::format(R"(<body pos="0 0 {}"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>)", 0.1 + 0.2 * i);
  }
  const Model m =
      compile(readMjcfText("<mujoco><option timestep=\"0.002\"/><worldbody><geom type=\"plane\" size=\"5 5 1\"/>" +
                           bodies + "</worldbody></mujoco>"));
  Data d(m);
  settle(m, d, 10);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(d.qpos[7 * i], 0, tolerance(0.01)) << "box " << i;
    EXPECT_NEAR(d.qpos[7 * i + 1], 0, tolerance(0.01)) << "box " << i;
    // each contact gives way by a fraction of a millimetre under the weight above it
    EXPECT_NEAR(d.qpos[7 * i + 2], 0.1 + 0.2 * i, tolerance(0.02)) << "box " << i;
  }
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

// No gravity, nothing else to push against: contact forces come in pairs.
TEST(ContactPhysics, MomentumIsConservedWhenFreeBodiesCollide) {
  const Model m = compile(readMjcfText(R"(<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody>
      <body pos="-0.5 0.02 0"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body pos="0 0 0.03"><freejoint/><geom size="0.12" density="3000"/></body>
      <body pos="0.5 -0.03 0" euler="10 20 30"><freejoint/><geom type="capsule" size="0.08 0.1"/></body>
      </worldbody></mujoco>)"));
  Data d(m);
  d.qvel[0] = 2;
  d.qvel[12] = -3;
  std::vector<double> before(3, 0);
  const auto momentum = [&] {
    std::vector<double> p(3, 0);
    for (int body = 1; body < m.nbody; ++body) {
      for (int i = 0; i < 3; ++i) p[i] += m.body_mass[body] * d.qvel[6 * (body - 1) + i];
    }
    return p;
  };
  before = momentum();
  bool touched = false;
  for (int i = 0; i < 600; ++i) {
    step(m, d);
    touched = touched || d.ncon() > 0;
  }
  EXPECT_TRUE(touched);
  EXPECT_TRUE(test::allNear(momentum(), before, 1e-9));
}

TEST(ContactPhysics, ContactForcesOfARestingBoxAddUpToItsWeight) {
  for (const std::string& cone : kCones) {
    const Model m = compile(readMjcfText(onSlope(0, 1, kBlock, cone)));
    Data d(m);
    settle(m, d, 2);
    double sum = 0;
    for (int i = 0; i < d.ncon(); ++i) sum += contactForce(m, d, i)[0];
    EXPECT_EQ(d.ncon(), 4);
    EXPECT_NEAR(sum, m.body_mass[1] * kGravity, tolerance(1e-5) * sum) << cone;
  }
}

/// Boxes, balls and capsules with every kind of row, so that islands, cones and friction all matter.
std::string mixedScene(const std::string& option) {
  return fmt::format(R"(<mujoco><option {}/><worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 0.099"><freejoint/><geom type="box" size="0.2 0.2 0.1" condim="4"/></body>
    <body pos="0.05 0 0.298"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body pos="2 0 0.09"><freejoint/><geom size="0.1" condim="6"/></body>
    <body pos="-2 0 0.095" euler="0 90 0"><freejoint/><geom type="capsule" size="0.1 0.2" condim="1"/></body>
    <body pos="0 2 1"><joint name="h" axis="0 1 0" range="-5 5" frictionloss="0.3"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
      <body pos="0.5 0 0"><joint name="k" axis="0 1 0" frictionloss="0.1"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/></body></body>
    </worldbody><equality><joint joint1="k" joint2="h" polycoef="0 0.5 0 0 0"/></equality></mujoco>)",
                     option);
}

// One convex problem has one solution: all solvers, with and without islands, dense and sparse, must find it. PGS
// converges linearly, hence many iterations.
TEST(Solvers, AgreeOnTheOptimumWhateverTheForm) {
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    std::vector<double> expected;
    for (const std::string solver : {"Newton", "CG", "PGS"}) {
      for (const std::string jacobian : {"dense", "sparse"}) {
        for (const std::string island : {"enable", "disable"}) {
          const Model m = compile(readMjcfText(mixedScene(fmt::format(
              R"(cone="{}" solver="{}" jacobian="{}" iterations="20000" tolerance="1e-16" ls_tolerance="1e-6")", cone,
              solver, jacobian))));
          Model run = m;
          if (island == "disable") run.opt.disableflags |= disable::kIsland;
          Data d(run);
          for (int i = 0; i < run.nv; ++i) d.qvel[i] = 0.1 * std::sin(1.0 + i);
          forward(run, d);
          const std::vector<double> qacc(d.qacc.begin(), d.qacc.end());
          if (expected.empty()) expected = qacc;
          EXPECT_TRUE(test::allNear(qacc, expected, 2e-4, 1e-5))
              << cone << " " << solver << " " << jacobian << ", islands " << island;
        }
      }
    }
  }
}

// The motion of a box that friction brakes or holds does not depend on its mass.
TEST(Solvers, GaussSeidelKnowsNoScaleOfMass) {
  for (const double degrees : {5.0, 25.0}) {
    for (const std::string noslip : {"0", "5"}) {
      double expected = 0;
      for (const double mass : {1.0, 1e-7, 1e6}) {
        const std::string block =
            fmt::format(R"(<geom type="box" size="0.2 0.2 0.1" mass="{}" friction="1e-5"/>)", mass);
        const Model m = compile(readMjcfText(onSlope(
            degrees, 0.2, block,
            fmt::format(R"(solver="PGS" cone="elliptic" iterations="100" tolerance="1e-14" noslip_iterations="{}")",
                        noslip))));
        Data d(m);
        settle(m, d, 0.5);
        if (expected == 0) expected = d.qpos[0];
        EXPECT_NEAR(d.qpos[0], expected, 1e-4) << mass << " kg at " << degrees << " degrees, noslip " << noslip;
      }
      const double g = kGravity * (std::sin(degrees * kDegree) - 0.2 * std::cos(degrees * kDegree));
      EXPECT_NEAR(expected, std::max(0.0, 0.5 * g * 0.25), 0.02) << "Coulomb's law, " << degrees << " degrees";
    }
  }
}

TEST(Solvers, AStepWithContactsAllocatesNothingAfterWarmUp) {
  for (const std::string solver : {"Newton", "CG", "PGS"}) {
    const Model m = compile(readMjcfText(mixedScene(fmt::format(R"(solver="{}")", solver))));
    Data d(m);
    for (int i = 0; i < 200; ++i) step(m, d);
    const test::AllocationGuard guard(solver);
    for (int i = 0; i < 20; ++i) step(m, d);
  }
}

TEST(Solvers, TwoRunsGiveTheSameBits) {
  const Model m = compile(readMjcfText(mixedScene("")));
  Data a(m), b(m);
  for (int i = 0; i < 300; ++i) {
    step(m, a);
    step(m, b);
  }
  EXPECT_EQ(stateHash(m, a), stateHash(m, b));
}

// Deep overlap, coincident centres, huge speeds: finite numbers or a status that says where, never an exit.
TEST(ContactPhysics, AbsurdStatesStayFiniteOrAreReported) {
  const Model m = compile(readMjcfText(R"(<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 0"><freejoint/><geom size="0.1"/></body><body pos="0 0 0"><freejoint/><geom size="0.1"/></body>
      <body pos="0 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body pos="0 0 0"><freejoint/><geom type="capsule" size="0.1 0.1"/></body>
      <body pos="0 0 0"><freejoint/><geom type="capsule" size="0.1 0.1"/></body>
      <body pos="0 0 0"><freejoint/><geom type="cylinder" size="0.1 0.1"/></body>
      <body pos="0 0 0"><freejoint/><geom type="ellipsoid" size="0.1 0.2 0.3"/></body></worldbody></mujoco>)"));
  Data d(m);
  d.qvel[0] = 1e4;
  d.qvel[8] = -1e4;
  for (int i = 0; i < 100; ++i) step(m, d);
  for (const double x : d.qpos) EXPECT_TRUE(std::isfinite(x));
}

// MuJoCo 3.12 finds two contacts for twelve of the 24 orders, three for the others: it looks up the neighbours of the
// deepest vertex under the number of another one.
TEST(ContactPhysics, ATetrahedronStandsOnThreeCornersInWhateverOrderItsVerticesAre) {
  const std::array<const char*, 4> vertex = {"-.1 -.1 0 ", ".1 -.1 0 ", "0 .12 0 ", "0 0 .15 "};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  do {
    std::string vertices;
    for (const std::size_t i : order) vertices += vertex[i];
    const Model m = compile(readMjcfText("<mujoco><asset><mesh name='t' vertex='" + vertices +
                                         "'/></asset><worldbody><geom type='plane' size='1 1 1' pos='0 0 .001'/><body>"
                                         "<freejoint/><geom type='mesh' mesh='t'/></body></worldbody></mujoco>"));
    Data d(m);
    forward(m, d);
    ASSERT_EQ(d.ncon(), 3) << vertices;
    for (const Contact& contact : d.contact) EXPECT_NEAR(contact.dist, -0.001, 1e-7) << vertices;  // single precision
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace sinew
