#include "forces/derivative.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "math/sparse/sparse_lu.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::allNear;
using test::modelOf;
using Matrix = Eigen::MatrixXd;

Matrix dense(const Model& m, const Array<double>& values) {
  Matrix result = Matrix::Zero(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = m.D_rowadr[i]; k < m.D_rowadr[i] + m.D_rownnz[i]; ++k) result(i, m.D_colind[k]) = values[k];
  }
  return result;
}

/// 1 where pattern D has an entry.
Matrix pattern(const Model& m) { return dense(m, Array<double>(m.nD, 1)); }

/// d f(d) / d qvel by central differences, the entries of pattern D; f returns nv numbers of an evaluated Data.
using Force = std::function<const Array<double>&(const Data&)>;
Matrix differences(const Model& m, const Data& d, const Force& force, double e = 1e-6) {
  Matrix result(m.nv, m.nv);
  for (int i = 0; i < m.nv; ++i) {
    Data plus = d, minus = d;
    plus.qvel[i] += e;
    minus.qvel[i] -= e;
    forward(m, plus);
    forward(m, minus);
    result.col(i) = (ConstMapVecX(force(plus).data(), m.nv) - ConstMapVecX(force(minus).data(), m.nv)) / (2 * e);
  }
  return result.cwiseProduct(pattern(m));
}

struct Case {
  Model m = modelOf(test::kRichModel);
  Data d{m};
  explicit Case(unsigned seed) {
    test::randomizeState(m, d, seed);
    forward(m, d);
  }
  void clear() { std::fill(d.qDeriv.begin(), d.qDeriv.end(), 0.0); }
};

// Central differences with e = 1e-6: truncation e^2 |f'''| / 6 and rounding 1e-15 |f| / e stay below 1e-7 here, where
// the derivatives themselves reach 10.
constexpr double kTolerance = 1e-7;

TEST(VelocityDerivative, OfTheBiasForceMatchesDifferences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Case c(seed);
    c.clear();
    for (int tree = 0; tree < c.m.ntree; ++tree) subtractBiasDerivative(c.m, c.d, tree);
    const Matrix expected = -differences(c.m, c.d, [](const Data& d) -> const Array<double>& { return d.qfrc_bias; });
    EXPECT_TRUE(allNear(dense(c.m, c.d.qDeriv), expected, kTolerance));
    EXPECT_GT(expected.norm(), 1);
  }
}

TEST(VelocityDerivative, OfTheFluidForceMatchesDifferences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Case c(seed);
    c.clear();
    addFluidDerivative(c.m, c.d, false);
    const Matrix expected = differences(c.m, c.d, [](const Data& d) -> const Array<double>& { return d.qfrc_fluid; });
    EXPECT_TRUE(allNear(dense(c.m, c.d.qDeriv), expected, kTolerance));
    EXPECT_GT(expected.norm(), 1);
  }
}

constexpr const char* kClothInWater = R"(<mujoco><option density="1000" viscosity="0.001" wind="1 .2 -.3"/><worldbody>
    <flexcomp name="a" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".01"><pin id="0"/></flexcomp>
    <body euler="20 50 -30"><joint type="slide"/><geom size=".1"/>
      <flexcomp name="b" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".01"/></body>
  </worldbody></mujoco>)";

TEST(VelocityDerivative, OfTheDragOnNodesMatchesDifferences) {
  const Model m = modelOf(kClothInWater);
  Data d(m);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] = std::sin(1.0 + i);
  forward(m, d);
  std::fill(d.qDeriv.begin(), d.qDeriv.end(), 0.0);
  addFluidDerivative(m, d, true);
  const Matrix expected = differences(m, d, [](const Data& e) -> const Array<double>& { return e.qfrc_fluid; });
  EXPECT_TRUE(allNear(dense(m, d.qDeriv), expected, kTolerance));
  EXPECT_GT(expected.bottomRightCorner(m.nv - m.nv_rigid, m.nv - m.nv_rigid).norm(), 0.1);
}

// Explicitly, a node of half a gram that enters water at 5 m/s comes out of it at 30 m/s after 10 ms.
TEST(VelocityDerivative, ImplicitDragOnlyBrakes) {
  for (const Integrator integrator : {Integrator::Implicit, Integrator::ImplicitFast}) {
    Model m = modelOf(kClothInWater);
    m.opt.integrator = integrator;
    m.opt.timestep = 0.01;
    m.opt.gravity = {0, 0, 0};
    m.opt.wind = {0, 0, 0};
    m.opt.disableflags |= disable::kConstraint;
    Data d(m);
    for (int i = m.nv_rigid; i < m.nv; i += 3) d.qvel[i] = m.flexnode_pinned[(i - m.nv_rigid) / 3] ? 0 : 5;
    for (int k = 0; k < 20; ++k) {
      const Array<double> before = d.qvel;
      step(m, d);
      for (int i = m.nv_rigid; i < m.nv; i += 3) {
        EXPECT_LE(ConstMapVec3(&d.qvel[i]).norm(), ConstMapVec3(&before[i]).norm() * (1 + 1e-12)) << i;
      }
    }
    EXPECT_LT(d.qvel[m.nv_rigid + 3], 1);
  }
}

TEST(VelocityDerivative, OfTheDampersMatchesDifferences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Case c(seed);
    c.clear();
    addDamperDerivative(c.m, c.d);
    addTendonDamperDerivative(c.m, c.d);
    const Matrix expected = differences(c.m, c.d, [](const Data& d) -> const Array<double>& { return d.qfrc_damper; });
    EXPECT_TRUE(allNear(dense(c.m, c.d.qDeriv), expected, kTolerance));
    EXPECT_GT(expected.norm(), 1);
  }
}

TEST(VelocityDerivative, OfTheActuatorForceMatchesDifferences) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Case c(seed);
    c.clear();
    addActuatorDerivative(c.m, c.d);
    const Matrix expected =
        differences(c.m, c.d, [](const Data& d) -> const Array<double>& { return d.qfrc_actuator; });
    EXPECT_TRUE(allNear(dense(c.m, c.d.qDeriv), expected, kTolerance));
    EXPECT_GT(expected.norm(), 1);
  }
}

TEST(VelocityDerivative, OfAllSmoothForcesMatchesDifferences) {
  Case c(4);
  velocityDerivative(c.m, c.d, false);
  const Matrix expected = differences(c.m, c.d, [](const Data& d) -> const Array<double>& { return d.qfrc_smooth; });
  EXPECT_TRUE(allNear(dense(c.m, c.d.qDeriv), expected, kTolerance));
}

TEST(VelocityDerivative, CouplingsBetweenTreesAreDropped) {
  const Model m = modelOf(R"(<mujoco><worldbody>
    <body><joint name="a" type="slide"/><geom size=".1"/></body><body><joint name="b" type="slide"/><geom size=".1"/></body>
    </worldbody><tendon><fixed damping="3"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon></mujoco>)");
  Data d(m);
  forward(m, d);
  velocityDerivative(m, d, false);
  Matrix expected(2, 2);
  expected << -3, 0, 0, -12;
  EXPECT_TRUE(allNear(dense(m, d.qDeriv), expected, 1e-15));
}

TEST(VelocityDerivative, FastOneIsSymmetricExceptForFreeBodies) {
  Case c(5);
  velocityDerivative(c.m, c.d, true);
  const Matrix D = dense(c.m, c.d.qDeriv);
  const int ball = c.m.jnt_dofadr[c.m.body_jntadr[findId(c.m, ObjType::Body, "ball")]];
  Matrix rest = D;
  rest.block(ball, ball, 6, 6).setZero();
  EXPECT_TRUE(allNear(rest, Matrix(rest.transpose()), 1e-14));
  const Matrix block = D.block(ball, ball, 6, 6);
  EXPECT_GT((block - block.transpose()).norm(), 1e-3);
  velocityDerivative(c.m, c.d, false);
  EXPECT_TRUE(allNear(block, Matrix(dense(c.m, c.d.qDeriv).block(ball, ball, 6, 6)), 1e-14));
}

TEST(SparseUL, SolvesLikeADenseFactorization) {
  Case c(6);
  velocityDerivative(c.m, c.d, false);
  Array<double> A(c.m.nD);
  for (int k = 0; k < c.m.nD; ++k) {
    A[k] = (c.m.mapM2D[k] >= 0 ? c.d.M[c.m.mapM2D[k]] : 0) - 0.05 * c.d.qDeriv[k];
  }
  const Matrix matrix = dense(c.m, A);
  const VecX b = VecX::LinSpaced(c.m.nv, -1, 2);
  VecX y(c.m.nv);
  const sparse::TreeRows rows{c.m.nv, c.m.D_rownnz.data(), c.m.D_rowadr.data(), c.m.D_diag.data(), c.m.D_colind.data()};
  sparse::multiply(rows, A.data(), b.data(), y.data());
  EXPECT_TRUE(allNear(y, VecX(matrix * b), 1e-13));

  VecX x = b;
  sparse::factorUL(rows, 0, c.m.nv, A.data());
  sparse::solveUL(rows, 0, c.m.nv, A.data(), x.data());
  EXPECT_TRUE(allNear(VecX(matrix * x), b, 1e-11));
}

TEST(PatternD, HoldsEveryPairOfDofsOfOneBranch) {
  Case c(7);
  const Matrix P = pattern(c.m);
  EXPECT_TRUE(allNear(P, Matrix(P.transpose()), 0));
  for (int i = 0; i < c.m.nv; ++i) {
    EXPECT_EQ(c.m.D_colind[c.m.D_rowadr[i] + c.m.D_diag[i]], i);
    for (int j = c.m.dof_parentid[i]; j >= 0; j = c.m.dof_parentid[j]) EXPECT_EQ(P(i, j), 1);
  }
}

}  // namespace
}  // namespace sinew
