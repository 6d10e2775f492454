#include <gtest/gtest.h>

#include <cmath>

#include "kinematics/positions.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

TEST(Springs, HingeForceIsAPolynomialOfTheDisplacement) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body>
    <joint type="hinge" stiffness="3 5 7" springref="0.2"/><geom size=".1"/></body></worldbody>
    <compiler angle="radian"/></mujoco>)");
  Data d(m);
  for (const double q : {-0.7, 0.0, 0.2, 0.9}) {
    d.qpos[0] = q;
    forward(m, d);
    const double x = q - 0.2;
    EXPECT_NEAR(d.qfrc_spring[0], -x * (3 + 5 * x + 7 * x * x), tolerance(1e-14));
    EXPECT_EQ(d.qfrc_passive[0], d.qfrc_spring[0]);
  }
}

// Springs of every joint type and of tendons with a band in which they are relaxed, one of them outside on each side.
constexpr const char* kSprings = R"(<mujoco>
  <compiler angle="radian"/><option gravity="0 0 0"><flag energy="enable"/></option>
  <worldbody>
    <body pos="1 0 0"><freejoint/><geom size=".1"/></body>
    <body pos="0 1 0"><joint type="free" stiffness="2 .3 .4"/><geom size=".1"/></body>
    <body pos="0 2 0"><joint type="ball" stiffness="5 .6 .7"/><geom size=".1" pos=".3 0 0"/>
      <body pos=".5 0 0"><joint name="h" axis="0 1 1" stiffness="3 1 2" springref=".3"/><geom size=".1" pos=".2 0 0"/>
      <joint name="s" type="slide" axis="1 1 0" stiffness="4" pos="0 0 .1"/><site name="tip" pos=".1 .2 .3"/></body></body>
    <site name="wall" pos="0 3 1"/>
  </worldbody>
  <tendon>
    <spatial stiffness="11 2 3" springlength="0.2 0.4"><site site="wall"/><site site="tip"/></spatial>
    <spatial stiffness="13" springlength="5 6"><site site="wall"/><site site="tip"/></spatial>
    <fixed stiffness="6 1 1" springlength="0.1"><joint joint="h" coef="2"/><joint joint="s" coef="-1"/></fixed>
  </tendon></mujoco>)";

// Work: turning every dof a little changes the energy by minus the force. Central differences with step e = 1e-6 are
// good to e^2 times the third derivative (some hundred) plus rounding 1e-15 / e.
TEST(Springs, ForceIsMinusTheGradientOfTheEnergy) {
  const Model m = modelOf(kSprings);
  Data d(m);
  Array<double> away(m.nv);  // from the special pose in which everything is relaxed
  for (int i = 0; i < m.nv; ++i) away[i] = .6 * std::sin(1 + 2 * i);
  integratePositions(m, d.qpos.data(), away.data(), 1);
  forward(m, d);
  const Array<double> force = d.qfrc_spring;

  const double e = 1e-6;
  const auto energyAt = [&](int dof, double offset) {
    Data other(m);
    Array<double> direction(m.nv);
    direction[dof] = 1;
    other.qpos = d.qpos;
    integratePositions(m, other.qpos.data(), direction.data(), offset);
    forward(m, other);
    return other.energy[0];
  };
  for (int i = 0; i < m.nv; ++i) {
    const double slope = (energyAt(i, e) - energyAt(i, -e)) / (2 * e);
    EXPECT_NEAR(force[i], -slope, tolerance(2e-7)) << "dof " << i;
  }
  EXPECT_GT(ConstMapVecX(force.data(), m.nv).norm(), 1);
}

TEST(Springs, TendonIsSlackInsideItsBand) {
  const Model m = modelOf(R"(<mujoco><worldbody><site name="a"/><body pos="0 0 1"><joint type="slide"/><geom size=".1"/>
    <site name="b"/></body></worldbody><tendon><spatial stiffness="10" springlength="0.9 1.2"><site site="a"/>
    <site site="b"/></spatial></tendon></mujoco>)");
  Data d(m);
  for (const auto& [q, force] : {std::pair{0.0, 0.0}, {0.1, 0.0}, {0.3, -1.0}, {-0.3, 2.0}}) {
    d.qpos[0] = q;
    forward(m, d);
    EXPECT_NEAR(d.qfrc_spring[0], force, tolerance(1e-14));
  }
}

constexpr const char* kDampers = R"(<mujoco><option gravity="0 0 0"/><worldbody>
  <body><joint name="a" type="slide" damping="2 3 5"/><geom size=".1"/></body>
  <body pos="1 0 0"><joint name="b" type="slide" damping="1"/><geom size=".1"/></body></worldbody>
  <tendon><fixed name="t" damping="7 1 2"><joint joint="b" coef="2"/></fixed></tendon>
  <actuator><general joint="a" gear="3" damping=".5 .1"/><general joint="a" gear="-2" damping="1"/>
  <general tendon="t" gear="2" damping=".25"/></actuator></mujoco>)";

TEST(Dampers, ForceIsOddAndActuatorsAddTheirsTimesGearSquared) {
  const Model m = modelOf(kDampers);
  Data d(m);
  for (const double v : {-1.5, 0.4}) {
    d.qvel[0] = d.qvel[1] = v;
    forward(m, d);
    const double b0 = 2 + 9 * .5 + 4 * 1, b1 = 3 + 9 * .1, b2 = 5;
    EXPECT_NEAR(d.qfrc_damper[0], -v * (b0 + b1 * std::abs(v) + b2 * v * v), tolerance(1e-13));
    const double s = 2 * v;  // tendon velocity
    EXPECT_NEAR(d.qfrc_damper[1], -v - 2 * s * (7 + 4 * .25 + std::abs(s) + 2 * s * s), tolerance(1e-13));
  }
}

TEST(GravityCompensation, FullyCompensatedBodiesHover) {
  const Model m = modelOf(R"(<mujoco><worldbody><body gravcomp="1"><freejoint/><geom size=".1" pos=".2 0 0"/>
    <body pos="0 .5 0" gravcomp="1"><joint axis="1 0 0"/><geom size=".1" pos="0 .3 0"/></body></body></worldbody></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_TRUE(allNear(d.qacc, Array<double>(m.nv), 1e-13));
  EXPECT_NEAR(d.qfrc_gravcomp[2], 9.81 * (m.body_mass[1] + m.body_mass[2]), tolerance(1e-12));
}

TEST(GravityCompensation, CanBeTheWorkOfActuatorsAndIsThenClampedWithThem) {
  const Model m = modelOf(R"(<mujoco><worldbody><body gravcomp="1"><joint name="j" type="slide" axis="0 0 1"
    actuatorgravcomp="true" actuatorfrcrange="-5 5"/><geom size=".1" mass="1"/></body></worldbody>
    <actuator><motor joint="j"/></actuator></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_NEAR(d.qfrc_gravcomp[0], 9.81, tolerance(1e-14));
  EXPECT_EQ(d.qfrc_passive[0], 0);
  EXPECT_EQ(d.qfrc_actuator[0], 5);
}

TEST(PassiveForces, SwitchingOffSpringsAndDampersSwitchesOffEverythingPassive) {
  Model m = modelOf(R"(<mujoco><option density="1000" viscosity="1"/><worldbody><body gravcomp="1">
    <joint type="slide" stiffness="1" springref="1" damping="1"/><geom size=".1"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qvel[0] = 1;
  forward(m, d);
  EXPECT_NE(d.qfrc_spring[0], 0);
  EXPECT_NE(d.qfrc_damper[0], 0);
  EXPECT_NE(d.qfrc_fluid[0], 0);
  EXPECT_NE(d.qfrc_gravcomp[0], 0);
  EXPECT_NEAR(d.qfrc_passive[0], d.qfrc_spring[0] + d.qfrc_damper[0] + d.qfrc_fluid[0] + d.qfrc_gravcomp[0],
              tolerance(1e-13));

  m.opt.disableflags = disable::kSpring;
  forward(m, d);
  EXPECT_EQ(d.qfrc_spring[0], 0);
  EXPECT_NE(d.qfrc_damper[0], 0);

  m.opt.disableflags = disable::kSpring | disable::kDamper;
  forward(m, d);
  for (const Array<double>* force :
       {&d.qfrc_spring, &d.qfrc_damper, &d.qfrc_fluid, &d.qfrc_gravcomp, &d.qfrc_passive}) {
    EXPECT_EQ((*force)[0], 0);
  }
}

}  // namespace
}  // namespace sinew
