#include "sinew/batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/mjcf_text.h"

// What tests/acceptance/batch_test.cpp leaves open: memory, and fields that geometry and solver read.
namespace sinew {
namespace {

const char* const kPile = R"(<mujoco><option timestep="0.005"/>
  <worldbody><geom type="plane" size="5 5 1"/>
    <body pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".05 0 .7"><freejoint/><geom type="sphere" size=".1"/></body>
    <body pos="1 0 .5"><joint name="hinge" axis="0 1 0" damping=".1" stiffness="1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="-1 0 .4" mass=".2" radius=".01">
      <edge equality="true"/></flexcomp>
  </worldbody>
  <actuator><position joint="hinge" kp="2"/></actuator>
  <sensor><jointpos joint="hinge"/></sensor>
</mujoco>)";

// what contacts need is there after the warm-up, as the runs repeat themselves
TEST(Batch, BATCH_2_SteppingAllocatesNothingAfterWarmUp) {
  const Model m = test::modelOf(kPile);
  for (const int threads : {1, 2, 4}) {
    Batch batch(m, 6, threads);
    batch.watch("sensordata");
    const std::span<double> friction = batch.vary("geom_friction");
    for (std::size_t i = 0; i < friction.size(); ++i) friction[i] *= 1 + 0.01 * static_cast<double>(i % 7);
    const auto fall = [&] {
      batch.reset();
      for (int i = 0; i < 30; ++i) batch.step(4);
      batch.forward();
    };
    for (int i = 0; i < 4; ++i) fall();
    const test::AllocationGuard guard("Batch::step");
    fall();
  }
}

// gains, stiffness and margins by name: each run is that of a Model with these numbers
TEST(Batch, BATCH_1_GainsStiffnessAndMarginsDifferBetweenRuns) {
  const Model base = test::modelOf(kPile);
  constexpr int kRuns = 4, kSteps = 120;
  std::vector<std::uint64_t> expected;
  const auto change = [&](int run, double* gain, double* bias, double* stiffness, double* margin) {
    gain[0] = 2 + run;
    bias[1] = -(2.0 + run);
    stiffness[2] = 1 + 0.5 * run;  // of the hinge, after two free joints
    margin[1] = 0.01 * run;
  };
  for (int run = 0; run < kRuns; ++run) {
    Model m = base;
    change(run, m.actuator_gainprm.data(), m.actuator_biasprm.data(), m.jnt_stiffness.data(), m.geom_margin.data());
    Data d(m);
    d.ctrl[0] = 1;
    for (int i = 0; i < kSteps; ++i) step(m, d);
    expected.push_back(stateHash(m, d));
  }
  for (const int threads : {1, 2, 4}) {
    Batch batch(base, kRuns, threads);
    const auto gain = batch.vary("actuator_gainprm"), bias = batch.vary("actuator_biasprm");
    const auto stiffness = batch.vary("jnt_stiffness"), margin = batch.vary("geom_margin");
    const auto width = [&](std::span<double> all) { return all.size() / kRuns; };
    for (int run = 0; run < kRuns; ++run) {
      const auto r = static_cast<std::size_t>(run);
      change(run, gain.data() + r * width(gain), bias.data() + r * width(bias), stiffness.data() + r * width(stiffness),
             margin.data() + r * width(margin));
      batch.state("ctrl")[r] = 1;
    }
    batch.step(kSteps / 2);
    batch.step(kSteps / 2);
    for (int run = 0; run < kRuns; ++run) {
      EXPECT_EQ(batch.hash(run), expected[run]) << run << " threads " << threads;
    }
  }
}

}  // namespace
}  // namespace sinew
