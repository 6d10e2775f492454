#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "sinew/dynamics.h"
#include "sinew/load.h"
#include "sinew/query.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/piles.h"
#include "support/tolerance.h"

/// What the impulse solver promises, seen through models and steps.
namespace sinew {
namespace {

using test::tolerance;

constexpr double kGravity = 9.81;
constexpr double kDegree = std::numbers::pi / 180;

struct Scene {
  explicit Scene(const std::string& mjcf, Warnings* warnings = nullptr)
      : m(compile(readMjcfText(mjcf, "model.xml", {}, warnings), warnings)), d(m) {}
  void steps(int count) {
    for (int i = 0; i < count; ++i) step(m, d);
  }
  void seconds(double duration) { steps(static_cast<int>(std::lround(duration / m.opt.timestep))); }
  double total() {
    forward(m, d);
    energy(m, d);
    return d.energy[0] + d.energy[1];
  }

  Model m;
  Data d;
};

std::string scene(const std::string& option, const std::string& world) {
  return fmt::format(
      R"(<mujoco><option solver="Impulse" {}/><default><geom friction="0 0 0" condim="1"/></default>
         <worldbody>{}</worldbody></mujoco>)",
      option, world);
}

/// A ball of the given mass (inertia of a solid one), on the x axis.
std::string ball(double x, double radius, double mass, double restitution, double z = 0) {
  return fmt::format(R"(<body pos="{} 0 {}"><freejoint/><geom size="{}" mass="{}" restitution="{}"/></body>)", x, z,
                     radius, mass, restitution);
}

double forceOf(const Scene& run, int contact) { return contactForce(run.m, run.d, contact)[0]; }

// ------------------------------------------------------------------------------------------ one impact

// T10.1: A = 2, b = 4, lambda = 2 N s; forces of 200 N in a step of 0.01 s
TEST(Impulse, CONTACT_T10_1_HeadOnSpheresExchangeTheirVelocities) {
  Scene run(scene(R"(timestep="0.01" gravity="0 0 0")", ball(0, 0.5, 1, 1) + ball(1, 0.5, 1, 1)));
  run.d.qvel[0] = 1;
  run.d.qvel[6] = -1;
  run.steps(1);
  EXPECT_NEAR(run.d.qvel[0], -1, tolerance(1e-9));
  EXPECT_NEAR(run.d.qvel[6], 1, tolerance(1e-9));
  ASSERT_EQ(run.d.ncon(), 1);
  EXPECT_NEAR(forceOf(run, 0), 200, tolerance(1e-6));
  EXPECT_NEAR(run.d.qfrc_constraint[0], -200, tolerance(1e-6));
  EXPECT_TRUE(run.d.island[0].converged);
}

// T10.4 and T10.5, T10.9: separating bodies feel nothing; 2 kg at -3 m/s with e = 0.5 leaves with 1.5 m/s, 9 N s
TEST(Impulse, CONTACT_T10_4_SeparatingBodiesAreLeftAlone) {
  Scene run(scene(R"(timestep="0.01" gravity="0 0 0")", ball(0, 0.5, 1, 1) + ball(1, 0.5, 1, 1)));
  run.d.qvel[6] = 1;
  run.steps(1);
  EXPECT_EQ(run.d.qvel[0], 0);
  EXPECT_EQ(run.d.qvel[6], 1);
}

TEST(Impulse, CONTACT_T10_5_BallBouncesOffTheFloor) {
  Scene run(scene(R"(timestep="0.01" gravity="0 0 0")",
                  R"(<geom type="plane" size="9 9 1" restitution="0.5"/>)" + ball(0, 0.5, 2, 0.5, 0.5)));
  run.d.qvel[2] = -3;
  run.steps(1);
  EXPECT_NEAR(run.d.qvel[2], 1.5, tolerance(1e-9));
  EXPECT_NEAR(forceOf(run, 0) * 0.01, 9, tolerance(1e-6));
}

std::string cubeOnFloor(double mass, const std::string& option, double z = 0.5) {
  return scene(option, fmt::format(R"(<geom type="plane" size="9 9 1"/><body pos="0 0 {}"><freejoint/>
      <geom type="box" size=".5 .5 .5" mass="{}"/></body>)",
                                   z, mass));
}

// T10.2 b: the relative stopping rule needs few sweeps, the same number for any mass
TEST(Impulse, CONTACT_T10_2_SweepsDoNotDependOnTheMass) {
  std::vector<int> sweeps;
  for (const double mass : {1.0, 10.0, 1000.0}) {
    Scene run(cubeOnFloor(mass, R"(timestep="0.016666666666666666" tolerance="1e-4" iterations="10")"));
    run.steps(1);
    ASSERT_EQ(run.d.island.size(), 1);
    EXPECT_TRUE(run.d.island[0].converged);
    EXPECT_LE(run.d.island[0].iterations, 10);
    sweeps.push_back(run.d.island[0].iterations);
  }
  EXPECT_EQ(sweeps[0], sweeps[1]);
  EXPECT_EQ(sweeps[0], sweeps[2]);
}

// T10.6: sum of lambda = m g h, no torque, no velocity
TEST(Impulse, CONTACT_T10_6_CubeAtRestIsCarried) {
  Scene run(cubeOnFloor(10, R"(timestep="0.016666666666666666" tolerance="1e-8" iterations="200")"));
  run.steps(1);
  double sum = 0;
  for (int i = 0; i < run.d.ncon(); ++i) sum += forceOf(run, i);
  EXPECT_NEAR(sum, 10 * kGravity, tolerance(1e-5));
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(run.d.qvel[i], 0, tolerance(1e-5));
    if (i >= 3) {
      EXPECT_NEAR(run.d.qfrc_constraint[i], 0, tolerance(1e-3));
    }
  }
}

// T10.11, LIFT-6: statics of a bob on a rod against a wall: N = m g tan(a), T = m g / cos(a), with sin(a) = 0.6
TEST(Impulse, CONTACT_T10_11_RodAndWallAreSolvedTogether) {
  Scene run(R"(<mujoco><option solver="Impulse" timestep="0.002" iterations="500" tolerance="1e-10"/>
    <default><geom friction="0 0 0" condim="1"/></default>
    <worldbody>
      <geom type="plane" pos="0.5 0 0" zaxis="1 0 0" size="9 9 1"/><site name="o" pos="0 0 0"/>
      <body pos="0.6 0 -0.8"><freejoint/><geom size="0.1" mass="1"/><site name="bob"/></body>
    </worldbody>
    <tendon><spatial name="rod"><site site="o"/><site site="bob"/></spatial></tendon>
    <equality><tendon tendon1="rod"/></equality></mujoco>)");
  run.seconds(1);
  ASSERT_EQ(run.d.ncon(), 1);
  EXPECT_NEAR(forceOf(run, 0), 7.3575, tolerance(1e-3));
  EXPECT_NEAR(std::abs(run.d.efc_force[0]), 12.2625, tolerance(1e-3));
  EXPECT_NEAR(run.d.ten_length[0], 1, tolerance(1e-6));
}

// ------------------------------------------------------------------------------------------ bouncing

/// Height of the next apex (of the bottom of a ball of radius 0.5) after at least one impact.
double apexAfterBounce(Scene& run) {
  bool touched = false;
  double top = -1;
  for (int i = 0; i < 5'000'000; ++i) {
    const double before = run.d.qvel[2];
    step(run.m, run.d);
    touched = touched || (before < 0 && run.d.qvel[2] > 0);
    if (!touched) {
      if (before < -0.1 && run.d.qvel[2] >= -1e-9) return run.d.qpos[2] - 0.5;  // it stuck
      continue;
    }
    top = std::max(top, run.d.qpos[2] - 0.5);
    if (run.d.qvel[2] <= 1e-12) return top;  // or it is lifted to the surface, ever more slowly
  }
  return -1;
}

// e^2 h at steps from 1/1000 to 1/60 s: with the pressing acceleration known the rebound makes up for being noticed
// late. 0.5 % of the drop; the apex itself falls between two steps, which costs at most g h^2/8 = 0.3 mm at 1/60 s.
// Without restitution the ball may arrive up to one step deep (3 cm at 1/60 s, as it falls 7 cm per step); what lifts
// it out again must end at the surface.
TEST(Impulse, BouncesToESquaredOfTheHeight) {
  for (const double h : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
    for (const double e : {0.0, 0.3, 0.5, 0.8, 1.0}) {
      Scene run(
          scene(fmt::format(R"(timestep="{}")", h),
                fmt::format(R"(<geom type="plane" size="9 9 1" restitution="{}"/>)", e) + ball(0, 0.5, 1, e, 1.5)));
      const double apex = apexAfterBounce(run);
      EXPECT_NEAR(apex, e * e, tolerance(0.005)) << "e = " << e << ", h = " << h;
    }
  }
}

TEST(Impulse, DoesNotBounceWithoutRestitution) {
  for (const double h : {1.0 / 60, 1.0 / 240, 1.0 / 500, 1.0 / 1000, 1.0 / 2000}) {
    Scene run(
        scene(fmt::format(R"(timestep="{}")", h), R"(<geom type="plane" size="9 9 1"/>)" + ball(0, 0.5, 1, 0, 1.5)));
    EXPECT_NEAR(apexAfterBounce(run), 0, tolerance(1e-6)) << "h = " << h;
    double top = 0;
    for (int i = 0; i < 2000; ++i) {
      step(run.m, run.d);
      top = std::max(top, run.d.qpos[2] - 0.5);
    }
    EXPECT_LT(top, tolerance(1e-6)) << "h = " << h;
    EXPECT_NEAR(run.d.qpos[2], 0.5, tolerance(1e-9)) << "h = " << h;
  }
}

// "Bouncing ball (energy)": ratios 0.62 to 0.66, 10 +- 1 bounces, at rest at the end, never more energy than at first
TEST(Impulse, BouncingBallComesToRestAfterTenBounces) {
  const double h = 1.0 / 240;
  Scene run(scene(fmt::format(R"(timestep="{}")", h),
                  R"(<geom type="plane" size="9 9 1" restitution="0.8"/>)" + ball(0, 0.5, 1, 0.8, 1.5)));
  run.total();
  const double start = run.d.energy[0] + run.d.energy[1];
  double last = 1, top = 0, before = 0;
  int bounces = 0;
  for (int i = 0; i < 240 * 20; ++i) {
    step(run.m, run.d);
    const double v = run.d.qvel[2];
    if (before < -0.1 && v > 0.1) {
      ++bounces;
      top = 0;
    }
    if (before > 0 && v <= 0 && top > 0.1 && bounces > 0) {
      EXPECT_GT(top / last, 0.62);
      EXPECT_LT(top / last, 0.66);
    }
    top = std::max(top, run.d.qpos[2] - 0.5);
    if (before > 0 && v <= 0) last = top;
    before = v;
    EXPECT_LE(0.5 * v * v + kGravity * run.d.qpos[2], start * (1 + 1e-3));
  }
  EXPECT_NEAR(bounces, 10, 1);
  EXPECT_NEAR(run.d.qpos[2], 0.5, tolerance(1e-3));
  EXPECT_NEAR(run.d.qvel[2], 0, tolerance(1e-6));
}

TEST(Impulse, ElasticBallKeepsItsHeight) {
  Scene run(scene(fmt::format(R"(timestep="{}")", 1.0 / 240),
                  R"(<geom type="plane" size="9 9 1" restitution="1"/>)" + ball(0, 0.5, 1, 1, 1.5)));
  for (int bounce = 0; bounce < 10; ++bounce) {
    const double apex = apexAfterBounce(run);
    EXPECT_GT(apex, 0.995);
    EXPECT_LT(apex, 1.001);
  }
}

TEST(Impulse, RestitutionIsTheGeometricMeanUnlessPriorityOrAPairDecides) {
  const auto restitutionOf = [](const std::string& floor, const std::string& top, const std::string& rest = "") {
    Scene run("<mujoco><option solver=\"Impulse\"/><worldbody><geom name=\"f\" type=\"plane\" size=\"9 9 1\" " + floor +
              "/><body pos=\"0 0 .1\"><freejoint/><geom name=\"b\" size=\".1\" " + top + "/></body></worldbody>" +
              rest + "</mujoco>");
    forward(run.m, run.d);
    return run.d.contact[0].restitution;
  };
  EXPECT_NEAR(restitutionOf(R"(restitution="0.5")", R"(restitution="0.8")"), std::sqrt(0.4), tolerance(1e-15));
  EXPECT_EQ(restitutionOf("", R"(restitution="1")"), 0);
  EXPECT_EQ(restitutionOf(R"(restitution="0.5" priority="1")", R"(restitution="0.8")"), 0.5);
  EXPECT_EQ(restitutionOf(R"(restitution="0.5")", R"(restitution="0.8" priority="2")"), 0.8);
  EXPECT_EQ(restitutionOf(R"(restitution="0.5")", R"(restitution="0.8")",
                          R"(<contact><pair geom1="f" geom2="b" restitution="0.25"/></contact>)"),
            0.25);
  EXPECT_EQ(restitutionOf(R"(restitution="0.5")", "", R"(<default><geom restitution="0.5"/></default>)"), 0.5);
}

TEST(Impulse, ReadsAndWritesItsAttributes) {
  const Spec spec =
      readMjcfText(R"(<mujoco><option solver="Impulse" erp="0.3" slop="0.001" restitution_threshold="0.2"/>
    <default><geom restitution="0.4"/></default><worldbody><geom name="a" size="1"/><body pos="0 0 2"><freejoint/>
    <geom name="b" size="1" restitution="0.6"/></body>
    <flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" mass="1"><contact restitution="0.7"/></flexcomp>
    </worldbody><contact><pair geom1="a" geom2="b" restitution="0.9"/></contact></mujoco>)");
  for (const Spec& s : {spec, readMjcfText(writeMjcf(spec))}) {
    const Model m = compile(s);
    EXPECT_EQ(m.opt.solver, Solver::Impulse);
    EXPECT_EQ(m.opt.erp, 0.3);
    EXPECT_EQ(m.opt.slop, 0.001);
    EXPECT_EQ(m.opt.restitution_threshold, 0.2);
    EXPECT_EQ(m.geom_restitution[0], 0.4);
    EXPECT_EQ(m.geom_restitution[1], 0.6);
    EXPECT_EQ(m.pair_restitution[0], 0.9);
    EXPECT_EQ(m.flex_restitution[0], 0.7);
  }
}

// ------------------------------------------------------------------------------------------ bad input

std::string errorOf(const std::string& mjcf) {
  try {
    compile(readMjcfText(mjcf));
  } catch (const LoadError& e) {
    return e.what();
  }
  return {};
}

TEST(Impulse, NumbersOutOfRangeAreLoadErrorsThatNameThem) {
  const auto mentions = [](const std::string& text, std::initializer_list<const char*> words) {
    return std::all_of(words.begin(), words.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
  };
  for (const char* bad : {"-0.01", "1.01"}) {
    const std::string geom =
        errorOf(fmt::format("<mujoco>\n<worldbody>\n<geom name=\"g\" size=\"1\" restitution=\"{}\"/>"
                            "</worldbody></mujoco>",
                            bad));
    EXPECT_TRUE(mentions(geom, {":3:", "<geom name=\"g\">", "restitution", bad})) << geom;
    EXPECT_NE(errorOf(fmt::format(
                  R"(<mujoco><worldbody><geom name="a" size="1"/><body><freejoint/><geom name="b" size="1"/></body>
      </worldbody><contact><pair geom1="a" geom2="b" restitution="{}"/></contact></mujoco>)",
                  bad)),
              "");
    EXPECT_NE(errorOf(fmt::format(R"(<mujoco><worldbody><flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1"
      mass="1"><contact restitution="{}"/></flexcomp></worldbody></mujoco>)",
                                  bad)),
              "");
  }
  EXPECT_TRUE(mentions(errorOf(R"(<mujoco><option erp="2"/></mujoco>)"), {"erp", "2"}));
  EXPECT_TRUE(mentions(errorOf(R"(<mujoco><option slop="-1"/></mujoco>)"), {"slop", "-1"}));
  EXPECT_TRUE(mentions(errorOf(R"(<mujoco><option restitution_threshold="-1"/></mujoco>)"), {"restitution_threshold"}));
  EXPECT_TRUE(mentions(errorOf(R"(<mujoco><option solver="Impulse" integrator="RK4"/></mujoco>)"), {"Impulse", "RK4"}));
}

TEST(Impulse, SoftSolversSayThatRestitutionHasNoEffect) {
  Warnings warnings;
  Scene soft(R"(<mujoco><worldbody><geom name="g" size="1" restitution="0.5"/></worldbody></mujoco>)", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("restitution = 0.5 has no effect"), std::string::npos) << warnings[0];
  warnings.clear();
  Scene hard(R"(<mujoco><option solver="Impulse"/><worldbody><geom size="1" restitution="0.5"/></worldbody></mujoco>)",
             &warnings);
  EXPECT_TRUE(warnings.empty());
}

// ------------------------------------------------------------------------------------------ conservation

// Many spheres in free flight, mixed masses: linear and angular momentum, and energy that never grows
TEST(Impulse, RandomCollisionsKeepMomentumAndNeverAddEnergy) {
  for (const double e : {0.0, 0.3, 0.7, 1.0}) {
    std::mt19937 generator(7);
    const auto uniform = [&](double lo, double hi) {
      return std::uniform_real_distribution<double>(lo, hi)(generator);
    };
    std::string world;
    for (int i = 0; i < 60; ++i) {
      const double x = 0.35 * (i % 4), y = 0.35 * (i / 4 % 4), z = 0.35 * (i / 16);
      world += fmt::format(
          R"(<body pos="{} {} {}"><freejoint/><geom size="0.12" mass="{}" restitution="{}" condim="3" friction="0.4 0 0"/></body>)",
          x, y, z, uniform(0.5, 3), e);
    }
    Scene run(scene(R"(timestep="0.001" gravity="0 0 0" iterations="300" tolerance="1e-12")", world));
    std::vector<double> mass;
    for (int i = 0; i < 60; ++i) {
      for (int k = 0; k < 3; ++k) {
        // towards the middle, so that they meet
        run.d.qvel[6 * i + k] = 2 * (0.5 - run.d.qpos[7 * i + k]) + uniform(-1, 1);
        run.d.qvel[6 * i + 3 + k] = uniform(-5, 5);
      }
      mass.push_back(run.m.body_mass[i + 1]);
    }
    // kinetic energy and momentum straight from the state; the balls are solid: I = 2/5 m r^2
    const auto momentum = [&](double* p, double& scale, double& kinetic) {
      std::fill_n(p, 6, 0.0);
      scale = kinetic = 0;
      for (int i = 0; i < 60; ++i) {
        const double m = mass[i], inertia = 0.4 * m * 0.12 * 0.12;
        const double* q = run.d.qpos.data() + 7 * i;
        const double* v = run.d.qvel.data() + 6 * i;
        const double* R = run.d.xmat.data() + 9 * (i + 1);
        for (int k = 0; k < 3; ++k) {
          const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
          p[k] += m * v[k];
          double spin = 0;
          for (int l = 0; l < 3; ++l) spin += R[3 * k + l] * v[3 + l];
          p[3 + k] += m * (q[k1] * v[k2] - q[k2] * v[k1]) + inertia * spin;
          scale += m * std::abs(v[k]);
          kinetic += 0.5 * m * v[k] * v[k] + 0.5 * inertia * v[3 + k] * v[3 + k];
        }
      }
    };
    double before[6], after[6], scale = 0, kinetic = 0, last = 0;
    forward(run.m, run.d);
    momentum(before, scale, last);
    const double start = last;
    int impacts = 0;
    for (int i = 0; i < 1500; ++i) {
      step(run.m, run.d);
      impacts += static_cast<int>(run.d.row_memory.size()) + (e > 0 ? static_cast<int>(run.d.island.size()) : 0);
      forward(run.m, run.d);  // poses of the new state
      momentum(after, scale, kinetic);
      EXPECT_LE(kinetic, last * (1 + 1e-12)) << "step " << i << ", e = " << e;
      last = kinetic;
    }
    EXPECT_GT(impacts, 100);
    EXPECT_LT(last, start);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], tolerance(1e-12) * scale);
    // both balls get their impulse at one point, x moves along v, and a ball turns about its own spin
    for (int k = 3; k < 6; ++k) EXPECT_NEAR(after[k], before[k], tolerance(1e-12) * scale);
    EXPECT_TRUE(run.d.status.ok());
  }
}

// Five balls with gaps wider than a step: the last one leaves with the velocity of the first, the others stay
TEST(Impulse, NewtonsCradleOfFive) {
  std::string world;
  for (int i = 0; i < 5; ++i) world += ball(0.104 * i + (i == 0 ? -0.1 : 0), 0.05, 1, 1);
  Scene run(scene(R"(timestep="0.001" gravity="0 0 0")", world));
  run.d.qvel[0] = 1;
  run.seconds(0.3);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(run.d.qvel[6 * i], i == 4 ? 1 : 0, tolerance(1e-9)) << "ball " << i;
}

// ------------------------------------------------------------------------------------------ friction

std::string slope(double degrees, const std::string& option, const std::string& floor, const std::string& body,
                  double height) {
  return fmt::format(
      R"(<mujoco><option {} gravity="{} 0 {}"/><worldbody><geom type="plane" size="90 9 1" {}/>
         <body pos="0 0 {}"><freejoint/>{}</body></worldbody></mujoco>)",
      option, kGravity * std::sin(degrees * kDegree), -kGravity * std::cos(degrees * kDegree), floor, height, body);
}

TEST(Impulse, LIFT_1_CubeOnASlopeStaysOrSlides) {
  const std::string option = R"(solver="Impulse" timestep="0.0041666666666666666")";
  Scene stays(
      slope(20, option, R"(friction="0.5")", R"(<geom type="box" size=".5 .5 .5" mass="1" friction="0.5"/>)", 0.5));
  stays.seconds(5);
  EXPECT_LT(std::abs(stays.d.qpos[0]), tolerance(1e-3));
  Scene slides(
      slope(20, option, R"(friction="0.2")", R"(<geom type="box" size=".5 .5 .5" mass="1" friction="0.2"/>)", 0.5));
  slides.seconds(2);
  EXPECT_NEAR(slides.d.qvel[0] / 2, 1.5115, tolerance(0.02 * 1.5115));
}

TEST(Impulse, LIFT_1_SlidingSphereEndsUpRolling) {
  // 5/7 of 3 m/s after 2/7 v / (mu g) = 0.2913 s
  Scene run(slope(0, R"(solver="Impulse" timestep="0.001")", R"(friction="0.3")",
                  R"(<geom size="0.5" mass="1" friction="0.3"/>)", 0.5));
  run.d.qvel[0] = 3;
  double rolls = -1;
  for (int i = 0; i < 600; ++i) {
    step(run.m, run.d);
    if (rolls < 0 && std::abs(run.d.qvel[0] - 0.5 * run.d.qvel[4]) < 1e-6) rolls = run.d.time;
  }
  EXPECT_NEAR(rolls, 0.291, tolerance(0.03 * 0.291));
  EXPECT_NEAR(run.d.qvel[0], 2.1429, tolerance(0.01 * 2.1429));
}

TEST(Impulse, SpinningAndRollingFrictionStopABall) {
  // condim 4: torque 0.02 N brings spin to rest after I w / (0.02 m g); condim 6 stops rolling as well
  Scene run(slope(0, R"(solver="Impulse" timestep="0.001")", R"(friction="1 0.02 0.01" condim="6")",
                  R"(<geom size="0.1" mass="1" friction="1 0.02 0.01" condim="6"/>)", 0.1));
  run.d.qvel[5] = 20;
  const double stops = 0.4 * 0.01 * 20 / (0.02 * kGravity);
  run.seconds(0.9 * stops);
  EXPECT_GT(run.d.qvel[5], 0.5);
  EXPECT_NEAR(run.d.qvel[5], 2, tolerance(0.1));
  run.seconds(0.3 * stops);
  EXPECT_NEAR(run.d.qvel[5], 0, tolerance(1e-9));
}

TEST(Impulse, ConveyorBeltCarriesWhatLiesOnIt) {
  Scene run(R"(<mujoco><option solver="Impulse"/><worldbody><geom type="plane" size="9 9 1" surfacevel="0.5 0 0"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)");
  run.seconds(1);
  EXPECT_NEAR(run.d.qvel[0], 0.5, tolerance(1e-6));
}

// ------------------------------------------------------------------------------------------ agreement with soft
// contacts

TEST(Impulse, AgreesWithSoftContactsOnRestingForcesAndSliding) {
  for (const char* solver : {"Newton", "Impulse"}) {
    const std::string option = fmt::format(R"(solver="{}" timestep="0.001" cone="elliptic")", solver);
    const std::string rests = R"(<geom type="box" size=".2 .2 .1" mass="4" friction="0.8" solref="0.005 1"/>)";
    Scene resting(slope(10, option, R"(friction="0.8" solref="0.005 1")", rests, 0.1));
    resting.seconds(2);
    double normal = 0;
    for (int i = 0; i < resting.d.ncon(); ++i) {
      normal += forceOf(resting, i);
    }
    EXPECT_NEAR(normal, 4 * kGravity * std::cos(10 * kDegree), tolerance(0.01) * 4 * kGravity) << solver;
    EXPECT_NEAR(std::abs(resting.d.qfrc_constraint[0]), 4 * kGravity * std::sin(10 * kDegree),
                tolerance(0.01) * 4 * kGravity)
        << solver;
    const std::string slips = R"(<geom type="box" size=".2 .2 .1" mass="4" friction="0.2" solref="0.005 1"/>)";
    Scene sliding(slope(20, option, R"(friction="0.2" solref="0.005 1")", slips, 0.1));
    sliding.seconds(0.5);
    const double v = sliding.d.qvel[0];
    sliding.seconds(1);
    const double expected = kGravity * (std::sin(20 * kDegree) - 0.2 * std::cos(20 * kDegree));
    EXPECT_NEAR(sliding.d.qvel[0] - v, expected, tolerance(0.01) * expected) << solver;
  }
}

// ------------------------------------------------------------------------------------------ stacks

std::string column(int count, const std::string& geom, double first, double spacing, const std::string& option) {
  std::string world = R"(<geom type="plane" size="9 9 1"/>)";
  for (int i = 0; i < count; ++i) {
    world += fmt::format(R"(<body pos="0 0 {}"><freejoint/>{}</body>)", first + spacing * i, geom);
  }
  return fmt::format(R"(<mujoco><option solver="Impulse" {}/><worldbody>{}</worldbody></mujoco>)", option, world);
}

TEST(Impulse, LIFT_2_WarmStartCarriesAColumnOfSpheres) {
  Scene run(column(10, R"(<geom size="0.5" mass="1" condim="1"/>)", 0.5, 1,
                   R"(timestep="0.016666666666666666" iterations="10" tolerance="1e-4")"));
  run.steps(60);
  ASSERT_EQ(run.d.ncon(), 10);
  EXPECT_NEAR(forceOf(run, 0), 10 * kGravity, tolerance(1e-3) * 10 * kGravity);
  EXPECT_LE(run.d.island[0].iterations, 3);
}

// A tower of ten cubes is a slender block that hardly loses energy when it rocks: it stands because it is not made to.
// That takes impulses that are right from the first step on: the default number of sweeps.
TEST(Impulse, LIFT_2_ColumnOfCubesStands) {
  Scene run(column(10, R"(<geom type="box" size=".5 .5 .5" mass="1"/>)", 0.5, 1, R"(timestep="0.016666666666666666")"));
  run.seconds(20);
  for (int i = 0; i < 10; ++i) {
    EXPECT_LT(std::hypot(run.d.qpos[7 * i], run.d.qpos[7 * i + 1]), tolerance(0.005)) << "cube " << i;
    EXPECT_NEAR(run.d.qpos[7 * i + 2], 0.5 + i, tolerance(0.005)) << "cube " << i;
  }
}

double fastest(const Data& d) {
  double most = 0;
  for (const double v : d.qvel) most = std::max(most, std::abs(v));
  return most;
}

// Few sweeps leave errors in what the bodies of a stack do together. They must die away from step to step, not grow.
TEST(Impulse, StacksComeToRestWithFewSweeps) {
  for (const int sweeps : {5, 10, 20}) {
    Scene run(column(4, R"(<geom type="box" size=".5 .5 .5" mass="1"/>)", 0.5, 1,
                     fmt::format(R"(method="sweep" timestep="0.016666666666666666" iterations="{}")", sweeps)));
    run.seconds(20);
    EXPECT_LT(fastest(run.d), tolerance(1e-6)) << sweeps << " sweeps";
    for (int i = 0; i < 4; ++i) {
      EXPECT_LT(std::hypot(run.d.qpos[7 * i], run.d.qpos[7 * i + 1]), tolerance(0.005)) << sweeps << ", cube " << i;
    }
  }
}

/// A wall that is a cube narrower in every layer, numbered from its foot or from its top, solved with 24 sweeps.
std::string wall(int layers, bool fromTheTop) {
  constexpr double kHalf = 0.25, kSpacing = 0.52;
  std::string world = R"(<geom type="plane" size="9 9 1"/>)";
  for (int n = 0; n < layers; ++n) {
    const int layer = fromTheTop ? layers - 1 - n : n;
    for (int k = 0; k < layers - layer; ++k) {
      world +=
          fmt::format(R"(<body pos="{0} 0 {1}"><freejoint/><geom type="box" size="{2} {2} {2}" friction=".5"/></body>)",
                      kSpacing * (k - 0.5 * (layers - layer - 1)), kHalf * (2 * layer + 1), kHalf);
    }
  }
  return fmt::format(
      R"(<mujoco><option solver="Impulse" method="sweep" timestep="0.016666666666666666" iterations="24"/>
                        <worldbody>{}</worldbody></mujoco>)",
      world);
}

/// Runs for some steps; each cube keeps its height, and no contact ever is deeper than `depth`.
void expectToStand(Scene& run, int steps, double depth) {
  const std::vector<double> start(run.d.qpos.begin(), run.d.qpos.end());
  double deepest = 0;
  for (int i = 0; i < steps; ++i) {
    run.steps(1);
    for (const Contact& c : run.d.contact) deepest = std::max(deepest, -c.dist);
  }
  EXPECT_LT(deepest, depth);
  for (std::size_t q = 0; q < start.size(); q += 7) {
    EXPECT_NEAR(run.d.qpos[static_cast<std::ptrdiff_t>(q) + 2], start[q + 2], 5e-3);
  }
}

TEST(Impulse, AWallStandsStillWithFewSweeps) {
  Scene run(wall(12, false));
  expectToStand(run, 600, 1e-3);
  EXPECT_LT(fastest(run.d), 0.02) << "a step of gravity is 0.16 m/s";
}

/// Contacts have rows before they touch, by 1 cm, or a fifth of the radius of what is small: else a bin of screws would
/// be one contact of all with all.
TEST(Impulse, ContactsBeginAtADistanceThatFitsTheSize) {
  const auto contacts = [](double half, double gap) {
    const std::string size = fmt::format("{} {} {}", half, half, half);
    const Model m = compile(readMjcfText(
        fmt::format(
            "<mujoco><option solver=\"Impulse\"/><worldbody><body><freejoint/><geom type=\"box\" size=\"{}\"/>"
            "</body><body pos=\"0 0 {}\"><freejoint/><geom type=\"box\" size=\"{}\"/></body></worldbody></mujoco>",
            size, 2 * half + gap, size),
        "boxes.xml"));
    Data d(m);
    forward(m, d);
    return d.ncon();
  };
  EXPECT_EQ(contacts(0.5, 0.0099), 4);
  EXPECT_EQ(contacts(0.5, 0.0101), 0);
  const double small = 0.005, fifth = 0.2 * std::sqrt(3.0) * small;
  EXPECT_EQ(contacts(small, 0.99 * fifth), 4);
  EXPECT_EQ(contacts(small, 1.01 * fifth), 0);
}

TEST(Impulse, AWallStandsWhicheverWayItIsNumbered) {
  for (const bool fromTheTop : {false, true}) {
    SCOPED_TRACE(fromTheTop);
    Scene run(wall(20, fromTheTop));
    expectToStand(run, 900, 5e-3);
  }
}

/// Cubes of half a metre as meshes, on a floor that is a mesh as well; `poses` are the attributes of their bodies.
std::string meshCubes(const std::vector<std::string>& poses) {
  std::string world;
  for (const std::string& pose : poses) {
    world += fmt::format(R"(<body {}><freejoint/><geom type="mesh" mesh="cube" mass="1"/></body>)", pose);
  }
  return fmt::format(R"(<mujoco><option solver="Impulse" timestep="0.016666666666666666"/><asset>
    <mesh name="cube" vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1" scale=".25 .25 .25"/>
    <mesh name="slab" vertex="-2 -2 -1 2 -2 -1 -2 2 -1 2 2 -1 -2 -2 0 2 -2 0 -2 2 0 2 2 0"/></asset>
    <worldbody><geom type="mesh" mesh="slab"/>{}</worldbody></mujoco>)",
                     world);
}

// As boxes do (LIFT_2): all corners of a face carry, so that nothing creeps or rocks
TEST(Impulse, ConvexMeshesStackAsSteadilyAsBoxes) {
  std::vector<std::string> poses;
  for (int i = 0; i < 5; ++i) {
    poses.push_back(
        fmt::format(R"(pos="{} {} {}" euler="0 0 {}")", 0.01 * (i % 2), -0.008 * (i % 3), 0.25 + 0.5 * i, 3 * i));
  }
  Scene run(meshCubes(poses));
  run.seconds(10);
  for (int i = 0; i < 5; ++i) {
    const double* q = run.d.qpos.data() + 7 * i;
    EXPECT_LT(std::hypot(q[0] - 0.01 * (i % 2), q[1] + 0.008 * (i % 3)), tolerance(1e-4)) << "cube " << i;
    EXPECT_NEAR(q[2], 0.25 + 0.5 * i, tolerance(1e-5)) << "cube " << i;
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(run.d.qvel[6 * i + k], 0, tolerance(1e-5)) << "cube " << i;
  }
}

// Points of a side that leans have depths of their own: a cube that arrives leaning by a degree comes to lie flat
TEST(Impulse, ALeaningMeshComesToLieFlat) {
  Scene run(meshCubes({R"(pos="0 0 0.25")", R"(pos="0.02 0.01 0.77" euler="1 0.5 20")"}));
  run.seconds(3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(run.d.qpos[7 * i + 2], 0.25 + 0.5 * i, tolerance(1e-5));
    EXPECT_NEAR(run.d.xmat[9 * (i + 1) + 8], 1, tolerance(1e-8)) << "cosine of the lean";
  }
}

TEST(Impulse, LIFT_3_ContactsKeepTheirIdentity) {
  Scene run(column(2, R"(<geom type="box" size=".5 .5 .5" mass="1"/>)", 0.5, 1, R"(timestep="0.016666666666666666")"));
  run.steps(5);
  const auto identities = [&] {
    std::vector<std::array<int, 3>> list;
    for (const Contact& c : run.d.contact) list.push_back({c.geom[0], c.geom[1], c.feature});
    return list;
  };
  const auto first = identities();
  EXPECT_EQ(first.size(), 8u);
  for (int i = 0; i < 100; ++i) {
    step(run.m, run.d);
    ASSERT_EQ(identities(), first) << "step " << i;
    ASSERT_EQ(run.d.row_memory.size(), 8);
  }
  // lifted: nothing is remembered of the upper cube; put back: it begins anew
  run.d.qpos[7 + 2] += 1;
  run.steps(1);
  EXPECT_EQ(run.d.row_memory.size(), 4);
}

TEST(Impulse, LIFT_4_PilesDoNotKnowOfEachOther) {
  const auto pile = [](double x) {
    std::string world;
    for (int i = 0; i < 6; ++i) {
      world += fmt::format(
          R"(<body pos="{} 0 {}" euler="0 0 {}"><freejoint/><geom type="box" size=".2 .2 .1" mass="1"/></body>)",
          x + 0.05 * i, 0.1 + 0.2 * i, 7 * i);
    }
    return world;
  };
  const auto world = [](const std::string& bodies) {
    return R"(<mujoco><option solver="Impulse" timestep="0.005"/><worldbody><geom type="plane" size="90 90 1"/>)" +
           bodies + "</worldbody></mujoco>";
  };
  Scene both(world(pile(0) + pile(32))), alone(world(pile(0)));
  for (int i = 0; i < 300; ++i) {
    step(both.m, both.d);
    step(alone.m, alone.d);
  }
  EXPECT_GE(both.d.island.size(), 2);
  for (int i = 0; i < alone.m.nq; ++i) EXPECT_EQ(both.d.qpos[i], alone.d.qpos[i]);
}

TEST(Impulse, LIFT_4_ThreadsLeaveNoTrace) {
  const tbb::global_control fourThreads(tbb::global_control::max_allowed_parallelism, 4);
  for (const std::string& mjcf : {test::stacks(12, 6, R"(solver="Impulse" iterations="20")"),
                                  test::crowd(3, R"(solver="Impulse" iterations="20")")}) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4}) {
      Scene run(mjcf);
      run.d.threads = threads;
      run.steps(150);
      EXPECT_TRUE(run.d.status.ok());
      hashes.push_back(stateHash(run.m, run.d));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
  }
}

TEST(Impulse, ARestoredStateContinuesBitForBit) {
  Scene run(test::crowd(2, R"(solver="Impulse" iterations="10")"));
  run.steps(100);
  const auto state = saveState(run.m, run.d);
  const auto hash = stateHash(run.m, run.d);
  EXPECT_GT(run.d.row_memory.size(), 0);
  run.steps(50);
  Data other(run.m);
  restoreState(run.m, other, state);
  EXPECT_EQ(stateHash(run.m, other), hash);
  for (int i = 0; i < 50; ++i) step(run.m, other);
  EXPECT_EQ(stateHash(run.m, other), stateHash(run.m, run.d));
  // looking at a state does not change it
  forward(run.m, other);
  EXPECT_EQ(stateHash(run.m, other), stateHash(run.m, run.d));
}

TEST(Impulse, StepsDoNotAllocateOnceWarm) {
  Scene run(test::stacks(4, 4, R"(solver="Impulse" iterations="10")"));
  run.steps(50);
  const test::AllocationGuard guard("impulse step");
  run.steps(20);
}

/// A pyramid of boxes whose steps Newton's method cannot solve within so few iterations.
std::string pyramidOfBoxes(int layers, const std::string& option) {
  std::string text = fmt::format(
      R"(<mujoco><option timestep="0.005" solver="Impulse" {}/><worldbody><geom type="plane" size="5 5 .1"/>)", option);
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < layers - layer; ++i) {
      text +=
          fmt::format(R"(<body pos="{} 0 {}"><freejoint/><geom type="box" size=".05 .05 .05" density="500"/></body>)",
                      (i - (layers - layer - 1) / 2.0) * 0.105, 0.05 + 0.1002 * layer);
    }
  }
  return text + "</worldbody></mujoco>";
}

/// Impulses of a round that ran out of iterations are no multipliers: taken for some, they threw the boxes kilometres
/// away.
TEST(Impulse, TooFewIterationsOfNewtonsMethodThrowNothingApart) {
  for (const int iterations : {2, 3}) {
    Scene run(pyramidOfBoxes(10, fmt::format(R"(iterations="{}")", iterations)));
    run.steps(60);
    double moved = 0;
    for (int body = 1; body < run.m.nbody; ++body) {
      for (int k = 0; k < 3; ++k) {
        moved = std::max(moved, std::abs(run.d.xpos[3 * body + k] - run.m.body_pos[3 * body + k]));
      }
    }
    EXPECT_LT(moved, 0.01) << iterations;
  }
  // and islands say whether they suffice
  Scene run(pyramidOfBoxes(4, R"(iterations="1")"));
  run.m.opt.tolerance = 0;
  run.steps(5);
  EXPECT_FALSE(run.d.island[0].converged);
}

// ------------------------------------------------------------------------------------------ other rows

TEST(Impulse, WorksOnJointsLimitsTendonsAndActuators) {
  // a weighted arm falls onto its stop at -0.5 rad and stays there: the limit carries m g l cos(0.5)
  Scene run(
      R"(<mujoco><compiler angle="radian"/><option solver="Impulse"/><worldbody><body><joint name="j" axis="0 -1 0" range="-0.5 1"/>
    <geom pos="0.5 0 0" size="0.05" mass="2"/></body></worldbody></mujoco>)");
  run.seconds(3);
  EXPECT_NEAR(run.d.qpos[0], -0.5, tolerance(1e-6));
  ASSERT_EQ(run.d.nl, 1);
  EXPECT_NEAR(run.d.efc_force[0], 2 * kGravity * 0.5 * std::cos(0.5), tolerance(1e-6));
}

TEST(Impulse, FrictionLossHoldsAndSlips) {
  Scene run(
      R"(<mujoco><option solver="Impulse" gravity="0 0 0"/><worldbody><body><joint type="slide" axis="1 0 0" frictionloss="2"/>
    <geom size="0.1" mass="1"/></body></worldbody></mujoco>)");
  run.d.qfrc_applied[0] = 1.9;
  run.seconds(1);
  EXPECT_NEAR(run.d.qvel[0], 0, tolerance(1e-12));
  run.d.qfrc_applied[0] = 3;
  run.seconds(1);
  EXPECT_NEAR(run.d.qvel[0], 1, tolerance(1e-9));
}

// A damped arm falls onto the floor and comes to rest there. At rest the impulses balance gravity exactly, whatever the
// integrator makes of damping: torque balance of a horizontal lever with its tip on the floor gives half its weight.
TEST(Impulse, EveryIntegratorMovesByWhatTheSolverFound) {
  for (const char* integrator : {"Euler", "implicit", "implicitfast"}) {
    Scene run(
        fmt::format(R"(<mujoco><option solver="Impulse" integrator="{}" iterations="200" tolerance="1e-12"/><worldbody>
      <geom type="plane" size="9 9 1" condim="1"/><body pos="0 0 0.05"><joint name="j" axis="0 1 0" damping="3"/>
      <geom type="sphere" pos="0.6 0 0" size=".05" mass="1" condim="1"/><geom pos="0.3 0 0.2" size="0.01" mass="1" condim="1"/></body>
      </worldbody><actuator><velocity joint="j" kv="2"/></actuator></mujoco>)",
                    integrator));
    run.d.qpos[0] = -0.3;
    run.seconds(4);
    ASSERT_EQ(run.d.ncon(), 1) << integrator;
    EXPECT_NEAR(run.d.qvel[0], 0, tolerance(1e-9)) << integrator;
    EXPECT_NEAR(forceOf(run, 0), 1.5 * kGravity, tolerance(1e-6)) << integrator;
  }
}

// Hard rows have a velocity to reach, soft ones a reference acceleration; neither has what the other has. Where an
// impulse is free the target is reached: J v+ = target.
TEST(Impulse, TargetsAreVelocitiesAfterTheStep) {
  const auto mjcf = [](const std::string& solver) {
    return fmt::format(R"(<mujoco><option {} erp=".3" slop="1e-4" iterations="200" tolerance="1e-12"/><worldbody>
      <geom type="plane" size="9 9 1" condim="1"/>
      <body pos="0 0 .098"><freejoint/><geom size=".1" condim="1"/></body>
      <body pos="1 0 .103"><freejoint/><geom size=".1" condim="1"/></body>
      <body pos="2 0 1"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
      <body pos="3 0 1"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
      <equality><joint joint1="b" joint2="a"/></equality></mujoco>)",
                       solver);
  };
  for (const std::string method : {"newton", "sweep"}) {
    SCOPED_TRACE(method);
    Scene run(mjcf(fmt::format(R"(solver="Impulse" method="{}")", method)));
    const double h = run.m.opt.timestep;
    run.d.qpos[14] = 0.01;  // a against b
    run.d.qvel[8] = -5;     // the second ball arrives
    forward(run.m, run.d);
    ASSERT_EQ(run.d.nefc(), 3);
    EXPECT_EQ(run.d.efc_aref.size(), 0);
    ASSERT_EQ(run.d.efc_target.size(), 3);
    EXPECT_NEAR(run.d.efc_target[0], 0.3 / h * 0.01, tolerance(1e-12));            // b - a = -0.01
    EXPECT_NEAR(run.d.efc_target[1], 0.3 / h * (0.002 - 1e-4), tolerance(1e-12));  // depth less slop
    EXPECT_NEAR(run.d.efc_target[2], -0.003 / h, tolerance(1e-12));                // may close the gap
    if (method == "newton") {                                                      // sweeps correct depth by positions
      std::vector<double> after(static_cast<std::size_t>(run.m.nv)), rows(3);
      for (int i = 0; i < run.m.nv; ++i) after[i] = run.d.qvel[i] + h * run.d.qacc[i];
      multiplyConstraintJacobian(run.m, run.d, after, rows);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(rows[i], run.d.efc_target[i], tolerance(1e-6)) << "row " << i;
      }
    }
  }
  Scene soft(mjcf(R"(solver="Newton")"));
  forward(soft.m, soft.d);
  EXPECT_GT(soft.d.nefc(), 0);
  EXPECT_EQ(soft.d.efc_aref.size(), soft.d.nefc());
  EXPECT_EQ(soft.d.efc_target.size(), 0);
}

TEST(Impulse, CompositeModelsOfAllKindsStaySound) {
  Scene run(test::crowd(4, R"(solver="Impulse" iterations="30")"));
  // Nothing drives them: energy falls, or stays, once what overlaps at the start has been pushed apart.
  run.seconds(0.1);
  double before = run.total();
  for (int i = 0; i < 40; ++i) {
    run.seconds(0.05);
    const double now = run.total();
    EXPECT_LT(now, before + 1e-4 * std::abs(before)) << "at " << run.d.time;
    before = now;
  }
  EXPECT_TRUE(run.d.status.ok()) << describeStatus(run.m, run.d);
}

// ------------------------------------------------------------------------------------------ flexes

// A soft ball of 1 kg dropped from 0.5 m. Restitution acts at the points that touch; the ball as a whole comes back by
// its elasticity, less what its damping takes. It must leave the floor, and never have more energy than it started
// with.
TEST(Impulse, FlexSphereWithRestitutionBounces) {
  for (const double e : {0.0, 0.8, 1.0}) {
    Scene run(fmt::format(
        R"(<mujoco><option solver="Impulse" timestep="0.001" iterations="30" integrator="implicitfast"/><worldbody>
      <geom type="plane" size="9 9 1" restitution="{0}" condim="1"/>
      <flexcomp name="b" type="ellipsoid" count="5 5 5" spacing=".1 .1 .1" pos="0 0 0.75" dim="3" mass="1" radius="0.01">
      <elasticity young="2e5" poisson="0.3" damping="0.001"/><contact restitution="{0}" condim="1" selfcollide="none"/>
      </flexcomp></worldbody></mujoco>)",
        e));
    const double start = run.total();
    const int nodes = run.m.nflexnode;
    double lowest = 1, top = 0, most = start, clear = 0;
    for (int i = 0; i < 800; ++i) {
      step(run.m, run.d);
      double z = 0, bottom = 1;
      for (int k = 0; k < nodes; ++k) {
        const double height = run.d.qpos[run.m.nq_rigid + 3 * k + 2];
        z += height / nodes;
        bottom = std::min(bottom, height);
      }
      if (z < lowest) {
        lowest = top = z;
        clear = 0;
      }
      top = std::max(top, z);
      clear = std::max(clear, bottom);
      if (i % 20 == 0) most = std::max(most, run.total());
    }
    EXPECT_TRUE(run.d.status.ok());
    EXPECT_GT(top - lowest, 0.15) << "e = " << e;
    EXPECT_GT(clear, 0.1) << "e = " << e;
    EXPECT_LE(most, start * (1 + 1e-3)) << "e = " << e;
  }
}

// The body cannot move up, so no impulse helps against the depth. What colliders leave of the horizontal in a vertical
// normal (1e-8 and less) is no lever: pushing along it would shoot the body away sideways.
TEST(Impulse, ABodyThatCannotYieldIsNotShotSideways) {
  for (const char* floor :
       {R"(type="ellipsoid" size="1 1 .5" pos="0 0 -.5")", R"(type="cylinder" size="1 .5" pos="0 0 -.5")",
        R"(type="plane" size="1 1 1" zaxis="1e-8 0 1")"}) {
    for (const char* shape : {R"(type="ellipsoid" size=".1 .12 .1")", R"(type="cylinder" size=".1 .1")"}) {
      const bool exact = std::string(floor).starts_with("type=\"plane");
      for (const int condim : {1, 3, 4, 6}) {
        if (condim == 1 && !exact) continue;  // a normal that is a degree off is a slope, and nothing holds the body
        Scene s(fmt::format(
            R"(<mujoco><option solver="Impulse" timestep=".001"/><worldbody><geom {0} condim="{2}"/><body pos="0 0 .09">
               <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><geom {1} condim="{2}"/></body>
               </worldbody></mujoco>)",
            floor, shape, condim));
        s.steps(100);
        EXPECT_LT(std::hypot(s.d.qpos[0], s.d.qpos[1]), 1e-4) << floor << ' ' << shape << ' ' << condim;
        EXPECT_TRUE(s.d.status.ok());
      }
    }
  }
}

/// Forces at rest are those of statics whatever damps the body: impulses act through the matrix that the acceleration
/// without them was found with, free body or joint, alone or under a cloth held together by rows.
TEST(Impulse, DampingDoesNotChangeTheForcesOfThingsAtRest) {
  const std::string cloth = R"(<flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".04 .04 .04" mass=".5"
      radius=".006" pos="0 0 .0765"><contact selfcollide="none"/><edge equality="true"/></flexcomp>)";
  for (const char* integrator : {"Euler", "implicit", "implicitfast"}) {
    for (const char* joint : {"free", "slide"}) {
      for (const bool covered : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", integrator, joint, covered));
        const Model m = compile(readMjcfText(fmt::format(
            R"(<mujoco><option timestep=".002" integrator="{}" solver="Impulse"/><worldbody><geom type="plane" size="1 1 1"/>
            <body pos="0 0 .05"><joint type="{}" damping="100" axis="0 0 1"/><geom type="box" size=".05 .05 .02" mass="1"/>
            <geom type="box" size=".05 .05 .01" pos="0 0 -.04" mass="1"/><site name="s" type="box" size=".1 .1 .02" pos="0 0 -.04"/>
            </body>{}</worldbody><sensor><touch site="s"/></sensor></mujoco>)",
            integrator, joint, covered ? cloth : "")));
        Data d(m);
        for (int i = 0; i < 500; ++i) step(m, d);
        EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
        EXPECT_NEAR(d.sensordata[0], 9.81 * (covered ? 2.5 : 2), 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace sinew
