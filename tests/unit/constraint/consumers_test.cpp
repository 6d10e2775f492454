#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "forces/forces.h"
#include "math/types.h"
#include "sensor/sensor.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

// What reads the result of the constraint solver: body forces, inverse dynamics, sensors, adhesion.
namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

constexpr double kWeight = 2 * 9.81;  // of the box in kBoxOnFloor

/// A box of 2 kg on the floor, settled: the floor carries its weight, a quarter at each corner.
std::string boxOnFloor(const std::string& rest, const std::string& option = "") {
  return "<mujoco><option " + option +
         "/><worldbody><geom name='floor' type='plane' size='3 3 1'/>"
         "<body name='box' pos='0 0 .1'><freejoint/><geom name='g' type='box' size='.1 .1 .1' mass='2'/>"
         "<site name='whole' type='box' size='.2 .2 .2'/>"
         "<site name='right' type='box' size='.05 .2 .2' pos='.1 0 0'/>"
         "<site name='away' type='box' size='.05 .05 .05' pos='.5 0 0'/></body></worldbody>" +
         rest + "</mujoco>";
}

Data settled(const Model& m, int steps = 2000) {
  Data d(m);
  for (int i = 0; i < steps; ++i) step(m, d);
  forward(m, d);
  return d;
}

TEST(BodyForces, TheFloorCarriesTheWeight) {
  for (const std::string cone : {"cone='pyramidal'", "cone='elliptic'"}) {
    const Model m = modelOf(boxOnFloor("", cone));
    Data d = settled(m);
    bodyForces(m, d);
    ASSERT_EQ(d.ncon(), 4);
    // the box does not move any more: to 1e-6 N
    EXPECT_TRUE(allNear(std::array{d.cfrc_ext[6 + 3], d.cfrc_ext[6 + 4], d.cfrc_ext[6 + 5]},
                        std::array{0.0, 0.0, kWeight}, 1e-6));
    EXPECT_TRUE(allNear(std::array{d.cfrc_ext[6], d.cfrc_ext[7], d.cfrc_ext[8]}, std::array{0.0, 0.0, 0.0}, 1e-6));
    // a free body gets nothing through its joint, but for what the solver's tolerance leaves
    for (int k = 6; k < 12; ++k) EXPECT_NEAR(d.cfrc_int[k], 0, tolerance(1e-6));
  }
}

// The force that a body gets from its parent does no work along the joint's axis when nothing drives the joint: only if
// the force of the connect is counted, at its anchor, does that come out.
TEST(BodyForces, AConnectCompletesTheBalanceAtTheJoints) {
  const Model m = modelOf(R"(<mujoco><worldbody><body name="a" pos="0 0 1"><joint axis="0 1 0"/>
    <geom size=".05" pos=".3 0 0" mass="1"/><body name="b" pos=".6 0 0"><joint axis="0 1 0"/>
    <geom size=".05" pos=".2 0 0" mass="1"/></body></body></worldbody>
    <equality><connect body1="b" anchor=".3 0 0"/></equality></mujoco>)");
  Data d(m);
  d.qvel[0] = .3;
  d.qvel[1] = -.5;
  forward(m, d);
  bodyForces(m, d);
  ASSERT_EQ(d.ne, 3);
  EXPECT_GT(std::abs(d.efc_force[2]), 1);
  for (int body = 1; body <= 2; ++body) {
    double along = 0;
    for (int k = 0; k < 6; ++k) along += d.cdof[6 * (body - 1) + k] * d.cfrc_int[6 * body + k];
    EXPECT_NEAR(along, 0, tolerance(1e-9));
  }
}

TEST(BodyForces, AWeldHoldsAHangingBody) {
  const Model m = modelOf(R"(<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/><geom size=".05" mass="2"/>
    </body></worldbody><equality><weld body1="a"/></equality></mujoco>)");
  Data d = settled(m);
  bodyForces(m, d);
  EXPECT_NEAR(d.cfrc_ext[6 + 5], kWeight, tolerance(1e-6));
}

TEST(Inverse, FindsTheForcesBehindContactsLimitsAndEqualities) {
  for (const std::string cone : {"pyramidal", "elliptic"}) {
    const Model m = modelOf("<mujoco><option tolerance='0' iterations='200' cone='" + cone + R"('/>
      <worldbody><geom type="plane" size="3 3 1"/>
      <body pos="0 0 .095"><freejoint/><geom type="box" size=".1 .1 .1"/>
        <body pos="0 0 .15"><joint name="h" axis="0 1 0" range="-10 10" frictionloss=".1"/>
        <geom type="capsule" size=".03 .08"/></body></body>
      <body name="b" pos="1 0 .5"><joint axis="0 1 0"/><geom size=".05" pos=".2 0 0"/>
        <body name="c" pos=".4 0 0"><joint axis="0 1 0"/><geom size=".05" pos=".2 0 0"/></body></body></worldbody>
      <equality><connect body1="c" anchor=".3 0 .1"/></equality></mujoco>)");
    Data d(m);
    d.qpos[7] = .2;  // beyond the limit of 10 degrees
    for (int i = 0; i < m.nv; ++i) {
      d.qvel[i] = .1 * (i % 3 - 1);
      d.qfrc_applied[i] = .3 * (i % 5 - 2);
    }
    forward(m, d);
    ASSERT_GT(d.ncon(), 0);
    ASSERT_GT(d.ne, 0);
    ASSERT_GT(d.nf, 0);
    ASSERT_GT(d.nl, 0);
    const Array<double> force = d.efc_force, qfrc = d.qfrc_constraint, applied = d.qfrc_applied;
    const Array<RowState> state = d.efc_state;
    inverse(m, d);
    // the solver stops where rounding does: forces of 1e2 N with stiff rows
    EXPECT_TRUE(allNear(d.efc_force, force, 1e-7));
    EXPECT_TRUE(allNear(d.qfrc_constraint, qfrc, 1e-7));
    EXPECT_TRUE(allNear(d.qfrc_inverse, applied, 1e-7));
    EXPECT_EQ(d.efc_state, state);
  }
}

TEST(TouchSensor, CountsWhatPushesIntoItsVolume) {
  const Model m =
      modelOf(boxOnFloor("<sensor><touch site='whole'/><touch site='right'/><touch site='away'/></sensor>"));
  const Data d = settled(m);
  EXPECT_NEAR(d.sensordata[0], kWeight, tolerance(1e-6));
  EXPECT_NEAR(d.sensordata[1], kWeight / 2, tolerance(1e-6)) << "two of four corners";
  EXPECT_EQ(d.sensordata[2], 0);
}

TEST(ContactSensor, ReportsNormalsAwayFromTheFirstObject) {
  const Model m =
      modelOf(boxOnFloor("<sensor><contact geom1='floor' data='found force dist pos normal tangent' num='5'/>"
                         "<contact geom1='g' data='found force dist pos normal tangent' num='5'/></sensor>"));
  const Data d = settled(m);
  constexpr int kSlot = 1 + 3 + 1 + 3 + 3 + 3;
  for (int slot = 0; slot < 4; ++slot) {
    const double* up = &d.sensordata[kSlot * slot];
    const double* down = &d.sensordata[kSlot * (5 + slot)];
    EXPECT_EQ(up[0], 4);
    EXPECT_NEAR(up[1], kWeight / 4, tolerance(1e-6));
    EXPECT_EQ(up[4], d.contact[slot].dist);
    EXPECT_NEAR(up[10], 1, tolerance(1e-9));
    EXPECT_NEAR(down[10], -1, tolerance(1e-9));
    // the force on the other side is the opposite one, in world axes: compare frame' f
    const Vec3 n = ConstMapVec3(up + 8), t = ConstMapVec3(up + 11), f = ConstMapVec3(up + 1);
    const Vec3 n2 = ConstMapVec3(down + 8), t2 = ConstMapVec3(down + 11), f2 = ConstMapVec3(down + 1);
    const Vec3 world = n * f[0] + t * f[1] + n.cross(t) * f[2];
    const Vec3 opposite = n2 * f2[0] + t2 * f2[1] + n2.cross(t2) * f2[2];
    EXPECT_TRUE(allNear(opposite, -world, 1e-12));
  }
  for (int k = 0; k < kSlot; ++k) EXPECT_EQ(d.sensordata[kSlot * 4 + k], 0) << "the fifth slot stays empty";
}

TEST(ContactSensor, SortsByForceAndByDistance) {
  const Model m =
      modelOf(boxOnFloor("<sensor><contact geom1='g' data='force' num='4' reduce='maxforce'/>"
                         "<contact geom1='g' data='dist' num='4' reduce='mindist'/></sensor>"));
  Data d = settled(m);
  d.xfrc_applied[6 + 4] = .4;  // tips the box a little
  for (int i = 0; i < 50; ++i) step(m, d);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 4);
  for (int slot = 1; slot < 4; ++slot) {
    EXPECT_GE(vec3(d.sensordata.data(), slot - 1).norm(), vec3(d.sensordata.data(), slot).norm());
    EXPECT_LE(d.sensordata[12 + slot - 1], d.sensordata[12 + slot]);
  }
  EXPECT_GT(vec3(d.sensordata.data(), 0).norm(), vec3(d.sensordata.data(), 3).norm());
}

TEST(ContactSensor, NetForceIsTheWrenchOfAllContacts) {
  const Model m =
      modelOf(boxOnFloor("<sensor><contact body2='box' data='found force torque pos normal tangent' num='2' "
                         "reduce='netforce'/></sensor>"));
  const Data d = settled(m);
  const std::array<double, 16> expected{4, 0, 0, kWeight, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  EXPECT_TRUE(allNear(std::span(d.sensordata.data(), 16), expected, 1e-4)) << "under the middle of the box";
  for (int k = 16; k < m.nsensordata; ++k) EXPECT_EQ(d.sensordata[k], 0);
}

TEST(ContactSensor, SubtreesAndSitesFilter) {
  const Model m = modelOf(R"(<mujoco><worldbody><geom name="floor" type="plane" size="3 3 1"/>
    <body name="root" pos="0 0 .1"><freejoint/><geom size=".1"/><site name="zone" size=".15"/>
      <body name="leaf" pos="1 0 0"><geom size=".1"/></body></body></worldbody>
    <sensor><contact body1="root"/><contact subtree1="root"/><contact body1="leaf"/><contact site="zone"/><contact/>
      <contact geom1="floor" subtree2="leaf"/></sensor></mujoco>)");
  const Data d = settled(m, 200);
  EXPECT_TRUE(allNear(d.sensordata, std::array{1.0, 2.0, 1.0, 1.0, 2.0, 1.0}, 0));
}

TEST(LimitSensors, ReadTheRowOfTheStop) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint name="j" axis="0 1 0" range="-10 10"/>
    <geom size=".1" pos=".5 0 0"/></body></worldbody><tendon><fixed name="t" range="-1 .1"><joint joint="j" coef="1"/>
    </fixed></tendon><sensor><jointlimitpos joint="j"/><jointlimitvel joint="j"/><jointlimitfrc joint="j"/>
    <tendonlimitpos tendon="t"/><tendonlimitvel tendon="t"/><tendonlimitfrc tendon="t"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_TRUE(allNear(d.sensordata, std::array<double, 6>{}, 0)) << "no stop is near";
  d.qpos[0] = .2;
  d.qvel[0] = .3;
  forward(m, d);
  const double stop = m.jnt_range[1];
  EXPECT_NEAR(d.sensordata[0], stop - .2, tolerance(1e-15));
  EXPECT_NEAR(d.sensordata[1], -.3, tolerance(1e-15));
  EXPECT_GT(d.sensordata[5], 0);
  EXPECT_NEAR(d.sensordata[3], .1 - .2, tolerance(1e-15));
  EXPECT_NEAR(d.sensordata[4], -.3, tolerance(1e-15));
  EXPECT_NEAR(d.sensordata[2] + d.sensordata[5], -d.qfrc_constraint[0], tolerance(1e-9)) << "both push back";
}

TEST(Adhesion, PullsAlongTheMeanNormalOfTheContacts) {
  const Model m = modelOf(boxOnFloor("<actuator><adhesion body='box' gain='5' ctrlrange='0 1'/></actuator>"));
  Data d = settled(m);
  d.ctrl[0] = 1;
  forward(m, d);
  ASSERT_EQ(d.ncon(), 4);
  EXPECT_EQ(d.actuator_length[0], 0);
  EXPECT_NEAR(d.qfrc_actuator[2], -5, tolerance(1e-9)) << "towards the floor";
  for (const int dof : {0, 1, 3, 4, 5}) EXPECT_NEAR(d.qfrc_actuator[dof], 0, tolerance(1e-6));
  // the floor pushes back: the box stays where it is
  for (int i = 0; i < 2000; ++i) step(m, d);
  forward(m, d);
  bodyForces(m, d);
  EXPECT_NEAR(d.cfrc_ext[6 + 5], kWeight + 5, tolerance(1e-6));
  EXPECT_NEAR(d.qvel[2], 0, tolerance(1e-9));
}

// A ceiling that is stickier than the ball is heavy. Tension opens the contact a little, so it needs a gap to live in.
TEST(Adhesion, AStickyCeilingHoldsABall) {
  const Model m = modelOf(R"(<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 1.1" adhesion="30"/>
    <body pos="0 0 .9005"><freejoint/><geom name="ball" size=".1" mass="2" margin=".02" gap=".02"/></body></worldbody>
    <sensor><contact geom1="ball" data="force"/></sensor></mujoco>)");
  const Data d = settled(m);
  ASSERT_EQ(d.ncon(), 1);
  EXPECT_NEAR(d.qfrc_adhesion[2], 30, tolerance(1e-9)) << "up, to the ceiling";
  EXPECT_NEAR(d.qfrc_constraint[2], kWeight - 30, tolerance(1e-6)) << "what is left of it presses";
  EXPECT_NEAR(d.sensordata[0], -kWeight, tolerance(1e-6)) << "the contact carries the weight: tension";
  EXPECT_NEAR(d.qvel[2], 0, tolerance(1e-9));
}

TEST(DistanceSensors, FindTheShortestSegment) {
  const Model m = modelOf(R"(<mujoco><worldbody><geom name="a" size=".1"/>
    <body name="two" pos="1 0 0"><joint axis="0 0 1"/><geom name="b" type="box" size=".2 .2 .2"/>
    <geom name="far" size=".1" pos="3 0 0"/></body></worldbody><sensor>
    <distance geom1="a" geom2="b" cutoff="2"/><normal geom1="a" body2="two" cutoff="2"/>
    <fromto body1="two" geom2="a" cutoff="2"/><distance geom1="a" geom2="far" cutoff="2"/>
    <fromto geom1="a" geom2="far" cutoff="2"/></sensor></mujoco>)");
  Data d(m);
  forward(m, d);
  const std::array<double, 17> expected{.7, 1, 0, 0, .8, 0, 0, .1, 0, 0, 2, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(allNear(d.sensordata, expected, 1e-9));
}

}  // namespace
}  // namespace sinew
