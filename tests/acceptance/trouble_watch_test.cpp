#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/paths.h"
#include "support/tolerance.h"

/// What the status tells of a run: how far things overlapped and constraints were violated, energy from nowhere,
/// solvers that do not converge. See docs/trouble.md.
namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

void run(const Model& m, Data& d, double duration) {
  const double end = d.time + duration - 0.5 * m.opt.timestep;
  while (d.time < end) step(m, d);
}

// ------------------------------------------------------------------------------------------ how far, where and when

TEST(Watch, TheDeepestContactIsKeptWithItsPlaceAndTime) {
  for (const char* solver : {"Newton", "CG", "PGS", "Impulse"}) {
    for (const double depth : {0.001, 0.03}) {
      const Model m = modelOf(fmt::format(R"(<mujoco><option solver="{}"/><worldbody>
          <geom name="floor" type="plane" size="5 5 .1"/>
          <body pos="1 2 {}"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>)",
                                          solver, 0.1 - depth));
      Data d(m);
      run(m, d, 1);
      const DeepestContact& deepest = d.status.deepest;
      EXPECT_NEAR(deepest.depth, depth, tolerance(1e-12));  // at the start; it is pushed out
      EXPECT_EQ(deepest.time, 0);
      EXPECT_NEAR(deepest.pos[0], 1, tolerance(1e-12));
      EXPECT_NEAR(deepest.pos[1], 2, tolerance(1e-12));
      EXPECT_EQ(deepest.collider, (std::array<int, 2>{0, 1}));
    }
  }
}

TEST(Watch, ContactsWithFlexesCountLikeOthers) {
  const Model m = modelOf(R"(<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <flexcomp name="cube" type="grid" count="2 2 2" spacing=".1 .1 .1" pos="0 0 .04" radius=".001" dim="3" mass="1">
      <contact selfcollide="none"/><elasticity young="1e4"/></flexcomp></worldbody></mujoco>)");
  Data d(m);
  step(m, d);
  EXPECT_NEAR(d.status.deepest.depth, 0.011, tolerance(1e-12));
  EXPECT_EQ(d.status.deepest.collider, (std::array<int, 2>{0, 1}));  // the floor and the first flex
}

/// One equality between two bodies that are not where it wants them.
Status statusWith(const std::string& bodies, const std::string& equality, const std::string& more = "") {
  const Model m = modelOf(
      fmt::format(R"(<mujoco><option gravity="0 0 0"/><worldbody>{}</worldbody>{}<equality>{}</equality></mujoco>)",
                  bodies, more, equality));
  Data d(m);
  step(m, d);
  return d.status;
}

TEST(Watch, ErrorsOfEqualitiesAreInMetresAndRadiansApart) {
  const std::string free = R"(<body name="a"><freejoint/><geom size=".1"/><site name="s"/></body>
      <body name="b" pos="1 0 0"><freejoint/><geom size=".1"/><site name="t" pos="-.96 .03 0" euler="0 0 30"/></body>)";
  const Status connect = statusWith(free, R"(<connect site1="s" site2="t"/>)");
  EXPECT_NEAR(connect.position.value, 0.05, tolerance(1e-12));
  EXPECT_EQ(connect.position.equality, 0);
  EXPECT_EQ(connect.position.flex, -1);
  EXPECT_EQ(connect.angle.equality, -1);

  const Status weld = statusWith(free, R"(<weld site1="s" site2="t" torquescale="0.3"/>)");
  EXPECT_NEAR(weld.position.value, 0.05, tolerance(1e-12));
  EXPECT_NEAR(weld.angle.value, M_PI / 6, tolerance(1e-12));

  for (const char* type : {"hinge", "slide"}) {
    const std::string joints = fmt::format(R"(<body><joint name="j" type="{}"/><geom size=".1"/></body>)", type);
    const Status joint = statusWith(joints, R"(<joint joint1="j" polycoef="0.25 0 0 0 0"/>)");
    const bool turns = std::string(type) == "hinge";
    EXPECT_NEAR((turns ? joint.angle : joint.position).value, 0.25, tolerance(1e-12));
    EXPECT_EQ((turns ? joint.position : joint.angle).equality, -1);
    const Status tendon = statusWith(joints, R"(<tendon tendon1="t" polycoef="0.5 0 0 0 0"/>)",
                                     R"(<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>)");
    EXPECT_NEAR((turns ? tendon.angle : tendon.position).value, 0.5, tolerance(1e-12));
  }
}

// a rope pulled to twice its length: every edge is off, the middle one of three by most
TEST(Watch, ErrorsOfFlexesNameTheEdge) {
  const Model m = modelOf(R"(<mujoco><worldbody>
      <flexcomp name="rope" type="grid" dim="1" count="4 1 1" spacing=".1 1 1" radius=".005" mass="1">
      <edge equality="true"/></flexcomp></worldbody></mujoco>)");
  Data d(m);
  for (const auto& [node, x] : {std::pair{0, -0.2}, {1, -0.1}, {2, 0.2}, {3, 0.31}}) d.qpos[m.nq_rigid + 3 * node] = x;
  step(m, d);
  EXPECT_NEAR(d.status.position.value, 0.2, tolerance(1e-12));
  EXPECT_EQ(d.status.position.flex, 0);
  EXPECT_EQ(d.status.position.index, 1);
  EXPECT_EQ(d.status.angle.value, 0);
}

// a plate of 2 cm, on which a ball of 20 cm is pressed ever harder
TEST(Watch, TooDeepIsDeeperThanTheThinnerIsThick) {
  const Model m = modelOf(R"(<mujoco><worldbody><geom name="plate" type="box" size="1 1 .01"/>
      <body name="b" pos="0 0 .11"><freejoint name="j"/><geom name="ball" size=".1" mass="1"/></body></worldbody></mujoco>)");
  Data d(m);
  while (d.status.deepest.depth <= 0.02 && d.time < 10) {
    d.xfrc_applied[8] = -4e3 * d.time;
    step(m, d);
    ASSERT_EQ(d.status[Trouble::TooDeep].count, d.status.deepest.depth > 0.02 ? 1 : 0);
  }
  EXPECT_EQ(d.status[Trouble::TooDeep].value, d.status.deepest.depth);
  EXPECT_EQ(d.status[Trouble::TooDeep].collider, d.status.deepest.collider);
  const std::string text = describeStatus(m, d);
  EXPECT_EQ(text.find("geom \"ball\" (joint \"j\" of body \"b\") and geom \"plate\" overlap by 0.02"), 0u) << text;
  EXPECT_NE(text.find("more than the thinner one is thick"), std::string::npos) << text;
}

// an overlap that was given is reported if it stays
TEST(Watch, WhatOverlapsAtTheStartHasAHundredStepsToPart) {
  for (const bool parts : {false, true}) {
    const Model m = modelOf(fmt::format(R"(<mujoco><worldbody><geom type="box" size="1 1 .01"/>
        <body pos="0 0 .08"><freejoint/><geom size=".1" mass="{}" solref="{} 1"/></body></worldbody></mujoco>)",
                                        1, parts ? 0.02 : 20));
    Data d(m);
    for (int i = 0; i < 100; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
    EXPECT_NEAR(d.status.deepest.depth, parts ? 0.03 : d.status.deepest.depth, tolerance(1e-9));
    for (int i = 0; i < 10; ++i) step(m, d);
    EXPECT_EQ(d.status[Trouble::TooDeep].count, parts ? 0 : 10);
  }
}

// A ball at 100 m/s is in the middle of a plate within 100 steps, where nothing stops it ahead; in the state that was
// given nothing overlaps.
TEST(Watch, WhatIsTooDeepWithinTheFirstStepsIsToldUnlessThingsOverlappedAtTheStart) {
  for (const bool overlap : {false, true}) {
    const Model m = modelOf(
        fmt::format(R"(<mujoco><option timestep="0.001" speculative="none"/><worldbody><geom type="box" size="1 1 .01"/>
        <body pos="0 0 1"><freejoint/><geom size=".1"/></body>
        <body pos="3 0 0"><freejoint/><geom size=".1"/></body><geom size=".1" pos="3 0 {}"/></worldbody></mujoco>)",
                    overlap ? 0.199 : 0.21));
    Data d(m);
    d.qvel[2] = -100;
    for (int i = 0; i < 12; ++i) step(m, d);
    EXPECT_GT(d.status.deepest.depth, 0.02);
    EXPECT_EQ(d.status[Trouble::TooDeep].count > 0, !overlap);
  }
}

// whoever leads a mocap body in every step gives a new state in every step; the hundred steps count from the first
TEST(Watch, WhatStaysTooDeepIsToldWhileTheUserLeadsAMocapBody) {
  const Model m = modelOf(R"(<mujoco><worldbody><body mocap="true"><geom type="box" size="1 1 .01"/></body>
      <body pos="0 0 .08"><freejoint/><geom size=".1" solref="20 1"/></body></worldbody></mujoco>)");
  Data d(m);
  for (int i = 0; i < 110; ++i) {
    d.mocap_pos[0] = 1e-4 * i;
    step(m, d);
  }
  EXPECT_EQ(d.status[Trouble::TooDeep].count, 10);
}

// ------------------------------------------------------------------------------------------ energy

Model fromData(const char* file) { return load(test::sourceDir() / "tests" / "acceptance" / "data" / file); }

// semi-implicit Euler is unstable beyond h sqrt(k/m) = 2
TEST(Watch, EnergyFromNowhereIsReported) {
  for (const double mass : {0.03, 2.0, 40.0}) {
    const double h = 0.0017, stiffness = mass * std::pow(2.02 / h, 2);
    const Model m = modelOf(fmt::format(
        R"(<mujoco><option timestep="{}"/><worldbody><body><joint name="s" type="slide" axis="1 0 0" stiffness="{}"/>
           <geom size=".1" mass="{}"/></body></worldbody></mujoco>)",
        h, stiffness, mass));
    Data d(m);
    d.qpos[0] = 1e-3;
    for (int i = 0; i < 50; ++i) step(m, d);
    const std::string text = describeStatus(m, d);
    ASSERT_GT(d.status[Trouble::Energy].count, 0) << mass;
    EXPECT_EQ(text.find("the energy grew by"), 0u) << text;
    EXPECT_NE(text.find("most of it in joint \"s\""), std::string::npos) << text;
    EXPECT_NE(text.find("the spring of this joint is stable up to a timestep of about 0.00168 s"), std::string::npos)
        << text;
    EXPECT_GT(d.status[Trouble::Energy].value, stiffness * 1e-6);
  }
}

TEST(Watch, AClosedRingOfCableGainsNoEnergyAndIsNotReported) {
  const Model m = fromData("cable_ring.xml");
  Data d(m);
  run(m, d, 8);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

// A rod at rest in its own shape, without gravity: its only energy is what rounding puts into it.
TEST(Watch, RoundingIsNoEnergyFromNowhere) {
  std::string points, elements;
  for (int i = 0; i < 40; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / 40;
    points += fmt::format("{:.12g} {:.12g} 0 ", 0.2 * std::cos(angle), 0.2 * std::sin(angle));
    elements += fmt::format("{} {} ", i, (i + 1) % 40);
  }
  const Model m = modelOf(fmt::format(
      R"(<mujoco><option timestep=".002" integrator="implicitfast" gravity="0 0 0"/><worldbody>
         <flexcomp name="ring" type="direct" dim="1" point="{}" element="{}" radius=".005" mass=".08">
           <contact selfcollide="none"/>
           <elasticity young="1e7" poisson=".3" twist="true" section=".005" law="stvk"/></flexcomp>
         </worldbody></mujoco>)",
      points, elements));
  Data d(m);
  run(m, d, 26);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

/// Nothing is reported while `act` does what it does in every step.
void expectNoAlarm(const std::string& name, Model m, double duration, const std::function<void(Model&, Data&)>& act) {
  Data d(m);
  double most = 0;
  while (d.time < duration) {
    act(m, d);
    step(m, d);
    energy(m, d);
    most = std::max(most, d.energy[1]);
  }
  EXPECT_TRUE(d.status.ok()) << name << ": " << describeStatus(m, d);
  EXPECT_GT(most, 1) << name << " did not move";
}

// energy that has a cause, however much of it
TEST(Watch, EnergyWithACauseIsNotReported) {
  const auto idle = [](Model&, Data&) {};
  const auto ball = [](const std::string& option) {
    return modelOf(fmt::format(R"(<mujoco><option {}/><worldbody><geom type="plane" size="9 9 .1" pos="0 0 -1"/>
        <body name="ball"><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>)",
                               option));
  };
  for (const char* integrator : {"Euler", "RK4", "implicit", "implicitfast"}) {
    const std::string option = fmt::format(R"(integrator="{}")", integrator);
    const std::string floating = option + R"( gravity="0 0 0")";
    expectNoAlarm("falls for ever",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody><body><freejoint/>
        <geom size=".1"/></body></worldbody></mujoco>)",
                                      option)),
                  10, idle);
    expectNoAlarm("applied for long", ball(floating), 4, [](Model&, Data& d) { d.xfrc_applied[6 + 0] = 10; });
    expectNoAlarm("a kick of one step", ball(floating), 4,
                  [](Model&, Data& d) { d.xfrc_applied[6 + 1] = std::abs(d.time - 2) < 1e-6 ? 1e5 : 0; });
    expectNoAlarm("a force on a dof", ball(floating), 4, [](Model&, Data& d) { d.qfrc_applied[3] = 0.1; });
    expectNoAlarm("a new velocity", ball(floating), 4, [](Model&, Data& d) {
      if (std::abs(d.time - 2) < 1e-6) d.qvel[0] = 1000;
    });
    expectNoAlarm("a new place", ball(option), 4, [](Model&, Data& d) {
      if (std::abs(d.time - 2) < 1e-6) d.qpos[2] = 500;
    });
    expectNoAlarm("gravity is switched on", ball(floating), 4, [](Model& m, Data& d) {
      if (d.time > 2) m.opt.gravity = {0, 0, -50};
    });
    expectNoAlarm("wind", ball(floating + R"( wind="100 0 0" density="10")"), 4, idle);
    expectNoAlarm("negative damping",
                  modelOf(fmt::format(R"(<mujoco><option {} gravity="0 0 0"/><worldbody>
        <body><joint type="slide" axis="1 0 0" damping="-3" stiffness="10"/><geom size=".1" mass="1"/></body>
        </worldbody><keyframe><key qvel="0.1"/></keyframe></mujoco>)",
                                      option)),
                  3, [](Model&, Data& d) {
                    if (d.time == 0) d.qvel[0] = 0.1;
                  });
    expectNoAlarm("a motor",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody><body><joint name="j"
        axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body></worldbody>
        <actuator><motor joint="j" gear="100"/></actuator></mujoco>)",
                                      option)),
                  4, [](Model&, Data& d) { d.ctrl[0] = d.time > 2 ? 1 : 0; });
    expectNoAlarm("a driven joint",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody><body><joint
        axis="0 0 1" frictionloss="20" frictionvel="30"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body>
        </worldbody></mujoco>)",
                                      option)),
                  4, idle);
    expectNoAlarm("a pendulum",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody><body><joint
        axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/><body pos="1 0 0"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body></body></worldbody></mujoco>)",
                                      option)),
                  10, idle);
    expectNoAlarm("led by mocap",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody>
        <body name="hand" mocap="true"/><body name="held"><freejoint/><geom size=".1" mass="1"/></body></worldbody>
        <equality><weld body1="hand" body2="held"/></equality></mujoco>)",
                                      option)),
                  6, [](Model&, Data& d) {
                    d.mocap_pos[0] = d.time < 1 ? 0 : d.time < 3 ? std::sin(10 * d.time) : 20;  // then it jumps
                  });
    expectNoAlarm("a belt",
                  modelOf(fmt::format(R"(<mujoco><option {}/><worldbody>
        <geom type="plane" size="9 9 .1" surfacevel="20 0 0 0 0 0"/><body pos="0 0 .1"><freejoint/>
        <geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)",
                                      option)),
                  4, idle);
    expectNoAlarm("an equality that is switched on far away",
                  modelOf(fmt::format(R"(<mujoco><option {}
        gravity="0 0 0"/><worldbody><body name="a"><freejoint/><geom size=".1"/></body><body name="b" pos="3 0 0">
        <freejoint/><geom size=".1"/></body></worldbody><equality><connect active="false" body1="a" body2="b"
        anchor="1 0 0"/></equality></mujoco>)",
                                      option)),
                  4, [](Model& m, Data& d) {
                    if (d.time > 1 && !d.eq_active[0]) d.eq_active[0] = 1, d.qpos[m.jnt_qposadr[1]] += 2;
                  });
  }
}

// ------------------------------------------------------------------------------------------ convergence

/// A stack of eight boxes.
Model stack(const std::string& option) {
  std::string text = fmt::format(R"(<mujoco><option {}/><worldbody><geom type="plane" size="5 5 .1"/>)", option);
  for (int i = 0; i < 8; ++i) {
    text += fmt::format(R"(<body pos="0 0 {}"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>)",
                        .1 + .2 * i);
  }
  return modelOf(text + "</worldbody></mujoco>");
}

TEST(Watch, ASolverThatDoesNotConvergeForAHundredStepsIsReported) {
  const Model m = stack(R"(solver="PGS" iterations="1")");
  Data d(m);
  for (int i = 0; i < 90; ++i) step(m, d);
  EXPECT_EQ(d.status[Trouble::Unconverged].count, 0);
  for (int i = 0; i < 90; ++i) step(m, d);
  EXPECT_GT(d.status[Trouble::Unconverged].count, 0);
  EXPECT_GE(d.status[Trouble::Unconverged].value, 100);
  EXPECT_EQ(d.status[Trouble::Unconverged].first, 0);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find("steps in a row: after 1 iterations the last one still changed more than a tenth of the forces"),
            std::string::npos)
      << text;
}

// few iterations are a choice that the warm start makes good
TEST(Watch, SolversThatConvergeOverTheStepsAreNotReported) {
  for (const char* option :
       {R"(solver="PGS" iterations="20")", R"(solver="PGS")", R"(solver="CG")", R"(solver="Newton")",
        R"(solver="Newton" iterations="1")", R"(solver="Impulse" iterations="4")", R"(solver="Impulse")"}) {
    const Model m = stack(option);
    Data d(m);
    for (int i = 0; i < 1000; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << option << ": " << describeStatus(m, d);
  }
}

// ------------------------------------------------------------------------------------------ resets and advice

/// A slide on a spring that no timestep of 2 ms can follow.
Model stiffSlide(const std::string& option = "") {
  return modelOf(
      fmt::format(R"(<mujoco><option gravity="0 0 0" {}/><worldbody><body name="b"><joint name="j" type="slide"
      stiffness="1e9"/><geom size=".1" mass="1"/></body></worldbody></mujoco>)",
                  option));
}

// the state is set back again and again: each time counts
TEST(Watch, TroubleOutlivesTheEnginesOwnResets) {
  const Model m = stiffSlide();
  Data d(m);
  int resets = 0;
  for (int i = 0; i < 400; ++i) {
    if (d.time < 1.5 * m.opt.timestep) d.qpos[0] = 1;
    const double before = d.time;
    step(m, d);
    if (d.time < before + 0.5 * m.opt.timestep) ++resets;
  }
  int counted = 0;
  for (const Trouble t : {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc}) counted += d.status[t].count;
  EXPECT_GT(resets, 10);
  EXPECT_EQ(counted, resets);
  reset(m, d);
  EXPECT_TRUE(d.status.ok());
}

/// The status after a second, or when the state has gone bad.
std::string troubleOf(
    const Model& m, const std::function<void(Data&)>& start = [](Data&) {}) {
  Data d(m);
  start(d);
  const auto wentBad = [&] {
    return d.status[Trouble::BadQpos].count + d.status[Trouble::BadQvel].count + d.status[Trouble::BadQacc].count > 0;
  };
  while (d.time < 1 && !wentBad()) step(m, d);
  return describeStatus(m, d);
}

TEST(Advice, AStiffSpringNamesTheTimestepThatItTakes) {
  const auto pull = [](Data& d) { d.qpos[0] = 1; };
  const std::string text = troubleOf(stiffSlide(), pull);
  EXPECT_NE(text.find("the spring of this joint is stable up to a timestep of about 6.32e-05 s, this one is 0.002 s"),
            std::string::npos)
      << text;
  EXPECT_EQ(troubleOf(stiffSlide(R"(timestep="3e-5")"), pull), "");
}

/// Whether the text names implicitfast, and whether that is a cure.
void expectImplicitCure(const std::string& what, const std::string& mjcf, const std::function<void(Data&)>& start) {
  for (const char* integrator : {"Euler", "RK4"}) {
    const std::string text =
        troubleOf(modelOf(fmt::format(fmt::runtime(mjcf), fmt::format(R"(integrator="{}")", integrator))), start);
    EXPECT_NE(text.find(what + " is integrated explicitly: integrator=\"implicitfast\""), std::string::npos)
        << integrator << ": " << text;
  }
  EXPECT_EQ(troubleOf(modelOf(fmt::format(fmt::runtime(mjcf), R"(integrator="implicitfast")")), start), "");
}

TEST(Advice, ElementsThatAreInsideOutNameTheIntegratorIfItIsExplicit) {
  Model m =
      modelOf(R"(<mujoco><worldbody><flexcomp name="tet" type="grid" count="2 2 2" spacing=".1 .1 .1" radius=".001"
      dim="3" mass="1"><contact selfcollide="none"/><elasticity young="1e4"/></flexcomp></worldbody></mujoco>)");
  for (const Integrator integrator : {Integrator::Euler, Integrator::RK4, Integrator::ImplicitFast}) {
    m.opt.integrator = integrator;
    Data d(m);
    for (int node = 0; node < 8; ++node) d.qpos[3 * node] *= -1;
    step(m, d);
    const std::string text = describeStatus(m, d);
    EXPECT_NE(text.find("of flex \"tet\" was inside out; "), std::string::npos) << text;
    EXPECT_EQ(text.find("integrator=\"implicitfast\"") != std::string::npos, integrator != Integrator::ImplicitFast);
  }
}

TEST(Advice, WhatIsExplicitAndNeedNotBeNamesTheIntegratorThatCuresIt) {
  expectImplicitCure("what strains a flex", R"(<mujoco><option {} timestep=".005"/><worldbody>
      <flexcomp name="cube" type="grid" count="3 3 3" spacing=".1 .1 .1" radius=".001" dim="3" mass="1">
      <contact selfcollide="none"/><elasticity young="1e7" damping="0.01"/><pin id="0"/></flexcomp></worldbody></mujoco>)",
                     [](Data&) {});
  expectImplicitCure("the damping (kv) of actuators", R"(<mujoco><option {}/><worldbody><body><joint name="j"/>
      <geom size=".1" mass="1"/></body></worldbody><actuator><velocity joint="j" kv="1e4"/></actuator></mujoco>)",
                     [](Data& d) { d.qvel[0] = 1; });
  expectImplicitCure("damping", R"(<mujoco><option {} gravity="0 0 0"/><worldbody><body><joint name="j" type="slide"/>
      <geom size=".1" mass="1"/></body></worldbody><tendon><fixed damping="1e5"><joint joint="j" coef="1"/></fixed>
      </tendon></mujoco>)",
                     [](Data& d) { d.qvel[0] = 1; });
}

// A card of 0.6 mm is pressed into the floor, and not under the solver that the message names.
TEST(Advice, ContactsDeeperThanThingsAreThickNameTheSolverThatCuresThem) {
  for (const char* integrator : {"Euler", "RK4", "implicitfast"}) {
    Model m = modelOf(fmt::format(R"(<mujoco><option integrator="{}"/><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .0003"><freejoint/><geom type="box" size=".05 .03 .0003" mass=".002"/></body>
        <body pos="0 0 .1"><freejoint/><geom size=".03" mass="3"/></body></worldbody></mujoco>)",
                                  integrator));
    Data soft(m);
    run(m, soft, 1);
    const std::string text = describeStatus(m, soft);
    ASSERT_GT(soft.status[Trouble::TooDeep].count, 0) << integrator;
    const bool isRk4 = m.opt.integrator == Integrator::RK4;
    EXPECT_NE(text.find(isRk4 ? "solver=\"Impulse\" with integrator=\"Euler\" makes them hard"
                              : "solver=\"Impulse\" makes them hard"),
              std::string::npos)
        << text;
    m.opt.solver = Solver::Impulse;
    if (isRk4) m.opt.integrator = Integrator::Euler;
    Data hard(m);
    run(m, hard, 1);
    EXPECT_TRUE(hard.status.ok()) << integrator << ": " << describeStatus(m, hard);
  }
}

// a centimetre of overlap is pushed out in a nanosecond: a smaller timestep is the last thing that helps
TEST(Advice, ImpulsesOfTinyStepsAreNotCuredBySmallerOnes) {
  const auto overlapping = [](double h) {
    return modelOf(fmt::format(R"(<mujoco><option solver="Impulse" timestep="{}"/><worldbody>
        <geom type="plane" size="5 5 .1"/><body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>)",
                               h));
  };
  const Model m = overlapping(1e-9);
  Data d(m);
  for (int i = 0; i < 10; ++i) step(m, d);
  const std::string text = describeStatus(m, d);
  EXPECT_NE(text.find("a start without overlap or a smaller erp helps, a smaller timestep does not"), std::string::npos)
      << text;
  EXPECT_EQ(troubleOf(overlapping(0.002)), "");
}

}  // namespace
}  // namespace sinew
