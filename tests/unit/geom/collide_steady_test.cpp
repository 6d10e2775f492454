#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "geom/collide.h"
#include "math/quat.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

/// Contacts of shapes that lie flat on each other, as impulses that are carried over from step to step need them.
namespace sinew::geom {
namespace {

using test::OwnedShape;
using test::tolerance;

constexpr double kMargin = 0.01;
const CollideOptions kSteady{.steady = true};

std::vector<ContactPoint> pointsOf(const Shape& a, const Shape& b) {
  Array<ContactPoint> out;
  collide(a, b, kMargin, kSteady, out);
  return {out.begin(), out.end()};
}

Mat3 tilt(std::mt19937& rng, double angle) {
  return toMatrix(fromAxisAngle(test::randomVector(rng, -1, 1).normalized(), angle));
}

std::set<int> featuresOf(const std::vector<ContactPoint>& points) {
  std::set<int> features;
  for (const ContactPoint& p : points) features.insert(p.feature);
  return features;
}

// Two boxes, one turned by 30 degrees on the other, and wobbling by 1e-4 rad and a few micrometres, as in a pile at
// rest: the overlap of the faces has the same corners in every pose. Which of the faces or crossing edges overlaps
// least changes all the time.
TEST(CollideSteady, BoxesFlatOnEachOtherKeepAllTheirPoints) {
  std::mt19937 rng(1);
  const OwnedShape box = test::makeShape(GeomType::Box, {0.2, 0.15, 0.1});
  const Mat3 turn = toMatrix(fromAxisAngle(Vec3::UnitZ(), 0.5));
  std::set<int> first;
  for (int i = 0; i < 500; ++i) {
    const OwnedShape a = box.at(Vec3(0, 0, 0.1), tilt(rng, 1e-4));
    const OwnedShape b = box.at(Vec3(0.03, 0.02, 0.3) + test::randomVector(rng, -2e-5, 2e-5), tilt(rng, 1e-4) * turn);
    const std::vector<ContactPoint> points = pointsOf(a.shape, b.shape);
    if (first.empty()) first = featuresOf(points);
    ASSERT_EQ(featuresOf(points), first) << "pose " << i;
    ASSERT_EQ(points.size(), first.size());
  }
  EXPECT_GE(first.size(), 6u);
}

// No point is deeper than the boxes overlap (by more than 1 / cos 0.14), and the deepest one is nearly as deep as that:
// the normal may be 0.14 rad away from a face. The overlap is found by scanning directions, which finds up to 1e-4 too
// much of it.
TEST(CollideSteady, PointsOfBoxesAreAsDeepAsTheBoxesOverlap) {
  std::mt19937 rng(2);
  for (int i = 0; i < 200; ++i) {
    const OwnedShape a = test::makeShape(GeomType::Box, test::randomVector(rng, 0.05, 0.2));
    const OwnedShape shape = test::makeShape(GeomType::Box, test::randomVector(rng, 0.05, 0.2));
    const double angle = std::pow(10, -1 - i % 4);
    const OwnedShape b = shape.at({0.02, 0.01, a.shape.size.z() + shape.shape.size.z() - 1e-3}, tilt(rng, angle));
    const double distance = test::bruteForceDistance(a.shape, b.shape);
    const std::vector<ContactPoint> points = pointsOf(a.shape, b.shape);
    ASSERT_FALSE(points.empty());
    double deepest = kMargin;
    for (const ContactPoint& p : points) {
      deepest = std::min(deepest, p.dist);
      EXPECT_NEAR(p.normal.norm(), 1, tolerance(1e-12));
    }
    EXPECT_GE(deepest, 1.01 * distance - 1e-9) << "pose " << i << ", tilt " << angle;
    EXPECT_LE(deepest, distance + tolerance(0.05 * std::abs(distance) + 1e-4)) << "pose " << i << ", tilt " << angle;
  }
}

// The same two boxes as meshes, or one of them: the same points, found by another algorithm. Sizes are exact in the
// single precision of meshes.
TEST(CollideSteady, MeshesFlatOnEachOtherHaveThePointsOfBoxes) {
  std::mt19937 rng(3);
  const Vec3 size(0.25, 0.1875, 0.125);
  const OwnedShape box = test::makeShape(GeomType::Box, size), mesh = test::makeBoxMesh(size);
  const Mat3 turn = toMatrix(fromAxisAngle(Vec3::UnitZ(), 0.5));
  for (int i = 0; i < 100; ++i) {
    const Vec3 at = Vec3(0.03, 0.02, 0.25) + test::randomVector(rng, -2e-3, 2e-3);
    const Mat3 rot = tilt(rng, std::pow(10, -2 - i % 4)) * turn;
    const std::vector<ContactPoint> expected = pointsOf(box.shape, box.at(at, rot).shape);
    for (const auto* first : {&box, &mesh}) {
      const std::vector<ContactPoint> points = pointsOf(first->shape, mesh.at(at, rot).shape);
      ASSERT_EQ(points.size(), expected.size()) << "pose " << i;
      for (const ContactPoint& p : points) {
        const auto same = std::find_if(expected.begin(), expected.end(),
                                       [&](const ContactPoint& q) { return (p.pos - q.pos).norm() < 1e-5; });
        ASSERT_NE(same, expected.end()) << "pose " << i;
        EXPECT_NEAR(p.dist, same->dist, tolerance(1e-5));
        EXPECT_NEAR(p.normal.dot(same->normal), 1, tolerance(1e-4));
      }
      EXPECT_EQ(featuresOf(points).size(), points.size()) << "every point has a name of its own";
    }
  }
}

TEST(CollideSteady, MeshOnAPlaneStandsOnAllCorners) {
  const OwnedShape plane = test::makeShape(GeomType::Plane, {9, 9, 1});
  const OwnedShape mesh = test::makeBoxMesh({0.25, 0.25, 0.25});
  const auto leaning = [&](double angle) {
    return pointsOf(plane.shape,
                    mesh.at({0, 0, 0.25 + 0.25 * angle}, toMatrix(fromAxisAngle(Vec3::UnitX(), angle))).shape);
  };
  EXPECT_EQ(leaning(0).size(), 4u);
  EXPECT_EQ(leaning(0.01).size(), 4u);
  EXPECT_EQ(featuresOf(leaning(0.01)), featuresOf(leaning(0)));
  const std::vector<ContactPoint> edge = leaning(0.2);
  ASSERT_EQ(edge.size(), 2u);
  for (const ContactPoint& p : edge)
    EXPECT_NEAR(p.dist, 0.3 - 0.25 * (std::cos(0.2) + std::sin(0.2)), tolerance(1e-12));
}

}  // namespace
}  // namespace sinew::geom
