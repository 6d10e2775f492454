#include "inertia/inertia.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "forces/forces.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "math/spatial.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using Eigen::MatrixXd;
using test::allNear;
using test::modelOf;
using test::tolerance;

// Rounding of sums over up to ten bodies of mass and size near one, some tens in value.
constexpr double kRounding = 1e-12;

Data computed(const Model& m, unsigned seed) {
  Data d(m);
  test::randomizeState(m, d, seed);
  kinematics(m, d);
  comPos(m, d);
  tendons(m, d);
  massMatrix(m, d);
  factorMass(m, d);
  comVel(m, d);
  return d;
}

MatrixXd denseMass(const Model& m, const Data& d) {
  MatrixXd M = MatrixXd::Zero(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = 0; k < m.M_rownnz[i]; ++k) {
      const int j = m.M_colind[m.M_rowadr[i] + k];
      M(i, j) = M(j, i) = d.M[m.M_rowadr[i] + k];
    }
  }
  return M;
}

TEST(MassMatrix, HasAsColumnsTheForcesOfUnitAccelerations) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Model m = modelOf(test::randomTree(seed, 10));
    m.opt.gravity = {0, 0, 0};
    Data d(m);
    test::randomizeState(m, d, seed);
    for (double& v : d.qvel) v = 0;
    kinematics(m, d);
    comPos(m, d);
    comVel(m, d);
    massMatrix(m, d);
    const MatrixXd M = denseMass(m, d);
    for (int i = 0; i < m.nv; ++i) {
      const VecX unit = VecX::Unit(m.nv, i);
      VecX column(m.nv);
      newtonEuler(m, d, unit.data(), column.data());
      EXPECT_TRUE(allNear(M.col(i), column, kRounding)) << "seed " << seed << " dof " << i;
    }
  }
}

TEST(MassMatrix, GivesTheKineticEnergyOfTheBodies) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 10));
    const Data d = computed(m, seed);
    double energy = 0;
    for (int i = 1; i < m.nbody; ++i) {
      const PointVelocity v = pointVelocity(m, d, i, vec3(d.xipos.data(), i));
      const Vec3 spin = mat3(d.ximat.data(), i).transpose() * v.angular;
      const Vec3 moments = vec3(m.body_inertia.data(), i);
      energy += 0.5 * m.body_mass[i] * v.linear.squaredNorm() + 0.5 * spin.cwiseAbs2().dot(moments);
    }
    VecX momentum(m.nv);
    multiplyMass(m, d, d.qvel.data(), momentum.data());
    EXPECT_NEAR(0.5 * momentum.dot(ConstMapVecX(d.qvel.data(), m.nv)), energy, tolerance(1e-13 * energy));
  }
}

TEST(MassMatrix, OfAFreeBodyWithAlignedInertiaIsItsMassAndMomentsInEveryPose) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><freejoint/>
    <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>)");
  const Data d = computed(m, 4);
  ASSERT_EQ(m.nM, 6);
  const double expected[6] = {2, 2, 2, 0.1, 0.2, 0.25};
  EXPECT_TRUE(allNear(d.M, expected, 1e-14));
}

TEST(MassMatrix, ArmatureOfJointsAndOfTheirActuatorsTimesGearSquaredStandsOnTheDiagonal) {
  const auto text = [](const std::string& armature, const std::string& actuators) {
    return "<mujoco><worldbody><body><joint name='a' axis='0 1 0'" + armature +
           "/><geom size='0.1' pos='0.5 0 0'/><body pos='1 0 0'><joint name='b' type='ball'" + armature +
           "/><geom size='0.1' pos='0.5 0 0'/></body></body></worldbody><actuator>" + actuators +
           "</actuator></mujoco>";
  };
  const Model bare = modelOf(text("", ""));
  const Model m = modelOf(text(" armature='0.3'",
                               "<motor joint='a' gear='3' armature='0.1'/><motor joint='a' gear='2' armature='0.2'/>"
                               "<motor jointinparent='b' gear='2 0 0' armature='0.5'/>"));
  const MatrixXd added = denseMass(m, computed(m, 5)) - denseMass(bare, computed(bare, 5));
  VecX expected(4);
  expected << 0.3 + 9 * 0.1 + 4 * 0.2, 2.3, 2.3, 2.3;
  EXPECT_TRUE(allNear(added, MatrixXd(expected.asDiagonal()), kRounding));
}

TEST(MassMatrix, TendonArmatureAddsTheOuterProductOfItsJacobian) {
  const auto text = [](const std::string& armature, const std::string& motorArmature) {
    return R"(<mujoco><worldbody><site name="w" pos="0.3 0.2 1"/><body><joint axis="0 1 0"/><geom size="0.1"/>
      <body pos="1 0 0"><joint type="ball"/><geom size="0.1" pos="0.2 0 0"/><site name="s" pos="0.5 0 0.2"/></body></body>
      </worldbody><tendon><spatial name="t")" +
           armature + R"(><site site="w"/><site site="s"/></spatial></tendon>
      <actuator><motor tendon="t" gear="2")" +
           motorArmature + "/></actuator></mujoco>";
  };
  const Model bare = modelOf(text("", ""));
  const Model m = modelOf(text(" armature='0.7'", " armature='0.2'"));
  const Data d = computed(m, 6);
  const ConstMapVecX J(d.ten_J.data(), m.nv);  // the tendon hangs on every dof
  const MatrixXd added = denseMass(m, d) - denseMass(bare, computed(bare, 6));
  EXPECT_TRUE(allNear(added, MatrixXd((0.7 + 4 * 0.2) * J * J.transpose()), kRounding));
}

TEST(MassFactor, ReproducesTheMatrixAndSolves) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model m = modelOf(test::randomTree(seed, 10));
    const Data d = computed(m, seed);
    const MatrixXd M = denseMass(m, d);
    MatrixXd L = MatrixXd::Identity(m.nv, m.nv);
    VecX D(m.nv);
    for (int i = 0; i < m.nv; ++i) {
      const int last = m.M_rowadr[i] + m.M_rownnz[i] - 1;
      for (int k = m.M_rowadr[i]; k < last; ++k) L(i, m.M_colind[k]) = d.qLD[k];
      D[i] = d.qLD[last];
      EXPECT_EQ(d.qLDiagInv[i], 1 / D[i]);
      EXPECT_GT(D[i], 0);
    }
    EXPECT_TRUE(allNear(L.transpose() * D.asDiagonal() * L, M, kRounding)) << "seed " << seed;

    const VecX x = VecX::LinSpaced(m.nv, -1, 2);
    VecX y(m.nv);
    multiplyMass(m, d, x.data(), y.data());
    EXPECT_TRUE(allNear(y, M * x, kRounding));
    solveMass(m, d, y.data());
    EXPECT_TRUE(allNear(y, x, 1e-10)) << "seed " << seed;  // condition numbers up to some thousands
  }
}

TEST(MassFactor, PivotsThatAreNotPositiveAreReplacedAndCounted) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/>
    <body pos="1 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body></body></worldbody></mujoco>)");
  Data d = computed(m, 1);
  EXPECT_TRUE(d.status.ok());
  for (const double pivot : {-1.0, std::nan("")}) {
    d = computed(m, 1);
    d.time = 3;
    d.M[m.M_rowadr[1] + m.M_rownnz[1] - 1] = pivot;
    factorMass(m, d);
    factorMass(m, d);
    EXPECT_EQ(d.status[Trouble::Inertia].count, 2);
    EXPECT_EQ(d.status[Trouble::Inertia].first, 1);
    EXPECT_EQ(d.status[Trouble::Inertia].time, 3);
    EXPECT_EQ(d.qLDiagInv[1], 1 / kMinVal);
  }
}

}  // namespace
}  // namespace sinew
