#include "collision/near_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "collision/bounding_tree.h"
#include "collision/collider_plan.h"
#include "model/bounding_tree.h"
#include "model/near_pairs.h"
#include "sinew/load.h"
#include "support/free_bodies.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

constexpr int kCount = 60;     // so many that rooms are looked after
constexpr int kFewBoxes = 12;  // so few that all pairs are listed

/// A model of that many balls: what matters of it here is the order of its bodies.
Model balls(int count) {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < count; ++i) text += "<body><freejoint/><geom size=\"0.1\"/></body>";
  return compile(readMjcfText(text + "</worldbody></mujoco>", "balls.xml"));
}

Box moved(const Box& box, const std::array<double, 3>& by) {
  Box result = box;
  for (int k = 0; k < 3; ++k) {
    result.lower[k] += by[k];
    result.upper[k] += by[k];
  }
  return result;
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs overlapping(std::span<const Box> boxes) {
  Pairs pairs;
  const int count = static_cast<int>(boxes.size());
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      if (overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
    }
  }
  return pairs;
}

Pairs listed(const NearPairs& near) {
  Pairs pairs;
  for (const NearPairs::Pair& p : near.pair) {
    if (overlap(near.box[p.first], near.box[p.second])) pairs.push_back(std::minmax(p.first, p.second));
  }
  return pairs;
}

struct Scene {
  Model model;
  std::vector<Box> boxes;
  NearPairs near;
  Arena arena;

  explicit Scene(test::Random& random, int count = kCount)
      : model(balls(count)), boxes(static_cast<std::size_t>(count)) {
    for (Box& box : boxes) {
      for (int k = 0; k < 3; ++k) box.upper[k] = (box.lower[k] = random.number(-1, 1)) + random.number(0.1, 0.5);
    }
  }
  void update() {
    updatePlan(model, near);
    updateNearPairs(model, boxes, near, arena);
  }
};

void expectAllThatOverlap(int count) {
  test::Random random(7);
  Scene scene(random, count);
  for (int step = 0; step < 400; ++step) {
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
      const double reach = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-3 : i % 4 == 2 ? 0.01 : step % 50 < 10 ? 0.2 : 1e-4;
      scene.boxes[i] = moved(scene.boxes[i], random.vector(reach));
    }
    const auto any = [&] { return static_cast<std::size_t>(random.integer(0, count - 1)); };
    const std::size_t target = any();
    for (int k = 0; k < 2; ++k) scene.boxes[any()] = moved(scene.boxes[target], random.vector(0.1));
    scene.update();
    Pairs found = listed(scene.near);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, overlapping(scene.boxes)) << "step " << step;
  }
}

/// Some stand still, some creep, some fly for a while, and in every step two jump to a third.
TEST(NearPairs, AreAllThatOverlapWhateverMoves) { expectAllThatOverlap(kCount); }

TEST(NearPairs, AreAllThatOverlapWhereAllPairsAreListed) {
  expectAllThatOverlap(kFewBoxes);
  test::Random random(7);
  Scene scene(random, kFewBoxes);
  scene.update();
  EXPECT_EQ(scene.near.pair.size(), kFewBoxes * (kFewBoxes - 1) / 2);
}

TEST(NearPairs, AreInTheOrderOfContactsAndThereOnce) {
  test::Random random(8);
  Scene scene(random);
  for (int step = 0; step < 100; ++step) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto by = random.vector(i % 10 == 0 ? 0.1 : 1e-3);
      scene.boxes[i] = moved(scene.boxes[i], by);
    }
    scene.update();
    for (std::ptrdiff_t k = 1; k < scene.near.pair.size(); ++k) {
      ASSERT_LT(scene.near.pair[k - 1].colliders, scene.near.pair[k].colliders);
    }
  }
}

/// Else nothing would be saved: a box that stays in its room has its pairs already.
TEST(NearPairs, AreKeptWhileBoxesStayInTheirRooms) {
  test::Random random(9);
  Scene scene(random);
  scene.update();
  for (int step = 0; step < 3; ++step) {
    for (Box& box : scene.boxes) box = moved(box, {1e-4, 0, 0});
    scene.update();
  }
  const Array<Box> rooms = scene.near.room;
  for (Box& box : scene.boxes) box = moved(box, {0, 1e-4, 0});
  scene.update();
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(rooms[i].lower[1], scene.near.room[i].lower[1]);
    EXPECT_LT(rooms[i].lower[1], scene.near.box[i].lower[1]);
  }
}

/// A collider that nothing may meet has no box, and those after it move up.
TEST(NearPairs, StartAgainWithOtherColliders) {
  test::Random random(10);
  Scene scene(random);
  scene.update();
  scene.model.geom_contype[3] = scene.model.geom_conaffinity[3] = 0;
  scene.boxes.erase(scene.boxes.begin() + 3);
  scene.update();
  ASSERT_EQ(scene.near.plan.bounded.size(), kCount - 1);
  ASSERT_GT(scene.near.pair.size(), 0);
  for (const NearPairs::Pair& p : scene.near.pair) {
    const auto colliders = std::minmax(p.colliders.first, p.colliders.second);
    const auto items = std::minmax(scene.near.plan.bounded[p.first], scene.near.plan.bounded[p.second]);
    EXPECT_EQ(colliders.first, items.first);
    EXPECT_EQ(colliders.second, items.second);
    EXPECT_NE(colliders.first, 3);
    EXPECT_NE(colliders.second, 3);
  }
  Pairs found = listed(scene.near);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, overlapping(scene.boxes));
}

// Pairs that the filters keep apart are not listed, and when a program changes what the filters look at, the list
// follows.
TEST(NearPairs, FollowTheFilters) {
  test::Random random(3);
  Scene scene(random);
  for (Box& box : scene.boxes) box = {{0, 0, 0}, {1, 1, 1}};  // all overlap
  const auto expect = [&](auto&& mayCollide) {
    scene.update();
    Pairs expected;
    for (int i = 0; i < kCount; ++i) {
      for (int j = i + 1; j < kCount; ++j) {
        if (mayCollide(i, j)) expected.push_back({i, j});
      }
    }
    EXPECT_EQ(listed(scene.near), expected);
  };
  expect([](int, int) { return true; });
  for (int i = 0; i < kCount; ++i) scene.model.geom_contype[i] = scene.model.geom_conaffinity[i] = i % 2 + 1;
  expect([](int i, int j) { return i % 2 == j % 2; });
  scene.model.geom_conaffinity[0] = 3;
  expect([](int i, int j) { return i % 2 == j % 2 || i == 0; });
  for (int i = 0; i < kCount; ++i) scene.model.geom_contype[i] = scene.model.geom_conaffinity[i] = 1;
  expect([](int, int) { return true; });
}

/// Geoms of one body, of bodies that are rigid to each other, of a parent and its child, of excluded bodies, without
/// matching bits: nothing of that is looked at in a step.
TEST(ColliderPlan, LeavesOutWhatMeetsNothing) {
  const Model m = compile(readMjcfText(R"(
    <mujoco>
      <worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <geom name="wall" size="0.1" contype="2" conaffinity="2"/>
        <body name="a">
          <freejoint/>
          <geom name="a1" size="0.1"/>
          <geom name="a2" size="0.1"/>
          <body name="rigid"><geom name="a3" size="0.1"/></body>
          <body name="child"><joint/><geom name="a4" size="0.1"/></body>
        </body>
        <body name="b"><freejoint/><geom name="b1" size="0.1"/></body>
        <body name="c"><freejoint/><geom name="c1" size="0.1" contype="0" conaffinity="0"/></body>
      </worldbody>
      <contact>
        <exclude body1="a" body2="b"/>
        <exclude body1="rigid" body2="b"/>
        <exclude body1="child" body2="b"/>
        <pair geom1="c1" geom2="floor"/>
      </contact>
    </mujoco>)",
                                       "plan.xml"));
  NearPairs near;
  updatePlan(m, near);
  EXPECT_TRUE(near.plan.bounded.empty());
  std::vector<int> onFloor;
  for (const ColliderPair& pair : near.plan.plane) onFloor.push_back(pair.second);
  std::sort(onFloor.begin(), onFloor.end());
  std::vector<int> expected;
  for (const char* name : {"a1", "a2", "a3", "a4", "b1"}) expected.push_back(findId(m, ObjType::Geom, name));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(onFloor, expected);
  ASSERT_EQ(near.plan.passing.size(), 1) << "of an explicit pair; planes are never passed";
  EXPECT_EQ(near.plan.passing[0], findId(m, ObjType::Geom, "c1"));
}

/// The plan follows a program that changes excludes and the filter of parents.
TEST(ColliderPlan, FollowsTheFilters) {
  Model m = compile(readMjcfText(R"(
    <mujoco>
      <worldbody>
        <body name="a"><freejoint/><geom size="0.1"/><body name="child"><joint/><geom size="0.1"/></body></body>
      </worldbody>
    </mujoco>)",
                                 "plan.xml"));
  NearPairs near;
  updatePlan(m, near);
  EXPECT_EQ(near.plan.bounded.size(), 0);
  near.isListed = true;
  m.opt.disableflags |= disable::kFilterParent;
  updatePlan(m, near);
  EXPECT_EQ(near.plan.bounded.size(), 2);
  EXPECT_FALSE(near.isListed);
  near.isListed = true;
  updatePlan(m, near);
  EXPECT_TRUE(near.isListed) << "nothing has changed";
  m.exclude_bodyid.assign(2, 1);
  m.exclude_bodyid[1] = 2;
  updatePlan(m, near);
  EXPECT_EQ(near.plan.bounded.size(), 0);
}

}  // namespace
}  // namespace sinew
