#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "validation/shells.h"

/// Sheets that bend as plates and shells do: published values on five kinds of meshes.
namespace sinew {
namespace {

using validation::addClamps;
using validation::FlexRun;
using validation::Grid;
using validation::gridOf;
using validation::kMeshKinds;
using validation::Point;
using validation::Shell;
using validation::Uv;

/// Deflection in the middle of a square plate over what theory says, less 1.
double plateError(const std::string& kind, int n, double poisson, bool clamped, const std::string& more = "") {
  return validation::plateCoefficient(kind, n, poisson, clamped, more) /
             (clamped ? validation::kClampedPlate : validation::kSupportedPlate) -
         1;
}

void checkPlates(bool clamped) {
  for (const std::string& kind : kMeshKinds) {
    for (const double poisson : {0.0, 0.3, 0.45}) {
      std::vector<double> error;
      for (const int n : {8, 16, 32}) {
        // coarse meshes show the order; one ratio is enough for that
        if (poisson == 0.3 || n == 32) error.push_back(plateError(kind, n, poisson, clamped));
      }
      EXPECT_LT(std::abs(error.back()), 0.02) << kind << " nu " << poisson;
      if (error.size() < 3) continue;
      fmt::print("SHELL-1 {} {}: {:.2f} {:.2f} {:.2f} %\n", clamped ? "clamped" : "supported", kind, 100 * error[0],
                 100 * error[1], 100 * error[2]);
      EXPECT_LT(std::abs(error[1]), 0.5 * std::abs(error[0])) << kind;
      EXPECT_LT(std::abs(error[2]), 0.5 * std::abs(error[1])) << kind;
    }
  }
}

TEST(Shell, SHELL_1_SimplySupportedPlate) { checkPlates(false); }
TEST(Shell, SHELL_1_ClampedPlate) { checkPlates(true); }

// The default of every textbook law; folds alone do not get there.
TEST(Shell, SHELL_1_IsTheDefaultOfTextbookLaws) {
  const double shell = plateError("parallel", 8, 0.3, false);
  EXPECT_EQ(plateError("parallel", 8, 0.3, false, R"(bending="shell")"), shell);
  EXPECT_LT(plateError("parallel", 8, 0.3, false, R"(bending="dihedral")"), -0.3);
  const auto bendingOf = [](const std::string& elasticity, const std::string& attributes = "") {
    return compile(readMjcfText(fmt::format(
                       R"(<mujoco><worldbody><flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"
                       mass="1" radius=".001" {}>{}</flexcomp></worldbody></mujoco>)",
                       attributes, elasticity)))
        .flex_bending[0];
  };
  for (const char* law : {"stvk", "corotational", "neohookean"}) {
    EXPECT_EQ(bendingOf(fmt::format(R"(<elasticity young="1e5" thickness=".001" elastic2d="both" law="{}"/>)", law)),
              FlexBending::Shell);
  }
  EXPECT_EQ(bendingOf("", R"(young="1e5" thickness=".001")"), FlexBending::Dihedral);
  EXPECT_EQ(bendingOf(R"(<elasticity young="1e5" thickness=".001" elastic2d="both"/>)"), FlexBending::Cotangent);
  EXPECT_EQ(bendingOf(R"(<elasticity young="1e5" thickness=".001" elastic2d="both" bending="shell"/>)"),
            FlexBending::Shell);
}

TEST(Shell, SHELL_2_CantileverUnderEndShear) {
  for (const std::string& kind : kMeshKinds) {
    const auto [U, W, twist] = validation::endShear(kind, 40, 4);
    fmt::print("SHELL-2 end shear {}: U {:.4f} W {:.4f} twist {:.1e}\n", kind, U, W, twist);
    EXPECT_NEAR(U, 3.286, 0.01 * 3.286) << kind;
    EXPECT_NEAR(W, 6.698, 0.01 * 6.698) << kind;
    EXPECT_LT(twist, 0.02) << kind;
  }
}

// The moment is a pair of forces at the last two rows that follow the tip.
TEST(Shell, SHELL_2_StripRollsUpToACircle) {
  for (const char* kind : {"parallel", "random"}) {
    const double away = validation::rollUp(kind, 40, 2);
    fmt::print("SHELL-2 roll-up {}: tip {:.3f} % of L from the root\n", kind, 100 * away);
    EXPECT_LT(away, 0.01) << kind;
  }
}

TEST(Shell, SHELL_2_PulledCylinder) {
  for (const char* kind : {"alternating", "random"}) {
    const double pulled = validation::pulledCylinder(kind, 64, 20);
    fmt::print("SHELL-2 pulled cylinder {}: {:.4f}\n", kind, pulled);
    EXPECT_NEAR(pulled, 2.768, 0.01 * 2.768) << kind;
  }
}

TEST(Shell, SHELL_2_ScordelisLoRoof) {
  const double coarse = validation::roof("alternating", 32), fine = validation::roof("alternating", 64);
  fmt::print("SHELL-2 roof: {:.4f} {:.4f}\n", coarse, fine);
  EXPECT_NEAR(fine, 0.3024, 0.02 * 0.3024);
  EXPECT_LT(std::abs(fine - 0.3024), 0.5 * std::abs(coarse - 0.3024));
}

// Hemisphere with a hole of 18 degrees, R 10, t 0.04, E 6.825e7, nu 0.3, pinched by four forces of 2: 0.0935 [MacNeal
// and Harder 1985 give 0.094].
TEST(Shell, SHELL_2_PinchedHemisphere) {
  for (const auto& [kind, around] : {std::pair{"alternating", 96}, std::pair{"random", 64}}) {
    const double out = validation::pinchedHemisphere(kind, around, around / 4);
    fmt::print("SHELL-2 hemisphere {}: {:.5f}\n", kind, out);
    EXPECT_NEAR(out, 0.0935, 0.02 * 0.0935) << kind;
  }
}

// 1.8248e-5 [Belytschko et al. 1985]. Under a point force the error is that of the cells next to it, about h^2/D each:
// the meshes are graded towards the forces. Far from them cells are long, which must not depend on their diagonals.
TEST(Shell, SHELL_2_PinchedCylinder) {
  const double coarse = validation::pinchedCylinder("alternating", 32, 16, 0.3);
  for (const auto& [kind, around] : {std::pair{"parallel", 96}, std::pair{"alternating", 96}, std::pair{"crossed", 64},
                                     std::pair{"equilateral", 64}, std::pair{"random", 64}}) {
    const double fine = validation::pinchedCylinder(kind, around, around / 2, 0.3);
    fmt::print("SHELL-2 pinched cylinder {}: {:.4e} {:.4e}\n", kind, coarse, fine);
    EXPECT_NEAR(fine, 1.8248e-5, 0.02 * 1.8248e-5) << kind;
    EXPECT_LT(std::abs(fine - 1.8248e-5), 0.5 * std::abs(coarse - 1.8248e-5)) << kind;
  }
}

/// A small curved sheet in general position, free in space.
Shell curved() {
  const Grid grid = gridOf("random", 5, 4);
  Shell shell;
  shell.young = 1e5, shell.poisson = 0.3, shell.thickness = 0.01, shell.triangles = grid.triangles;
  shell.option = R"(timestep="0.001" integrator="implicitfast" gravity="0 0 0")";
  for (const Uv& p : grid.at) shell.points.push_back({p[0], p[1], 0.4 * p[0] * p[0] - 0.3 * p[0] * p[1] + 0.1 * p[1]});
  return shell;
}

double elasticEnergyOf(FlexRun& run) {
  forward(run.m, run.d);
  measureFlexes(run.m, run.d);
  return run.d.flex_energy[0];
}

TEST(Shell, SHELL_3_ForceIsTheGradientOfTheEnergy) {
  for (const char* stretch : {"both", "bend"}) {
    Shell shell = curved();
    std::string world = shell.world();
    if (std::string(stretch) == "bend") world.replace(world.find("both"), 4, "bend");
    FlexRun run(shell.option, world);
    // at rest: no force, no energy, though it is curved
    forward(run.m, run.d);
    for (int i = 0; i < run.m.nv; ++i) EXPECT_NEAR(run.d.qfrc_spring[i], 0, 1e-12);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> move(-0.05, 0.05);
    for (double& q : run.d.qpos) q += move(random);
    forward(run.m, run.d);
    const std::vector<double> force(run.d.qfrc_spring.begin(), run.d.qfrc_spring.end());
    Point sum{}, torque{};
    double largest = 0;
    for (int i = 0; i < run.m.nflexnode; ++i) {
      const double* f = &force[3 * i];
      const Point x = run.at(i);
      for (std::size_t k = 0; k < 3; ++k) {
        sum[k] += f[k];
        torque[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
        largest = std::max(largest, std::abs(f[k]));
      }
    }
    EXPECT_GT(largest, 1e-3);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(sum[k], 0, 1e-12 * largest * run.m.nflexnode);
      EXPECT_NEAR(torque[k], 0, 1e-12 * largest * run.m.nflexnode);
    }
    for (int i = 0; i < run.m.nv; i += 7) {
      const double h = 1e-6, q = run.d.qpos[i];
      run.d.qpos[i] = q + h;
      const double above = elasticEnergyOf(run);
      run.d.qpos[i] = q - h;
      const double below = elasticEnergyOf(run);
      run.d.qpos[i] = q;
      EXPECT_NEAR(force[i], -(above - below) / (2 * h), 1e-6 * largest) << stretch << " " << i;
    }
  }
}

// A free sheet that turns and flies feels nothing, and a damper takes energy only from bending.
TEST(Shell, SHELL_3_DampingOfBending) {
  Shell shell = curved();
  shell.more = R"(damping="0.01")";
  FlexRun run(shell.option, shell.world());
  for (int i = 0; i < run.m.nflexnode; ++i) {
    const Point x = run.at(i);
    run.d.qvel[3 * i] = -2 * x[1] + 1, run.d.qvel[3 * i + 1] = 2 * x[0], run.d.qvel[3 * i + 2] = 0.5;
  }
  forward(run.m, run.d);
  for (int i = 0; i < run.m.nv; ++i) EXPECT_NEAR(run.d.qfrc_damper[i], 0, 1e-9);
  // Rayleigh: the damper answers to a velocity as the springs do to the same displacement, times the damping time
  std::mt19937 random(4);
  std::uniform_real_distribution<double> move(-1, 1);
  for (double& v : run.d.qvel) v = move(random);
  forward(run.m, run.d);
  const std::vector<double> damper(run.d.qfrc_damper.begin(), run.d.qfrc_damper.end());
  const double h = 1e-7;
  double power = 0;
  for (int i = 0; i < run.m.nv; ++i) run.d.qpos[i] += h * run.d.qvel[i], power += damper[i] * run.d.qvel[i];
  forward(run.m, run.d);
  EXPECT_LT(power, 0);
  double largest = 0;
  for (const double f : damper) largest = std::max(largest, std::abs(f));
  for (int i = 0; i < run.m.nv; ++i) {
    EXPECT_NEAR(damper[i], 0.01 * run.d.qfrc_spring[i] / h, 1e-4 * largest) << i;
  }
}

// A sheet bent to a cylinder: M = D kappa along, nu D kappa across; stretched: N = E t/(1 - nu^2) ...; at free edges
// the moment across vanishes.
TEST(Shell, SHELL_3_StressResultants) {
  const Grid grid = gridOf("random", 10, 10);
  Shell shell;
  shell.young = 1e6, shell.poisson = 0.3, shell.thickness = 0.02, shell.triangles = grid.triangles;
  for (const Uv& p : grid.at) shell.points.push_back({p[0], p[1], 0});
  const std::string sensors =
      R"(<sensor><flexmembrane name="n" flex="s" element="77"/><flexmoment name="m" flex="s" element="77"/></sensor>)";
  const Model m = compile(readMjcfText(
      fmt::format("<mujoco><option {}/><worldbody>{}</worldbody>{}</mujoco>", shell.option, shell.world(), sensors)));
  Data d(m);
  const double kappa = 1e-4, strain = 1e-5, D = 1e6 * 8e-6 / (12 * 0.91);
  for (int i = 0; i < m.nflexnode; ++i) {
    const Uv& p = grid.point(i);
    d.qpos[3 * i] = p[0] * (1 + strain);
    d.qpos[3 * i + 2] = 0.5 * kappa * p[0] * p[0];
  }
  forward(m, d);
  measureFlexes(m, d);
  int inner = 0;
  for (int e = 0; e < m.nflexelem; ++e) {
    bool border = false;
    for (const int v : grid.triangles[e]) {
      const Uv& p = grid.point(v);
      border = border || p[0] == 0 || p[1] == 0 || p[0] == 1 || p[1] == 1;
    }
    const double *M = &d.flexelem_moment[6 * e], *N = &d.flexelem_membrane[6 * e];
    EXPECT_NEAR(N[0], 1e6 * 0.02 / 0.91 * strain, 1e-3 * 1e6 * 0.02 * strain);
    EXPECT_NEAR(N[1], 0.3 * 1e6 * 0.02 / 0.91 * strain, 1e-3 * 1e6 * 0.02 * strain);
    if (border) continue;
    ++inner;
    EXPECT_NEAR(M[0], D * kappa, 1e-4 * D * kappa);
    EXPECT_NEAR(M[1], 0.3 * D * kappa, 1e-4 * D * kappa);
    EXPECT_NEAR(M[3], 0, 1e-4 * D * kappa);
  }
  EXPECT_GT(inner, 80);
  ASSERT_EQ(m.nsensordata, 12);
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(d.sensordata[k], d.flexelem_membrane[6 * 77 + k]);
    EXPECT_EQ(d.sensordata[6 + k], d.flexelem_moment[6 * 77 + k]);
  }
}

std::string refusal(const std::string& world) {
  try {
    compile(readMjcfText("<mujoco><worldbody>" + world + "</worldbody></mujoco>"));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Shell, SHELL_3_BadMeshesAreRefusedOrHarmless) {
  Shell shell = curved();
  shell.points.push_back({2, 0, 0});
  shell.points.push_back({3, 0, 0});
  shell.points.push_back({2.5, 1e-8, 0});
  const int n = static_cast<int>(shell.points.size());
  shell.triangles.push_back({n - 3, n - 2, n - 1});
  const std::string text = refusal(shell.world());
  EXPECT_NE(text.find(fmt::format("element {} (vertices {}, {}, {}) is lower than a millionth of its longest edge",
                                  shell.triangles.size() - 1, n - 3, n - 2, n - 1)),
            std::string::npos)
      << text;
  EXPECT_NE(refusal(R"(<flexcomp name="c" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass="1" radius=".01">
      <elasticity young="1e5" elastic2d="both" thickness="0" law="stvk"/></flexcomp>)")
                .find("'thickness' must be positive where a sheet resists bending or stretching, found 0"),
            std::string::npos);
  EXPECT_NE(refusal(R"(<flexcomp name="c" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" mass="1" radius=".01"
      dof="trilinear"><contact selfcollide="none"/><elasticity young="1e5" elastic2d="both" thickness=".01" law="stvk"
      bending="shell"/></flexcomp>)")
                .find("bending=\"shell\" needs triangles between points that move on their own"),
            std::string::npos);
  // a lone triangle, a pair, three triangles at one edge, mixed orientation: finite and at rest where they were made
  Shell odd = curved();
  odd.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0.2}, {0.5, 0.5, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
  odd.triangles = {{0, 1, 2}, {1, 2, 3}, {1, 2, 4}, {5, 6, 7}, {1, 3, 4}};
  FlexRun run(odd.option, odd.world());
  run.run(0.1, 0);
  EXPECT_EQ(run.fastest(), 0);
  run.d.qvel[2] = 1;
  run.run(0.2, 0);
  EXPECT_TRUE(std::isfinite(run.fastest()));
  EXPECT_TRUE(run.d.status.ok());
}

// Any timestep, any stiffness: a crumpled sheet comes to rest.
TEST(Shell, SHELL_4_StableAtAnyTimestep) {
  for (const double h : {1e-3, 1e-2, 1.0}) {
    Shell shell = curved();
    shell.young = 1e9;
    shell.option = fmt::format(R"(timestep="{}" integrator="implicitfast" gravity="0 0 0")", h);
    FlexRun run(shell.option, shell.world());
    std::mt19937 random(1);
    std::uniform_real_distribution<double> move(-0.02, 0.02);
    for (double& q : run.d.qpos) q += move(random);
    const double before = elasticEnergyOf(run);
    run.run(300 * h, 0);
    EXPECT_LT(elasticEnergyOf(run), 1e-3 * before) << h;
    EXPECT_TRUE(run.d.status.ok()) << h;
  }
}

// Steps cost about what single folds cost, because the metric has the same pattern: there is nothing more to factor.
// The time itself is a matter of benchmarks.
TEST(Shell, SHELL_4_TheMetricHasThePatternOfSingleFolds) {
  for (const char* count : {"40 40 1", "12 7 1", "3 2 1"}) {
    const auto entries = [&](const char* bending) {
      const FlexRun run(
          R"(timestep="0.002" integrator="implicitfast")",
          fmt::format(
              R"(<flexcomp name="c" type="grid" dim="2" count="{}" spacing=".02 .02 .02" mass="1" radius=".001">
          <contact contype="0" conaffinity="0" selfcollide="none"/>
          <elasticity young="1e6" poisson="0.3" thickness="0.002" elastic2d="both" law="stvk" bending="{}"/>
          <pin id="0 2"/></flexcomp>)",
              count, bending));
      return run.m.nK;
    };
    EXPECT_GT(entries("dihedral"), 0);
    EXPECT_EQ(entries("shell"), entries("dihedral")) << count;
  }
}

}  // namespace
}  // namespace sinew
