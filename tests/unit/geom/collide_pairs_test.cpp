#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "geom/collide.h"
#include "math/quat.h"
#include "support/posed_shapes.h"
#include "support/tolerance.h"

namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;

Array<ContactPoint> collide(const OwnedShape& a, const OwnedShape& b, double margin = 0) {
  Array<ContactPoint> contacts;
  const int count = geom::collide(a.shape, b.shape, margin, CollideOptions{}, contacts);
  EXPECT_EQ(count, contacts.size());
  return contacts;
}

double nearestOf(const Array<ContactPoint>& contacts) {
  double nearest = 1e300;
  for (const ContactPoint& c : contacts) nearest = std::min(nearest, c.dist);
  return nearest;
}

// ------------------------------------------------------------------------------------------- detection distance

/// A shape of each type with its lowest point 0.1 below its centre, and its highest 0.1 above.
OwnedShape flatOrRound(GeomType type) {
  switch (type) {
    case GeomType::Plane:
      return makeShape(type, Vec3::Zero()).at(Vec3(0, 0, 0.1));
    case GeomType::HField:
      return makeField(5, 5, {1, 1, 0.2, 0.3}).at(Vec3(0, 0, 0.1));
    case GeomType::Capsule:
      return makeShape(type, Vec3(0.04, 0.06, 0));
    case GeomType::Cylinder:
      return makeShape(type, Vec3(0.08, 0.1, 0));
    case GeomType::Mesh:
      return makeBoxMesh(Vec3(0.1, 0.1, 0.1));
    default:
      return makeShape(type, Vec3(0.1, 0.1, 0.1));
  }
}

std::vector<std::pair<GeomType, GeomType>> collidingPairs() {
  std::vector<std::pair<GeomType, GeomType>> pairs;
  for (int i = 0; i <= static_cast<int>(GeomType::Mesh); ++i) {
    for (int j = std::max(i, static_cast<int>(GeomType::Sphere)); j <= static_cast<int>(GeomType::Mesh); ++j) {
      pairs.emplace_back(static_cast<GeomType>(i), static_cast<GeomType>(j));
    }
  }
  return pairs;
}

std::string nameOf(const testing::TestParamInfo<std::pair<GeomType, GeomType>>& info) {
  constexpr std::array<const char*, 8> kNames = {"Plane",     "HField",   "Sphere", "Capsule",
                                                 "Ellipsoid", "Cylinder", "Box",    "Mesh"};
  return std::string(kNames[static_cast<std::size_t>(info.param.first)]) +
         kNames[static_cast<std::size_t>(info.param.second)];
}

class StackedPairs : public testing::TestWithParam<std::pair<GeomType, GeomType>> {
 protected:
  /// The second shape `gap` above the first.
  Array<ContactPoint> contactsAt(double gap, double margin) {
    const OwnedShape below = flatOrRound(GetParam().first);
    const OwnedShape above = flatOrRound(GetParam().second).at(Vec3(0.003, 0.002, 0.2 + gap));
    return collide(below, above, margin);
  }
};

// Half a millimetre inside and outside the detection distance. The shapes are 3 mm off each other's axis, which lowers
// the gap of round ones by less than 0.1 mm.
TEST_P(StackedPairs, TouchWithinTheMarginAndNotBeyond) {
  constexpr double kMargin = 0.01;
  const Array<ContactPoint> inside = contactsAt(kMargin - 5e-4, kMargin);
  ASSERT_GT(inside.size(), 0);
  EXPECT_NEAR(nearestOf(inside), kMargin - 5e-4, tolerance(1e-4));
  EXPECT_EQ(contactsAt(kMargin + 5e-4, kMargin).size(), 0);
  EXPECT_EQ(contactsAt(5e-4, 0).size(), 0);
  EXPECT_GT(contactsAt(-5e-4, 0).size(), 0);
}

TEST_P(StackedPairs, NormalPointsUpAndPointsLieHalfway) {
  for (const double gap : {-0.004, 0.004}) {
    for (const ContactPoint& c : contactsAt(gap, 0.01)) {
      EXPECT_GT(c.normal.z(), 0.99) << "gap " << gap;
      EXPECT_NEAR(c.pos.z(), 0.1 + gap / 2, tolerance(2e-4)) << "gap " << gap;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, StackedPairs, testing::ValuesIn(collidingPairs()), nameOf);

TEST(Collide, PlanesAndHeightFieldsDoNotMeet) {
  const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero());
  const OwnedShape field = makeField(3, 3, {1, 1, 1, 1});
  EXPECT_EQ(collide(plane, plane, 1).size(), 0);
  EXPECT_EQ(collide(plane, field, 1).size(), 0);
  EXPECT_EQ(collide(field, field, 1).size(), 0);
}

// ------------------------------------------------------------------------------------------- number of points

// Counts as the reference engine gives them for shapes that lie flat on each other.
TEST(Collide, FlatShapesTouchInSeveralPoints) {
  const OwnedShape box = makeShape(GeomType::Box, Vec3(0.2, 0.2, 0.1));
  const OwnedShape mesh = makeBoxMesh(Vec3(0.2, 0.2, 0.1));
  const OwnedShape smallBox = makeShape(GeomType::Box, Vec3(0.05, 0.06, 0.07)).at(Vec3(0.01, 0.02, 0.169));
  const OwnedShape cylinder = makeShape(GeomType::Cylinder, Vec3(0.05, 0.1, 0)).at(Vec3(0.01, 0.02, 0.199));
  EXPECT_EQ(collide(cylinder, box).size(), 5);
  EXPECT_EQ(collide(smallBox, mesh).size(), 4);
  EXPECT_EQ(collide(smallBox, mesh, 0.01).size(), 5);
  EXPECT_EQ(collide(box, smallBox).size(), 4);
}

// How a plane is turned must not matter. The part of its normal across the axis is rounding then, and may point
// anywhere.
TEST(Collide, UprightCylindersTouchTiltedPlanesAlongTheirRim) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i) {
    const Mat3 rot = toMatrix(normalized(Quat{normal(random), normal(random), normal(random), normal(random)}));
    const Vec3 up = rot.col(2);
    const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero()).at(Vec3::Zero(), rot);
    const OwnedShape cylinder = makeShape(GeomType::Cylinder, Vec3(0.3, 0.2, 0)).at(up * 0.19, rot);
    const Array<ContactPoint> contacts = collide(plane, cylinder);
    ASSERT_EQ(contacts.size(), 3);
    for (const ContactPoint& c : contacts) {
      const Vec3 fromAxis = c.pos - up * up.dot(c.pos);
      EXPECT_NEAR(fromAxis.norm(), 0.3, tolerance(1e-12)) << "tilted plane " << i;
      EXPECT_NEAR(c.dist, -0.01, tolerance(1e-12)) << "tilted plane " << i;
    }
  }
}

TEST(Collide, SinglePointWithoutMultiContact) {
  const OwnedShape mesh = makeBoxMesh(Vec3(0.2, 0.2, 0.1));
  const OwnedShape box = makeShape(GeomType::Box, Vec3(0.05, 0.06, 0.07)).at(Vec3(0.01, 0.02, 0.169));
  CollideOptions options;
  options.multiContact = false;
  Array<ContactPoint> contacts;
  EXPECT_EQ(geom::collide(box.shape, mesh.shape, 0, options, contacts), 1);
  EXPECT_EQ(geom::collide(box.shape, mesh.shape, 0.01, options, contacts), 1);
  EXPECT_EQ(contacts.size(), 2) << "points are appended";
}

// A box lying on a mesh touches at its own four corners, each as deep as the faces overlap there.
TEST(Collide, ClippedFacesTouchAtTheCornersOfTheSmallerOne) {
  const OwnedShape mesh = makeBoxMesh(Vec3(0.2, 0.2, 0.1));
  const Vec3 half(0.05, 0.06, 0.07);
  const Mat3 tilt = toMatrix(fromAxisAngle(Vec3::UnitX(), 0.01));
  const OwnedShape box = makeShape(GeomType::Box, half).at(Vec3(0, 0, 0.168), tilt);
  const Array<ContactPoint> contacts = collide(box, mesh);
  ASSERT_EQ(contacts.size(), 4);
  for (const ContactPoint& c : contacts) {
    const Vec3 corner(std::copysign(half.x(), c.pos.x()), std::copysign(half.y(), c.pos.y()), -half.z());
    const Vec3 lowest = box.shape.pos + box.shape.rot * corner;
    EXPECT_TRUE(allNear(c.pos.head<2>(), lowest.head<2>(), 1e-4));
    EXPECT_NEAR(c.dist, lowest.z() - 0.1, tolerance(1e-4));
  }
}

// A polygon of many corners is reduced to the quadrilateral that covers most of it.
TEST(Collide, ManySidedFacesKeepFourSpreadPoints) {
  std::vector<double> points;
  for (int i = 0; i < 16; ++i) {
    const double angle = 2 * 3.14159265358979 * i / 16;
    for (const double z : {-0.05, 0.05}) {
      for (const double x : {0.1 * std::cos(angle), 0.1 * std::sin(angle), z}) points.push_back(x);
    }
  }
  const OwnedShape prism = makeMesh(points);
  const OwnedShape floor = makeShape(GeomType::Box, Vec3(1, 1, 0.1));
  const Array<ContactPoint> contacts = collide(floor, prism.at(Vec3(0, 0, 0.149)));
  ASSERT_EQ(contacts.size(), 4);
  // a square inscribed in the circle of radius 0.1 has sides of 0.1414; neighbouring corners are 0.039 apart
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) EXPECT_GT((contacts[i].pos - contacts[j].pos).norm(), 0.12);
    EXPECT_NEAR(contacts[i].dist, -0.001, tolerance(1e-7));
  }
}

// ------------------------------------------------------------------------------------------- plane and mesh

TEST(PlaneMesh, FurtherPointsAreNeighboursOfTheLowestVertex) {
  const Vec3 half(0.1, 0.12, 0.08);
  const OwnedShape cube = makeBoxMesh(half);
  const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero());
  std::mt19937 rng(7);
  int several = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const OwnedShape posed = cube.at(Vec3(0, 0, 0.02), randomRotation(rng));
    const Array<ContactPoint> contacts = collide(plane, posed);
    ASSERT_GE(contacts.size(), 1);
    ASSERT_LE(contacts.size(), 3);
    const auto cornerOf = [&](const ContactPoint& c) {
      return Vec3(posed.shape.rot.transpose() * (c.pos + c.normal * (0.5 * c.dist) - posed.shape.pos));
    };
    for (int i = 1; i < contacts.size(); ++i) {
      EXPECT_LT(contacts[0].dist, contacts[i].dist + 1e-12);
      // hull neighbours share a face: an edge or the diagonal of a triangulated side, never the whole body diagonal
      const Vec3 difference = (cornerOf(contacts[i]) - cornerOf(contacts[0])).cwiseAbs();
      EXPECT_LT(difference.cwiseQuotient(2 * half).sum(), 2.01);
    }
    several += contacts.size() > 1;
  }
  EXPECT_GT(several, 50);
}

TEST(PlaneMesh, WithoutAHullAllVerticesCount) {
  const OwnedShape sheet = makeMesh({-0.1, -0.1, 0, 0.1, -0.1, 0, 0.1, 0.1, 0, -0.1, 0.1, 0}, false);
  const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero());
  const Array<ContactPoint> contacts = collide(plane, sheet.at(Vec3(0, 0, -0.01)));
  ASSERT_EQ(contacts.size(), 3);
  for (const ContactPoint& c : contacts) EXPECT_NEAR(c.dist, -0.01, tolerance(1e-12));
}

// ------------------------------------------------------------------------------------------- height fields

TEST(HeightFieldContact, AFlatFieldIsAPlane) {
  const OwnedShape field = makeField(6, 7, {1, 1, 0.3, 0.2});
  const OwnedShape ball = makeShape(GeomType::Sphere, Vec3(0.1, 0, 0));
  for (const double gap : {-0.02, 0.0, 0.015}) {
    const Array<ContactPoint> contacts = collide(field, ball.at(Vec3(0.13, -0.21, 0.1 + gap)), 0.02);
    ASSERT_GT(contacts.size(), 0) << gap;
    EXPECT_NEAR(nearestOf(contacts), gap, tolerance(1e-6));
  }
}

TEST(HeightFieldContact, NoContactIsDropped) {
  const OwnedShape field = makeField(21, 21, {1, 1, 0.3, 0.2});
  const OwnedShape slab = makeShape(GeomType::Box, Vec3(0.9, 0.9, 0.1));
  // 18 x 18 cells under the slab and those at its rim, two prisms each: far more than 50
  EXPECT_GE(collide(field, slab.at(Vec3(0, 0, 0.095))).size(), 2 * 18 * 18);
}

TEST(HeightFieldContact, NothingOutsideTheField) {
  const OwnedShape field = makeField(5, 5, {1, 1, 0.3, 0.2});
  const OwnedShape ball = makeShape(GeomType::Sphere, Vec3(0.1, 0, 0));
  EXPECT_EQ(collide(field, ball.at(Vec3(1.2, 0, 0))).size(), 0);
  EXPECT_EQ(collide(field, ball.at(Vec3(0, 0, 0.5))).size(), 0);
  EXPECT_EQ(collide(field, ball.at(Vec3(0, 0, -0.4))).size(), 0);
}

// A single peak: a ball beside it is pushed away sideways.
TEST(HeightFieldContact, SlopesPushAway) {
  std::vector<float> elevation(9, 0);
  elevation[4] = 1;
  const OwnedShape field = makeField(3, 3, {1, 1, 1, 0.5}, elevation);
  // west of the peak, on the southern side, the triangle is part of the plane z = 1 + x
  const Vec3 n = Vec3(-1, 0, 1).normalized();
  const OwnedShape ball = makeShape(GeomType::Sphere, Vec3(0.1, 0, 0)).at(Vec3(-0.5, -0.1, 0.5) + 0.09 * n);
  const Array<ContactPoint> contacts = collide(field, ball);
  ASSERT_GT(contacts.size(), 0);
  const auto deepest = std::min_element(contacts.begin(), contacts.end(),
                                        [](const ContactPoint& p, const ContactPoint& q) { return p.dist < q.dist; });
  EXPECT_NEAR(deepest->dist, -0.01, tolerance(1e-6));
  EXPECT_TRUE(allNear(deepest->normal, n, 1e-6));
}

// ------------------------------------------------------------------------------------------- distance

TEST(Distance, CoversPlanesAndHeightFields) {
  const OwnedShape plane = makeShape(GeomType::Plane, Vec3::Zero());
  const OwnedShape field = makeField(5, 5, {1, 1, 0.3, 0.2});
  const OwnedShape ellipsoid = makeShape(GeomType::Ellipsoid, Vec3(0.1, 0.2, 0.3)).at(Vec3(0.1, 0.2, 0.8));
  for (const OwnedShape& ground : {plane, field}) {
    Vec3 onGround, onBody;
    EXPECT_NEAR(geom::distance(ground.shape, ellipsoid.shape, 2, CollideOptions{}, &onGround, &onBody), 0.5,
                tolerance(1e-6));
    EXPECT_TRUE(allNear(onGround, Vec3(0.1, 0.2, 0), 1e-4));
    EXPECT_TRUE(allNear(onBody, Vec3(0.1, 0.2, 0.5), 1e-4));
    Vec3 first, second;
    EXPECT_NEAR(geom::distance(ellipsoid.shape, ground.shape, 2, CollideOptions{}, &first, &second), 0.5,
                tolerance(1e-6));
    EXPECT_TRUE(allNear(first, onBody, 1e-9));
    EXPECT_EQ(geom::distance(ground.shape, ellipsoid.shape, 0.4, CollideOptions{}, nullptr, nullptr), 0.4);
  }
}

TEST(Distance, IsNegativeInside) {
  const OwnedShape a = makeShape(GeomType::Box, Vec3(0.5, 0.5, 0.5));
  const OwnedShape b = makeShape(GeomType::Box, Vec3(0.1, 0.1, 0.1)).at(Vec3(0.45, 0, 0));
  EXPECT_NEAR(geom::distance(a.shape, b.shape, 1, CollideOptions{}, nullptr, nullptr), -0.15, tolerance(1e-9));
}

/// Their difference has no faces, and the search for its nearest point may end before it is there.
bool isCurved(const OwnedShape& s) { return s.shape.type == GeomType::Ellipsoid || s.shape.type == GeomType::Cylinder; }

// Bodies that are moved together until next to nothing is between them, or until they overlap by as much. The simplex
// that GJK ends with is then part of a face of their difference, and holds the origin by rounding or not at all.
TEST(Distance, OfBodiesThatJustTouchIsNotADepth) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> exponent(-12, -6), uniform(0, 1);
  std::uniform_int_distribution<int> type(static_cast<int>(GeomType::Sphere), static_cast<int>(GeomType::Mesh));
  double deepest = 0;
  for (int k = 0; k < 20000; ++k) {
    const OwnedShape a = randomShape(static_cast<GeomType>(type(rng)), rng).at(Vec3::Zero(), randomRotation(rng));
    const auto typeB = static_cast<GeomType>(type(rng));
    const OwnedShape shapeB = randomShape(typeB, rng);
    const Mat3 turnB = randomRotation(rng);
    const OwnedShape b = shapeB.at(randomVector(rng, -1, 1).normalized() * 0.7, turnB);
    const CollideOptions options{.tolerance = uniform(rng) < 0.5 ? 1e-6 : 1e-9, .iterations = 100};
    Vec3 onA, onB;
    const double apart = geom::distance(a.shape, b.shape, 10, options, &onA, &onB);
    if (apart <= 0) continue;  // long ones reach each other
    const double gap = (uniform(rng) < 0.5 ? -1 : 1) * std::pow(10, exponent(rng));
    const Vec3 n = (onB - onA).normalized();
    const OwnedShape moved = b.at(b.shape.pos + (gap - apart) * n, b.shape.rot);
    const double overlap = std::max(0.0, -separation(a.shape, moved.shape, n));
    const double dist = geom::distance(a.shape, moved.shape, 1e-3, options, nullptr, nullptr);
    EXPECT_LT(-dist, overlap + tolerance(isCurved(a) || isCurved(moved) ? 2e-4 : 2e-6)) << "pair " << k;
    deepest = std::max(deepest, -dist);
  }
  EXPECT_GT(deepest, 1e-7) << "some do overlap";
}

}  // namespace
}  // namespace sinew::test
