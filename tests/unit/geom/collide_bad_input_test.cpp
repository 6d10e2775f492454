#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "geom/collide.h"
#include "geom/collide_scratch.h"
#include "geom/element.h"
#include "geom/element_distance.h"
#include "math/quat.h"
#include "support/allocation_guard.h"
#include "support/floating_point_traps.h"
#include "support/posed_shapes.h"

// Whatever shapes meet, in whatever pose: finite numbers, in finite time, without memory from the heap.
namespace sinew::test {
namespace {

using geom::CollideOptions;
using geom::ContactPoint;

std::vector<OwnedShape> ordinaryShapes() {
  std::mt19937 rng(3);
  std::vector<OwnedShape> shapes;
  shapes.push_back(makeShape(GeomType::Plane, Vec3::Zero()));
  shapes.push_back(makeField(6, 6, {1, 1, 0.2, 0.3}));
  for (int type = static_cast<int>(GeomType::Sphere); type <= static_cast<int>(GeomType::Mesh); ++type) {
    shapes.push_back(randomShape(static_cast<GeomType>(type), rng));
  }
  return shapes;
}

std::vector<OwnedShape> strangeShapes() {
  std::vector<OwnedShape> shapes;
  for (const GeomType type :
       {GeomType::Sphere, GeomType::Capsule, GeomType::Ellipsoid, GeomType::Cylinder, GeomType::Box}) {
    shapes.push_back(makeShape(type, Vec3::Zero()));
    shapes.push_back(makeShape(type, Vec3(0, 0.1, 0.1)));
    shapes.push_back(makeShape(type, Vec3(0.1, 0, 0.1)));
    shapes.push_back(makeShape(type, Vec3(1e-9, 1e-9, 1e-9)));
    shapes.push_back(makeShape(type, Vec3(1e6, 1e5, 1e4)));
    shapes.push_back(makeShape(type, Vec3(10, 1e-6, 10)));
  }
  shapes.push_back(makeMesh({}, false));
  shapes.push_back(makeMesh({0, 0, 0}, false));
  shapes.push_back(makeMesh({-0.1, 0, 0, 0.1, 0, 0}, false));
  shapes.push_back(makeMesh({-0.1, 0, 0, 0.1, 0, 0, 0, 0.1, 0}, false));
  shapes.push_back(makeMesh({0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}));
  shapes.push_back(makeMesh({0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0.03, 0.03, 1e-5}));
  shapes.push_back(makeField(2, 2, {0.1, 0.1, 0, 1e-3}));
  shapes.push_back(makeField(1, 1, {0.1, 0.1, 0, 0}));
  return shapes;
}

std::vector<std::pair<Vec3, Mat3>> poses() {
  std::mt19937 rng(5);
  std::vector<std::pair<Vec3, Mat3>> list;
  const Mat3 quarter = toMatrix(fromAxisAngle(Vec3::UnitX(), 1.5707963267948966));
  for (const Vec3& pos : {Vec3(0, 0, 0), Vec3(0, 0, 0.1), Vec3(0.05, 0, 0), Vec3(1e-16, 0, 0), Vec3(1e-7, 1e-7, 0),
                          Vec3(1e8, -1e8, 1e8), Vec3(0.01, 0.02, 0.15)}) {
    list.emplace_back(pos, Mat3::Identity());
    list.emplace_back(pos, quarter);
    list.emplace_back(pos, randomRotation(rng));
  }
  return list;
}

void expectFinite(const OwnedShape& a, const OwnedShape& b, double margin, Array<ContactPoint>& contacts) {
  const bool sorted = a.shape.type <= b.shape.type;
  contacts.clear();
  geom::collide(sorted ? a.shape : b.shape, sorted ? b.shape : a.shape, margin, CollideOptions{}, contacts);
  for (const ContactPoint& c : contacts) {
    ASSERT_TRUE(c.pos.allFinite() && c.normal.allFinite() && std::isfinite(c.dist));
    ASSERT_NEAR(c.normal.norm(), 1, 1e-9);
  }
  Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();
  ASSERT_TRUE(std::isfinite(geom::distance(a.shape, b.shape, 0.3, CollideOptions{}, &onA, &onB)));
  ASSERT_TRUE(onA.allFinite() && onB.allFinite());
}

TEST(CollideBadInput, EveryPairInEveryPoseGivesFiniteContacts) {
  const FloatingPointTraps traps;
  std::vector<OwnedShape> shapes = ordinaryShapes();
  const std::vector<OwnedShape> strange = strangeShapes();
  shapes.insert(shapes.end(), strange.begin(), strange.end());
  Array<ContactPoint> contacts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      for (const auto& [pos, rot] : poses()) {
        for (const double margin : {0.0, 0.01}) {
          expectFinite(shapes[i], shapes[j].at(pos, rot), margin, contacts);
          if (HasFatalFailure()) FAIL() << "shapes " << i << " and " << j << " at " << pos.transpose();
        }
      }
    }
  }
}

/// Poses of a diverged state.
std::vector<std::pair<Vec3, Mat3>> posesOfNothing() {
  std::vector<std::pair<Vec3, Mat3>> list;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double x : {std::nan(""), kInfinity, -kInfinity, 1e300, -1e300}) {
    for (int axis = 0; axis < 3; ++axis) {
      list.emplace_back(x * Vec3::Unit(axis), Mat3::Identity());
      list.back().first[(axis + 1) % 3] = 0.05;
      list.back().first[(axis + 2) % 3] = 0.05;
    }
    list.emplace_back(Vec3::Zero(), Mat3::Constant(x));
  }
  return list;
}

TEST(CollideBadInput, SAFE_1_WhatIsNowhereTouchesNothing) {
  std::vector<OwnedShape> shapes = ordinaryShapes();
  shapes.push_back(makeField(2, 2, {0.1, 0.1, 0, 1e-3}));
  Array<ContactPoint> contacts;
  Vec3 onA = Vec3::Zero(), onB = Vec3::Zero();
  constexpr double kCutoff = 0.3;
  for (const auto& [pos, rot] : posesOfNothing()) {
    for (const OwnedShape& b : shapes) {
      const OwnedShape lost = b.at(pos, rot);
      for (const OwnedShape& a : shapes) {
        const bool sorted = a.shape.type <= b.shape.type;
        EXPECT_EQ(geom::collide(sorted ? a.shape : lost.shape, sorted ? lost.shape : a.shape, 0.01, CollideOptions{},
                                contacts),
                  0);
        EXPECT_EQ(geom::distance(a.shape, lost.shape, kCutoff, CollideOptions{}, &onA, &onB), kCutoff);
      }
      for (int count = 1; count <= 4; ++count) {
        const geom::Element near{count, {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)}, 0.01};
        EXPECT_EQ(geom::collide(lost.shape, near, 0.01, CollideOptions{}, contacts), 0);
        EXPECT_EQ(geom::distance(lost.shape, near, kCutoff, CollideOptions{}, &onA, &onB), kCutoff);
      }
    }
    if (pos.isZero()) continue;
    for (int count = 1; count <= 4; ++count) {
      geom::Element near{count, {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.1)}, 0.01};
      geom::Element lost = near;
      lost.corner[count - 1] = pos;
      for (const OwnedShape& a : shapes) {
        EXPECT_EQ(geom::collide(a.shape, lost, 0.01, CollideOptions{}, contacts), 0);
        EXPECT_EQ(geom::collideCrossing(a.shape, pos, near.corner[1], 0.01, 0.01, contacts), 0);
        EXPECT_EQ(geom::distance(a.shape, lost, kCutoff, CollideOptions{}, &onA, &onB), kCutoff);
        if (count == 3) {
          EXPECT_EQ(geom::collideOnSide(a.shape, lost, Vec3::UnitZ(), 0.01, CollideOptions{}, contacts), 0);
        }
      }
      EXPECT_EQ(geom::collide(near, lost, 0.01, CollideOptions{}, contacts), 0);
      EXPECT_EQ(geom::distance(near, lost, kCutoff, CollideOptions{}, &onA, &onB), kCutoff);
      if (count == 4) {
        EXPECT_EQ(geom::collideCornerWithFace(lost, geom::kFacesAndCorner[0], contacts), 0);
      }
    }
  }
  EXPECT_TRUE(contacts.empty());
}

TEST(CollideBadInput, ParallelCapsulesTouchInTwoPoints) {
  const OwnedShape a = makeShape(GeomType::Capsule, Vec3(0.1, 0.5, 0));
  Array<ContactPoint> contacts;
  EXPECT_EQ(geom::collide(a.shape, a.at(Vec3(0.15, 0, 0.2)).shape, 0, CollideOptions{}, contacts), 2);
  contacts.clear();
  // on the same axis they are like two balls, end to end
  geom::collide(a.shape, a.at(Vec3(0, 0, 1.15)).shape, 0, CollideOptions{}, contacts);
  ASSERT_GE(contacts.size(), 1);
  EXPECT_NEAR(contacts[0].dist, -0.05, 1e-12);
  EXPECT_NEAR(contacts[0].normal.z(), 1, 1e-12);
}

TEST(CollideBadInput, NothingIsAllocatedAfterTheFirstRound) {
  const std::vector<OwnedShape> shapes = ordinaryShapes();
  Array<ContactPoint> contacts;
  std::vector<OwnedShape> above;
  for (const OwnedShape& s : shapes) above.push_back(s.at(Vec3(0.01, 0.02, 0.1)));
  geom::CollideScratch scratch;
  CollideOptions options;
  options.scratch = &scratch;
  const auto everything = [&] {
    for (const OwnedShape& a : shapes) {
      for (const OwnedShape& b : above) {
        if (a.shape.type > b.shape.type) continue;
        contacts.clear();
        geom::collide(a.shape, b.shape, 0, options, contacts);
        geom::collide(a.shape, b.shape, 0.01, options, contacts);
        geom::distance(a.shape, b.shape, 1, options, nullptr, nullptr);
      }
    }
  };
  everything();
  const AllocationGuard guard("collide");
  everything();
}

// What was collided before must not show: meshes remember vertices only within a call.
TEST(CollideBadInput, ResultsDoNotDependOnTheCallBefore) {
  std::mt19937 rng(11);
  const OwnedShape a = randomShape(GeomType::Mesh, rng), b = randomShape(GeomType::Mesh, rng);
  const OwnedShape near = b.at(Vec3(0.05, 0.1, 0.1), randomRotation(rng));
  const OwnedShape other = b.at(Vec3(-0.1, 0, -0.1), randomRotation(rng));
  Array<ContactPoint> first, between, second;
  geom::collide(a.shape, near.shape, 0.01, CollideOptions{}, first);
  geom::collide(a.shape, other.shape, 0, CollideOptions{}, between);
  geom::collide(a.shape, near.shape, 0.01, CollideOptions{}, second);
  ASSERT_EQ(first.size(), second.size());
  for (int i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].pos, second[i].pos);
    EXPECT_EQ(first[i].normal, second[i].normal);
    EXPECT_EQ(first[i].dist, second[i].dist);
  }
}

}  // namespace
}  // namespace sinew::test
