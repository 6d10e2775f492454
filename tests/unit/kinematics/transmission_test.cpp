#include <gtest/gtest.h>

#include <string>

#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using test::tolerance;

const char* const kWorld =
    R"(<mujoco><compiler angle="radian"/><worldbody><site name="w" pos="0 0 1" euler="0.2 0.4 0.6"/>
  <body name="b" pos="0 0 0.5"><joint name="ball" type="ball"/><geom size="0.1" pos="0.3 0 0"/>
    <body pos="0.6 0 0"><joint name="hinge" axis="0 1 0" pos="-0.1 0 0"/><joint name="slide" type="slide" axis="1 0.3 0"/>
      <geom size="0.1" pos="0.1 0 0.1"/><site name="s" pos="0 0 0.1" euler="0.3 0.5 0.7"/>
      <body pos="0.3 0.1 0.2"><joint axis="0 1 0"/><geom size="0.05" pos="0.1 0 0"/><site name="c" pos="0 0 0.1" euler="-0.4 0 0"/></body>
      <body pos="0.3 0.1 -0.2"><joint axis="0 1 0.3"/><geom size="0.05" pos="0.1 0 0"/><site name="d" pos="0 0.1 0.1"/></body>
    </body></body>
  <body pos="2 0 2"><freejoint name="free"/><geom type="box" size="0.1 0.2 0.3"/><site name="f" pos="0 0 0.1"/></body>
  </worldbody><tendon><spatial name="t"><site site="w"/><site site="c"/></spatial></tendon>
  <actuator>)";

Model withActuators(const std::string& actuators) { return modelOf(kWorld + actuators + "</actuator></mujoco>"); }

void compute(const Model& m, Data& d) {
  kinematics(m, d);
  comPos(m, d);
  tendons(m, d);
  transmissions(m, d);
  comVel(m, d);
  velocities(m, d);
}

Data randomState(const Model& m, unsigned seed) {
  Data d(m);
  test::randomizeState(m, d, seed);
  compute(m, d);
  return d;
}

VecX denseMoment(const Model& m, const Data& d, int u) {
  VecX row = VecX::Zero(m.nv);
  for (int k = 0; k < d.moment_rownnz[u]; ++k) {
    row[d.moment_colind[d.moment_rowadr[u] + k]] += d.actuator_moment[d.moment_rowadr[u] + k];
  }
  return row;
}

int jointId(const Model& m, const char* name) { return findId(m, ObjType::Joint, name); }
int siteId(const Model& m, const char* name) { return findId(m, ObjType::Site, name); }

int referenceBody(const Model& m, int u) { return m.site_bodyid[m.actuator_trnid[2 * u + 1]]; }
bool movesBody(const Model& m, int dof, int body) {
  int i = lastDof(m, body);
  while (i > dof) i = m.dof_parentid[i];
  return i == dof;
}

// Where the length is a function of the configuration, the moment is its derivative. Central differences, h = 1e-6:
// lengths bend with second derivatives of order 10 (100 near the dead points of a crank), so the error is below 1e-8.
// The offset from a reference site is measured in axes that may turn; their turning is not part of the moment, so dofs
// that move the reference are left out.
TEST(Transmission, MomentsAreTheDerivativesOfLengths) {
  const Model m = withActuators(R"(<motor joint="hinge" gear="3"/><motor joint="slide" gear="-2"/>
    <motor tendon="t" gear="2"/>
    <general cranksite="c" slidersite="s" cranklength="0.8" gear="2"/>
    <general cranksite="d" slidersite="w" cranklength="1.6"/>
    <general cranksite="d" slidersite="w" cranklength="0.01"/>
    <general cranksite="f" slidersite="c" cranklength="5"/>
    <motor site="c" refsite="d" gear="1 2 3 0 0 0"/><motor site="c" refsite="f" gear="1 2 3 0 0 0"/>)");
  const double h = 1e-6;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Data d = randomState(m, seed);
    for (int i = 0; i < m.nv; ++i) {
      Data after(m), before(m);
      after.qpos = test::movedAlong(m, d.qpos, i, h);
      before.qpos = test::movedAlong(m, d.qpos, i, -h);
      compute(m, after);
      compute(m, before);
      for (int u = 0; u < m.nu; ++u) {
        const double rate = (after.actuator_length[u] - before.actuator_length[u]) / (2 * h);
        if (m.actuator_trntype[u] == TransmissionType::Site && movesBody(m, i, referenceBody(m, u))) continue;
        EXPECT_NEAR(denseMoment(m, d, u)[i], rate, tolerance(1e-7)) << "actuator " << u << " dof " << i;
      }
    }
  }
}

TEST(Transmission, LengthsAreWhatTheyClaim) {
  const Model m = withActuators(R"(<motor joint="hinge" gear="3"/><motor tendon="t" gear="2"/>
    <motor joint="ball" gear="1 2 3"/><motor joint="free" gear="1 2 3 4 5 6"/><motor site="s" gear="1 2 3 4 5 6"/>
    <motor site="c" refsite="w" gear="1 2 3 0 0 0"/>
    <general cranksite="c" slidersite="s" cranklength="0.8" gear="2"/>)");
  const Data d = randomState(m, 2);
  EXPECT_EQ(d.actuator_length[0], 3 * d.qpos[m.jnt_qposadr[jointId(m, "hinge")]]);
  EXPECT_EQ(d.actuator_length[1], 2 * d.ten_length[0]);
  const Vec3 rotation = toRotationVector(normalized(Quat::load(&d.qpos[m.jnt_qposadr[jointId(m, "ball")]])));
  EXPECT_NEAR(d.actuator_length[2], rotation.dot(Vec3(1, 2, 3)), tolerance(1e-14));
  EXPECT_EQ(d.actuator_length[3], 0);
  EXPECT_EQ(d.actuator_length[4], 0);
  const Vec3 c = vec3(d.site_xpos.data(), siteId(m, "c")), w = vec3(d.site_xpos.data(), siteId(m, "w"));
  const Vec3 offset = mat3(d.site_xmat.data(), siteId(m, "w")).transpose() * (c - w);
  EXPECT_NEAR(d.actuator_length[5], offset.dot(Vec3(1, 2, 3)), tolerance(1e-14));
  // the rod's other end lies on the slider axis, a rod length away from the crank
  const Vec3 s = vec3(d.site_xpos.data(), siteId(m, "s"));
  const Vec3 end = s + d.actuator_length[6] / 2 * mat3(d.site_xmat.data(), siteId(m, "s")).col(2);
  EXPECT_NEAR((c - end).norm(), 0.8, tolerance(1e-14));
}

TEST(Transmission, ToASiteIsAWrenchFixedToIt) {
  const Model m = withActuators(R"(<motor site="c" gear="1 2 3 4 5 6"/>)");
  const Data d = randomState(m, 4);
  const int site = siteId(m, "c");
  const Mat3 R = mat3(d.site_xmat.data(), site);
  const PointVelocity v = pointVelocity(m, d, m.site_bodyid[site], vec3(d.site_xpos.data(), site));
  const double power = (R * Vec3(1, 2, 3)).dot(v.linear) + (R * Vec3(4, 5, 6)).dot(v.angular);
  EXPECT_NEAR(d.actuator_velocity[0], power, tolerance(1e-13));
}

TEST(Transmission, ToASiteWithReferenceActsOnlyBetweenThem) {
  const Model m = withActuators(R"(<motor site="c" refsite="d" gear="1 2 3 4 5 6"/>
    <motor site="c" refsite="f" gear="0 0 0 4 5 6"/>)");
  const Data d = randomState(m, 5);
  const int c = m.site_bodyid[siteId(m, "c")], dd = m.site_bodyid[siteId(m, "d")];
  const VecX moment = denseMoment(m, d, 0);
  for (int i = 0; i < m.nv; ++i) {
    const bool between = m.dof_bodyid[i] == c || m.dof_bodyid[i] == dd;
    EXPECT_EQ(moment[i] != 0, between) << "dof " << i;
  }
  // the torque is felt by the relative spin, in the axes of the reference site
  const int f = siteId(m, "f");
  const Vec3 spin =
      pointVelocity(m, d, c, Vec3::Zero()).angular - pointVelocity(m, d, m.site_bodyid[f], Vec3::Zero()).angular;
  const Vec3 torque = mat3(d.site_xmat.data(), f) * Vec3(4, 5, 6);
  EXPECT_NEAR(d.actuator_velocity[1], torque.dot(spin), tolerance(1e-13));
}

TEST(Transmission, InParentTurnsTheGearIntoTheFrameOfTheDofs) {
  const Model m = withActuators(R"(<motor jointinparent="ball" gear="1 2 3"/>
    <motor jointinparent="free" gear="1 2 3 4 5 6"/><motor joint="ball" gear="1 2 3"/>
    <motor joint="free" gear="1 2 3 4 5 6"/>)");
  const Data d = randomState(m, 6);
  // the ball joint's parent is the world, so both torques are given in world axes
  const int ballBody = m.jnt_bodyid[jointId(m, "ball")], freeBody = m.jnt_bodyid[jointId(m, "free")];
  const Vec3 ballSpin = pointVelocity(m, d, ballBody, Vec3::Zero()).angular;
  const PointVelocity free = pointVelocity(m, d, freeBody, vec3(d.xpos.data(), freeBody));
  const double translation = Vec3(1, 2, 3).dot(free.linear);
  EXPECT_NEAR(d.actuator_velocity[0], Vec3(1, 2, 3).dot(ballSpin), tolerance(1e-13));
  EXPECT_NEAR(d.actuator_velocity[1], translation + Vec3(4, 5, 6).dot(free.angular), tolerance(1e-13));
  // without it they are given in the body's axes
  const Vec3 ballLocal = mat3(d.xmat.data(), ballBody).transpose() * ballSpin;
  const Vec3 freeLocal = mat3(d.xmat.data(), freeBody).transpose() * free.angular;
  EXPECT_NEAR(d.actuator_velocity[2], Vec3(1, 2, 3).dot(ballLocal), tolerance(1e-13));
  EXPECT_NEAR(d.actuator_velocity[3], translation + Vec3(4, 5, 6).dot(freeLocal), tolerance(1e-13));
}

TEST(Transmission, RowsHaveGrowingColumnsAndFollowEachOther) {
  const Model m = withActuators(R"(<motor joint="hinge"/><motor site="c" gear="1 2 3 4 5 6"/><motor tendon="t"/>
    <motor site="c" refsite="f" gear="1 2 3 4 5 6"/><adhesion body="b" ctrlrange="0 1"/>
    <general cranksite="d" slidersite="w" cranklength="1.6"/>)");
  const Data d = randomState(m, 7);
  int next = 0;
  for (int u = 0; u < m.nu; ++u) {
    EXPECT_EQ(d.moment_rowadr[u], next);
    next += d.moment_rownnz[u];
    for (int k = 1; k < d.moment_rownnz[u]; ++k) {
      EXPECT_LT(d.moment_colind[d.moment_rowadr[u] + k - 1], d.moment_colind[d.moment_rowadr[u] + k]);
    }
  }
  EXPECT_LE(next, m.nJmom);
  EXPECT_EQ(d.moment_rownnz[4], 0) << "adhesion without contacts";
}

}  // namespace
}  // namespace sinew
