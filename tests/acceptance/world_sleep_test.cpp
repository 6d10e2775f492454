#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinew/world.h"
#include "support/tolerance.h"

/// Things at rest fall asleep in a World, and what wakes them.
namespace sinew {
namespace {

using test::tolerance;

struct Pile {
  World world{{.sleeping = true}};
  BodyId floor = world.addStatic(Plane{});
  std::vector<BodyId> cubes;

  Pile() {
    for (int i = 0; i < 3; ++i) cubes.push_back(world.addBody(Box{}, {.position = {0, 0, 0.5 + i}, .restitution = 0}));
  }
  int awake() const {
    return static_cast<int>(std::count_if(cubes.begin(), cubes.end(), [&](BodyId c) { return world.isAwake(c); }));
  }
  void run(int updates) {
    for (int i = 0; i < updates; ++i) world.update(1.0 / 60);
  }
};

TEST(WorldSleep, APileFallsAsleepAndKeepsSleepingWhileOtherThingsComeAndGo) {
  Pile p;
  int ended = 0;
  p.world.onContactEnd([&](const ContactEvent&) { ++ended; });
  EXPECT_EQ(p.awake(), 3);
  p.run(120);
  EXPECT_EQ(p.awake(), 0);
  EXPECT_EQ(ended, 0) << "sleepers still touch";
  const BodyState before = p.world.state(p.cubes[2]);
  const BodyId far = p.world.addBody(Sphere{}, {.position = {20, 0, 3}});
  p.run(10);
  EXPECT_EQ(p.awake(), 0);
  p.world.remove(far);
  p.run(10);
  EXPECT_EQ(p.awake(), 0);
  EXPECT_EQ(p.world.state(p.cubes[2]), before);
  EXPECT_EQ(p.world.trouble(), "");
}

TEST(WorldSleep, WhatTouchesOrPushesASleeperWakesIt) {
  Pile p;
  p.run(120);
  ASSERT_EQ(p.awake(), 0);
  p.world.applyImpulse(p.cubes[2], {0.1, 0, 0});
  p.run(1);
  EXPECT_EQ(p.awake(), 3) << "they fell asleep together";
  p.run(120);
  ASSERT_EQ(p.awake(), 0);
  p.world.addBody(Sphere{0.2}, {.position = {0, 0, 4}});
  p.run(30);
  EXPECT_EQ(p.awake(), 3);
}

TEST(WorldSleep, RemovingASleeperOrTheFloorLetsTheOthersFall) {
  Pile p;
  p.run(120);
  ASSERT_EQ(p.awake(), 0);
  p.world.remove(p.cubes[0]);
  p.cubes.erase(p.cubes.begin());
  p.run(5);
  EXPECT_EQ(p.awake(), 2);
  p.run(200);
  ASSERT_EQ(p.awake(), 0);
  EXPECT_NEAR(p.world.state(p.cubes[1]).position[2], 1.5, tolerance(1e-2));
  p.world.remove(p.floor);
  p.run(60);
  EXPECT_LT(p.world.state(p.cubes[1]).position[2], -1);
}

}  // namespace
}  // namespace sinew
