#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "support/flex_run.h"

/// Published and closed-form values, as studies over meshes: the error is printed, and the finest mesh must be within
/// its bound.
namespace sinew {
namespace {

using test::FlexRun;
using test::Point;

/// Prints a row per mesh and the order of convergence between the last two.
void report(const char* study, const std::vector<int>& cells, const std::vector<double>& error) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    fmt::print("{}: {} cells, relative error {:.3e}\n", study, cells[i], error[i]);
  const std::size_t n = cells.size();
  const double order =
      std::log(std::abs(error[n - 2] / error[n - 1])) / std::log(static_cast<double>(cells[n - 1]) / cells[n - 2]);
  fmt::print("{}: observed order {:.2f}\n", study, order);
}

/// A cantilever of length 1 along x. Two stations are pinned; the clamp acts half a cell before the first free one's
/// hinge, so n free cells of length a have (n + 1/2) a = 1.
struct Cantilever {
  std::string world;
  int tip;           ///< first node at the end
  int across;        ///< nodes per station
  double stiffness;  ///< E I or D b, N m^2
  double a;
  double root() const { return 0.5 * a; }  ///< where the clamp is, the first station being at 0
};

constexpr double kMass = 0.1;

Cantilever rod(int n) {
  const double a = 1 / (n + 0.5);
  const double E = 1e7;
  const double r = 0.01;
  std::string points, elements;
  for (int i = 0; i <= n + 1; ++i) {
    points += fmt::format("{:.17g} 0 0 ", a * i);
    if (i > 0) elements += fmt::format("{} {} ", i - 1, i);
  }
  return {fmt::format(
              R"(<flexcomp name="r" type="direct" dim="1" point="{}" element="{}" radius="{}" young="{}" density="{}">
            <contact contype="0" conaffinity="0" selfcollide="none"/><pin id="0 1"/></flexcomp>)",
              points, elements, r, E, kMass),
          n + 1, 1, E * std::numbers::pi * r * r * r * r / 4, a};
}

Cantilever strip(int n, const std::string& bending) {
  const double a = 1 / (n + 0.5);
  const double b = 0.1 * a;
  const double E = 1e8;
  const double t = 0.01;
  return {fmt::format(
              R"(<flexcomp name="s" type="grid" dim="2" count="{} 2 1" spacing="{:.17g} {:.17g} {:.17g}" radius="0.0001"
            mass="{}" pos="{:.17g} 0 0"><contact contype="0" conaffinity="0" selfcollide="none"/>
            <elasticity young="{}" thickness="{}" elastic2d="both" law="stvk" bending="{}"/><pin id="0 1 2 3"/></flexcomp>)",
              n + 2, a, b, b, kMass * a * (n + 2), 0.5 * a * (n + 1), E, t, bending),
          2 * (n + 1), 2, E * t * t * t / 12 * b, a};
}

/// Position of the end of the cantilever.
Point endOf(const FlexRun& r, const Cantilever& c) {
  Point mean{};
  for (int i = 0; i < c.across; ++i) {
    for (std::size_t k = 0; k < 3; ++k) mean[k] += r.at(c.tip + i)[k] / c.across;
  }
  return mean;
}

/// Settles under a load given by `apply`, and returns the end relative to where the clamp is: (x, drop).
std::array<double, 2> settledEnd(const Cantilever& c, const std::string& gravity,
                                 const std::function<void(FlexRun&)>& apply) {
  FlexRun r(fmt::format(R"(timestep="0.01" integrator="implicitfast" gravity="{}")", gravity), c.world);
  apply(r);
  r.run(60, 4, [] {});
  EXPECT_LT(r.fastest(), 1e-4);
  const Point end = endOf(r, c);
  return {end[0] - c.root(), -end[2]};
}

struct Elastica {
  double load, drop, shortening;
};
constexpr Elastica kElastica[] = {{1, 0.30172, 0.05643}, {4, 0.66996, 0.32894}, {10, 0.81061, 0.55500}};

void checkElastica(const char* study, const std::function<Cantilever(int)>& make) {
  for (const Elastica& e : kElastica) {
    const std::vector<int> cells{10, 20, 40};
    std::vector<double> error;
    for (const int n : cells) {
      const Cantilever c = make(n);
      const auto [x, drop] = settledEnd(c, "0 0 0", [&](FlexRun& r) {
        for (int i = 0; i < c.across; ++i) r.load(c.tip + i, 2, -e.load * c.stiffness / c.across);
      });
      error.push_back(std::max(std::abs(drop / e.drop - 1), std::abs(1 - x - e.shortening)));
    }
    report(fmt::format("{} P L^2/EI = {}", study, e.load).c_str(), cells, error);
    EXPECT_LT(error.back(), 0.01);
  }
}

TEST(FlexValidation, VALID_1_RodFollowsTheElastica) { checkElastica("VALID-1 rod", rod); }

TEST(FlexValidation, VALID_1_StripWithDihedralBendingFollowsTheElastica) {
  checkElastica("VALID-1 dihedral strip", [](int n) { return strip(n, "dihedral"); });
}

TEST(FlexValidation, VALID_1_StripWithCotangentBendingFollowsTheElastica) {
  checkElastica("VALID-1 cotangent strip", [](int n) { return strip(n, "cotangent"); });
}

// Gamma = w L^3 / (E I) with w the weight per length.
TEST(FlexValidation, VALID_2_HeavyRodHangsFromItsClamp) {
  const double expected[][3] = {{1, 0.12347, 0.99125}, {10, 0.70020, 0.65635}, {100, 0.93752, 0.15922}};
  for (const auto& [gamma, drop, x] : expected) {
    const std::vector<int> cells{20, 40, 80};
    std::vector<double> error;
    for (const int n : cells) {
      const Cantilever c = rod(n);
      const double g = gamma * c.stiffness / kMass;
      const auto end = settledEnd(c, fmt::format("0 0 {:.17g}", -g), [](FlexRun&) {});
      error.push_back(std::max(std::abs(end[1] / drop - 1), std::abs(end[0] - x)));
    }
    report(fmt::format("VALID-2 Gamma = {}", gamma).c_str(), cells, error);
    EXPECT_LT(error.back(), 0.01);
  }
}

// First frequency of the clamped rod from its zero crossings, small amplitude.
TEST(FlexValidation, VALID_7_RodVibratesAtItsFirstFrequency) {
  const std::vector<int> cells{5, 10, 20};
  std::vector<double> error;
  for (const int n : cells) {
    const Cantilever c = rod(n);
    FlexRun r(R"(timestep="0.0002" gravity="0 0 0")", c.world);
    // start in the static shape of a tip load, which is nearly the first mode: w ~ s^2 (3 - s)
    for (int i = 2; i <= n + 1; ++i) {
      const double s = c.a * i - c.root();
      r.d.qpos[3 * i + 2] = 1e-3 * s * s * (3 - s);
    }
    std::vector<double> crossings;
    double before = r.at(c.tip)[2];
    r.run(6, 0, [&] {
      const double now = r.at(c.tip)[2];
      if ((before > 0) != (now > 0)) crossings.push_back(r.d.time - r.m.opt.timestep * now / (now - before));
      before = now;
    });
    ASSERT_GT(crossings.size(), 3u);
    const double period = 2 * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    const double exact = 1.87510 * 1.87510 / (2 * std::numbers::pi) * std::sqrt(c.stiffness / kMass);
    error.push_back(std::abs(1 / period / exact - 1));
  }
  report("VALID-7", cells, error);
  EXPECT_LT(error.back(), 0.02);
}

// Shell cantilever under end shear [Sze, Liu and Lo 2004]: L 10, b 1, t 0.1, E 1.2e6, nu 0, P = 4. Diagonals are
// mirrored about the centre line: parallel ones would couple bending to twist.
TEST(FlexValidation, VALID_4_ShellCantileverUnderEndShear) {
  const std::vector<int> cells{10, 20, 40};
  std::vector<double> error;
  for (const int n : cells) {
    const double a = 10 / (n + 0.5);
    const int across = std::max(2, n / 10);
    std::string points, elements, pins;
    const auto id = [&](int i, int j) { return (across + 1) * i + j; };
    for (int i = 0; i <= n + 1; ++i) {
      for (int j = 0; j <= across; ++j) {
        points += fmt::format("{:.17g} {:.17g} 0 ", a * i, static_cast<double>(j) / across);
        if (i < 2) pins += fmt::format("{} ", id(i, j));
        if (i > n || j == across) continue;
        const int p = id(i, j), q = id(i + 1, j), r = id(i + 1, j + 1), t = id(i, j + 1);
        elements += 2 * j < across ? fmt::format("{} {} {} {} {} {} ", p, q, r, p, r, t)
                                   : fmt::format("{} {} {} {} {} {} ", p, q, t, q, r, t);
      }
    }
    FlexRun run(R"(timestep="0.01" integrator="implicitfast" gravity="0 0 0")",
                fmt::format(R"(<flexcomp name="s" type="direct" dim="2" point="{}" element="{}" radius="0.001" mass="1">
                  <contact contype="0" conaffinity="0" selfcollide="none"/>
                  <elasticity young="1.2e6" thickness="0.1" elastic2d="both" law="stvk" bending="dihedral"/>
                  <pin id="{}"/></flexcomp>)",
                            points, elements, pins));
    for (int j = 0; j <= across; ++j) run.load(id(n + 1, j), 2, 4.0 / across * (j == 0 || j == across ? 0.5 : 1));
    run.run(30, 2);
    EXPECT_LT(run.fastest(), 1e-3);
    double W = 0, x = 0;
    for (int j = 0; j <= across; ++j) {
      W += run.at(id(n + 1, j))[2] / (across + 1);
      x += run.at(id(n + 1, j))[0] / (across + 1);
    }
    error.push_back(std::max(std::abs(W / 6.698 - 1), std::abs((a * (n + 1) - x) / 3.286 - 1)));
  }
  report("VALID-4", cells, error);
  EXPECT_LT(error.back(), 0.02);
}

}  // namespace
}  // namespace sinew
