#include "sinew/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/refusal.h"

/// Parts of the state by mask: sizes, get, set, copy, extract, bytes. Expected values: the arrays of Data themselves,
/// MuJoCo's numbers of the bits, and a run that was never interrupted.
namespace sinew::test {
namespace {

using Numbers = std::vector<double>;

/// Everything that a state can have: activations, delayed controls and sensors, mocap, equalities, user data.
std::string everything(const std::string& option, const std::string& flags = "") {
  return "<mujoco><option " + option + ">" + flags + R"(</option><size nuserdata="3"/>
  <worldbody><geom type="plane" size="3 3 1"/>
    <body name="hand" mocap="true" pos="0 0 1"/>
    <body name="low" pos="0 0 .3"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".05 0 .6"><freejoint/><geom type="box" size=".1 .1 .1"/>
      <body pos=".2 0 0"><joint name="arm" axis="0 1 0" range="-40 40"/><geom size=".05" pos=".1 0 0"/></body></body>
    <body name="led" pos="0 1 1"><freejoint/><geom size=".05"/></body>
  </worldbody>
  <equality><weld body1="hand" body2="led"/></equality>
  <actuator><position joint="arm" kp="3" timeconst=".1"/><motor joint="arm" delay=".006" nsample="4"/></actuator>
  <sensor><jointpos joint="arm" delay=".008" nsample="5"/></sensor></mujoco>)";
}

std::map<std::string, std::string> models() {
  return {{"impulse", everything(R"(solver="Impulse")")},
          {"newton", everything(R"(solver="Newton")")},
          {"cg", everything(R"(solver="CG" iterations="3")")},
          {"rk4", everything(R"(integrator="RK4")")},
          {"implicit", everything(R"(integrator="implicit" cone="elliptic")")},
          {"sleep", everything(R"(timestep="0.005")", R"(<flag sleep="enable"/>)")},
          {"impulseSleep", everything(R"(timestep="0.005" solver="Impulse")", R"(<flag sleep="enable"/>)")},
          // impulses with the same key: both stops of a joint, vertices of a cloth at one geom
          {"impulseStops",
           R"(<mujoco><option solver="Impulse"/><worldbody><body><joint axis="0 1 0" range="-1 2" margin="2"/>
             <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body></worldbody></mujoco>)"},
          {"impulseCloth", R"(<mujoco><option solver="Impulse" timestep="0.004"/><worldbody>
             <geom type="box" size=".1 .1 .1"/>
             <flexcomp name="cloth" type="grid" count="6 6 1" spacing=".05 .05 .05" pos="0 0 .12" mass=".1" dim="2"
               radius=".01"/></worldbody></mujoco>)"},
          {"cloth", R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="2 2 1"/>
             <geom type="sphere" size=".1" pos="0 0 .1"/>
             <flexcomp name="cloth" type="grid" count="5 5 1" spacing=".05 .05 .05" pos="0 0 .25" mass=".1" dim="2"
               radius=".005"><edge equality="true" damping=".01"/></flexcomp></worldbody></mujoco>)"}};
}

Model modelOf(const std::string& mjcf) { return compile(readMjcfText(mjcf)); }

/// What a program does between steps; depends on the time alone.
void drive(const Model& m, Data& d) {
  for (int u = 0; u < m.nu; ++u) d.ctrl[u] = 0.4 * std::sin(3 * d.time + u);
  if (m.nmocap > 0) d.mocap_pos[0] = 0.2 * std::sin(d.time);
  if (m.nuserdata > 0) d.userdata[1] = d.time;
}

void run(const Model& m, Data& d, int steps) {
  for (int i = 0; i < steps; ++i) {
    drive(m, d);
    step(m, d);
  }
}

TEST(State, API_4_BitsAreThoseOfMuJoCo) {
  // mjtState of 3.12: fourteen bits in this order, and four combinations
  const std::vector<std::string> names{"time",           "qpos",       "qvel",         "act",          "history",
                                       "qacc_warmstart", "ctrl",       "qfrc_applied", "xfrc_applied", "eq_active",
                                       "mocap_pos",      "mocap_quat", "userdata",     "plugin"};
  const auto parts = stateParts();
  ASSERT_EQ(parts.size(), names.size() + 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(parts[i].bit, 1 << i);
    EXPECT_EQ(parts[i].name, names[i]);
  }
  EXPECT_EQ(state::kPhysics, 30);
  EXPECT_EQ(state::kFullPhysics, 8223);
  EXPECT_EQ(state::kUser, 8128);
  EXPECT_EQ(state::kIntegration, 16383);
  EXPECT_EQ(state::kComplete, 16383 | state::kSleep | state::kImpulses);
}

TEST(State, API_4_NumbersAreTheArraysOfDataInTheOrderOfTheBits) {
  const Model m = modelOf(models()["newton"]);
  Data d(m);
  run(m, d, 100);
  d.qfrc_applied[2] = 1.5;
  d.xfrc_applied[7] = -2.5;
  const auto expect = [&](int bit, const Numbers& numbers) {
    EXPECT_EQ(getState(m, d, bit), numbers) << bit;
    EXPECT_EQ(stateSize(m, bit), static_cast<int>(numbers.size())) << bit;
  };
  const auto of = [](const auto& array) { return Numbers(array.begin(), array.end()); };
  expect(state::kTime, {d.time});
  expect(state::kQpos, of(d.qpos));
  expect(state::kQvel, of(d.qvel));
  expect(state::kAct, of(d.act));
  expect(state::kHistory, of(d.history));
  expect(state::kWarmstart, of(d.qacc_warmstart));
  expect(state::kCtrl, of(d.ctrl));
  expect(state::kQfrcApplied, of(d.qfrc_applied));
  expect(state::kXfrcApplied, of(d.xfrc_applied));
  expect(state::kEqActive, {1});
  expect(state::kMocapPos, of(d.mocap_pos));
  expect(state::kMocapQuat, of(d.mocap_quat));
  expect(state::kUserdata, of(d.userdata));
  expect(state::kPlugin, {});
  expect(state::kSleep, of(d.tree_asleep));
  expect(0, {});
  EXPECT_GT(m.nhistory * m.na * m.nu, 0);

  Numbers physics = of(d.qpos);
  for (const auto* array : {&d.qvel, &d.act, &d.history}) physics.insert(physics.end(), array->begin(), array->end());
  expect(state::kPhysics, physics);
  int sum = 0;
  for (const StatePart& part : stateParts()) sum += part.bit == state::kImpulses ? 0 : stateSize(m, part.bit);
  EXPECT_EQ(stateSize(m, state::kIntegration | state::kSleep), sum);
}

TEST(State, API_4_ACopiedStateContinuesBitForBit) {
  for (const auto& [name, mjcf] : models()) {
    SCOPED_TRACE(name);
    const Model m = modelOf(mjcf);
    Data d(m);
    run(m, d, 700);
    ASSERT_EQ(d.row_memory.size() > 0, m.opt.solver == Solver::Impulse || name == "cloth");  // impulses, or sides

    Data copied(m), numbers(m), bytes(m), used(m);
    run(m, used, 137);  // was elsewhere before, so that its memory is not empty
    copyState(m, d, copied);
    setState(m, numbers, state::kComplete, getState(m, d, state::kComplete));
    restoreState(m, bytes, saveState(m, d));
    copyState(m, d, used);
    for (Data* other : {&copied, &numbers, &bytes, &used}) {
      EXPECT_EQ(stateHash(m, *other), stateHash(m, d));
    }
    for (int i = 0; i < 60; ++i) {
      run(m, d, 1);
      for (Data* other : {&copied, &numbers, &bytes, &used}) {
        run(m, *other, 1);
        ASSERT_EQ(stateHash(m, *other), stateHash(m, d)) << i;
        ASSERT_EQ(std::memcmp(other->sensordata.data(), d.sensordata.data(),
                              sizeof(double) * static_cast<std::size_t>(m.nsensordata)),
                  0);
      }
    }
  }
}

TEST(State, API_4_ImpulsesAreNeededToContinueBitForBit) {
  const Model m = modelOf(models()["impulse"]);
  Data d(m), other(m);
  run(m, d, 700);
  copyState(m, d, other, state::kIntegration);  // what MuJoCo calls the integration state
  EXPECT_NE(stateHash(m, other), stateHash(m, d));
  const Numbers impulses = getState(m, d, state::kImpulses);
  EXPECT_EQ(static_cast<int>(impulses.size()), stateSize(m, d, state::kImpulses));
  EXPECT_EQ(impulses[0], static_cast<double>(d.row_memory.size()));
  setState(m, other, state::kImpulses, impulses);
  run(m, d, 30);
  run(m, other, 30);
  EXPECT_EQ(stateHash(m, other), stateHash(m, d));
}

TEST(State, API_4_OnlyThePartsOfTheMaskChange) {
  const Model m = modelOf(models()["impulse"]);
  Data source(m);
  run(m, source, 300);
  source.qfrc_applied[1] = 1;
  source.xfrc_applied[3] = 2;
  source.eq_active[0] = 0;
  source.mocap_quat[1] = 0.5;
  for (const StatePart& changed : stateParts()) {
    if (changed.bit == state::kPlugin || changed.bit == state::kSleep) continue;  // nothing in it, equal in both
    SCOPED_TRACE(changed.name);
    for (const bool copy : {true, false}) {
      Data d(m);
      const Data before = d;
      if (copy) {
        copyState(m, source, d, changed.bit);
      } else {
        setState(m, d, changed.bit, getState(m, source, changed.bit));
      }
      for (const StatePart& part : stateParts()) {
        const Numbers expected = getState(m, part.bit == changed.bit ? source : before, part.bit);
        EXPECT_EQ(getState(m, d, part.bit), expected) << part.name;
      }
      EXPECT_NE(stateHash(m, d), stateHash(m, before));
    }
  }
}

TEST(State, API_4_ExtractTakesPartsOutOfNumbers) {
  const Model m = modelOf(models()["impulse"]);
  Data d(m);
  run(m, d, 300);
  const Numbers all = getState(m, d, state::kComplete);
  for (const int mask : {state::kQvel, state::kPhysics, state::kUser, state::kTime | state::kCtrl | state::kUserdata,
                         state::kQpos | state::kImpulses, state::kIntegration, state::kComplete, 0}) {
    Numbers part(static_cast<std::size_t>(stateSize(m, d, mask)));
    extractState(m, all, state::kComplete, part, mask);
    EXPECT_EQ(part, getState(m, d, mask)) << mask;
  }
  Numbers few(1);
  EXPECT_EQ(refusal([&] { extractState(m, getState(m, d, state::kPhysics), state::kPhysics, few, state::kTime); }),
            "extractState: the mask 0x1 has parts that 0x1e does not have: 0x1");
  EXPECT_EQ(refusal([&] { extractState(m, all, state::kComplete, few, state::kCtrl); }),
            "extractState: 1 numbers given, the parts of the mask 0x40 have 2");
}

TEST(State, API_4_SavedPartsSayWhatTheyAre) {
  const Model m = modelOf(models()["newton"]);
  Data d(m), other(m);
  run(m, d, 20);
  const std::vector<std::byte> bytes = saveState(m, d, state::kPhysics | state::kTime);
  EXPECT_EQ(savedParts(bytes), state::kPhysics | state::kTime);
  EXPECT_EQ(savedParts(saveState(m, d)), state::kComplete);
  restoreState(m, other, bytes);
  EXPECT_EQ(getState(m, other, state::kFullPhysics), getState(m, d, state::kFullPhysics));
  EXPECT_NE(other.ctrl, d.ctrl);
}

TEST(State, API_4_BadInputIsRefusedAndChangesNothing) {
  const Model m = modelOf(models()["impulse"]);
  const Model foreign = modelOf(models()["cloth"]);
  Data d(m), alien(foreign);
  run(m, d, 100);
  const std::uint64_t before = stateHash(m, d);
  Numbers two(2);

  const std::string noBits =
      ": the mask 0x8004001 has bits that are no part of a state: 0x8004000; those that are: "
      "0x3003fff";
  const int bad = state::kTime | (1 << 14) | (1 << 27);
  EXPECT_EQ(refusal([&] { stateSize(m, bad); }), "stateSize" + noBits);
  EXPECT_EQ(refusal([&] { getState(m, d, bad, two); }), "getState" + noBits);
  EXPECT_EQ(refusal([&] { setState(m, d, bad, two); }), "setState" + noBits);
  EXPECT_EQ(refusal([&] { copyState(m, d, d, bad); }), "copyState" + noBits);
  EXPECT_EQ(refusal([&] { extractState(m, two, bad, two, 0); }), "extractState" + noBits);
  EXPECT_EQ(refusal([&] { extractState(m, two, 0, two, bad); }), "extractState" + noBits);
  EXPECT_EQ(refusal([&] { saveState(m, d, bad); }), "saveState" + noBits);
  EXPECT_EQ(refusal([&] { stateSize(m, -1); }),
            "stateSize: the mask 0xffffffff has bits that are no part of a state: 0xfcffc000; those that are: "
            "0x3003fff");
  EXPECT_EQ(refusal([&] { stateSize(m, state::kComplete); }),
            "stateSize: the number of impulses changes from step to step; pass the Data as well, or leave out "
            "kImpulses");

  EXPECT_EQ(refusal([&] { getState(m, d, state::kTime, two); }),
            "getState: 2 numbers given, the parts of the mask 0x1 have 1");
  EXPECT_EQ(refusal([&] { setState(m, d, state::kQvel, two); }),
            "setState: 2 numbers given, the parts of the mask 0x4 have 19");
  EXPECT_EQ(refusal([&] { setState(m, d, state::kQvel | state::kImpulses, two); }),
            "setState: 2 numbers given, the parts of the mask 0x2000004 have 20");

  const std::string other = ": the Data was made for another Model";
  EXPECT_EQ(refusal([&] { getState(m, alien, state::kTime); }), "getState" + other);
  EXPECT_EQ(refusal([&] { getState(m, alien, state::kTime, std::span(two).first(1)); }), "getState" + other);
  EXPECT_EQ(refusal([&] { setState(m, alien, state::kTime, std::span(two).first(1)); }), "setState" + other);
  EXPECT_EQ(refusal([&] { copyState(m, alien, d); }), "copyState" + other);
  EXPECT_EQ(refusal([&] { copyState(m, d, alien); }), "copyState" + other);

  EXPECT_EQ(refusal([&] { setState(m, d, state::kEqActive, Numbers{0.5}); }),
            "setState: eq_active[0] of the given state is 0.5, must be 0 or 1");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([&] { setState(m, d, state::kEqActive, Numbers{nan}); }),
            "setState: eq_active[0] of the given state is nan, must be 0 or 1");
  EXPECT_EQ(refusal([&] {
              setState(m, d, state::kSleep, Numbers{-1, 1, 1});
            }),
            "setState: tree_asleep[2] of the given state is 1: trees that sleep must form rings");
  EXPECT_EQ(refusal([&] {
              setState(m, d, state::kSleep, Numbers{-1, 0, -1});
            }),
            "setState: tree_asleep[1] of the given state is 0: trees that sleep must form rings");
  EXPECT_EQ(refusal([&] {
              setState(m, d, state::kSleep, Numbers{3, -1, -1});
            }),
            "setState: tree_asleep[0] of the given state is 3: trees that sleep must form rings");
  EXPECT_EQ(refusal([&] {
              setState(m, d, state::kSleep, Numbers{nan, -1, -1});
            }),
            "setState: tree_asleep[0] of the given state is nan: trees that sleep must form rings");

  EXPECT_EQ(refusal([&] { setState(m, d, state::kImpulses, Numbers{-1}); }),
            "setState: the impulses of the given state begin with -1, must be how many there are");
  EXPECT_EQ(refusal([&] {
              setState(m, d, state::kImpulses, Numbers{2, 0});
            }),
            "setState: the impulses of the given state are 2 numbers, must be 19 for a count of 2");
  Numbers impulses(19, 0.0);
  impulses[0] = 2;
  impulses[2] = 1;  // keys 1 and 0
  EXPECT_EQ(refusal([&] { setState(m, d, state::kImpulses, impulses); }),
            "setState: the impulses of the given state are not in the order of their keys, at 1");
  impulses[10] = 0.5;
  EXPECT_EQ(refusal([&] { setState(m, d, state::kImpulses, impulses); }),
            "setState: the impulses of the given state have a key that is none, at 1");

  const std::vector<std::byte> bytes = saveState(m, d);
  const auto damaged = [&](std::size_t at, unsigned char value) {
    std::vector<std::byte> copy = bytes;
    copy[at] = static_cast<std::byte>(value);
    return refusal([&] { restoreState(m, d, copy); });
  };
  EXPECT_EQ(damaged(0, 'x'),
            "restoreState: the " + std::to_string(bytes.size()) + " bytes given are no state that saveState() saved");
  EXPECT_EQ(damaged(8, 7), "restoreState: the state has the format 7; this Sinew reads 1");
  EXPECT_EQ(damaged(25, 0x7f), "restoreState: the mask 0x3007fff of the state has bits that are no part of a state");
  EXPECT_EQ(refusal([&] { restoreState(m, d, std::span(bytes).first(11)); }),
            "restoreState: the 11 bytes given are no state that saveState() saved");
  EXPECT_EQ(refusal([&] { restoreState(m, d, std::span(bytes).first(bytes.size() - 8)); }),
            "restoreState: the state has " + std::to_string(bytes.size() - 8) + " bytes, must have " +
                std::to_string((bytes.size() - 40) / 8) + " numbers of 8 bytes after a header of 40");
  const std::string foreignText = refusal([&] { restoreState(m, d, saveState(foreign, alien)); });
  EXPECT_EQ(test::refusal([&] { getState(m, d, 1 << 30); }).find("getState: the mask 0x40000000 has bits"), 0u);
  EXPECT_EQ(foreignText.find("restoreState: the state belongs to another model, whose signature is "), 0u)
      << foreignText;
  EXPECT_EQ(stateHash(m, d), before);
}

TEST(State, GetSetAndCopyAllocateNothing) {
  const Model m = modelOf(models()["impulse"]);
  Data d(m), other(m);
  run(m, d, 200);
  const int mask = state::kIntegration | state::kImpulses;
  Numbers numbers(static_cast<std::size_t>(stateSize(m, d, mask)));
  copyState(m, d, other, mask);
  const AllocationGuard guard("state");
  getState(m, d, mask, numbers);
  setState(m, other, mask, numbers);
  copyState(m, d, other, mask);
}

}  // namespace
}  // namespace sinew::test
