#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "geom/element.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;
using geom::Element;

std::size_t corners(const Element& e) { return static_cast<std::size_t>(e.count); }

Element randomElement(int count, std::mt19937& rng) {
  Element e;
  e.count = count;
  for (std::size_t i = 0; i < corners(e); ++i) e.corner[i] = randomVector(rng, -0.15, 0.15);
  e.radius = std::uniform_real_distribution<double>(0.005, 0.03)(rng);
  return e;
}

Element moved(Element e, const Vec3& shift) {
  for (Vec3& c : e.corner) c += shift;
  return e;
}

/// How far an element reaches along n.
double reach(const Element& e, const Vec3& n) {
  double farthest = -1e300;
  for (std::size_t i = 0; i < corners(e); ++i) farthest = std::max(farthest, e.corner[i].dot(n));
  return farthest + e.radius;
}

std::array<double, 4> randomWeights(int count, std::mt19937& rng) {
  std::exponential_distribution<double> draw;
  std::array<double, 4> w{};
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) sum += w[i] = draw(rng);
  for (double& x : w) x /= sum;
  return w;
}

TEST(ElementNearestWeights, AreBarycentricAndNoPointOfTheElementIsNearer) {
  std::mt19937 rng(7u);
  for (int trial = 0; trial < 2000; ++trial) {
    const Element e = randomElement(1 + trial % 4, rng);
    const Vec3 p = randomVector(rng, -0.3, 0.3);
    const std::array<double, 4> w = geom::nearestWeights(e, p);
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_GE(w[i], 0);
      if (i >= corners(e)) {
        EXPECT_EQ(w[i], 0);
      }
      sum += w[i];
    }
    EXPECT_NEAR(sum, 1, tolerance(1e-14));
    // x is nearest if and only if no corner lies beyond the plane through x across p - x
    const Vec3 x = e.at(w);
    for (std::size_t i = 0; i < corners(e); ++i) {
      EXPECT_LE((p - x).dot(e.corner[i] - x), tolerance(1e-14)) << "trial " << trial << ", " << e.count << " corners";
    }
  }
}

// Slivers, repeated corners and corners on a line: the weights stay finite and name a nearest point.
TEST(ElementNearestWeights, StandFlatElements) {
  std::mt19937 rng(8u);
  for (int trial = 0; trial < 400; ++trial) {
    Element e = randomElement(2 + trial % 3, rng);
    const std::size_t last = corners(e) - 1;
    e.corner[last] = trial % 2 == 0 ? e.corner[0] : Vec3(0.3 * e.corner[0] + 0.7 * e.corner[1]);
    const Vec3 p = randomVector(rng, -0.3, 0.3);
    const std::array<double, 4> w = geom::nearestWeights(e, p);
    const Vec3 x = e.at(w);
    ASSERT_TRUE(x.allFinite());
    EXPECT_NEAR(w[0] + w[1] + w[2] + w[3], 1, tolerance(1e-12));
    for (int k = 0; k < 50; ++k) {
      EXPECT_LE((p - x).norm(), (p - e.at(randomWeights(e.count, rng))).norm() + tolerance(1e-9)) << "trial " << trial;
    }
  }
}

// --------------------------------------------------------------------------------------- element against element

class ElementPairs : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(ElementPairs, DistanceAndDepthAreThoseOfBruteForce) {
  std::mt19937 rng(20240611u);
  const auto [countA, countB] = GetParam();
  int touching = 0, overlapping = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Element a = randomElement(countA, rng);
    const Element b = moved(randomElement(countB, rng), randomVector(rng, -0.06, 0.06));
    const double margin = trial % 2 == 0 ? 0 : 0.05;
    const double expected = largestSeparation([&](const Vec3& n) { return -reach(b, -n) - reach(a, n); });
    if (std::abs(expected - margin) < 1e-4) continue;
    CollideOptions options;
    options.iterations = 400;
    Array<ContactPoint> out;
    const int count = geom::collide(a, b, margin, options, out);
    ASSERT_EQ(count, out.size());
    ASSERT_EQ(count > 0, expected < margin) << "trial " << trial << ", brute force " << expected;
    if (count == 0) continue;
    ++touching;
    EXPECT_NEAR(out[0].normal.norm(), 1, tolerance(1e-12));
    // balls and segments are pushed along the line between nearest points: the smallest translation only from outside
    const bool rows = countA <= 2 && countB <= 3;
    if (expected < -(a.radius + b.radius) + 1e-3) {
      ++overlapping;
      if (rows) continue;
    }
    const double along = -reach(b, -out[0].normal) - reach(a, out[0].normal);
    EXPECT_NEAR(along, out[0].dist, tolerance(5e-5)) << "trial " << trial;
    EXPECT_GE(out[0].dist, expected - tolerance(5e-5)) << "trial " << trial;
    if (expected > -(a.radius + b.radius) + 1e-3) {
      // cores apart: exact. The contact lies midway between the surfaces.
      EXPECT_NEAR(out[0].dist, along, tolerance(1e-9)) << "trial " << trial;
      const Vec3 onA = out[0].pos - out[0].normal * (0.5 * out[0].dist + a.radius);
      const Vec3 onB = out[0].pos + out[0].normal * (0.5 * out[0].dist + b.radius);
      EXPECT_NEAR((onA - a.at(geom::nearestWeights(a, onA))).norm(), 0, tolerance(1e-8)) << "trial " << trial;
      EXPECT_NEAR((onB - b.at(geom::nearestWeights(b, onB))).norm(), 0, tolerance(1e-8)) << "trial " << trial;
    }
  }
  EXPECT_GT(touching, 8);
  if (countA > 1 && countB > 2) {
    EXPECT_GT(overlapping, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementPairs,
                         testing::Values(std::pair(1, 2), std::pair(1, 3), std::pair(1, 4), std::pair(2, 2),
                                         std::pair(2, 3), std::pair(2, 4), std::pair(3, 3), std::pair(3, 4),
                                         std::pair(4, 4)),
                         [](const auto& info) {
                           return std::to_string(info.param.first) + "with" + std::to_string(info.param.second);
                         });

TEST_P(ElementPairs, TheQuickTestNeverHidesAContact) {
  std::mt19937 rng(20240613u);
  const auto [countA, countB] = GetParam();
  int far = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Element a = randomElement(countA, rng);
    const Element b = moved(randomElement(countB, rng), randomVector(rng, -0.3, 0.3));
    const double margin = trial % 3 == 0 ? 0.02 : 0;
    if (!geom::farApart(a, b, margin)) continue;
    ++far;
    Array<ContactPoint> out;
    EXPECT_EQ(geom::collide(a, b, margin, CollideOptions{}, out), 0) << "trial " << trial;
  }
  if (countA > 2 || countB > 2) {
    EXPECT_GT(far, 200);
  }
}

// ------------------------------------------------------------------------------------------ shape against element

using ShapeAndCount = std::pair<GeomType, int>;
class ShapeAndElement : public testing::TestWithParam<ShapeAndCount> {
 protected:
  /// Pairs that keep to rules of their own: points at chosen corners instead of the nearest place.
  bool choosesCorners() const {
    const auto [type, count] = GetParam();
    return (count == 3 && (type == GeomType::Box || type == GeomType::Capsule)) ||
           (count == 2 && type == GeomType::Box);
  }
  /// Pairs whose normal is the smooth one of the shape instead of the shortest way out.
  bool normalOfShape() const {
    const auto [type, count] = GetParam();
    return count == 3 && (type == GeomType::Ellipsoid || type == GeomType::Cylinder);
  }
  /// The scan over directions may end on a ridge, this much below the top.
  static constexpr double kScan = 1e-3;
};

TEST_P(ShapeAndElement, TouchesWhenBruteForceSaysSo) {
  std::mt19937 rng(20240612u);
  const auto [type, count] = GetParam();
  int touching = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const OwnedShape owned = randomShape(type, rng).at(randomVector(rng, -0.2, 0.2), randomRotation(rng));
    const geom::Shape& shape = owned.shape;
    const Element e = randomElement(count, rng);
    const double margin = trial % 2 == 0 ? 0 : 0.03;
    const double expected = largestSeparation([&](const Vec3& n) { return -reach(e, -n) - test::reach(shape, n); });
    if (std::abs(expected - margin) < 1e-4) continue;
    CollideOptions options;
    options.iterations = 400;
    Array<ContactPoint> out;
    const int found = geom::collide(shape, e, margin, options, out);
    ASSERT_EQ(found, out.size());
    // a corner beside an edge of a box counts its distance from the nearer side's plane, up to sqrt(3) times too short
    const bool box = type == GeomType::Box && count == 3;
    const double slack = tolerance(5e-5) + (box ? (std::sqrt(3.0) - 1) * (e.radius + margin) : 0);
    if (expected > margin + slack) {
      EXPECT_EQ(found, 0) << "trial " << trial << ", brute force " << expected;
      continue;
    }
    for (const ContactPoint& c : out) {
      EXPECT_NEAR(c.normal.norm(), 1, tolerance(1e-12));
      EXPECT_GE(c.dist, expected - slack) << "trial " << trial << ": deeper than the shapes overlap";
    }
    if (choosesCorners()) continue;
    if (found == 0 && expected > margin - kScan) continue;
    ASSERT_GT(found, 0) << "trial " << trial << ", brute force " << expected;
    ++touching;
    const bool shallow = expected > -e.radius + 1e-3;
    if (shallow || count == 4) {
      EXPECT_LE(out[0].dist, expected + kScan) << "trial " << trial;
      // moving the two apart by that much along the normal separates them
      if (!normalOfShape()) {
        const double along = -reach(e, -out[0].normal) - test::reach(shape, out[0].normal);
        EXPECT_NEAR(out[0].dist, along, tolerance(5e-5)) << "trial " << trial;
      }
    }
  }
  if (!choosesCorners()) {
    EXPECT_GT(touching, 10);
  }
}

std::vector<ShapeAndCount> shapesAndCounts() {
  std::vector<ShapeAndCount> all;
  for (const GeomType type :
       {GeomType::Sphere, GeomType::Capsule, GeomType::Ellipsoid, GeomType::Cylinder, GeomType::Box, GeomType::Mesh}) {
    for (const int count : {2, 3, 4}) all.emplace_back(type, count);
  }
  return all;
}

std::string shapeAndCountName(const testing::TestParamInfo<ShapeAndCount>& info) {
  constexpr std::array<const char*, 8> kNames = {"Plane",     "HField",   "Sphere", "Capsule",
                                                 "Ellipsoid", "Cylinder", "Box",    "Mesh"};
  return std::string(kNames[static_cast<std::size_t>(info.param.first)]) + std::to_string(info.param.second);
}

INSTANTIATE_TEST_SUITE_P(All, ShapeAndElement, testing::ValuesIn(shapesAndCounts()), shapeAndCountName);

}  // namespace
}  // namespace sinew::test
