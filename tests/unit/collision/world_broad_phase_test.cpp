#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "collision/bounding_tree.h"
#include "collision/collision.h"
#include "model/workspace.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/free_bodies.h"

/// How few pairs the broad phase looks at, and that it misses none: LIFT-5.
namespace sinew {
namespace {

/// Spheres of radius 0.5 on a lattice, 3 m apart.
World lattice(int count) {
  World w({.gravity = {0, 0, 0}});
  int side = 1;
  while (side * side * side < count) ++side;
  for (int i = 0; i < count; ++i) {
    w.addBody(Sphere{0.5}, {.position = {3.0 * (i % side), 3.0 * (i / side % side), 3.0 * (i / side / side)}});
  }
  w.update(0.01);
  return w;
}

/// Pairs of boxes that the broad phase compares, leaves and inner nodes.
int comparisons(const BoundingTree& tree, int a, int b) {
  int count = 1;
  if (!overlap(tree.box[a], tree.box[b]) || (tree.leaves[a] == 1 && tree.leaves[b] == 1)) return count;
  if (tree.leaves[a] >= tree.leaves[b]) {
    count += comparisons(tree, a + 1, b) + comparisons(tree, a + 2 * tree.leaves[a + 1], b);
  } else {
    count += comparisons(tree, a, b + 1) + comparisons(tree, a, b + 2 * tree.leaves[b + 1]);
  }
  return count;
}
int comparisons(const BoundingTree& tree, int node = 0) {
  if (tree.leaves[node] == 1) return 0;
  const int left = node + 1, right = node + 2 * tree.leaves[node + 1];
  return comparisons(tree, left) + comparisons(tree, right) + comparisons(tree, left, right);
}

TEST(WorldContacts, LIFT_5_SpheresFarApartReachNoNarrowPhase) {
  const World w = lattice(1000);
  int narrow = 0;
  forEachOverlap(w.data().work->nearPairs.tree, [&](int, int) { ++narrow; });
  EXPECT_EQ(narrow, 0);
  EXPECT_TRUE(w.contacts().empty());
}

TEST(WorldContacts, LIFT_5_CandidateTestsGrowAlmostLinearly) {
  const int few = comparisons(lattice(1000).data().work->nearPairs.tree);
  const int many = comparisons(lattice(2000).data().work->nearPairs.tree);
  EXPECT_GT(few, 0);
  EXPECT_LT(many, 2.5 * few);
  EXPECT_LT(few, 1000 * 999 / 2 / 10) << "far fewer than all pairs";
}

TEST(WorldContacts, LIFT_5_FindsWhatATestOfAllPairsFinds) {
  test::Random random(5);
  int found = 0;
  for (int scene = 0; scene < 100; ++scene) {
    World w({.solver = Solver::Newton});
    for (int i = 0; i < 40; ++i) {
      BodyOptions o;
      o.position = random.vector(1);
      o.orientation = random.orientation();
      Shape shape = Sphere{random.number(0.05, 0.3)};
      if (i % 3 == 1) shape = Box{{random.number(0.05, 0.3), random.number(0.05, 0.3), random.number(0.05, 0.3)}};
      if (i % 3 == 2) shape = Capsule{random.number(0.05, 0.2), random.number(0.05, 0.3)};
      w.addBody(shape, o);
    }
    const Model& m = w.model();
    Data d = w.data();
    forward(m, d);
    using Found = std::tuple<int, int, double>;
    std::vector<Found> engine, allPairs;
    for (const Contact& c : d.contact) {
      engine.emplace_back(std::min(c.geom[0], c.geom[1]), std::max(c.geom[0], c.geom[1]), c.dist);
    }
    const geom::CollideOptions options{m.opt.ccd_tolerance, m.opt.ccd_iterations, true};
    for (int g = 0; g < m.ngeom; ++g) {
      for (int other = g + 1; other < m.ngeom; ++other) {
        const bool swap = m.geom_type[other] < m.geom_type[g];
        Array<geom::ContactPoint> points;
        geom::collide(shapeOf(m, d, swap ? other : g), shapeOf(m, d, swap ? g : other), 0, options, points);
        for (const geom::ContactPoint& p : points) allPairs.emplace_back(g, other, p.dist);
      }
    }
    std::sort(engine.begin(), engine.end());
    std::sort(allPairs.begin(), allPairs.end());
    ASSERT_EQ(engine, allPairs) << "scene " << scene;
    found += static_cast<int>(engine.size());
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace sinew
