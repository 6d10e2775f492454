#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "forces/actuation.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

constexpr double kStep = 0.002;

/// A rotor of inertia 1e-4 kg m^2 with the given motor attributes, damped by `damping`.
Model rotorWith(const std::string& motor, const std::string& joint = "armature='1e-4'") {
  return modelOf("<mujoco><option gravity='0 0 0' timestep='" + std::to_string(kStep) +
                 "'/><worldbody><body><joint name='j' " + joint +
                 "/><inertial pos='0 0 0' mass='1' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody>" +
                 "<actuator><dcmotor name='m' joint='j' " + motor + "/></actuator></mujoco>");
}

/// The rotor held at its speed by an inertia that no torque changes.
Model heldRotorWith(const std::string& motor) { return rotorWith(motor, "armature='1e20'"); }

void run(const Model& m, Data& d, double seconds) {
  while (d.time < seconds) step(m, d);
}

// K (V - K w) / R = B w. After 2000 time constants what is left is rounding.
TEST(DcMotor, SettlesWhereTheCurrentOvercomesDamping) {
  const double K = .05, R = 2, B = 1e-4, V = 6;
  for (const char* inductance : {"", "inductance='.002'"}) {
    const Model m =
        rotorWith(std::string("motorconst='.05' resistance='2' ") + inductance, "armature='1e-4' damping='1e-4'");
    Data d(m);
    d.ctrl[0] = V;
    run(m, d, 4);
    EXPECT_NEAR(d.qvel[0], K * V / (K * K + R * B), tolerance(1e-9)) << inductance;
  }
}

// i = V / R (1 - exp(-t R / L)), and the force is that of the current at the end of the step.
TEST(DcMotor, CurrentOfABlockedMotorRisesExponentially) {
  const Model m = heldRotorWith("motorconst='.05' resistance='2' inductance='.02'");
  Data d(m);
  d.ctrl[0] = 6;
  const auto current = [](double t) { return 3 * (1 - std::exp(-t / .01)); };
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(d.act[0], current(k * kStep), tolerance(1e-13));
    step(m, d);
    EXPECT_NEAR(d.actuator_force[0], .05 * current((k + 1) * kStep), tolerance(1e-13));
  }
}

TEST(DcMotor, CurrentRateIsLimited) {
  const Model m = heldRotorWith("motorconst='.05' resistance='2' inductance='.02' saturation='0 0 40'");
  Data d(m);
  d.ctrl[0] = 6;
  forward(m, d);
  EXPECT_EQ(d.act_dot[0], 40);  // 6 V / 0.02 H = 300 A/s without a limit
}

// RT R(T) (V / R(T))^2 = T, a quadratic in T: T^2 a / (1 + a d) + T = RT V^2 / R (1 + a d)^-1 with R(T) = R (1 + a (T +
// d)).
TEST(DcMotor, TemperatureSettlesWhereHeatFlowsAwayAsFastAsItIsMade) {
  const Model m = heldRotorWith("motorconst='.05' resistance='2' thermal='5 .02 0 .004 20 30'");
  Data d(m);
  d.ctrl[0] = 3;
  run(m, d, 5);  // 50 time constants RT C
  const double a = .004, start = 1 + a * (30 - 20), power = 5 * 9 / 2.;
  const double rise = (-start + std::sqrt(start * start + 4 * a * power)) / (2 * a);
  EXPECT_NEAR(d.act[0], rise, tolerance(1e-9));
  EXPECT_NEAR(d.actuator_force[0], .05 * 3 / (2 * (start + a * rise)), tolerance(1e-11));
}

// At constant speed the bristles' deflection settles at g(w) / s0: friction is g(w) = Fc + (Fs - Fc) exp(-(w / ws)^2).
TEST(DcMotor, FrictionAtConstantSpeedFollowsStribeck) {
  const Model m = heldRotorWith("motorconst='.05' resistance='1e12' lugre='100 .1 .005 .008 .1'");
  for (const double speed : {-.3, .02, .1, 2.}) {
    Data d(m);
    d.qvel[0] = speed;
    run(m, d, 20);
    const double g = .005 + .003 * std::exp(-std::pow(speed / .1, 2));
    EXPECT_NEAR(d.actuator_force[0], -std::copysign(g, speed), tolerance(1e-10)) << speed;
  }
}

TEST(DcMotor, LimitsBoundTheElectricTorqueButNotCogging) {
  const Model m = heldRotorWith("motorconst='.5' resistance='1' saturation='0 .4' cogging='.03 6 .2'");
  Data d(m);
  d.ctrl[0] = 100;
  d.qpos[0] = .1;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], .5 * .4 + .03 * std::sin(.6 + .2), tolerance(1e-15));
}

// The voltage R torque / K + K w drives exactly the current of the torque that the controller asks for.
TEST(DcMotor, ControllerDeliversTheTorqueItAsksFor) {
  const Model m = heldRotorWith("motorconst='.05' resistance='2' input='pos vel ff' controller='3 0 .2'");
  Data d(m);
  d.qpos[0] = .3;
  d.qvel[0] = -4;
  d.ctrl[0] = 1, d.ctrl[1] = 2, d.ctrl[2] = .1;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], 3 * .7 + .2 * 6 + .1, tolerance(1e-13));
}

TEST(DcMotor, ControllerKeepsWithinItsSupply) {
  const Model m = heldRotorWith("motorconst='.05' resistance='2' input='pos voltage' controller='3 0 0 0 0 12'");
  Data d(m);
  d.ctrl[0] = 100, d.ctrl[1] = 1;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], .05 / 2 * (12 + 1), tolerance(1e-14)) << "the voltage input comes on top";
}

TEST(DcMotor, WithoutInputItBrakes) {
  const Model m = rotorWith("motorconst='.05' resistance='2' input='none'");
  EXPECT_EQ(m.nu, 0);
  Data d(m);
  d.qvel[0] = 10;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], -.05 * .05 / 2 * 10, tolerance(1e-15));
}

// Central differences of a force that is linear in the velocity: rounding, 1e-15 |f| / 1e-4.
TEST(DcMotor, VelocitySlopeIsTheDerivativeOfTheForce) {
  for (const char* motor : {"", "inductance='.003'", "input='pos vel' controller='3 0 .2'",
                            "input='pos vel' controller='3 2 .2' inductance='0 .01'", "input='none'"}) {
    const Model m = rotorWith(std::string("motorconst='.5' resistance='2' ") + motor);
    Data d(m);
    d.qvel[0] = .4;
    if (m.nu > 0) d.ctrl[0] = .3;
    if (m.na > 0) d.act[0] = .2;
    forward(m, d);
    const double slope = actuatorVelocitySlope(m, d, 0), e = 1e-4;
    const auto force = [&](double speed) {
      Data moved = d;
      moved.qvel[0] = speed;
      forward(m, moved);
      return moved.actuator_force[0];
    };
    EXPECT_NEAR(slope, (force(.4 + e) - force(.4 - e)) / (2 * e), tolerance(1e-10)) << motor;
    EXPECT_LT(slope, 0) << motor;
  }
}

TEST(DcMotor, ConstantsFollowFromTheNominalPoint) {
  const double V = 12, torque = .4, speed = 300, B = 1e-5;
  const Model m = rotorWith("nominal='12 .4 300' damping='1e-5'");
  const double R = m.actuator_gainprm[0], K = m.actuator_gainprm[1];
  EXPECT_NEAR(K * V / R, torque, tolerance(1e-14));                   // at standstill
  EXPECT_NEAR(K * (V - K * speed) / R, B * speed, tolerance(1e-14));  // without load
  const Model known = rotorWith("nominal='12 .4 300' resistance='3' damping='1e-5'");
  const double K3 = known.actuator_gainprm[1];
  EXPECT_NEAR(K3 * (V - K3 * speed) / 3, B * speed, tolerance(1e-14));
}

TEST(DcMotor, ListsGivenInPartKeepTheRestOfTheDefaultClass) {
  const Model m =
      modelOf(R"(<mujoco><default><dcmotor motorconst=".2" resistance="3" controller="1 2 3 4 5 6"/></default>
    <worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
    <actuator><dcmotor joint="j" input="pos" controller="7 8"/></actuator></mujoco>)");
  const double* gain = m.actuator_gainprm.data();
  const double* dyn = m.actuator_dynprm.data();
  EXPECT_EQ(gain[0], 3);
  EXPECT_EQ(gain[1], .2);
  EXPECT_EQ(gain[4], 7);
  EXPECT_EQ(gain[5], 8);
  EXPECT_EQ(gain[6], 3);
  EXPECT_EQ(dyn[7], 4);
  EXPECT_EQ(dyn[8], 5);
  EXPECT_EQ(gain[7], 6);
  EXPECT_EQ(m.na, 2);  // slew rate and integral
}

}  // namespace
}  // namespace sinew
