#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/sleep.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/allocation_guard.h"
#include "support/tolerance.h"

/// Sleeping under the impulse solver: what sleepers keep, and how they wake.
namespace sinew {
namespace {

using test::tolerance;

/// Columns of cubes of 0.4 m, a metre apart, a ball far above each of the first ones, and a pendulum that never sleeps.
struct Columns {
  Columns(int columns, int height) : count(columns * height), m(compile(readMjcfText(mjcf(columns, height)))), d(m) {}

  static std::string mjcf(int columns, int height) {
    std::string world;
    for (int i = 0; i < columns * height; ++i) {
      world += fmt::format(R"(<body pos="{} 0 {}"><freejoint/><geom type="box" size=".2 .2 .2" mass="1"/></body>)",
                           i / height, 0.2 + 0.4 * (i % height));
    }
    return fmt::format(R"(<mujoco><option solver="Impulse" method="sweep" timestep="0.005">
      <flag sleep="enable"/></option><worldbody><geom type="plane" size="90 9 1"/>{}
      <body pos="-5 0 5"><joint axis="0 1 0"/><geom pos="0.5 0 0" size="0.1"/></body>
      <body pos="-9 0 0.1"><freejoint/><geom size="0.1" mass="2"/></body></worldbody></mujoco>)",
                       world);
  }
  void steps(int n) {
    for (int i = 0; i < n; ++i) step(m, d);
  }
  int asleep() const {
    return static_cast<int>(
        std::count_if(d.tree_asleep.begin(), d.tree_asleep.begin() + count, [](int t) { return t >= 0; }));
  }
  void settle() {
    steps(600);
    ASSERT_EQ(asleep(), count);
  }
  /// Puts the ball beside the middle of the first column, on its way to it.
  void throwBall(double speed) {
    double* q = d.qpos.data() + 7 * count + 1;
    q[0] = -0.6;
    q[1] = 0.03;
    q[2] = 1;
    d.qvel[6 * count + 1] = speed;
  }
  double fastest() const {
    double most = 0;
    for (int i = 0; i < 6 * count; ++i) most = std::max(most, std::abs(d.qvel[i]));
    return most;
  }

  int count;
  Model m;
  Data d;
};

TEST(ImpulseSleep, ASleepingStackStaysPutBitForBit) {
  Columns run(1, 6);
  run.settle();
  const std::vector<double> poses(run.d.qpos.begin(), run.d.qpos.begin() + 7 * run.count);
  const auto memories = run.d.row_memory.size();
  EXPECT_GT(memories, 0);
  const double angle = run.d.qpos[7 * run.count];
  run.steps(10'000);
  EXPECT_TRUE(std::equal(poses.begin(), poses.end(), run.d.qpos.begin()));
  EXPECT_EQ(run.asleep(), run.count);
  EXPECT_EQ(run.d.row_memory.size(), memories);
  EXPECT_NE(run.d.qpos[7 * run.count], angle) << "the pendulum went on";
}

// The column carries itself from the first step on, with ten sweeps. Without its impulses ten sweeps leave most of the
// weight above the lowest cube to itself, and it sinks by gravity's velocity per step, 0.05 m/s.
TEST(ImpulseSleep, AWokenStackStartsFromTheImpulsesItHad) {
  Columns run(1, 10);
  run.m.opt.iterations = 10;
  run.settle();
  run.steps(500);
  wake(run.m, run.d, 0);
  step(run.m, run.d);
  EXPECT_EQ(run.asleep(), 0);
  EXPECT_LT(run.fastest(), tolerance(5e-4)) << "as fast as it was when it fell asleep";
  run.m.opt.iterations = 100;
  run.steps(200);
  EXPECT_EQ(run.asleep(), run.count) << "nothing happened to it";

  Columns forgetful(1, 10);
  forgetful.settle();
  forgetful.m.opt.iterations = 10;
  forgetful.d.row_memory.clear();
  wake(forgetful.m, forgetful.d, 0);
  step(forgetful.m, forgetful.d);
  EXPECT_GT(forgetful.fastest(), 1e-2) << "this is what the memory is for";
}

TEST(ImpulseSleep, AThrownBodyWakesWhatItHitsAndNothingElse) {
  Columns run(3, 4);
  run.settle();
  run.throwBall(2);
  run.steps(60);
  for (int i = 0; i < run.count; ++i) {
    EXPECT_EQ(isAsleep(run.m, run.d, i + 1), i >= 4) << "cube " << i;
  }
  EXPECT_GT(run.fastest(), 1e-3);
  run.steps(4000);  // the column rocks as one block, which loses energy slowly
  EXPECT_EQ(run.asleep(), run.count);
  EXPECT_TRUE(run.d.status.ok());
}

TEST(ImpulseSleep, AForceOnASleeperWakesItsStack) {
  Columns run(2, 3);
  run.settle();
  run.d.xfrc_applied[6 * 3] = 20;  // more than friction holds of the topmost cube
  run.steps(1);
  EXPECT_EQ(run.asleep(), 3);
  run.steps(20);
  EXPECT_GT(run.d.qvel[6 * 2], 0.1);
}

TEST(ImpulseSleep, AStateSavedWhileAsleepContinuesBitForBit) {
  Columns run(2, 5);
  run.settle();
  const auto state = saveState(run.m, run.d);
  Data copy = run.d, restored(run.m);
  restoreState(run.m, restored, state);
  EXPECT_EQ(stateHash(run.m, restored), stateHash(run.m, run.d));
  for (Data* d : {&run.d, &copy, &restored}) {
    for (int i = 0; i < 400; ++i) {
      if (i == 50) {
        d->qpos[7 * run.count + 1] = -0.6;
        d->qpos[7 * run.count + 3] = 1;
        d->qvel[6 * run.count + 1] = 3;
      }
      step(run.m, *d);
    }
  }
  EXPECT_EQ(stateHash(run.m, copy), stateHash(run.m, run.d));
  EXPECT_EQ(stateHash(run.m, restored), stateHash(run.m, run.d));
}

TEST(ImpulseSleep, ThreadsLeaveNoTrace) {
  const tbb::global_control fourThreads(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<std::vector<std::uint64_t>> hashes;
  for (const int threads : {1, 2, 4}) {
    Columns run(8, 6);
    run.d.threads = threads;
    std::vector<std::uint64_t>& hash = hashes.emplace_back();
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 400; ++i) {
        step(run.m, run.d);
        if (i % 100 == 0) hash.push_back(stateHash(run.m, run.d));
      }
      EXPECT_GT(run.asleep(), 0);
      run.throwBall(2 + round);
    }
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(ImpulseSleep, StepsBesideSleepersDoNotAllocate) {
  Columns run(4, 5);
  run.settle();
  const test::AllocationGuard guard("step beside sleepers");
  run.steps(20);
}

// ------------------------------------------------------------------------------------------ through a World

struct Tower {
  World world{{.sleeping = true}};
  BodyId floor = world.addStatic(Plane{});
  std::vector<BodyId> cubes;
  int began = 0, ended = 0;

  explicit Tower(int height) {
    for (int i = 0; i < height; ++i)
      cubes.push_back(world.addBody(Box{}, {.position = {0, 0, 0.5 + i}, .restitution = 0}));
    world.onContactBegin([this](const ContactEvent&) { ++began; });
    world.onContactEnd([this](const ContactEvent&) { ++ended; });
  }
  void run(int updates) {
    for (int i = 0; i < updates; ++i) world.update(1.0 / 120);
  }
  int awake() const {
    return static_cast<int>(std::count_if(cubes.begin(), cubes.end(), [&](BodyId c) { return world.isAwake(c); }));
  }
};

// A pair touches from its first contact to its last, whether it sleeps meanwhile or not
TEST(ImpulseSleep, SleepersGoOnTouching) {
  Tower tower(4);
  tower.run(300);
  ASSERT_EQ(tower.awake(), 0);
  EXPECT_EQ(tower.began, 4);
  tower.run(100);
  tower.world.applyForce(tower.cubes[3], {1, 0, 0});
  tower.run(1);
  EXPECT_EQ(tower.awake(), 4);
  tower.run(300);
  EXPECT_EQ(tower.awake(), 0);
  EXPECT_EQ(tower.began, 4) << "waking is no new touch";
  EXPECT_EQ(tower.ended, 0);
  tower.world.applyImpulse(tower.cubes[3], {0, 0, 3000});
  tower.run(20);
  EXPECT_EQ(tower.ended, 1) << "the topmost cube has left";
}

// Impulses of sleepers survive a change of the model elsewhere; the tower wakes as if nothing had been changed
TEST(ImpulseSleep, AddingABodyElsewhereDoesNotMakeSleepersForget) {
  Tower changed(8), same(8);
  changed.run(300);
  same.run(300);
  ASSERT_EQ(changed.awake(), 0);
  changed.world.addBody(Sphere{0.2}, {.position = {20, 0, 3}});
  changed.run(5);
  EXPECT_EQ(changed.awake(), 0);
  same.run(5);
  for (Tower* tower : {&changed, &same}) {
    tower->world.applyForce(tower->cubes[7], {0.1, 0, 0});
    tower->run(1);
    EXPECT_EQ(tower->awake(), 8);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const BodyState a = changed.world.state(changed.cubes[i]), b = same.world.state(same.cubes[i]);
    EXPECT_EQ(a.position, b.position) << "cube " << i;
    EXPECT_EQ(a.velocity, b.velocity) << "cube " << i;
  }
}

TEST(ImpulseSleep, TakingAwayASupportLetsTheRestFallAndLandAgain) {
  Tower tower(4);
  tower.run(300);
  ASSERT_EQ(tower.awake(), 0);
  tower.world.remove(tower.cubes[1]);
  tower.cubes.erase(tower.cubes.begin() + 1);
  tower.run(1);
  EXPECT_EQ(tower.awake(), 3);
  tower.run(400);
  EXPECT_EQ(tower.awake(), 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(tower.world.state(tower.cubes[i]).position[2], 0.5 + static_cast<double>(i), tolerance(1e-3));
  }
}

}  // namespace
}  // namespace sinew
