#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/paths.h"
#include "support/tolerance.h"

/// Margin and gap: when a contact exists, when it has a force, and how large that is.
namespace sinew {
namespace {

using test::tolerance;

struct Scene {
  std::string plane = {}, sphere = {}, extra = {}, compiler = {};
  int condim = 1;
  std::string cone = "pyramidal";
};

struct Outcome {
  int contacts = 0, rows = 0;
  double includemargin = 0, residual = 0, force = 0;
};

/// Sphere of radius 0.1 and mass 1 at rest, `dist` above the plane (set through qpos).
Outcome outcomeAt(const Scene& s, double dist) {
  const Spec spec = readMjcfText(fmt::format(
      R"(<mujoco><compiler {}/><option cone="{}"/><worldbody>
        <geom name="p" type="plane" size="1 1 1" condim="{}" {}/>
        <body pos="0 0 1"><freejoint/><geom name="s" size="0.1" mass="1" condim="{}" {}/></body></worldbody>{}</mujoco>)",
      s.compiler, s.cone, s.condim, s.plane, s.condim, s.sphere, s.extra));
  const Model m = compile(spec);
  Data d(m);
  d.qpos[2] = 0.1 + dist;
  forward(m, d);
  Outcome o;
  o.contacts = d.ncon();
  o.rows = d.nefc();
  if (o.contacts > 0) {
    o.includemargin = d.contact[0].includemargin;
    o.residual = d.contact[0].dist - o.includemargin;
  }
  o.force = d.qfrc_constraint[2];
  return o;
}

/// f = m d (g - K d r) for r < 0, else 0, with K = 1/(0.95^2 0.02^2) and d the impedance at |r|.
double expectedForce(double r) {
  if (r >= 0) return 0;
  const double x = std::min(1.0, std::abs(r) / 0.001);
  const double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
  const double d = 0.9 + 0.05 * y;
  const double K = 1 / (0.95 * 0.95 * 0.02 * 0.02);
  return d * (9.81 - K * d * r);
}

/// One line of the table: margin and gap are the sums over both geoms, in the reading `inside`.
void check(const Scene& s, double dist, int contacts, bool row, double includemargin, double force) {
  const Outcome o = outcomeAt(s, dist);
  EXPECT_EQ(o.contacts, contacts) << "dist " << dist;
  EXPECT_EQ(o.rows > 0, row) << "dist " << dist;
  if (contacts > 0) {
    EXPECT_NEAR(o.includemargin, includemargin, tolerance(1e-15));
  }
  EXPECT_NEAR(o.force, force, tolerance(1e-8)) << "dist " << dist;
  if (row) {
    EXPECT_NEAR(o.force, expectedForce(o.residual), tolerance(1e-8)) << "closed form, dist " << dist;
  }
}

TEST(MARGIN_AC1, MarginsOfBothGeomsAddUp) {
  check({R"(margin="0.002")", R"(margin="0.002")"}, 0.001, 1, true, 0.004, 16.8195);
}

TEST(MARGIN_AC2, ForceBeginsAtMarginMinusGap) {
  const Scene s{R"(margin="0.004" gap="0.003")", ""};
  check(s, 0.002, 1, false, 0.001, 0);
  check(s, 0.0005, 1, true, 0.001, 10.2593261773);
  check(s, -0.001, 1, true, 0.001, 14.3195);
}

TEST(MARGIN_AC3, ExplicitPairUsesItsOwnMarginAndGap) {
  const Scene s{R"(margin="0.5")", R"(margin="0.5")",
                R"(<contact><pair geom1="p" geom2="s" condim="1" margin="0.01" gap="0.005"/></contact>)"};
  check(s, 0.004, 1, true, 0.005, 11.8195);
  check(s, 0.006, 1, false, 0.005, 0);
  check(s, 0.011, 0, false, 0, 0);
}

TEST(MARGIN_AC4, WithoutMarginNothingHappensAtADistance) {
  check({}, 1e-9, 0, false, 0, 0);
  check({}, -0.001, 1, true, 0, expectedForce(-0.001));
}

struct Line {
  double dist;
  bool contact, row;
  double force;
};
constexpr Line kTable[] = {{-0.002, true, true, 21.8195},      {-0.00075, true, true, 18.6945},
                           {0.0005, true, true, 15.5695},      {0.00175, true, true, 12.4445},
                           {0.0029, true, true, 9.0636856233}, {0.0035, true, false, 0},
                           {0.0045, false, false, 0}};

TEST(MARGIN_AC5, ForceOverDistanceForAllCondimsAndBothCones) {
  for (const char* cone : {"pyramidal", "elliptic"}) {
    for (const int condim : {1, 3, 4, 6}) {
      // a pyramid with more than four edges is stiffer along its normal: the closed form is not its own
      if (condim > 3 && std::string(cone) == "pyramidal") continue;
      const Scene s{R"(margin="0.001" gap="0.0004")", R"(margin="0.003" gap="0.0006")", "", "", condim, cone};
      for (const Line& line : kTable) check(s, line.dist, line.contact, line.row, 0.003, line.force);
    }
  }
}

TEST(MARGIN_AC5, TheOutsideReadingNeedsMarginMinusGapForTheSameForces) {
  const Scene s{R"(margin="0.003" gap="0.001")", "", "", R"(gap="outside")"};
  for (const Line& line : kTable) {
    if (line.dist == 0.0045) continue;  // margin + gap is the same 4 mm, so this stays outside too
    check(s, line.dist, line.contact, line.row, 0.003, line.force);
  }
}

TEST(MARGIN_AC6, RowsCarryTheIncludemarginOfTheirContact) {
  for (const char* cone : {"pyramidal", "elliptic"}) {
    const Model m = compile(readMjcfText(fmt::format(
        R"(<mujoco><option cone="{}"/><worldbody><geom type="plane" size="1 1 1" margin="0.004" gap="0.001"/>
           <body pos="0 0 0.1"><freejoint/><geom size="0.1" condim="6"/></body></worldbody></mujoco>)",
        cone)));
    Data d(m);
    forward(m, d);
    ASSERT_EQ(d.ncon(), 1);
    for (int row = 0; row < d.nefc(); ++row) {
      const bool normal = row == 0 || m.opt.cone == Cone::Pyramidal;
      EXPECT_EQ(d.efc_margin[row], normal ? d.contact[0].includemargin : 0) << cone << " row " << row;
    }
  }
}

/// A geom that reaches `top` above and below its centre along z.
struct Kind {
  std::string name, attributes;
  double top;
};

// Every pair of shapes, one standing over the other with a gap of half a millimetre less or more than the detection
// distance: there must be a contact in the first case (with the true distance) and none in the second.
TEST(MARGIN_B1, EveryPairIsDetectedUpToTheSumOfTheMargins) {
  const std::string mesh = R"(<mesh name="cube" vertex="-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1
      -.1 .1 .1 .1 .1 .1"/>)";
  std::string elevation = "1";
  for (int i = 1; i < 121; ++i) elevation += " 0";  // a peak in one corner, flat elsewhere
  const std::vector<Kind> fixed{{"plane", R"(type="plane" size="2 2 1")", 0},
                                {"hfield", R"(type="hfield" hfield="h")", 0}};
  const std::vector<Kind> solid{{"sphere", R"(type="sphere" size="0.1")", 0.1},
                                {"capsule", R"(type="capsule" size="0.1 0.1")", 0.2},
                                {"ellipsoid", R"(type="ellipsoid" size="0.1 0.12 0.15")", 0.15},
                                {"cylinder", R"(type="cylinder" size="0.1 0.1")", 0.1},
                                {"box", R"(type="box" size="0.1 0.1 0.1")", 0.1},
                                {"mesh", R"(type="mesh" mesh="cube")", 0.1}};
  std::vector<std::pair<Kind, Kind>> pairs;
  for (const Kind& a : fixed) {
    for (const Kind& b : solid) pairs.emplace_back(a, b);
  }
  for (const Kind& a : solid) {
    for (const Kind& b : solid) pairs.emplace_back(a, b);
  }
  const double margin = 0.03;
  for (const auto& [a, b] : pairs) {
    SCOPED_TRACE(a.name + " and " + b.name);
    const Model m = compile(readMjcfText(fmt::format(
        R"(<mujoco><asset>{}<hfield name="h" nrow="11" ncol="11" size="2 2 0.5 0.1" elevation="{}"/></asset><worldbody>
           <geom {} margin="0.01"/><body pos="0 0 3"><freejoint/><geom {} margin="0.02"/></body></worldbody></mujoco>)",
        mesh, elevation, a.attributes, b.attributes)));
    Data d(m);
    for (const double offset : {-0.0005, 0.0005}) {
      d.qpos[2] = a.top + b.top + margin + offset;
      forward(m, d);
      if (offset > 0) {
        EXPECT_EQ(d.ncon(), 0);
        continue;
      }
      ASSERT_GE(d.ncon(), 1);
      for (const Contact& c : d.contact) {
        // the convex collider stops at a tolerance of 1e-6
        EXPECT_NEAR(c.dist, margin + offset, tolerance(2e-6));
        EXPECT_NEAR(c.includemargin, margin, tolerance(1e-15));
      }
    }
  }
}

TEST(MARGIN_B3, OverrideReplacesTheMarginAndTheOtherParameters) {
  const Model m = compile(readMjcfText(
      R"(<mujoco><option o_margin="0.02" o_solref="0.05 0.5" o_solimp="0.5 0.6 0.1 0.5 1" o_friction="2 3 0.1 0.2 0.3">
         <flag override="enable"/></option><worldbody><geom type="plane" size="1 1 1" margin="0.5"/>
         <body pos="0 0 0.11"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>)"));
  Data d(m);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 1);
  EXPECT_EQ(d.contact[0].includemargin, 0.02);
  EXPECT_EQ(d.contact[0].solref[0], 0.05);
  EXPECT_EQ(d.contact[0].solimp[1], 0.6);
  EXPECT_EQ(d.contact[0].friction[1], 3);
  d.qpos[2] = 0.1201;
  forward(m, d);
  EXPECT_EQ(d.ncon(), 0) << "0.0201 apart, beyond the overriding margin";
}

TEST(MARGIN_B4, GapWithoutAReadingIsAWarningThatNamesBoth) {
  Warnings warnings;
  compile(readMjcfText(R"(<mujoco><worldbody><geom size="1" margin="1" gap="0.5"/></worldbody></mujoco>)"), &warnings);
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("inside"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("outside"), std::string::npos) << warnings[0];
  warnings.clear();
  compile(
      readMjcfText(
          R"(<mujoco><compiler gap="inside"/><worldbody><geom size="1" margin="1" gap="0.5"/></worldbody></mujoco>)"),
      &warnings);
  EXPECT_TRUE(warnings.empty());
}

TEST(MARGIN_B2, IncludemarginIsANumberThatEveryContactHas) {
  const Model m = compile(readMjcfText(R"(<mujoco><compiler gap="inside"/><worldbody>
      <geom type="plane" size="1 1 1" margin="0.02" gap="0.01"/>
      <body pos="0 0 0.095"><freejoint/><geom type="box" size="0.1 0.1 0.1" gap="0.003"/></body>
      <body pos="1 0 0.115"><freejoint/><geom size="0.1" margin="0.005"/></body></worldbody></mujoco>)"));
  Data d(m);
  forward(m, d);
  ASSERT_EQ(d.ncon(), 5);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(d.contact[i].includemargin, 0.007, tolerance(1e-15));
  EXPECT_NEAR(d.contact[4].includemargin, 0.015, tolerance(1e-15));
}

/// Numbers of MuJoCo 3.8.1, the last version that reads a gap as Sinew does by default.
TEST(MARGIN_B5, ReferenceTableOfTheSameReading) {
  std::ifstream file(test::sourceDir() / "tests/acceptance/data/margin_gap_3.8.1.json");
  ASSERT_TRUE(file);
  const nlohmann::json table = nlohmann::json::parse(file);
  int compared = 0;
  for (const char* part : {"systematic", "randomised"}) {
    for (const auto& entry : table[part]) {
      SCOPED_TRACE(entry["name"].get<std::string>());
      const auto& expected = entry["result"];
      LoadOptions options;
      options.gap = GapReading::Inside;
      const Model m = compile(readMjcfText(entry["mjcf"].get<std::string>()), nullptr, options);
      Data d(m);
      if (m.nkey > 0) resetToKey(m, d, 0);
      forward(m, d);
      ASSERT_EQ(d.ncon(), expected["ncon"].get<int>());
      ASSERT_EQ(d.nefc(), expected["nefc"].get<int>());
      for (int i = 0; i < d.ncon(); ++i) {
        const auto& c = expected["contact"][i];
        EXPECT_NEAR(d.contact[i].dist, c["dist"].get<double>(), tolerance(1e-8));
        EXPECT_NEAR(d.contact[i].includemargin, c["includemargin"].get<double>(), tolerance(1e-8));
        EXPECT_EQ(d.contact[i].dim, c["dim"].get<int>());
      }
      const auto close = [&](const Array<double>& values, const char* name) {
        const auto& numbers = expected[name];
        ASSERT_EQ(values.size(), static_cast<std::ptrdiff_t>(numbers.size())) << name;
        double scale = 1;
        for (const auto& x : numbers) scale = std::max(scale, std::abs(x.get<double>()));
        for (std::ptrdiff_t k = 0; k < values.size(); ++k) {
          EXPECT_NEAR(values[k], numbers[k].get<double>(), tolerance(1e-8) * scale) << name << " " << k;
        }
      };
      close(d.efc_pos, "efc_pos");
      close(d.efc_margin, "efc_margin");
      close(d.efc_aref, "efc_aref");
      close(d.efc_R, "efc_R");
      close(d.qfrc_constraint, "qfrc_constraint");
      close(d.qacc, "qacc");
      ++compared;
    }
  }
  EXPECT_EQ(compared, 66);
}

}  // namespace
}  // namespace sinew
