#include "kinematics/kinematics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "forces/forces.h"
#include "kinematics/jacobian.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "sensor/sensor.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

// Rounding of a handful of rotations of lengths near one.
constexpr double kRounding = 1e-13;

Data placed(const Model& m, const Array<double>& qpos) {
  Data d(m);
  d.qpos = qpos;
  kinematics(m, d);
  comPos(m, d);
  return d;
}

TEST(Kinematics, HingeTurnsTheBodyAboutItsAnchorByTheAngleBeyondRef) {
  const Model m = modelOf(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body pos="1 2 3"><joint type="hinge" axis="0 1 0" pos="0 0 0.5" ref="0.2"/><geom size="0.1"/>
      <site pos="0 0 -1"/></body></worldbody></mujoco>)");
  Data d(m);
  const double angle = 0.7;
  d.qpos[0] = 0.2 + angle;
  kinematics(m, d);
  // anchor at (1, 2, 3.5); the site hangs 1.5 below it and swings towards -x
  EXPECT_TRUE(allNear(vec3(d.xanchor.data(), 0), Vec3(1, 2, 3.5), kRounding));
  EXPECT_TRUE(
      allNear(vec3(d.site_xpos.data(), 0), Vec3(1 - 1.5 * std::sin(angle), 2, 3.5 - 1.5 * std::cos(angle)), kRounding));
  EXPECT_TRUE(allNear(vec3(d.xaxis.data(), 0), Vec3(0, 1, 0), kRounding));
}

TEST(Kinematics, SeveralJointsOfABodyActLikeAChainOfBodies) {
  const Model together = modelOf(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body pos="0.1 0.2 0.3" quat="1 2 3 4">
      <joint type="slide" axis="1 2 0" pos="0.3 0 0"/><joint type="hinge" axis="0 1 1" pos="0.1 0.2 0"/>
      <joint type="ball" pos="0 0.4 0.1"/><geom size="0.1"/></body></worldbody></mujoco>)");
  const Model apart = modelOf(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body pos="0.1 0.2 0.3" quat="1 2 3 4"><joint type="slide" axis="1 2 0" pos="0.3 0 0"/><geom size="0.1"/>
      <body><joint type="hinge" axis="0 1 1" pos="0.1 0.2 0"/><geom size="0.1"/>
        <body><joint type="ball" pos="0 0.4 0.1"/><geom size="0.1"/></body></body></body></worldbody></mujoco>)");
  Data a(together), b(apart);
  test::randomizeState(together, a, 1);
  b.qpos = a.qpos;
  kinematics(together, a);
  kinematics(apart, b);
  EXPECT_TRUE(allNear(vec3(a.xpos.data(), 1), vec3(b.xpos.data(), 3), kRounding));
  EXPECT_TRUE(allNear(mat3(a.xmat.data(), 1), mat3(b.xmat.data(), 3), kRounding));
  EXPECT_TRUE(allNear(a.xanchor, b.xanchor, kRounding));
  EXPECT_TRUE(allNear(a.xaxis, b.xaxis, kRounding));
}

TEST(Kinematics, UnnormalizedQuaternionsInQposTurnLikeTheirUnitQuaternionAndAreLeftAlone) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body>
    <body><joint type="ball" pos="0.5 0 0"/><geom size="0.1"/></body></worldbody></mujoco>)");
  Data d(m);
  const double quat[4] = {0.3, -0.4, 1.2, 0.1};
  for (int i = 0; i < 4; ++i) d.qpos[3 + i] = d.qpos[7 + i] = quat[i];
  const Array<double> before = d.qpos;
  kinematics(m, d);
  EXPECT_EQ(d.qpos, before);
  for (int body = 1; body <= 2; ++body) {
    EXPECT_TRUE(allNear(mat3(d.xmat.data(), body), toMatrix(normalized(Quat::load(quat))), kRounding));
  }
  const Vec3 anchor(0.5, 0, 0);  // stays in place
  EXPECT_TRUE(allNear(vec3(d.xpos.data(), 2), anchor - rotate(normalized(Quat::load(quat)), anchor), kRounding));
}

TEST(Kinematics, MocapBodiesAreWhereTheUserPutsThemAndCarryTheirChildren) {
  const Model m = modelOf(R"(<mujoco><worldbody><body mocap="true" pos="1 1 1"><geom size="0.1"/>
    <body pos="0 0 1"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></body></worldbody></mujoco>)");
  Data d(m);
  vec3(d.mocap_pos.data(), 0) = Vec3(3, 2, 1);
  Quat{2, 2, 0, 0}.store(d.mocap_quat.data());  // a quarter turn about x, times two
  d.qpos[0] = 0.5;
  kinematics(m, d);
  EXPECT_TRUE(allNear(vec3(d.xpos.data(), 1), Vec3(3, 2, 1), kRounding));
  EXPECT_TRUE(allNear(vec3(d.xpos.data(), 2), Vec3(3.5, 1, 1), kRounding));
}

TEST(Kinematics, FramesThatCoincideWithTheBodyHaveItsPoseBitForBit) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><freejoint/><geom name="same" size="0.1 0.2 0.3" type="box"/>
    <geom size="0.1" pos="0.2 0 0"/><geom size="0.1" pos="-0.2 0 0"/><site name="near" pos="0 1e-8 0"/>
    <site pos="0.1 0 0" quat="1 0 1e-8 0"/></body></worldbody></mujoco>)");
  Data d(m);
  test::randomizeState(m, d, 2);
  kinematics(m, d);
  const Mat3 R = mat3(d.xmat.data(), 1);
  const Vec3 p = vec3(d.xpos.data(), 1);
  EXPECT_EQ(mat3(d.geom_xmat.data(), 0), R);
  EXPECT_EQ(vec3(d.geom_xpos.data(), 0), p);
  EXPECT_EQ(vec3(d.site_xpos.data(), 0), p);  // within 1e-6 of the body frame: snapped
  EXPECT_EQ(mat3(d.site_xmat.data(), 1), R);
  EXPECT_TRUE(allNear(vec3(d.geom_xpos.data(), 1), p + 0.2 * R.col(0), kRounding));
}

TEST(Kinematics, CentreOfMassOfASubtreeIsTheMeanOfItsBodiesWeightedByMass) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 8));
    Data d(m);
    test::randomizeState(m, d, seed);
    kinematics(m, d);
    comPos(m, d);
    for (int i = 0; i < m.nbody; ++i) {
      Vec3 moment = Vec3::Zero();
      double mass = 0;
      for (int j = i; j < m.nbody; ++j) {
        int ancestor = j;
        while (ancestor > i) ancestor = m.body_parentid[ancestor];
        if (ancestor != i) continue;
        moment += m.body_mass[j] * vec3(d.xipos.data(), j);
        mass += m.body_mass[j];
      }
      EXPECT_TRUE(allNear(vec3(d.subtree_com.data(), i), moment / mass, kRounding)) << "body " << i;
    }
  }
}

// Central differences: error h^2 times third derivatives (order 10 to 100 for chains of this length and speed 2), plus
// rounding 1e-16 / h. With h = 1e-5 both stay below 1e-8.
constexpr double kStep = 1e-5;
constexpr double kDifference = 1e-7;

TEST(Kinematics, BodyVelocitiesAreTheRatesOfTheirPoses) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 9));
    Data d(m);
    test::randomizeState(m, d, seed);
    kinematics(m, d);
    comPos(m, d);
    comVel(m, d);
    const Data after = placed(m, test::movedAlong(m, d.qpos, d.qvel, kStep));
    const Data before = placed(m, test::movedAlong(m, d.qpos, d.qvel, -kStep));
    for (int i = 1; i < m.nbody; ++i) {
      const PointVelocity v = pointVelocity(m, d, i, vec3(d.xpos.data(), i));
      const Vec3 rate = (vec3(after.xpos.data(), i) - vec3(before.xpos.data(), i)) / (2 * kStep);
      const Mat3 turn = (mat3(after.xmat.data(), i) - mat3(before.xmat.data(), i)) / (2 * kStep);
      const Mat3 spin = turn * mat3(d.xmat.data(), i).transpose();  // dR/dt R' = [w]x
      EXPECT_TRUE(allNear(v.linear, rate, kDifference)) << "seed " << seed << " body " << i;
      EXPECT_TRUE(allNear(crossMatrix(v.angular), spin, kDifference)) << "seed " << seed << " body " << i;
    }
  }
}

TEST(Kinematics, WithConstantJointVelocitiesBodyAccelerationsAreTheRatesOfTheirVelocities) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Model m = modelOf(test::randomTree(seed, 9));
    m.opt.gravity = {0, 0, 0};
    Data d(m);
    test::randomizeState(m, d, seed);
    const auto moving = [&](double h) {
      Data at = placed(m, test::movedAlong(m, d.qpos, d.qvel, h));
      at.qvel = d.qvel;
      comVel(m, at);
      return at;
    };
    Data now = moving(0);
    bodyForces(m, now);  // qacc = 0
    const Data after = moving(kStep), before = moving(-kStep);
    for (int i = 1; i < m.nbody; ++i) {
      const PointVelocity a = pointAcceleration(m, now, i, vec3(now.xipos.data(), i));
      const PointVelocity v1 = pointVelocity(m, after, i, vec3(after.xipos.data(), i));
      const PointVelocity v0 = pointVelocity(m, before, i, vec3(before.xipos.data(), i));
      EXPECT_TRUE(allNear(a.linear, (v1.linear - v0.linear) / (2 * kStep), kDifference)) << "seed " << seed;
      EXPECT_TRUE(allNear(a.angular, (v1.angular - v0.angular) / (2 * kStep), kDifference)) << "seed " << seed;
    }
  }
}

TEST(Kinematics, SubtreeVelocitiesAreMomentumOfItsBodiesAboutItsCentre) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 8));
    Data d(m);
    test::randomizeState(m, d, seed);
    kinematics(m, d);
    comPos(m, d);
    comVel(m, d);
    subtreeVelocities(m, d);
    for (int i = 0; i < m.nbody; ++i) {
      const Vec3 com = vec3(d.subtree_com.data(), i);
      Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
      for (int j = i; j < m.nbody; ++j) {
        int ancestor = j;
        while (ancestor > i) ancestor = m.body_parentid[ancestor];
        if (ancestor != i) continue;
        const PointVelocity v = pointVelocity(m, d, j, vec3(d.xipos.data(), j));
        const Mat3 R = mat3(d.ximat.data(), j);
        const Mat3 inertia = R * Vec3(vec3(m.body_inertia.data(), j)).asDiagonal() * R.transpose();
        momentum += m.body_mass[j] * v.linear;
        angular += inertia * v.angular + m.body_mass[j] * (vec3(d.xipos.data(), j) - com).cross(v.linear);
      }
      EXPECT_TRUE(allNear(vec3(d.subtree_linvel.data(), i), momentum / m.body_subtreemass[i], kRounding));
      EXPECT_TRUE(allNear(vec3(d.subtree_angmom.data(), i), angular, 1e-11)) << "body " << i;
    }
  }
}

// Momentum is the sum over all parts, and a node belongs to the body it was declared in.
TEST(Kinematics, SubtreeVelocitiesCountTheNodesOfFlexes) {
  const Model m = modelOf(R"(<mujoco><worldbody>
    <flexcomp name="sheet" type="grid" dim="2" count="3 4 1" spacing=".1 .1 .1" mass=".6" pos="1 2 3"><edge equality="true"/></flexcomp>
    <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" mass="2"/>
      <flexcomp name="tail" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" mass=".5"><edge equality="true"/></flexcomp>
    </body></worldbody></mujoco>)");
  ASSERT_EQ(m.nflexnode, 17);
  Data d(m);
  test::randomizeState(m, d, 7);
  kinematics(m, d);
  comPos(m, d);
  comVel(m, d);
  subtreeVelocities(m, d);
  for (const int body : {0, 1}) {
    const Vec3 com = vec3(d.subtree_com.data(), body);
    const PointVelocity v = pointVelocity(m, d, 1, vec3(d.xipos.data(), 1));
    const Mat3 R = mat3(d.ximat.data(), 1);
    const Mat3 inertia = R * Vec3(vec3(m.body_inertia.data(), 1)).asDiagonal() * R.transpose();
    Vec3 momentum = m.body_mass[1] * v.linear;
    Vec3 angular = inertia * v.angular + (vec3(d.xipos.data(), 1) - com).cross(momentum);
    double mass = m.body_mass[1];
    for (int n = 0; n < m.nflexnode; ++n) {
      if (body == 1 && m.flexnode_bodyid[n] != 1) continue;
      const Vec3 x = ConstMapVec3(d.qpos.data() + m.nq_rigid + 3 * n);
      const Vec3 p = m.flexnode_mass[n] * ConstMapVec3(d.qvel.data() + m.nv_rigid + 3 * n);
      momentum += p;
      angular += (x - com).cross(p);
      mass += m.flexnode_mass[n];
    }
    EXPECT_TRUE(allNear(vec3(d.subtree_linvel.data(), body), momentum / mass, kRounding)) << body;
    EXPECT_TRUE(allNear(vec3(d.subtree_angmom.data(), body), angular, 1e-11)) << body;
  }
}

TEST(Cameras, LookWhereTheirModeSays) {
  const Model m = modelOf(R"(<mujoco><worldbody>
    <camera pos="1 2 3" mode="targetbody" target="ball"/><camera pos="1 2 3" mode="targetbodycom" target="arm"/>
    <body name="arm" pos="0 0 1"><joint axis="0 1 0"/><geom size="0.1" pos="1 0 0"/>
      <camera pos="0 0 0.3" euler="10 20 30"/><camera pos="0 0 0.3" euler="10 20 30" mode="track"/>
      <camera pos="0 0 0.3" euler="10 20 30" mode="trackcom"/></body>
    <body name="ball" pos="0 0 4"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)");
  Data start(m), d(m);
  test::randomizeState(m, d, 3);
  for (Data* data : {&start, &d}) {
    kinematics(m, *data);
    comPos(m, *data);
    cameras(m, *data);
  }
  const int arm = findId(m, ObjType::Body, "arm"), ball = findId(m, ObjType::Body, "ball");
  for (int cam = 0; cam < 2; ++cam) {
    const Vec3 target = cam == 0 ? vec3(d.xpos.data(), ball) : vec3(d.subtree_com.data(), arm);
    const Mat3 R = mat3(d.cam_xmat.data(), cam);
    EXPECT_TRUE(allNear(-R.col(2), (target - Vec3(1, 2, 3)).normalized(), kRounding));
    EXPECT_NEAR(R(2, 0), 0, tolerance(kRounding)) << "x is horizontal";
    EXPECT_TRUE(allNear(R * R.transpose(), Mat3::Identity(), kRounding));
  }
  // fixed: turns with the body
  const Mat3 turn = mat3(d.xmat.data(), arm) * mat3(start.xmat.data(), arm).transpose();
  EXPECT_TRUE(allNear(mat3(d.cam_xmat.data(), 2), turn * mat3(start.cam_xmat.data(), 2), kRounding));
  // tracking: keeps its orientation and its distance from the body or its subtree's centre
  for (int cam = 3; cam < 5; ++cam) {
    EXPECT_TRUE(allNear(vec3(start.cam_xpos.data(), cam), vec3(start.cam_xpos.data(), 2), kRounding));
    EXPECT_TRUE(allNear(mat3(start.cam_xmat.data(), cam), mat3(start.cam_xmat.data(), 2), kRounding));
    EXPECT_TRUE(allNear(mat3(d.cam_xmat.data(), cam), mat3(start.cam_xmat.data(), cam), kRounding));
    const auto point = [&](const Data& data) {
      return Vec3(cam == 3 ? vec3(data.xpos.data(), arm) : vec3(data.subtree_com.data(), arm));
    };
    EXPECT_TRUE(
        allNear(vec3(d.cam_xpos.data(), cam) - point(d), vec3(start.cam_xpos.data(), cam) - point(start), kRounding));
  }
}

}  // namespace
}  // namespace sinew
