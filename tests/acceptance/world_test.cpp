#include "sinew/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/contact_constraint_factory.h"
#include "support/free_bodies.h"
#include "support/refusal.h"
#include "support/tolerance.h"

/// What happens in a World: CONTACT-T11, the bouncing ball, and the behaviours B1 to B9.
namespace sinew {
namespace {

using test::refusal;
using test::tolerance;

constexpr double kG = 9.81;
const Vector3 kNoGravity{0, 0, 0};

double length(const Vector3& v) { return std::sqrt(test::dot(v, v)); }
Vector3 minus(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// ------------------------------------------------------------------------------------------ T11

TEST(World, CONTACT_T11_1_HeadOnSpheresExchangeTheirVelocities) {
  World w({.gravity = kNoGravity});
  const BodyId a = w.addBody(Sphere{0.5}, {.velocity = {1, 0, 0}, .mass = 1.0, .restitution = 1});
  const BodyId b =
      w.addBody(Sphere{0.5}, {.position = {1.5, 0, 0}, .velocity = {-1, 0, 0}, .mass = 1.0, .restitution = 1});
  for (int i = 0; i < 240; ++i) w.update(1.0 / 240);
  EXPECT_TRUE(test::allNear(w.state(a).velocity, Vector3{-1, 0, 0}, 1e-9));
  EXPECT_TRUE(test::allNear(w.state(b).velocity, Vector3{1, 0, 0}, 1e-9));
}

// m1 v1 = m1 v1' + m2 v2', v2' - v1' = e v1
TEST(World, CONTACT_T11_1_UnequalMassesShareMomentumByRestitution) {
  World w({.gravity = kNoGravity});
  const BodyId a = w.addBody(Sphere{0.5}, {.velocity = {3, 0, 0}, .mass = 2.0, .restitution = 0.5});
  const BodyId b = w.addBody(Sphere{0.5}, {.position = {1.5, 0, 0}, .mass = 1.0, .restitution = 0.5});
  for (int i = 0; i < 120; ++i) w.update(1.0 / 240);
  EXPECT_NEAR(w.state(a).velocity[0], 1.5, tolerance(1e-9));
  EXPECT_NEAR(w.state(b).velocity[0], 3.0, tolerance(1e-9));
}

// every impulse acts on both bodies at one point: what is left is rounding
TEST(World, CONTACT_T11_2_MomentumIsConserved) {
  test::Random random(11);
  World w({.gravity = kNoGravity});
  double linear = 0, angular = 0;
  std::vector<BodyId> ids;
  for (int i = 0; i < 20; ++i) {
    BodyOptions o;
    o.position = {1.05 * (i % 3), 1.05 * (i / 3 % 3), 1.05 * (i / 9)};
    o.velocity = random.vector(3);
    o.angularVelocity = random.vector(2);
    o.mass = random.number(0.5, 4);
    o.restitution = 0.7;
    ids.push_back(w.addBody(Sphere{0.5}, o));
    linear += *o.mass * length(o.velocity);
    angular += *o.mass * length(o.position) * length(o.velocity);
  }
  const Vector3 p = w.momentum(), L = w.angularMomentum();
  int touched = 0;
  for (int i = 0; i < 5 * 240; ++i) {
    w.update(1.0 / 240);
    for (const WorldContact& c : w.contacts()) touched += c.normalImpulse > 0;
  }
  EXPECT_GT(touched, 20);
  EXPECT_LT(length(minus(w.momentum(), p)), tolerance(1e-12) * linear);
  EXPECT_LT(length(minus(w.angularMomentum(), L)), tolerance(1e-11) * angular);
}

// The frame of a body need not be at its centre of mass. Its velocity is integrated at the centre all the same: with
// any other point the momentum of a body that turns would change, by some percent within a turn.
TEST(World, CONTACT_T11_2_BodiesWithTheirFrameOffCentreKeepTheirMomentum) {
  World w({.gravity = kNoGravity});
  const std::vector<Part> hammer{{Box{{0.1, 0.2, 0.1}}, {0.4, 0, 0}}, {Capsule{0.05, 0.3}, {0, 0.1, 0}}};
  const std::vector<Part> ball{{Sphere{0.2}, {0.5, 0, 0}}};
  const TriangleMesh wedge{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 0.7, 0}, {0.2, 0, 0.5}}, .faces = {}};
  const BodyId bodies[] = {
      w.addBody(hammer, {.velocity = {1, 0, 0}, .angularVelocity = {1, 2, 6}}),
      w.addBody(wedge, {.position = {9, 0, 0}, .velocity = {0, 1, 0}, .angularVelocity = {5, 0, 2}}),
      w.addBody(ball, {.position = {0, 9, 0}, .velocity = {0, 0, 1}, .angularVelocity = {0, 4, 0}})};
  for (const BodyId body : bodies) {
    const BodyState before = w.state(body);
    const double reach = length(minus(before.position, w.placement(body).position));
    EXPECT_GT(reach, 0.1);
    for (int i = 0; i < 60; ++i) w.update(1.0 / 60);
    const BodyState after = w.state(body);
    EXPECT_TRUE(test::allNear(after.velocity, before.velocity, 1e-12)) << w.nameOf(body);
    EXPECT_TRUE(test::allNear(minus(after.position, before.position), before.velocity, 1e-12)) << w.nameOf(body);
    EXPECT_NEAR(length(minus(after.position, w.placement(body).position)), reach, tolerance(1e-12));
  }
}

// Explicitly integrated, the gyroscopic torque adds energy in every step: these would end beyond all bounds.
TEST(World, CONTACT_T11_2_SpinningBodiesKeepTheirEnergy) {
  for (const Shape& shape : {Shape(Box{{0.1, 0.2, 0.3}}), Shape(Capsule{0.05, 0.2}), Shape(Cylinder{0.3, 0.02})}) {
    World w({.gravity = kNoGravity});
    w.addBody(shape, {.angularVelocity = {15, 9, 24}});
    const double energy = w.kineticEnergy(), momentum = length(w.angularMomentum());
    for (int i = 0; i < 600; ++i) w.update(1.0 / 60);
    EXPECT_NEAR(w.kineticEnergy() / energy, 1, tolerance(1e-11));
    EXPECT_NEAR(length(w.angularMomentum()) / momentum, 1, tolerance(1e-11));
  }
}

// What position correction puts in is its impulse times its speed; there is nothing else that may.
TEST(World, CONTACT_T11_2_NoUpdateAddsEnergy) {
  test::Random random(23);
  int touched = 0;
  for (int scene = 0; scene < 60; ++scene) {
    const double h = scene % 2 == 0 ? 1.0 / 60 : 1.0 / 240;
    World w({.gravity = kNoGravity});
    for (int i = 0; i < 6; ++i) {
      const double s = random.number(0.15, 0.35);
      const Shape shapes[] = {Sphere{s}, Box{{s, 0.7 * s, 1.2 * s}}, Capsule{0.6 * s, s}, Cylinder{s, 0.5 * s},
                              TriangleMesh{{{0, 0, 0}, {2 * s, 0, 0}, {0, 2 * s, 0}, {0, 0, 2 * s}}, {}}};
      const Vector3 at{i % 2 == 0 ? -1.2 : 1.2, i / 2 % 2 == 0 ? -1.2 : 1.2, i < 4 ? 0.0 : 1.7};
      Vector3 velocity = random.vector(0.4);
      for (std::size_t k = 0; k < 3; ++k) velocity[k] -= 1.5 * at[k];
      w.addBody(shapes[(scene + i) % 5], {.position = at,
                                          .velocity = velocity,
                                          .angularVelocity = random.vector(8),
                                          .mass = random.number(0.2, 5),
                                          .restitution = random.number(0, 1),
                                          .friction = random.number(0, 1)});
    }
    const Vector3 p = w.momentum();
    const double start = w.kineticEnergy();
    double energy = start;
    for (double t = 0; t < 1.5; t += h) {
      w.update(h);
      double correction = 0;
      for (const WorldContact& c : w.contacts()) {
        touched += c.normalImpulse > 0;
        correction += c.normalImpulse * std::max(0.0, -c.distance) * 0.2 / h;
      }
      EXPECT_LE(w.kineticEnergy(), energy + correction + tolerance(1e-9) * start) << "scene " << scene << ", t = " << t;
      energy = w.kineticEnergy();
    }
    EXPECT_LT(length(minus(w.momentum(), p)), tolerance(1e-11)) << "scene " << scene;
  }
  EXPECT_GT(touched, 200);
}

TEST(World, PlacementsAreThoseOfTheFrameThatWasGiven) {
  World w({.gravity = kNoGravity});
  const std::vector<Part> hammer{{Box{{0.1, 0.2, 0.1}}, {0.4, 0, 0}}, {Capsule{0.05, 0.3}, {0, 0.1, 0}}};
  const Quaternion turned{std::sqrt(0.5), 0, 0, std::sqrt(0.5)};  // x becomes y
  const BodyId body = w.addBody(hammer, {.position = {1, 2, 3}, .orientation = turned});
  const auto expectAt = [&](const Vector3& where) {
    EXPECT_TRUE(test::allNear(w.placement(body).position, where, 1e-14));
    const auto& m = w.model();
    const int geom = m.body_geomadr[w.modelBody(body)];
    const Vector3 box{where[0], where[1] + 0.4, where[2]};
    EXPECT_TRUE(test::allNear(std::span(w.data().geom_xpos.data() + 3 * geom, 3), box, 1e-14));
  };
  expectAt({1, 2, 3});
  w.update(0.01);
  expectAt({1, 2, 3});
  w.setPlacement(body, {{4, 5, 6}, turned});
  expectAt({4, 5, 6});
  w.update(0.01);
  expectAt({4, 5, 6});
}

struct CubeStart {
  double height;
  double erp;
};

class RestingCube : public testing::TestWithParam<CubeStart> {};

TEST_P(RestingCube, CONTACT_T11_3_StaysWhereItIs) {
  World w({.erp = GetParam().erp});
  w.addStatic(Plane{}, {.restitution = 0.5});
  const BodyId cube = w.addBody(Box{}, {.position = {0, 0, GetParam().height}, .mass = 1.0, .restitution = 0.5});
  Placement settled;
  double drift = 0;
  for (int i = 0; i < 1000; ++i) {
    w.update(1.0 / 60);
    const Placement now = w.placement(cube);
    if (i == 100) settled = now;
    if (i > 100) drift = std::max(drift, length(minus(now.position, settled.position)));
  }
  EXPECT_LT(drift, tolerance(1e-6));
  EXPECT_NEAR(w.placement(cube).position[2], 0.5, tolerance(1e-3));
  EXPECT_LT(2 * std::acos(std::min(1.0, std::abs(w.placement(cube).orientation[0]))), tolerance(1e-3));
  EXPECT_EQ(w.trouble(), "");
}

INSTANTIATE_TEST_SUITE_P(World, RestingCube,
                         testing::Values(CubeStart{0.5, 0.2}, CubeStart{0.495, 0.2}, CubeStart{0.55, 0.2},
                                         CubeStart{0.5, 0.1}, CubeStart{0.495, 0.1}, CubeStart{0.55, 0.1},
                                         CubeStart{0.5, 0.5}, CubeStart{0.495, 0.5}, CubeStart{0.55, 0.5},
                                         CubeStart{0.5, 1.0}, CubeStart{0.495, 1.0}, CubeStart{0.55, 1.0}));

// A = 1/m1 + 1/m2 + (0.25)^2 / I, lambda = 2 * 2 / A with I = 1/6
TEST(World, CONTACT_T11_4_AGlancingBlowTurnsTheCube) {
  World w({.gravity = kNoGravity});
  const BodyId cube = w.addBody(Box{}, {.mass = 1.0, .restitution = 1, .friction = 0});
  const BodyId ball =
      w.addBody(Sphere{0.25},
                {.position = {-0.76, 0.25, 0}, .velocity = {2, 0, 0}, .mass = 1.0, .restitution = 1, .friction = 0});
  EXPECT_NEAR(w.kineticEnergy(), 2, tolerance(1e-12));
  for (int i = 0; i < 10; ++i) w.update(1.0 / 240);
  EXPECT_NEAR(w.state(cube).velocity[0], 1.684211, tolerance(1e-6));
  EXPECT_NEAR(w.state(cube).angularVelocity[2], -2.526316, tolerance(1e-6));
  EXPECT_NEAR(w.state(ball).velocity[0], 0.315789, tolerance(1e-6));
  EXPECT_NEAR(w.kineticEnergy(), 2, tolerance(1e-6));
}

// gravity during the step of the impact: g h = 0.04 m/s would spoil it, so there is none
TEST(World, CONTACT_T11_5_SurroundingsReflectAndStayWhereTheyAre) {
  World w({.gravity = kNoGravity});
  const BodyId floor = w.addStatic(Plane{}, {.position = {0, 0, 0.25}});
  const Placement before = w.placement(floor);
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 1}, .velocity = {0, 0, -4}, .restitution = 1});
  for (int i = 0; i < 60; ++i) w.update(1.0 / 240);
  EXPECT_NEAR(w.state(ball).velocity[2], 4 * std::sqrt(0.5), tolerance(1e-3));
  EXPECT_EQ(w.placement(floor), before);
  EXPECT_EQ(w.state(floor).velocity, kNoGravity);
}

class Groove : public testing::TestWithParam<double> {};

TEST_P(Groove, CONTACT_T11_6_BothSidesShareTheWeight) {
  const double a = GetParam() * std::numbers::pi / 180;
  World w;
  for (const double side : {1.0, -1.0}) {  // planes through the origin, turned about y
    w.addStatic(Plane{}, {.orientation = {std::cos(a / 2), 0, side * std::sin(a / 2), 0}, .friction = 0});
  }
  const BodyId ball =
      w.addBody(Sphere{0.5}, {.position = {0, 0, 0.5 / std::cos(a) + 0.01}, .mass = 1.0, .friction = 0});
  for (int i = 0; i < 120; ++i) w.update(1.0 / 60);
  EXPECT_LT(length(w.state(ball).velocity), tolerance(1e-6));
  const std::vector<WorldContact> contacts = w.contacts();
  ASSERT_EQ(contacts.size(), 2u);
  for (const WorldContact& c : contacts) {
    EXPECT_NEAR(c.normalImpulse * 60 / kG, 1 / (2 * std::cos(a)), tolerance(1e-3));
  }
}
INSTANTIATE_TEST_SUITE_P(World, Groove, testing::Values(45.0, 30.0));

TEST(World, CONTACT_T11_7_TouchingWithoutDepthIsQuiet) {
  World spheres({.gravity = kNoGravity});
  const BodyId a = spheres.addBody(Sphere{0.5});
  const BodyId b = spheres.addBody(Sphere{0.5}, {.position = {1, 0, 0}});
  World floor;
  floor.addStatic(Plane{});
  const BodyId cube = floor.addBody(Box{}, {.position = {0, 0, 0.5}});
  for (int i = 0; i < 1000; ++i) {
    spheres.update(1.0 / 60);
    floor.update(1.0 / 60);
    ASSERT_LT(length(spheres.state(a).velocity) + length(spheres.state(b).velocity), tolerance(1e-9));
    ASSERT_LT(length(floor.state(cube).velocity), tolerance(1e-6));
  }
  EXPECT_EQ(spheres.trouble() + floor.trouble(), "");
}

// ------------------------------------------------------------------------------------------ bouncing ball

struct Bounces {
  std::vector<double> apex;    ///< heights of the ball's lowest point, the start included
  std::vector<double> energy;  ///< at the apexes
  double highestEnergy = 0, finalHeight = 0, finalSpeed = 0;
  int impacts = 0;
};

/// Radius 0.5, bottom 1 m above the floor, h = 1/240.
Bounces bounce(double e, double seconds, int most = 1000) {
  World w;
  w.addStatic(Plane{}, {.restitution = e});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 1.5}, .mass = 1.0, .restitution = e});
  Bounces result;
  const auto energy = [&] { return w.kineticEnergy() + w.potentialEnergy(); };
  result.apex = {1.0};
  result.energy = {energy()};
  double speed = 0;
  for (int i = 0; i < 240 * seconds && static_cast<int>(result.apex.size()) <= most; ++i) {
    w.update(1.0 / 240);
    const BodyState s = w.state(ball);
    if (speed < 0 && s.velocity[2] > 0.1) ++result.impacts;
    if (speed > 0 && s.velocity[2] <= 0) {
      // the apex lies between two steps: v^2 / 2g above the last
      result.apex.push_back(s.position[2] - 0.5 + s.velocity[2] * s.velocity[2] / (2 * kG));
      result.energy.push_back(energy());
    }
    speed = s.velocity[2];
    result.highestEnergy = std::max(result.highestEnergy, energy());
  }
  result.finalHeight = w.state(ball).position[2];
  result.finalSpeed = speed;
  return result;
}

TEST(World, CONTACT_BouncingBall_EveryApexIsESquaredOfTheLast) {
  const Bounces b = bounce(0.8, 12);
  for (std::size_t k = 1; k < b.apex.size() && b.apex[k - 1] > 0.1; ++k) {
    EXPECT_GT(b.apex[k] / b.apex[k - 1], 0.62) << k;
    EXPECT_LT(b.apex[k] / b.apex[k - 1], 0.66) << k;
    EXPECT_LT(b.energy[k], b.energy[k - 1]) << k;
  }
  EXPECT_NEAR(b.impacts, 10, 1);
  EXPECT_NEAR(b.finalHeight, 0.5, tolerance(1e-3));
  EXPECT_NEAR(b.finalSpeed, 0, tolerance(1e-6));
  EXPECT_LE(b.highestEnergy, b.energy[0] * (1 + 1e-12));
}

TEST(World, CONTACT_BouncingBall_ElasticKeepsItsHeightAndPlasticStays) {
  const Bounces elastic = bounce(1, 20, 10);
  ASSERT_GE(elastic.apex.size(), 11u);
  for (const double apex : elastic.apex) {
    EXPECT_GT(apex, 0.995);
    EXPECT_LT(apex, 1.001);
  }
  const Bounces plastic = bounce(0, 3);
  for (std::size_t k = 1; k < plastic.apex.size(); ++k) EXPECT_LT(plastic.apex[k], 0.01);
  EXPECT_NEAR(plastic.finalHeight, 0.5, tolerance(1e-3));
}

// ------------------------------------------------------------------------------------------ B1 to B9

TEST(World, CONTACT_B1_StaticThingsHaveInfiniteMassAndRestitutionOneHalf) {
  World w;
  const BodyId wall = w.addStatic(Box{}, {.name = "wall", .position = {1, 2, 3}, .orientation = {0, 1, 0, 0}});
  EXPECT_EQ(w.inverseMass(wall), 0);
  EXPECT_EQ(w.inverseInertia(wall), Matrix3{});
  EXPECT_EQ(w.state(wall).position, (Vector3{1, 2, 3}));
  EXPECT_EQ(w.state(wall).orientation, (Quaternion{0, 1, 0, 0}));
  EXPECT_EQ(w.state(wall).velocity, kNoGravity);
  EXPECT_EQ(w.state(wall).angularVelocity, kNoGravity);
  EXPECT_EQ(w.restitution(wall), 0.5);
  EXPECT_EQ(w.restitution(w.addStatic(Box{}, {.restitution = 0.9})), 0.9);
  w.setRestitution(wall, 0.25);
  EXPECT_EQ(w.restitution(wall), 0.25);
  EXPECT_EQ(refusal([&] { w.setRestitution(wall, 1.5); }), "body \"wall\": restitution is 1.5, must be in [0, 1]");
  EXPECT_EQ(refusal([&] { w.addStatic(Box{}, {.name = "x", .restitution = -0.5}); }),
            "body \"x\": restitution is -0.5, must be in [0, 1]");
}

TEST(World, CONTACT_B2_BodiesHaveTheInverseOfTheirMass) {
  World w;
  const BodyId ball = w.addBody(Sphere{0.5}, {.mass = 4.0});
  EXPECT_EQ(w.inverseMass(ball), 0.25);
  EXPECT_TRUE(test::allNear(w.inverseInertia(ball), test::diagonal(1 / (0.4 * 4 * 0.25)), 1e-12));
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{0.5}, {.name = "ball", .mass = 0.0}); }),
            "body \"ball\": mass is 0, must be finite and above 0");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{0.5}, {.name = "ball", .mass = -1.0}); }),
            "body \"ball\": mass is -1, must be finite and above 0");
}

TEST(World, CONTACT_B5_ContactsBelongToThePosesAtTheStartOfTheUpdate) {
  World w({.gravity = kNoGravity});
  const BodyId floor = w.addStatic(Plane{});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 0.49}, .velocity = {0, 0, -1}});
  const Vector3 before = w.state(ball).position;
  w.update(0.01);
  ASSERT_EQ(w.contacts().size(), 1u);
  const WorldContact c = w.contacts().front();
  EXPECT_EQ(c.a.body, floor);
  EXPECT_EQ(c.b.body, ball);
  EXPECT_NEAR(c.distance, -0.01, tolerance(1e-15));
  EXPECT_NEAR(c.constraint.getContactPoint()[2], -0.005, tolerance(1e-15));
  EXPECT_NEAR(c.constraint.getPreImpactVelocity(), -1, tolerance(1e-15));
  EXPECT_NEAR(c.constraint.getPenetrationDepth(), 0.01, tolerance(1e-15));
  EXPECT_EQ(c.constraint.getRestitution(), 0.5);
  EXPECT_NEAR(c.constraint.getLeverArmB()[2], -0.5, tolerance(1e-15));
  EXPECT_NE(w.state(ball).position, before);
  // the frame is that of the state
  EXPECT_EQ(w.placement(ball).position, w.state(ball).position);
  EXPECT_EQ(w.placement(ball).orientation, w.state(ball).orientation);
  EXPECT_NEAR(w.placement(ball).position[2], 0.49 + 0.01 * w.state(ball).velocity[2], tolerance(1e-15));
}

// v = F h / m after one update, and no more after the next
TEST(World, CONTACT_B5_AForceActsForOneUpdateOnly) {
  World w({.gravity = kNoGravity});
  const BodyId ball = w.addBody(Sphere{0.5}, {.mass = 2.0});
  w.applyForce(ball, {6, 0, 0});
  w.update(0.01);
  EXPECT_NEAR(w.state(ball).velocity[0], 0.03, tolerance(1e-15));
  w.update(0.01);
  EXPECT_NEAR(w.state(ball).velocity[0], 0.03, tolerance(1e-15));
  w.applyForce(ball, {6, 0, 0});  // after update k: in k + 1
  w.update(0.02);
  EXPECT_NEAR(w.state(ball).velocity[0], 0.09, tolerance(1e-15));
  w.applyImpulse(ball, {0, 1, 0});
  w.update(0.005);
  EXPECT_NEAR(w.state(ball).velocity[1], 0.5, tolerance(1e-15));
}

// w = (r x F) h / I
TEST(World, ForcesAtAPointTurnTheBody) {
  World w({.gravity = kNoGravity});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {1, 0, 0}, .mass = 1.0});
  w.applyForce(ball, {0, 1, 0}, {1.5, 0, 0});
  w.applyImpulse(ball, {0, 0, 1}, {1, 0.5, 0});
  w.applyTorque(ball, {0, 0.2, 0});
  w.update(0.01);
  EXPECT_TRUE(test::allNear(w.state(ball).velocity, Vector3{0, 0.01, 1}, 1e-14));
  EXPECT_TRUE(test::allNear(w.state(ball).angularVelocity, Vector3{0.5 / 0.1, 0.002 / 0.1, 0.005 / 0.1}, 1e-14));
}

// one solver for everything: the velocity an update leaves is that of the rows it reports
TEST(World, CONTACT_B6_ImpulsesOfTheContactsExplainTheChangeOfVelocity) {
  World w;
  w.addStatic(Plane{});
  const BodyId cube = w.addBody(Box{}, {.position = {0, 0, 0.45}, .velocity = {1, 0, -2}, .mass = 3.0});
  const double h = 0.01;
  const BodyState before = w.state(cube);
  w.update(h);
  Vector3 sum{0, 0, -3 * kG * h};
  for (const WorldContact& c : w.contacts()) {
    for (std::size_t i = 0; i < 3; ++i) sum[i] += c.impulse[i];
  }
  const Vector3 change = minus(w.state(cube).velocity, before.velocity);
  EXPECT_TRUE(test::allNear(change, Vector3{sum[0] / 3, sum[1] / 3, sum[2] / 3}, 1e-12));
}

// ERP = alpha h^2
TEST(World, CONTACT_B7_ErpIsAShareOfTheDepthPerUpdate) {
  for (const double erp : {0.1, 0.5, 1.0}) {
    World w({.gravity = kNoGravity, .erp = erp});
    w.addStatic(Plane{});
    const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 0.48}});
    w.update(0.016);
    // contacts with depth yield a little (docs/impulse.md), which takes a few hundredths of the correction
    EXPECT_NEAR(0.5 - w.state(ball).position[2], (1 - erp) * 0.02, tolerance(0.02) * erp * 0.02);
  }
}

// the target is -e v, not -(1 + e) v: the energy kept is 0.64, not 3.24
TEST(World, CONTACT_B8_AReboundKeepsESquaredOfTheEnergy) {
  World w({.gravity = kNoGravity});
  w.addStatic(Plane{}, {.restitution = 0.8});
  w.addBody(Sphere{0.5}, {.position = {0, 0, 0.6}, .velocity = {0, 0, -3}, .mass = 1.0, .restitution = 0.8});
  const double before = w.kineticEnergy();
  for (int i = 0; i < 60; ++i) w.update(1.0 / 240);
  EXPECT_NEAR(w.kineticEnergy() / before, 0.64, tolerance(1e-6));
}

TEST(World, CONTACT_B9_ErrorsNameTheBodyTheValueAndTheRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  World w;
  const BodyId ball = w.addBody(Sphere{0.5}, {.name = "ball"});
  EXPECT_EQ(refusal([&] { w.update(0); }), "World::update: dt is 0, must be finite and above 0");
  EXPECT_EQ(refusal([&] { w.update(-0.1); }), "World::update: dt is -0.1, must be finite and above 0");
  EXPECT_EQ(refusal([&] { w.update(nan); }), "World::update: dt is nan, must be finite and above 0");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{0.5}, {.name = "ball"}); }), "the name \"ball\" is taken");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{-1}, {.name = "b"}); }),
            "body \"b\": radius is -1, must be finite and above 0");
  EXPECT_EQ(refusal([&] {
              w.addBody(Sphere{1}, {.name = "b", .position = {0, nan, 0}});
            }),
            "body \"b\": position is (0, nan, 0), must be finite");
  EXPECT_EQ(refusal([&] {
              w.addBody(Sphere{1}, {.name = "b", .orientation = {0, 0, 0, 0}});
            }),
            "body \"b\": orientation is (0, 0, 0, 0), must be a quaternion with finite length above 0");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{1}, {.name = "b", .restitution = 1.01}); }),
            "body \"b\": restitution is 1.01, must be in [0, 1]");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{1}, {.name = "b", .friction = -0.1}); }),
            "body \"b\": friction is -0.1, must be finite and 0 or more");
  EXPECT_EQ(refusal([&] { w.addBody(Plane{}, {.name = "b"}); }), "body \"b\": a plane has no mass and must be static");
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{1e-5}, {.name = "b"}); }).substr(0, 38),
            "body \"b\": moment of inertia is 1.67551");
  EXPECT_EQ(refusal([&] { w.applyForce(ball, {nan, 0, 0}); }), "body \"ball\": force is (nan, 0, 0), must be finite");
  EXPECT_EQ(refusal([&] {
              w.applyForce(w.ground(), {1, 0, 0});
            }),
            "body \"world\" is static: it cannot be given a force");
  EXPECT_EQ(refusal([] { World bad({.erp = 2}); }), "World: erp is 2, must be in [0, 1]");
  EXPECT_EQ(refusal([] { World bad({.threads = 0}); }), "World: threads is 0, must be 1 or more");
  EXPECT_EQ(w.bodies().size(), 1u) << "what was refused left nothing behind";
  w.update(0.01);
}

}  // namespace
}  // namespace sinew
