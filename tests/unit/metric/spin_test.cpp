#include "metric/spin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "math/quat.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

/// How bodies turn that nothing acts on.
namespace sinew {
namespace {

using test::tolerance;

class FreeSpin : public testing::Test {
 protected:
  /// Principal moments of two boxes' worth of asymmetry: any two differ by at most a factor of 20.
  Vec3 inertia() {
    const Vec3 s(length_(random_), length_(random_), length_(random_));
    return {s.y() * s.y() + s.z() * s.z(), s.x() * s.x() + s.z() * s.z(), s.x() * s.x() + s.y() * s.y()};
  }
  Vec3 spin(double size) { return Vec3(normal_(random_), normal_(random_), normal_(random_)) * size; }

  std::mt19937 random_{5};
  std::uniform_real_distribution<double> length_{0.1, 0.5};
  std::normal_distribution<double> normal_;
};

double twiceEnergy(const Vec3& inertia, const Vec3& w) { return inertia.dot(w.cwiseAbs2()); }

TEST_F(FreeSpin, KeepsTheEnergyAtAnyStep) {
  for (int i = 0; i < 1000; ++i) {
    const Vec3 I = inertia(), w = spin(10);
    for (const double h : {1e-4, 0.01, 0.1, 3.0}) {
      EXPECT_NEAR(twiceEnergy(I, freeSpin(I, w, h)) / twiceEnergy(I, w), 1, tolerance(1e-14));
    }
  }
}

TEST_F(FreeSpin, KeepsTheLengthOfTheAngularMomentum) {
  for (int i = 0; i < 1000; ++i) {
    const Vec3 I = inertia(), w = spin(10);
    const Vec3 next = freeSpin(I, w, 1.0 / 60);
    EXPECT_NEAR(I.cwiseProduct(next).norm() / I.cwiseProduct(w).norm(), 1, tolerance(1e-12));
  }
}

// Second order: half the step, a quarter of the error. The oracle is the same equation in 10,000 small explicit steps
// of the midpoint method.
TEST_F(FreeSpin, ConvergesToEulersEquations) {
  const Vec3 I(0.2, 0.5, 0.6), start(3, 1, -2);
  const auto rate = [&](const Vec3& w) { return Vec3(-w.cross(I.cwiseProduct(w)).cwiseQuotient(I)); };
  Vec3 exact = start;
  for (int i = 0; i < 10'000; ++i) exact += 1e-4 * rate(exact + 0.5e-4 * rate(exact));
  const auto error = [&](int steps) {
    Vec3 w = start;
    for (int i = 0; i < steps; ++i) w = freeSpin(I, w, 1.0 / steps);
    return (w - exact).norm();
  };
  EXPECT_LT(error(100), 1e-3);
  EXPECT_NEAR(error(50) / error(100), 4, 0.2);
}

TEST_F(FreeSpin, StaysAboutAPrincipalAxis) {
  EXPECT_EQ(freeSpin({1, 2, 3}, {0, 4, 0}, 0.1), Vec3(0, 4, 0));
  EXPECT_EQ(freeSpin({1, 2, 3}, {0, 0, 0}, 0.1), Vec3(0, 0, 0));
}

// With the frame's origin beside the centre of mass, that still moves as nothing acts on it:
// a + dw/dt x r + w x (w x r) = 0.
TEST(SpinFreeBodies, DoNotAccelerateTheCentreOfMass) {
  const Model m = test::modelOf(R"(<mujoco><option solver="Impulse" gravity="0 0 0" timestep="0.01"/><worldbody>
    <body euler="20 30 40"><freejoint/>
      <inertial pos=".3 -.2 .1" euler="10 50 -20" mass="2" diaginertia=".02 .05 .06"/></body></worldbody></mujoco>)");
  Data d(m);
  MapVec3(d.qvel.data() + 3) = Vec3(7, -4, 5);
  forward(m, d);
  const Quat frame = Quat::load(d.xquat.data() + 4);
  const Vec3 r = vec3(d.xipos.data(), 1) - vec3(d.xpos.data(), 1);
  const Vec3 w = rotate(frame, Vec3(7, -4, 5)), dw = rotate(frame, Vec3(ConstMapVec3(d.qacc.data() + 3)));
  const Vec3 acceleration = ConstMapVec3(d.qacc.data()) + dw.cross(r) + w.cross(w.cross(r));
  EXPECT_TRUE(test::allNear(acceleration, Vec3(Vec3::Zero()), 1e-12));
  EXPECT_GT((d.qacc[3] - d.qacc_smooth[3]) * (d.qacc[3] - d.qacc_smooth[3]), 1e-4);  // it is not the explicit one

  const Quat axes = compose({{}, frame}, {{}, Quat::load(m.body_iquat.data() + 4)}).quat;
  const auto energy = [&](const Vec3& spin) {
    return twiceEnergy(vec3(m.body_inertia.data(), 1), rotate(axes.conjugate(), spin));
  };
  EXPECT_NEAR(energy(w + 0.01 * dw) / energy(w), 1, tolerance(1e-13));
}

}  // namespace
}  // namespace sinew
