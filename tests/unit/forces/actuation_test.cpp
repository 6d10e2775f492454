#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

/// One slide joint "j" of mass 1 without gravity, driven by the given actuators.
Model slideWith(const std::string& actuators, const std::string& joint = "") {
  return modelOf("<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint name='j' type='slide' " +
                 joint + "/><geom size='.1' mass='1'/></body></worldbody><actuator>" + actuators +
                 "</actuator></mujoco>");
}

TEST(Actuation, ForceIsGainTimesControlPlusBias) {
  const Model m =
      slideWith("<general joint='j' gear='2' gaintype='affine' gainprm='3 4 5' biastype='affine' biasprm='6 7 8'/>");
  Data d(m);
  d.qpos[0] = .3;
  d.qvel[0] = -.5;
  d.ctrl[0] = 1.5;
  forward(m, d);
  const double length = .6, velocity = -1;
  const double force = (3 + 4 * length + 5 * velocity) * 1.5 + 6 + 7 * length + 8 * velocity;
  EXPECT_NEAR(d.actuator_force[0], force, tolerance(1e-13));
  EXPECT_NEAR(d.qfrc_actuator[0], 2 * force, tolerance(1e-13));
  EXPECT_NEAR(d.qacc[0], 2 * force, tolerance(1e-12));
}

TEST(Actuation, ClampsControlsForcesAndJointTotals) {
  Model m = slideWith(
      "<motor joint='j' ctrllimited='true' ctrlrange='-1 1'/><motor joint='j' forcelimited='true' forcerange='-3 2'/>",
      "actuatorfrcrange='-10 2.5'");
  Data d(m);
  d.ctrl[0] = 5;
  d.ctrl[1] = 7;
  forward(m, d);
  EXPECT_EQ(d.actuator_force[0], 1);
  EXPECT_EQ(d.actuator_force[1], 2);
  EXPECT_EQ(d.qfrc_actuator[0], 2.5);
  EXPECT_EQ(d.ctrl[0], 5) << "the user's control stays";
  m.opt.disableflags |= disable::kClampCtrl;
  forward(m, d);
  EXPECT_EQ(d.actuator_force[0], 5);
}

TEST(Actuation, ScalesTheActuatorsOfATendonToItsTotal) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
    <tendon><fixed name="t" actuatorfrclimited="true" actuatorfrcrange="-3 3"><joint joint="j" coef="1"/></fixed></tendon>
    <actuator><motor tendon="t"/><motor tendon="t"/></actuator></mujoco>)");
  Data d(m);
  d.ctrl[0] = 4;
  d.ctrl[1] = 2;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], 2, tolerance(1e-15));
  EXPECT_NEAR(d.actuator_force[1], 1, tolerance(1e-15));
  d.ctrl[0] = 1;
  forward(m, d);
  EXPECT_EQ(d.actuator_force[0], 1);
}

TEST(Actuation, OneBadControlSilencesAllAndIsReported) {
  const Model m = slideWith("<motor joint='j'/><motor joint='j' ctrllimited='true' ctrlrange='-1 1'/>");
  Data d(m);
  d.ctrl[0] = 3;
  d.ctrl[1] = 1e300;
  forward(m, d);  // clamped to 1: fine
  EXPECT_TRUE(d.status.ok());
  EXPECT_EQ(d.qfrc_actuator[0], 4);
  d.ctrl[1] = std::numeric_limits<double>::quiet_NaN();
  forward(m, d);
  EXPECT_EQ(d.qfrc_actuator[0], 0);
  EXPECT_EQ(d.status[Trouble::BadCtrl].count, 1);
  EXPECT_EQ(d.status[Trouble::BadCtrl].first, 1);
  EXPECT_EQ(d.ctrl[0], 3);
  d.ctrl[1] = 0;
  forward(m, d);
  EXPECT_EQ(d.qfrc_actuator[0], 3);
}

// Euler on a' = (u - a) / tau: a_n = 1 - (1 - h / tau)^n; the exact filter: 1 - exp(-n h / tau).
TEST(Actuation, FiltersHaveTheirStepResponse) {
  const Model m = slideWith(
      "<general joint='j' dyntype='filter' dynprm='.05'/><general joint='j' dyntype='filterexact' dynprm='.05'/>"
      "<general joint='j' dyntype='integrator'/>");
  Data d(m);
  for (int u = 0; u < 3; ++u) d.ctrl[u] = 1;
  for (int n = 1; n <= 20; ++n) {
    step(m, d);
    EXPECT_NEAR(d.act[0], 1 - std::pow(1 - .01 / .05, n), tolerance(1e-14));
    EXPECT_NEAR(d.act[1], 1 - std::exp(-n * .01 / .05), tolerance(1e-14));
    EXPECT_NEAR(d.act[2], n * .01, tolerance(1e-14));
  }
}

TEST(Actuation, ActearlyUsesTheActivationOfTheNextStep) {
  const Model m = slideWith(
      "<general joint='j' dyntype='integrator'/><general joint='j' dyntype='integrator' actearly='true' "
      "actlimited='true' actrange='0 .005'/><general joint='j' dyntype='integrator' actearly='true'/>");
  Data d(m);
  for (int u = 0; u < 3; ++u) d.ctrl[u] = 1;
  forward(m, d);
  EXPECT_EQ(d.actuator_force[0], 0);
  EXPECT_EQ(d.actuator_force[1], .005);
  EXPECT_EQ(d.actuator_force[2], .01);
}

TEST(Actuation, DisabledGroupsGiveNoForceAndTheirActivationFreezes) {
  Model m = slideWith("<general joint='j' dyntype='integrator' group='2'/><motor joint='j'/>");
  m.opt.disableactuator = 1 << 2;
  Data d(m);
  d.act[0] = .5;
  d.ctrl[0] = 1;
  d.ctrl[1] = 3;
  step(m, d);
  EXPECT_EQ(d.actuator_force[0], 0);
  EXPECT_EQ(d.actuator_force[1], 3);
  EXPECT_EQ(d.act[0], .5);
}

TEST(Actuation, CanBeSwitchedOff) {
  Model m = slideWith("<general joint='j' dyntype='integrator'/><motor joint='j'/>");
  m.opt.disableflags |= disable::kActuation;
  Data d(m);
  d.ctrl[0] = d.ctrl[1] = 1;
  d.act[0] = .5;
  step(m, d);
  EXPECT_EQ(d.qfrc_actuator[0], 0);
  EXPECT_EQ(d.qvel[0], 0);
  EXPECT_EQ(d.act[0], .5);
}

// A full turn of a ball joint is no turn, so a setpoint beyond half a turn is reached the short way.
TEST(Actuation, ServoOnABallJointTakesTheShortWay) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="ball"/>
    <geom size=".1"/></body></worldbody><actuator><position joint="j" gear="1 0 0" kp="10"/></actuator></mujoco>)");
  Data d(m);
  for (const double ctrl : {.5, 3.5, 2 * std::numbers::pi + .5, -13.}) {
    d.ctrl[0] = ctrl;
    forward(m, d);
    EXPECT_NEAR(d.actuator_force[0], 10 * std::remainder(ctrl, 2 * std::numbers::pi), tolerance(1e-12));
  }
}

TEST(Actuation, AppliedForcesActAtTheCentreOfMass) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body pos="1 2 3" euler="0 0 40"><freejoint/>
    <geom type="box" size=".1 .2 .3" pos=".4 .5 .6" mass="2"/></body></worldbody></mujoco>)");
  Data d(m);
  d.xfrc_applied[6] = 3, d.xfrc_applied[7] = -1, d.xfrc_applied[8] = 2;
  step(m, d);
  forward(m, d);
  // no torque about the centre of mass: the body does not turn
  EXPECT_NEAR(d.qvel[0], 3. / 2 * .002, tolerance(1e-15));
  for (int i = 3; i < 6; ++i) EXPECT_NEAR(d.qvel[i], 0, tolerance(1e-15));
}

}  // namespace
}  // namespace sinew
