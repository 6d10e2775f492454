#include "collision/near_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "collision/bounding_tree.h"
#include "model/bounding_tree.h"
#include "model/near_pairs.h"
#include "sinew/load.h"
#include "support/free_bodies.h"

namespace sinew {
namespace {

using Box = BoundingTree::Box;

constexpr int kCount = 60;

/// A model of that many balls: what matters of it here is the order of its bodies.
Model balls() {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < kCount; ++i) text += "<body><freejoint/><geom size=\"0.1\"/></body>";
  return compile(readMjcfText(text + "</worldbody></mujoco>", "balls.xml"));
}

Box moved(const Box& box, const std::array<double, 3>& by) {
  Box result = box;
  for (int k = 0; k < 3; ++k) {
    result.lower[k] += by[static_cast<std::size_t>(k)];
    result.upper[k] += by[static_cast<std::size_t>(k)];
  }
  return result;
}

using Pairs = std::vector<std::pair<int, int>>;

Pairs overlapping(std::span<const Box> boxes) {
  Pairs pairs;
  for (int i = 0; i < kCount; ++i) {
    for (int j = i + 1; j < kCount; ++j) {
      if (overlap(boxes[static_cast<std::size_t>(i)], boxes[static_cast<std::size_t>(j)])) pairs.push_back({i, j});
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
  Model model = balls();
  std::vector<int> colliders = std::vector<int>(kCount);
  std::vector<Box> boxes = std::vector<Box>(kCount);
  NearPairs near;
  Arena arena;

  explicit Scene(test::Random& random) {
    std::iota(colliders.begin(), colliders.end(), 0);
    for (Box& box : boxes) {
      for (int k = 0; k < 3; ++k) box.upper[k] = (box.lower[k] = random.number(-1, 1)) + random.number(0.1, 0.5);
    }
  }
  void update() { updateNearPairs(model, colliders, boxes, near, arena); }
};

/// Some stand still, some creep, some fly for a while, and in every step two jump to a third.
TEST(NearPairs, AreAllThatOverlapWhateverMoves) {
  test::Random random(7);
  Scene scene(random);
  for (int step = 0; step < 400; ++step) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const double reach = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-3 : i % 4 == 2 ? 0.01 : step % 50 < 10 ? 0.2 : 1e-4;
      scene.boxes[i] = moved(scene.boxes[i], random.vector(reach));
    }
    const auto any = [&] { return static_cast<std::size_t>(random.integer(0, kCount - 1)); };
    const std::size_t target = any();
    for (int k = 0; k < 2; ++k) scene.boxes[any()] = moved(scene.boxes[target], random.vector(0.1));
    scene.update();
    Pairs found = listed(scene.near);
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, overlapping(scene.boxes)) << "step " << step;
  }
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

TEST(NearPairs, StartAgainWithOtherColliders) {
  test::Random random(10);
  Scene scene(random);
  scene.update();
  std::swap(scene.colliders[3], scene.colliders[50]);
  std::swap(scene.boxes[3], scene.boxes[7]);
  scene.update();
  for (const NearPairs::Pair& p : scene.near.pair) {
    const auto colliders = std::minmax(p.colliders.first, p.colliders.second);
    const auto items = std::minmax(scene.colliders[static_cast<std::size_t>(p.first)],
                                   scene.colliders[static_cast<std::size_t>(p.second)]);
    EXPECT_EQ(colliders.first, items.first);
    EXPECT_EQ(colliders.second, items.second);
  }
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

}  // namespace
}  // namespace sinew
