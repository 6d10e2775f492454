#include "sinew/step.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "support/allocation_guard.h"
#include "support/floating_point_traps.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr const char* kSlide =
    R"(<mujoco><worldbody><body><joint name="j" type="slide" axis="0 0 1" ref=".5"/><geom size=".1"/>
  </body><body pos="1 0 0"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
  <actuator><motor joint="j"/></actuator><sensor><jointpos joint="j"/><clock/></sensor></mujoco>)";

TEST(Step, AllocatesNothingAfterWarmUp) {
  for (const Integrator integrator :
       {Integrator::Euler, Integrator::RK4, Integrator::Implicit, Integrator::ImplicitFast}) {
    std::string text = test::kRichModel;
    text.insert(text.rfind("</mujoco>"),
                "<sensor><subtreelinvel body='base'/><accelerometer site='tip'/><force site='tip'/>"
                "<e_kinetic/><rangefinder site='foot'/></sensor>");
    Model m = modelOf(text);
    m.opt.integrator = integrator;
    Data d(m);
    test::randomizeState(m, d, 1, .3, .5);
    for (int i = 0; i < 3; ++i) step(m, d);
    inverse(m, d);
    {
      const test::AllocationGuard guard("step, forward, inverse");
      for (int i = 0; i < 5; ++i) step(m, d);
      forward(m, d);
      inverse(m, d);
    }
    EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  }
}

TEST(Step, IsFreeOfInvalidOperations) {
  Model m = modelOf(test::kRichModel);
  Data d(m);  // at rest, where directions of velocities do not exist
  const test::FloatingPointTraps traps;
  for (const Integrator integrator :
       {Integrator::Euler, Integrator::RK4, Integrator::Implicit, Integrator::ImplicitFast}) {
    m.opt.integrator = integrator;
    reset(m, d);
    for (int i = 0; i < 3; ++i) step(m, d);
  }
}

TEST(Step, SensorsBelongToTheStateBeforeTheStep) {
  const Model m = modelOf(kSlide);
  Data d(m);
  d.qpos[0] = 2;
  step(m, d);
  EXPECT_EQ(d.sensordata[0], 2);
  EXPECT_EQ(d.sensordata[1], 0);
  EXPECT_NE(d.qpos[0], 2);
  EXPECT_EQ(d.time, m.opt.timestep);
}

// Rows of no entries and sensors of no numbers may stand at the very end of their arrays.
TEST(Step, CopesWithTendonsActuatorsAndSensorsThatHaveNothing) {
  for (const Integrator integrator :
       {Integrator::Euler, Integrator::RK4, Integrator::Implicit, Integrator::ImplicitFast}) {
    Model m = modelOf(R"(<mujoco><worldbody><site name="a"/><site name="b" pos="1 0 0"/>
      <body><joint name="j" type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
      <tendon><spatial name="t" damping="1" stiffness="1" range="2 3"><site site="a"/><site site="b"/></spatial></tendon>
      <actuator><motor joint="j"/><velocity tendon="t" kv="1"/><velocity site="a" refsite="b" kv="1"/></actuator>
      <sensor><jointpos joint="j"/><user name="u" dim="0"/></sensor></mujoco>)");
    m.opt.integrator = integrator;
    Data d(m);
    for (int i = 0; i < 3; ++i) step(m, d);
    EXPECT_EQ(d.nefc(), 0);
    EXPECT_NEAR(d.qvel[0], -9.81 * 3 * m.opt.timestep, tolerance(1e-14));
  }
}

// A pinned node belongs to no tree, which neither the impulse solver nor falling asleep may take for the tree before
// the first.
TEST(Step, CopesWithPinnedNodesThatBelongToNoTree) {
  for (const char* option : {R"(solver="Impulse")", R"(solver="Impulse" integrator="implicitfast")",
                             R"(solver="Newton")", R"(solver="Newton" integrator="RK4")"}) {
    const Model m =
        modelOf(std::string("<mujoco><option sleep_tolerance='.1' ") + option + R"(><flag sleep="enable"/></option>
      <worldbody><geom type="plane" size="1 1 1"/><body pos=".5 .5 .05"><freejoint/><geom size=".05"/></body>
      <flexcomp name="f" type="grid" dim="1" count="4 1 1" spacing=".1 .1 .1" pos="0 0 .5" radius=".01" mass=".1">
      <contact selfcollide="none"/><edge equality="true"/><pin id="0"/></flexcomp></worldbody></mujoco>)");
    Data d(m);
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << option;
    EXPECT_LT(d.ntree_awake, m.ntree) << option;  // the ball sleeps
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(d.qpos[m.nq_rigid + i], m.qpos0[m.nq_rigid + i]) << option;
      EXPECT_EQ(d.qvel[m.nv_rigid + i], 0) << option;
      EXPECT_EQ(d.qacc_warmstart[m.nv_rigid + i], 0) << option;
    }
  }
}

TEST(Step, FallsFreely) {
  const Model m = modelOf(kSlide);
  Data d(m);
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_NEAR(d.qvel[0], -9.81 * .2, tolerance(1e-12));
  // semi-implicit Euler: q = q0 - g h^2 n (n + 1) / 2
  EXPECT_NEAR(d.qpos[0], .5 - 9.81 * .002 * .002 * 100 * 101 / 2, tolerance(1e-12));
}

TEST(Step, ABadPositionResetsAndIsReported) {
  const Model m = modelOf(kSlide);
  Data d(m);
  for (int i = 0; i < 4; ++i) step(m, d);
  const double time = d.time;
  d.qpos[1] = kNaN;
  step(m, d);
  EXPECT_EQ(d.time, m.opt.timestep) << "one step after the reset";
  EXPECT_EQ(d.status[Trouble::BadQpos].count, 1);
  EXPECT_EQ(d.status[Trouble::BadQpos].first, 1);
  EXPECT_EQ(d.status[Trouble::BadQpos].time, time);
  EXPECT_EQ(d.status[Trouble::BadQvel].count, 0);
  EXPECT_NEAR(d.qpos[0], .5, 1e-3);
}

TEST(Step, ABadVelocityResetsAndIsReported) {
  const Model m = modelOf(kSlide);
  Data d(m);
  d.qvel[0] = 2e10;
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQvel].count, 1);
  EXPECT_EQ(d.status[Trouble::BadQvel].first, 0);
  EXPECT_NEAR(d.qvel[0], -9.81 * .002, tolerance(1e-15));
}

TEST(Step, ABadAccelerationResetsAndIsReported) {
  const Model m = modelOf(kSlide);
  Data d(m);
  d.qfrc_applied[1] = 1e300;
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQacc].count, 1);
  EXPECT_EQ(d.status[Trouble::BadQacc].first, 1);
  EXPECT_NEAR(d.qvel[1], -9.81 * .002, tolerance(1e-15));
}

TEST(Step, WithoutAutoresetTroubleIsOnlyCounted) {
  Model m = modelOf(kSlide);
  m.opt.disableflags |= disable::kAutoReset;
  Data d(m);
  d.qvel[0] = kNaN;
  step(m, d);
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQvel].count, 2);
  EXPECT_EQ(d.status[Trouble::BadQvel].time, 0);
  EXPECT_GT(d.time, m.opt.timestep);
}

TEST(Forward, ComputesWhatStepStartsWith) {
  const Model m = modelOf(test::kRichModel);
  Data stepped(m), evaluated(m);
  test::randomizeState(m, stepped, 2);
  test::randomizeState(m, evaluated, 2);
  step(m, stepped);
  forward(m, evaluated);
  EXPECT_EQ(stepped.qacc, evaluated.qacc);
  EXPECT_EQ(stepped.qfrc_smooth, evaluated.qfrc_smooth);
  EXPECT_EQ(stepped.xpos, evaluated.xpos);
}

// A pair is asked for, so a scene of mocap bodies only tells whether it touches; nothing can yield: there are no rows.
TEST(Forward, FindsContactsOfPairsWhereNothingHasDofs) {
  const Model m = modelOf(R"(<mujoco><worldbody><body mocap="true"><geom name="a" size=".1"/></body>
    <body mocap="true" pos=".15 0 0"><geom name="b" size=".1"/></body></worldbody>
    <contact><pair geom1="a" geom2="b"/></contact></mujoco>)");
  Data d(m);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 1);
  EXPECT_NEAR(d.contact[0].dist, -0.05, tolerance(1e-15));
  EXPECT_EQ(d.contact[0].exclude, ContactExclude::NoDofs);
  EXPECT_EQ(d.nefc(), 0);
}

TEST(Step, ARestoredStateRunsOnBitForBit) {
  Model m = modelOf(test::kRichModel);
  m.opt.integrator = Integrator::ImplicitFast;
  Data d(m);
  test::randomizeState(m, d, 3, .3, .5);
  for (int i = 0; i < 5; ++i) step(m, d);
  const std::vector<std::byte> state = saveState(m, d);
  for (int i = 0; i < 5; ++i) step(m, d);
  Data other(m);
  restoreState(m, other, state);
  for (int i = 0; i < 5; ++i) step(m, other);
  EXPECT_EQ(stateHash(m, d), stateHash(m, other));
}

}  // namespace
}  // namespace sinew
