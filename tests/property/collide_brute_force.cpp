#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "geom/collide.h"
#include "geom/support.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;
using geom::Shape;

constexpr std::array<GeomType, 6> kConvexTypes = {GeomType::Sphere,   GeomType::Capsule, GeomType::Ellipsoid,
                                                  GeomType::Cylinder, GeomType::Box,     GeomType::Mesh};

using TypePair = std::pair<GeomType, GeomType>;

std::vector<TypePair> allPairs() {
  std::vector<TypePair> pairs;
  for (std::size_t i = 0; i < kConvexTypes.size(); ++i) {
    for (std::size_t j = i; j < kConvexTypes.size(); ++j) pairs.emplace_back(kConvexTypes[i], kConvexTypes[j]);
  }
  return pairs;
}

std::string nameOf(const testing::TestParamInfo<TypePair>& info) {
  constexpr std::array<const char*, 8> kNames = {"Plane",     "HField",   "Sphere", "Capsule",
                                                 "Ellipsoid", "Cylinder", "Box",    "Mesh"};
  return std::string(kNames[static_cast<std::size_t>(info.param.first)]) +
         kNames[static_cast<std::size_t>(info.param.second)];
}

class ConvexPairs : public testing::TestWithParam<TypePair> {
 protected:
  struct Pair {
    OwnedShape a, b;
  };

  /// Two shapes of the parameter's types in random poses; their centres are `low` to `high` times the sum of their
  /// bounding radii apart.
  Pair draw(double low, double high) {
    const OwnedShape a = randomShape(GetParam().first, rng_), b = randomShape(GetParam().second, rng_);
    const double apart = std::uniform_real_distribution<double>(low, high)(rng_) * (a.shape.rbound + b.shape.rbound);
    const Vec3 center = randomVector(rng_, -1, 1);
    const Vec3 direction = randomVector(rng_, -1, 1).normalized();
    const Mat3 rotA = randomRotation(rng_), rotB = randomRotation(rng_);
    return {a.at(center, rotA), b.at(center + apart * direction, rotB)};
  }

  /// Depths below which a pair with a closed form keeps to another rule than the smallest translation: a capsule whose
  /// axis enters the other shape is pushed out as a row of balls.
  double deepestExact(const Pair& p) const {
    const auto [a, b] = GetParam();
    if (a != GeomType::Capsule) return -1e300;
    if (b == GeomType::Capsule) return -(p.a.shape.size[0] + p.b.shape.size[0]);
    return b == GeomType::Box ? -p.a.shape.size[0] : -1e300;
  }

  /// The iterations stop at 1e-6, or earlier on curved shapes: the expanding polytope gives up faces that lie beyond
  /// the best bound found so far, and may run out of them. Two boxes may be separated along a face although an edge
  /// would be up to 5 % shorter.
  double depthTolerance(double depth) const {
    const auto [a, b] = GetParam();
    if (a == GeomType::Box && b == GeomType::Box) return 1e-6 + 0.06 * std::abs(depth);
    const auto isCurved = [](GeomType t) { return t == GeomType::Ellipsoid || t == GeomType::Cylinder; };
    return isCurved(a) || isCurved(b) ? 5e-5 : 3e-6;
  }

  std::mt19937 rng_{20240607u};
};

TEST_P(ConvexPairs, DepthIsTheSmallestTranslationThatSeparates) {
  int touching = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const Pair p = draw(0.25, 0.9);
    const double expected = bruteForceDistance(p.a.shape, p.b.shape);
    if (std::abs(expected) < 1e-4 || expected < deepestExact(p)) continue;
    Array<ContactPoint> contacts;
    CollideOptions options;
    options.multiContact = false;  // clipped faces report the depth of each of their corners instead
    options.iterations = 400;      // the default of 35 ends before round shapes that overlap deeply reach the tolerance
    const int count = geom::collide(p.a.shape, p.b.shape, 0, options, contacts);
    ASSERT_EQ(count, contacts.size());
    ASSERT_EQ(count > 0, expected < 0) << "trial " << trial << ", brute force " << expected;
    if (count == 0) continue;
    ++touching;
    const ContactPoint deepest = *std::min_element(
        contacts.begin(), contacts.end(), [](const ContactPoint& u, const ContactPoint& v) { return u.dist < v.dist; });
    EXPECT_NEAR(deepest.normal.norm(), 1, tolerance(1e-12));
    // a translation along the normal by that much separates the shapes, and no direction of the scan does it with less
    const double slack = tolerance(depthTolerance(expected));
    EXPECT_NEAR(separation(p.a.shape, p.b.shape, deepest.normal), deepest.dist, slack) << "trial " << trial;
    EXPECT_GE(deepest.dist, expected - slack) << "trial " << trial;
  }
  EXPECT_GT(touching, 4);
}

TEST_P(ConvexPairs, DistanceWhenApartIsTheWidthOfASlabBetweenThem) {
  for (int trial = 0; trial < 20; ++trial) {
    const Pair p = draw(1.02, 2);
    Vec3 onA, onB;
    const double dist = geom::distance(p.a.shape, p.b.shape, 10, CollideOptions{}, &onA, &onB);
    // two points that far apart bound the distance from above, a slab that wide between the shapes from below
    const Vec3 n = (onB - onA).normalized();
    EXPECT_NEAR((onB - onA).norm(), dist, tolerance(1e-6)) << "trial " << trial;
    EXPECT_NEAR(separation(p.a.shape, p.b.shape, n), dist, tolerance(2e-6)) << "trial " << trial;
    // and the points belong to the shapes
    for (const Vec3& probe : {n, Vec3::UnitX().eval(), Vec3::UnitY().eval(), Vec3::UnitZ().eval()}) {
      for (const double sign : {1.0, -1.0}) {
        EXPECT_LE(sign * onA.dot(probe), reach(p.a.shape, sign * probe) + tolerance(1e-6));
        EXPECT_LE(sign * onB.dot(probe), reach(p.b.shape, sign * probe) + tolerance(1e-6));
      }
    }

    Vec3 backOnA, backOnB;
    EXPECT_NEAR(geom::distance(p.b.shape, p.a.shape, 10, CollideOptions{}, &backOnB, &backOnA), dist, tolerance(2e-6))
        << "the other way round";
    EXPECT_EQ(geom::distance(p.a.shape, p.b.shape, 0.5 * dist, CollideOptions{}, nullptr, nullptr), 0.5 * dist)
        << "beyond the cutoff";
  }
}

// Signed distance does not care which shape comes first, nor where in the world the two are.
TEST_P(ConvexPairs, MovingBothShapesMovesTheContact) {
  CollideOptions options;
  options.multiContact = false;
  for (int trial = 0; trial < 30; ++trial) {
    const Pair p = draw(0.4, 0.9);
    const Mat3 turn = randomRotation(rng_);
    const Vec3 shift = randomVector(rng_, -3, 3);
    const auto moved = [&](const OwnedShape& s) { return s.at(turn * s.shape.pos + shift, turn * s.shape.rot); };
    Array<ContactPoint> here, there;
    geom::collide(p.a.shape, p.b.shape, 0.01, options, here);
    geom::collide(moved(p.a).shape, moved(p.b).shape, 0.01, options, there);
    if (here.empty() != there.empty()) {  // only at the very rim of the margin
      EXPECT_NEAR(here.empty() ? there[0].dist : here[0].dist, 0.01, tolerance(5e-6)) << "trial " << trial;
    }
    if (here.empty() || there.empty()) continue;
    EXPECT_NEAR(here[0].dist, there[0].dist, tolerance(5e-6)) << "trial " << trial;
  }
}

TEST_P(ConvexPairs, ContactPointsLieBetweenTheSurfaces) {
  for (int trial = 0; trial < 40; ++trial) {
    const Pair p = draw(0.4, 0.9);
    Array<ContactPoint> contacts;
    geom::collide(p.a.shape, p.b.shape, 0, CollideOptions{}, contacts);
    for (const ContactPoint& c : contacts) {
      // half a depth inside either shape, seen along the normal. Points found by turning the shapes by 1e-3 are off by
      // as much of the size.
      const double slack = 2e-3 * std::max(p.a.shape.rbound, p.b.shape.rbound) + 1e-6;
      EXPECT_LE(c.pos.dot(c.normal), reach(p.a.shape, c.normal) + slack);
      EXPECT_LE(-c.pos.dot(c.normal), reach(p.b.shape, -c.normal) + slack);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, ConvexPairs, testing::ValuesIn(allPairs()), nameOf);

/// A curved shape and another that overlap by `depth` along `direction`: they are moved until the points farthest along
/// it, and against it, meet, and then by that much further. No shorter way out is known, but there may be one where the
/// second shape has corners.
struct Graze {
  OwnedShape a, b;
  Vec3 direction;
  double depth = 0;
};

Graze drawGraze(GeomType typeA, GeomType typeB, std::mt19937& rng) {
  const OwnedShape a = randomShape(typeA, rng).at(randomVector(rng, -1, 1), randomRotation(rng));
  const OwnedShape b = randomShape(typeB, rng).at(Vec3::Zero(), randomRotation(rng));
  const Vec3 n = randomVector(rng, -1, 1).normalized();
  const double depth = std::pow(10.0, std::uniform_real_distribution<double>(-6, -3)(rng));
  const Vec3 onA = geom::ConvexBody(a.shape, 0).support(n), onB = geom::ConvexBody(b.shape, 0).support(-n);
  return {a, b.at(onA - depth * n - onB, b.shape.rot), n, depth};
}

// Where two shapes only just overlap, the polytope that grows inside their difference is thin at first, and its back is
// about as near as its front. A depth may be right and yet belong to the back: then the normal points the wrong way,
// and along it the shapes overlap by all of their size. That of a face may exceed the bound by 100 tolerances of 1e-6.
TEST(CollideBruteForce, NormalsOfGrazingContactsLeadOut) {
  std::mt19937 rng(11);
  CollideOptions options;
  options.multiContact = false;
  for (const GeomType typeA : {GeomType::Ellipsoid, GeomType::Cylinder}) {
    for (const GeomType typeB : {GeomType::Ellipsoid, GeomType::Cylinder, GeomType::Box, GeomType::Mesh}) {
      if (typeB < typeA) continue;
      for (int trial = 0; trial < 500; ++trial) {
        const Graze g = drawGraze(typeA, typeB, rng);
        Array<ContactPoint> contacts;
        geom::collide(g.a.shape, g.b.shape, 0, options, contacts);
        const bool smooth = typeA == GeomType::Ellipsoid && typeB == GeomType::Ellipsoid;
        ASSERT_TRUE(!smooth || contacts.size() == 1) << "trial " << trial << ", depth " << g.depth;
        if (contacts.empty()) continue;
        const ContactPoint& c = contacts[0];
        EXPECT_GT(separation(g.a.shape, g.b.shape, c.normal), 2 * c.dist - tolerance(1.1e-4))
            << "trial " << trial << ", depth " << g.depth;
        EXPECT_GE(c.dist, -g.depth - tolerance(2e-6)) << "trial " << trial;
        // the difference of two ellipsoids is round everywhere: there is no shorter way out
        if (smooth) {
          EXPECT_NEAR(c.dist, -g.depth, tolerance(2e-6)) << "trial " << trial;
        }
      }
    }
  }
}

/// The two prisms of a field of one cell, as meshes: corners (row, column) of the first are (1, 0), (0, 0), (1, 1).
std::array<OwnedShape, 2> prismsOf(const std::array<double, 4>& size, const std::vector<float>& elevation) {
  const auto prism = [&](const std::array<std::array<int, 2>, 3>& corners) {
    std::vector<double> points;
    for (const auto& [row, column] : corners) {
      const double x = column ? size[0] : -size[0], y = row ? size[1] : -size[1];
      const double z = size[2] * static_cast<double>(elevation[2 * row + column]);
      points.insert(points.end(), {x, y, z, x, y, -size[3]});
    }
    return makeMesh(points);
  };
  return {prism({{{1, 0}, {0, 0}, {1, 1}}}), prism({{{0, 0}, {1, 1}, {0, 1}}})};
}

// Every prism that a shape overlaps gives one contact. Its depth is right if the two reach into each other by exactly
// that much along its normal, and by no less along any other: it is easy to get wrong by stopping early.
TEST(CollideBruteForce, DepthInAHeightFieldIsThatOfEachPrism) {
  std::mt19937 rng(7);
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    const std::array<double, 4> size{0.3, 0.3, 0.2, 0.1};
    std::uniform_real_distribution<float> height(0, 1);
    const std::vector<float> elevation{height(rng), height(rng), height(rng), height(rng)};
    const OwnedShape field = makeField(2, 2, size, elevation);
    const GeomType type = round % 2 ? GeomType::Box : GeomType::Mesh;
    const OwnedShape shape = randomShape(type, rng).at(randomVector(rng, -0.15, 0.2), randomRotation(rng));
    std::vector<OwnedShape> overlapping;
    std::vector<double> atLeast;
    for (const OwnedShape& prism : prismsOf(size, elevation)) {
      const double dist = bruteForceDistance(prism.shape, shape.shape);
      if (dist > 0) continue;
      overlapping.push_back(prism);
      atLeast.push_back(dist);
    }
    // a graze may be seen by one and not by the other
    if (std::any_of(atLeast.begin(), atLeast.end(), [](double dist) { return dist > -1e-2; })) continue;
    Array<ContactPoint> contacts;
    collide(field.shape, shape.shape, 0, CollideOptions{}, contacts);
    ASSERT_EQ(contacts.size(), static_cast<std::ptrdiff_t>(overlapping.size())) << "round " << round;
    for (std::size_t i = 0; i < overlapping.size(); ++i, ++compared) {
      const ContactPoint& c = contacts[static_cast<std::ptrdiff_t>(i)];
      EXPECT_NEAR(c.dist, separation(overlapping[i].shape, shape.shape, c.normal), tolerance(1e-7))
          << "round " << round;
      EXPECT_GE(c.dist, atLeast[i] - tolerance(1e-9)) << "round " << round;
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace sinew::test
