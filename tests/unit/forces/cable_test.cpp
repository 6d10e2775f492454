#include "forces/cable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "kinematics/positions.h"
#include "math/quat.h"
#include "sinew/data.h"
#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew {
namespace {

Model load(const std::string& text) { return compile(readMjcfText(text, "cable.xml")); }

std::string withPlugin(const std::string& composite, const std::string& config, const std::string& geom,
                       const std::string& option = "", const std::string& damping = "0.02") {
  return "<mujoco><option " + option +
         "/><extension><plugin plugin=\"mujoco.elasticity.cable\"/></extension><worldbody><composite type=\"cable\" " +
         composite + "><plugin plugin=\"mujoco.elasticity.cable\">" + config +
         "</plugin><joint kind=\"main\" damping=\"" + damping + "\"/><geom " + geom +
         "/></composite></worldbody></mujoco>";
}

std::string config(double twist, double bend, const std::string& more = "") {
  return "<config key=\"twist\" value=\"" + std::to_string(twist) + "\"/><config key=\"bend\" value=\"" +
         std::to_string(bend) + "\"/>" + more;
}

TEST(Cable, IsAChainOfNamedBodiesAlongTheCurve) {
  const Model m = load(
      "<mujoco><worldbody><composite prefix=\"c\" type=\"cable\" curve=\"s\" count=\"5\" size=\"1\" offset=\"0 0 2\" "
      "initial=\"none\"><geom type=\"capsule\" size=\".01\"/></composite></worldbody></mujoco>");
  ASSERT_EQ(m.nbody, 5);
  EXPECT_EQ(m.nexclude, 3);
  EXPECT_EQ(m.njnt, 3);
  EXPECT_EQ(findId(m, ObjType::Body, "cB_first"), 1);
  EXPECT_EQ(findId(m, ObjType::Body, "cB_2"), 3);
  EXPECT_EQ(findId(m, ObjType::Body, "cB_last"), 4);
  EXPECT_GE(findId(m, ObjType::Joint, "cJ_last"), 0);
  EXPECT_GE(findId(m, ObjType::Site, "cS_first"), 0);
  Data d(m);
  forward(m, d);
  const int site = findId(m, ObjType::Site, "cS_last");
  EXPECT_NEAR(d.site_xpos[3 * site], 1, 1e-7);
  EXPECT_NEAR(d.site_xpos[3 * site + 2], 2, 1e-7);
}

/// The reference engine looks for a body that is not there.
TEST(Cable, MayHaveOneOrTwoBodies) {
  for (const char* count : {"2", "3"}) {
    const Model m = load(std::string("<mujoco><worldbody><composite type=\"cable\" curve=\"s\" count=\"") + count +
                         "\"><geom type=\"capsule\" size=\".01\"/></composite></worldbody></mujoco>");
    EXPECT_EQ(m.nbody, std::stoi(count));
  }
}

/// A beam of which every joint has the moment q (L - x)^2 / 2 of the weight q per length beyond it turns there by
/// M l / (E I), and its end sinks by the sum of these turns times their distance from it. For fine cables that is Euler
/// and Bernoulli's q L^4 / (8 E I), here 2 % of the length: small deflections are good to a part in a thousand.
TEST(Cable, BendsUnderItsWeightAsABeamDoes) {
  const double inertia = std::numbers::pi * 1e-8 / 4, weight = 1000 * std::numbers::pi * 1e-4 * 0.0981;
  const double young = weight / (8 * inertia * 0.02);
  double sunk = 0, before = 0;
  for (const int pieces : {10, 20, 40}) {
    const Model m =
        load(withPlugin("curve=\"s\" count=\"" + std::to_string(pieces + 1) + "\" size=\"1\" initial=\"none\"",
                        config(young, young), "type=\"cylinder\" size=\"0.01\"",
                        "timestep=\"0.002\" integrator=\"implicitfast\" gravity=\"0 0 -0.0981\"", "1"));
    ASSERT_EQ(m.ncable, pieces - 1);
    Data d(m);
    for (int k = 0; k < 8000; ++k) step(m, d);
    double expected = 0;
    for (int i = 1; i < pieces; ++i) {
      expected += weight * std::pow(1 - i / double(pieces), 3) / (2 * young * inertia * pieces);
    }
    before = sunk;
    sunk = -d.site_xpos[3 * findId(m, ObjType::Site, "S_last") + 2];
    EXPECT_NEAR(sunk, expected, 1e-3 * expected) << pieces;
  }
  // the joint that the clamped end lacks costs the first order of a piece's length
  EXPECT_NEAR(2 * sunk - before, 0.02, 0.003 * 0.02);
}

/// Steel of 2 mm: with explicit torques it would need steps of microseconds. At rest it is the same beam.
TEST(Cable, MayBeAsStiffAsSteelWithAnImplicitIntegrator) {
  for (const char* integrator : {"implicit", "implicitfast"}) {
    const Model m = load(withPlugin("curve=\"s\" count=\"21\" size=\"0.5\" initial=\"none\"", config(8e10, 2e11),
                                    "type=\"cylinder\" size=\"0.001\" density=\"7800\"",
                                    std::string("timestep=\"0.002\" integrator=\"") + integrator + "\"", "0.01"));
    Data d(m);
    for (int k = 0; k < 5000; ++k) step(m, d);
    EXPECT_TRUE(d.status.ok());
    const double inertia = std::numbers::pi * 1e-12 / 4, weight = 7800 * std::numbers::pi * 1e-6 * 9.81;
    double expected = 0;
    for (int i = 1; i < 20; ++i) expected += weight * std::pow(0.5 * (1 - i / 20.0), 3) * 0.025 / (2 * 2e11 * inertia);
    EXPECT_NEAR(-d.site_xpos[3 * findId(m, ObjType::Site, "S_last") + 2], expected, 1e-3 * expected) << integrator;
  }
}

/// Twisted by a torque at its end, it turns by T L / (G J); a piece is clamped, so the joints are at L - L/n.
TEST(Cable, TwistsAsAShaftDoes) {
  const double shear = 2e6, radius = 0.01, torque = 0.002;
  const Model m = load(withPlugin("curve=\"s\" count=\"11\" size=\"1\" initial=\"none\"", config(shear, 1e7),
                                  "type=\"cylinder\" size=\"0.01\"", "timestep=\"0.0005\" gravity=\"0 0 0\""));
  Data d(m);
  const int last = m.nbody - 1;
  for (int k = 0; k < 20000; ++k) {
    d.xfrc_applied[6 * last + 3] = torque;
    step(m, d);
  }
  const double angle = toRotationVector(Quat::load(&d.xquat[4 * last])).x();
  const double J = std::numbers::pi * std::pow(radius, 4) / 2;
  EXPECT_NEAR(angle, torque * 0.9 / (shear * J), 1e-6);
}

/// Torques are minus the gradient of the energy, whatever the section, the relaxed shape and the way it is bent.
TEST(Cable, TorquesAreTheGradientOfTheEnergy) {
  for (const char* geom : {"type=\"capsule\" size=\"0.02\"", "type=\"box\" size=\"0 0.03 0.01\""}) {
    for (const char* flat : {"", "<config key=\"flat\" value=\"true\"/>"}) {
      const Model m =
          load(withPlugin("curve=\"cos(s) sin(s) s\" count=\"6\" size=\"0.5 0.2 1.5\"", config(1e6, 3e6, flat), geom));
      Data d(m);
      std::mt19937 generator(3);
      std::normal_distribution<double> normal;
      std::vector<double> turn(static_cast<std::size_t>(m.nv));
      for (double& v : turn) v = 0.6 * normal(generator);
      integratePositions(m, d.qpos.data(), turn.data(), 1);
      forward(m, d);
      for (int i = 0; i < m.nv; ++i) {
        std::vector<double> direction(static_cast<std::size_t>(m.nv), 0.0);
        direction[i] = 1;
        const double h = 1e-5;
        double energy[2];
        for (const int side : {0, 1}) {
          Data moved = d;
          integratePositions(m, moved.qpos.data(), direction.data(), side == 0 ? -h : h);
          energy[side] = cableEnergy(m, moved);
        }
        EXPECT_NEAR(d.qfrc_spring[i], -(energy[1] - energy[0]) / (2 * h), 1e-6 * (1 + std::abs(d.qfrc_spring[i])));
      }
    }
  }
}

TEST(Cable, IsRelaxedInTheShapeItStartsInUnlessItIsFlat) {
  const std::string shape = "curve=\"cos(s) sin(s) 0\" count=\"9\" size=\"1 0.3 1\"";
  const std::string geom = "type=\"capsule\" size=\"0.01\"";
  const Model curved = load(withPlugin(shape, config(1e6, 1e6), geom));
  const Model flat = load(withPlugin(shape, config(1e6, 1e6, "<config key=\"flat\" value=\"true\"/>"), geom));
  Data a(curved), b(flat);
  EXPECT_NEAR(cableEnergy(curved, a), 0, 1e-20);
  // 8 pieces of a half circle: 7 joints, each turned by pi/8
  const double length = 2 * 0.3 * std::sin(std::numbers::pi / 16), turn = std::numbers::pi / 8;
  const double stiffness = 1e6 * std::numbers::pi * 1e-8 / 4 / length;
  EXPECT_NEAR(cableEnergy(flat, b), 7 * 0.5 * stiffness * turn * turn, 1e-6 * cableEnergy(flat, b));
}

/// Free of damping and gravity its energy is constant, to the second order of the step with RK4 far below.
TEST(Cable, KeepsItsEnergy) {
  const std::string text = withPlugin("curve=\"cos(s) sin(s) s\" count=\"6\" size=\"0.5 0.2 1.5\"",
                                      config(1e6, 3e6, "<config key=\"flat\" value=\"true\"/>"),
                                      "type=\"box\" size=\"0 0.03 0.01\" contype=\"0\" conaffinity=\"0\"",
                                      "timestep=\"0.00002\" integrator=\"RK4\" gravity=\"0 0 0\"", "0");
  const Model m = load(text);
  Data d(m);
  energy(m, d);
  const double start = d.energy[0] + d.energy[1];
  ASSERT_GT(start, 0.1);
  for (int k = 0; k < 5000; ++k) step(m, d);
  forward(m, d);
  energy(m, d);
  EXPECT_GT(d.energy[1], 0.01 * start) << "it moves";
  EXPECT_NEAR(d.energy[0] + d.energy[1], start, 1e-6 * start);
}

TEST(Cable, IsTheSameWhenItIsWrittenAndReadAgain) {
  const Spec spec = readMjcfText(withPlugin("prefix=\"x\" curve=\"s 0 sin(s)\" count=\"6\" size=\"0.5 0.1 1\"",
                                            config(1e6, 3e6), "type=\"capsule\" size=\"0.01\""),
                                 "cable.xml");
  const Model first = compile(spec), second = compile(readMjcfText(writeMjcf(spec), "again.xml"));
  ASSERT_EQ(first.ncable, 4);
  EXPECT_EQ(first.cable_stiffness, second.cable_stiffness);
  EXPECT_EQ(first.cable_relaxed, second.cable_relaxed);
  EXPECT_EQ(first.qpos0, second.qpos0);
}

std::string errorOf(const std::string& text) {
  try {
    load(text);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

std::string composite(const std::string& attributes, const std::string& inside) {
  return "<mujoco>\n<worldbody>\n<composite " + attributes + ">" + inside + "</composite></worldbody></mujoco>";
}

TEST(Cable, ErrorsSayWhatWasExpected) {
  const std::string geom = "<geom type=\"capsule\" size=\".01\"/>";
  const auto error = [&](const std::string& attributes) { return errorOf(composite(attributes, geom)); };
  EXPECT_EQ(error("type=\"rope\" count=\"5\""),
            "cable.xml:3: <composite>: composites of this type are no longer part of MJCF; use type=\"cable\"");
  EXPECT_EQ(error("type=\"cloth\" count=\"5 5\""),
            "cable.xml:3: <composite>: composites of this type are no longer part of MJCF; use <flexcomp>");
  EXPECT_EQ(error("type=\"particle\" count=\"5\""),
            "cable.xml:3: <composite>: composites of this type are no longer part of MJCF; use <replicate>");
  EXPECT_EQ(error("type=\"cable\" curve=\"s\" count=\"0\""),
            "cable.xml:3: <composite>: 'count' must be positive, found 0");
  EXPECT_EQ(error("type=\"cable\" curve=\"s\" count=\"5 2\""),
            "cable.xml:3: <composite>: a cable has one dimension: 'count' needs 1 number");
  EXPECT_EQ(error("type=\"cable\" curve=\"s\""), "cable.xml:3: <composite>: a cable needs at least 2 points, found 1");
  EXPECT_EQ(error("type=\"cable\" count=\"4\" curve=\"s t\""),
            "cable.xml:3: <composite>: 'curve' needs the words 0, s, cos(s) or sin(s), found \"t\"");
  EXPECT_EQ(error("type=\"cable\" count=\"4\" curve=\"s s s s\""),
            "cable.xml:3: <composite>: 'curve' needs 3 words at most");
  EXPECT_EQ(error("type=\"cable\" count=\"4\""), "cable.xml:3: <composite>: points 0 and 1 of the cable are one");
  EXPECT_EQ(error("type=\"cable\" count=\"4\" curve=\"s\" size=\"0\""),
            "cable.xml:3: <composite>: 'size' must not be zero");
  EXPECT_EQ(error("type=\"cable\" count=\"4\" vertex=\"0 0 0 1 0 0\""),
            "cable.xml:3: <composite>: 'vertex' and 'count' exclude each other");
  EXPECT_EQ(error("type=\"cable\" vertex=\"0 0 0 1 0\""),
            "cable.xml:3: <composite>: 'vertex' needs a multiple of 3 numbers, found 5");
  EXPECT_EQ(errorOf(composite("type=\"cable\" count=\"4\" curve=\"s\"", "")),
            "cable.xml:3: <composite>: a cable needs a geom of type capsule, cylinder or box");
  EXPECT_EQ(errorOf(composite("type=\"cable\" count=\"4\" curve=\"s\"",
                              geom + "<joint kind=\"main\"/>\n<joint kind=\"main\"/>")),
            "cable.xml:4: <joint>: a cable has joints of one kind");
}

TEST(Cable, ErrorsOfThePluginSayWhatWasExpected) {
  const auto error = [&](const std::string& plugin) {
    return errorOf(
        composite("type=\"cable\" count=\"4\" curve=\"s\"", "<geom type=\"capsule\" size=\".01\"/>\n" + plugin));
  };
  const std::string open = "<plugin plugin=\"mujoco.elasticity.cable\">";
  EXPECT_EQ(error("<plugin plugin=\"mujoco.pid\"/>"),
            "cable.xml:4: <plugin>: the engine plugin \"mujoco.pid\" is not supported; \"mujoco.elasticity.cable\" is");
  EXPECT_EQ(error("<plugin instance=\"steel\"/>"),
            "cable.xml:4: <plugin>: 'instance' names the unknown plugin instance \"steel\"");
  EXPECT_EQ(error(open + "<config key=\"young\" value=\"1\"/></plugin>"),
            "cable.xml:4: <config>: 'key' must be one of twist, bend, flat, vmax, found \"young\"");
  EXPECT_EQ(error(open + "<config key=\"bend\" value=\"much\"/></plugin>"),
            "cable.xml:4: <config>: \"bend\" needs a number as its 'value', found \"much\"");
  EXPECT_EQ(error(open + "<config key=\"bend\" value=\"-1\"/></plugin>"),
            "cable.xml:4: <config>: \"bend\" must not be negative, found -1");
  const std::string extension =
      "<mujoco><extension><plugin plugin=\"mujoco.elasticity.cable\"><instance name=\"steel\"/></plugin></extension>"
      "<worldbody><body><plugin instance=\"steel\"/><joint/><geom type=\"capsule\" size=\".1 1\"/>";
  EXPECT_EQ(errorOf(extension + "\n<body name=\"b\" pos=\"1 0 0\"><plugin instance=\"steel\"/><joint/><geom "
                                "type=\"capsule\" size=\".1 1\"/></body></body></worldbody></mujoco>"),
            "cable.xml:2: <body name=\"b\">: a body of a cable needs one joint, of type ball, to bend against the body "
            "before it");
  EXPECT_EQ(
      errorOf(extension + "\n<body name=\"b\" pos=\"1 0 0\"><plugin instance=\"steel\"/><joint type=\"ball\"/>"
                          "<geom size=\".1\"/></body></body></worldbody></mujoco>"),
      "cable.xml:2: <body name=\"b\">: the first geom of a body of a cable must be a capsule, a cylinder or a box");
}

}  // namespace
}  // namespace sinew
