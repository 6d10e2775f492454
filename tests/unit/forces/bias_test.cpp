#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "forces/forces.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
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

void computeMotion(const Model& m, Data& d) {
  kinematics(m, d);
  comPos(m, d);
  tendons(m, d);
  massMatrix(m, d);
  comVel(m, d);
}

Data moving(const Model& m, unsigned seed) {
  Data d(m);
  test::randomizeState(m, d, seed);
  computeMotion(m, d);
  return d;
}

TEST(Bias, OfARestingPendulumIsItsGravitationalTorque) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 -10"/><worldbody><body><joint axis="0 1 0"/>
    <inertial pos="0.5 0 0" mass="3" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qpos[0] = 0.3;  // positive rotation about y lowers the tip: gravity pulls along +q, the bias opposes it
  computeMotion(m, d);
  bias(m, d);
  EXPECT_NEAR(d.qfrc_bias[0], -3 * 10 * 0.5 * std::cos(0.3), tolerance(1e-13));
}

TEST(Bias, OfASpinningBodyIsTheGyroscopicTorqueInItsOwnAxes) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/>
    <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>)");
  Data d = moving(m, 7);
  bias(m, d);
  const Vec3 w(d.qvel[3], d.qvel[4], d.qvel[5]);
  const Vec3 torque = w.cross(Vec3(0.1 * w.x(), 0.2 * w.y(), 0.25 * w.z()));
  EXPECT_TRUE(allNear(vec3(d.qfrc_bias.data(), 0), Vec3::Zero(), 1e-14));
  EXPECT_TRUE(allNear(vec3(d.qfrc_bias.data(), 1), torque, 1e-14));
}

TEST(Bias, OfGravityIsTheWeightOfTheBodiesMappedThroughTheirJacobians) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Model m = modelOf(test::randomTree(seed, 9));
    m.opt.gravity = {1, 2, -9};
    Data d(m);
    test::randomizeState(m, d, seed);
    for (double& v : d.qvel) v = 0;
    computeMotion(m, d);
    VecX expected = VecX::Zero(m.nv);
    for (int i = 1; i < m.nbody; ++i) {
      addForce(m, d, i, vec3(d.xipos.data(), i), -m.body_mass[i] * Vec3(1, 2, -9), Vec3::Zero(), expected.data());
    }
    bias(m, d);
    EXPECT_TRUE(allNear(ConstMapVecX(d.qfrc_bias.data(), m.nv), expected, 1e-12)) << "seed " << seed;

    m.opt.disableflags |= disable::kGravity;
    bias(m, d);
    EXPECT_TRUE(allNear(ConstMapVecX(d.qfrc_bias.data(), m.nv), VecX::Zero(m.nv), 0));
  }
}

// With qacc = 0 only the bias force feeds the motion: v'c = d/dt (1/2 v'Mv) = 1/2 v' (dM/dt) v. Tendon armature is part
// of M, so its velocity-product term is covered too. Central differences with h = 1e-5, energies of order 10 to 100.
void expectBiasKeepsTheEnergyBalance(const std::string& text, unsigned seed) {
  Model m = modelOf(text);
  m.opt.gravity = {0, 0, 0};
  Data d = moving(m, seed);
  bias(m, d);
  const double h = 1e-5;
  double energy[2];
  for (int k = 0; k < 2; ++k) {
    Data other(m);
    other.qpos = test::movedAlong(m, d.qpos, d.qvel, k == 0 ? -h : h);
    other.qvel = d.qvel;
    computeMotion(m, other);
    VecX momentum(m.nv);
    multiplyMass(m, other, d.qvel.data(), momentum.data());
    energy[k] = 0.5 * momentum.dot(ConstMapVecX(d.qvel.data(), m.nv));
  }
  const double power = ConstMapVecX(d.qvel.data(), m.nv).dot(ConstMapVecX(d.qfrc_bias.data(), m.nv));
  EXPECT_NEAR(power, (energy[1] - energy[0]) / (2 * h), tolerance(1e-6)) << "seed " << seed;
}

TEST(Bias, DoesTheWorkByWhichTheKineticEnergyChanges) {
  for (unsigned seed = 1; seed <= 10; ++seed) expectBiasKeepsTheEnergyBalance(test::randomTree(seed, 9), seed);
}

const char* const kTendonWithArmature = R"(<mujoco><worldbody><site name="w" pos="0.3 0.2 1"/>
  <body><joint axis="0 1 0"/><joint axis="0 0 1" pos="0.1 0.1 0"/><geom size="0.1" pos="0.3 0 0"/>
    <body pos="1 0 0"><joint type="ball"/><geom size="0.1" pos="0.2 0.1 0"/><site name="s" pos="0.5 0 0.2"/>
      <body pos="0 0 0.4"><joint type="slide" axis="1 1 0"/><geom size="0.1"/><site name="r" pos="0.1 0.3 0"/></body>
    </body></body></worldbody>
  <tendon><spatial name="t" armature="0.7"><site site="w"/><site site="s"/><pulley divisor="2"/><site site="s"/>
    <site site="r"/><pulley divisor="3"/><site site="w"/><site site="r"/></spatial></tendon>
  <actuator><motor tendon="t" gear="2" armature="0.3"/></actuator></mujoco>)";

TEST(Bias, OfTendonArmatureDoesTheWorkByWhichItsKineticEnergyChanges) {
  for (unsigned seed = 1; seed <= 5; ++seed) expectBiasKeepsTheEnergyBalance(kTendonWithArmature, seed);
}

TEST(Bias, OfTendonArmatureIsArmatureTimesTheRateOfTheJacobianTimesVelocity) {
  const Model m = modelOf(kTendonWithArmature);
  const Data d = moving(m, 3);
  const double h = 1e-5;
  VecX rate = VecX::Zero(m.nv);
  for (const double sign : {-1.0, 1.0}) {
    Data other(m);
    other.qpos = test::movedAlong(m, d.qpos, d.qvel, sign * h);
    computeMotion(m, other);
    rate += sign / (2 * h) * ConstMapVecX(other.ten_J.data(), m.nv);
  }
  const ConstMapVecX J(d.ten_J.data(), m.nv), v(d.qvel.data(), m.nv);
  VecX qfrc = VecX::Zero(m.nv);
  addTendonArmatureBias(m, d, qfrc.data());
  EXPECT_TRUE(allNear(qfrc, VecX((0.7 + 4 * 0.3) * J * rate.dot(v)), 1e-7));
}

TEST(NewtonEuler, IsMassTimesAccelerationPlusBias) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 9));
    Data d = moving(m, seed);
    const VecX a = VecX::LinSpaced(m.nv, -3, 2);
    VecX Ma(m.nv), force(m.nv), c(m.nv);
    multiplyMass(m, d, a.data(), Ma.data());
    newtonEuler(m, d, a.data(), force.data());
    newtonEuler(m, d, nullptr, c.data());
    EXPECT_TRUE(allNear(force, VecX(Ma + c), 1e-11)) << "seed " << seed;
  }
}

// What passes through a joint, seen along its own axes, is the force that the dof must exert: Newton-Euler less the
// share of the forces applied from outside.
TEST(BodyForces, OfJointsProjectOnTheirAxesToTheForceTheDofExerts) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 9));
    Data d = moving(m, seed);
    for (int i = 0; i < m.nv; ++i) d.qacc[i] = 0.5 * i - 2;
    bodyForces(m, d);
    VecX expected(m.nv);
    newtonEuler(m, d, d.qacc.data(), expected.data());
    VecX applied = VecX::Zero(m.nv);
    for (int i = 1; i < m.nbody; ++i) {
      const double* f = &d.xfrc_applied[6 * i];
      addForce(m, d, i, vec3(d.xipos.data(), i), vec3(f, 0), vec3(f, 1), applied.data());
    }
    VecX projected(m.nv);
    for (int i = 0; i < m.nv; ++i) projected[i] = dot6(&d.cdof[6 * i], &d.cfrc_int[6 * m.dof_bodyid[i]]);
    EXPECT_TRUE(allNear(projected, VecX(expected - applied), 1e-11)) << "seed " << seed;
  }
}

TEST(BodyForces, OfARestingStackCarryTheWeightAbove) {
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 -10"/><worldbody>
    <body><geom size="0.1" mass="1"/><body pos="0 0 1"><joint/><geom size="0.1" mass="2"/>
      <body pos="0 0 1"><geom size="0.1" mass="4"/></body></body></body></worldbody></mujoco>)");
  Data d(m);
  computeMotion(m, d);
  bodyForces(m, d);
  for (int body = 1; body <= 3; ++body) {
    const double weight = 10 * m.body_subtreemass[body];
    EXPECT_TRUE(allNear(linear(&d.cfrc_int[6 * body]), Vec3(0, 0, weight), 1e-12)) << "body " << body;
  }
  EXPECT_TRUE(allNear(pointAcceleration(m, d, 2, Vec3(0, 0, 1)).linear, Vec3(0, 0, 10), 1e-12));
  // a body that nothing moves reports no acceleration, not even gravity's
  EXPECT_EQ(pointAcceleration(m, d, 1, Vec3::Zero()).linear, Vec3::Zero());
}

TEST(BodyForces, NothingIsFeltInFreeFall) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qacc[2] = -9.81;
  computeMotion(m, d);
  bodyForces(m, d);
  EXPECT_TRUE(allNear(vec6(d.cacc.data(), 1), Vec6::Zero(), 1e-14));
  EXPECT_TRUE(allNear(vec6(d.cfrc_int.data(), 1), Vec6::Zero(), 1e-14));
}

TEST(BodyForces, AppliedWrenchesAreReportedAboutTheTreesCentreOfMass) {
  const Model m = modelOf(test::randomTree(3, 6));
  Data d = moving(m, 3);
  bodyForces(m, d);
  for (int i = 1; i < m.nbody; ++i) {
    const double* f = &d.xfrc_applied[6 * i];
    const Vec3 force = vec3(f, 0), torque = vec3(f, 1);
    const Vec3 arm = vec3(d.xipos.data(), i) - vec3(d.subtree_com.data(), m.body_rootid[i]);
    EXPECT_TRUE(allNear(linear(&d.cfrc_ext[6 * i]), force, 1e-14));
    EXPECT_TRUE(allNear(angular(&d.cfrc_ext[6 * i]), torque + arm.cross(force), 1e-13));
  }
}

}  // namespace
}  // namespace sinew
