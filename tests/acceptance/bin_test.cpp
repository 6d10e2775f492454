#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sinew/query.h"
#include "sinew/world.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// A thousand boxes dropped into a bin.
namespace sinew {
namespace {

using test::tolerance;

#ifdef SINEW_SANITIZED
constexpr int kBoxes = 100, kPerSide = 10;
#else
constexpr int kBoxes = 1000, kPerSide = 10;
#endif
constexpr double kHalfWidth = 2.3;

struct Bin {
  World world{{.slop = 1e-4, .sleeping = true}};
  std::vector<BodyId> boxes;

  Bin() {
    world.addStatic(Plane{}, {.name = "floor"});
    const double wall = 0.5, reach = kHalfWidth + 2 * wall, at = kHalfWidth + wall;
    for (const double side : {-1.0, 1.0}) {
      world.addStatic(Box{{wall, reach, 5}}, {.position = {side * at, 0, 5}});
      world.addStatic(Box{{reach, wall, 5}}, {.position = {0, side * at, 5}});
    }
    std::mt19937 generator(3);
    const auto uniform = [&](double lo, double hi) {
      return std::uniform_real_distribution<double>(lo, hi)(generator);
    };
    const double spacing = 2 * kHalfWidth / kPerSide;
    for (int i = 0; i < kBoxes; ++i) {
      const int x = i % kPerSide, y = i / kPerSide % kPerSide, z = i / (kPerSide * kPerSide);
      Quaternion q{};
      std::normal_distribution<double> normal;
      for (double& part : q) part = normal(generator);
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (double& part : q) part /= length;
      const Vector3 half{uniform(0.1, 0.2), uniform(0.1, 0.2), uniform(0.1, 0.2)};
      boxes.push_back(world.addBody(
          Box{half}, {.position = {spacing * (x + 0.5) - kHalfWidth, spacing * (y + 0.5) - kHalfWidth, 0.5 + 0.7 * z},
                      .orientation = q,
                      .restitution = 0.2}));
    }
  }
  int asleep() const {
    return static_cast<int>(std::count_if(boxes.begin(), boxes.end(), [&](BodyId b) { return !world.isAwake(b); }));
  }
};

/// Deepest overlap of any two geoms, by the convex algorithm that resting boxes do not use; of boxes with the floor by
/// their corners.
double deepestOverlap(const Model& m, Data d) {
  double deepest = 0;
  const auto center = [&](int g) { return test::vec3(d.geom_xpos.data(), g); };
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_type[g] == GeomType::Plane) continue;
    if (m.geom_bodyid[g] > 0 && m.body_dofnum[m.geom_bodyid[g]] > 0) {
      const test::Mat3 R = test::mat3(d.geom_xmat.data(), g);
      const double lowest = center(g).z() - R.row(2).cwiseAbs().dot(test::vec3(m.geom_size.data(), g));
      deepest = std::max(deepest, -lowest);
    }
    for (int other = 0; other < g; ++other) {
      const bool still = m.body_dofnum[m.geom_bodyid[g]] == 0 && m.body_dofnum[m.geom_bodyid[other]] == 0;
      if (still || m.geom_type[other] == GeomType::Plane) continue;
      if ((center(other) - center(g)).norm() > m.geom_rbound[g] + m.geom_rbound[other]) continue;
      deepest = std::max(deepest, -distance(m, d, {ObjType::Geom, g}, {ObjType::Geom, other}, 1e-3).distance);
    }
  }
  return deepest;
}

// Dropped from up to seven metres, in any orientation, with the default hundred sweeps. Nothing is done to help them:
// boxes fall asleep by themselves, when all that lie on each other have been at rest for ten steps.
TEST(Bin, AThousandBoxesComeToRestAsleepWithLessThanAMillimetreOfPenetration) {
  Bin bin;
  World& w = bin.world;
  while (w.time() < 8 && bin.asleep() < kBoxes) w.update(1.0 / 120);
  EXPECT_EQ(bin.asleep(), kBoxes) << "after " << w.time() << " s";
  EXPECT_EQ(w.trouble(), "");
  const double overlap = deepestOverlap(w.model(), w.data());
  EXPECT_LT(overlap, tolerance(1e-3));
  EXPECT_GT(overlap, 1e-6) << "they do touch";
  for (const BodyId box : bin.boxes) {
    const Vector3 at = w.state(box).position;
    EXPECT_LT(std::max(std::abs(at[0]), std::abs(at[1])), kHalfWidth) << "none has left the bin";
    EXPECT_GT(at[2], 0.09);
    EXPECT_LT(at[2], 4);
  }
}

}  // namespace
}  // namespace sinew
