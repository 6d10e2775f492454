#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"

/// VALID-6: the elastic flag of [Turek and Hron 2006], structure alone (CSM1 and CSM2). A beam of 0.35 m x 0.02 m,
/// fixed to a cylinder, bends under gravity in plane strain.
namespace sinew {
namespace {

/// One layer of tetrahedra, `across` cells high; points move in the plane only (dof="2d"), which is plane strain.
std::string beam(int across, double young) {
  const double length = 0.35, height = 0.02, radius = 0.05;
  const int along = static_cast<int>(std::lround(across * length / height));
  const double cell = height / across;
  std::string points, elements, pins;
  const auto id = [&](int i, int j, int k) { return 2 * ((across + 1) * i + j) + k; };
  for (int i = 0; i <= along; ++i) {
    for (int j = 0; j <= across; ++j) {
      const double y = cell * j - height / 2;
      const double root = std::sqrt(radius * radius - y * y) - radius;  // the cylinder's surface
      const double x = root + (length - root) * i / along;
      for (int k = 0; k < 2; ++k) {
        points += fmt::format("{:.17g} {:.17g} {:.17g} ", x, y, cell * k);
        if (i == 0) pins += fmt::format("{} ", id(i, j, k));
      }
      if (i == along || j == across) continue;
      // six tetrahedra around a diagonal of the cell, mirrored about the middle of the beam
      const bool mirrored = 2 * j >= across;
      const auto corner = [&](int c) {
        const int up = (c >> 1) & 1;
        return id(i + (c & 1), j + (mirrored ? 1 - up : up), c >> 2);
      };
      constexpr int kPaths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
      for (const auto& [a, b] : kPaths) {
        const int p = mirrored ? corner(b) : corner(a), q = mirrored ? corner(a) : corner(b);
        elements += fmt::format("{} {} {} {} ", corner(0), p, q, corner(7));
      }
    }
  }
  return fmt::format(
      R"(<mujoco><option timestep="0.05" integrator="implicitfast" gravity="0 -2 0"/><worldbody>
      <flexcomp name="b" type="direct" dim="3" dof="2d" point="{}" element="{}" radius="0.0001" density="1000">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young="{}" poisson="0.4" law="stvk"/><pin id="{}"/>
      </flexcomp></worldbody></mujoco>)",
      points, elements, young, pins);
}

/// Displacement of the middle of the free end, mm.
std::array<double, 2> settledTip(int across, double young) {
  const Model m = compile(readMjcfText(beam(across, young)));
  Data d(m);
  forward(m, d);
  const int along = static_cast<int>(std::lround(across * 17.5));
  const int tip = 2 * ((across + 1) * along + across / 2);
  const std::array<double, 2> start{d.flexvert_xpos[3 * tip], d.flexvert_xpos[3 * tip + 1]};
  for (int i = 0; i < 200; ++i) step(m, d);  // long steps damp the motion
  forward(m, d);
  double fastest = 0;
  for (const double v : d.qvel) fastest = std::max(fastest, std::abs(v));
  EXPECT_LT(fastest, 1e-4);
  EXPECT_TRUE(d.status.ok()) << describeStatus(m, d);
  return {1e3 * (d.flexvert_xpos[3 * tip] - start[0]), 1e3 * (d.flexvert_xpos[3 * tip + 1] - start[1])};
}

// Linear tetrahedra are too stiff in bending, the more so at nu = 0.4: the error falls with the square of the cell, and
// the value the curve tends to is the published one.
void checkStudy(const char* name, double young, double x, double y) {
  std::vector<double> error;
  std::vector<std::array<double, 2>> tips;
  for (const int across : {2, 4, 8}) {
    tips.push_back(settledTip(across, young));
    error.push_back(std::abs(tips.back()[1] / y - 1));
    fmt::print("VALID-6 {}: {} cells across, tip ({:.3f}, {:.3f}) mm of ({}, {}), relative error {:.3f}\n", name,
               across, tips.back()[0], tips.back()[1], x, y, error.back());
  }
  const double limit = tips[2][1] + (tips[2][1] - tips[1][1]) / 3;
  fmt::print("VALID-6 {}: the curve tends to {:.3f} mm\n", name, limit);
  EXPECT_LT(error[1], 0.6 * error[0]);
  EXPECT_LT(error[2], 0.5 * error[1]);
  EXPECT_NEAR(limit, y, 0.05 * std::abs(y));
}

TEST(FlexValidation, VALID_6_CSM1_BeamInPlaneStrain) { checkStudy("CSM1", 1.4e6, -7.188, -66.10); }
TEST(FlexValidation, VALID_6_CSM2_StifferBeam) { checkStudy("CSM2", 5.6e6, -0.469, -16.974); }

}  // namespace
}  // namespace sinew
