#include "kinematics/jacobian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kinematics/kinematics.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/random_tree.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Data randomState(const Model& m, unsigned seed) {
  Data d(m);
  test::randomizeState(m, d, seed);
  kinematics(m, d);
  comPos(m, d);
  comVel(m, d);
  return d;
}

// Central differences with h = 1e-5: error below 1e-8, see kinematics_test.
TEST(Jacobian, OfASiteIsTheDerivativeOfItsPose) {
  const double h = 1e-5;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model m = test::modelOf(test::randomTree(seed, 7));
    const Data d = randomState(m, seed);
    const Eigen::Index nv = m.nv;
    for (int site = 0; site < m.nsite; ++site) {
      RowMatrix jacp(3, nv), jacr(3, nv);
      denseJacobian(m, d, m.site_bodyid[site], vec3(d.site_xpos.data(), site), jacp.data(), jacr.data());
      for (int i = 0; i < m.nv; ++i) {
        Data after(m), before(m);
        after.qpos = test::movedAlong(m, d.qpos, i, h);
        before.qpos = test::movedAlong(m, d.qpos, i, -h);
        kinematics(m, after);
        kinematics(m, before);
        const Vec3 rate = (vec3(after.site_xpos.data(), site) - vec3(before.site_xpos.data(), site)) / (2 * h);
        const Mat3 turn = (mat3(after.site_xmat.data(), site) - mat3(before.site_xmat.data(), site)) / (2 * h);
        EXPECT_TRUE(allNear(jacp.col(i), rate, 1e-8)) << "seed " << seed << " site " << site << " dof " << i;
        EXPECT_TRUE(allNear(crossMatrix(jacr.col(i)), turn * mat3(d.site_xmat.data(), site).transpose(), 1e-8));
      }
    }
  }
}

TEST(Jacobian, TimesVelocityIsThePointVelocityAndItsTransposeMapsForces) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model m = test::modelOf(test::randomTree(seed, 9));
    const Data d = randomState(m, seed);
    const ConstMapVecX v(d.qvel.data(), m.nv);
    for (int body = 0; body < m.nbody; ++body) {
      const Vec3 p(0.3, -0.2, 0.5), force(1, -2, 3), torque(-0.5, 0.4, 0.1);
      RowMatrix jacp(3, m.nv), jacr(3, m.nv);
      denseJacobian(m, d, body, p, jacp.data(), jacr.data());
      const PointVelocity velocity = pointVelocity(m, d, body, p);
      EXPECT_TRUE(allNear(jacp * v, velocity.linear, 1e-13));
      EXPECT_TRUE(allNear(jacr * v, velocity.angular, 1e-13));
      VecX qfrc = VecX::Ones(m.nv);
      addForce(m, d, body, p, force, torque, qfrc.data());
      const VecX expected = VecX::Ones(m.nv) + jacp.transpose() * force + jacr.transpose() * torque;
      EXPECT_TRUE(allNear(qfrc, expected, 1e-13));
    }
  }
}

TEST(Jacobian, HasColumnsExactlyForTheChainOfDofs) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model m = test::modelOf(test::randomTree(seed, 9));
    const Data d = randomState(m, seed);
    for (int body = 0; body < m.nbody; ++body) {
      std::vector<int> chain(static_cast<std::size_t>(m.nv));
      const int count = chainDofs(m, body, chain.data());
      ASSERT_EQ(count, chainLength(m, body));
      chain.resize(static_cast<std::size_t>(count));
      EXPECT_TRUE(std::is_sorted(chain.begin(), chain.end()));

      // a dof moves a body if its own body is an ancestor (or the body itself)
      std::vector<int> expected;
      for (int i = 0; i < m.nv; ++i) {
        int ancestor = body;
        while (ancestor > m.dof_bodyid[i]) ancestor = m.body_parentid[ancestor];
        if (ancestor == m.dof_bodyid[i]) expected.push_back(i);
      }
      EXPECT_EQ(chain, expected) << "seed " << seed << " body " << body;

      const Vec3 p(0.1, 0.2, 0.3);
      RowMatrix jacp(3, m.nv), jacr(3, m.nv);
      denseJacobian(m, d, body, p, jacp.data(), jacr.data());
      for (int i = 0; i < m.nv; ++i) {
        const bool moves = std::find(chain.begin(), chain.end(), i) != chain.end();
        const JacobianColumn column = jacobianColumn(m, d, i, p);
        EXPECT_TRUE(allNear(jacp.col(i), moves ? column.linear : Vec3::Zero(), 0));
        EXPECT_TRUE(allNear(jacr.col(i), moves ? column.angular : Vec3::Zero(), 0));
      }
    }
  }
}

TEST(Jacobian, OfABodyThatNothingMovesIsZero) {
  const Model m = test::modelOf(R"(<mujoco><worldbody><body><geom size="0.1"/></body>
    <body mocap="true"><geom size="0.1"/></body><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)");
  const Data d = randomState(m, 1);
  for (int body = 0; body < 3; ++body) {
    EXPECT_EQ(lastDof(m, body), -1);
    EXPECT_EQ(chainLength(m, body), 0);
    RowMatrix jacp = RowMatrix::Ones(3, m.nv);
    denseJacobian(m, d, body, Vec3(1, 2, 3), jacp.data(), nullptr);
    EXPECT_EQ(jacp, RowMatrix::Zero(3, m.nv));
  }
}

}  // namespace
}  // namespace sinew
