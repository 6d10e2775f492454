#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/refusal.h"

/// Numbers that are none in what the user writes between two steps, and Data of another Model.
namespace sinew {
namespace {

using test::modelOf;
using test::refusal;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Two balls, one on the floor and one held by a mocap body, and an arm with two motors.
Model scene(Solver solver, Integrator integrator, bool contacts) {
  Model m = modelOf(fmt::format(R"(<mujoco><worldbody>
    <geom type="plane" size="5 5 .1" {}/>
    <body name="led" mocap="true" pos="2 0 1"/>
    <body name="a" pos="0 0 .09"><freejoint/><geom size=".1"/></body>
    <body name="b" pos="2 0 1"><freejoint/><geom size=".1"/></body>
    <body name="arm" pos="0 2 1"><joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
      <body pos=".5 0 0"><joint name="k" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/></body>
    </body></worldbody>
    <equality><weld body1="led" body2="b"/></equality>
    <actuator><motor name="one" joint="j"/><motor name="two" joint="k" ctrlrange="-2 2" ctrllimited="true"/></actuator>
    </mujoco>)",
                                contacts ? "" : R"(contype="0" conaffinity="0")"));
  m.opt.solver = solver;
  m.opt.integrator = integrator;
  return m;
}

/// One bad input: what is reported, and how it is set.
struct BadInput {
  const char* name;
  Trouble trouble;
  int index;  ///< of the report
  std::function<void(Data&, double)> set;
};

std::vector<BadInput> badInputs(const Model& m) {
  return {
      {"qfrc_applied", Trouble::BadApplied, 1, [](Data& d, double x) { d.qfrc_applied[1] = x; }},
      {"force", Trouble::BadApplied, m.nv + 13, [](Data& d, double x) { d.xfrc_applied[13] = x; }},
      {"torque", Trouble::BadApplied, m.nv + 16, [](Data& d, double x) { d.xfrc_applied[16] = x; }},
      {"both forces", Trouble::BadApplied, 3,
       [](Data& d, double x) { d.xfrc_applied[14] = d.qfrc_applied[3] = d.qfrc_applied[4] = x; }},
      {"ctrl", Trouble::BadCtrl, 0, [](Data& d, double x) { d.ctrl[0] = x, d.ctrl[1] = 1; }},
      {"clamped ctrl", Trouble::BadCtrl, 1, [](Data& d, double x) { d.ctrl[0] = 1, d.ctrl[1] = x; }},
      {"mocap_pos", Trouble::BadMocap, 2, [](Data& d, double x) { d.mocap_pos[2] = x; }},
      {"mocap_quat", Trouble::BadMocap, 3 + 1, [](Data& d, double x) { d.mocap_quat[1] = x; }},
      {"mocap_quat of length zero", Trouble::BadMocap, 3,
       [](Data& d, double) { std::fill(d.mocap_quat.begin(), d.mocap_quat.end(), 0.0); }},
  };
}

TEST(TroubleInputs, ONE_10_NumbersThatAreNoneAreReportedByEverySolverAndIntegrator) {
  for (const Solver solver : {Solver::PGS, Solver::CG, Solver::Newton, Solver::Impulse}) {
    for (const Integrator integrator :
         {Integrator::Euler, Integrator::RK4, Integrator::Implicit, Integrator::ImplicitFast}) {
      if (solver == Solver::Impulse && integrator == Integrator::RK4) continue;
      for (const bool contacts : {false, true}) {
        const Model m = scene(solver, integrator, contacts);
        Data start(m);
        for (int i = 0; i < 5; ++i) step(m, start);
        ASSERT_TRUE(start.status.ok()) << describeStatus(m, start);
        for (const BadInput& input : badInputs(m)) {
          for (const double value : {kNaN, kInf, -kInf}) {
            SCOPED_TRACE(fmt::format("solver {} integrator {} contacts {} {} {}", static_cast<int>(solver),
                                     static_cast<int>(integrator), contacts, input.name, value));
            Data good = start, bad = start;
            input.set(bad, value);
            const Data given = bad;
            for (int i = 0; i < 3; ++i) {
              step(m, good);
              step(m, bad);
            }
            const TroubleReport& report = bad.status[input.trouble];
            EXPECT_EQ(report.count, 3);
            EXPECT_EQ(report.first, input.index);
            EXPECT_EQ(report.time, start.time);
            for (int k = 0; k < static_cast<int>(Trouble::Count); ++k) {
              const auto other = static_cast<Trouble>(k);
              EXPECT_TRUE(other == input.trouble || bad.status[other].count == 0) << describeStatus(m, bad);
            }
            // as if the entry were zero, or the body had not been moved: bit for bit
            EXPECT_EQ(std::memcmp(bad.qpos.data(), good.qpos.data(),
                                  sizeof(double) * static_cast<std::size_t>(bad.qpos.size())),
                      0);
            EXPECT_EQ(std::memcmp(bad.qvel.data(), good.qvel.data(),
                                  sizeof(double) * static_cast<std::size_t>(bad.qvel.size())),
                      0);
            // and the user's arrays are the user's
            const auto same = [](const Array<double>& a, const Array<double>& b) {
              return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
            };
            EXPECT_TRUE(same(bad.ctrl, given.ctrl) && same(bad.qfrc_applied, given.qfrc_applied) &&
                        same(bad.xfrc_applied, given.xfrc_applied) && same(bad.mocap_pos, given.mocap_pos) &&
                        same(bad.mocap_quat, given.mocap_quat));

            Data once = start;
            input.set(once, value);
            forward(m, once);
            EXPECT_EQ(once.status[input.trouble].count, 1);
            EXPECT_EQ(once.status[input.trouble].first, input.index);
            for (const double a : once.qacc) EXPECT_TRUE(std::isfinite(a));
          }
        }
      }
    }
  }
}

TEST(TroubleInputs, ONE_10_TheTextNamesTheEntryAndWhatItBelongsTo) {
  const Model m = scene(Solver::Newton, Integrator::Euler, true);
  const auto textOf = [&](const std::function<void(Data&)>& set) {
    Data d(m);
    set(d);
    step(m, d);
    return describeStatus(m, d);
  };
  EXPECT_EQ(textOf([](Data& d) { d.xfrc_applied[13] = kNaN; }),
            "xfrc_applied[13] (body \"a\") was not finite; it counted as zero (first at t = 0 s, 1 time)\n");
  EXPECT_EQ(textOf([](Data& d) { d.qfrc_applied[12] = -kInf; }),
            "qfrc_applied[12] (joint \"j\" of body \"arm\") was not finite; it counted as zero (first at t = 0 s, 1 "
            "time)\n");
  EXPECT_EQ(textOf([](Data& d) { d.ctrl[1] = kInf; }),
            "ctrl[1] (actuator \"two\") was not finite or beyond 1e10; all controls counted as zero (first at t = 0 s, "
            "1 time)\n");
  EXPECT_EQ(textOf([](Data& d) { d.mocap_pos[0] = kInf; }),
            "mocap_pos[0] (body \"led\") was not finite; the body stayed where it was (first at t = 0 s, 1 time)\n");
  EXPECT_EQ(
      textOf([](Data& d) { d.mocap_quat[3] = kNaN; }),
      "mocap_quat[3] (body \"led\") was not finite, or the quaternion zero; the body stayed turned as it was (first "
      "at t = 0 s, 1 time)\n");
}

// the first step has no pose before it: then it is that of the model, and of a state that was saved that of the model
// too
TEST(TroubleInputs, ONE_10_AMocapPoseThatWasNeverGoodIsThatOfTheModel) {
  const Model m = scene(Solver::Newton, Integrator::Euler, true);
  Data d(m);
  d.mocap_pos[0] = kNaN;
  step(m, d);
  EXPECT_EQ(d.xpos[3], 2);
  EXPECT_EQ(d.xpos[5], 1);
  const std::vector<std::byte> state = saveState(m, d);
  Data a(m), b(m);
  b.mocap_pos[0] = 7;
  step(m, b);
  restoreState(m, a, state);
  restoreState(m, b, state);
  step(m, a);
  step(m, b);
  EXPECT_EQ(stateHash(m, a), stateHash(m, b));
}

// what is no number within the engine is not swallowed either: an activation, in contact or not
TEST(TroubleInputs, ONE_10_ABadActivationIsABadAcceleration) {
  for (const Solver solver : {Solver::PGS, Solver::CG, Solver::Newton, Solver::Impulse}) {
    Model m = modelOf(R"(<mujoco><worldbody><geom type="plane" size="5 5 .1"/><body pos="0 0 .09"><joint name="z"
        type="slide" axis="0 0 1"/><geom size=".1"/></body></worldbody>
        <actuator><general joint="z" dyntype="integrator"/></actuator></mujoco>)");
    m.opt.solver = solver;
    Data d(m);
    for (int i = 0; i < 5; ++i) step(m, d);
    d.act[0] = kNaN;
    step(m, d);
    EXPECT_EQ(d.status[Trouble::BadQacc].count, 1) << static_cast<int>(solver);
    EXPECT_EQ(d.status[Trouble::BadQacc].first, 0);
  }
}

// ------------------------------------------------------------------------------------------ Data of another Model

Model chainOf(int n) {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < n; ++i) text += R"(<body pos="0 0 -.2"><joint axis="0 1 0"/><geom size=".05"/>)";
  for (int i = 0; i < n; ++i) text += "</body>";
  return modelOf(text + R"(</worldbody><keyframe><key name="k"/></keyframe></mujoco>)");
}

TEST(TroubleInputs, ONE_9_ADataOfAnotherModelIsRefusedEverywhere) {
  const Model small = chainOf(2), large = chainOf(40);
  for (const auto& pair : {std::pair{&small, &large}, {&large, &small}}) {
    const Model *m = pair.first, *other = pair.second;
    Data d(*other);
    for (int i = 0; i < 3; ++i) step(*other, d);
    const std::uint64_t before = stateHash(*other, d);
    step(*m, d);
    forward(*m, d);
    energy(*m, d);
    measureFlexes(*m, d);
    EXPECT_EQ(d.status[Trouble::OtherModel].count, 4);
    EXPECT_EQ(stateHash(*other, d), before);
    const auto text = [](const char* who) { return fmt::format("{}: the Data was made for another Model", who); };
    EXPECT_EQ(refusal([&] { inverse(*m, d); }), text("inverse"));
    EXPECT_EQ(refusal([&] { reset(*m, d); }), text("reset"));
    EXPECT_EQ(refusal([&] { resetToKey(*m, d, 0); }), text("resetToKey"));
    EXPECT_EQ(refusal([&] { saveState(*m, d); }), text("saveState"));
    EXPECT_EQ(refusal([&] { restoreState(*m, d, saveState(*other, d)); }), text("restoreState"));
    EXPECT_EQ(refusal([&] { stateHash(*m, d); }), text("stateHash"));
    EXPECT_EQ(describeStatus(*m, d), "the Data was made for another Model; the step did nothing\n");
    EXPECT_EQ(stateHash(*other, d), before);
    step(*other, d);  // its own Model goes on with it
    EXPECT_NE(stateHash(*other, d), before);
  }
}

TEST(TroubleInputs, ONE_9_CopiesOfAModelAndModelsCompiledAgainAreTheSame) {
  const Model m = chainOf(5);
  const Model copy = m, again = chainOf(5);
  Data d(m);
  step(copy, d);
  step(again, d);
  inverse(copy, d);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  reset(again, d);
  EXPECT_EQ(d.time, 0);
}

// the same sizes, another tree: what it would do to memory is harmless, but its numbers would be nonsense
TEST(TroubleInputs, ONE_9_EqualSizesAreNotEnough) {
  const auto model = [](const char* first, const char* second) {
    return modelOf(fmt::format(R"(<mujoco><worldbody><body><joint type="{}"/><geom size=".1"/></body>
        <body><joint type="{}"/><geom size=".1"/></body></worldbody></mujoco>)",
                               first, second));
  };
  const Model a = model("hinge", "slide"), b = model("slide", "hinge");
  Data d(a);
  step(b, d);
  EXPECT_EQ(d.status[Trouble::OtherModel].count, 1);
}

}  // namespace
}  // namespace sinew
