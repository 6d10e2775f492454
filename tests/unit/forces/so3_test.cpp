#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "forces/derivative.h"
#include "kinematics/jacobian.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

constexpr const char* kBall = R"(<mujoco><option gravity="0 0 0" timestep="0.005"/>
  <worldbody><body><joint name="j" type="ball" damping=".3"/><geom type="box" size=".2 .3 .1"/></body></worldbody>
  <actuator>
    <orientation joint="j" kp="4" kv=".5"/>
    <orientation joint="j" kp="4" kv=".5" input="quat" group="1"/>
    <orientation joint="j" kp="4" kv=".5" forcerange="0 .7" group="2"/>
  </actuator></mujoco>)";

/// The ball with the actuator of one group alone.
Model ballWith(int group) {
  Model m = modelOf(kBall);
  m.opt.disableactuator = 7 & ~(1 << group);
  return m;
}

void turn(Data& d, const Vec3& rotation) { fromAxisAngle(rotation.normalized(), rotation.norm()).store(d.qpos.data()); }
Vec3 torqueOf(const Data& d, int group) { return ConstMapVec3(&d.actuator_force[3 * group]); }

// Rotations about one axis add up, so the error between .9 and .2 is .7 of it.
TEST(Orientation, TorqueIsTheErrorAlongTheShortestWay) {
  const Model m = ballWith(0);
  ASSERT_EQ(m.nu, 10);
  ASSERT_EQ(m.nout, 9);
  const Vec3 axis = Vec3(1, 2, -2) / 3, spin(.3, -.2, .1);
  Data d(m);
  turn(d, .2 * axis);
  Eigen::Map<Vec3>(d.qvel.data()) = spin;
  for (const int turns : {0, 1, -2}) {
    Eigen::Map<Vec3>(d.ctrl.data()) = (.9 + 2 * std::numbers::pi * turns) * axis;
    forward(m, d);
    EXPECT_LT((torqueOf(d, 0) - (4 * .7 * axis - .5 * spin)).norm(), tolerance(1e-12)) << turns;
    EXPECT_LT((ConstMapVec3(d.qfrc_actuator.data()) - torqueOf(d, 0)).norm(), tolerance(1e-15));
  }
}

TEST(Orientation, QuaternionsAndRotationVectorsMeanTheSame) {
  const Model m = modelOf(kBall);
  Data d(m);
  EXPECT_EQ(d.ctrl[3], 1) << "no rotation";
  const Vec3 target(.4, -1.1, .8);
  turn(d, Vec3(.5, .1, -.3));
  Eigen::Map<Vec3>(d.ctrl.data()) = target;
  fromAxisAngle(target.normalized(), target.norm()).store(&d.ctrl[3]);
  for (int k = 3; k < 7; ++k) d.ctrl[k] *= -3;  // any length, either sign
  forward(m, d);
  EXPECT_LT((torqueOf(d, 0) - torqueOf(d, 1)).norm(), tolerance(1e-13));
}

TEST(Orientation, ForceRangeBoundsTheLengthOfTheTorque) {
  const Model m = modelOf(kBall);
  Data d(m);
  for (int k = 0; k < 3; ++k) d.ctrl[k] = d.ctrl[7 + k] = .4 * (k + 1);
  forward(m, d);
  EXPECT_NEAR(torqueOf(d, 2).norm(), .7, tolerance(1e-15));
  EXPECT_LT(torqueOf(d, 2).cross(torqueOf(d, 0)).norm(), tolerance(1e-14));
}

TEST(Orientation, TurnsToItsSetpoint) {
  for (const int group : {0, 1}) {
    const Model m = ballWith(group);
    Data d(m);
    const Vec3 target(2, -1, .5);
    const Quat goal = fromAxisAngle(target.normalized(), target.norm());
    if (group == 0) Eigen::Map<Vec3>(d.ctrl.data()) = target;
    if (group == 1) goal.store(&d.ctrl[3]);
    for (int k = 0; k < 20000; ++k) step(m, d);
    EXPECT_LT(difference(goal, Quat::load(d.qpos.data())).norm(), tolerance(1e-9));
  }
}

constexpr const char* kSites = R"(<mujoco><option timestep="0.005"/>
  <worldbody><body><freejoint/><geom size=".1"/><site name="ref" euler="10 20 30"/>
    <body pos=".3 0 0"><joint axis="0 1 0"/><geom size=".1"/><body pos=".3 0 0"><joint type="ball"/><geom size=".1"/>
    <site name="tip" euler="-20 40 0"/></body></body></body></worldbody>
  <actuator><orientation site="tip" refsite="ref" kp="3" kv=".4"/></actuator></mujoco>)";

TEST(Orientation, BetweenSitesTheVelocityIsTheRelativeSpinInTheSitesFrame) {
  const Model m = modelOf(kSites);
  Data d(m);
  test::randomizeState(m, d, 3);
  forward(m, d);
  Vec3 spin = Vec3::Zero();
  for (int i = 6; i < m.nv; ++i) spin += d.qvel[i] * angular(&d.cdof[6 * i]);  // the free joint moves both
  const Vec3 expected = mat3(d.site_xmat.data(), 1).transpose() * spin;
  EXPECT_LT((ConstMapVec3(d.actuator_velocity.data()) - expected).norm(), tolerance(1e-14));
}

// qfrc_actuator is linear in the velocity: differences leave rounding.
TEST(Orientation, DerivativeOfTheForceIsTheOneTheIntegratorsUse) {
  const Model m = modelOf(kSites);
  Data d(m);
  test::randomizeState(m, d, 5);
  forward(m, d);
  std::fill(d.qDeriv.begin(), d.qDeriv.end(), 0.0);
  addActuatorDerivative(m, d);
  const double e = 1e-3;
  for (int j = 0; j < m.nv; ++j) {
    Data plus = d, minus = d;
    plus.qvel[j] += e;
    minus.qvel[j] -= e;
    forward(m, plus);
    forward(m, minus);
    for (int i = 0; i < m.nv; ++i) {
      const double slope = (plus.qfrc_actuator[i] - minus.qfrc_actuator[i]) / (2 * e);
      EXPECT_NEAR(d.qDeriv[entryOfD(m, i, j)], slope, tolerance(1e-10)) << i << " " << j;
    }
  }
}

TEST(Orientation, AnIntegratedSetpointStaysWithinHalfATurn) {
  const Model m =
      modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="ball"/><geom size=".1"/>
    </body></worldbody><actuator><general joint="j" gaintype="so3" biastype="so3" dyntype="integrator" gainprm="1"
    biasprm="0 -1 0"/></actuator></mujoco>)");
  ASSERT_EQ(m.na, 3);
  Data d(m);
  const Vec3 axis = Vec3(2, -1, 2) / 3;
  Eigen::Map<Vec3>(d.act.data()) = 3.13 * axis;
  Eigen::Map<Vec3>(d.ctrl.data()) = 10 * axis;  // 0.02 per step
  step(m, d);
  EXPECT_LT((ConstMapVec3(d.act.data()) - (3.15 - 2 * std::numbers::pi) * axis).norm(), tolerance(1e-14));
}

}  // namespace
}  // namespace sinew
