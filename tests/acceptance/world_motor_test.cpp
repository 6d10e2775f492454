#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "sinew/load.h"
#include "sinew/step.h"
#include "sinew/world.h"
#include "support/mjcf_text.h"
#include "support/refusal.h"
#include "support/tolerance.h"

/// Motors as rows with a target velocity and a bounded impulse; and what a World says when it is misused.
namespace sinew {
namespace {

using test::modelOf;
using test::refusal;
using test::tolerance;

constexpr double kRadius = 0.3, kCar = 200, kWheel = 10;

/// A car of two axles on a plane that gravity makes a slope; `force` is that of each of two motors.
struct Car {
  World world;
  BodyId chassis{};
  std::vector<JointId> axles;

  Car(double slope, double speed, double force) : world(options(slope)) {
    world.addStatic(Plane{}, {.friction = 1});
    chassis = world.addBody(Box{{1, 0.4, 0.1}}, {.position = {0, 0, kRadius}, .mass = kCar, .friction = 0.1});
    for (const double x : {-0.8, 0.8}) {
      for (const double y : {-0.6, 0.6}) {
        const BodyId wheel = world.addBody(
            Sphere{kRadius}, {.position = {x, y, kRadius}, .mass = kWheel, .restitution = 0, .friction = 1});
        HingeJoint hinge{.anchor = {x, y, kRadius}, .axis = {0, 1, 0}};
        hinge.motor = {.speed = speed, .maxForce = x < 0 ? force : 1e-9};  // the others roll
        axles.push_back(world.addJoint(chassis, wheel, hinge));
        if (x > 0) world.setMotor(axles.back(), {.speed = 0, .maxForce = 1e-9});
      }
    }
  }
  static WorldOptions options(double slope) {
    WorldOptions o;
    o.gravity = {-9.81 * std::sin(slope), 0, -9.81 * std::cos(slope)};
    return o;
  }
  double weightAlong(double slope) const { return (kCar + 4 * kWheel) * 9.81 * std::sin(slope); }
};

TEST(WorldMotor, ACarOnASlopeHoldsItsSpeedIfTheTorqueSuffices) {
  for (const double slope : {0.1, 0.25}) {
    for (const double rate : {30.0, 60.0, 240.0}) {
      Car car(slope, 6, 300);
      for (int i = 0; i < static_cast<int>(5 * rate); ++i) car.world.update(1 / rate);
      ASSERT_LT(car.weightAlong(slope) * kRadius, 2 * 300);
      for (int wheel = 0; wheel < 2; ++wheel) {
        EXPECT_NEAR(car.world.jointVelocity(car.axles[wheel]), 6, tolerance(0.06)) << slope << " " << rate;
      }
      EXPECT_NEAR(car.world.state(car.chassis).velocity[0], 6 * kRadius, tolerance(0.01 * 6 * kRadius)) << rate;
      EXPECT_EQ(car.world.trouble(), "");
    }
  }
}

// a wheel on a fixed axle that a weight holds back: with too little torque it turns the other way, pushed with exactly
// that torque
TEST(WorldMotor, BeyondItsTorqueAMotorPushesWithAllOfIt) {
  for (const double torque : {3.0, 10.0}) {
    World world({.gravity = {0, 0, 0}});
    const BodyId wheel = world.addBody(Sphere{0.5}, {.mass = 10});
    HingeJoint hinge{.axis = {0, 1, 0}};
    hinge.motor = {.speed = 5, .maxForce = torque};
    const JointId axle = world.addJoint(world.ground(), wheel, hinge);
    const double inertia = 0.4 * 10 * 0.25, load = 2 * torque;
    for (int i = 0; i < 60; ++i) {
      world.applyTorque(wheel, {0, -load, 0});
      world.update(1.0 / 60);
    }
    EXPECT_NEAR(world.jointVelocity(axle), (torque - load) / inertia, tolerance(1e-9));
    // without the load it comes back, and arrives without overshoot
    for (int i = 0; i < 600; ++i) {
      world.update(1.0 / 60);
      EXPECT_LE(world.jointVelocity(axle), 5 + tolerance(1e-9));
    }
    EXPECT_NEAR(world.jointVelocity(axle), 5, tolerance(1e-9));
  }
}

TEST(WorldMotor, MjcfHasTheSameMotor) {
  World world({.gravity = {0, 0, 0}});
  const BodyId wheel = world.addBody(Sphere{0.5}, {.mass = 10});
  HingeJoint hinge{.axis = {0, 1, 0}};
  hinge.motor = {.speed = 5, .maxForce = 4};
  const JointId axle = world.addJoint(world.ground(), wheel, hinge);
  for (int i = 0; i < 10; ++i) world.update(1.0 / 60);
  world.setMotor(axle, {.speed = -2, .maxForce = 8});
  Model m = compile(readMjcfText(world.toMjcf()));
  m.opt.timestep = 1.0 / 60;
  Data d(m);
  resetToKey(m, d, 0);
  for (int i = 0; i < 100; ++i) {
    world.update(1.0 / 60);
    step(m, d);
    ASSERT_NEAR(d.qvel[0], world.jointVelocity(axle), tolerance(1e-9)) << i;
  }
  EXPECT_NEAR(d.qvel[0], -2, tolerance(1e-9));
}

/// A slide of 2 kg that is driven against a force.
std::string drive(const std::string& option, const std::string& joint) {
  return R"(<mujoco><option gravity="0 0 0" )" + option +
         R"(/><worldbody><body><joint name="j" type="slide" axis="1 0 0" )" + joint +
         R"(/><geom size=".1" mass="2"/></body></worldbody></mujoco>)";
}

TEST(FrictionVel, EverySolverDrawsTheJointToItsVelocityWithABoundedForce) {
  for (const char* solver : {"PGS", "CG", "Newton", "Impulse"}) {
    const std::string option = std::string("solver=\"") + solver + "\"";
    const Model m = modelOf(drive(option, R"(frictionloss="6" frictionvel="1.5")"));
    Data d(m);
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_NEAR(d.qvel[0], 6.0 / 2 * 0.2, tolerance(1e-6)) << solver;  // all of its force until it is there
    for (int i = 0; i < 2000; ++i) step(m, d);
    EXPECT_NEAR(d.qvel[0], 1.5, tolerance(1e-6)) << solver;
    d.qfrc_applied[0] = -7;
    const double before = d.qvel[0];
    for (int i = 0; i < 50; ++i) step(m, d);
    EXPECT_NEAR(d.qvel[0], before - 0.5 * 0.1, tolerance(1e-3)) << solver;
  }
}

TEST(FrictionVel, IsRefusedWhereItMeansNothing) {
  const auto text = [](const std::string& joint) {
    try {
      modelOf(R"(<mujoco><worldbody><body><joint )" + joint + R"(/><geom size=".1"/></body></worldbody></mujoco>)");
    } catch (const LoadError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(text(R"(frictionvel="2")").find("'frictionvel' of 2 has no effect without 'frictionloss'"),
            std::string::npos)
      << text(R"(frictionvel="2")");
  EXPECT_NE(text(R"(type="ball" frictionloss="1" frictionvel="2")")
                .find("'frictionvel' is for hinges and slides, found 2 on another joint"),
            std::string::npos);
}

// ------------------------------------------------------------------------------------------ misuse

TEST(WorldMisuse, ONE_9_AWorldThatWasMovedFromSaysSo) {
  World world;
  const BodyId ball = world.addBody(Sphere{0.1});
  World other = std::move(world);
  const std::string text = "this World was moved from: it can be destroyed or assigned to, and nothing else";
  const auto refused = [&](const auto& call) {
    try {
      call();
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused([&] { world.update(0.01); }), text);
  EXPECT_EQ(refused([&] { world.addBody(Sphere{0.1}); }), text);
  EXPECT_EQ(refused([&] { world.contains(ball); }), text);
  EXPECT_EQ(refused([&] { world.trouble(); }), text);
  EXPECT_EQ(refused([&] { world.model(); }), text);
  other.update(0.01);
  EXPECT_LT(other.state(ball).velocity[2], 0);
  world = std::move(other);  // and it is a World again
  world.update(0.01);
  EXPECT_TRUE(world.contains(ball));
  EXPECT_EQ(refused([&] { other.time(); }), text);
}

TEST(WorldMisuse, NamesThatMjcfCannotWriteAreRefused) {
  World world;
  for (const char* bad : {"a\nb", "tab\t", "\x01", "bell\x07", "del\x7f"}) {
    EXPECT_NE(refusal([&] { world.addBody(Sphere{0.1}, {.name = bad}); }).find("contains the control character"),
              std::string::npos)
        << bad;
  }
  EXPECT_EQ(refusal([&] { world.addBody(Sphere{0.1}, {.name = "bell\x07"}); }),
            "the name \"bell...\" contains the control character 7; MJCF has no name for it");
  for (const char* good : {"with space", "<&>\"'", "Kügelchen"}) world.addBody(Sphere{0.1}, {.name = good});
  const BodyId one = world.findBody("with space"), two = world.findBody("<&>\"'");
  EXPECT_NE(refusal([&] { world.addJoint(one, two, BallJoint{}, {.name = "x\ny"}); }).find("control character 10"),
            std::string::npos);
  const Model m = compile(readMjcfText(world.toMjcf()));
  for (const char* good : {"with space", "<&>\"'", "Kügelchen"}) EXPECT_GE(findId(m, ObjType::Body, good), 0) << good;
}

TEST(WorldMisuse, TheSpecIsThatOfTheModel) {
  World world;
  const BodyId ball = world.addBody(Sphere{0.1}, {.name = "ball"});
  world.update(0.01);
  world.setRestitution(ball, 0.25);
  world.setFriction(ball, 0.125);
  const auto geomOf = [&]() -> const spec::Geom& {
    for (const spec::Body& body : world.spec().world.bodies) {
      if (body.name == "ball") return body.geoms.front();
    }
    throw std::logic_error("no ball");
  };
  EXPECT_EQ(geomOf().restitution, 0.25);
  EXPECT_EQ(geomOf().friction[0], 0.125);
  const Model m = compile(world.spec());
  EXPECT_EQ(m.geom_restitution[m.ngeom - 1], world.model().geom_restitution[m.ngeom - 1]);
  EXPECT_EQ(m.geom_friction[3 * (m.ngeom - 1)], world.model().geom_friction[3 * (m.ngeom - 1)]);
}

// ------------------------------------------------------------------------------------------ stops and springs of
// Impulse

// fast joints stop at their limit, whatever the unit of their coordinate
TEST(ImpulseLimits, AFastHingeStopsAtItsLimit) {
  for (const double speed : {5.0, 50.0, 300.0}) {
    for (const double range : {0.5, 2.0}) {
      const Model m =
          modelOf(R"(<mujoco><compiler angle="radian"/><option solver="Impulse" timestep="0.0166666"
          gravity="0 0 0"/><worldbody><body><joint axis="0 1 0" limited="true" range="-1 )" +
                  std::to_string(range) + R"("/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>)");
      Data d(m);
      d.qvel[0] = speed;
      double most = 0;
      for (int i = 0; i < 60; ++i) {
        step(m, d);
        most = std::max(most, d.qpos[0]);
      }
      EXPECT_NEAR(most, range, tolerance(1e-6)) << speed;
    }
  }
}

TEST(ImpulseLimits, PassiveContactsAreRefused) {
  try {
    modelOf(R"(<mujoco><option solver="Impulse"/><worldbody><flexcomp name="cloth" type="grid" dim="2" count="3 3 1"
        spacing=".1 .1 .1" radius=".01" mass="1"><contact passive="true"/></flexcomp></worldbody></mujoco>)");
    FAIL() << "it was accepted";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("'passive' contacts are springs, and the contacts of solver=\"Impulse\" are hard"),
              std::string::npos)
        << error.what();
  }
}

// ------------------------------------------------------------------------------------------ limited folds

Warnings warningsOf(const std::string& option) {
  Warnings warnings;
  compile(readMjcfText(R"(<mujoco><option )" + option + R"(/><worldbody><flexcomp name="strip" type="grid" dim="2"
      count="11 3 1" spacing=".05 .05 .05" radius=".001" mass=".5"><contact selfcollide="none"/>
      <elasticity young="1e8" thickness=".01" elastic2d="both" bending="dihedral"/><pin id="0 1 2"/></flexcomp></worldbody>
      </mujoco>)"),
          &warnings);
  Warnings about;
  for (const std::string& text : warnings) {
    if (text.find("folds bend more easily") != std::string::npos) about.push_back(text);
  }
  return about;
}

TEST(LimitedFolds, AreToldWithTheNumbersAndTheCure) {
  const Warnings warnings = warningsOf(R"(timestep="0.002")");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("integrator=\"implicitfast\" takes all of it, and so does a timestep up to "),
            std::string::npos)
      << warnings[0];
  const double enough = std::stod(warnings[0].substr(warnings[0].find("up to ") + 6));
  EXPECT_LT(enough, 0.002);
  EXPECT_EQ(warningsOf("timestep=\"" + std::to_string(0.99 * enough) + "\"").size(), 0u);
  EXPECT_EQ(warningsOf("timestep=\"" + std::to_string(1.02 * enough) + "\"").size(), 1u);
  EXPECT_EQ(warningsOf(R"(timestep="0.002" integrator="implicitfast")").size(), 0u);
}

}  // namespace
}  // namespace sinew
