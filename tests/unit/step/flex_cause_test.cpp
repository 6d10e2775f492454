#include "step/flex_cause.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

/// What is said about a flex that diverged.
namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

const char* const kSilent = R"(<contact contype="0" conaffinity="0" selfcollide="none"/>)";

struct Sample {
  const char* name;
  std::string flex;
  FlexTerm term;
};

std::vector<Sample> samples() {
  return {
      {"spring",
       fmt::format(R"(<flexcomp name="x" type="grid" dim="1" count="2 1 1" spacing="0.1 0.1 0.1" mass="0.3">{}
         <edge stiffness="2000"/></flexcomp>)",
                   kSilent),
       FlexTerm::EdgeSpring},
      {"damped spring",
       fmt::format(R"(<flexcomp name="x" type="grid" dim="1" count="2 1 1" spacing="0.1 0.1 0.1" mass="0.3">{}
         <edge stiffness="2000" damping="8"/></flexcomp>)",
                   kSilent),
       FlexTerm::EdgeSpring},
      {"tetrahedron",
       fmt::format(
           R"(<flexcomp name="x" type="direct" dim="3" point="0 0 0 .1 0 0 .02 .1 0 .03 .02 .12" element="0 1 2 3"
         mass="0.2" radius="0.001">{}<elasticity young="1e5" poisson="0.3" law="stvk"/></flexcomp>)",
           kSilent),
       FlexTerm::Elasticity},
      {"damped tetrahedron",
       fmt::format(
           R"(<flexcomp name="x" type="direct" dim="3" point="0 0 0 .1 0 0 .02 .1 0 .03 .02 .12" element="0 1 2 3"
         mass="0.2" radius="0.001">{}<elasticity young="1e5" poisson="0.3" damping="0.001" law="stvk"/></flexcomp>)",
           kSilent),
       FlexTerm::Elasticity},
      {"hinge",
       fmt::format(
           R"(<flexcomp name="x" type="direct" dim="2" point="0 0 0 .1 0 0 .03 .1 0 .04 -.1 0" element="0 1 2 1 0 3"
         mass="0.2" radius="0.001">{}
         <elasticity young="1e8" poisson="0.3" thickness="0.01" elastic2d="bend" bending="cotangent"/></flexcomp>)",
           kSilent),
       FlexTerm::Bending},
  };
}

Model modelFor(const Sample& sample, double timestep, const char* integrator) {
  return modelOf(fmt::format(
      R"(<mujoco><option timestep="{:.17g}" gravity="0 0 0" integrator="{}"/><worldbody>{}</worldbody></mujoco>)",
      timestep, integrator, sample.flex));
}

/// Starts a hair away from rest; whether it diverges within the given steps.
bool diverges(const Sample& sample, double timestep, const char* integrator, Data* last = nullptr) {
  const Model m = modelFor(sample, timestep, integrator);
  Data d(m);
  for (int i = 0; i < m.nq; ++i) d.qpos[i] += 1e-6 * std::sin(3.0 * i + 1);
  for (int i = 0; i < 4000; ++i) {
    step(m, d);
    if (!d.status[Trouble::BadQacc].count && !d.status[Trouble::BadQvel].count && !d.status[Trouble::BadQpos].count)
      continue;
    if (last) *last = d;
    return true;
  }
  return false;
}

const TroubleReport& reportOf(const Data& d) {
  for (const Trouble t : {Trouble::BadQpos, Trouble::BadQvel}) {
    if (d.status[t].count) return d.status[t];
  }
  return d.status[Trouble::BadQacc];
}

TEST(FlexCause, ReportedTimestepIsTheLargestStableOne) {
  for (const Sample& sample : samples()) {
    for (const char* integrator : {"Euler", "RK4"}) {
      SCOPED_TRACE(fmt::format("{} {}", sample.name, integrator));
      Data d(modelFor(sample, 0.001, integrator));
      ASSERT_TRUE(diverges(sample, 0.5, integrator, &d));
      const FlexCause& cause = reportOf(d).flex;
      EXPECT_EQ(cause.flex, 0);
      EXPECT_EQ(cause.term, sample.term);
      EXPECT_EQ(cause.element, 0);
      EXPECT_GE(cause.vertex, 0);
      ASSERT_GT(cause.stableTimestep, 0);
      EXPECT_FALSE(diverges(sample, 0.97 * cause.stableTimestep, integrator));
      EXPECT_TRUE(diverges(sample, 1.2 * cause.stableTimestep, integrator));
    }
  }
}

// Two masses m on a spring k: omega^2 = 2 k / m; with a damper c the rate is 2 c / m.
TEST(FlexCause, BoundOfASpringIsTwoOverItsFrequency) {
  EXPECT_NEAR(stableTimestep(Integrator::Euler, 400, 0), 2 / 20.0, tolerance(1e-15));
  EXPECT_NEAR(stableTimestep(Integrator::Euler, 0, 10), 2 / 10.0, tolerance(1e-15));
  EXPECT_NEAR(stableTimestep(Integrator::RK4, 400, 0), std::sqrt(8) / 20, tolerance(1e-5));
  EXPECT_NEAR(stableTimestep(Integrator::RK4, 0, 10), 2.785293563 / 10, tolerance(1e-8));
  EXPECT_EQ(stableTimestep(Integrator::Euler, 0, 0), 0);

  Data d(modelFor(samples()[0], 0.5, "Euler"));
  ASSERT_TRUE(diverges(samples()[0], 0.5, "Euler", &d));
  const double omega = std::sqrt(2 * 2000 / 0.15);
  EXPECT_NEAR(reportOf(d).flex.stableTimestep, 2 / omega, tolerance(1e-6) * 2 / omega);
}

TEST(FlexCause, WordsNameFlexElementVertexTermAndTimestep) {
  const Sample sample = samples()[2];
  Data d(modelFor(sample, 0.5, "Euler"));
  ASSERT_TRUE(diverges(sample, 0.5, "Euler", &d));
  const std::string text = describeStatus(modelFor(sample, 0.5, "Euler"), d);
  for (const char* part : {"what pushes hardest inside flex \"x\" is elasticity, at vertex ", " of element 0",
                           "explicit integration of it is stable up to a timestep of ", "this one is 0.5 s"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

// In a sheet of many elements the one with a vertex that was torn away is named.
TEST(FlexCause, TheElementThatWasTornIsNamed) {
  const Model m = modelOf(fmt::format(R"(<mujoco><option timestep="0.001"/><worldbody>
    <flexcomp name="sheet" type="grid" dim="2" count="8 8 1" spacing="0.1 0.1 0.1" mass="1">{}
      <elasticity young="1e4" poisson="0.2" thickness="0.01" elastic2d="stretch" law="stvk"/></flexcomp>
    </worldbody></mujoco>)",
                                      kSilent));
  Data d(m);
  d.qpos[3 * 27 + 2] = 1e6;
  step(m, d);
  ASSERT_EQ(d.status[Trouble::BadQacc].count, 1);
  const FlexCause& cause = d.status[Trouble::BadQacc].flex;
  EXPECT_EQ(cause.term, FlexTerm::Elasticity);
  const int* corners = &m.flex_elem[3 * cause.element];
  EXPECT_TRUE(corners[0] == 27 || corners[1] == 27 || corners[2] == 27) << cause.element;
  // near its rest shape it would be fine
  EXPECT_GT(cause.stableTimestep, 0.001);
}

TEST(FlexCause, AnAppliedForceIsNamed) {
  const Model m = modelOf(fmt::format(R"(<mujoco><worldbody>
    <flexcomp name="c" type="grid" dim="1" count="4 1 1" spacing="0.1 0.1 0.1" mass="1">{}<edge stiffness="10"/></flexcomp>
    </worldbody></mujoco>)",
                                      kSilent));
  Data d(m);
  d.qfrc_applied[3 * 2 + 1] = 1e12;
  step(m, d);
  ASSERT_EQ(d.status[Trouble::BadQacc].count, 1);
  const FlexCause& cause = d.status[Trouble::BadQacc].flex;
  EXPECT_EQ(cause.term, FlexTerm::Applied);
  EXPECT_EQ(cause.vertex, 2);
  EXPECT_EQ(cause.stableTimestep, 0);
}

TEST(FlexCause, RigidTroubleNamesNoFlex) {
  const Model m = modelOf(R"(<mujoco><worldbody><body><joint/><geom size="0.1"/></body>
    <flexcomp name="c" type="grid" dim="1" count="4 1 1" spacing="0.1 0.1 0.1" mass="1"/></worldbody></mujoco>)");
  Data d(m);
  d.qvel[0] = std::nan("");
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQvel].flex.flex, -1);
}

// The tray comes first among the dofs and contacts push at it; what is unstable is the cube on it.
TEST(FlexCause, AFlexThatThrowsABodyIsNamedWithItsCure) {
  const Model m = modelOf(R"(<mujoco><option timestep="0.002"/><worldbody>
    <body name="tray"><joint type="slide" axis="0 0 1" stiffness="5000" damping="100"/>
      <geom type="box" size=".3 .3 .02" mass="1"/></body>
    <flexcomp name="cube" type="grid" dim="3" count="3 3 3" spacing=".05 .05 .05" mass="2" radius=".005" pos="0 0 .08">
      <contact selfcollide="none"/><elasticity young="5e4" poisson=".2" damping=".01" law="stvk"/></flexcomp>
    </worldbody></mujoco>)");
  Data d(m);
  const TroubleReport& report = d.status[Trouble::BadQacc];
  for (int i = 0; i < 1000 && report.count == 0; ++i) step(m, d);
  ASSERT_EQ(report.count, 1);
  ASSERT_EQ(report.first, 0);
  EXPECT_EQ(report.force.term, ForceTerm::Constraint);
  EXPECT_EQ(report.flex.term, FlexTerm::Elasticity);
  EXPECT_LT(report.flex.stableTimestep, 0.002);
  EXPECT_NE(describeStatus(m, d).find("; what strains a flex is integrated explicitly: integrator=\"implicitfast\""),
            std::string::npos)
      << describeStatus(m, d);
}

TEST(FlexCause, BeforeTheFirstStepNothingIsBlamed) {
  const Sample sample = samples()[0];
  const Model m = modelFor(sample, 0.001, "Euler");
  Data d(m);
  d.qpos[1] = std::nan("");
  step(m, d);
  ASSERT_EQ(d.status[Trouble::BadQpos].count, 1);
  EXPECT_EQ(d.status[Trouble::BadQpos].flex.flex, 0);
  EXPECT_EQ(d.status[Trouble::BadQpos].flex.term, FlexTerm::None);
  // later there is something
  for (int i = 0; i < 3; ++i) step(m, d);
  d.qpos[1] = std::nan("");
  d.status = {};
  d.qfrc_applied[0] = 1;
  step(m, d);
  EXPECT_EQ(d.status[Trouble::BadQpos].flex.term, FlexTerm::Applied);
}

}  // namespace
}  // namespace sinew
