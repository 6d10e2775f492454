#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

/// A mass of 1 kg on a vertical slide that feels 10 m/s^2, held by the given actuators.
Model liftWith(const std::string& actuators) {
  return modelOf("<mujoco><option gravity='0 0 -10' timestep='0.01'/><worldbody><body><joint name='j' type='slide' " +
                 std::string("axis='0 0 1'/><geom size='.1' mass='1'/></body></worldbody><actuator>") + actuators +
                 "</actuator></mujoco>");
}

TEST(Pid, ForceIsThatOfBothErrorsAndTheFeedforward) {
  const Model m = liftWith("<pid joint='j' kp='3' kv='2' input='pos vel ff' gear='2'/>");
  Data d(m);
  d.qpos[0] = .1;
  d.qvel[0] = -.3;
  d.ctrl[0] = 1, d.ctrl[1] = 2, d.ctrl[2] = .5;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], 3 * (1 - .2) + 2 * (2 + .6) + .5, tolerance(1e-14));
}

TEST(Pid, WithoutVelocitySetpointItIsAPositionServo) {
  const Model pid = liftWith("<pid joint='j' kp='300' dampratio='.6' input='pos'/>");
  const Model position = liftWith("<position joint='j' kp='300' dampratio='.6'/>");
  Data a(pid), b(position);
  a.ctrl[0] = b.ctrl[0] = .4;
  for (int k = 0; k < 50; ++k) {
    step(pid, a);
    step(position, b);
    EXPECT_EQ(a.qpos[0], b.qpos[0]);
  }
}

// ki z = weight once nothing moves.
TEST(Pid, IntegralLeavesNoErrorUnderAConstantLoad) {
  const Model m = liftWith("<pid joint='j' kp='100' kv='15' ki='120'/>");
  Data d(m);
  d.ctrl[0] = .3;
  for (int k = 0; k < 4000; ++k) step(m, d);
  EXPECT_NEAR(d.qpos[0], .3, tolerance(1e-10));
  EXPECT_NEAR(120 * d.act[0], 10, tolerance(1e-8));
}

TEST(Pid, IntegralStopsAtItsLimitAndComesBack) {
  const Model m = liftWith("<pid joint='j' kp='0' ki='1e-9' imax='.05'/>");
  Data d(m);
  d.ctrl[0] = 1e3;
  for (int k = 0; k < 20; ++k) step(m, d);
  const double held = d.act[0];
  EXPECT_GE(held, .05);
  EXPECT_EQ(d.act_dot[0], 0) << "the error drives it outwards";
  d.ctrl[0] = -1e3;
  forward(m, d);
  EXPECT_LT(d.act_dot[0], 0);
}

// The reference engine refuses a pid with both states; here the slew state comes first, as in its documentation.
TEST(Pid, SetpointMovesNoFasterThanItsSlewRate) {
  const Model m = liftWith("<pid joint='j' kp='100' slewmax='2' ki='1e-12' input='pos'/>");
  ASSERT_EQ(m.na, 2);
  Data d(m);
  d.ctrl[0] = .07;
  for (int k = 1; k <= 5; ++k) {
    const double qpos = d.qpos[0];
    step(m, d);
    const double setpoint = std::min(.07, .02 * k);
    EXPECT_NEAR(d.act[0], setpoint, tolerance(1e-15));
    EXPECT_NEAR(d.actuator_force[0], 100 * (setpoint - qpos), tolerance(1e-11));
  }
}

TEST(Pid, ErrorsOnABallJointAreThoseOnTheCircle) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint name="j" type="ball"/><geom size=".1"/></body></worldbody>
    <actuator><pid joint="j" kp="10" ki="1" gear="0 0 1" input="pos"/></actuator></mujoco>)");
  Data d(m);
  d.qpos[0] = std::cos(.1), d.qpos[3] = std::sin(.1);
  for (const double ctrl : {.5, .5 + 2 * std::numbers::pi, .5 - 6 * std::numbers::pi}) {
    d.ctrl[0] = ctrl;
    forward(m, d);
    EXPECT_NEAR(d.actuator_force[0], 10 * .3, tolerance(1e-12));
    EXPECT_NEAR(d.act_dot[0], .3, tolerance(1e-13));
  }
}

TEST(Pid, EveryInputHasItsOwnRange) {
  const Model m = liftWith(
      "<pid joint='j' kp='1' kv='1' input='pos vel ff' posrange='-1 2' velrange='-3 4' ffrange='-5 6'/>"
      "<pid joint='j' kv='1' input='vel ff' velrange='-3 4'/>");
  EXPECT_EQ(m.nu, 5);
  EXPECT_EQ(m.nactuator, 2);
  const std::vector<double> ranges{-1, 2, -3, 4, -5, 6, -3, 4, 0, 0};
  EXPECT_EQ(std::vector<double>(m.actuator_ctrlrange.begin(), m.actuator_ctrlrange.end()), ranges);
  const std::vector<int> limited{1, 1, 1, 1, 0};
  EXPECT_EQ(std::vector<int>(m.actuator_ctrllimited.begin(), m.actuator_ctrllimited.end()), limited);
  Data d(m);
  d.ctrl[2] = 100;
  forward(m, d);
  EXPECT_EQ(d.actuator_force[0], 6);
}

}  // namespace
}  // namespace sinew
