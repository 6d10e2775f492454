#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "support/flex_run.h"
#include "support/sample_flexes.h"

/// What makes a flex elastic, seen from outside: shapes and forces at rest, for which there are formulas.
namespace sinew {
namespace {

using test::distance;
using test::FlexRun;
using test::hangingCable;
using test::Point;

constexpr const char* kSilent = R"(<contact contype="0" conaffinity="0" selfcollide="none"/>)";

double tetVolume(const FlexRun& r, int element) {
  const int* v = &r.m.flex_elem[4 * element];
  const Point a = r.at(v[0]), b = r.at(v[1]), c = r.at(v[2]), e = r.at(v[3]);
  double x[3][3];
  for (int k = 0; k < 3; ++k) {
    const std::size_t i = static_cast<std::size_t>(k);
    x[0][k] = b[i] - a[i], x[1][k] = c[i] - a[i], x[2][k] = e[i] - a[i];
  }
  const double det = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                     x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                     x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
  return -det / 6;  // elements are stored with the negative orientation
}

// The elastic catenary: with w = rho g, H solves S = H L0/EA + (2H/w) asinh(w L0/2H).
void checkCable(const std::string& attributes, const std::string& children) {
  FlexRun r(R"(timestep="0.001")", hangingCable(attributes, children));
  ASSERT_EQ(r.m.nflexnode, 21);
  r.run(10, 2);
  double lowest = 1;
  for (int i = 0; i <= 20; ++i) lowest = std::min(lowest, r.at(i)[2]);
  EXPECT_NEAR(1 - lowest, 0.16763, 0.02 * 0.16763);
  EXPECT_NEAR(1 - r.at(5)[2], 0.1226, 0.003);
  EXPECT_NEAR(r.at(5)[0], -0.2625, 0.003);
  // pull on the pin: the tension of the first segment and half the weight of the segment that hangs on the pin itself
  const double length = distance(r.at(0), r.at(1));
  const double tension = 1495.9965 * (length - 0.0525);
  EXPECT_NEAR(tension * (r.at(1)[0] - r.at(0)[0]) / length, 1.4858, 0.02 * 1.4858);
  EXPECT_NEAR(tension * (r.at(0)[2] - r.at(1)[2]) / length + 0.0105 / 2 * 9.81, 1.0301, 0.02 * 1.0301);
}

TEST(FlexElastic, FLEX_AC2_CableOfSpringsHangsAsAnElasticCatenary) {
  checkCable(R"(radius="0.0005")", R"(<edge stiffness="1495.9965" damping="0.05"/>)");
}

TEST(FlexElastic, FLEX_AC2_CableOfMaterialHangsAsAnElasticCatenary) {
  checkCable(R"(radius="0.0005" young="1e8")", "");
}

// FLEX-AC5: E A dL / L = 1 N at dL = 6.366198 mm.
double pulledEdge(const std::string& attributes, const std::string& children) {
  FlexRun r(R"(timestep="0.001" gravity="0 0 0")",
            fmt::format(R"(<flexcomp name="e" type="grid" dim="1" count="2 1 1" spacing="0.5 0.5 0.5" mass="0.1" {}>
          <contact contype="0" conaffinity="0" selfcollide="none"/><pin id="0"/>{}</flexcomp>)",
                        attributes, children));
  r.load(1, 0, 1);
  r.run(20, 0);
  return distance(r.at(0), r.at(1)) - 0.5;
}

TEST(FlexElastic, FLEX_AC5_EdgeObeysHookesLaw) {
  const double expected = 1 / 157.0796326794897;
  EXPECT_NEAR(pulledEdge("", R"(<edge stiffness="157.0796326794897" damping="2"/>)"), expected, 1e-6 * expected);
  EXPECT_NEAR(pulledEdge(R"(young="1e6" radius="0.005")", R"(<edge damping="2"/>)"), expected, 1e-6 * expected);
  // not to be tuned to one number
  EXPECT_NEAR(pulledEdge(R"(young="3e6" radius="0.004")", R"(<edge damping="2"/>)"),
              0.5 / (3e6 * 3.14159265358979 * 1.6e-5), 1e-6 * expected);
}

TEST(FlexElastic, FLEX_AC5_FLEX_S8_RowsAreNotTheMaterial) {
  const double expected = 1 / 157.0796326794897;
  EXPECT_NEAR(
      pulledEdge("", R"(<edge equality="true" solref="-157.0796326794897 -2" solimp="0.95 0.95 0.001 0.5 2"/>)"),
      expected, 1e-5 * expected);
  EXPECT_NEAR(pulledEdge("", R"(<edge equality="true"/>)"), 0.569938e-3, 1e-5 * 0.569938e-3);
}

struct Strip {
  int stations = 4;
  double width = 0.0125;
  double force = 3.2e-4;
  double drag = 8, seconds = 6, h = 0.001;
  double poisson = 0;
  std::string bending = R"(bending="dihedral")";
};

/// Deflection of the tip of a clamped strip of `stations` pairs of vertices, 0.05 m apart: FLEX-AC6.
double tipDeflection(const Strip& s) {
  FlexRun r(
      fmt::format(R"(timestep="{}" gravity="0 0 0")", s.h),
      fmt::format(
          R"(<flexcomp name="s" type="grid" dim="2" count="{} 2 1" spacing="0.05 {} {}" radius="0.0005" density="1000">
          <contact contype="0" conaffinity="0" selfcollide="none"/>
          <edge equality="true" solref="{} 1" solimp="0.99 0.99 0.001 0.5 2"/>
          <elasticity young="1e7" poisson="{}" thickness="0.002" elastic2d="bend" {}/><pin id="0 1 2 3"/></flexcomp>)",
          s.stations, s.width, s.width, 2 * s.h, s.poisson, s.bending));
  const int tip = 2 * (s.stations - 1);
  r.load(tip, 2, s.force / 2);
  r.load(tip + 1, 2, s.force / 2);
  r.run(s.seconds, s.drag);
  EXPECT_LT(r.fastest(), 1e-5);
  return 0.5 * (r.at(tip)[2] + r.at(tip + 1)[2]);
}

TEST(FlexElastic, FLEX_AC6_a_CantileverStripBendsAsAPlate) {
  const double w = tipDeflection({});
  EXPECT_NEAR(w, 2.5e-3, 0.05 * 2.5e-3);
  EXPECT_NEAR(w, 2.4031e-3, 0.005 * 2.4031e-3);
}

TEST(FlexElastic, FLEX_AC6_b_LongStripConvergesToTheBeam) {
  Strip s;
  s.stations = 11, s.force = 2.21607e-5, s.drag = 1.8, s.seconds = 25, s.h = 0.0005;
  EXPECT_NEAR(tipDeflection(s), 9.4976e-3, 0.005 * 9.4976e-3);
}

TEST(FlexElastic, FLEX_AC6_c_PoissonsRatioStiffensThePlate) {
  Strip s;
  s.poisson = 0.3, s.force = 3.51648e-4;
  EXPECT_NEAR(tipDeflection(s), 2.4031e-3, 0.005 * 2.4031e-3);
}

TEST(FlexElastic, FLEX_AC6_e_ParallelDiagonalsCoupleBendingAndTwist) {
  Strip s;
  s.stations = 11, s.width = 0.05, s.force = 8.86427e-5, s.drag = 1.8, s.seconds = 25, s.h = 0.0005;
  EXPECT_NEAR(tipDeflection(s), 11.480e-3, 0.005 * 11.480e-3);
}

TEST(FlexElastic, FLEX_AC6_CotangentBendingAgreesOnSmallDeflections) {
  Strip s;
  s.bending = R"(bending="cotangent" law="stvk")";
  EXPECT_NEAR(tipDeflection(s), 2.4031e-3, 0.005 * 2.4031e-3);
  s.bending = R"(bending="cotangent" law="mujoco")";
  EXPECT_NEAR(tipDeflection(s), 3.2034e-3, 0.005 * 3.2034e-3);
}

// FLEX-AC6 d: two cells across, diagonals mirrored about the centre line.
TEST(FlexElastic, FLEX_AC6_d_MirroredDiagonalsBendAsABeam) {
  std::string points, elements;
  for (int i = 0; i <= 10; ++i) {
    for (int j = -1; j <= 1; ++j) points += fmt::format("{} {} 0 ", 0.05 * i, 0.05 * j);
    if (i == 10) continue;
    const int a = 3 * i;
    elements += fmt::format("{} {} {} {} {} {} ", a, a + 3, a + 4, a, a + 4, a + 1);
    elements += fmt::format("{} {} {} {} {} {} ", a + 1, a + 4, a + 2, a + 4, a + 5, a + 2);
  }
  FlexRun r(
      R"(timestep="0.0005" gravity="0 0 0")",
      fmt::format(R"(<flexcomp name="s" type="direct" dim="2" point="{}" element="{}" radius="0.0005" density="1000">
          <contact contype="0" conaffinity="0" selfcollide="none"/>
          <edge equality="true" solref="0.001 1" solimp="0.99 0.99 0.001 0.5 2"/>
          <elasticity young="1e7" thickness="0.002" elastic2d="bend" bending="dihedral"/>
          <pin id="0 1 2 3 4 5"/></flexcomp>)",
                  points, elements));
  // half of the load on the middle vertex, as a line load would have it
  r.load(30, 2, 1.772853e-4 / 4);
  r.load(31, 2, 1.772853e-4 / 2);
  r.load(32, 2, 1.772853e-4 / 4);
  r.run(25, 1.8);
  EXPECT_NEAR((r.at(30)[2] + 2 * r.at(31)[2] + r.at(32)[2]) / 4, 9.583e-3, 0.005 * 9.583e-3);
}

// FLEX-AC7: dead loads of a uniform pressure of 500 Pa.
TEST(FlexElastic, FLEX_AC7_PressureShrinksATetrahedron) {
  FlexRun r(R"(timestep="0.0005" gravity="0 0 0")", fmt::format(R"(<flexcomp name="t" type="direct" dim="3"
      point="0 0 0 .1 0 0 0 .1 0 0 0 .1" element="0 1 2 3" mass="0.5" radius="0.001">{}
      <elasticity young="1e5" poisson="0.3" law="stvk"/></flexcomp>)",
                                                                kSilent));
  const double volume = tetVolume(r, 0);
  ASSERT_NEAR(volume, 0.001 / 6, 1e-15);
  // inward normals times areas: (1,0,0), (0,1,0), (0,0,1) times 0.005, and -(1,1,1) times 0.005
  const double third = 500 * 0.005 / 3;
  for (int k = 0; k < 3; ++k) {
    for (int node = 0; node < 4; ++node) {
      if (node != k + 1) r.load(node, k, third);  // the face x_k = 0 has the nodes other than k + 1
      if (node != 0) r.load(node, k, -third);
    }
  }
  // inward dead loads do not hold the tetrahedron's orientation: settle before it has turned away
  r.run(2, 20);
  EXPECT_LT(r.fastest(), 1e-5);
  EXPECT_NEAR(tetVolume(r, 0) / volume - 1, -0.00601, 0.0001);
}

struct Bar {
  std::string law;
  double poisson, axial, ratio;
};

// FLEX-B16: tractions of 0.005 E on both ends of a bar.
TEST(FlexElastic, FLEX_B16_BarUnderTractionStrainsUniformly) {
  for (const Bar& bar : {Bar{"stvk", 0.3, 0.0049630, -0.3}, Bar{"stvk", 0.0, 0.0049630, 0},
                         Bar{"mujoco", 0.3, 0.0046942, -0.376}, Bar{"corotational", 0.3, 0.005, -0.3}}) {
    SCOPED_TRACE(bar.law);
    FlexRun r(R"(timestep="0.0005" gravity="0 0 0")",
              fmt::format(
                  R"(<flexcomp name="b" type="grid" dim="3" count="3 3 9" spacing=".02 .02 .02" mass="1" radius="0.001">
            {}<elasticity young="1e5" poisson="{}" law="{}"/></flexcomp>)",
                  kSilent, bar.poisson, bar.law));
    const auto isEnd = [&](int v) { return std::abs(std::abs(r.m.qpos0[3 * v + 2]) - 0.08) < 1e-9; };
    for (int s = 0; s < r.m.flex_shellnum[0]; ++s) {
      const int* face = &r.m.flex_shell[3 * s];
      if (!isEnd(face[0]) || !isEnd(face[1]) || !isEnd(face[2])) continue;
      const double side = r.m.qpos0[3 * face[0] + 2] > 0 ? 1 : -1;
      if (side * r.m.qpos0[3 * face[1] + 2] < 0 || side * r.m.qpos0[3 * face[2] + 2] < 0) continue;
      for (int i = 0; i < 3; ++i) r.load(face[i], 2, side * 0.005 * 1e5 * 0.0002 / 3);
    }
    r.run(3, 20);
    EXPECT_LT(r.fastest(), 1e-5);
    const auto extent = [&](int axis) {
      double low = 1, high = -1;
      for (int v = 0; v < r.m.nflexnode; ++v) {
        low = std::min(low, r.at(v)[axis]);
        high = std::max(high, r.at(v)[axis]);
      }
      return high - low;
    };
    const double axial = extent(2) / 0.16 - 1;
    EXPECT_NEAR(axial, bar.axial, 0.001 * bar.axial);
    EXPECT_NEAR((extent(0) / 0.04 - 1) / axial, bar.ratio, 0.02 * 0.376 + 1e-6);
  }
}

struct Block {
  std::string law;
  double poisson, volume, height;
};

// FLEX-AC3: a block of 8 kg on a frictionless plane.
void checkBlock(const Block& block, bool inDetail) {
  SCOPED_TRACE(block.law);
  FlexRun r(R"(timestep="0.001")", fmt::format(R"(<geom type="plane" size="2 2 .1" condim="1"/>
    <flexcomp name="b" type="grid" dim="3" count="5 5 5" spacing="0.05 0.05 0.05" pos="0 0 0.106" radius="0.005" density="1000">
      <contact condim="1" selfcollide="none" solref="0.004 1" solimp="0.99 0.99 0.001 0.5 2"/>
      <elasticity young="5e4" poisson="{}" damping="0.002" law="{}"/></flexcomp>)",
                                               block.poisson, block.law));
  ASSERT_EQ(r.m.nflexelem, 384);
  double rest = 0;
  for (int e = 0; e < 384; ++e) rest += tetVolume(r, e);
  ASSERT_NEAR(rest, 0.008, 1e-12);
  double least = 1;
  r.run(4, 2, [&] {
    for (int e = 0; e < 384; ++e) least = std::min(least, tetVolume(r, e) / r.m.flexelem_size0[e]);
  });
  EXPECT_GT(least, 0.8);
  double volume = 0;
  for (int e = 0; e < 384; ++e) volume += tetVolume(r, e);
  EXPECT_NEAR(volume / rest - 1, block.volume, 0.14 * std::abs(block.volume));
  if (!inDetail) return;
  double top = 0, bottom = 0;
  for (int v = 0; v < 125; v += 5) bottom += r.at(v)[2] / 25, top += r.at(v + 4)[2] / 25;
  EXPECT_NEAR((top - bottom) / 0.2 - 1, block.height, 0.065 * std::abs(block.height));
  double force = 0;
  for (int i = 0; i < r.m.nv; i += 3) force += r.d.qfrc_constraint[i + 2];
  EXPECT_NEAR(force, 78.48, 0.005 * 78.48);
}

TEST(FlexElastic, FLEX_AC3_SoftBlockSettlesUnderItsWeight) { checkBlock({"stvk", 0.3, -0.008651, -0.02017}, true); }

TEST(FlexElastic, FLEX_AC3_VolumeFollowsPoissonsRatio) {
  checkBlock({"stvk", 0.0, -0.0204, 0}, false);
  checkBlock({"stvk", 0.45, -0.0027, 0}, false);
}

TEST(FlexElastic, FLEX_AC3_OtherLaws) {
  checkBlock({"corotational", 0.3, -0.00810, 0}, false);
  checkBlock({"neohookean", 0.3, -0.00778, 0}, false);
  checkBlock({"mujoco", 0.3, -0.0053, 0}, false);
}

// FLEX-B15: dropped from half a metre.
TEST(FlexElastic, FLEX_B15_NeoHookeanBlockNeverInverts) {
  FlexRun r(R"(timestep="0.0005")", R"(<geom type="plane" size="2 2 .1" condim="1"/>
    <flexcomp name="b" type="grid" dim="3" count="5 5 5" spacing="0.05 0.05 0.05" pos="0 0 0.606" radius="0.005" density="1000">
      <contact condim="1" selfcollide="none" solref="0.004 1" solimp="0.99 0.99 0.001 0.5 2"/>
      <elasticity young="5e4" poisson="0.3" damping="0.002" law="neohookean"/></flexcomp>)");
  double least = 1;
  r.run(1, 0, [&] {
    for (int e = 0; e < 384; ++e) least = std::min(least, tetVolume(r, e) / r.m.flexelem_size0[e]);
  });
  EXPECT_GT(least, 0);
  EXPECT_EQ(r.d.status[Trouble::Inverted].count, 0);
}

TEST(FlexElastic, FLEX_B15_InvertedTetrahedronComesBack) {
  for (const char* law : {"stvk", "mujoco", "corotational", "neohookean"}) {
    SCOPED_TRACE(law);
    FlexRun r(R"(timestep="0.0005" gravity="0 0 0")", fmt::format(R"(<flexcomp name="t" type="direct" dim="3"
      point="0 0 0 .1 0 0 0 .1 0 0 0 .1" element="0 1 2 3" mass="0.5" radius="0.001">{}
      <elasticity young="1e4" poisson="0.3" law="{}" damping="0.01"/></flexcomp>)",
                                                                  kSilent, law));
    r.d.qpos[3 * 3 + 2] = -0.05;  // through the opposite face
    r.run(3, 5);
    EXPECT_GT(r.d.status[Trouble::Inverted].count, 0);
    EXPECT_NEAR(tetVolume(r, 0), 0.001 / 6, 1e-3 * 0.001 / 6);
    EXPECT_EQ(r.d.status[Trouble::BadQacc].count, 0);
  }
}

// FLEX-B15: points thrown about by more than the size of an element. The implicit step takes it at any law and any
// length, with damping no tetrahedron stays inside out, without it all stays finite.
TEST(FlexElastic, FLEX_B15_TangledBlockComesUndone) {
  for (const char* law : {"stvk", "mujoco", "corotational", "neohookean"}) {
    for (const char* dof : {"full", "trilinear", "quadratic"}) {
      for (const double damping : {0.0, 0.01}) {
        SCOPED_TRACE(fmt::format("{} {} {}", law, dof, damping));
        FlexRun r(R"(timestep="0.01" gravity="0 0 0" integrator="implicitfast")",
                  fmt::format(R"(<flexcomp name="b" type="grid" dim="3" count="3 3 3" spacing=".03 .05 .04" mass=".7"
          radius=".001" dof="{}">{}<elasticity young="3e4" poisson=".37" law="{}" damping="{}"/></flexcomp>)",
                              dof, kSilent, law, damping));
        std::mt19937 generator(3);
        std::uniform_real_distribution<double> uniform(-0.08, 0.08);
        for (int i = 0; i < r.m.nq; ++i) r.d.qpos[i] += uniform(generator);
        r.run(3, 0);
        for (const Trouble t : {Trouble::BadQpos, Trouble::BadQvel, Trouble::BadQacc})
          EXPECT_EQ(r.d.status[t].count, 0);
        if (dof != std::string("full")) continue;
        EXPECT_GT(r.d.status[Trouble::Inverted].count, 0);
        if (damping == 0) continue;
        for (int e = 0; e < r.m.nflexelem; ++e) EXPECT_GT(tetVolume(r, e) / r.m.flexelem_size0[e], 0.2);
      }
    }
  }
}

// A cell that was turned into its mirror image is counted by its own number, and comes back.
TEST(FlexElastic, FLEX_B15_InvertedCellComesBack) {
  for (const char* law : {"stvk", "mujoco", "corotational", "neohookean"}) {
    for (const char* dof : {"trilinear", "quadratic"}) {
      SCOPED_TRACE(fmt::format("{} {}", law, dof));
      FlexRun r(R"(timestep="0.002" gravity="0 0 0" integrator="implicitfast")",
                fmt::format(R"(<flexcomp name="b" type="grid" dim="3" count="3 3 3" spacing=".03 .05 .04" mass=".7"
          radius=".001" dof="{}">{}<elasticity young="1e4" poisson=".3" law="{}" damping=".01"/></flexcomp>)",
                            dof, kSilent, law));
      for (int i = 0; i < r.m.nflexnode; ++i) r.d.qpos[3 * i + 2] *= -0.9 + 0.01 * i;
      r.run(5, 5);
      EXPECT_GT(r.d.status[Trouble::Inverted].count, 0);
      EXPECT_EQ(r.d.status[Trouble::Inverted].first, r.m.nflexelem);
      EXPECT_NE(describeStatus(r.m, r.d).find("cell 0 of flex \"b\" was inside out"), std::string::npos);
      forward(r.m, r.d);
      measureFlexes(r.m, r.d);
      for (int e = 0; e < r.m.nflexelem; ++e) {
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(r.d.flexelem_strain[6 * e + k], 0, 1e-3);
        const auto corner = [&](int k) { return &r.d.flexvert_xpos[3 * r.m.flex_elem[4 * e + k]]; };
        double x[3][3];
        for (int k = 0; k < 3; ++k) {
          for (int a = 0; a < 3; ++a) x[k][a] = corner(k + 1)[a] - corner(0)[a];
        }
        const double det = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                           x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
        EXPECT_NEAR(-det / 6, r.m.flexelem_size0[e], 1e-2 * r.m.flexelem_size0[e]);
      }
    }
  }
}

// FLEX-B2: damping is Rayleigh damping, not air drag.
TEST(FlexElastic, FLEX_B2_FallingClothIsNotSlowedByDamping) {
  FlexRun r("",
            fmt::format(
                R"(<flexcomp name="c" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".1" radius=".001">
    {}<elasticity young="1e5" poisson=".3" damping="1" thickness=".001" elastic2d="both" law="stvk"/></flexcomp>)",
                kSilent));
  for (int i = 0; i < r.m.nflexnode; ++i) r.d.qvel[3 * i + 2] = -2;
  forward(r.m, r.d);
  for (int i = 0; i < r.m.nflexnode; ++i) {
    EXPECT_NEAR(r.d.qacc[3 * i], 0, 1e-10);
    EXPECT_NEAR(r.d.qacc[3 * i + 2], -9.81, 1e-10);
  }
}

// FLEX-B4: two vertices of a spring that meet exactly.
TEST(FlexElastic, FLEX_B4_CoincidentVerticesExertNothing) {
  FlexRun r(R"(timestep="0.01" gravity="0 0 0")", fmt::format(R"(<flexcomp name="e" type="grid" dim="1" count="2 1 1"
      spacing=".5 .5 .5" mass="1" radius=".01">{}<edge stiffness="100" damping="1"/></flexcomp>)",
                                                              kSilent));
  for (int k = 0; k < 3; ++k) r.d.qpos[k] = r.d.qpos[3 + k] = 0.25;
  r.d.qvel[0] = 1;
  forward(r.m, r.d);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(r.d.qfrc_passive[i], 0);
  r.run(1, 0);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(std::isfinite(r.d.qpos[i]));
}

// FLEX-B5: a triangle without area.
TEST(FlexElastic, FLEX_B5_DegenerateTriangleGivesNoHingeForce) {
  FlexRun r(R"(gravity="0 0 0")",
            fmt::format(R"(<flexcomp name="h" type="direct" dim="2" point="0 0 0 .1 0 0 .05 .1 0 .05 -.1 0"
      element="0 1 2 1 0 3" mass=".1" radius=".001">{}<edge equality="false" damping="1e-9"/>
      <elasticity young="1e6" thickness=".002" elastic2d="bend" bending="dihedral"/></flexcomp>)",
                        kSilent));
  r.d.qpos[3 * 2] = 0.04;
  r.d.qpos[3 * 2 + 1] = 0;
  forward(r.m, r.d);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(r.d.qfrc_passive[i], 0, 1e-12);
}

// FLEX-B6: far too stiff for the step, which must not add energy.
TEST(FlexElastic, FLEX_B6_StiffClothStaysCalmUnderEuler) {
  FlexRun r(R"(timestep="0.002")",
            R"(<flexcomp name="cloth" type="grid" dim="2" count="10 10 1" spacing="0.02 0.02 0.02"
    pos="0 0 1" mass="0.0324" radius="0.005"><contact contype="0" conaffinity="0" selfcollide="none"/>
    <edge equality="true" solref="0.004 1" solimp="0.99 0.99 0.001 0.5 2"/>
    <elasticity young="1e10" thickness="0.001" elastic2d="bend" bending="dihedral"/><pin id="0 9"/></flexcomp>)");
  // Energy of motion and height never exceed what there was at the start by more than a fifth of weight times width:
  // what a single node would have at 8.5 m/s.
  const auto mechanical = [&] {
    double sum = 0;
    for (int i = 0; i < r.m.nflexnode; ++i) {
      if (r.m.flexnode_pinned[i]) continue;
      const double* v = &r.d.qvel[3 * i];
      const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
      sum += r.m.flexnode_mass[i] * (0.5 * square + 9.81 * r.d.qpos[3 * i + 2]);
    }
    return sum;
  };
  const double start = mechanical(), scale = 0.0324 * 9.81 * 0.18;
  double most = 0;
  r.run(2, 0, [&] { most = std::max(most, mechanical()); });
  EXPECT_LT(most, start + 0.2 * scale);
  EXPECT_EQ(r.d.status[Trouble::BadQacc].count, 0);
}

}  // namespace
}  // namespace sinew
