#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/flex_run.h"

/// Solids that do not lock: tetrahedra of second order and trilinear cells, in bending and nearly incompressible.
namespace sinew {
namespace {

using test::FlexRun;

/// Deflection of a cantilever 1 x 0.05 x 0.05 of nx x ny x ny cells under a force at its end, over P L^3/3EI. Steps of
/// a second are Newton's method: stiffness outweighs inertia by far.
double cantilever(const std::string& kind, int nx, int ny, double nu, const std::string& law) {
  constexpr double kYoung = 1e6, kSide = 0.05, kForce = 1e-4;
  const double dx = 1.0 / nx, dy = kSide / ny;
  const bool cells = kind == "cells";
  FlexRun run(R"(timestep="1" integrator="implicitfast" gravity="0 0 0")",
              fmt::format(R"(<flexcomp name="f" type="grid" dim="3" count="{} {} {}" spacing="{} {} {}" radius="0.001"
                 density="1000" {}><contact contype="0" conaffinity="0" selfcollide="none"/>
                 <elasticity young="{}" poisson="{}" law="{}" {}/><pin gridrange="0 0 0 0 {} {}"/></flexcomp>)",
                          nx + 1, ny + 1, ny + 1, dx, dy, dy,
                          cells ? fmt::format(R"(dof="trilinear" cellcount="{} {} {}")", nx, ny, ny) : "", kYoung, nu,
                          law, kind == "second" ? R"(order="2")" : "", ny, ny));
  const int end = (ny + 1) * (ny + 1), first = nx * end;
  for (int i = 0; i < end; ++i) run.load(first + i, 2, kForce / end);
  run.run(30, 0);
  double z = 0;
  for (int i = 0; i < end; ++i) z += (run.at(first + i)[2] - run.m.qpos0[run.m.nq_rigid + 3 * (first + i) + 2]) / end;
  EXPECT_LT(run.fastest(), 1e-6);
  EXPECT_TRUE(run.d.status.ok()) << describeStatus(run.m, run.d);
  const double deflection = z / (kForce / (3 * kYoung * std::pow(kSide, 4) / 12));
  fmt::print("SOLID-1 {} {} x {} x {}, nu {}, {}: {:+.2f} %\n", kind, nx, ny, ny, nu, law, 100 * (deflection - 1));
  return deflection;
}

TEST(Solid, SOLID_1_TetrahedraOfSecondOrderBend) {
  EXPECT_NEAR(cantilever("second", 20, 1, 0.3, "stvk"), 1, 0.02);
  EXPECT_NEAR(cantilever("second", 20, 1, 0.3, "corotational"), 1, 0.02);
  EXPECT_NEAR(cantilever("second", 20, 1, 0.3, "neohookean"), 1, 0.02);
}

TEST(Solid, SOLID_1_TetrahedraOfSecondOrderAreNotTooStiffWhenIncompressible) {
  EXPECT_NEAR(cantilever("second", 20, 1, 0.49, "stvk"), 1, 0.05);
  EXPECT_NEAR(cantilever("second", 20, 1, 0.499, "stvk"), 1, 0.05);
  EXPECT_NEAR(cantilever("second", 20, 1, 0.499, "neohookean"), 1, 0.05);
}

TEST(Solid, SOLID_1_CellsBend) {
  EXPECT_NEAR(cantilever("cells", 20, 3, 0.3, "stvk"), 1, 0.05);
  EXPECT_NEAR(cantilever("cells", 20, 3, 0.49, "corotational"), 1, 0.05);
  EXPECT_NEAR(cantilever("cells", 20, 3, 0.499, "neohookean"), 1, 0.05);
  EXPECT_NEAR(cantilever("cells", 20, 1, 0.3, "stvk"), 1, 0.05);
}

// contact, pins and mass
TEST(Solid, SOLID_1_SecondOrderComesFromOneAttribute) {
  const char* text = R"(<mujoco><worldbody><flexcomp name="f" type="grid" dim="3" count="2 2 2" spacing=".1"
    radius=".01" density="500"><elasticity young="1e5" poisson=".3" law="stvk" order="{}"/><pin id="0 1"/></flexcomp>
    </worldbody></mujoco>)";
  const Model linear = compile(readMjcfText(fmt::format(fmt::runtime(text), 1)));
  const Model m = compile(readMjcfText(fmt::format(fmt::runtime(text), 2)));
  EXPECT_EQ(linear.nflexvert, 8);
  EXPECT_EQ(m.nflexvert, 8 + linear.nflexedge);  // one more at the middle of each edge
  EXPECT_EQ(m.nflexelem, 8 * linear.nflexelem);
  EXPECT_EQ(m.flex_shellnum[0], 4 * linear.flex_shellnum[0]);  // the surface that contacts see
  int pinned = 0;
  for (const auto p : m.flexnode_pinned) pinned += p != 0;
  EXPECT_EQ(pinned, 3);  // both, and the middle of the edge between them
  double mass = 0;
  for (int n = 0; n < m.nflexnode; ++n) {
    if (m.flexnode_pinned[n]) continue;
    EXPECT_GT(m.flexnode_mass[n], 0);
    mass += m.flexnode_mass[n];
  }
  EXPECT_LT(mass, 0.5);
  EXPECT_GT(mass, 0.3);
}

TEST(Solid, SOLID_1_RefusesWhatHasNoSecondOrder) {
  const auto refusal = [](const std::string& flex) {
    try {
      compile(readMjcfText(fmt::format("<mujoco><worldbody>{}</worldbody></mujoco>", flex)));
    } catch (const LoadError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto block = [](const char* more, const char* elasticity) {
    return fmt::format(R"(<flexcomp name="f" type="grid" count="3 3 3" spacing=".1" radius=".01" {}>
      <contact selfcollide="none"/><elasticity {}/></flexcomp>)",
                       more, elasticity);
  };
  const auto expect = [&](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(refusal(block(R"(dim="3")", R"(young="1e5" law="stvk" order="3")")), "'order' must be 1 or 2, found 3");
  expect(
      refusal(R"(<flexcomp name="f" type="grid" dim="2" count="3 3 1" spacing=".1" radius=".01"><elasticity young="1e5"
           thickness=".01" elastic2d="both" law="stvk" order="2"/></flexcomp>)"),
      "order=\"2\" is for tetrahedra: 'dim' must be 3, found 2");
  expect(refusal(block(R"(dim="3" dof="trilinear")", R"(young="1e5" law="stvk" order="2")")),
         "order=\"2\" is for tetrahedra; cells have dof=\"trilinear\" or dof=\"quadratic\"");
  expect(refusal(block(R"(dim="3")", R"(law="stvk" order="2")")), "order=\"2\" needs 'young'");
  expect(refusal(block(R"(dim="3")", R"(young="1e5" order="2")")),
         "order=\"2\" needs law=\"stvk\", \"corotational\" or \"neohookean\"");
}

/// The elastic flag of [Turek and Hron 2006], structure alone: a beam of 0.35 m x 0.02 m on a cylinder, in plane strain
/// (one layer, dof="2d"), with the root on the cylinder's surface.
std::string flag(int across, double young, const std::string& option) {
  const double length = 0.35, height = 0.02, radius = 0.05;
  const int along = static_cast<int>(std::lround(across * length / height));
  const double cell = height / across;
  std::string points, elements, pins;
  const auto id = [&](int i, int j, int k) { return 2 * ((across + 1) * i + j) + k; };
  for (int i = 0; i <= along; ++i) {
    for (int j = 0; j <= across; ++j) {
      const double y = cell * j - height / 2;
      const double root = std::sqrt(radius * radius - y * y) - radius;
      for (int k = 0; k < 2; ++k) {
        points += fmt::format("{:.17g} {:.17g} {:.17g} ", root + (length - root) * i / along, y, cell * k);
        if (i == 0) pins += fmt::format("{} ", id(i, j, k));
      }
      if (i == along || j == across) continue;
      const auto corner = [&](int c) { return id(i + (c & 1), j + ((c >> 1) & 1), c >> 2); };
      constexpr int kPaths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
      for (const auto& [a, b] : kPaths) {
        elements += fmt::format("{} {} {} {} ", corner(0), corner(a), corner(b), corner(7));
      }
    }
  }
  return fmt::format(
      R"(<mujoco><option {} gravity="0 -2 0"/><worldbody>
      <flexcomp name="b" type="direct" dim="3" dof="2d" point="{}" element="{}" radius="0.0001" density="1000">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young="{}" poisson="0.4" law="stvk" order="2"/><pin id="{}"/>
      </flexcomp></worldbody></mujoco>)",
      option, points, elements, young, pins);
}

/// The middle of the free end.
int flagTip(int across) { return 2 * ((across + 1) * static_cast<int>(std::lround(across * 17.5)) + across / 2); }

void expectFlag(const char* name, double young, double x, double y) {
  constexpr int kAcross = 2;
  const Model m = compile(readMjcfText(flag(kAcross, young, R"(timestep="0.05" integrator="implicitfast")")));
  Data d(m);
  forward(m, d);
  const int tip = flagTip(kAcross);
  const std::array<double, 2> start{d.flexvert_xpos[3 * tip], d.flexvert_xpos[3 * tip + 1]};
  for (int i = 0; i < 100; ++i) step(m, d);  // long steps damp the motion
  forward(m, d);
  const double u = 1e3 * (d.flexvert_xpos[3 * tip] - start[0]), v = 1e3 * (d.flexvert_xpos[3 * tip + 1] - start[1]);
  fmt::print("SOLID-2 {}: ({:.3f}, {:.3f}) of ({}, {}) mm: {:+.2f} %, {:+.2f} %\n", name, u, v, x, y, 100 * (u / x - 1),
             100 * (v / y - 1));
  EXPECT_NEAR(u, x, 0.01 * std::abs(x));
  EXPECT_NEAR(v, y, 0.01 * std::abs(y));
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
}

TEST(Solid, SOLID_2_FlagBendsAsPublished) {
  expectFlag("CSM1", 1.4e6, -7.188, -66.10);
  expectFlag("CSM2", 5.6e6, -0.4690, -16.97);
}

TEST(Solid, SOLID_2_FlagSwingsAsPublished) {
  constexpr int kAcross = 2;
  const double h = 0.01;
  const Model m = compile(readMjcfText(flag(kAcross, 1.4e6, fmt::format(R"(timestep="{}" integrator="midpoint")", h))));
  Data d(m);
  forward(m, d);
  const int y = 3 * flagTip(kAcross) + 1;
  const double start = d.flexvert_xpos[y];
  std::vector<double> way{0};
  for (int i = 0; i < 250; ++i) {
    step(m, d);
    forward(m, d);
    way.push_back(d.flexvert_xpos[y] - start);
  }
  std::vector<double> lows;  // times of the lowest places, by a parabola
  for (std::size_t i = 1; i + 1 < way.size(); ++i) {
    if (!(way[i] < -0.1 && way[i] <= way[i - 1] && way[i] < way[i + 1])) continue;
    lows.push_back(h *
                   (static_cast<double>(i) + 0.5 * (way[i - 1] - way[i + 1]) / (way[i - 1] - 2 * way[i] + way[i + 1])));
  }
  ASSERT_GE(lows.size(), 2U);
  const double frequency = static_cast<double>(lows.size() - 1) / (lows.back() - lows.front());
  fmt::print("SOLID-2 CSM3: {:.4f} Hz of 1.0995: {:+.2f} %, lowest {:.2f} mm\n", frequency,
             100 * (frequency / 1.0995 - 1), 1e3 * *std::min_element(way.begin(), way.end()));
  EXPECT_NEAR(frequency, 1.0995, 0.01 * 1.0995);
}

// cells are boxes: others are refused, and the message names the node that is elsewhere
TEST(Solid, SOLID_3_CellsThatAreNoBoxesAreRefused) {
  std::string bodies, names;
  for (int n = 0; n < 8; ++n) {
    const double x = (n >> 2) & 1, y = (n >> 1) & 1, z = n & 1;
    bodies += fmt::format(R"(<body name="n{}" pos="{} {} {}"><joint type="slide"/><geom size=".01" mass=".1"/></body>)",
                          n, x + (n == 7 ? 0.1 : 0.0), y, z);
    names += fmt::format("n{} ", n);
  }
  const std::string text = fmt::format(
      R"(<mujoco><worldbody>{}</worldbody><deformable><flex name="f" dim="3" dof="trilinear" cellcount="1 1 1" node="{}"
      vertex="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3" radius=".01"><contact selfcollide="none"/>
      <elasticity young="1e4" poisson=".3" law="stvk"/></flex></deformable></mujoco>)",
      bodies, names);
  try {
    compile(readMjcfText(text));
    FAIL() << "it was accepted";
  } catch (const LoadError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("node 7 (body \"n7\") is 0.1 m away from its place in a grid of equal boxes"),
              std::string::npos)
        << what;
  }
}

}  // namespace
}  // namespace sinew
