#include "integrate/derivative.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>

#include "integrate/sparse_lu.h"
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
  multiplyD(c.m, A.data(), b.data(), y.data());
  EXPECT_TRUE(allNear(y, VecX(matrix * b), 1e-13));

  VecX x = b;
  factorUL(c.m, c.d, A.data());
  solveUL(c.m, c.d, A.data(), x.data());
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
