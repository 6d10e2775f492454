#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "sinew/load.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/allocation_guard.h"
#include "support/free_bodies.h"
#include "support/refusal.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// Bodies, joints and soft things that come and go, callbacks, handles, export.
namespace sinew {
namespace {

using test::rotate;
using test::toEigen;
using test::toQuat;
using test::Vec3;

using test::refusal;
using test::tolerance;

constexpr double kG = 9.81;

double length(const Vector3& v) { return std::sqrt(test::dot(v, v)); }
Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// ------------------------------------------------------------------------------------------ handles

TEST(WorldHandles, AHandleOfARemovedBodyIsRefusedAlsoWhenItsPlaceIsTaken) {
  World w;
  const BodyId first = w.addBody(Sphere{});
  const BodyId second = w.addBody(Sphere{}, {.position = {3, 0, 0}});
  w.update(0.01);
  w.remove(first);
  EXPECT_FALSE(w.contains(first));
  EXPECT_EQ(refusal([&] { w.state(first); }), "body handle 1.1 names a body that was removed");
  const BodyId third = w.addBody(Sphere{}, {.position = {6, 0, 0}});
  EXPECT_EQ(third.slot, first.slot);
  EXPECT_NE(third, first);
  EXPECT_EQ(refusal([&] { w.applyForce(first, {1, 0, 0}); }), "body handle 1.1 names a body that was removed");
  EXPECT_EQ(refusal([&] { w.remove(first); }), "body handle 1.1 names a body that was removed");
  EXPECT_EQ(refusal([&] { w.state(BodyId{}); }), "body handle names nothing");
  EXPECT_EQ(refusal([&] { w.remove(w.ground()); }), "the ground cannot be removed");
  w.update(0.01);
  EXPECT_EQ(w.bodies(), (std::vector<BodyId>{second, third}));
  EXPECT_EQ(w.state(third).position[0], 6);
}

TEST(WorldHandles, NamesLeadToBodies) {
  World w;
  const BodyId a = w.addBody(Sphere{}, {.name = "apple"});
  EXPECT_EQ(w.findBody("apple"), a);
  EXPECT_EQ(w.nameOf(a), "apple");
  EXPECT_FALSE(w.findBody("pear"));
  w.remove(a);
  EXPECT_FALSE(w.findBody("apple"));
  EXPECT_TRUE(w.addBody(Sphere{}, {.name = "apple"}));
}

// ------------------------------------------------------------------------------------------ coming and going

/// A stack of cubes with some spin and slip, not yet at rest.
std::vector<BodyId> addStack(World& w, double x) {
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(
        w.addBody(Box{}, {.position = {x + 0.02 * i, 0, 0.5 + 1.01 * i}, .velocity = {0.1, 0, 0}, .mass = 1.0}));
  }
  return ids;
}

// Islands do not know of each other, and what is carried over includes the warm start: the same bits.
TEST(WorldLife, OthersDoNotNoticeThatABodyComesOrGoes) {
  World disturbed, alone;
  disturbed.addStatic(Plane{});
  alone.addStatic(Plane{});
  const BodyId early = disturbed.addBody(Sphere{}, {.position = {-8, 0, 4}});
  const std::vector<BodyId> stack = addStack(disturbed, 0), same = addStack(alone, 0);
  BodyId late;
  for (int i = 0; i < 120; ++i) {
    if (i == 30) disturbed.remove(early);
    if (i == 60) late = disturbed.addBody(Box{}, {.position = {10, 0, 2}});
    if (i == 90) disturbed.remove(late);
    disturbed.update(1.0 / 60);
    alone.update(1.0 / 60);
    for (std::size_t k = 0; k < stack.size(); ++k) {
      ASSERT_EQ(disturbed.state(stack[k]), alone.state(same[k])) << "update " << i << ", cube " << k;
    }
  }
}

TEST(WorldLife, ManyChangesAreCompiledOnce) {
  World w;
  w.addStatic(Plane{});
  for (int i = 0; i < 1000; ++i) {
    const BodyId id = w.addBody(Sphere{0.1}, {.position = {0.3 * (i % 32), 0.3 * (i / 32), 1}});
    w.setVelocity(id, {0, 0, 1}, {0, 0, 0});
    w.applyForce(id, {0, 0, 1});
    EXPECT_EQ(w.placement(id).position[2], 1);  // answers without compiling
  }
  w.update(0.01);
  EXPECT_EQ(w.model().nbody, 1002);
  EXPECT_NEAR(w.time(), 0.01, tolerance(1e-15));
}

TEST(WorldLife, AnEmptyWorldPassesTime) {
  World w;
  w.update(0.25);
  w.update(0.5);
  EXPECT_EQ(w.time(), 0.75);
  EXPECT_TRUE(w.contacts().empty());
  const BodyId ball = w.addBody(Sphere{}, {.position = {0, 0, 5}});
  w.update(0.1);
  w.remove(ball);
  w.update(0.1);
  EXPECT_NEAR(w.time(), 0.95, tolerance(1e-15));
}

// The forces of the last update are a good start, whatever its length, and contacts stay as stiff as they were in the
// longest one not long ago.
TEST(WorldLife, AStackDoesNotNoticeThatTheTimestepChanges) {
  for (const double factor : {2, 4, 10}) {
    World w;
    w.addStatic(Plane{}, {.restitution = 0});
    BodyId top;
    for (int i = 0; i < 6; ++i)
      top = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 0.2 + 0.4 * i}, .restitution = 0});
    for (int i = 0; i < 1000; ++i) {
      w.update(1.0 / 60 / (i % 7 < 3 ? 1 : factor));
      if (i < 300) continue;
      ASSERT_LT(w.kineticEnergy(), 1e-3) << "factor " << factor << ", update " << i;
    }
    EXPECT_NEAR(w.state(top).position[2], 2.2, tolerance(1e-4)) << factor;
  }
}

// A box falls by 0.8 m and arrives in a long update, centimetres deep; short ones shall not throw it back up.
TEST(WorldLife, WhatLandsInALongUpdateStaysDownInShortOnes) {
  for (const double factor : {1, 10, 100}) {
    World w;
    w.addStatic(Plane{}, {.restitution = 0});
    const BodyId box = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 1}, .restitution = 0});
    for (int i = 0; w.time() < 3; ++i) {
      w.update(1.0 / 60 / (i % 7 < 3 ? 1 : factor));
      if (w.time() < 0.6) continue;
      ASSERT_LT(w.state(box).position[2], 0.22) << "factor " << factor << " at " << w.time();
    }
    EXPECT_NEAR(w.state(box).position[2], 0.2, tolerance(1e-3)) << factor;
  }
}

// Semi-implicit Euler with steps h_k: v = -g sum h_k exactly.
TEST(WorldLife, TheTimestepMayChangeFromUpdateToUpdate) {
  World w;
  const BodyId ball = w.addBody(Sphere{}, {.position = {0, 0, 100}});
  double t = 0;
  for (const double h : {0.01, 0.002, 0.03, 0.0001, 0.02}) {
    w.update(h);
    t += h;
  }
  EXPECT_NEAR(w.time(), t, tolerance(1e-15));
  EXPECT_NEAR(w.state(ball).velocity[2], -kG * t, tolerance(1e-14));
}

TEST(WorldLife, ABodyCanBeMovedAndGivenAVelocity) {
  World w({.gravity = {0, 0, 0}});
  const BodyId box = w.addBody(Box{{0.5, 0.2, 0.1}}, {.angularVelocity = {0, 0, 1}});
  w.update(0.01);
  const Quaternion turned{std::sqrt(0.5), std::sqrt(0.5), 0, 0};
  w.setPlacement(box, {{1, 2, 3}, turned});
  EXPECT_EQ(w.placement(box).position, (Vector3{1, 2, 3}));
  EXPECT_TRUE(test::allNear(w.state(box).angularVelocity, Vector3{0, 0, 1}, 1e-12)) << "its motion stays";
  w.setVelocity(box, {4, 5, 6}, {0.1, 0.2, 0.3});
  EXPECT_TRUE(test::allNear(w.state(box).velocity, Vector3{4, 5, 6}, 1e-12));
  EXPECT_TRUE(test::allNear(w.state(box).angularVelocity, Vector3{0.1, 0.2, 0.3}, 1e-12));
  w.update(0.01);
  EXPECT_NEAR(w.placement(box).position[0], 1.04, tolerance(1e-12));
  const BodyId wall = w.addStatic(Box{}, {.name = "wall", .position = {20, 0, 0}});
  w.setPlacement(wall, {{30, 0, 0}, {1, 0, 0, 0}});
  w.update(0.01);
  EXPECT_EQ(w.state(wall).position[0], 30);
  EXPECT_EQ(refusal([&] {
              w.setVelocity(wall, {1, 0, 0}, {});
            }),
            "body \"wall\" is static: it cannot be given a velocity");
}

TEST(WorldLife, AThousandCoincidentBodiesDoNotBreakIt) {
  World w;
  w.addStatic(Plane{});
  for (int i = 0; i < 1000; ++i) w.addBody(Sphere{0.1}, {.position = {0, 0, 0.5}, .contype = 2, .conaffinity = 1});
  for (int i = 0; i < 30; ++i) w.update(1.0 / 60);
  World tight;
  tight.addStatic(Plane{});
  for (int i = 0; i < 60; ++i) tight.addBody(Box{{0.1, 0.1, 0.1}}, {.position = {0, 0, 0.5}});
  for (int i = 0; i < 10; ++i) tight.update(1.0 / 60);
  for (const World* world : {&w, &tight}) {
    EXPECT_EQ(world->trouble(), "");
    for (const BodyId id : world->bodies()) {
      for (const double x : world->state(id).position) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

// ------------------------------------------------------------------------------------------ shapes

TEST(WorldShapes, MassFollowsFromTheVolume) {
  World w;
  const double pi = std::numbers::pi;
  const auto mass = [&](const Shape& shape) { return w.mass(w.addBody(shape, {.density = 100})); };
  EXPECT_NEAR(mass(Sphere{0.5}), 100 * 4 / 3.0 * pi * 0.125, tolerance(1e-12));
  EXPECT_NEAR(mass(Box{{0.1, 0.2, 0.3}}), 100 * 0.048, tolerance(1e-12));
  EXPECT_NEAR(mass(Capsule{0.1, 0.5}), 100 * (pi * 0.01 + 4 / 3.0 * pi * 0.001), tolerance(1e-12));
  EXPECT_NEAR(mass(Cylinder{0.1, 0.5}), 100 * pi * 0.01, tolerance(1e-12));
  EXPECT_NEAR(mass(Ellipsoid{{0.1, 0.2, 0.3}}), 100 * 4 / 3.0 * pi * 0.006, tolerance(1e-12));
}

TriangleMesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
}

// volume 1/6, centre of mass at 1/4 of each edge; vertices are stored in single precision
TEST(WorldShapes, AMeshIsWhereItsVerticesAre) {
  World w({.gravity = {0, 0, 0}});
  const BodyId mesh =
      w.addBody(tetrahedron(), {.position = {1, 0, 0}, .velocity = {0, 1, 0}, .angularVelocity = {0, 0, 2}});
  EXPECT_NEAR(w.mass(mesh), 1000.0 / 6, tolerance(1e-4));
  EXPECT_TRUE(test::allNear(w.state(mesh).position, Vector3{1.25, 0.25, 0.25}, 1e-7));
  EXPECT_TRUE(test::allNear(w.state(mesh).velocity, Vector3{0, 1, 0}, 1e-12)) << "of the centre of mass";
  EXPECT_EQ(w.placement(mesh).position, (Vector3{1, 0, 0}));
  const BodyId heavy = w.addBody(tetrahedron(), {.position = {5, 0, 0}, .mass = 3.0});
  EXPECT_NEAR(w.mass(heavy), 3, tolerance(1e-12));
  EXPECT_EQ(w.model().nmesh, 1) << "stored once";
  EXPECT_NE(refusal([&] { w.addBody(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {}}); }), "");
  EXPECT_EQ(refusal([&] {
              TriangleMesh bad = tetrahedron();
              bad.faces[0][0] = 9;
              w.addBody(bad, {.name = "m"});
            }),
            "body \"m\": vertex of a mesh face is 9, must be in [0, 3]");
}

// a dumbbell: centre of mass and moment of inertia by Steiner's theorem
TEST(WorldShapes, ACompoundBodyIsTheSumOfItsParts) {
  World w({.gravity = {0, 0, 0}});
  const Part parts[] = {{Sphere{0.1}, {-0.5, 0, 0}}, {Sphere{0.1}, {0.5, 0, 0}}};
  const BodyId body = w.addBody(parts, {.position = {0, 0, 1}, .mass = 2.0});
  EXPECT_NEAR(w.mass(body), 2, tolerance(1e-12));
  EXPECT_TRUE(test::allNear(w.state(body).position, Vector3{0, 0, 1}, 1e-12));
  EXPECT_NEAR(1 / w.inverseInertia(body)[8], 2 * (0.4 * 0.01 + 0.25), tolerance(1e-12));
  EXPECT_EQ(refusal([&] { w.addBody(std::span<const Part>{}, {.name = "n"}); }),
            "body \"n\": it needs at least one shape");
}

// ------------------------------------------------------------------------------------------ joints

// A ball on a rod of length 1: period 2 pi sqrt((L^2 + 2/5 r^2) / (g L)) with a fixed joint at the ball's end of a ball
// joint at the pivot; here simply: the anchor stays where it is, energy stays.
TEST(WorldJoints, BallAndHingeHoldTheirAnchor) {
  for (const bool hinge : {false, true}) {
    World w;
    const BodyId rod =
        w.addBody(Capsule{0.05, 0.5}, {.position = {0.5, 0, 0}, .orientation = {std::sqrt(0.5), 0, std::sqrt(0.5), 0}});
    JointShape shape = BallJoint{{0, 0, 0}};
    if (hinge) shape = HingeJoint{{0, 0, 0}, {0, 1, 0}};
    const JointId joint = w.addJoint(w.ground(), rod, shape);
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
      w.update(0.001);
      // the end of the capsule's axis that was at the origin
      const Placement p = w.placement(rod);
      const Vec3 end = toEigen(p.position) + rotate(toQuat(p.orientation), Vec3(0, 0, -0.5));
      worst = std::max(worst, end.norm());
      if (hinge) {
        ASSERT_LT(std::abs(p.position[1]), 1e-4);
      }
    }
    EXPECT_LT(worst, tolerance(1e-3)) << hinge;
    EXPECT_LT(w.kineticEnergy() + w.potentialEnergy(), 0.05 * w.mass(rod)) << "it starts with none";
    w.remove(joint);
    const double speed = w.state(rod).velocity[2];
    w.update(0.01);
    EXPECT_NEAR(w.state(rod).velocity[2], speed - kG * 0.01, tolerance(1e-9)) << "free again";
  }
}

TEST(WorldJoints, AFixedJointMakesOneBodyOfTwo) {
  World w({.gravity = {0, 0, 0}});
  const BodyId a = w.addBody(Box{}, {.mass = 1.0});
  const BodyId b = w.addBody(Box{}, {.position = {1, 0, 0}, .mass = 1.0});
  w.addJoint(a, b, FixedJoint{});
  w.applyImpulse(a, {0, 2, 0});
  for (int i = 0; i < 100; ++i) w.update(0.01);
  const Vec3 between = toEigen(w.placement(b).position) - toEigen(w.placement(a).position);
  EXPECT_NEAR(between.norm(), 1, tolerance(1e-2));
  EXPECT_NEAR(w.momentum()[1], 2, tolerance(1e-12));
  EXPECT_TRUE(test::allNear(w.state(a).angularVelocity, w.state(b).angularVelocity, 1e-3));
  // both together: I = 2 (1/6 + 1/4), L = -1/2 * 2 about the common centre
  EXPECT_NEAR(w.state(a).angularVelocity[2], -1 / (2 * (1.0 / 6 + 0.25)), tolerance(2e-2));
}

TEST(WorldJoints, ASlideMovesAlongItsAxisOnly) {
  World w;
  const Vector3 axis{std::sqrt(0.5), 0, -std::sqrt(0.5)};
  const BodyId bead = w.addBody(Sphere{0.1}, {.name = "bead", .position = {0, 0, 2}, .mass = 1.0});
  const JointId joint = w.addJoint(w.ground(), bead, SlideJoint{axis});
  for (int i = 0; i < 100; ++i) w.update(0.01);
  // a = g / sqrt(2) along the axis; semi-implicit Euler travels a h^2 n (n + 1) / 2
  const double way = kG * std::sqrt(0.5) * 0.0001 * 100 * 101 / 2;
  EXPECT_TRUE(test::allNear(w.state(bead).position, Vector3{way * axis[0], 0, 2 + way * axis[2]}, 1e-12));
  EXPECT_EQ(refusal([&] { w.setPlacement(bead, {}); }), "body \"bead\" rides on a slide joint: remove that first");
  const BodyState before = w.state(bead);
  w.remove(joint);
  EXPECT_TRUE(test::allNear(w.state(bead).velocity, before.velocity, 1e-12));
  w.update(0.01);
  EXPECT_NEAR(w.state(bead).velocity[0], before.velocity[0], tolerance(1e-12));
  EXPECT_NEAR(w.state(bead).velocity[2], before.velocity[2] - kG * 0.01, tolerance(1e-12));
}

TEST(WorldJoints, ASlideBetweenMovingBodiesKeepsMomentumAndComesOffWithItsCarrier) {
  World w({.gravity = {0, 0, 0}});
  const BodyId cart = w.addBody(Box{}, {.velocity = {1, 0, 0}, .mass = 2.0});
  const BodyId load = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 1}, .velocity = {3, 0, 0}, .mass = 1.0});
  w.addJoint(cart, load, SlideJoint{{1, 0, 0}});
  EXPECT_NEAR(w.momentum()[0], 5, tolerance(1e-9));
  for (int i = 0; i < 10; ++i) w.update(0.01);
  EXPECT_NEAR(w.momentum()[0], 5, tolerance(1e-9));
  EXPECT_NEAR(w.placement(load).position[0] - w.placement(cart).position[0], 0.2, tolerance(1e-9));
  EXPECT_NE(refusal([&] { w.addJoint(load, cart, SlideJoint{{1, 0, 0}}); }), "");
  w.remove(cart);
  w.update(0.01);
  EXPECT_NEAR(w.state(load).velocity[0], 3, tolerance(1e-9));
}

TEST(WorldJoints, ADistanceIsARodOrARope) {
  World w;
  const BodyId rod = w.addBody(Sphere{0.1}, {.position = {1, 0, 0}});
  const BodyId rope = w.addBody(Sphere{0.1}, {.position = {0.5, 5, 0}});
  w.addJoint(w.ground(), rod, DistanceJoint{{0, 0, 0}, {1, 0, 0}});
  w.addJoint(w.ground(), rope, DistanceJoint{{0, 5, 0}, {0.5, 5, 0}, 0.0, 1.0});
  for (int i = 0; i < 1000; ++i) {
    w.update(0.002);
    EXPECT_NEAR(length(w.state(rod).position), 1, tolerance(2e-3));
    EXPECT_LT(length(minus(w.state(rope).position, {0, 5, 0})), 1 + tolerance(2e-2));
  }
  // adding something later does not change the length the rod was made with
  w.addBody(Sphere{0.1}, {.position = {20, 0, 0}});
  for (int i = 0; i < 500; ++i) w.update(0.002);
  EXPECT_NEAR(length(w.state(rod).position), 1, tolerance(2e-3));
}

TEST(WorldJoints, JointsAreCheckedAndGoWithTheirBodies) {
  World w;
  const BodyId a = w.addBody(Sphere{}, {.name = "a"}), b = w.addBody(Sphere{}, {.name = "b", .position = {2, 0, 0}});
  EXPECT_EQ(refusal([&] { w.addJoint(a, a, FixedJoint{}, {.name = "j"}); }),
            "joint \"j\" between \"a\" and \"a\": the bodies must differ");
  EXPECT_EQ(refusal([&] {
              w.addJoint(a, b, HingeJoint{{}, {0, 0, 0}}, {.name = "j"});
            }),
            "joint \"j\" between \"a\" and \"b\": axis is (0, 0, 0), must be finite and longer than 1e-9");
  EXPECT_EQ(refusal([&] {
              w.addJoint(a, b, DistanceJoint{{}, {2, 0, 0}, 3.0, 1.0}, {.name = "j"});
            }),
            "joint \"j\" between \"a\" and \"b\": least distance is 3, must be at most 1");
  const JointId joint = w.addJoint(a, b, BallJoint{{1, 0, 0}});
  w.update(0.01);
  w.remove(b);
  EXPECT_FALSE(w.contains(joint));
  EXPECT_EQ(refusal([&] { w.remove(joint); }), "joint handle 0.1 names a joint that was removed");
  w.update(0.01);
  EXPECT_EQ(w.model().neq, 0);
}

// ------------------------------------------------------------------------------------------ callbacks

TEST(WorldEvents, ContactsBeginAndEnd) {
  World w;
  const BodyId floor = w.addStatic(Plane{}, {.restitution = 1});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 1}, .restitution = 1});
  int began = 0, ended = 0;
  double speed = 0, impulse = 0;
  w.onContactBegin([&](const ContactEvent& e) {
    ++began;
    speed = e.approachSpeed;
    impulse = e.normalImpulse;
    EXPECT_TRUE((e.a.body == floor && e.b.body == ball) || (e.a.body == ball && e.b.body == floor));
  });
  w.onContactEnd([&](const ContactEvent&) { ++ended; });
  // falls 0.5 m in 0.32 s, then up and down again: impacts at 0.32, 0.96, 1.6 s
  for (int i = 0; i < 2 * 240; ++i) w.update(1.0 / 240);
  EXPECT_EQ(began, 3);
  EXPECT_EQ(ended, 3);
  EXPECT_NEAR(speed, std::sqrt(2 * kG * 0.5), 0.05);
  EXPECT_NEAR(impulse, 2 * w.mass(ball) * speed, 0.05 * impulse);
}

TEST(WorldEvents, CallbacksMayChangeTheWorld) {
  World w;
  w.addStatic(Plane{}, {.name = "floor"});
  w.addBody(Sphere{0.5}, {.position = {0, 0, 1}});
  w.addBody(Sphere{0.5}, {.position = {3, 0, 1}});
  w.onContactBegin([&](const ContactEvent& e) {
    const BodyId ball = w.isStatic(e.a.body) ? e.b.body : e.a.body;
    w.addBody(Sphere{0.2}, {.position = {0, 10.0 + w.placement(ball).position[0], 5}});
    w.remove(ball);
  });
  for (int i = 0; i < 60; ++i) w.update(1.0 / 60);
  EXPECT_EQ(w.bodies().size(), 3u);
  EXPECT_TRUE(w.contacts().empty());
}

TEST(WorldEvents, AnExceptionOfACallbackLeavesTheWorldUsable) {
  World w;
  w.addStatic(Plane{});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 0.5}});
  w.onContactBegin([](const ContactEvent&) { throw std::runtime_error("enough"); });
  EXPECT_THROW(w.update(0.01), std::runtime_error);
  EXPECT_NEAR(w.time(), 0.01, tolerance(1e-15));
  w.onContactBegin({});
  w.update(0.01);
  EXPECT_NEAR(w.state(ball).position[2], 0.5, tolerance(1e-6));
}

// ------------------------------------------------------------------------------------------ soft things

TEST(WorldSoft, ASoftBallFallsBouncesAndIsReported) {
  World w({.iterations = 50});
  w.addStatic(Plane{}, {.restitution = 1});
  spec::Flexcomp ball;
  ball.type = spec::FlexcompType::Ellipsoid;
  ball.dim = 3;
  ball.count = {5, 5, 5};
  ball.spacing = {0.1, 0.1, 0.1};
  ball.pos = {0, 0, 1};
  ball.mass = 1;
  ball.radius = 0.01;
  ball.shortElasticity.young = 2e4;
  ball.shortElasticity.poisson = 0.2;
  ball.contact.selfcollide = SelfCollide::None;
  const SoftId soft = w.addSoft(ball, {0, 0, -1});
  EXPECT_NEAR(w.mass(soft), 1, tolerance(1e-9));
  EXPECT_NEAR(w.velocity(soft)[2], -1, tolerance(1e-12));
  w.update(0.001);
  EXPECT_NEAR(w.velocity(soft)[2], -1 - kG * 0.001, tolerance(1e-9));
  bool touched = false;
  double lowest = 1, rebound = 0;
  for (int i = 0; i < 700; ++i) {
    w.update(0.001);
    for (const WorldContact& c : w.contacts()) touched = touched || c.a.soft == soft || c.b.soft == soft;
    lowest = std::min(lowest, w.centerOfMass(soft)[2]);
    if (touched) rebound = std::max(rebound, w.velocity(soft)[2]);
    if (i == 300) w.addBody(Sphere{0.1}, {.position = {5, 0, 1}});  // its shape survives
  }
  EXPECT_TRUE(touched);
  EXPECT_GT(lowest, 0);
  EXPECT_GT(rebound, 0.5);
  EXPECT_EQ(w.vertices(soft).size(), static_cast<std::size_t>(w.model().nflexvert));
  w.remove(soft);
  w.update(0.01);
  EXPECT_EQ(w.model().nflex, 0);
  EXPECT_EQ(refusal([&] { w.vertices(soft); }), "soft handle 0.1 names something removed");
  EXPECT_EQ(w.trouble(), "");
}

// ------------------------------------------------------------------------------------------ export

// The file says everything but the impulses the next step would start from; the ball is in the air, so nothing is lost.
TEST(WorldExport, MjcfContinuesWhereTheWorldIs) {
  World w;
  w.addStatic(Plane{}, {.restitution = 0.8});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 2}, .restitution = 0.8});
  const BodyId mesh = w.addBody(tetrahedron(), {.position = {4, 0, 3}, .angularVelocity = {1, 2, 3}});
  const BodyId left = w.addBody(Box{}, {.position = {0, 8, 4}}), right = w.addBody(Box{}, {.position = {1.5, 8, 4}});
  w.addJoint(left, right, HingeJoint{{0.75, 8, 4}, {0, 1, 0}});
  w.addJoint(w.ground(), left, DistanceJoint{{0, 8, 6}, {0, 8, 4.5}});
  for (int i = 0; i < 20; ++i) w.update(0.01);

  const Model m = compile(readMjcfText(w.toMjcf()));
  Data d(m);
  resetToKey(m, d, 0);
  EXPECT_EQ(d.time, w.time());
  EXPECT_EQ(m.nbody, w.model().nbody);
  for (int i = 0; i < 100; ++i) {
    w.update(0.01);
    step(m, d);
  }
  for (const BodyId id : {ball, mesh}) {
    const int b = findId(m, ObjType::Body, w.nameOf(id));
    ASSERT_GE(b, 0);
    forward(m, d);
    const Vector3 expected = w.state(id).position;
    EXPECT_TRUE(test::allNear(std::span(d.xipos.data() + 3 * b, 3), expected, 1e-9)) << w.nameOf(id);
    EXPECT_TRUE(test::allNear(std::span(d.xpos.data() + 3 * b, 3), expected, 1e-9)) << w.nameOf(id);
  }
}

// ------------------------------------------------------------------------------------------ threads

TEST(WorldThreads, TheNumberOfThreadsChangesNothing) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World w({.threads = threads});
    w.addStatic(Plane{});
    for (int i = 0; i < 4; ++i) addStack(w, 10.0 * i);
    for (int i = 0; i < 60; ++i) w.update(1.0 / 60);
    hashes.push_back(stateHash(w.model(), w.data()));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace sinew
