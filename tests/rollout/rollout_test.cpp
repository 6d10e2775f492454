#include "sinew/rollout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/mjcf_text.h"

// Rollouts in C++ against loops written out.
namespace sinew {
namespace {

const char* const kModel = R"(<mujoco><option timestep="0.005"/>
  <worldbody><geom type="plane" size="5 5 1"/>
    <body name="a" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="arm" pos="1 0 .5"><joint name="hinge" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .4 0 0"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" pos="-1 0 .4" mass=".2" radius=".01">
      <edge equality="true"/></flexcomp>
  </worldbody>
  <actuator><motor joint="hinge" gear="2"/></actuator>
  <sensor><jointpos joint="hinge"/><accelerometer site="none"/></sensor>
</mujoco>)";

std::string modelText(const std::string& option = "") {
  std::string text = kModel;
  text.replace(text.find("<accelerometer site=\"none\"/>"), 28, "<framelinacc objtype=\"body\" objname=\"a\"/>");
  return text.replace(text.find("timestep"), 0, option + " ");
}

TEST(Rollout, ROLL_1_SamplesAreThoseOfALoopWithForward) {
  for (const char* option : {"", "integrator=\"RK4\"", "integrator=\"implicitfast\"", "solver=\"Impulse\""}) {
    SCOPED_TRACE(option);
    const Model m = test::modelOf(modelText(option));
    constexpr int kSteps = 40, kEvery = 8;
    RolloutInput input;
    input.steps = kSteps, input.every = kEvery, input.threads = 2;
    input.record = {"time", "qpos", "ctrl", "sensordata", "xpos", "qacc", "energy", "flexelem_strain"};
    std::vector<double> ctrl, qvel(static_cast<std::size_t>(3 * m.nv));
    for (int i = 0; i < 3 * kSteps; ++i) ctrl.push_back(std::sin(0.3 * i));
    for (int run = 0; run < 3; ++run) qvel[run * m.nv] = 0.1 * run;
    input.ctrl = ctrl;
    input.qvel = qvel;
    const RolloutResult result = rollout(m, 3, input);
    // the same without what costs an evaluation: other ways to the same numbers
    RolloutInput cheap = input;
    cheap.record = {"sensordata", "xpos", "qacc"};
    const RolloutResult quick = rollout(m, 3, cheap);
    EXPECT_EQ(quick.values[0], result.values[3]);
    EXPECT_EQ(quick.values[1], result.values[4]);
    EXPECT_EQ(quick.values[2], result.values[5]);
    ASSERT_EQ(result.samples, kSteps / kEvery + 1);
    for (int run = 0; run < 3; ++run) {
      Data d(m);
      d.qvel[0] = 0.1 * run;
      std::vector<std::size_t> at;
      for (const auto& values : result.values) at.push_back(values.size() / 3 * static_cast<std::size_t>(run));
      for (int i = 0; i <= kSteps; ++i) {
        d.ctrl[0] = ctrl[run * kSteps + std::min(i, kSteps - 1)];
        if (i % kEvery == 0) {
          Data seen = d;
          forward(m, seen);
          energy(m, seen);
          measureFlexes(m, seen);
          const auto expect = [&](std::size_t k, const auto& values) {
            for (const double x : values) EXPECT_EQ(result.values[k][at[k]++], x) << result.arrays[k].name << " " << i;
          };
          expect(0, std::vector<double>{seen.time});
          expect(1, seen.qpos);
          expect(2, seen.ctrl);
          expect(3, seen.sensordata);
          expect(4, seen.xpos);
          expect(5, seen.qacc);
          expect(6, seen.energy);
          expect(7, seen.flexelem_strain);
        }
        if (i < kSteps) step(m, d);
      }
      const RunOutcome& outcome = result.outcomes[run];
      // a step leaves the controls of the last step in the state
      d.ctrl[0] = ctrl[run * kSteps + kSteps - 1];
      EXPECT_EQ(outcome.hash, stateHash(m, d));
      EXPECT_EQ(outcome.steps, kSteps);
      EXPECT_EQ(outcome.qpos, std::vector<double>(d.qpos.begin(), d.qpos.end()));
    }
  }
}

// an unstable servo: the last finite state is the one before the numbers leave the range
TEST(Rollout, ROLL_3_ADivergedRunKeepsItsLastFiniteState) {
  const Model m = test::modelOf(R"(<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody>
    <body name="b"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
    <actuator><position joint="slide" kp="1e6"/></actuator></mujoco>)");
  RolloutInput input;
  input.steps = 100, input.every = 1;
  input.record = {"time", "qpos"};
  const std::vector<double> qpos{1e-3, 0};  // the second one rests where nothing pulls
  input.qpos = qpos;
  const RolloutResult result = rollout(m, 2, input);
  const RunOutcome& bad = result.outcomes[0];
  ASSERT_TRUE(bad.diverged);
  EXPECT_FALSE(result.outcomes[1].diverged);
  EXPECT_EQ(result.outcomes[1].steps, 100);
  EXPECT_EQ(result.outcomes[1].message, "");
  EXPECT_NE(bad.message.find("joint \"slide\""), std::string::npos) << bad.message;
  // step by step: the last state whose numbers, and whose acceleration, are in range
  Data d(m);
  d.qpos[0] = 1e-3;
  Data last = d;
  int steps = 0;
  while (d.status.ok()) {
    last = d;
    step(m, d);
    ++steps;
  }
  const bool beganBad = d.status[Trouble::BadQpos].count + d.status[Trouble::BadQvel].count > 0;
  --steps;
  if (beganBad) {
    Data again(m);
    again.qpos[0] = 1e-3;
    for (int i = 0; i + 1 < steps; ++i) step(m, again);
    last = again;
    --steps;
  }
  EXPECT_EQ(bad.steps, steps);
  EXPECT_EQ(bad.time, last.time);
  EXPECT_EQ(bad.qpos[0], last.qpos[0]);
  EXPECT_EQ(bad.qvel[0], last.qvel[0]);
  EXPECT_TRUE(std::isfinite(bad.qpos[0]) && std::isfinite(bad.qvel[0]));
  for (int i = 0; i <= 100; ++i) {
    EXPECT_EQ(std::isnan(result.values[1][i]), i > steps) << i;
  }
}

// v = 9e7 k after k steps leaves the range of 1e10 with step 112, which is noticed at the beginning of the next one, or
// at the end
TEST(Rollout, ROLL_3_AVelocityOutOfRangeIsNotTheLastState) {
  const Model m = test::modelOf(R"(<mujoco><option timestep="0.01" gravity="9e9 0 0"/><worldbody>
    <body name="b"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)");
  RolloutInput input;
  input.record = {"qvel"};
  for (const int steps : {111, 112, 113, 150}) {
    input.steps = steps;
    const RolloutResult result = rollout(m, 1, input);
    const RunOutcome& end = result.outcomes[0];
    EXPECT_EQ(end.diverged, steps > 111) << steps;
    EXPECT_EQ(end.steps, 111) << steps;
    EXPECT_NEAR(end.qvel[0], 111 * 9e7, 1) << steps;
    EXPECT_NEAR(end.time, 1.11, 1e-9) << steps;
    EXPECT_NEAR(result.values[0][111], 111 * 9e7, 1);
    if (steps > 111) {
      EXPECT_TRUE(std::isnan(result.values[0][112])) << steps;
      EXPECT_NE(end.message.find("joint \"slide\""), std::string::npos) << end.message;
    }
  }
}

TEST(Rollout, BATCH_2_ARunAllocatesNothingWhileItSteps) {
  const Model m = test::modelOf(modelText());
  const Rollout plan(m, 400, 10, {"qpos", "sensordata", "xpos"});
  const Rollout once(m, 20, 10, {"qpos", "sensordata", "xpos"});
  const auto room = [&](const Rollout& r) {
    std::vector<std::vector<double>> values;
    for (const RecordedArray& a : r.arrays()) values.emplace_back(static_cast<std::size_t>(r.samples() * a.width()));
    return values;
  };
  std::vector<std::vector<double>> longer = room(plan), shorter = room(once);
  const auto allocations = [&](const Rollout& r, std::vector<std::vector<double>>& values) {
    const std::vector<std::span<double>> spans(values.begin(), values.end());
    Data d(m);
    for (int i = 0; i < 400; ++i) step(m, d);  // contacts have made their room
    reset(m, d);
    const long before = test::allocationCount();
    r.run(m, d, spans);
    return test::allocationCount() - before;
  };
  EXPECT_EQ(allocations(plan, longer), allocations(once, shorter));
}

TEST(Rollout, ROLL_4_WrongArgumentsAreNamed) {
  const Model m = test::modelOf(modelText());
  const auto message = [&](int runs, const RolloutInput& input) -> std::string {
    try {
      rollout(m, runs, input);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "no exception";
  };
  RolloutInput input;
  input.steps = 2;
  EXPECT_EQ(message(0, input), "rollout: the number of runs is 0, must be 1 or more");
  input.record = {"qpoz"};
  EXPECT_EQ(message(1, input), "rollout: Data has no array named \"qpoz\" (did you mean \"qpos\"?)");
  input.record = {"qpos", "qpos"};
  EXPECT_EQ(message(1, input), "rollout: \"qpos\" is recorded twice");
  input.record = {};
  input.every = 0;
  EXPECT_EQ(message(1, input), "rollout: a sample every 0 steps cannot be, must be 1 or more");
  input.every = 1;
  input.key = 0;
  EXPECT_EQ(message(1, input), "rollout: keyframe 0 does not exist, the model has 0");
  input.key = -1;
  const std::vector<double> three(3);
  input.ctrl = three;
  EXPECT_EQ(message(2, input), "rollout: \"ctrl\" has 3 numbers, expected 2 x 2 x 1, 2 x 1 or 1");
  input.ctrl = {};
  // numbers whose product is beyond 64 bits: neither wrapped nor left to the allocator
  input.record = {"qpos"};
  for (const std::int64_t many : {std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1, INT64_MAX}) {
    input.steps = many;
    if (many > std::int64_t{1} << 53) {
      EXPECT_EQ(message(2048, input),
                "rollout: the number of steps is " + std::to_string(many) + ", must be 9007199254740992 or less");
    } else {
      EXPECT_EQ(message(2048, input), "rollout: 2048 x " + std::to_string(many + 1) + " x " + std::to_string(m.nq) +
                                          " numbers of \"qpos\" are more than there can be");
    }
  }
  input.steps = 2;
  input.qpos = three;
  EXPECT_EQ(message(2, input),
            "rollout: \"qpos\" has 3 numbers, expected " + std::to_string(m.nq) + " or 2 x " + std::to_string(m.nq));
}

}  // namespace
}  // namespace sinew
