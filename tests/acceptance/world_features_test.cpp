#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sinew/world.h"
#include "support/allocation_guard.h"
#include "support/free_bodies.h"
#include "support/refusal.h"
#include "support/tolerance.h"
#include "support/vectors.h"

/// Kinematic bodies, terrain, queries, sensors, filters and the other things that a game asks of a World.
namespace sinew {
namespace {

using test::refusal;
using test::tolerance;

constexpr double kG = 9.81, kH = 1.0 / 60;

void run(World& w, double seconds, double h = kH) {
  const double end = w.time() + seconds - 0.5 * h;
  while (w.time() < end) w.update(h);
}

ContactBody bodySide(BodyId id) { return {id, {}}; }
ContactBody softSide(SoftId id) { return {{}, id}; }

// ------------------------------------------------------------------------------------------ kinematic bodies

// A lift at constant speed: what stands on it moves with it, and presses with its weight.
TEST(WorldKinematic, ALiftCarriesWhatStandsOnIt) {
  for (const double speed : {0.7, -0.4}) {
    World w;
    const BodyId lift = w.addKinematic(Box{{1, 1, 0.1}}, {.position = {0, 0, -0.1}, .velocity = {0, 0, speed}});
    const BodyId box =
        w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0.1, 0, 0.2}, .velocity = {0, 0, speed}, .mass = 2.0});
    run(w, 2);
    EXPECT_NEAR(w.state(box).velocity[2], speed, tolerance(1e-6));
    EXPECT_NEAR(w.placement(lift).position[2], -0.1 + 2 * speed, tolerance(1e-12));
    EXPECT_NEAR(w.state(box).position[2], 0.2 + 2 * speed, tolerance(1e-3));
    double carried = 0;
    for (const WorldContact& c : w.contacts()) carried += c.normalImpulse;
    EXPECT_NEAR(carried, 2 * kG * kH, tolerance(1e-3));
    EXPECT_TRUE(w.isKinematic(lift));
    EXPECT_FALSE(w.isStatic(lift));
    EXPECT_EQ(w.inverseMass(lift), 0);
  }
}

// Friction accelerates by mu g until the speeds agree.
TEST(WorldKinematic, APlatformThatMovesDragsBodiesAlong) {
  World w;
  w.addKinematic(Box{{50, 1, 0.1}}, {.position = {0, 0, -0.1}, .velocity = {1.5, 0, 0}, .friction = 0.3});
  const BodyId box = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 0.2}, .restitution = 0, .friction = 0.3});
  run(w, 0.25, 1.0 / 240);
  EXPECT_NEAR(w.state(box).velocity[0], 0.3 * kG * w.time(), tolerance(0.02));
  run(w, 1, 1.0 / 240);
  EXPECT_NEAR(w.state(box).velocity[0], 1.5, tolerance(1e-4));
}

TEST(WorldKinematic, ATurntableCarriesBodiesRound) {
  World w;
  w.addKinematic(Cylinder{2, 0.1}, {.position = {0, 0, -0.1}, .angularVelocity = {0, 0, 1}, .friction = 1});
  const BodyId box =
      w.addBody(Box{{0.1, 0.1, 0.1}},
                {.position = {0.5, 0, 0.1}, .velocity = {0, 0.5, 0}, .angularVelocity = {0, 0, 1}, .friction = 1});
  run(w, 1, 1.0 / 240);
  const BodyState s = w.state(box);
  EXPECT_NEAR(s.position[0], 0.5 * std::cos(1), tolerance(5e-3));
  EXPECT_NEAR(s.position[1], 0.5 * std::sin(1), tolerance(5e-3));
  EXPECT_NEAR(s.angularVelocity[2], 1, tolerance(1e-3));
}

// Against a wall that comes with u a ball of speed v leaves with v + 2 u.
TEST(WorldKinematic, ABallBouncesOffAMovingWallFasterThanItCame) {
  World w({.gravity = {0, 0, 0}});
  w.addKinematic(Box{{0.5, 2, 2}}, {.position = {0, 0, 0}, .velocity = {2, 0, 0}, .restitution = 1, .friction = 0});
  const BodyId ball =
      w.addBody(Sphere{0.2}, {.position = {2, 0, 0}, .velocity = {-3, 0, 0}, .restitution = 1, .friction = 0});
  std::vector<double> speeds;
  w.onContactBegin([&](const ContactEvent& event) { speeds.push_back(event.approachSpeed); });
  run(w, 1, 1.0 / 240);
  EXPECT_NEAR(w.state(ball).velocity[0], 3 + 2 * 2, tolerance(1e-9));
  ASSERT_EQ(speeds.size(), 1u);
  EXPECT_NEAR(speeds[0], 5, tolerance(1e-9));
}

TEST(WorldKinematic, MoveToArrives) {
  World w;
  const BodyId door = w.addKinematic(Box{{1, 0.1, 1}}, {.name = "door"});
  const Placement open{{1, 2, 3}, {std::sqrt(0.5), 0, 0, std::sqrt(0.5)}};
  w.moveTo(door, open, kH);
  w.update(kH);
  const Placement now = w.placement(door);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(now.position[i], open.position[i], tolerance(1e-12));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(now.orientation[i], open.orientation[i], tolerance(1e-12));
  EXPECT_NEAR(w.state(door).velocity[0], 60, tolerance(1e-9)) << "it keeps its velocity until it is given another";
  w.setVelocity(door, {}, {});
  run(w, 1);
  EXPECT_EQ(w.placement(door), now);
  w.setPlacement(door, {{5, 0, 0}, {1, 0, 0, 0}});
  EXPECT_EQ(w.placement(door).position[0], 5);
  EXPECT_EQ(refusal([&] { w.applyForce(door, {1, 0, 0}); }), "body \"door\" is kinematic: it cannot be given a force");
  EXPECT_EQ(refusal([&] { w.moveTo(door, open, 0); }),
            "body \"door\": time to get there is 0, must be finite and above 0");
  const BodyId ball = w.addBody(Sphere{}, {.name = "ball"});
  EXPECT_EQ(refusal([&] { w.moveTo(ball, open, 1); }), "body \"ball\": only kinematic bodies are moved to a placement");
  EXPECT_EQ(refusal([&] { w.addJoint(door, ball, SlideJoint{}, {.name = "rail"}); }),
            "joint \"rail\": \"door\" is kinematic, and a joint with a coordinate cannot be on it; fixed, ball and "
            "distance joints can, and hinges without range, spring and motor");
  const BodyId wall = w.addStatic(Box{}, {.name = "wall"});
  EXPECT_EQ(refusal([&] { w.addJoint(door, wall, FixedJoint{}, {.name = "glue"}); }),
            "joint \"glue\" between \"door\" and \"wall\": neither is moved by forces");
}

// A joint on a body that moves feels its velocity, so it does not lag behind.
TEST(WorldKinematic, JointsFollow) {
  World w({.gravity = {0, 0, 0}});
  const BodyId hand = w.addKinematic(Sphere{0.1}, {.velocity = {2, 0, 0}, .angularVelocity = {0, 0, 0.5}});
  const BodyId tool = w.addBody(Box{{0.1, 0.1, 0.1}}, {.position = {0.5, 0, 0}});
  w.addJoint(hand, tool, FixedJoint{});
  run(w, 1, 1.0 / 240);
  const BodyState s = w.state(tool);
  EXPECT_NEAR(s.position[0], 2 + 0.5 * std::cos(0.5), tolerance(2e-3));
  EXPECT_NEAR(s.position[1], 0.5 * std::sin(0.5), tolerance(2e-3));
  EXPECT_NEAR(s.angularVelocity[2], 0.5, tolerance(1e-3));
}

// A press that crushes a box against a wall: nothing can give, and nothing breaks.
TEST(WorldKinematic, APressThatIsDrivenIntoAWallStaysFinite) {
  World w;
  w.addStatic(Plane{});
  w.addStatic(Box{{0.1, 1, 1}}, {.position = {1, 0, 1}});
  const BodyId box = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0.6, 0, 0.2}});
  w.addKinematic(Box{{0.1, 1, 1}}, {.position = {0.2, 0, 1}, .velocity = {0.5, 0, 0}});
  run(w, 3);
  for (const double x : w.state(box).position) EXPECT_LT(std::abs(x), 100);
}

TEST(WorldKinematic, ABeltMovesWhatLiesOnIt) {
  World w;
  const BodyId belt = w.addStatic(Box{{20, 1, 0.1}}, {.position = {0, 0, -0.1},
                                                      .orientation = {std::sqrt(0.5), 0, 0, std::sqrt(0.5)},
                                                      .friction = 0.6,
                                                      .surfaceVelocity = {1, 0, 0}});
  const BodyId box = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 0.2}, .restitution = 0, .friction = 0.6});
  run(w, 1);
  EXPECT_NEAR(w.state(box).velocity[1], 1, tolerance(1e-3)) << "its x axis points along y";
  EXPECT_EQ(w.placement(belt).position[2], -0.1);
  w.setSurfaceVelocity(belt, {-2, 0, 0});
  run(w, 2);
  EXPECT_NEAR(w.state(box).velocity[1], -2, tolerance(1e-3));
  EXPECT_EQ(refusal([&] {
              w.setSurfaceVelocity(box, {1, 0, 0});
            }),
            "body \"body2\": only static and kinematic bodies have a surface velocity");
}

// ------------------------------------------------------------------------------------------ terrain

/// z = f(x, y) over a square of n x n points.
template <class F>
TriangleMesh sheet(int n, double half, F&& f) {
  TriangleMesh mesh;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double x = -half + 2 * half * i / (n - 1), y = -half + 2 * half * j / (n - 1);
      mesh.vertices.push_back({x, y, f(x, y)});
    }
  }
  for (int j = 0; j + 1 < n; ++j) {
    for (int i = 0; i + 1 < n; ++i) {
      const int a = j * n + i;
      mesh.faces.push_back({a, a + 1, a + n + 1});
      mesh.faces.push_back({a, a + n + 1, a + n});
    }
  }
  return mesh;
}

TEST(WorldTerrain, ABowlHoldsABall) {
  World w;
  const BodyId bowl = w.addStatic(sheet(13, 1, [](double x, double y) { return 0.5 * (x * x + y * y); }),
                                  {.name = "bowl", .restitution = 0, .friction = 0.5});
  const BodyId ball = w.addBody(Sphere{0.1}, {.position = {0.5, 0.3, 0.6}, .restitution = 0, .rollingFriction = 0.02});
  run(w, 8);
  const Vector3 p = w.state(ball).position;
  // rolling friction holds it up to a slope of 0.02 / 0.1, which is at a radius of 0.2; triangles are 0.17 wide
  EXPECT_LT(std::hypot(p[0], p[1]), 0.2 + 0.085);
  EXPECT_NEAR(p[2], 0.101 + 0.5 * (p[0] * p[0] + p[1] * p[1]), 0.01) << "radius and half of the thickness above it";
  const Vector3 v = w.state(ball).velocity;
  EXPECT_LT(std::sqrt(test::dot(v, v)), 0.01) << "at rest, but for a spin that nothing brakes";
  ASSERT_FALSE(w.contacts().empty());
  EXPECT_EQ(w.contacts()[0].a.body == bowl || w.contacts()[0].b.body == bowl, true);
  EXPECT_EQ(w.friction(bowl), 0.5);
  EXPECT_EQ(w.restitution(bowl), 0);
}

// From both sides, at half of the thickness: a ball above rests on it, one below is stopped by it.
TEST(WorldTerrain, TrianglesCollideFromBothSides) {
  for (const double thickness : {0.002, 0.05}) {
    for (const double side : {1.0, -1.0}) {
      World w({.gravity = {0, 0, -side * kG}});
      TriangleMesh mesh = sheet(2, 1, [](double, double) { return 0.0; });
      mesh.thickness = thickness;
      w.addStatic(mesh, {.position = {0, 0, 0.25}, .restitution = 0});
      const BodyId ball = w.addBody(Sphere{0.1}, {.position = {0.2, -0.3, 0.25 + side * 0.3}, .restitution = 0});
      run(w, 2);
      EXPECT_NEAR(w.state(ball).position[2], 0.25 + side * (0.1 + thickness / 2), tolerance(1e-3));
    }
  }
}

TEST(WorldTerrain, ABoxSlidesOverTheSeamsOfASlope) {
  // an incline of atan(0.3) with friction 0.2: a = g (sin a - mu cos a)
  World w;
  w.addStatic(sheet(9, 4, [](double x, double) { return 0.3 * x; }), {.restitution = 0, .friction = 0.2});
  const double angle = std::atan(0.3);
  const Quaternion tilt{std::cos(angle / 2), 0, -std::sin(angle / 2), 0};
  const double up = 0.1 + 0.001;
  const BodyId box =
      w.addBody(Box{{0.1, 0.1, 0.1}}, {.position = {3 - up * std::sin(angle), 0.13, 0.9 + up * std::cos(angle)},
                                       .orientation = tilt,
                                       .restitution = 0,
                                       .friction = 0.2});
  run(w, 1, 1.0 / 240);
  const BodyState s = w.state(box);
  const double speed = std::sqrt(test::dot(s.velocity, s.velocity));
  EXPECT_NEAR(speed, kG * (std::sin(angle) - 0.2 * std::cos(angle)), tolerance(0.02));
  EXPECT_NEAR(s.orientation[2], tilt[2], 2e-3) << "it does not trip over a seam";
}

// A closed box seen from inside is concave: a hull would push the ball out of it.
TEST(WorldTerrain, AClosedConvexMeshIsItsHullAndAConcaveOneIsNot) {
  TriangleMesh cube;
  for (int i = 0; i < 8; ++i) cube.vertices.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
  cube.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  TriangleMesh room = cube;
  for (std::array<int, 3>& face : room.faces) std::swap(face[0], face[1]);
  World solid, hollow;
  solid.addStatic(cube);
  hollow.addStatic(room);
  const BodyId above = solid.addBody(Sphere{0.2}, {.position = {0.1, 0.2, 1.5}, .restitution = 0});
  const BodyId inside = hollow.addBody(Sphere{0.2}, {.position = {0.1, 0.2, 0}, .restitution = 0});
  run(solid, 2);
  run(hollow, 2);
  EXPECT_NEAR(solid.state(above).position[2], 1.2, tolerance(1e-3));
  EXPECT_EQ(solid.model().nflex, 0);
  EXPECT_NEAR(hollow.state(inside).position[2], -0.8 + 0.001, tolerance(1e-3));
  EXPECT_EQ(hollow.model().nflex, 1);
  EXPECT_EQ(hollow.model().nv, 6) << "triangles of surroundings have no coordinates";
  hollow.update(kH);
  EXPECT_NE(hollow.toMjcf().find("<flex "), std::string::npos);
}

TEST(WorldTerrain, MeshesThatCannotBeAreRefused) {
  World w;
  TriangleMesh flat = sheet(2, 1, [](double, double) { return 0.0; });
  EXPECT_NE(refusal([&] { w.addBody(flat, {.name = "leaf"}); }).find("body \"leaf\": "), std::string::npos);
  flat.thickness = 0;
  EXPECT_EQ(refusal([&] { w.addStatic(flat, {.name = "sheet"}); }),
            "body \"sheet\": thickness of the mesh is 0, must be finite and above 0");
  flat.thickness = 0.01;
  flat.vertices[3] = flat.vertices[0];
  EXPECT_EQ(refusal([&] { w.addStatic(flat, {.name = "sheet"}); }),
            "body \"sheet\": area of mesh face 0 is 0 m^2, must be above 0");
  flat = sheet(2, 1, [](double, double) { return 0.0; });
  EXPECT_EQ(refusal([&] { w.addStatic(flat, {.name = "net", .sensor = true}); }),
            "body \"net\": a mesh that is open or concave has no inside and cannot be a sensor");
  EXPECT_EQ(refusal([&] {
              w.addStatic(flat, {.name = "belt", .surfaceVelocity = {1, 0, 0}});
            }),
            "body \"belt\": triangles that collide one by one cannot have a surface velocity");
  EXPECT_EQ(refusal([&] {
              w.addStatic(HeightField{.rows = 2, .columns = 3, .heights = {1, 2}}, {.name = "hills"});
            }),
            "body \"hills\": number of heights is 2, must be 2 x 3 = 6");
  EXPECT_EQ(refusal([&] {
              w.addStatic(HeightField{.rows = 1, .columns = 3, .heights = {1, 2, 3}}, {.name = "hills"});
            }),
            "body \"hills\": number of rows of the height field is 1, must be 2 or more");
  EXPECT_EQ(refusal([&] {
              w.addBody(HeightField{.rows = 2, .columns = 2, .heights = {0, 0, 0, 0}}, {.name = "raft"});
            }),
            "body \"raft\": a height field has no mass and must be static");
  w.update(kH);
  EXPECT_TRUE(w.bodies().empty()) << "what was refused is not there";
}

// Rows along y, columns along x, heights in metres.
TEST(WorldTerrain, AHeightFieldHasItsHeightsWhereTheyAreGiven) {
  const int rows = 9, columns = 17;
  HeightField field{.rows = rows, .columns = columns, .halfSizeX = 4, .halfSizeY = 2};
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) field.heights.push_back(-1 + 0.1 * (0.5 * c - 4) + 0.3 * (0.5 * r - 2));
  }
  World w;
  const BodyId hills = w.addStatic(field, {.position = {10, 0, 0.5}});
  for (const auto& [x, y] : {std::pair{0.3, 0.4}, {-2.6, 1.1}, {3.1, -1.7}}) {
    const auto hit = w.rayCast({10 + x, y, 5}, {0, 0, -1});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->thing.body, hills);
    EXPECT_NEAR(hit->point[2], 0.5 - 1 + 0.1 * x + 0.3 * y, tolerance(1e-6));
  }
  const BodyId ball = w.addBody(Sphere{0.1}, {.position = {10, 0, -0.3}, .restitution = 0, .friction = 0});
  run(w, 0.5);
  EXPECT_LT(w.state(ball).velocity[1], -0.5) << "downhill";
  EXPECT_LT(w.state(ball).velocity[0], -0.1);
}

// ------------------------------------------------------------------------------------------ questions

TEST(WorldQueries, RaysMeetWhatIsThere) {
  World w({.gravity = {0, 0, 0}});
  const BodyId floor = w.addStatic(Plane{});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 3}});
  const BodyId lift = w.addKinematic(Box{{1, 1, 0.1}}, {.position = {5, 0, 1}, .velocity = {0, 0, 1}});
  const BodyId gate = w.addStatic(Box{}, {.position = {0, 0, 5}, .sensor = true});
  spec::Flexcomp cloth;
  cloth.dim = 2;
  cloth.count = {5, 5, 1};
  cloth.spacing = {0.5, 0.5, 0.5};
  cloth.pos = {-5, 0, 1};
  cloth.radius = 0.01;
  cloth.mass = 1;
  const SoftId sail = w.addSoft(cloth);

  auto hit = w.rayCast({0.3, 0, 10}, {0, 0, -2});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->thing, bodySide(ball)) << "not the sensor " << gate.slot;
  EXPECT_NEAR(hit->distance, 10 - 3 - 0.4, tolerance(1e-12));
  EXPECT_NEAR(hit->normal[0], 0.6, tolerance(1e-12));
  hit = w.rayCast({0.3, 0, 10}, {0, 0, -2}, {.exclude = ball});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->thing, bodySide(floor));
  EXPECT_FALSE(w.rayCast({0.3, 0, 10}, {0, 0, -2}, {.exclude = ball, .statics = false}));
  EXPECT_FALSE(w.rayCast({0.3, 0, 10}, {0, 0, -2}, {.maxDistance = 6.5}));
  EXPECT_FALSE(w.rayCast({0, 0, 10}, {0, 0, 1}));
  hit = w.rayCast({-5.1, 0.1, 4}, {0, 0, -1});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->thing, softSide(sail));
  EXPECT_NEAR(hit->point[2], 1.01, tolerance(1e-9));
  hit = w.rayCast({-5.1, 0.1, 4}, {0, 0, -1}, {.softs = false});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->thing, bodySide(floor));
  EXPECT_NEAR(hit->distance, 4, tolerance(1e-6));
  run(w, 1);
  hit = w.rayCast({5, 0.3, 9}, {0, 0, -1});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->thing, bodySide(lift)) << "where it is now";
  EXPECT_NEAR(hit->point[2], 2.1, tolerance(1e-9));
  EXPECT_EQ(refusal([&] {
              w.rayCast({0, 0, 0}, {0, 0, 0});
            }),
            "ray: direction is (0, 0, 0), must be longer than 1e-12");
  w.remove(ball);
  EXPECT_EQ(w.rayCast({0.3, 0, 10}, {0, 0, -2})->thing, bodySide(floor)) << "its place in the model is empty";
  EXPECT_EQ(refusal([&] {
              w.rayCast({0, 0, 5}, {0, 0, -1}, {.exclude = ball});
            }),
            "body handle 2.1 names a body that was removed");
}

TEST(WorldQueries, ShapesOverlapWhatIsThere) {
  World w({.gravity = {0, 0, 0}});
  const BodyId floor = w.addStatic(Plane{});
  const BodyId ball = w.addBody(Sphere{0.5}, {.position = {0, 0, 2}});
  const BodyId box = w.addBody(Box{}, {.position = {1.5, 0, 2}});
  w.addStatic(Box{}, {.position = {0, 0, 2}, .sensor = true});
  const auto at = [](double x, double y, double z) { return Placement{{x, y, z}, {1, 0, 0, 0}}; };
  using Found = std::vector<ContactBody>;
  EXPECT_EQ(w.overlapping(Sphere{0.3}, at(0.75, 0, 2)), (Found{bodySide(ball), bodySide(box)}));
  EXPECT_EQ(w.overlapping(Sphere{0.2}, at(0.75, 0, 2)), Found{}) << "0.25 from each";
  EXPECT_EQ(w.overlapping(Capsule{0.1, 2}, at(0, 0, 0.5)), (Found{bodySide(floor), bodySide(ball)}));
  EXPECT_EQ(w.overlapping(Box{{0.1, 0.1, 0.1}}, at(0, 0, 2)), Found{bodySide(ball)}) << "also inside";
  EXPECT_NEAR(w.distance(ball, box), 0.5, tolerance(1e-9));
  EXPECT_NEAR(w.distance(floor, ball), 1.5, tolerance(1e-9));
  EXPECT_EQ(refusal([&] { w.overlapping(Plane{}, at(0, 0, 0)); }),
            "overlap: the shape must be a sphere, box, capsule, cylinder or ellipsoid");
  EXPECT_EQ(refusal([&] { w.distance(ball, ball); }), "distance: a body has no distance from itself");
}

// ------------------------------------------------------------------------------------------ sensors, filters

TEST(WorldSensors, TellWhatComesAndGoes) {
  World w({.gravity = {0, 0, 0}});
  const BodyId gate = w.addStatic(Box{{0.2, 1, 1}}, {.position = {2, 0, 0}, .sensor = true});
  const BodyId ball = w.addBody(Sphere{0.1}, {.velocity = {1, 0, 0}});
  const BodyId ghost =
      w.addBody(Sphere{0.1}, {.position = {0, 0.5, 0}, .velocity = {1, 0, 0}, .contype = 2, .conaffinity = 2});
  w.addStatic(Sphere{0.5}, {.position = {2, 0, 1.5}});
  struct Seen {
    double time;
    bool begins;
    ContactBody who;
  };
  std::vector<Seen> seen;
  w.onSensorBegin([&](const SensorEvent& e) { seen.push_back({w.time(), true, e.visitor}); });
  w.onSensorEnd([&](const SensorEvent& e) { seen.push_back({w.time(), false, e.visitor}); });
  int touched = 0;
  w.onContactBegin([&](const ContactEvent&) { ++touched; });
  run(w, 2, 0.01);
  EXPECT_EQ(w.overlapping(gate), std::vector<ContactBody>{bodySide(ball)});
  run(w, 1, 0.01);
  ASSERT_EQ(seen.size(), 2u) << "the bits of " << ghost.slot << " keep it out, and static things do not count";
  EXPECT_TRUE(seen[0].begins);
  EXPECT_EQ(seen[0].who, bodySide(ball));
  EXPECT_NEAR(seen[0].time, 1.7, 0.011);
  EXPECT_FALSE(seen[1].begins);
  EXPECT_NEAR(seen[1].time, 2.3, 0.011);
  EXPECT_EQ(touched, 0) << "a sensor touches nothing";
  EXPECT_NEAR(w.state(ball).velocity[0], 1, tolerance(1e-12));
  EXPECT_TRUE(w.isSensor(gate));
  EXPECT_EQ(refusal([&] { w.overlapping(ball); }), "body \"body2\" is no sensor");
}

TEST(WorldSensors, CanMoveAndSeeSoftThings) {
  World w({.gravity = {0, 0, 0}});
  const BodyId probe = w.addBody(Sphere{0.2}, {.position = {0, 0, 2}, .velocity = {0, 0, -1}, .sensor = true});
  spec::Flexcomp cloth;
  cloth.dim = 2;
  cloth.count = {5, 5, 1};
  cloth.spacing = {0.5, 0.5, 0.5};
  cloth.radius = 0.01;
  cloth.mass = 1;
  const SoftId sail = w.addSoft(cloth);
  std::vector<SensorEvent> seen;
  w.onSensorBegin([&](const SensorEvent& e) { seen.push_back(e); });
  run(w, 3, 0.01);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].sensor, probe);
  EXPECT_EQ(seen[0].visitor, softSide(sail));
  EXPECT_NEAR(w.state(probe).position[2], -1, tolerance(1e-9)) << "it passes through";
}

TEST(WorldFilter, DecidesWhoTouches) {
  World w;
  const BodyId floor = w.addStatic(Plane{}, {.userData = 1});
  const BodyId held = w.addBody(Sphere{0.2}, {.position = {0, 0, 1}, .restitution = 0, .userData = 2});
  const BodyId falls = w.addBody(Sphere{0.2}, {.position = {3, 0, 1}, .restitution = 0, .userData = 3});
  w.setContactFilter(
      [&](const ContactBody& a, const ContactBody& b) { return w.userData(a.body) != 3 && w.userData(b.body) != 3; });
  run(w, 1);
  EXPECT_NEAR(w.state(held).position[2], 0.2, tolerance(1e-3));
  EXPECT_LT(w.state(falls).position[2], -1);
  EXPECT_EQ(w.trouble(), "");
  w.setContactFilter({});
  w.setPlacement(falls, {{3, 0, 0.2}, {1, 0, 0, 0}});
  w.setVelocity(falls, {}, {});
  run(w, 1);
  EXPECT_NEAR(w.state(falls).position[2], 0.2, tolerance(1e-3));
  EXPECT_EQ(w.userData(floor), 1u);
}

// A filter that throws, or calls what it may not, does not tear down the update.
TEST(WorldFilter, AnExceptionIsAStatus) {
  World w;
  w.addStatic(Plane{});
  const BodyId ball = w.addBody(Sphere{0.2}, {.position = {0, 0, 0.3}, .restitution = 0});
  w.setContactFilter([](const ContactBody&, const ContactBody&) -> bool { throw std::runtime_error("no idea"); });
  EXPECT_NO_THROW(run(w, 1));
  EXPECT_NEAR(w.state(ball).position[2], 0.2, tolerance(1e-3)) << "as if it had said yes";
  EXPECT_NE(w.trouble().find("no idea"), std::string::npos) << w.trouble();

  World other;
  other.addStatic(Plane{});
  const BodyId second = other.addBody(Sphere{0.2}, {.position = {0, 0, 0.3}, .restitution = 0});
  other.setContactFilter([&](const ContactBody&, const ContactBody&) {
    other.remove(second);
    return true;
  });
  EXPECT_NO_THROW(run(other, 0.5));
  EXPECT_TRUE(other.contains(second));
  EXPECT_NE(other.trouble().find("in the middle of an update"), std::string::npos) << other.trouble();
}

// ------------------------------------------------------------------------------------------ properties

// dv/dt = -c/m v, one implicit step after the other: v_n = v_0 / (1 + h c/m)^n.
TEST(WorldProperties, DampingSlowsDown) {
  World w({.gravity = {0, 0, 0}});
  const BodyId a = w.addBody(Sphere{0.1}, {.velocity = {3, 0, 0},
                                           .angularVelocity = {0, 0, 5},
                                           .mass = 2.0,
                                           .linearDamping = 0.8,
                                           .angularDamping = 0.001});
  const BodyId b = w.addBody(Sphere{0.1}, {.position = {0, 3, 0}, .velocity = {3, 0, 0}, .mass = 2.0});
  const double inertia = 0.4 * 2 * 0.01;
  for (int i = 0; i < 60; ++i) w.update(kH);
  EXPECT_NEAR(w.state(a).velocity[0], 3 / std::pow(1 + kH * 0.4, 60), tolerance(1e-9));
  EXPECT_NEAR(w.state(a).angularVelocity[2], 5 / std::pow(1 + kH * 0.001 / inertia, 60), tolerance(1e-9));
  EXPECT_NEAR(w.state(b).velocity[0], 3, tolerance(1e-12));
  w.setLinearDamping(b, 4);
  w.setAngularDamping(a, 0);
  const double spin = w.state(a).angularVelocity[2];
  for (int i = 0; i < 30; ++i) w.update(kH);
  EXPECT_NEAR(w.state(b).velocity[0], 3 / std::pow(1 + kH * 2, 30), tolerance(1e-9));
  EXPECT_NEAR(w.state(a).angularVelocity[2], spin, tolerance(1e-9));
  EXPECT_EQ(w.linearDamping(b), 4);
  EXPECT_EQ(refusal([&] { w.addBody(Sphere{}, {.name = "d", .linearDamping = -1}); }),
            "body \"d\": linear damping is -1, must be finite and 0 or more");
  try {
    w.toMjcf();
    FAIL() << "one number cannot hold two";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("in MJCF a free joint has one number for both"), std::string::npos);
  }
}

TEST(WorldProperties, GravityActsAsOftenAsItIsTold) {
  World w;
  const BodyId feather = w.addBody(Sphere{}, {.gravityFactor = 0.1});
  const BodyId balloon = w.addBody(Sphere{}, {.position = {3, 0, 0}, .gravityFactor = -0.5});
  const BodyId lead = w.addBody(Sphere{}, {.position = {6, 0, 0}, .gravityFactor = 3});
  const BodyId plain = w.addBody(Sphere{}, {.position = {9, 0, 0}});
  run(w, 1);
  EXPECT_NEAR(w.state(feather).velocity[2], -0.1 * kG, tolerance(1e-9));
  EXPECT_NEAR(w.state(balloon).velocity[2], 0.5 * kG, tolerance(1e-9));
  EXPECT_NEAR(w.state(lead).velocity[2], -3 * kG, tolerance(1e-9));
  EXPECT_NEAR(w.state(plain).velocity[2], -kG, tolerance(1e-9));
  w.setGravityFactor(plain, 0);
  run(w, 1);
  EXPECT_NEAR(w.state(plain).velocity[2], -kG, tolerance(1e-9));
  EXPECT_EQ(w.gravityFactor(plain), 0);
}

TEST(WorldProperties, NamesAndUserDataOfEverything) {
  World w;
  const BodyId a = w.addBody(Sphere{}, {.name = "a", .userData = 7});
  const BodyId b = w.addBody(Sphere{}, {.position = {2, 0, 0}});
  const JointId pin = w.addJoint(a, b, BallJoint{{1, 0, 0}}, {.name = "pin", .userData = 8});
  spec::Flexcomp rope;
  rope.name = "rope";
  rope.dim = 1;
  rope.count = {5, 1, 1};
  rope.spacing = {0.1, 0.1, 0.1};
  rope.pos = {0, 5, 0};
  rope.mass = 1;
  const SoftId soft = w.addSoft(rope);
  w.setUserData(soft, 9);
  EXPECT_EQ(w.findJoint("pin"), pin);
  EXPECT_EQ(w.findSoft("rope"), soft);
  EXPECT_FALSE(w.findJoint("a"));
  EXPECT_FALSE(w.findJoint("rope"));
  EXPECT_EQ(w.nameOf(pin), "pin");
  EXPECT_EQ(w.userData(a), 7u);
  EXPECT_EQ(w.userData(pin), 8u);
  EXPECT_EQ(w.userData(soft), 9u);
  w.remove(pin);
  EXPECT_FALSE(w.findJoint("pin"));
  EXPECT_EQ(refusal([&] { w.userData(pin); }), "joint handle 0.1 names a joint that was removed");
}

TEST(WorldProperties, TooManyShapesAreRefused) {
  World w;
  const std::vector<Part> parts(70000, Part{Sphere{}});
  EXPECT_EQ(refusal([&] { w.addBody(parts, {.name = "swarm"}); }),
            "body \"swarm\": number of shapes is 70000, must be 65536 at most");
}

// The velocity of a point of a turning body, by the difference of its positions.
TEST(WorldProperties, VelocityAtAPoint) {
  World w({.gravity = {0, 0, 0}});
  const BodyId box = w.addBody(Box{{0.3, 0.2, 0.1}}, {.velocity = {1, 2, 3}, .angularVelocity = {0, 0, 2}});
  const BodyId table =
      w.addKinematic(Box{}, {.position = {5, 0, 0}, .velocity = {0, 0, 1}, .angularVelocity = {0, 0, 2}});
  for (int i = 0; i < 2; ++i) {  // before it is compiled, and after
    const Vector3 p = w.state(box).position;
    EXPECT_TRUE(test::allNear(w.velocityAt(box, {p[0] + 0.3, p[1], p[2]}), Vector3{1, 2.6, 3}, 1e-12));
    const Vector3 q = w.placement(table).position;
    EXPECT_TRUE(test::allNear(w.velocityAt(table, {q[0] + 0.5, q[1], q[2]}), Vector3{0, 1, 1}, 1e-12));
    w.update(1e-3);
  }
}

// ------------------------------------------------------------------------------------------ coming and going

TEST(WorldSpares, BodiesComeAndGoWithoutCompiling) {
  World w;
  w.addStatic(Plane{});
  const BodyId first = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0, 0, 0.2}});
  w.reserve(10);
  w.update(kH);
  const int size = w.model().nbody;
  EXPECT_EQ(size, 13);
  std::vector<BodyId> bullets;
  for (int i = 0; i < 100; ++i) {
    bullets.push_back(w.addBody(Sphere{0.05}, {.position = {-0.6, 0, 0.3 + 0.001 * i}, .velocity = {4, 0, 0}}));
    if (bullets.size() > 7) {
      w.remove(bullets.front());
      bullets.erase(bullets.begin());
    }
    w.update(kH);
    ASSERT_EQ(w.model().nbody, size) << i;
    ASSERT_EQ(w.trouble(), "");
  }
  EXPECT_EQ(w.bodies().size(), 9u);
  EXPECT_GT(w.state(first).position[0], 5e-3) << "they hit it";
  EXPECT_EQ(w.nameOf(bullets[0]), std::string(nameOf(w.model(), ObjType::Body, w.modelBody(bullets[0]))));
  EXPECT_EQ(findId(w.model(), ObjType::Body, w.nameOf(bullets[0])), w.modelBody(bullets[0]));
}

/// Numbers of a body, its joint and its geoms in a model, and the names of those that differ.
void compareRows(const Model& m, int body, const Model& other, int otherBody) {
  const auto rows = [](const Model& model, int b, std::string_view kind) -> std::pair<int, int> {
    const int joint = model.body_jntadr[b];
    if (kind == "nbody") return {b, 1};
    if (kind == "njnt") return {joint, 1};
    if (kind == "nv") return {model.jnt_dofadr[joint], 6};
    if (kind == "nq") return {model.jnt_qposadr[joint], 7};
    if (kind == "ngeom") return {model.body_geomadr[b], model.body_geomnum[b]};
    if (kind == "ntree") return {model.body_treeid[b], 1};
    return {0, 0};
  };
  const auto totals = [](const Model& model, std::string_view kind) {
    return kind == "nbody"   ? model.nbody
           : kind == "njnt"  ? model.njnt
           : kind == "nv"    ? model.nv
           : kind == "nq"    ? model.nq
           : kind == "ngeom" ? model.ngeom
                             : model.ntree;
  };
  const auto isNumbering = [](std::string_view name) {
    for (const std::string_view part : {"adr", "id", "simplenum", "stiffrow", "diag"}) {
      if (name.size() >= part.size() && name.substr(name.size() - part.size()) == part) return true;
    }
    return false;
  };
  const auto compare = [&](std::string_view name, std::string_view kind, const auto& a, const auto& b) {
    const auto [from, count] = rows(m, body, kind);
    if (count == 0 || isNumbering(name)) return;
    const auto columns = a.size() / totals(m, kind);
    const auto other0 = rows(other, otherBody, kind).first;
    for (std::ptrdiff_t k = 0; k < count * columns; ++k) {
      ASSERT_EQ(a[from * columns + k], b[other0 * columns + k]) << name << " " << k;
    }
  };
#define SINEW_X(type, name, rows, cols, doc) compare(#name, #rows, m.name, other.name);
  SINEW_MODEL_ARRAYS(SINEW_X)
#undef SINEW_X
}

// A body that takes a spare place has the numbers that compiling would give it, whatever it is made of.
TEST(WorldSpares, AnOccupiedPlaceIsTheCompiledBody) {
  TriangleMesh wedge;
  wedge.vertices = {{0, 0, 0}, {0.4, 0, 0}, {0, 0.3, 0}, {0, 0, 0.5}};
  const std::vector<std::pair<std::vector<Part>, BodyOptions>> things{
      {{{Sphere{0.3}}}, {.position = {1, 2, 3}, .restitution = 0.1, .friction = 0.9}},
      {{{Box{{0.1, 0.2, 0.3}}, {}, {0.9, 0.1, 0.3, 0.2}}}, {.position = {4, 0, 1}, .mass = 3.0, .linearDamping = 0.3}},
      {{{Capsule{0.1, 0.2}, {0.1, 0, 0}}, {Box{{0.1, 0.1, 0.1}}, {0, 0.3, 0}}}, {.gravityFactor = 0.5}},
      {{{wedge}}, {.position = {-3, 0, 2}, .torsionalFriction = 0.01, .contype = 3}},
      {{{Ellipsoid{{0.1, 0.2, 0.3}}}}, {.orientation = {0.5, 0.5, -0.5, 0.5}, .angularDamping = 0.2}}};
  World compiled, patched;
  compiled.addStatic(Plane{});
  patched.addStatic(Plane{});
  std::vector<BodyId> reference;
  for (const auto& [parts, options] : things) reference.push_back(compiled.addBody(parts, options));
  // one of each first, so that there are places of the right kinds, then another one
  for (int round = 0; round < 2; ++round) {
    for (const auto& [parts, options] : things) {
      const BodyId id = patched.addBody(parts, options);
      patched.update(1e-9);
      patched.remove(id);
      patched.update(1e-9);
    }
  }
  const int size = patched.model().nbody;
  std::vector<BodyId> ids;
  for (const auto& [parts, options] : things) ids.push_back(patched.addBody(parts, options));
  for (std::size_t i = 0; i < things.size(); ++i) {
    SCOPED_TRACE(i);
    const int b = patched.modelBody(ids[i]), c = compiled.modelBody(reference[i]);
    compareRows(patched.model(), b, compiled.model(), c);
    EXPECT_EQ(patched.state(ids[i]), compiled.state(reference[i]));
    EXPECT_EQ(patched.mass(ids[i]), compiled.mass(reference[i]));
  }
  EXPECT_EQ(patched.model().nbody, size) << "without compiling";
}

// Spare bodies neither move nor count, for ever.
TEST(WorldSpares, RestExactlyWhereTheyAre) {
  for (const bool sleeping : {false, true}) {
    World w({.gravity = {1, -2, -9.81}, .sleeping = sleeping});
    w.addStatic(Plane{}, {.position = {0, 0, -100}});
    const BodyId ball = w.addBody(Sphere{}, {.position = {5, 0, 0}});
    w.reserve(3);
    run(w, 2);
    const Model& m = w.model();
    for (int b = w.modelBody(ball) + 1; b < m.nbody; ++b) {
      for (int k = 0; k < 3; ++k) EXPECT_EQ(w.data().qpos[m.jnt_qposadr[m.body_jntadr[b]] + k], 0);
      for (int k = 0; k < 6; ++k) EXPECT_EQ(w.data().qvel[m.body_dofadr[b] + k], 0);
    }
    const double mass = w.mass(ball);
    EXPECT_NEAR(w.momentum()[2], mass * w.state(ball).velocity[2], tolerance(1e-9 * mass));
    const Vector3 v = w.state(ball).velocity;
    EXPECT_NEAR(w.kineticEnergy(), 0.5 * mass * test::dot(v, v), tolerance(1e-9 * mass));
    EXPECT_TRUE(w.contacts().empty());
  }
}

TEST(WorldSpares, AThousandBodiesThatComeOneByOneAreAsGoodAsAThousandAtOnce) {
  World w({.iterations = 20});
  w.addStatic(Plane{});
  for (int i = 0; i < 300; ++i) {
    w.addBody(Sphere{0.1}, {.position = {0.3 * (i % 20), 0.3 * (i / 20), 0.1}, .restitution = 0});
    w.update(1e-3);
  }
  run(w, 0.2);
  for (const BodyId id : w.bodies()) {
    if (w.isStatic(id)) continue;
    ASSERT_NEAR(w.state(id).position[2], 0.1, 1e-3);
  }
  EXPECT_EQ(w.contacts().size(), 300u);
}

// ------------------------------------------------------------------------------------------ saving

/// Something of everything.
struct Busy {
  World w{{.iterations = 30}};
  BodyId top, hung, lift;
  JointId hinge;
  SoftId sail;

  Busy() {
    w.addStatic(Plane{}, {.friction = 0.7});
    w.addStatic(sheet(5, 2, [](double x, double y) { return 0.1 * x * y; }), {.position = {6, 0, 0}});
    w.addStatic(HeightField{.rows = 2, .columns = 3, .heights = {0, 1, 0, 1, 0, 1}}, {.position = {-6, 0, 0}});
    for (int i = 0; i < 4; ++i) {
      top = w.addBody(Box{{0.2, 0.2, 0.2}}, {.position = {0.03 * i, 0, 0.2 + 0.41 * i}, .userData = 5});
    }
    w.addBody(Sphere{0.2}, {.position = {6, 0, 1}, .linearDamping = 0.1, .gravityFactor = 0.7});
    w.addBody(Sphere{0.2}, {.position = {-6, 0, 2}});
    lift = w.addKinematic(Box{{1, 1, 0.1}},
                          {.position = {0, 5, 0.5}, .velocity = {0, 0, 0.1}, .angularVelocity = {0, 0, 1}});
    w.addBody(Capsule{0.1, 0.2}, {.position = {0.5, 5, 1}});
    const BodyId post = w.addStatic(Box{{0.1, 0.1, 0.1}}, {.position = {0, -3, 2}});
    hung = w.addBody(Box{{0.1, 0.1, 0.4}}, {.position = {0, -3, 1.5}});
    hinge = w.addJoint(post, hung, HingeJoint{.anchor = {0, -3, 1.9}, .axis = {0, 1, 0}, .motor = JointMotor{1, 2}});
    spec::Flexcomp cloth;
    cloth.name = "sail";
    cloth.dim = 2;
    cloth.count = {4, 4, 1};
    cloth.spacing = {0.2, 0.2, 0.2};
    cloth.pos = {0, 8, 0.5};
    cloth.mass = 0.3;
    cloth.elasticity.young = 1e4;
    cloth.elasticity.thickness = 0.01;
    cloth.elasticity.damping = 0.01;
    sail = w.addSoft(cloth);
    w.addStatic(Box{}, {.position = {0, 0, 1}, .sensor = true});
  }
};

/// Everything that moves, as numbers.
std::vector<double> numbersOf(const World& w) {
  std::vector<double> all{w.time()};
  for (const BodyId id : w.bodies()) {
    const BodyState s = w.state(id);
    all.insert(all.end(), s.position.begin(), s.position.end());
    all.insert(all.end(), s.orientation.begin(), s.orientation.end());
    all.insert(all.end(), s.velocity.begin(), s.velocity.end());
    all.insert(all.end(), s.angularVelocity.begin(), s.angularVelocity.end());
  }
  if (const SoftId sail = w.findSoft("sail")) {
    for (const Vector3& v : w.vertices(sail)) all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

TEST(WorldSnapshot, GoesOnBitForBit) {
  Busy busy;
  World& w = busy.w;
  run(w, 0.5);
  const World::Snapshot then = w.snapshot();
  run(w, 0.5);
  const std::vector<double> end = numbersOf(w);
  const BodyId late = w.addBody(Sphere{0.1}, {.name = "late", .position = {0, 0, 9}});
  w.remove(busy.top);
  w.setMotor(busy.hinge, {-5, 9});
  run(w, 0.2);

  w.restore(then);
  EXPECT_NEAR(w.time(), 0.5, tolerance(1e-12));
  EXPECT_TRUE(w.contains(busy.top)) << "handles of the snapshot are good again";
  EXPECT_EQ(w.userData(busy.top), 5u);
  EXPECT_FALSE(w.contains(late));
  EXPECT_FALSE(w.findBody("late"));
  run(w, 0.5);
  EXPECT_EQ(numbersOf(w), end);
  const BodyId other = w.addBody(Sphere{0.1}, {.position = {0, 0, 9}});
  EXPECT_NE(other, late) << "a handle that was given out since names nothing else";
  EXPECT_FALSE(w.contains(late));

  World copy;
  copy.restore(then);
  run(copy, 0.5);
  EXPECT_EQ(numbersOf(copy), end) << "another World goes on in the same way";
  EXPECT_EQ(refusal([&] { copy.restore({}); }), "World::restore: the snapshot is empty");
}

TEST(WorldSave, AFileGoesOnBitForBit) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "busy.world";
  Busy busy;
  World& w = busy.w;
  run(w, 0.5);
  w.remove(w.addBody(Sphere{0.1}, {.position = {0, 0, 9}}));
  w.update(kH);
  w.save(file);
  World read = World::load(file);
  EXPECT_EQ(numbersOf(read), numbersOf(w));
  EXPECT_EQ(read.findSoft("sail"), busy.sail);
  EXPECT_EQ(read.userData(busy.top), 5u);
  std::vector<std::uint64_t> ids, readIds;
  run(w, 0.5);
  run(read, 0.5);
  EXPECT_EQ(numbersOf(read), numbersOf(w));
  for (const WorldContact& c : w.contacts()) ids.push_back(c.id);
  for (const WorldContact& c : read.contacts()) readIds.push_back(c.id);
  EXPECT_EQ(ids, readIds);
  EXPECT_EQ(read.addBody(Sphere{}, {.position = {0, 0, 20}}), w.addBody(Sphere{}, {.position = {0, 0, 20}}));

  // what is no such file
  const auto complaint = [&] {
    try {
      World::load(file);
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      return text.substr(text.find(": ") + 2);
    }
    return std::string();
  };
  std::string bytes;
  {
    std::FILE* f = std::fopen(file.string().c_str(), "rb");
    ASSERT_NE(f, nullptr);
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof(buffer), f)) > 0;) bytes.append(buffer, n);
    std::fclose(f);
  }
  const auto write = [&](const std::string& text) {
    std::FILE* f = std::fopen(file.string().c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), f);
    std::fclose(f);
  };
  write("nothing");
  EXPECT_EQ(complaint(), "no World can be read from it: it is no file that World::save() wrote");
  write(bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(complaint(), "no World can be read from it: it is damaged");
  std::string changed = bytes;
  changed[bytes.size() - 100] = static_cast<char>(changed[bytes.size() - 100] ^ 1);
  write(changed);
  EXPECT_EQ(complaint(), "no World can be read from it: it is damaged");
  changed = bytes;
  changed[8] = 9;
  write(changed);
  EXPECT_EQ(complaint(), "no World can be read from it: its format is 9, this Sinew reads 2");
  std::filesystem::remove(file);
  EXPECT_NE(complaint(), "");
}

// ------------------------------------------------------------------------------------------ memory

TEST(WorldMemory, UpdateAllocatesNothingAfterWarmUp) {
  Busy busy;
  World& w = busy.w;
  int events = 0, visits = 0;
  w.onContactBegin([&](const ContactEvent&) { ++events; });
  w.onContactEnd([&](const ContactEvent&) { ++events; });
  w.onSensorBegin([&](const SensorEvent&) { ++visits; });
  w.setContactFilter([](const ContactBody&, const ContactBody&) { return true; });
  run(w, 8);  // until as many contacts as ever have been there
  for (int i = 0; i < 30; ++i) {
    w.applyForce(busy.top, {0, 0, 1});
    const test::AllocationGuard guard("World::update " + std::to_string(i));
    w.update(kH);
    w.state(busy.top);
    w.rayCast({0, 0, 9}, {0, 0, -1});
  }
  EXPECT_GT(events, 4);
  EXPECT_GT(visits, 0);
}

}  // namespace
}  // namespace sinew
