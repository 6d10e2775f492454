#include "forces/muscle.h"

#include <gtest/gtest.h>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

TEST(Muscle, ForceLengthCurvePassesItsKnots) {
  const double lmin = .5, lmax = 1.6;
  EXPECT_EQ(muscle::forceLength(1, lmin, lmax), 1);
  EXPECT_EQ(muscle::forceLength(lmin, lmin, lmax), 0);
  EXPECT_EQ(muscle::forceLength(lmax, lmin, lmax), 0);
  EXPECT_EQ(muscle::forceLength(.4, lmin, lmax), 0);
  EXPECT_EQ(muscle::forceLength(2, lmin, lmax), 0);
  EXPECT_NEAR(muscle::forceLength(.75, lmin, lmax), .5, tolerance(1e-15));
  EXPECT_NEAR(muscle::forceLength(1.3, lmin, lmax), .5, tolerance(1e-15));
  for (const double knot : {.5, .75, 1., 1.3, 1.6}) {  // continuous
    EXPECT_NEAR(muscle::forceLength(knot - 1e-9, lmin, lmax), muscle::forceLength(knot + 1e-9, lmin, lmax),
                tolerance(1e-8));
  }
}

TEST(Muscle, ForceVelocityCurvePassesItsKnotsAndHasItsSlope) {
  const double fvmax = 1.2;
  EXPECT_EQ(muscle::forceVelocity(-2, fvmax), 0);
  EXPECT_EQ(muscle::forceVelocity(-1, fvmax), 0);
  EXPECT_EQ(muscle::forceVelocity(0, fvmax), 1);
  EXPECT_NEAR(muscle::forceVelocity(.2, fvmax), fvmax, tolerance(1e-15));
  EXPECT_EQ(muscle::forceVelocity(3, fvmax), fvmax);
  const double e = 1e-6;
  for (const double v : {-1.5, -.4, .1, .7}) {  // parabolas: central differences are exact up to rounding
    const double slope = (muscle::forceVelocity(v + e, fvmax) - muscle::forceVelocity(v - e, fvmax)) / (2 * e);
    EXPECT_NEAR(muscle::forceVelocitySlope(v, fvmax), slope, tolerance(1e-9));
  }
}

TEST(Muscle, PassiveForceBeginsAtTheOptimalLength) {
  const double lmax = 1.6, fpmax = 1.3;
  EXPECT_EQ(muscle::passiveForce(.9, lmax, fpmax), 0);
  EXPECT_EQ(muscle::passiveForce(1, lmax, fpmax), 0);
  EXPECT_NEAR(muscle::passiveForce(1.3, lmax, fpmax), fpmax / 2, tolerance(1e-15));
  EXPECT_NEAR(muscle::passiveForce(1.6, lmax, fpmax), fpmax * 1.5, tolerance(1e-15));
}

TEST(Muscle, TimeConstantsDependOnTheActivation) {
  const double prm[] = {.01, .04, 0};
  EXPECT_NEAR(muscle::activationRate(1, 0, prm), 1 / (.01 * .5), tolerance(1e-12));
  EXPECT_NEAR(muscle::activationRate(0, 1, prm), -1 / (.04 / 2), tolerance(1e-12));
  EXPECT_NEAR(muscle::activationRate(7, .5, prm), .5 / (.01 * 1.25), tolerance(1e-12));  // control clamped to 1
  EXPECT_EQ(muscle::activationRate(.3, .3, prm), 0);
}

TEST(Muscle, SmoothSwitchingIsHalfWayWhereControlEqualsActivation) {
  const double prm[] = {.01, .04, .2};
  const double e = 1e-7;  // the rate is excess / tau, so its slope at zero excess is 1 / tau there
  const double slope = muscle::activationRate(.5 + e, .5, prm) / e;
  const double up = .01 * 1.25, down = .04 / 1.25;
  EXPECT_NEAR(slope, 2 / (up + down), tolerance(1e-3));
  EXPECT_NEAR(muscle::activationRate(.9, .5, prm), .4 / up, tolerance(1e-12));  // far outside the width: as before
}

TEST(Muscle, PullsWithItsPeakForceAtOptimalLengthAndFullActivation) {
  // length range 0.2 .. 0.8 is mapped to 0.75 .. 1.05, so L0 = 2 and the optimal length is 0.7
  const Model m = modelOf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/>
    <geom size=".1"/></body></worldbody><actuator>
    <muscle joint="j" lengthrange="0.2 0.8" force="100" range="0.75 1.05"/></actuator></mujoco>)");
  Data d(m);
  d.qpos[0] = 0.7;
  d.act[0] = 1;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], -100, tolerance(1e-10));
  d.act[0] = 0;
  forward(m, d);
  EXPECT_NEAR(d.actuator_force[0], 0, tolerance(1e-12));
}

}  // namespace
}  // namespace sinew
