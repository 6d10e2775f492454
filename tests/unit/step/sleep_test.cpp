#include "sinew/sleep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sinew/errors.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/mjcf_text.h"
#include "support/refusal.h"

namespace sinew {
namespace {

using test::modelOf;

constexpr int kWideAwake = -11;

std::string scene(const std::string& bodies, const std::string& rest = "", const std::string& option = "") {
  return "<mujoco><option " + option +
         "><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 .01'/>" + bodies + "</worldbody>" +
         rest + "</mujoco>";
}

std::string box(const std::string& name, double x, double z, const std::string& attributes = "") {
  return "<body name='" + name + "' pos='" + std::to_string(x) + " 0 " + std::to_string(z) + "' " + attributes +
         "><freejoint/><geom type='box' size='.1 .1 .1'/></body>";
}

/// Two stacks of boxes next to each other, and a pendulum that never rests.
const std::string kPile = box("a", 0, .1) + box("b", .02, .299) + box("c", -.01, .498) + box("d", 1, .1) +
                          box("e", 1.01, .299) +
                          "<body pos='0 2 2'><joint name='swing' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body>";
constexpr int kPileTrees = 5;

/// Steps until everything but the last tree sleeps; the number of steps, or -1 if it does not come to that.
int settle(const Model& m, Data& d, int sleepers, int most = 2000) {
  for (int i = 1; i <= most; ++i) {
    step(m, d);
    if (m.ntree - d.ntree_awake == sleepers) return i;
  }
  return -1;
}

std::vector<double> tail(const Array<double>& values, int from) { return {values.begin() + from, values.end()}; }

TEST(Sleep, TakesTenStepsAtRest) {
  Model m = modelOf(scene("<body pos='0 0 1'><freejoint/><geom size='.1'/></body>", "", "gravity='0 0 0'"));
  Data d(m);
  EXPECT_EQ(d.tree_asleep[0], kWideAwake);
  for (int i = 1; i < 10; ++i) {
    step(m, d);
    EXPECT_EQ(d.tree_asleep[0], kWideAwake + i);
  }
  step(m, d);
  EXPECT_EQ(d.tree_asleep[0], 0);  // a ring of one
  EXPECT_EQ(d.ntree_awake, 0);
  EXPECT_TRUE(isAsleep(m, d, 1));
  EXPECT_FALSE(isAsleep(m, d, 0));
}

TEST(Sleep, MeasuresRotationsByTheSizeOfTheBody) {
  Model m = modelOf(scene("<body pos='0 0 1'><freejoint/><geom size='.1'/></body>", "", "gravity='0 0 0'"));
  ASSERT_GT(m.dof_length[4], 0);
  for (const double share : {.99, 1.01}) {
    Data d(m);
    d.qvel[4] = share * m.opt.sleep_tolerance / m.dof_length[4];
    for (int i = 0; i < 20; ++i) step(m, d);
    EXPECT_EQ(isAsleep(m, d, 1), share < 1);
    EXPECT_EQ(d.qvel[4] == 0, share < 1) << "what falls asleep stops";
  }
}

TEST(Sleep, StacksFallAsleepTogetherAndApartFromOthers) {
  const Model m = modelOf(scene(kPile));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  EXPECT_EQ(d.tree_asleep[0], 1);
  EXPECT_EQ(d.tree_asleep[1], 2);
  EXPECT_EQ(d.tree_asleep[2], 0);
  EXPECT_EQ(d.tree_asleep[3], 4);
  EXPECT_EQ(d.tree_asleep[4], 3);
  EXPECT_EQ(d.nv_awake, 1);
  EXPECT_EQ(d.dof_awake_ind[0], m.nv - 1);

  const Array<double> before = d.qpos;
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_EQ(d.ncon(), 0) << "contacts among what sleeps are not looked for";
  EXPECT_TRUE(std::equal(before.begin(), before.end() - 1, d.qpos.begin()));
  EXPECT_NE(before.back(), d.qpos.back());
}

TEST(Sleep, BallWakesWhatItHits) {
  const Model m = modelOf(scene(kPile + "<body name='ball' pos='3 0 .1'><freejoint/><geom size='.1'/></body>"));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees + 1), 0);
  const Array<double> rest = d.qpos;
  double* ball = &d.qpos[m.nq - 7];
  ball[0] = 0, ball[2] = .9;
  step(m, d);
  EXPECT_EQ(d.ntree_awake, 2) << "the ball was moved, so it is awake; the pile is not yet";
  int steps = 0;
  while (isAsleep(m, d, 1) && ++steps < 500) step(m, d);
  ASSERT_LT(steps, 500);
  EXPECT_GT(d.ncon(), 3) << "woken in the same step, with all its contacts";
  EXPECT_FALSE(isAsleep(m, d, 2));
  EXPECT_FALSE(isAsleep(m, d, 3));
  EXPECT_TRUE(isAsleep(m, d, 4)) << "the other stack sleeps on";
  for (int i = 0; i < 50; ++i) step(m, d);
  EXPECT_FALSE(std::equal(rest.begin(), rest.begin() + 21, d.qpos.begin()));
  EXPECT_TRUE(std::equal(rest.begin() + 21, rest.begin() + 35, d.qpos.begin() + 21));
  EXPECT_TRUE(d.status.ok());
}

struct Way {
  Solver solver;
  Integrator integrator;
};

class SleepWays : public ::testing::TestWithParam<Way> {
 protected:
  Model model(const std::string& text) const {
    Model m = modelOf(text);
    m.opt.solver = GetParam().solver;
    m.opt.integrator = GetParam().integrator;
    m.opt.sleep_tolerance = 5e-3;
    return m;
  }
};

// Islands are independent, so what is awake must not notice, not even by a bit, that something else sleeps.
TEST_P(SleepWays, WhatIsAwakeMovesByTheSameBits) {
  const std::string movers =
      "<body pos='0 2 2'><joint axis='0 1 0' damping='.1'/><geom type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>"
      "<body pos='.5 0 0'><joint axis='0 1 0' range='-100 100' frictionloss='.01'/><geom size='.1' pos='.3 0 "
      "0'/></body>"
      "</body><body pos='3 0 .5' euler='10 20 30'><freejoint/><geom type='box' size='.1 .2 .3'/></body>";
  Model sleeping = model(scene(kPile + movers)), awake = sleeping;
  awake.opt.enableflags &= ~enable::kSleep;
  Data d(sleeping), e(awake);
  const int dof = 6 * kPileTrees, coordinate = 7 * kPileTrees;
  int slept = 0;
  for (int i = 0; i < 400; ++i) {
    step(sleeping, d);
    step(awake, e);
    slept += d.ntree_awake < sleeping.ntree - 1;
    ASSERT_EQ(tail(d.qpos, coordinate), tail(e.qpos, coordinate)) << "step " << i << ", " << slept << " of them asleep";
    ASSERT_EQ(tail(d.qvel, dof), tail(e.qvel, dof));
    ASSERT_EQ(tail(d.qacc_warmstart, dof), tail(e.qacc_warmstart, dof));
  }
  EXPECT_GT(slept, 100);
}

TEST_P(SleepWays, WakesIntoWhatAFreshEvaluationGives) {
  const Model m = model(scene(kPile));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  d.qfrc_applied[0] = 1e-3;
  forward(m, d);
  ASSERT_EQ(d.ntree_awake, 4);
  Data fresh = d;
  reset(m, fresh);
  for (const auto field : {&Data::qpos, &Data::qvel, &Data::qacc_warmstart, &Data::qfrc_applied}) {
    fresh.*field = d.*field;
  }
  forward(m, fresh);
  const auto stack = [](const Array<double>& values) {
    return std::vector<double>(values.begin(), values.begin() + 18);
  };
  for (const auto field : {&Data::qfrc_bias, &Data::qfrc_passive, &Data::qfrc_smooth, &Data::qacc_smooth,
                           &Data::qfrc_constraint, &Data::qacc, &Data::M, &Data::qLD, &Data::cdof, &Data::cvel}) {
    EXPECT_EQ(stack(d.*field), stack(fresh.*field));
  }
}

TEST_P(SleepWays, ContinuesBitForBitFromAStateSavedAsleep) {
  const Model m = model(scene(kPile + "<body pos='0 0 1'><freejoint/><geom size='.1'/></body>"));
  Data d(m);
  step(m, d);
  d.qpos[m.nq - 5] = 3;  // high up: the pile sleeps when the ball comes
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  Data other(m);
  restoreState(m, other, saveState(m, d));
  EXPECT_EQ(other.ntree_awake, d.ntree_awake);
  bool woke = false;
  for (int i = 0; i < 500; ++i) {
    step(m, d);
    step(m, other);
    ASSERT_EQ(stateHash(m, d), stateHash(m, other)) << "step " << i;
    woke = woke || !isAsleep(m, d, 1);
  }
  EXPECT_TRUE(woke);
}

INSTANTIATE_TEST_SUITE_P(All, SleepWays,
                         ::testing::Values(Way{Solver::Newton, Integrator::Euler}, Way{Solver::CG, Integrator::Euler},
                                           Way{Solver::PGS, Integrator::Euler}, Way{Solver::Newton, Integrator::RK4},
                                           Way{Solver::Newton, Integrator::Implicit},
                                           Way{Solver::Newton, Integrator::ImplicitFast}));

TEST(Sleep, IsTheSameForAnyNumberOfThreads) {
  const Model m = modelOf(scene(kPile + "<body pos='0 0 3'><freejoint/><geom size='.1'/></body>"));
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    Data d(m);
    d.threads = threads;
    int asleep = 0;
    for (int i = 0; i < 600; ++i) {
      step(m, d);
      asleep += m.ntree - d.ntree_awake;
    }
    EXPECT_GT(asleep, 100);
    hashes.push_back(stateHash(m, d));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

struct Disturbance {
  const char* name;
  std::function<void(Model&, Data&)> act;
};
class SleepDisturbed : public ::testing::TestWithParam<Disturbance> {};

TEST_P(SleepDisturbed, WakesTheWholeStack) {
  Model m = modelOf(scene(kPile));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  GetParam().act(m, d);
  forward(m, d);
  for (const int body : {1, 2, 3}) EXPECT_FALSE(isAsleep(m, d, body));
}

INSTANTIATE_TEST_SUITE_P(
    By, SleepDisturbed,
    ::testing::Values(Disturbance{"Position", [](Model&, Data& d) { d.qpos[7] = std::nextafter(d.qpos[7], 1); }},
                      Disturbance{"Orientation", [](Model&, Data& d) { d.qpos[4] += 1e-9; }},
                      Disturbance{"Velocity", [](Model&, Data& d) { d.qvel[8] = 1e-300; }},
                      Disturbance{"Force", [](Model&, Data& d) { d.qfrc_applied[13] = 1; }},
                      Disturbance{"CartesianForce", [](Model&, Data& d) { d.xfrc_applied[6 * 2 + 5] = 1; }},
                      Disturbance{"Call", [](Model& m, Data& d) { wake(m, d, 1); }},
                      Disturbance{"Policy", [](Model& m, Data&) { m.tree_sleep_policy[2] = SleepPolicy::Never; }},
                      Disturbance{"Flag", [](Model& m, Data&) { m.opt.enableflags &= ~enable::kSleep; }}),
    [](const auto& info) { return info.param.name; });

TEST(Sleep, StaysAsleepWhenTheSameNumbersAreWritten) {
  const Model m = modelOf(scene(kPile));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  d.qpos[0] = d.qpos[0] + 0.0;
  d.qfrc_applied[3] = -0.0;
  step(m, d);
  EXPECT_TRUE(isAsleep(m, d, 1));
}

TEST(Sleep, TreesWithActuatorsStayAwakeUnlessAskedFor) {
  const auto arm = [](const char* policy) {
    return scene(std::string("<body pos='0 0 2' gravcomp='1' sleep='") + policy +
                     "'><joint name='j' axis='0 1 0' damping='1'/><geom size='.1' pos='.2 0 0'/></body>",
                 "<actuator><general joint='j' dyntype='filter' dynprm='.1'/></actuator>");
  };
  for (const auto& [policy, sleeps] :
       {std::pair{"auto", false}, std::pair{"never", false}, std::pair{"allowed", true}}) {
    const Model m = modelOf(arm(policy));
    Data d(m);
    for (int i = 0; i < 20; ++i) step(m, d);
    EXPECT_EQ(isAsleep(m, d, 1), sleeps) << policy;
    if (!sleeps) continue;
    d.ctrl[0] = 1;
    for (int i = 0; i < 1000; ++i) step(m, d);
    EXPECT_TRUE(isAsleep(m, d, 1)) << "a control is no reason to wake";
    EXPECT_EQ(d.actuator_force[0], 0);
    EXPECT_NEAR(d.act[0], 1, 1e-6) << "but the activation follows it";
  }
}

TEST(SleepInitially, TreesHangInTheAirUntilSomethingComes) {
  const Model m = modelOf(scene(box("a", 0, 1, "sleep='init'") + box("b", .05, 1.19, "sleep='init'") +
                                box("c", 3, 1, "sleep='init'") + box("d", 0, 2)));
  Data d(m);
  EXPECT_EQ(d.ntree_awake, 1);
  EXPECT_EQ(d.tree_asleep[0], 1);  // they overlap, so they sleep together
  EXPECT_EQ(d.tree_asleep[1], 0);
  EXPECT_EQ(d.tree_asleep[2], 2);
  int steps = 0;
  while (isAsleep(m, d, 1) && ++steps < 1000) step(m, d);
  // falls from 2 to 1.39: t = sqrt(2 * 0.61 / 9.81)
  EXPECT_NEAR(steps * m.opt.timestep, std::sqrt(2 * .61 / 9.81), 3 * m.opt.timestep);
  EXPECT_FALSE(isAsleep(m, d, 2));
  EXPECT_TRUE(isAsleep(m, d, 3));
  EXPECT_EQ(d.qpos[14 + 2], 1);
}

TEST(SleepInitially, KeyframesWakeWhatTheyMove) {
  const Model m = modelOf(
      scene(box("a", 0, 1, "sleep='init'") + box("b", 3, 1, "sleep='init'"),
            "<keyframe><key qpos='0 0 1.5 1 0 0 0  3 0 1 1 0 0 0'/><key qvel='0 0 0 0 0 0  0 0 1 0 0 0'/></keyframe>"));
  Data d(m);
  resetToKey(m, d, 0);
  forward(m, d);
  EXPECT_FALSE(isAsleep(m, d, 1));
  EXPECT_TRUE(isAsleep(m, d, 2));
  resetToKey(m, d, 1);
  forward(m, d);
  EXPECT_TRUE(isAsleep(m, d, 1));
  EXPECT_FALSE(isAsleep(m, d, 2));
}

TEST(SleepInitially, IsRefusedNextToSomethingAwake) {
  try {
    modelOf(scene(box("a", 0, 1, "sleep='init'") + box("b", .05, 1.19)));
    FAIL() << "no error";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("<body name=\"a\">: 'sleep' cannot be \"init\""), std::string::npos)
        << error.what();
  }
}

TEST(Sleep, MocapBodiesWakeWhatTheyTouch) {
  const Model m =
      modelOf(scene(box("a", 0, .1) + "<body name='hand' mocap='true' pos='0 0 3'><geom size='.1'/></body>"));
  Data d(m);
  ASSERT_GT(settle(m, d, 1), 0);
  for (int i = 0; i < 20; ++i) step(m, d);
  EXPECT_TRUE(isAsleep(m, d, 1));
  d.mocap_pos[2] = .29;
  step(m, d);
  EXPECT_FALSE(isAsleep(m, d, 1));
  EXPECT_LT(d.qvel[2], -1e-3);
}

TEST(Sleep, EqualitiesSwitchedOnWakeBothSides) {
  const Model m = modelOf(scene(box("a", 0, .1) + box("b", 1, .1),
                                "<equality><connect body1='a' body2='b' anchor='.5 0 0' active='false'/></equality>"));
  Data d(m);
  ASSERT_GT(settle(m, d, 2), 0);
  EXPECT_EQ(d.tree_asleep[0], 0);
  EXPECT_EQ(d.tree_asleep[1], 1);
  d.eq_active[0] = 1;
  step(m, d);
  EXPECT_EQ(d.ntree_awake, 2);
  EXPECT_EQ(d.ne, 3);
  EXPECT_EQ(d.ncon(), 8) << "what wakes has its contacts at once";
  ASSERT_GT(settle(m, d, 2), 0);
  EXPECT_EQ(d.tree_asleep[0], 1) << "now they sleep together";
}

TEST(Sleep, TautTendonsWake) {
  const Model m =
      modelOf(scene("<body pos='0 0 2' sleep='init'><freejoint/><geom size='.1'/><site name='a'/></body>"
                    "<body pos='0 0 1.8'><freejoint/><geom size='.05'/><site name='b'/></body>",
                    "<tendon><spatial range='0 .3'><site site='a'/><site site='b'/></spatial></tendon>"));
  Data d(m);
  int steps = 0;
  while (isAsleep(m, d, 1) && ++steps < 1000) step(m, d);
  EXPECT_NEAR(steps * m.opt.timestep, std::sqrt(2 * .1 / 9.81), 2 * m.opt.timestep);
  EXPECT_GE(d.ten_length[0], .3);
}

TEST(Sleep, SensorsOfSleepingThingsKeepTheirValues) {
  const Model m = modelOf(scene(
      "<body name='ball' pos='0 0 .1'><freejoint/><geom size='.1'/><site name='s' pos='0 0 -.1' size='.05'/></body>"
      "<body pos='0 2 2'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body>",
      "<sensor><touch site='s'/><framepos objtype='body' objname='ball'/><jointpos joint='j'/><clock/></sensor>"));
  Data d(m);
  ASSERT_GT(settle(m, d, 1), 0);
  const double weight = 9.81 * m.body_mass[1];
  EXPECT_NEAR(d.sensordata[0], weight, 1e-2 * weight);
  const Array<double> before = d.sensordata;
  for (int i = 0; i < 10; ++i) step(m, d);
  EXPECT_EQ(d.sensordata[0], before[0]);
  EXPECT_EQ(d.sensordata[3], before[3]);
  EXPECT_NE(d.sensordata[4], before[4]);
  EXPECT_NE(d.sensordata[5], before[5]);
}

TEST(Sleep, DoesNotHappenWithoutIslands) {
  Model m = modelOf(scene(kPile));
  m.opt.disableflags |= disable::kIsland;
  Data d(m);
  EXPECT_EQ(settle(m, d, kPileTrees, 600), -1);
  EXPECT_EQ(d.ntree_awake, m.ntree);
}

TEST(Sleep, AllocatesNothingAfterWarmUp) {
  const Model m = modelOf(scene(kPile));
  Data d(m);
  ASSERT_GT(settle(m, d, kPileTrees), 0);
  d.qvel[2] = .01;
  step(m, d);
  const test::AllocationGuard guard("sleeping, waking, falling asleep again");
  EXPECT_GT(settle(m, d, kPileTrees), 0);
  d.qvel[2] = .01;
  step(m, d);
  EXPECT_GT(settle(m, d, kPileTrees), 0);
}

// ---- flexes ---------------------------------------------------------------------------------------------------------

std::string cloth(const std::string& inside) {
  return scene(
      "<body pos='0 0 .012'><flexcomp name='cloth' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1' "
      "radius='.01' mass='.2'>" +
          inside + "</flexcomp></body>" + box("box", 3, .1),
      "", "sleep_tolerance='.02' viscosity='2'");
}

TEST(SleepingFlex, SleepsAndWakesAsAWhole) {
  const Model m = modelOf(cloth("<edge equality='true' damping='.01'/>"));
  Data d(m);
  const int nodes = 16;
  ASSERT_EQ(m.ntree, nodes + 1);
  ASSERT_GT(settle(m, d, nodes + 1, 4000), 0);
  const Array<double> before = d.qpos;
  for (int i = 0; i < 20; ++i) step(m, d);
  EXPECT_EQ(before, d.qpos);
  EXPECT_EQ(d.nefc(), 0);

  d.qvel[m.nv_rigid + 3 * 5] = .1;  // one node
  forward(m, d);
  EXPECT_EQ(d.ntree_awake, nodes);
  EXPECT_GT(d.nefc(), 0);
  EXPECT_TRUE(isAsleep(m, d, m.tree_bodyadr[0])) << "the box is far away";
  ASSERT_GT(settle(m, d, nodes + 1, 4000), 0);

  // the box falls on it
  d.qpos[0] = 0, d.qpos[2] = .3;
  step(m, d);
  EXPECT_EQ(d.ntree_awake, 1);
  int steps = 0;
  while (d.ntree_awake == 1 && ++steps < 500) step(m, d);
  EXPECT_EQ(d.ntree_awake, nodes + 1);
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_TRUE(d.status.ok());
}

TEST(SleepingFlex, PinnedNodesBelongToIt) {
  const Model m = modelOf(cloth("<edge equality='true' damping='.01'/><pin id='0'/>"));
  Data d(m);
  ASSERT_GT(settle(m, d, m.ntree, 4000), 0);
  int pinned = 0;
  while (!m.flexnode_pinned[pinned]) ++pinned;
  d.qpos[m.nq_rigid + 3 * pinned] += .01;  // how a pinned node is led
  forward(m, d);
  EXPECT_EQ(d.ntree_awake, m.nflexnode - 1) << "all that can move";
}

TEST(SleepingFlex, ElasticOnesSleepOnlyIfAskedFor) {
  Model m = modelOf(cloth("<elasticity young='1e4' poisson='.2' thickness='.01' damping='.01' elastic2d='stretch'/>"));
  for (const Integrator integrator : {Integrator::Euler, Integrator::ImplicitFast}) {
    m.opt.integrator = integrator;
    for (const bool allowed : {false, true}) {
      for (int tree = 1; tree < m.ntree; ++tree) {
        m.tree_sleep_policy[tree] = allowed ? SleepPolicy::Allowed : SleepPolicy::AutoNever;
      }
      Data d(m);
      if (!allowed) {
        EXPECT_EQ(settle(m, d, m.ntree, 500), -1);
        continue;
      }
      ASSERT_GT(settle(m, d, m.ntree, 4000), 0);
      const Array<double> before = d.qpos;
      for (int i = 0; i < 20; ++i) step(m, d);
      EXPECT_EQ(before, d.qpos);
      d.qfrc_applied[m.nv_rigid + 2] = 1;
      for (int i = 0; i < 20; ++i) step(m, d);
      EXPECT_GT(d.qpos[m.nq_rigid + 2], before[m.nq_rigid + 2]);
      EXPECT_TRUE(d.status.ok());
    }
  }
}

TEST(Sleep, API_1_WrongNumbersAndForeignDataAreNamed) {
  const Model m = modelOf(scene(kPile)), other = modelOf("<mujoco/>");
  Data d(m), alien(other);
  EXPECT_EQ(test::refusal([&] { isAsleep(m, d, -1); }), "isAsleep: body is -1, must be in [0, 6]");
  EXPECT_EQ(test::refusal([&] { isAsleep(m, d, 7); }), "isAsleep: body is 7, must be in [0, 6]");
  EXPECT_EQ(test::refusal([&] { wake(m, d, 6); }), "wake: tree is 6, must be in [0, 5]");
  EXPECT_EQ(test::refusal([&] { wake(other, alien, 0); }), "wake: tree is 0, but the model has none");
  EXPECT_EQ(test::refusal([&] { isAsleep(m, alien, 0); }), "isAsleep: the Data was made for another Model");
  EXPECT_EQ(test::refusal([&] { wake(m, alien, 0); }), "wake: the Data was made for another Model");
  EXPECT_EQ(test::refusal([&] { wakeAll(m, alien); }), "wakeAll: the Data was made for another Model");
}

}  // namespace
}  // namespace sinew
