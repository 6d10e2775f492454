#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/types.h"
#include "sinew/data.h"
#include "sinew/load.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::tolerance;

Model model(const std::string& xml) { return compile(readMjcfText("<mujoco>" + xml + "</mujoco>")); }
Model inWorld(const std::string& content) { return model("<worldbody>" + content + "</worldbody>"); }

// m = 2, sphere of radius 0.1 at distance 0.5 from a hinge: I = m (0.4 r^2 + l^2), plus armature.
TEST(CompileConstants, PendulumInertia) {
  const Model m =
      inWorld(R"(<body><joint axis="0 1 0" armature="0.25"/><geom size="0.1" mass="2" pos="0 0 -0.5"/></body>)");
  const double I = 2 * (0.4 * 0.01 + 0.25) + 0.25;
  EXPECT_NEAR(m.dof_M0[0], I, tolerance(1e-14));
  EXPECT_NEAR(m.dof_invweight0[0], 1 / I, tolerance(1e-14));
  // J of the centre of mass: 0.5 along one axis, 1 for the rotation; averaged over three directions
  EXPECT_NEAR(m.body_invweight0[2], 0.25 / I / 3, tolerance(1e-14));
  EXPECT_NEAR(m.body_invweight0[3], 1 / I / 3, tolerance(1e-14));
  EXPECT_NEAR(m.stat.meaninertia, I, tolerance(1e-14));
  EXPECT_EQ(m.stat.meanmass, 2);
}

// A body that only slides along its axes has 1/m whatever its armature.
TEST(CompileConstants, SlidingBodyWeights) {
  const Model m = inWorld(R"(<body><joint type="slide" axis="1 0 0" armature="7"/><joint type="slide" axis="0 1 0"/>
    <geom size="0.1" mass="4"/></body>)");
  EXPECT_EQ(m.body_simple[1], 2);
  EXPECT_EQ(m.body_invweight0[2], 0.25);
  EXPECT_EQ(m.body_invweight0[3], 0);
  EXPECT_EQ(m.dof_invweight0[0], 0.25);
  EXPECT_EQ(m.dof_M0[0], 11);
}

TEST(CompileConstants, FreeBodyWeights) {
  const Model m = inWorld(R"(<body><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="3"/></body>)");
  const Vec3 I = Vec3(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04);  // times m/3 = 1
  const double rotation = (1 / I[0] + 1 / I[1] + 1 / I[2]) / 3;
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(m.dof_invweight0[i], 1.0 / 3, tolerance(1e-14));
    EXPECT_NEAR(m.dof_invweight0[3 + i], rotation, tolerance(1e-12));
  }
  EXPECT_NEAR(m.body_invweight0[2], 1.0 / 3, tolerance(1e-14));
  EXPECT_NEAR(m.body_invweight0[3], rotation, tolerance(1e-12));
}

// Second route: body weights of a chain from a dense inverse of M, built column by column with multiplyMass.
TEST(CompileConstants, WeightsAgreeWithTheDenseInverse) {
  const Model m = inWorld(R"(<body pos="0 0 1"><joint type="ball"/><geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
    <body pos="0.4 0 0"><joint axis="0 1 0" ref="20" armature="0.1"/><geom type="capsule" size="0.05 0.2"/></body></body>)");
  Data d(m);
  kinematics(m, d);
  comPos(m, d);
  massMatrix(m, d);
  Eigen::MatrixXd M(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    const VecX unit = VecX::Unit(m.nv, i);
    VecX column(m.nv);
    multiplyMass(m, d, unit.data(), column.data());
    M.col(i) = column;
  }
  const Eigen::MatrixXd inverse = M.inverse();
  for (int b = 1; b < m.nbody; ++b) {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> J(6, m.nv);
    denseJacobian(m, d, b, vec3(d.xipos.data(), b), J.data(), J.data() + 3 * m.nv);
    const Eigen::MatrixXd A = J * inverse * J.transpose();
    EXPECT_NEAR(m.body_invweight0[2 * b], A.diagonal().head(3).mean(), tolerance(1e-12));
    EXPECT_NEAR(m.body_invweight0[2 * b + 1], A.diagonal().tail(3).mean(), tolerance(1e-12));
  }
  EXPECT_NEAR(m.dof_invweight0[0], inverse.diagonal().head(3).mean(), tolerance(1e-12));
  EXPECT_NEAR(m.dof_invweight0[3], inverse(3, 3), tolerance(1e-12));
}

// Fixed tendon of two slides with masses 2 and 4: J inv(M) J' = a^2/2 + b^2/4; length0 = a q1 + b q2.
TEST(CompileConstants, FixedTendon) {
  const Model m = model(R"(<worldbody>
      <body><joint name="x" type="slide" ref="3"/><geom size="0.1" mass="2"/></body>
      <body><joint name="y" type="slide" springref="5"/><geom size="0.1" mass="4"/></body></worldbody>
    <tendon><fixed><joint joint="y" coef="-2"/><joint joint="x" coef="3"/></fixed></tendon>
    <actuator><motor joint="x" gear="10"/></actuator>)");
  EXPECT_NEAR(m.tendon_length0[0], 9, tolerance(1e-14));
  EXPECT_NEAR(m.tendon_invweight0[0], 9.0 / 2 + 4.0 / 4, tolerance(1e-14));
  EXPECT_NEAR(m.tendon_lengthspring[0], -10, tolerance(1e-14));
  EXPECT_EQ(m.tendon_lengthspring[0], m.tendon_lengthspring[1]);
  EXPECT_NEAR(m.actuator_acc0[0], 10.0 / 2, tolerance(1e-14));
  EXPECT_NEAR(m.actuator_length0[0], 30, tolerance(1e-14));
}

// springdamper (t, z): k = I/(t z)^2, b = 2 I/t, so that the free motion has b/(2 sqrt(k I)) = z.
TEST(CompileConstants, SpringDamperGivesTheDampingRatio) {
  const Model m = inWorld(R"(<body><joint type="slide" springdamper="0.5 0.7"/><geom size="0.1" mass="3"/></body>)");
  EXPECT_NEAR(m.jnt_stiffness[0], 3 / (0.35 * 0.35), tolerance(1e-12));
  EXPECT_NEAR(m.dof_damping[0] / (2 * std::sqrt(m.jnt_stiffness[0] * 3)), 0.7, tolerance(1e-12));
}

TEST(CompileConstants, DampingRatioOfServos) {
  const Model m = model(R"(<worldbody><body><joint name="j" type="slide"/><geom size="0.1" mass="3"/></body></worldbody>
    <actuator><position joint="j" kp="50" dampratio="0.8"/><position joint="j" kp="50" kv="2"/></actuator>)");
  EXPECT_NEAR(m.actuator_biasprm[2], -0.8 * 2 * std::sqrt(50.0 * 3), tolerance(1e-12));
  EXPECT_EQ(m.actuator_biasprm[12], -2);
}

TEST(CompileConstants, InheritedRange) {
  const Model m =
      model(R"(<worldbody><body><joint name="j" type="slide" range="1 3"/><geom size="0.1"/></body></worldbody>
    <actuator><position joint="j" inheritrange="0.5"/>
    <intvelocity joint="j" inheritrange="1" ctrlrange="-4 4"/></actuator>)");
  EXPECT_TRUE(allNear(std::vector<double>(m.actuator_ctrlrange.begin(), m.actuator_ctrlrange.begin() + 2),
                      std::vector<double>{1.5, 2.5}, 1e-15));
  EXPECT_EQ(m.actuator_ctrllimited[0], 1);
  EXPECT_TRUE(allNear(std::vector<double>(m.actuator_actrange.begin() + 2, m.actuator_actrange.begin() + 4),
                      std::vector<double>{1, 3}, 1e-15));
  // the control of an integrated velocity has a range of its own
  EXPECT_EQ(m.actuator_ctrlrange[2], -4);
  EXPECT_EQ(m.actuator_ctrlrange[3], 4);
  EXPECT_EQ(m.na, 1);
  EXPECT_EQ(m.actuator_actadr[0], -1);
  EXPECT_EQ(m.actuator_actadr[1], 0);
}

TEST(CompileConstants, TotalMassIsScaled) {
  const Model m = model(R"(<compiler settotalmass="10"/><worldbody><body><joint/><geom size="0.1" mass="1"/></body>
    <body><joint/><geom size="0.1" mass="3"/></body></worldbody>)");
  EXPECT_NEAR(m.body_mass[1], 2.5, tolerance(1e-14));
  EXPECT_NEAR(m.body_mass[2], 7.5, tolerance(1e-14));
  EXPECT_NEAR(m.body_inertia[3], 0.4 * 2.5 * 0.01, tolerance(1e-15));
  EXPECT_NEAR(m.body_subtreemass[0], 10, tolerance(1e-13));
}

TEST(CompileConstants, InertiaIsBoundedAndBalanced) {
  const std::string body =
      R"(<worldbody><body><joint/><inertial pos="0 0 0" mass="0.1" diaginertia="1 1 4"/></body></worldbody>)";
  const Model m = model(R"(<compiler boundmass="0.5" balanceinertia="true"/>)" + body);
  EXPECT_EQ(m.body_mass[1], 0.5);
  for (int i = 3; i < 6; ++i) EXPECT_EQ(m.body_inertia[i], 2);
  const Model bounded = model(R"(<compiler boundinertia="3"/>)" + body);
  EXPECT_EQ(bounded.body_inertia[3], 3);
  EXPECT_EQ(bounded.body_inertia[5], 4);
}

TEST(CompileConstants, InertiaComesFromTheChosenGroups) {
  const Model m = model(R"(<compiler inertiagrouprange="2 3"/><worldbody><body><joint/><geom size="0.1" mass="5"/>
    <geom size="0.1" mass="1" group="2" pos="0 0 1"/></body></worldbody>)");
  EXPECT_EQ(m.body_mass[1], 1);
  EXPECT_EQ(m.body_ipos[5], 1);
}

// diag(1, 2, 3) turned by 30 degrees about z, written as a full matrix.
TEST(CompileConstants, FullInertiaIsDiagonalized) {
  const double c = std::cos(std::numbers::pi / 6), s = 0.5;
  const std::string full = std::to_string(c * c + 2 * s * s) + " " + std::to_string(s * s + 2 * c * c) + " 2.5 " +
                           std::to_string(-c * s) + " 0 0";
  const Model m = inWorld("<body><joint/><inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"" + full + "\"/></body>");
  // six digits were written
  EXPECT_TRUE(allNear(Vec3(vec3(m.body_inertia.data(), 1)), Vec3(2.5, 2, 1), 2e-6));
}

// The sphere of the anchor stays where it is: data 3..5 is the anchor in the second body.
TEST(CompileConstants, ConnectAndWeldAnchors) {
  const Model m = model(R"(<worldbody><body name="a" pos="1 0 0" euler="0 0 90"><joint/><geom size="0.1"/></body>
      <body name="b" pos="0 2 0"><joint/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="a" body2="b" anchor="1 0 0"/><weld body1="a" body2="b" anchor="0 0 1"/>
      <weld body1="a" relpose="1 2 3 0 0 0 2"/></equality>)");
  EXPECT_TRUE(allNear(std::vector<double>(m.eq_data.begin(), m.eq_data.begin() + 6),
                      std::vector<double>{1, 0, 0, 1, -1, 0}, 1e-15));
  // b seen from a: R' (b - a) = (2, 1, 0), the anchor one above; orientation -90 degrees about z
  const double h = std::sqrt(0.5);
  EXPECT_TRUE(allNear(std::vector<double>(m.eq_data.begin() + 11, m.eq_data.begin() + 22),
                      std::vector<double>{0, 0, 1, 2, 1, 1, h, 0, 0, -h, 1}, 1e-15));
  EXPECT_TRUE(allNear(std::vector<double>(m.eq_data.begin() + 25, m.eq_data.begin() + 32),
                      std::vector<double>{1, 2, 3, 0, 0, 0, 1}, 1e-15));
  EXPECT_EQ(m.eq_obj2id[2], 0);
}

TEST(CompileConstants, KeyframesAreCompletedAndNormalized) {
  const Model m = model(R"(<size nkey="3"/><worldbody><body name="m" mocap="true" pos="1 2 3"/>
      <body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody>
    <keyframe><key name="k" time="2" qpos="1 2 3 2 0 0 0" mquat="0 3 0 0"/><key qvel="1 2 3 4 5 6"/></keyframe>)");
  EXPECT_EQ(m.nkey, 3);
  EXPECT_EQ(m.key_time[0], 2);
  EXPECT_TRUE(allNear(std::vector<double>(m.key_qpos.begin(), m.key_qpos.end()),
                      std::vector<double>{1, 2, 3, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}, 0));
  EXPECT_TRUE(
      allNear(std::vector<double>(m.key_mpos.begin(), m.key_mpos.begin() + 3), std::vector<double>{1, 2, 3}, 0));
  EXPECT_TRUE(
      allNear(std::vector<double>(m.key_mquat.begin(), m.key_mquat.begin() + 4), std::vector<double>{0, 1, 0, 0}, 0));
  EXPECT_EQ(m.key_qvel[6 + 5], 6);
}

// A keyframe of an attached model speaks only of its own joints; NaN stands for the rest.
TEST(CompileConstants, OpenKeyframeEntriesAreTheReference) {
  Spec spec = readMjcfText(R"(<mujoco><worldbody><body mocap="true" pos="1 2 3"/>
    <body><joint type="slide" ref="5"/><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody></mujoco>)");
  spec::Key key;
  key.qpos = {std::nan(""), 7};
  key.mpos = {std::nan(""), 8, std::nan("")};
  spec.keys.push_back(key);
  const Model m = compile(spec);
  EXPECT_TRUE(allNear(m.key_qpos, std::vector<double>{5, 7}, 0));
  EXPECT_TRUE(allNear(m.key_mpos, std::vector<double>{1, 8, 3}, 0));
}

// Box around a sphere of radius 0.5 at height 2 and the origin of its body: z from 0 to 2.5.
TEST(CompileConstants, Statistics) {
  const std::string body = R"(<worldbody><body><joint/><geom size="0.5" pos="0 0 2"/></body></worldbody>)";
  const Model m = model(body);
  EXPECT_TRUE(
      allNear(std::vector<double>(m.stat.center.begin(), m.stat.center.end()), std::vector<double>{0, 0, 1.25}, 1e-15));
  EXPECT_EQ(m.stat.meansize, 2);  // from the centre of mass to the joint
  EXPECT_EQ(m.stat.extent, 4);    // at least twice that
  EXPECT_EQ(m.dof_length[0], 2);
  const Model given = model(R"(<statistic extent="7" meanmass="3"/>)" + body);
  EXPECT_EQ(given.stat.extent, 7);
  EXPECT_EQ(given.stat.meanmass, 3);
}

TEST(CompileConstants, SensorLayout) {
  const Model m =
      model(R"(<worldbody><body name="b"><joint name="j"/><geom size="0.1"/><site name="s"/></body></worldbody>
    <sensor><gyro site="s"/><framequat objtype="xbody" objname="b"/><jointpos joint="j"/>
      <contact data="found pos" num="2"/></sensor>)");
  EXPECT_EQ(std::vector<int>(m.sensor_dim.begin(), m.sensor_dim.end()), (std::vector<int>{3, 4, 1, 8}));
  EXPECT_EQ(std::vector<int>(m.sensor_adr.begin(), m.sensor_adr.end()), (std::vector<int>{0, 3, 7, 8}));
  EXPECT_EQ(m.nsensordata, 16);
  EXPECT_EQ(m.sensor_needstage[0], Stage::Vel);
  EXPECT_EQ(m.sensor_datatype[1], DataType::Quaternion);
}

// A muscle between two stops: the length range is that of the joint, times gear.
// Defaults reach the floor too, and an ellipsoid of no size would have an added mass of 0/0.
TEST(CompileConstants, FluidShapeOfAnEndlessPlaneIsLeftOut) {
  const Model m = inWorld(R"(<geom type="plane" size="0 0 1" fluidshape="ellipsoid"/>
    <geom type="plane" size="1 2 1" fluidshape="ellipsoid"/>)");
  for (int i = 0; i < 12; ++i) EXPECT_EQ(m.geom_fluid[i], 0) << i;
  EXPECT_EQ(m.geom_fluid[12], 1);
}

TEST(CompileConstants, LengthRangeFromLimits) {
  const Model m = model(R"(<compiler><lengthrange uselimit="true"/></compiler>
    <worldbody><body><joint name="j" type="slide" range="-1 2"/><geom size="0.1"/></body></worldbody>
    <actuator><muscle joint="j"/><muscle joint="j" lengthrange="3 4"/></actuator>)");
  EXPECT_TRUE(allNear(m.actuator_lengthrange, std::vector<double>{-1, 2, 3, 4}, 0));
}

// A swinging rod pulled by a tendon comes to rest where the tendon is shortest and longest: |a - l|, a + l.
TEST(CompileConstants, LengthRangeBySimulation) {
  const Model m = model(R"(<option gravity="0 0 -100"/><worldbody><site name="a" pos="0 0 3"/>
      <body><joint name="j" axis="0 1 0" ref="60"/><geom size="0.1" pos="1 0 0"/><site name="b" pos="1 0 0"/></body></worldbody>
    <tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
    <actuator><muscle tendon="t"/></actuator>)");
  EXPECT_NEAR(m.actuator_lengthrange[0], 2, tolerance(1e-3));
  EXPECT_NEAR(m.actuator_lengthrange[1], 4, tolerance(1e-3));
  EXPECT_EQ(m.opt.gravity[2], -100);
  EXPECT_EQ(m.opt.disableflags, 0);
}

}  // namespace
}  // namespace sinew
