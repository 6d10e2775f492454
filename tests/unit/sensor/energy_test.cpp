#include <gtest/gtest.h>

#include <cmath>

#include "kinematics/positions.h"
#include "math/types.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/random_state.h"
#include "support/rich_model.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

TEST(Energy, OfAFallingBodyIsTextbook) {
  const Model m = modelOf(R"(<mujoco><option><flag energy="enable"/></option><worldbody><body pos="0 0 3"><freejoint/>
    <geom type="sphere" size=".1" mass="2"/></body></worldbody></mujoco>)");
  Data d(m);
  d.qvel[0] = 3;
  d.qvel[4] = 5;
  forward(m, d);
  EXPECT_NEAR(d.energy[0], 2 * 9.81 * 3, tolerance(1e-12));
  EXPECT_NEAR(d.energy[1], .5 * 2 * 9 + .5 * (.4 * 2 * .01) * 25, tolerance(1e-12));
}

TEST(Energy, IsZeroUnlessAskedFor) {
  Model m = modelOf(test::kRichModel);
  m.opt.enableflags = 0;
  Data d(m);
  test::randomizeState(m, d, 1);
  forward(m, d);
  EXPECT_EQ(d.energy[0], 0);
  EXPECT_EQ(d.energy[1], 0);
  energy(m, d);
  EXPECT_NE(d.energy[0], 0);
  EXPECT_GT(d.energy[1], 0);
}

TEST(Energy, OfGravityAndSpringsFollowsTheirSwitches) {
  Model m =
      modelOf(R"(<mujoco><compiler angle="radian"/><option><flag energy="enable"/></option><worldbody><body pos="0 0 1">
    <joint axis="0 1 0" stiffness="4" springref=".5"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)");
  Data d(m);
  forward(m, d);
  EXPECT_NEAR(d.energy[0], 9.81 + .5 * 4 * .25, tolerance(1e-14));
  m.opt.disableflags = disable::kGravity;
  forward(m, d);
  EXPECT_NEAR(d.energy[0], .5 * 4 * .25, tolerance(1e-14));
  m.opt.disableflags = disable::kSpring;
  forward(m, d);
  EXPECT_NEAR(d.energy[0], 9.81, tolerance(1e-14));
}

// Power balance: what passive (but springs), applied and actuator forces do per second is the rate of the total energy.
// The rate by central differences over the true motion, q(t) = q + t v + t^2/2 a; error of order e^2.
TEST(Energy, ChangesByThePowerOfAllOtherForces) {
  const Model m = modelOf(test::kRichModel);
  Data d(m);
  test::randomizeState(m, d, 2);
  forward(m, d);
  double power = 0;
  for (int i = 0; i < m.nv; ++i) {
    power += d.qvel[i] * (d.qfrc_smooth[i] + d.qfrc_bias[i] - d.qfrc_spring[i]);
  }
  const double e = 1e-5;
  const auto total = [&](double t) {
    Data other = d;
    Array<double> velocity = d.qvel;
    for (int i = 0; i < m.nv; ++i) velocity[i] += .5 * t * d.qacc[i];
    integratePositions(m, other.qpos.data(), velocity.data(), t);
    for (int i = 0; i < m.nv; ++i) other.qvel[i] += t * d.qacc[i];
    forward(m, other);
    return other.energy[0] + other.energy[1];
  };
  EXPECT_NEAR((total(e) - total(-e)) / (2 * e), power, tolerance(1e-5));
  EXPECT_GT(std::abs(power), 1);
}

}  // namespace
}  // namespace sinew
