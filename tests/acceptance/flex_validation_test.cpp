#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "validation/rods.h"

/// Published and closed-form values, as studies over meshes: the error is printed, and the finest mesh must be within
/// its bound.
namespace sinew {
namespace {

using validation::Cantilever;
using validation::FlexRun;
using validation::Point;
using validation::rod;
using validation::strip;

/// Prints a row per mesh and the order of convergence between the last two.
void report(const char* study, const std::vector<int>& cells, const std::vector<double>& error) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    fmt::print("{}: {} cells, relative error {:.3e}\n", study, cells[i], error[i]);
  const std::size_t n = cells.size();
  const double order =
      std::log(std::abs(error[n - 2] / error[n - 1])) / std::log(static_cast<double>(cells[n - 1]) / cells[n - 2]);
  fmt::print("{}: observed order {:.2f}\n", study, order);
}

void checkElastica(const char* study, const std::function<Cantilever(int)>& make) {
  for (const auto& [load, expectedDrop, expectedShortening] : validation::kElastica) {
    const std::vector<int> cells{10, 20, 40};
    std::vector<double> error;
    for (const int n : cells) {
      const auto [shortening, drop] = validation::elastica(make(n), load);
      error.push_back(std::max(std::abs(drop / expectedDrop - 1), std::abs(shortening - expectedShortening)));
    }
    report(fmt::format("{} P L^2/EI = {}", study, load).c_str(), cells, error);
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
  for (const auto& [gamma, drop, x] : validation::kHeavyRod) {
    const std::vector<int> cells{20, 40, 80};
    std::vector<double> error;
    for (const int n : cells) {
      const auto end = validation::heavyRod(n, gamma);
      error.push_back(std::max(std::abs(end[1] / drop - 1), std::abs(end[0] - x)));
    }
    report(fmt::format("VALID-2 Gamma = {}", gamma).c_str(), cells, error);
    EXPECT_LT(error.back(), 0.01);
  }
}

/// Relative errors of a clamped rod's frequency.
std::vector<double> frequencyErrors(double beta, const std::vector<int>& cells, double timestep) {
  std::vector<double> error;
  for (const int n : cells) error.push_back(std::abs(validation::frequencyRatio(beta, n, timestep) - 1));
  return error;
}

TEST(FlexValidation, VALID_7_RodVibratesAtItsFirstFrequency) {
  const std::vector<int> cells{5, 10, 20};
  const std::vector<double> error = frequencyErrors(1.87510, cells, 2e-4);
  report("VALID-7 first mode", cells, error);
  EXPECT_LT(error.back(), 0.02);
}

TEST(FlexValidation, VALID_7_RodVibratesAtItsSecondFrequency) {
  const std::vector<int> cells{10, 20, 40};
  const std::vector<double> error = frequencyErrors(4.69409, cells, 1e-4);
  report("VALID-7 second mode", cells, error);
  EXPECT_LT(error.back(), 0.02);
}

/// A square plate of side 1 out of nearly equilateral triangles. Rows of points lie along x, every other row shifted by
/// half a spacing and closed with points on the border. A narrow frame around it is pinned as well: a hinge on the
/// border sees half of the frame's triangles, so the clamp acts half the frame's width outside.
struct PlateMesh {
  std::string points, elements, pins;
  std::vector<double> area;  ///< a third of the triangles around each point
  int centre = -1;
  double side = 1;  ///< between the clamps
};

PlateMesh clampedPlate(int n) {
  PlateMesh mesh;
  std::vector<Point> at;
  const auto add = [&](double x, double y) {
    at.push_back({x, y, 0});
    return static_cast<int>(at.size()) - 1;
  };
  std::vector<std::array<int, 3>> triangles;
  const int rows = 2 * static_cast<int>(std::lround(n / std::sqrt(3.0)));  // even, so that a point is in the middle
  std::vector<std::vector<int>> row(static_cast<std::size_t>(rows) + 1);
  for (int j = 0; j <= rows; ++j) {
    const double y = static_cast<double>(j) / rows;
    // the middle row is not shifted, and n is even
    const bool shifted = (j + rows / 2) % 2 == 1;
    std::vector<int>& points = row[j];
    if (shifted) points.push_back(add(0, y));
    for (int i = 0; i < n + (shifted ? 0 : 1); ++i) points.push_back(add((i + (shifted ? 0.5 : 0)) / n, y));
    if (shifted) points.push_back(add(1, y));
  }
  const std::vector<int>& middle = row[rows / 2];
  mesh.centre = middle[middle.size() / 2];
  // between two rows, always advance on the side whose next point comes first
  for (std::size_t j = 0; j + 1 < row.size(); ++j) {
    const std::vector<int>&low = row[j], &high = row[j + 1];
    const auto x = [&](const std::vector<int>& points, std::size_t i) {
      return i < points.size() ? at[points[i]][0] : 2.0;
    };
    for (std::size_t a = 0, b = 0; a + 1 < low.size() || b + 1 < high.size();) {
      if (x(low, a + 1) <= x(high, b + 1)) {
        triangles.push_back({low[a], low[a + 1], high[b]});
        ++a;
      } else {
        triangles.push_back({low[a], high[b + 1], high[b]});
        ++b;
      }
    }
  }
  // the border, once around, and the frame outside of it
  std::vector<int> border = row.front();
  for (std::size_t j = 1; j + 1 < row.size(); ++j) border.push_back(row[j].back());
  border.insert(border.end(), row.back().rbegin(), row.back().rend());
  for (std::size_t j = row.size() - 2; j > 0; --j) border.push_back(row[j].front());
  const double width = 0.2 / n;
  mesh.side = 1 + width;
  std::vector<int> frame;
  for (const int p : border) {
    const Point q = at[p];
    const auto out = [&](double v) { return v == 0 ? -width : v == 1 ? 1 + width : v; };
    frame.push_back(add(out(q[0]), out(q[1])));
  }
  for (std::size_t i = 0; i < border.size(); ++i) {
    const std::size_t next = (i + 1) % border.size();
    triangles.push_back({border[i], frame[i], frame[next]});
    triangles.push_back({border[i], frame[next], border[next]});
  }
  mesh.area.assign(at.size(), 0);
  for (const auto& t : triangles) {
    const Point &a = at[t[0]], &b = at[t[1]], &c = at[t[2]];
    const double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    for (const int v : t) mesh.area[v] += area / 3;
    mesh.elements += fmt::format("{} {} {} ", t[0], t[1], t[2]);
  }
  for (const Point& p : at) mesh.points += fmt::format("{:.17g} {:.17g} 0 ", p[0], p[1]);
  for (const int p : border) mesh.pins += fmt::format("{} ", p);
  for (const int p : frame) mesh.pins += fmt::format("{} ", p);
  return mesh;
}

// Clamped square plate under uniform load, small deflection: w = 0.00126532 q a^4 / D [Taylor and Govindjee 2004]. For
// clamped straight edges it does not depend on Poisson's ratio, so the hinges' own does not matter.
TEST(FlexValidation, VALID_5_ClampedSquarePlateUnderUniformLoad) {
  for (const char* bending : {"dihedral", "cotangent"}) {
    const std::vector<int> cells{8, 16, 32};
    std::vector<double> error;
    for (const int n : cells) {
      const PlateMesh mesh = clampedPlate(n);
      const double E = 1e9, t = 0.01, D = E * t * t * t / 12, w = 0.01 * t;
      // steps far longer than the slowest period: each takes nearly all of what is left of the way
      FlexRun r(
          R"(timestep="1" integrator="implicitfast" gravity="0 0 0")",
          fmt::format(R"(<flexcomp name="p" type="direct" dim="2" point="{}" element="{}" radius="0.0001" mass="1">
                  <contact contype="0" conaffinity="0" selfcollide="none"/>
                  <elasticity young="{}" thickness="{}" elastic2d="both" law="stvk" bending="{}"/>
                  <pin id="{}"/></flexcomp>)",
                      mesh.points, mesh.elements, E, t, bending, mesh.pins));
      const double q = w * D / (0.00126532 * std::pow(mesh.side, 4));
      for (int i = 0; i < r.m.nflexnode; ++i) {
        if (!r.m.flexnode_pinned[i]) r.load(i, 2, q * mesh.area[i]);
      }
      r.run(20, 0);
      EXPECT_LT(r.fastest(), 1e-6 * w);
      error.push_back(r.at(mesh.centre)[2] / w - 1);
    }
    report(fmt::format("VALID-5 {}", bending).c_str(), cells, error);
    EXPECT_LT(std::abs(error.back()), 0.03) << bending;
  }
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
