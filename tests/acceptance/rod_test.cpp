#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "validation/twist.h"

/// Rods with twist: <elasticity twist="true"> on flexes of dim 1.
namespace sinew {
namespace {

using std::numbers::pi;
using validation::FlexRun;
using validation::Point;
using validation::twistRod;

std::vector<Point> line(int n, double length, const Point& along = {1, 0, 0}) {
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) {
    const double s = length * i / n;
    points.push_back({s * along[0], s * along[1], s * along[2]});
  }
  return points;
}

const char* const kStill = R"(timestep="0.01" integrator="implicitfast" gravity="0 0 0")";
const char* const kClamp = R"(<pin id="0" clamp="true"/>)";

/// Section of <elasticity>, and what it means.
struct Case {
  std::string text;
  double area, moment1, moment2, torsion;
};
std::vector<Case> sections() {
  const double r = 0.01, a = 0.02, b = 0.01;
  return {{"0.01", pi * r * r, pi * std::pow(r, 4) / 4, pi * std::pow(r, 4) / 4, pi * std::pow(r, 4) / 2},
          {"0.02 0.01", a * b, a * b * b * b / 12, b * a * a * a / 12, 0.228682 * a * b * b * b},
          {"3e-4 1e-8 4e-8 2e-8", 3e-4, 1e-8, 4e-8, 2e-8}};
}

// A shaft between a clamp and a body on a hinge, which a torque turns: T L / (G J). The hinge and the rod point
// anywhere.
TEST(Rod, ROD_1_AShaftTwistsByItsTorsionConstant) {
  for (const Case& c : sections()) {
    for (const Point& along : {Point{1, 0, 0}, Point{0.6, 0, -0.8}}) {
      const double E = 1e7, nu = 0.3, length = 0.5, G = E / (2 * (1 + nu));
      const std::string world = fmt::format(
          R"(<body name="end" pos="{0} {1} {2}"><joint type="hinge" axis="{3} {4} {5}" damping="1e-3"/>
          <geom size=".02" density="100" contype="0" conaffinity="0"/></body>)",
          length * along[0], length * along[1], length * along[2], along[0], along[1], along[2]);
      FlexRun r(kStill, world + twistRod(line(12, length, along), 0.1,
                                         fmt::format(R"(young="{}" poisson="{}" section="{}")", E, nu, c.text),
                                         R"(<pin id="0" clamp="true"/><pin id="12" clamp="true" body="end"/>)"));
      const double torque = 0.7 * G * c.torsion / length;
      for (int i = 0; i < 3000; ++i) {
        r.d.qfrc_applied[0] = torque;
        step(r.m, r.d);
      }
      EXPECT_NEAR(r.d.qpos[0], 0.7, 0.7e-5) << c.text;
      EXPECT_LT(r.fastest(), 1e-6);
    }
  }
}

TEST(Rod, ROD_1_ARodStretchesByItsArea) {
  for (const Case& c : sections()) {
    FlexRun r(kStill,
              twistRod(line(8, 0.4, {0, 0.6, 0.8}), 0.1, fmt::format(R"(young="1e7" section="{}")", c.text), kClamp));
    const double force = 1e-3 * 1e7 * c.area;
    r.load(8, 1, 0.6 * force);
    r.load(8, 2, 0.8 * force);
    r.run(3, 50);
    const Point end = r.at(8);
    EXPECT_NEAR(std::hypot(end[1], end[2]), 0.4 * 1.001, 1e-7) << c.text;
    EXPECT_NEAR(end[2] / end[1], 0.8 / 0.6, 1e-6);
  }
}

// P L^3 / (3 E I) for small forces along each axis of the section, the first one given by 'axis'; n segments are off by
// half of the curvature's variation over one, of second order.
TEST(Rod, ROD_1_ARodBendsAboutTwoAxes) {
  for (const Case& c : sections()) {
    for (const double turn : {0.0, 0.7}) {
      const double E = 1e7, L = 0.5;
      for (int axis = 0; axis < 2; ++axis) {
        FlexRun r(kStill, twistRod(line(24, L), 0.1,
                                   fmt::format(R"(young="{}" section="{}" axis="0 {} {}")", E, c.text, std::cos(turn),
                                               std::sin(turn)),
                                   kClamp));
        // along the first axis it bends about the second
        const double I = axis == 0 ? c.moment2 : c.moment1, angle = turn + axis * 0.5 * pi;
        const double force = 3 * E * I / (L * L * L) * 1e-3;
        r.load(24, 1, force * std::cos(angle));
        r.load(24, 2, force * std::sin(angle));
        r.run(12, 4);
        const Point end = r.at(24);
        EXPECT_NEAR(end[1] * std::cos(angle) + end[2] * std::sin(angle), 1e-3, 2e-6) << c.text << ", " << axis;
        EXPECT_NEAR(-end[1] * std::sin(angle) + end[2] * std::cos(angle), 0, 1e-8);
      }
    }
  }
}

/// Two turns of a helix.
std::vector<Point> helixPoints(int n) {
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) {
    const double s = 4 * pi * i / n;
    points.push_back({0.1 * std::cos(s), 0.1 * std::sin(s), 0.02 * s});
  }
  return points;
}

double largest(const Array<double>& values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

TEST(Rod, ROD_1_CurvedAndTwistedShapesRest) {
  for (const char* pins : {"", kClamp, R"(<pin id="0 1"/>)", R"(<pin id="3" clamp="true"/>)"}) {
    for (const char* shape : {"", R"(pretwist="25" axis="0 0 1")"}) {
      FlexRun r(R"(timestep="0.005" integrator="implicitfast" gravity="0 0 0")",
                twistRod(helixPoints(40), 0.1, fmt::format(R"(young="1e7" poisson=".4" section=".01 .005" {})", shape),
                         pins));
      forward(r.m, r.d);
      EXPECT_LT(largest(r.d.qfrc_passive), 1e-8) << pins << shape;
      EXPECT_LT(largest(r.d.flexjoint_turn), 1e-12);
      r.run(1, 0);
      EXPECT_LT(r.fastest(), 1e-8);
    }
  }
}

// A closed rod without ends, also where its frame does not come back to itself.
TEST(Rod, ROD_1_ClosedRodsRest) {
  std::vector<Point> points;
  for (int i = 0; i < 24; ++i) {
    const double s = 2 * pi * i / 24;
    points.push_back({0.2 * std::cos(s), 0.2 * std::sin(s), 0.05 * std::sin(2 * s)});
  }
  FlexRun r(R"(timestep="0.005" integrator="implicitfast" gravity="0 0 0")",
            twistRod(points, 0.1, R"(young="1e7" section=".01 .005" pretwist="11")", "", true));
  EXPECT_EQ(r.m.nflexjoint, 24);
  forward(r.m, r.d);
  EXPECT_LT(largest(r.d.qfrc_passive), 1e-8);
}

// With flat="true" the same shape is under a moment that is uniform around a circle.
TEST(Rod, ROD_1_FlatRodsAreBentWhereTheyAreCurved) {
  std::vector<Point> points;
  for (int i = 0; i < 24; ++i) points.push_back({std::cos(pi * i / 12), std::sin(pi * i / 12), 0});
  FlexRun r(kStill, twistRod(points, 0.1, R"(young="1e7" section=".01" flat="true")", "", true));
  forward(r.m, r.d);
  for (int i = 0; i < r.m.nflexjoint; ++i) {
    const double* u = &r.d.flexjoint_turn[3 * i];
    EXPECT_NEAR(u[0], 0, 1e-12);
    EXPECT_NEAR(std::hypot(u[1], u[2]), pi / 12, 1e-12);
  }
}

// Mass and rotary inertia: rho A L; rho I1 L and rho I2 L about the axes of the section.
TEST(Rod, ROD_1_DensityGivesMassAndRotaryInertia) {
  for (const Case& c : sections()) {
    const double length = 0.6, perLength = 0.7;
    FlexRun r(kStill, twistRod(line(10, length), perLength,
                               fmt::format(R"(young="1e7" section="{}" axis="0 0 1")", c.text), ""));
    double mass = 0, along1 = 0, along2 = 0;
    for (int i = 0; i < r.m.nflexnode; ++i) {
      const double m = r.m.flexnode_mass[i];
      const Point x = r.at(i);
      mass += m, along1 += m * x[2] * x[2], along2 += m * x[1] * x[1];
    }
    EXPECT_NEAR(mass, perLength * length, 1e-12);
    EXPECT_NEAR(along1, perLength * length * c.moment2 / c.area, 1e-12);
    EXPECT_NEAR(along2, perLength * length * c.moment1 / c.area, 1e-12);
  }
}

// Torsional vibration of a clamped rod: f = 1/(4 L) sqrt(G J / (rho (I1 + I2))), from its zero crossings.
TEST(Rod, ROD_1_TorsionalVibration) {
  for (const Case& c : sections()) {
    const int n = 20;
    const double E = 1e6, L = 0.5, perLength = 0.3;
    const double inertia = perLength * (c.moment1 + c.moment2) / c.area;
    const double exact = std::sqrt(0.5 * E * c.torsion / inertia) / (4 * L);
    FlexRun r(fmt::format(R"(timestep="{}" integrator="midpoint" gravity="0 0 0")", 1 / (200 * exact)),
              twistRod(line(n, L), perLength, fmt::format(R"(young="{}" section="{}")", E, c.text), kClamp));
    for (int i = 0; i < n; ++i) {
      const double angle = 0.01 * std::sin(0.5 * pi * (i + 0.5) / n);
      for (int k = 2; k < 5; ++k) {
        double* x = &r.d.qpos[3 * r.m.flexpoint_nodeid[r.m.flexsection_point[5 * i + k]]];
        const double y = x[1], z = x[2];
        x[1] = y * std::cos(angle) - z * std::sin(angle);
        x[2] = y * std::sin(angle) + z * std::cos(angle);
      }
    }
    const auto twist = [&] { return r.d.flexjoint_turn[3 * (n - 1)]; };  // the clamp's joint comes first
    std::vector<double> crossings;
    forward(r.m, r.d);
    double before = twist();
    r.run(5 / exact, 0, [&] {
      forward(r.m, r.d);
      const double now = twist();
      if ((before > 0) != (now > 0)) crossings.push_back(r.d.time - r.m.opt.timestep * now / (now - before));
      before = now;
    });
    ASSERT_GE(crossings.size(), 8u) << c.text;
    const double period = 2 * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    EXPECT_NEAR(1 / period / exact, 1, 2e-3) << c.text;
  }
}

// A pin holds a place and nothing else: the rod swings and turns there. A clamp holds the direction, too.
TEST(Rod, ROD_1_PinsLetTurnAndClampsDoNot) {
  for (const bool clamp : {false, true}) {
    FlexRun r(R"(timestep="0.005" integrator="implicitfast" gravity="0 0 -10")",
              twistRod(line(10, 0.5), 0.1, R"(young="1e8" section=".01")", clamp ? kClamp : R"(<pin id="0"/>)"));
    r.run(5, 2);
    const Point end = r.at(10);
    EXPECT_NEAR(end[clamp ? 0 : 2], clamp ? 0.5 : -0.5, 1e-3);
  }
}

// Clamped to a moving body: rod and body fall together, and turning the body carries the rod along.
TEST(Rod, ROD_1_ClampsFollowTheirBody) {
  FlexRun r(R"(timestep="0.005" integrator="implicitfast" gravity="0 0 0")",
            R"(<body name="hand" mocap="true"/>)" + twistRod(line(10, 0.3), 0.1, R"(young="1e8" section=".02 .01")",
                                                             R"(<pin id="0" clamp="true" body="hand"/>)"));
  for (int i = 1; i <= 200; ++i) {
    const double angle = pi / 2 * i / 200;
    r.d.mocap_quat[0] = std::cos(0.5 * angle);
    r.d.mocap_quat[3] = std::sin(0.5 * angle);
    r.d.mocap_pos[2] = 0.1 * i / 200;
    r.stepOnce(1);
  }
  r.run(3, 5);
  forward(r.m, r.d);
  const double* end = &r.d.flexvert_xpos[3 * 10];
  EXPECT_NEAR(end[0], 0, 1e-4);
  EXPECT_NEAR(end[1], 0.3, 1e-4);
  EXPECT_NEAR(end[2], 0.1, 1e-4);
  EXPECT_LT(largest(r.d.flexjoint_turn), 1e-4);
}

// A free rod that turns about an axis across it and twists: nothing is lost or gained but what SPIN-1 allows.
TEST(Rod, ROD_1_AFreeRodKeepsItsMomentum) {
  FlexRun r(R"(timestep="0.002" integrator="implicitfast" gravity="0 0 0")",
            twistRod(helixPoints(24), 0.1, R"(young="1e6" section=".01 .02")", ""));
  const auto momentum = [&](const std::vector<double>& x, const std::vector<double>& v) {
    Point p{}, L{};
    for (int i = 0; i < r.m.nflexnode; ++i) {
      const double m = r.m.flexnode_mass[i];
      const double *a = &x[3 * i], *b = &v[3 * i];
      for (std::size_t k = 0; k < 3; ++k) {
        p[k] += m * b[k];
        L[k] += m * (a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
      }
    }
    return std::array{p, L};
  };
  const auto now = [&] { return momentum({r.d.qpos.begin(), r.d.qpos.end()}, {r.d.qvel.begin(), r.d.qvel.end()}); };
  for (int i = 0; i < r.m.nflexnode; ++i) {
    const Point x = r.at(i);
    r.d.qvel[3 * i] = -10 * x[1];
    r.d.qvel[3 * i + 1] = 10 * x[0];
  }
  const auto before = now();
  r.run(1, 0);
  const auto after = now();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after[0][k], before[0][k], 1e-12);
    EXPECT_NEAR(after[1][k], before[1][k], 1e-6 * before[1][2]);
  }
}

// Tubes of the radius of the flex: it lies on the floor, and another one on top of it across.
TEST(Rod, ROD_1_RodsTouchAsTubes) {
  const Model m = compile(readMjcfText(R"(<mujoco><option timestep="0.002" integrator="implicitfast"/><worldbody>
      <geom type="plane" size="1 1 1"/>
      <flexcomp name="a" type="grid" dim="1" count="11 1 1" spacing=".05 .05 .05" pos="0 0 .03" radius=".02" mass=".1">
        <elasticity young="1e7" twist="true"/></flexcomp>
      <flexcomp name="b" type="grid" dim="1" count="11 1 1" spacing=".05 .05 .05" pos="0.013 0 .08" euler="0 0 90" radius=".02"
        mass=".1"><elasticity young="1e7" twist="true"/></flexcomp></worldbody></mujoco>)"));
  Data d(m);
  while (d.time < 0.4) step(m, d);
  for (int v = 0; v < 11; ++v) EXPECT_NEAR(d.flexvert_xpos[3 * v + 2], 0.02, 2e-3);
  EXPECT_NEAR(d.flexvert_xpos[3 * 16 + 2], 0.06, 6e-3);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

// The frames are points, and those are in qpos: a state is copied by qpos and qvel alone, and continues to the same
// bits.
TEST(Rod, ROD_1_TheStateHoldsTheFrames) {
  const std::string world = twistRod(line(8, 0.4), 0.1, R"(young="1e6" section=".02 .01" pretwist="2")", kClamp);
  FlexRun r(R"(timestep="0.005" integrator="implicitfast")", world),
      again(R"(timestep="0.005" integrator="implicitfast")", world);
  EXPECT_EQ(r.m.nq, 3 * r.m.nflexnode);
  r.run(0.3, 0);
  again.d.qpos = r.d.qpos;
  again.d.qvel = r.d.qvel;
  again.d.qacc_warmstart = r.d.qacc_warmstart;
  again.d.time = r.d.time;
  r.run(0.3, 0);
  again.run(0.3, 0);
  EXPECT_TRUE(std::equal(r.d.qpos.begin(), r.d.qpos.end(), again.d.qpos.begin()));
  const test::AllocationGuard guard("step");
  step(r.m, r.d);
}

TEST(Rod, ROD_1_WrittenModelsAreTheSame) {
  const Spec spec =
      readMjcfText("<mujoco><worldbody><body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body>" +
                   twistRod(helixPoints(12), 0.1,
                            R"(young="1e7" section="1e-4 1e-9 2e-9 3e-9" axis="0 0 1" pretwist="3" flat="true")",
                            R"(<pin id="0" clamp="true"/><pin id="12" clamp="true" body="b"/>)") +
                   "</worldbody></mujoco>");
  const Model first = compile(spec), second = compile(readMjcfText(writeMjcf(spec)));
  ASSERT_EQ(first.nflexjoint, second.nflexjoint);
  EXPECT_TRUE(std::equal(first.qpos0.begin(), first.qpos0.end(), second.qpos0.begin(), second.qpos0.end()));
  EXPECT_TRUE(
      std::equal(first.flexjoint_relaxed.begin(), first.flexjoint_relaxed.end(), second.flexjoint_relaxed.begin()));
}

/// What loading says about a rod with these points, elements, elasticity and children.
std::string refusal(const std::string& point, const std::string& element, const std::string& elasticity,
                    const std::string& inside = "", const std::string& more = "") {
  try {
    compile(readMjcfText(fmt::format(
        R"(<mujoco><worldbody><flexcomp name="r" type="direct" dim="1" point="{}" element="{}" radius=".01" {}>
           <elasticity {}/>{}</flexcomp></worldbody></mujoco>)",
        point, element, more, elasticity, inside)));
  } catch (const LoadError& error) {
    const std::string text = error.what();
    return text.substr(text.find('<'));
  }
  return "";
}

TEST(Rod, ROD_1_BadInputIsRefused) {
  const std::string p3 = "0 0 0 1 0 0 2 0 0", e3 = "0 1 1 2", twist = R"(young="1e6" twist="true")";
  const std::string flex = "<flexcomp name=\"r\">: ", pin = "<pin>: ";
  EXPECT_EQ(refusal(p3, e3, twist), "");
  EXPECT_EQ(refusal(p3, e3, twist + R"( section="0")"), flex + "'section' needs positive numbers, found 0");
  EXPECT_EQ(refusal(p3, e3, twist + R"( section=".1 0")"), flex + "'section' needs positive numbers, found 0");
  EXPECT_EQ(refusal(p3, e3, twist + R"( section="1 1 -2 1")"), flex + "'section' needs positive numbers, found -2");
  EXPECT_EQ(refusal(p3, e3, twist + R"( section="1 1 1")"),
            flex +
                "'section' needs 1 number (radius), 2 (widths along both axes) or 4 (area, moments about both axes, "
                "torsion constant), found 3");
  EXPECT_EQ(refusal(p3, e3, twist + R"( section="1e-120")"),
            flex +
                "the section of the rod has no finite area and moments: area 3.14e-240, moments 0 and 0, "
                "torsion constant 0");
  EXPECT_EQ(refusal(p3, e3, twist + R"( axis="0 0 0")"), flex + "'axis' must have a direction, found zero");
  EXPECT_EQ(refusal(p3, e3, twist + R"( axis="2 0 0")"),
            flex + "'axis' lies along element 0: it must be across the rod");
  EXPECT_EQ(refusal(p3, e3, twist + R"( pretwist="4")"),
            flex +
                "'pretwist' turns the section by 4 rad from element 0 to element 1; it must be less than half a turn: "
                "use shorter elements");
  EXPECT_EQ(refusal("0 0 0 1 0 0 2 0 0 1 1 0", "0 1 1 2 1 3", twist),
            flex +
                "elements 0, 1 and 2 meet at vertex 1: a rod with twist cannot branch; make the branch a flex of its "
                "own and pin it to a body");
  EXPECT_EQ(refusal("0 0 0 1 0 0 0.5 0 0", e3, twist),
            flex +
                "elements 0 and 1 fold back on each other at vertex 1: a rod with twist cannot be bent by half a turn "
                "there");
  EXPECT_EQ(refusal("0 0 0 1 0 0 1 0 0", e3, twist), flex + "element 1: vertices 1 and 2 are in the same place");
  EXPECT_EQ(refusal(p3, e3, R"(twist="true")"), flex + "twist=\"true\" needs 'young'");
  EXPECT_EQ(refusal(p3, e3, twist + R"( law="mujoco")"),
            flex + "twist=\"true\" needs law=\"stvk\", \"corotational\" or \"neohookean\": law=\"mujoco\" has no rods");
  EXPECT_EQ(refusal(p3, e3, twist, "", R"(dof="2d")"), flex + "twist=\"true\" needs dof=\"full\"");
  EXPECT_EQ(refusal(p3, e3, R"(young="1e6" law="stvk" section="1")"),
            flex + "'section' is for rods with twist: <elasticity twist=\"true\"> must be given");
  EXPECT_EQ(refusal(p3, e3, R"(young="1e6" law="stvk" flat="true")"),
            flex + "'flat' is for rods with twist: <elasticity twist=\"true\"> must be given");
  EXPECT_EQ(refusal(p3, e3, R"(young="1e6" law="stvk")", kClamp),
            pin + "'clamp' is for rods with twist: <elasticity twist=\"true\"> must be given");
  EXPECT_EQ(refusal(p3, e3, twist, R"(<pin id="0" body="nobody"/>)"), pin + "no body is named \"nobody\"");
  const auto refuseText = [](const std::string& text) -> std::string {
    try {
      compile(readMjcfText(text));
    } catch (const LoadError& error) {
      const std::string what = error.what();
      return what.substr(what.find('<'));
    }
    return "";
  };
  EXPECT_EQ(refuseText(R"(<mujoco><worldbody><flexcomp name="r" type="grid" dim="2" count="3 3 1" radius=".01">
            <elasticity young="1" twist="true"/></flexcomp></worldbody></mujoco>)"),
            flex + "twist=\"true\" is for rods: 'dim' must be 1, found 2");
  EXPECT_EQ(refuseText(R"(<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody><deformable>
            <flex name="r" dim="1" body="b world" vertex="0 0 0 1 0 0" element="0 1" radius=".01">
            <elasticity young="1" twist="true"/></flex></deformable></mujoco>)"),
            "<flex name=\"r\">: twist=\"true\" is for a flex without 'body': its sections would have no mass; hold "
            "vertices by <pin body>");
}

// Separate pieces are rods of their own, a single segment is a rod without joints; elements may be written in any order
// and direction.
TEST(Rod, ROD_1_PiecesAndOrderOfElements) {
  const auto model = [](const std::string& element) {
    return compile(readMjcfText(fmt::format(
        R"(<mujoco><worldbody><flexcomp name="r" type="direct" dim="1" radius=".01" element="{}"
           point="0 0 0  1 0 0  2 .3 0  3 0 .2  0 1 0  1 1 0"><elasticity young="1e6" twist="true" section=".02 .01"/>
           </flexcomp></worldbody></mujoco>)",
        element)));
  };
  for (const char* element : {"0 1 1 2 2 3 4 5", "0 1 3 2 5 4 2 1", "1 2 4 5 0 1 3 2"}) {
    Model m = model(element);
    EXPECT_EQ(m.nflexsection, 4);
    EXPECT_EQ(m.nflexjoint, 2);
    Data d(m);
    forward(m, d);
    EXPECT_LT(largest(d.qfrc_passive), 1e-6) << element;
  }
}

TEST(Rod, ROD_1_CurvedRodsWithoutTwistWarn) {
  const auto warnings = [](const std::string& elasticity) {
    Warnings list;
    compile(readMjcfText(fmt::format(R"(<mujoco><worldbody><flexcomp name="r" type="direct" dim="1" radius=".01"
        point="0 0 0 1 0 0 2 1 0" element="0 1 1 2"><elasticity {}/></flexcomp></worldbody></mujoco>)",
                                     elasticity)),
            &list);
    return list;
  };
  const Warnings without = warnings(R"(young="1e6" law="stvk")");
  ASSERT_EQ(without.size(), 1u);
  EXPECT_NE(without[0].find("the rod is curved at rest (1 bends, up to 0.79 rad): it keeps the angles, but does not "
                            "resist twisting; <elasticity twist=\"true\"> makes it a rod that does"),
            std::string::npos)
      << without[0];
  EXPECT_TRUE(warnings(R"(young="1e6" twist="true" poisson=".3")").empty());
}

// ---------------------------------------------------------------------------------------------- published values

double order(double coarse, double fine) { return std::log2(std::abs(coarse / fine)); }

TEST(RodValidation, ROD_2_ClampedRodsFollowTheElastica) {
  for (const auto& [load, drop, shortening] : validation::kElastica) {
    std::vector<double> values;
    for (const int n : {10, 20}) values.push_back(validation::elastica(validation::clampedRod(n, load), load)[1]);
    // the clamp is where it is said to be: errors of second order
    EXPECT_NEAR(values[1], drop, 0.002 * drop) << load;
    EXPECT_NEAR((4 * values[1] - values[0]) / 3, drop, 3e-4 * drop) << load;
  }
}

TEST(RodValidation, ROD_2_HeavyRodsHangFromTheirClamps) {
  for (const auto& [gamma, drop, x] : validation::kHeavyRod) {
    const auto [endX, endDrop] = validation::heavyClampedRod(30, gamma);
    EXPECT_NEAR(endDrop, drop, 0.01 * drop) << gamma;
    EXPECT_NEAR(endX, x, 0.01 * x) << gamma;
  }
}

TEST(RodValidation, ROD_2_BendOf45Degrees) {
  const auto coarse = validation::bend45(8), medium = validation::bend45(16), fine = validation::bend45(32);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(fine[k], validation::kBend45[k], 0.01 * std::abs(validation::kBend45[k]));
    EXPECT_NEAR(order(coarse[k] - medium[k], medium[k] - fine[k]), 2, 0.15);
  }
}

TEST(RodValidation, ROD_2_RingLeavesItsPlane) {
  const double coarse = validation::ringTwist(20) - validation::kRingTwist;
  const double fine = validation::ringTwist(40) - validation::kRingTwist;
  EXPECT_NEAR(fine, 0, 0.05);
  EXPECT_NEAR(order(coarse, fine), 2, 0.3);
}

TEST(RodValidation, ROD_2_StripTurnsAside) {
  const double coarse = validation::lateralLoad(5) - validation::kLateralLoad;
  const double fine = validation::lateralLoad(20) - validation::kLateralLoad;
  EXPECT_NEAR(fine, 0, 0.01 * validation::kLateralLoad);
  EXPECT_GT(order(coarse, fine), 2);  // over two refinements, until the extrapolation to the zero shows
}

TEST(RodValidation, ROD_2_HelixHasItsEnvelope) {
  const validation::Helix h = validation::helix(128);
  EXPECT_GT(h.amplitude, 0.5);
  EXPECT_LT(h.deviation, 0.03);
  EXPECT_NEAR(h.force, 1, 0.05);
}

// ---------------------------------------------------------------------------------------------- at rest

// A ring of 40 pieces that is straight when relaxed, a little off its circle: kinetic energy never grows.
TEST(Rod, ROD_3_AClosedRingWithTwistGainsNoEnergy) {
  for (const double timestep : {0.002, 0.005}) {
    std::vector<Point> points;
    for (int i = 0; i < 40; ++i) {
      const double s = 2 * pi * i / 40;
      points.push_back({0.2 * std::cos(s), 0.2 * std::sin(s), 1e-3 * std::sin(3 * s)});
    }
    FlexRun r(fmt::format(R"(timestep="{}" integrator="implicitfast" gravity="0 0 0")", timestep),
              twistRod(points, 0.08, R"(young="1e7" poisson=".3" section=".005" flat="true")", "", true));
    r.m.opt.enableflags |= enable::kEnergy;
    const auto peak = [&](double seconds) {
      double most = 0;
      r.run(seconds, 0, [&] { most = std::max(most, r.d.energy[1]); });
      return most;
    };
    const double window = 500 * timestep, first = peak(window);
    double before = first;
    for (int i = 0; i < 3; ++i) {
      const double now = peak(window);
      EXPECT_LE(now, std::max(before, 1e-12 * first)) << timestep << ", " << r.d.time;  // below: rounding
      before = now;
    }
    EXPECT_LT(before, 0.5 * first);
    EXPECT_TRUE(r.d.status.ok()) << describeStatus(r.m, r.d);
  }
}

}  // namespace
}  // namespace sinew
