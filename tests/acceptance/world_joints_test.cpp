#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/refusal.h"
#include "support/tolerance.h"

/// Limits, springs and motors of joints in a World, against closed forms.
namespace sinew {
namespace {

using test::refusal;
using test::tolerance;

constexpr double kGravity = 9.81;

/// A ball of 2 kg at the end of a massless lever of one metre, on a hinge about y through the origin; it starts level.
struct Lever {
  World world;
  BodyId ball;
  JointId hinge;
  static constexpr double kMass = 2, kRadius = 0.1;
  static constexpr double kInertia = kMass * (1 + 0.4 * kRadius * kRadius);

  explicit Lever(const HingeJoint& joint, const WorldOptions& options = {}) : world(options) {
    ball = world.addBody(Sphere{kRadius}, {.position = {1, 0, 0}, .mass = kMass});
    hinge = world.addJoint(world.ground(), ball, joint);
  }
  void run(double seconds, double dt = 1.0 / 240) {
    for (int i = static_cast<int>(std::lround(seconds / dt)); i > 0; --i) world.update(dt);
  }
};

HingeJoint aboutY() { return {.axis = {0, -1, 0}}; }  // lifting the ball is positive

// Falls onto its stop at -0.5 rad and stays there, the ball at (cos 0.5, 0, -sin 0.5)
TEST(WorldJoints, AHingeStopsAtItsLimit) {
  HingeJoint joint = aboutY();
  joint.range = {{-0.5, 1}};
  Lever lever(joint);
  lever.run(3);
  EXPECT_NEAR(lever.world.jointPosition(lever.hinge), -0.5, tolerance(1e-6));
  EXPECT_NEAR(lever.world.jointVelocity(lever.hinge), 0, tolerance(1e-9));
  const BodyState state = lever.world.state(lever.ball);
  EXPECT_NEAR(state.position[0], std::cos(0.5), tolerance(1e-6));
  EXPECT_NEAR(state.position[2], -std::sin(0.5), tolerance(1e-6));
}

// Two forms of the same joint: without coordinate it is made of two points. The pendulum swings alike.
TEST(WorldJoints, AHingeWithACoordinateSwingsLikeOneWithout) {
  HingeJoint free = aboutY(), limited = aboutY();
  limited.range = {{-100, 100}};
  Lever a(free), b(limited);
  a.run(1, 1e-3);
  b.run(1, 1e-3);
  const BodyState x = a.world.state(a.ball), y = b.world.state(b.ball);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x.position[k], y.position[k], tolerance(5e-3));
}

// No gravity: q = 0.3 (1 - cos(w t)) about the rest angle 0.3, w = sqrt(k/I)
TEST(WorldJoints, AHingeSpringSwingsAboutItsRest) {
  HingeJoint joint = aboutY();
  joint.spring = {.stiffness = 20, .rest = 0.3};
  Lever lever(joint, {.gravity = {0, 0, 0}});
  const double w = std::sqrt(20 / Lever::kInertia);
  for (int i = 0; i < 4; ++i) {
    lever.run(0.25, 1e-4);
    EXPECT_NEAR(lever.world.jointPosition(lever.hinge), 0.3 * (1 - std::cos(w * lever.world.time())), tolerance(1e-4));
  }
}

// With damping d and no stiffness the speed decays as exp(-d t / I)
TEST(WorldJoints, DampingSlowsAJointDown) {
  World w({.gravity = {0, 0, 0}});
  const BodyId cart = w.addBody(Box{}, {.velocity = {3, 0, 0}, .mass = 4});
  const JointId slide =
      w.addJoint(w.ground(), cart, SlideJoint{.axis = {1, 0, 0}, .spring = JointSpring{.damping = 2}});
  EXPECT_EQ(w.jointVelocity(slide), 3);
  for (int i = 0; i < 10000; ++i) w.update(1e-4);
  EXPECT_NEAR(w.jointVelocity(slide), 3 * std::exp(-2.0 / 4), tolerance(1e-4));
}

// Full force until it has its speed: v = F t / m, then v = speed. Without load and friction nothing is lost.
TEST(WorldJoints, ASlideMotorPushesWithItsForceUntilItHasItsSpeed) {
  World w({.gravity = {0, 0, 0}});
  const BodyId cart = w.addBody(Box{}, {.mass = 4});
  const JointId slide =
      w.addJoint(w.ground(), cart, SlideJoint{.axis = {1, 0, 0}, .motor = JointMotor{.speed = 2, .maxForce = 10}});
  const double dt = 1.0 / 240;
  for (int i = 0; i < 120; ++i) w.update(dt);
  EXPECT_NEAR(w.jointVelocity(slide), 10 * 0.5 / 4, tolerance(1e-9));
  for (int i = 0; i < 240; ++i) {
    w.update(dt);
    EXPECT_LE(w.jointVelocity(slide), 2 + tolerance(1e-9)) << "it does not overshoot";
  }
  EXPECT_NEAR(w.jointVelocity(slide), 2, tolerance(1e-9));
  w.setMotor(slide, {.speed = -1, .maxForce = 1000});
  for (int i = 0; i < 60; ++i) w.update(dt);
  EXPECT_NEAR(w.jointVelocity(slide), -1, tolerance(1e-9));
}

// Against gravity the servo lags by what the load would add in one step, (m g l / I) dt; a load that it cannot carry
// turns it back.
TEST(WorldJoints, AHingeMotorLiftsWhatItCan) {
  const double load = Lever::kMass * kGravity, dt = 1.0 / 240;
  HingeJoint joint = aboutY();
  joint.motor = {.speed = 1, .maxForce = 2 * load};
  Lever strong(joint);
  strong.run(0.5, dt);
  EXPECT_NEAR(strong.world.jointVelocity(strong.hinge), 1, tolerance(1.1 * load / Lever::kInertia * dt));
  EXPECT_GT(strong.world.state(strong.ball).position[2], 0.4);
  joint.motor = {.speed = 1, .maxForce = 0.5 * load};
  Lever weak(joint);
  weak.run(0.1, dt);
  EXPECT_NEAR(weak.world.jointVelocity(weak.hinge), -0.5 * load / Lever::kInertia * 0.1, tolerance(0.01));
}

TEST(WorldJoints, AMotorOfSpeedZeroIsABrakeThatHolds) {
  const double load = Lever::kMass * kGravity;
  HingeJoint joint = aboutY();
  joint.motor = {.speed = 0, .maxForce = 1.01 * load};
  Lever lever(joint);
  lever.run(5);
  EXPECT_NEAR(lever.world.jointPosition(lever.hinge), 0, tolerance(1e-9));
  lever.world.setMotor(lever.hinge, {.speed = 0, .maxForce = 0.5 * load});
  lever.run(0.1);
  EXPECT_NEAR(lever.world.jointVelocity(lever.hinge), -0.5 * load / Lever::kInertia * 0.1, tolerance(0.01));
}

// Motors push both bodies: what one gets the other loses
TEST(WorldJoints, AMotorBetweenTwoFreeBodiesKeepsMomentum) {
  World w({.gravity = {0, 0, 0}});
  const BodyId base = w.addBody(Box{}, {.mass = 3});
  const BodyId wheel = w.addBody(Cylinder{0.4, 0.1}, {.position = {0, 0, 1}, .mass = 1});
  const JointId axle =
      w.addJoint(base, wheel, HingeJoint{.anchor = {0, 0, 1}, .motor = JointMotor{.speed = 5, .maxForce = 0.5}});
  for (int i = 0; i < 480; ++i) w.update(1.0 / 240);
  EXPECT_NEAR(w.jointVelocity(axle), 5, tolerance(1e-6));
  const double wheelInertia = 0.5 * 0.16, baseInertia = 3.0 / 6;
  EXPECT_NEAR(w.state(wheel).angularVelocity[2] * wheelInertia, -w.state(base).angularVelocity[2] * baseInertia,
              tolerance(1e-6));
  for (const double p : w.angularMomentum()) EXPECT_NEAR(p, 0, tolerance(1e-6));
}

// Two masses on a spring: x = rest + (x0 - rest) cos(w t) with the reduced mass
TEST(WorldJoints, ADistanceSpringSwingsWithTheReducedMass) {
  World w({.gravity = {0, 0, 0}});
  const BodyId a = w.addBody(Sphere{0.1}, {.mass = 1}),
               b = w.addBody(Sphere{0.1}, {.position = {1.2, 0, 0}, .mass = 3});
  w.addJoint(a, b, DistanceJoint{{0, 0, 0}, {1.2, 0, 0}, {}, {}, JointSpring{.stiffness = 30, .rest = 1}});
  const double omega = std::sqrt(30 / 0.75);
  for (int i = 1; i <= 10000; ++i) {
    w.update(1e-4);
    if (i % 1000 != 0) continue;
    const double distance = w.state(b).position[0] - w.state(a).position[0];
    EXPECT_NEAR(distance, 1 + 0.2 * std::cos(omega * w.time()), tolerance(1e-3));
  }
}

// Taking the joint away leaves the body with the velocity it had, and another joint may take its place
TEST(WorldJoints, AMountedBodyComesOffAsItMoves) {
  HingeJoint joint = aboutY();
  joint.motor = {.speed = 2, .maxForce = 1e4};
  Lever lever(joint, {.gravity = {0, 0, 0}});
  lever.run(0.5);
  const BodyState before = lever.world.state(lever.ball);
  EXPECT_NEAR(std::hypot(before.velocity[0], before.velocity[2]), 2, tolerance(1e-6));
  lever.world.remove(lever.hinge);
  const BodyState after = lever.world.state(lever.ball);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.position[k], before.position[k], tolerance(1e-12));
    EXPECT_NEAR(after.velocity[k], before.velocity[k], tolerance(1e-12));
    EXPECT_NEAR(after.angularVelocity[k], before.angularVelocity[k], tolerance(1e-12));
  }
  lever.run(0.5);
  EXPECT_NEAR(lever.world.state(lever.ball).position[0], before.position[0] + 0.5 * before.velocity[0],
              tolerance(1e-9));
  const JointId again = lever.world.addJoint(lever.world.ground(), lever.ball, joint);
  EXPECT_EQ(lever.world.jointPosition(again), 0) << "counted from where the joint was made";
}

// What is exported goes on as the World does
TEST(WorldJoints, MjcfHasLimitsSpringsAndMotors) {
  HingeJoint joint = aboutY();
  joint.range = {{-0.5, 2}};
  joint.spring = {.stiffness = 3, .damping = 0.2, .rest = 0.1};
  joint.motor = {.speed = 1, .maxForce = 30};
  Lever lever(joint);
  const BodyId bob = lever.world.addBody(Sphere{0.1}, {.position = {0, 3, 0}});
  lever.world.addJoint(lever.world.ground(), bob, DistanceJoint{{0, 3, 1}, {0, 3, 0}, {}, {}, JointSpring{50, 1, 0.5}});
  lever.run(0.2);
  const Model m = compile(readMjcfText(lever.world.toMjcf()));
  Data d(m);
  resetToKey(m, d, 0);
  for (int i = 0; i < 100; ++i) {
    lever.world.update(1.0 / 240);
    step(m, d);
  }
  ASSERT_EQ(m.nq, lever.world.model().nq);
  for (int i = 0; i < m.nq; ++i) EXPECT_NEAR(d.qpos[i], lever.world.data().qpos[i], tolerance(1e-9)) << i;
}

// ------------------------------------------------------------------------------------------ joints among others

TEST(WorldJoints, AMotorIsSetWhateverJointsWereRemovedBefore) {
  World w({.gravity = {0, 0, 0}});
  std::array<JointId, 3> axle;
  for (std::size_t i = 0; i < axle.size(); ++i) {
    const Vector3 place{3.0 * static_cast<double>(i), 0, 0};
    const BodyId wheel = w.addBody(Sphere{}, {.position = place});
    axle[i] = w.addJoint(w.ground(), wheel, HingeJoint{.anchor = place, .motor = JointMotor{1, 1e4}});
  }
  w.update(0.01);
  w.remove(axle[0]);
  w.setMotor(axle[1], {.speed = 5, .maxForce = 1e4});
  for (int i = 0; i < 100; ++i) w.update(0.01);
  EXPECT_NEAR(w.jointVelocity(axle[1]), 5, tolerance(1e-6));
  EXPECT_NEAR(w.jointVelocity(axle[2]), 1, tolerance(1e-6));
}

TEST(WorldJoints, AnyTwoDifferentNamesWillDo) {
  World w;
  const BodyId a = w.addBody(Box{}, {.position = {0, 0, 0}}), b = w.addBody(Box{}, {.position = {3, 0, 0}});
  w.addJoint(a, b, HingeJoint{.anchor = {1.5, 0, 0}}, {.name = "x"});
  for (const char* name : {"xa", "x.a", "x.1", "x.1a", "x.2b"}) {
    w.addJoint(a, b, BallJoint{{1.5, 0, 0}}, {.name = name});
    w.addJoint(a, b, DistanceJoint{{0, 0, 0}, {3, 0, 0}}, {.name = std::string(name) + ".1"});
  }
  EXPECT_NO_THROW(w.update(0.01));
}

// Two cubes, a metre wide, fly at each other with 1 m/s from 3 m apart; after 3 s they have met, or passed each other.
TEST(WorldJoints, BodiesOfAJointTouchIfTheyShall) {
  const JointShape slide = SlideJoint{.axis = {1, 0, 0}};
  const JointShape rope = DistanceJoint{{0, 0, 0}, {3, 0, 0}, 0, 10};
  for (const JointShape& shape : {slide, rope}) {
    for (const bool collide : {false, true}) {
      World w({.gravity = {0, 0, 0}});
      const BodyId a = w.addBody(Box{}, {.velocity = {1, 0, 0}, .restitution = 0});
      const BodyId b = w.addBody(Box{}, {.position = {3, 0, 0}, .velocity = {-1, 0, 0}, .restitution = 0});
      w.addJoint(a, b, shape, {.collide = collide});
      for (int i = 0; i < 300; ++i) w.update(0.01);
      // sweeps are not solved to rounding
      EXPECT_NEAR(w.state(a).position[0], collide ? 1 : 3, tolerance(1e-6)) << shape.index();
      EXPECT_NEAR(w.state(b).position[0], collide ? 2 : 0, tolerance(1e-6)) << shape.index();
    }
  }
}

// Compiling after every joint would take minutes here.
TEST(WorldJoints, ManyMountedBodiesAreCompiledOnce) {
  World w;
  std::vector<JointId> joints;
  for (int i = 0; i < 5000; ++i) {
    const Vector3 place{static_cast<double>(i), 0, 0};
    const BodyId body = w.addBody(Sphere{0.1}, {.position = place, .velocity = {0, 0, 1}});
    joints.push_back(w.addJoint(w.ground(), body, SlideJoint{}));
  }
  for (const JointId joint : joints) EXPECT_EQ(w.jointVelocity(joint), 1);
}

// What a World knows about bodies on joints before it compiles is what it finds afterwards.
TEST(WorldJoints, StatesBeforeCompilingAreThoseAfter) {
  World w({.gravity = {0, 0, 0}});
  std::vector<BodyId> chain;
  for (int i = 0; i < 6; ++i) {
    chain.push_back(w.addBody(Box{{0.3, 0.2, 0.1}}, {.position = {1.0 * i, 0.2 * (i % 2), 0},
                                                     .orientation = {0.8, 0.1 * i, -0.3, 0.2},
                                                     .velocity = {0.1 * i, 0.5, -0.2},
                                                     .angularVelocity = {0.3, -0.1 * i, 1}}));
    if (i == 0) continue;
    const BodyId before = chain[i - 1];
    if (i % 2 == 0) w.addJoint(before, chain.back(), SlideJoint{.axis = {0.2, 1, 0.1 * i}});
    if (i % 2 == 1) {
      w.addJoint(before, chain.back(),
                 HingeJoint{.anchor = {i - 0.5, 0, 0.1}, .axis = {1, 0.3 * i, 2}, .spring = JointSpring{}});
    }
  }
  std::vector<BodyState> before;
  for (const BodyId body : chain) before.push_back(w.state(body));
  w.model();  // compiles
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const BodyState after = w.state(chain[i]);
    EXPECT_TRUE(test::allNear(after.position, before[i].position, 1e-12)) << i;
    EXPECT_TRUE(test::allNear(after.velocity, before[i].velocity, 1e-12)) << i;
    EXPECT_TRUE(test::allNear(after.angularVelocity, before[i].angularVelocity, 1e-12)) << i;
  }
}

// Sweeps hardly converge along chains; what they left over from step to step made chains of welded bodies swing
// themselves up to any speed.
TEST(WorldJoints, AChainThatTumblesKeepsItsEnergyAndMomentum) {
  for (const bool fixed : {true, false}) {
    World w({.gravity = {0, 0, 0}});
    BodyId last;
    for (int i = 0; i < 8; ++i) {
      const double size = i % 2 == 0 ? 0.15 : 0.4;  // a mass ratio of 19
      const BodyId body = w.addBody(Box{{size, 0.5 * size, size}}, {.position = {1.0 * i, 0.2 * (i % 3), 0.1 * (i % 4)},
                                                                    .orientation = {0.8, 0.1 * i, -0.3, 0.2},
                                                                    .velocity = {0.1 * i, 0.5, -0.2 * (i % 3)},
                                                                    .angularVelocity = {1, -0.2 * i, 0.5},
                                                                    .contype = 0});
      if (i > 0 && fixed) w.addJoint(last, body, FixedJoint{});
      if (i > 0 && !fixed) w.addJoint(last, body, HingeJoint{.anchor = {i - 0.5, 0.1, 0}, .axis = {0.5, 1, 0.2 * i}});
      last = body;
    }
    for (int i = 0; i < 10; ++i) w.update(1.0 / 240);
    const double energy = w.kineticEnergy();
    const Vector3 momentum = w.momentum();
    for (int i = 0; i < 2400; ++i) {
      w.update(1.0 / 240);
      ASSERT_LE(w.kineticEnergy(), energy * (1 + 1e-3)) << "fixed " << fixed << ", update " << i;
    }
    EXPECT_GE(w.kineticEnergy(), 0.98 * energy) << fixed;  // position correction takes a little
    EXPECT_TRUE(test::allNear(w.momentum(), momentum, 1e-8)) << fixed;
  }
}

// The rod points at the axis: whatever the hinge does, to first order its length stays. Its row is rounding errors.
TEST(WorldJoints, ARodThatPointsAtAnAxisDoesNotFlingTheBody) {
  World w({.gravity = {0, 0, 0}});
  const BodyId post = w.addStatic(Box{}, {.position = {1.4, 0.57, 0.45}, .contype = 0});
  const BodyId arm = w.addBody(Sphere{0.3}, {.position = {-0.7, 3.1, 2.2}, .contype = 0});
  const Vector3 from = w.state(post).position, to = w.state(arm).position;
  const double length = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  w.addJoint(post, arm, DistanceJoint{from, to, length + 1e-7, length + 1e-7});
  Vector3 middle;
  for (std::size_t i = 0; i < 3; ++i) middle[i] = 0.5 * (from[i] + to[i]);
  const JointId hinge =
      w.addJoint(post, arm, HingeJoint{.anchor = middle, .axis = {0.3, -0.7, 0.6}, .range = {{-1, 1}}});
  w.update(0.01);
  EXPECT_LE(std::abs(w.jointVelocity(hinge)), 1e-3);
}

TEST(WorldJoints, WrongValuesAreRefusedByName) {
  World w;
  const BodyId a = w.addBody(Box{}, {.name = "a"});
  EXPECT_EQ(refusal([&] {
              w.addJoint(w.ground(), a, HingeJoint{.range = {{1, -1}}}, {.name = "j"});
            }),
            "joint \"j\" between \"world\" and \"a\": range is [1, -1], must be growing");
  EXPECT_NE(refusal([&] {
              w.addJoint(w.ground(), a, HingeJoint{.motor = JointMotor{.speed = 1}}, {.name = "j"});
            }).find("largest force of the motor is 0"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              w.addJoint(w.ground(), a, SlideJoint{.spring = JointSpring{.stiffness = -1}}, {.name = "j"});
            }).find("stiffness is -1"),
            std::string::npos);
  const JointId plain = w.addJoint(w.ground(), a, HingeJoint{}, {.name = "j"});
  EXPECT_NE(refusal([&] { w.jointPosition(plain); }).find("joint \"j\": it has no coordinate"), std::string::npos);
  EXPECT_NE(refusal([&] { w.setMotor(plain, {1, 1}); }).find("no coordinate"), std::string::npos);
}

}  // namespace
}  // namespace sinew
