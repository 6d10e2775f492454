#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sinew/world.h"
#include "support/tolerance.h"

/// Contacts that stay themselves: LIFT-3. LIFT-5, how few pairs are looked at, is in tests/unit.
namespace sinew {
namespace {

std::vector<std::uint64_t> identities(const World& w) {
  std::vector<std::uint64_t> ids;
  for (const WorldContact& c : w.contacts()) ids.push_back(c.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

TEST(WorldContacts, LIFT_3_ARestingCubeKeepsItsContactsAndGetsNewOnesWhenPutBack) {
  World w;
  w.addStatic(Plane{});
  const BodyId cube = w.addBody(Box{}, {.position = {0, 0, 0.5}});
  for (int i = 0; i < 30; ++i) w.update(1.0 / 60);
  const std::vector<std::uint64_t> first = identities(w);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end()) << "all different";
  for (int i = 0; i < 100; ++i) {
    if (i == 50) w.addBody(Sphere{}, {.position = {5, 0, 3}});  // survives compilation
    w.update(1.0 / 60);
    std::vector<std::uint64_t> now = identities(w);
    now.erase(std::remove_if(now.begin(), now.end(), [&](std::uint64_t id) { return id > first.back(); }), now.end());
    ASSERT_EQ(now, first) << i;
  }
  w.setPlacement(cube, {{0, 0, 2}, {1, 0, 0, 0}});
  w.setVelocity(cube, {}, {});
  w.update(1.0 / 60);
  w.setPlacement(cube, {{0, 0, 0.5}, {1, 0, 0, 0}});
  w.setVelocity(cube, {}, {});
  w.update(1.0 / 60);
  int ofCube = 0;
  for (const WorldContact& c : w.contacts()) {
    if (c.a.body != cube && c.b.body != cube) continue;
    ++ofCube;
    EXPECT_GT(c.id, first.back());
  }
  EXPECT_EQ(ofCube, 4);
}

}  // namespace
}  // namespace sinew
