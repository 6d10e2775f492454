#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/mjcf_text.h"
#include "support/tolerance.h"

/// Closed surfaces that become soft solids.
namespace sinew {
namespace {

using test::modelOf;
using test::tolerance;

/// A file that is gone after the test.
class MeshFile {
 public:
  MeshFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / fmt::format("sinew_fill_{}_{}.obj", name, ::getpid())) {
    std::ofstream(path_) << text;
  }
  ~MeshFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Box of half size h, without its last `missing` triangles.
std::string boxText(double h, int missing = 0) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("v {} {} {}\n", i & 4 ? h : -h, i & 2 ? h : -h, i & 1 ? h : -h);
  }
  const char* const faces[] = {"1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2",
                               "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"};
  for (int i = 0; i < 12 - missing; ++i) text += fmt::format("f {}\n", faces[i]);
  return text;
}

/// A ring that lies flat.
std::string torusText(double major, double minor, int n, int k) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / k, r = major + minor * std::cos(b);
      text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", r * std::cos(a), r * std::sin(a), minor * std::sin(b));
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      const int i1 = (i + 1) % n, j1 = (j + 1) % k;
      text +=
          fmt::format("f {0} {1} {2}\nf {0} {2} {3}\n", i * k + j + 1, i1 * k + j + 1, i1 * k + j1 + 1, i * k + j1 + 1);
    }
  }
  return text;
}

std::string solid(const std::string& attributes) {
  return fmt::format(R"(<mujoco><option integrator="implicitfast"/><worldbody><geom type="plane" size="2 2 .1"/>
    <flexcomp name="s" type="mesh" radius="0.002" {}><contact selfcollide="none"/>
      <elasticity young="5e4" poisson="0.3" damping="0.005" law="stvk"/></flexcomp></worldbody></mujoco>)",
                     attributes);
}

double massOf(const Model& m) {
  double sum = 0;
  for (const double mass : m.flexnode_mass) sum += mass;
  return sum;
}

TEST(FlexFill, MassIsDensityTimesVolume) {
  const MeshFile box("box", boxText(0.1));
  // scale 1 2 0.5 leaves the volume
  for (const char* scale : {"1 1 1", "1 2 0.5"}) {
    const Model m = modelOf(solid(fmt::format(
        R"(file="{}" dim="3" fill="4" density="1000" scale="{}" pos="0 0 1" euler="10 20 30")", box.path(), scale)));
    EXPECT_NEAR(massOf(m), 8, tolerance(1e-6));  // coordinates of meshes are in single precision
    double volume = 0;
    for (const double v : m.flexelem_size0) volume += v;
    EXPECT_NEAR(volume, 0.008, tolerance(1e-9));
  }
  // a torus from the inside: 2 pi^2 R r^2
  const MeshFile ring("ring", torusText(0.2, 0.08, 64, 32));
  const Model m = modelOf(solid(fmt::format(R"(file="{}" dim="3" fill="20" density="1000" pos="0 0 1")", ring.path())));
  const double expected = 1000 * 2 * std::numbers::pi * std::numbers::pi * 0.2 * 0.0064;
  EXPECT_NEAR(massOf(m), expected, 0.03 * expected);
}

// Dropped from 5 cm at the default timestep, two bodies come to rest at their own height without trouble on the way.
TEST(FlexFill, SolidsFallAndSettle) {
  const MeshFile box("settle_box", boxText(0.1));
  const MeshFile ring("settle_ring", torusText(0.2, 0.08, 32, 16));
  for (const MeshFile* file : {&box, &ring}) {
    SCOPED_TRACE(file->path());
    const Model m = modelOf(solid(fmt::format(R"(file="{}" dim="3" fill="{}" density="500" pos="0 0 0.16")",
                                              file->path(), file == &box ? 2 : 6)));
    ASSERT_EQ(m.opt.timestep, 0.002);
    Data d(m);
    for (int i = 0; i < 700; ++i) step(m, d);
    EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
    measureFlexes(m, d);
    double force = 0, fastest = 0, lowest = 1;
    for (int v = 0; v < m.nflexvert; ++v) {
      force += d.flexvert_force[3 * v + 2];
      lowest = std::min(lowest, d.qpos[3 * v + 2]);
      for (int k = 0; k < 3; ++k) fastest = std::max(fastest, std::abs(d.qvel[3 * v + k]));
    }
    EXPECT_NEAR(force, massOf(m) * 9.81, 0.02 * massOf(m) * 9.81);
    EXPECT_LT(fastest, 0.01);
    EXPECT_GT(lowest, -0.005);  // contacts are soft
    EXPECT_LT(lowest, 0.0025);
  }
}

std::string errorOf(const std::string& text) {
  try {
    modelOf(text);
  } catch (const LoadError& e) {
    return e.what();
  }
  return "no error";
}

TEST(FlexFill, ErrorsSayWhatIsWrong) {
  const MeshFile box("error_box", boxText(0.1)), open("error_open", boxText(0.1, 1));
  const auto expect = [&](const std::string& attributes, const std::string& part) {
    const std::string message = errorOf(solid(attributes));
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(fmt::format(R"(file="{}" dim="3" fill="4")", open.path()),
         "the surface is not closed: the edge between vertices 1 and 3");
  expect(fmt::format(R"(file="{}" dim="3" fill="0")", box.path()), "'fill' must be at least 1, found 0");
  expect(fmt::format(R"(file="{}" dim="2" fill="4")", box.path()), "'fill' is for type=\"mesh\" with dim=\"3\"");
  expect(fmt::format(R"(file="{}" dim="3" fill="4" origin="0 0 0")", box.path()), "leave one out");
  expect(fmt::format(R"(file="{}" dim="3")", box.path()), "'fill' or 'origin' must be given");
  expect(fmt::format(R"(file="{}" dim="3" fill="100000")", box.path()),
         "12000000000000000 elements would need about 13 EB of memory");
}

TEST(FlexFill, AttributeSurvivesWriting) {
  const MeshFile box("write_box", boxText(0.1));
  const std::string text = solid(fmt::format(R"(file="{}" dim="3" fill="3" pos="0 0 1")", box.path()));
  EXPECT_EQ(firstDifference(modelOf(text), modelOf(writeMjcf(readMjcfText(text)))), "");
}

}  // namespace
}  // namespace sinew
