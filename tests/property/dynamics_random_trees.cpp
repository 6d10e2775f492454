#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <string>

#include "forces/derivative.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/tolerance.h"

// Invariants of the smooth dynamics on random trees: up to eight bodies, each below a random earlier one (or the
// world), with up to two random joints; shapes, frames, damping, stiffness and armature at random.
namespace sinew {
namespace {

using test::allNear;
using Matrix = Eigen::MatrixXd;

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  std::string mjcf() {
    std::string bodies;
    for (int i = 0; i < 3; ++i) bodies += body(0);
    return "<mujoco><compiler angle='radian'/><option density='" + number(0, 5) + "' viscosity='" + number(0, .2) +
           "'><flag contact='disable' energy='enable'/></option><worldbody>" + bodies + "</worldbody></mujoco>";
  }

 private:
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  int choice(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string number(double lo, double hi) { return std::to_string(uniform(lo, hi)); }
  std::string vector(double size) {
    return number(-size, size) + " " + number(-size, size) + " " + number(-size, size);
  }

  std::string joint(bool root) {
    static const char* kTypes[] = {"hinge", "slide", "ball", "free"};
    const std::string type = kTypes[choice(root ? 4 : 3)];
    std::string text = "<joint type='" + type + "' damping='" + number(0, .3) + " " + number(0, .1) + "' armature='" +
                       number(0, .05) + "' stiffness='" + number(0, 1) + "'";
    if (type != "free") text += " pos='" + vector(.1) + "'";
    if (type == "hinge" || type == "slide") text += " axis='" + vector(1) + "'";
    return text + "/>";
  }

  std::string body(int depth) {
    const bool root = depth == 0;
    std::string text = "<body pos='" + vector(.5) + "' euler='" + vector(2) + "'>";
    const std::string first = joint(root);
    text += first;
    // further joints on a body: after a ball they must not be rotations, and nothing goes with a free joint
    if (first.find("'free'") == std::string::npos && choice(2)) {
      text += "<joint type='slide' axis='" + vector(1) + "' damping='" + number(0, 1) + "'/>";
    }
    text += "<geom type='box' size='" + number(.05, .2) + " " + number(.05, .2) + " " + number(.05, .2) + "' pos='" +
            vector(.1) + "' euler='" + vector(1) + "'/>";
    if (choice(3) == 0) {
      text += "<geom type='ellipsoid' size='.1 .05 .2' fluidshape='ellipsoid' pos='" + vector(.2) + "'/>";
    }
    if (choice(4) == 0) text += "<body pos='" + vector(.2) + "'><geom size='.05'/></body>";
    const int children = depth < 2 ? choice(3) : 0;
    for (int i = 0; i < children; ++i) text += body(depth + 1);
    return text + "</body>";
  }

  std::mt19937 random_;
};

class RandomTrees : public testing::TestWithParam<unsigned> {
 protected:
  RandomTrees() : m_(test::modelOf(RandomTree(GetParam()).mjcf())), d_(m_) {
    test::randomizeState(m_, d_, GetParam() + 100);
    forward(m_, d_);
  }
  Model m_;
  Data d_;
};

TEST_P(RandomTrees, InverseUndoesForward) {
  Array<double> outside(m_.nv);
  for (int i = 0; i < m_.nv; ++i) outside[i] = d_.qfrc_smooth[i] - d_.qfrc_passive[i] + d_.qfrc_bias[i];
  inverse(m_, d_);
  // rounding: M qacc and the bias cancel down to forces of order one from terms of up to 1e4
  EXPECT_TRUE(allNear(d_.qfrc_inverse, outside, 1e-9));
}

// Central differences over 2e-6: truncation and rounding stay below 1e-6 relative to entries of up to 100.
TEST_P(RandomTrees, VelocityDerivativeMatchesDifferences) {
  velocityDerivative(m_, d_, false);
  Matrix analytic = Matrix::Zero(m_.nv, m_.nv), numeric = Matrix::Zero(m_.nv, m_.nv);
  const double e = 1e-6;
  for (int j = 0; j < m_.nv; ++j) {
    Data plus = d_, minus = d_;
    plus.qvel[j] += e;
    minus.qvel[j] -= e;
    forward(m_, plus);
    forward(m_, minus);
    for (int i = 0; i < m_.nv; ++i) numeric(i, j) = (plus.qfrc_smooth[i] - minus.qfrc_smooth[i]) / (2 * e);
  }
  for (int i = 0; i < m_.nv; ++i) {
    for (int k = m_.D_rowadr[i]; k < m_.D_rowadr[i] + m_.D_rownnz[i]; ++k) analytic(i, m_.D_colind[k]) = d_.qDeriv[k];
  }
  EXPECT_TRUE(allNear(analytic, numeric, 1e-6, 1e-6));
}

// The implicit step solves (M - h D) a = f: check the residual with dense matrices.
TEST_P(RandomTrees, ImplicitStepSolvesItsEquation) {
  m_.opt.integrator = Integrator::Implicit;
  m_.opt.timestep = .02;
  Data after = d_;
  step(m_, after);
  Matrix A = Matrix::Zero(m_.nv, m_.nv);
  for (int i = 0; i < m_.nv; ++i) {
    for (int k = m_.M_rowadr[i]; k < m_.M_rowadr[i] + m_.M_rownnz[i]; ++k) {
      A(i, m_.M_colind[k]) = A(m_.M_colind[k], i) = after.M[k];
    }
  }
  for (int i = 0; i < m_.nv; ++i) {
    for (int k = m_.D_rowadr[i]; k < m_.D_rowadr[i] + m_.D_rownnz[i]; ++k) {
      A(i, m_.D_colind[k]) -= m_.opt.timestep * after.qDeriv[k];
    }
  }
  const VecX a = (ConstMapVecX(after.qvel.data(), m_.nv) - ConstMapVecX(d_.qvel.data(), m_.nv)) / m_.opt.timestep;
  EXPECT_TRUE(allNear(VecX(A * a), VecX(ConstMapVecX(after.qfrc_smooth.data(), m_.nv)), 1e-8, 1e-9));
}

// d(T + V)/dt along the motion equals the power of everything that is neither inertial nor elastic nor gravity.
TEST_P(RandomTrees, EnergyChangesByThePowerOfTheOtherForces) {
  double power = 0;
  for (int i = 0; i < m_.nv; ++i) power += d_.qvel[i] * (d_.qfrc_smooth[i] + d_.qfrc_bias[i] - d_.qfrc_spring[i]);
  const auto total = [&](double t) {
    Data other = d_;
    Array<double> velocity = d_.qvel;
    for (int i = 0; i < m_.nv; ++i) velocity[i] += .5 * t * d_.qacc[i];
    integratePositions(m_, other.qpos, velocity, t);
    for (int i = 0; i < m_.nv; ++i) other.qvel[i] += t * d_.qacc[i];
    forward(m_, other);
    return other.energy[0] + other.energy[1];
  };
  const double e = 1e-5;
  EXPECT_NEAR((total(e) - total(-e)) / (2 * e), power, test::tolerance(1e-4 + 1e-6 * std::abs(power)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, testing::Range(1u, 21u));

}  // namespace
}  // namespace sinew
