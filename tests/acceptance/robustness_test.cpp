#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"

/// Absurd states and forces end in finite numbers, or in a status that says where and why.
namespace sinew {
namespace {

bool allFinite(const Array<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// A door on a hinge; `extra` is what goes wrong with it.
Model door(const std::string& option, const std::string& joint, const std::string& relations = "") {
  return compile(readMjcfText(fmt::format(R"(<mujoco><option {}/><worldbody><body name="frame">
      <geom size=".1"/><body name="leaf" pos=".2 0 0"><joint name="hinge" axis="0 1 0" {}/>
      <geom type="box" pos=".5 0 0" size=".5 .5 .02"/></body></body></worldbody>{}</mujoco>)",
                                          option, joint, relations)));
}

/// Steps until something goes wrong, at most `steps` times.
void stepUntilTrouble(const Model& m, Data& d, int steps) {
  for (int i = 0; i < steps && d.status.ok(); ++i) step(m, d);
}

void expectBlame(const Model& m, const Data& d, Trouble trouble, ForceTerm term, const std::string& word) {
  const TroubleReport& report = d.status[trouble];
  ASSERT_EQ(report.count, 1) << describeStatus(m, d);
  EXPECT_EQ(report.force.dof, 0);
  EXPECT_EQ(report.force.term, term);
  EXPECT_FALSE(std::abs(report.force.value) < 1e9);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find(R"(joint "hinge" of body "leaf")"), std::string::npos) << text;
  EXPECT_NE(text.find("largest force there: " + word), std::string::npos) << text;
  EXPECT_NE(text.find("on dof 0"), std::string::npos) << text;
}

TEST(Status, BlamesTheActuator) {
  const Model m = door("", "", R"(<actuator><motor joint="hinge" gear="1e14"/></actuator>)");
  Data d(m);
  d.ctrl[0] = 1;
  stepUntilTrouble(m, d, 1);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Actuator, "actuator");
}

TEST(Status, BlamesTheAppliedForceOfADofOrOfABody) {
  const Model m = door("", "");
  Data d(m);
  d.qfrc_applied[0] = -1e14;
  stepUntilTrouble(m, d, 1);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Applied, "applied, -1e+14");
  reset(m, d);
  d.xfrc_applied[6 * 2 + 2] = 1e14;
  stepUntilTrouble(m, d, 1);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Applied, "applied");
}

TEST(Status, BlamesWhatIsNotANumber) {
  const Model m = door("", "stiffness=\"1e5\"");
  Data d(m);
  d.qfrc_applied[0] = std::numeric_limits<double>::quiet_NaN();
  stepUntilTrouble(m, d, 1);
  EXPECT_EQ(d.status[Trouble::BadApplied].count, 1);
  EXPECT_EQ(d.status[Trouble::BadQacc].count, 0);  // it counted as zero
  EXPECT_NE(describeStatus(m, d).find(R"(qfrc_applied[0] (joint "hinge" of body "leaf"))"), std::string::npos);
}

// A spring far stiffer than the timestep can follow: every step multiplies the deflection.
TEST(Status, BlamesThePassiveForceOfAnUnstableSpring) {
  const Model m = door(R"(timestep="0.01" gravity="0 0 0")", R"(stiffness="1e8")");
  Data d(m);
  d.qpos[0] = 0.01;
  stepUntilTrouble(m, d, 100);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Passive, "passive");
}

TEST(Status, BlamesTheBiasForceOfAbsurdGravity) {
  const Model m = door(R"(gravity="0 0 -1e13")", "");
  Data d(m);
  stepUntilTrouble(m, d, 1);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Bias, "bias");
}

TEST(Status, BlamesTheConstraintForceOfAnAbsurdLimit) {
  const Model m = door(R"(gravity="0 0 0")", R"(range="1e9 2e9" solreflimit="-1e8 -1")");
  Data d(m);
  stepUntilTrouble(m, d, 1);
  expectBlame(m, d, Trouble::BadQacc, ForceTerm::Constraint, "constraint");
}

TEST(Status, OfABadCoordinateNamesTheForcesOfTheStepBefore) {
  const Model m = compile(readMjcfText(R"(<mujoco><worldbody><body name="ball"><freejoint name="free"/>
      <geom size=".1"/></body></worldbody></mujoco>)"));
  Data d(m);
  step(m, d);
  d.qpos[1] = std::numeric_limits<double>::infinity();
  step(m, d);
  const TroubleReport& report = d.status[Trouble::BadQpos];
  EXPECT_EQ(report.first, 1);
  EXPECT_EQ(report.force.dof, 2);  // gravity pulls along z
  EXPECT_EQ(report.force.term, ForceTerm::Bias);
  EXPECT_NE(describeStatus(m, d).find(R"(joint "free" of body "ball")"), std::string::npos);
}

// Before the first step there are no forces to blame.
TEST(Status, WithoutForcesSaysNothingAboutThem) {
  const Model m = door("", "");
  Data d(m);
  d.qpos[0] = std::numeric_limits<double>::quiet_NaN();
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQpos].force.term, ForceTerm::None);
  EXPECT_EQ(describeStatus(m, d).find("largest force"), std::string::npos);
}

const std::vector<std::string> kShapes{
    R"(type="sphere" size=".1")",      R"(type="capsule" size=".1 .1")", R"(type="ellipsoid" size=".1 .2 .3")",
    R"(type="cylinder" size=".1 .1")", R"(type="box" size=".1 .1 .1")",  R"(type="mesh" mesh="wedge")",
};

/// Two bodies of these shapes above a plane and a height field, in the poses given.
Model pair(const std::string& a, const std::string& b, const std::string& where, const std::string& option) {
  return compile(readMjcfText(fmt::format(R"(<mujoco><option {}/><asset>
      <mesh name="wedge" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .15"/>
      <hfield name="hills" nrow="3" ncol="3" size="1 1 .2 .1" elevation="0 1 0 1 0 1 0 1 0"/></asset>
      <worldbody><geom type="plane" size="5 5 1"/><geom type="hfield" hfield="hills"/>
      <body pos="{}"><freejoint/><geom {}/></body><body pos="{}"><freejoint/><geom {}/></body></worldbody></mujoco>)",
                                          option, where, a, where, b)));
}

void expectFiniteOrReported(const Model& m, Data& d, const std::string& what) {
  for (int i = 0; i < 100; ++i) step(m, d);
  EXPECT_TRUE(allFinite(d.qpos) && allFinite(d.qvel) && allFinite(d.qacc)) << what;
  // a reset is only acceptable with a report that names a joint
  EXPECT_TRUE(d.status.ok() || describeStatus(m, d).find("joint") != std::string::npos) << what;
}

TEST(Robustness, DeepPenetrationStaysFiniteOrIsReported) {
  for (const std::string& a : kShapes) {
    for (const std::string& b : kShapes) {
      // in each other and in the ground; one metre below it
      for (const std::string where : {"0 0 0", "0.1 0.1 -1"}) {
        const Model m = pair(a, b, where, "");
        Data d(m);
        expectFiniteOrReported(m, d, a + " and " + b + " at " + where);
      }
    }
  }
}

TEST(Robustness, SpeedsOfTenKilometresPerSecondStayFiniteOrAreReported) {
  for (const std::string& a : kShapes) {
    for (const std::string solver : {"Newton", "CG", "PGS"}) {
      for (const std::string cone : {"pyramidal", "elliptic"}) {
        const Model m = pair(a, kShapes[4], "0 0 .3", fmt::format(R"(solver="{}" cone="{}")", solver, cone));
        Data d(m);
        const double speeds[] = {1e4, -1e4, -1e4, 1e4, 1e4, -1e4};
        std::copy_n(speeds, 6, d.qvel.data());
        for (int i = 0; i < 6; ++i) d.qvel[6 + i] = -speeds[i];
        expectFiniteOrReported(m, d, a + " " + solver + " " + cone);
      }
    }
  }
}

}  // namespace
}  // namespace sinew
