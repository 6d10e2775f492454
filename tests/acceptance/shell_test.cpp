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
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/flex_run.h"

/// Sheets that bend as plates and shells do: published values on five kinds of meshes.
namespace sinew {
namespace {

using test::FlexRun;
using test::Point;

constexpr double kPi = std::numbers::pi;
using Uv = std::array<double, 2>;

/// Triangles over the unit square.
struct Grid {
  std::vector<Uv> at;
  std::vector<std::array<int, 3>> triangles;

  int add(double u, double v) {
    at.push_back({u, v});
    return static_cast<int>(at.size()) - 1;
  }
  const Uv& point(int i) const { return at[static_cast<std::size_t>(i)]; }
  /// The vertex nearest to a place.
  int nearest(double u, double v) const {
    const auto away = [&](const Uv& p) { return std::hypot(p[0] - u, p[1] - v); };
    return static_cast<int>(
        std::min_element(at.begin(), at.end(), [&](const Uv& a, const Uv& b) { return away(a) < away(b); }) -
        at.begin());
  }
};

const std::vector<std::string> kKinds{"parallel", "alternating", "crossed", "equilateral", "random"};

/// Flips edges until no vertex is inside the circle through a triangle. `scale` stretches u before measuring.
void makeDelaunay(Grid& grid, double scale) {
  const auto x = [&](int i) { return Uv{scale * grid.point(i)[0], grid.point(i)[1]}; };
  const auto angle = [](const Uv& p, const Uv& q, const Uv& r) {
    const double ux = q[0] - p[0], uy = q[1] - p[1], vx = r[0] - p[0], vy = r[1] - p[1];
    return std::atan2(std::abs(ux * vy - uy * vx), ux * vx + uy * vy);
  };
  for (bool flipped = true; flipped;) {
    flipped = false;
    std::map<std::array<int, 2>, std::array<int, 2>> first;  // edge: triangle, opposite corner
    std::vector<char> changed(grid.triangles.size(), 0);
    for (std::size_t t = 0; t < grid.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3 && !changed[t]; ++k) {
        auto& own = grid.triangles[t];
        const int a = own[(k + 1) % 3], b = own[(k + 2) % 3], c = own[k];
        const auto [entry, isNew] =
            first.try_emplace({std::min(a, b), std::max(a, b)}, std::array{static_cast<int>(t), c});
        const auto other = static_cast<std::size_t>(entry->second[0]);
        const int d = entry->second[1];
        if (isNew || changed[other]) continue;
        if (angle(x(c), x(a), x(b)) + angle(x(d), x(a), x(b)) < kPi + 1e-9) continue;
        own = {c, a, d};
        grid.triangles[other] = {c, d, b};
        changed[t] = changed[other] = flipped = true;
      }
    }
  }
}

/// nu x nv cells over the unit square; `stretch` is the ratio of the sides of what it becomes, for kinds that care.
Grid gridOf(const std::string& kind, int nu, int nv, double stretch = 1) {
  Grid grid;
  if (kind == "equilateral") {
    const int rows = std::max(2, 2 * static_cast<int>(std::lround(nv / std::sqrt(3.0))));
    std::vector<std::vector<int>> row(static_cast<std::size_t>(rows) + 1);
    for (int j = 0; j <= rows; ++j) {
      const double v = static_cast<double>(j) / rows;
      const bool shifted = (j + rows / 2) % 2 == 1;
      std::vector<int>& points = row[static_cast<std::size_t>(j)];
      if (shifted) points.push_back(grid.add(0, v));
      for (int i = 0; i < nu + (shifted ? 0 : 1); ++i) points.push_back(grid.add((i + (shifted ? 0.5 : 0)) / nu, v));
      if (shifted) points.push_back(grid.add(1, v));
    }
    for (std::size_t j = 0; j + 1 < row.size(); ++j) {
      const std::vector<int>&low = row[j], &high = row[j + 1];
      const auto u = [&](const std::vector<int>& points, std::size_t i) {
        return i < points.size() ? grid.point(points[i])[0] : 2.0;
      };
      for (std::size_t a = 0, b = 0; a + 1 < low.size() || b + 1 < high.size();) {
        if (u(low, a + 1) <= u(high, b + 1)) {
          grid.triangles.push_back({low[a], low[a + 1], high[b]});
          ++a;
        } else {
          grid.triangles.push_back({low[a], high[b + 1], high[b]});
          ++b;
        }
      }
    }
    return grid;
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<double> move(-0.3, 0.3);
  const bool rough = kind == "random";
  for (int i = 0; i <= nu; ++i) {
    for (int j = 0; j <= nv; ++j) {
      const bool inside = i > 0 && j > 0 && i < nu && j < nv && !(2 * i == nu && 2 * j == nv);
      const double du = rough && inside ? move(random) : 0, dv = rough && inside ? move(random) : 0;
      grid.add((i + du) / nu, (j + dv) / nv);
    }
  }
  const auto id = [&](int i, int j) { return i * (nv + 1) + j; };
  for (int i = 0; i < nu; ++i) {
    for (int j = 0; j < nv; ++j) {
      const int a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
      if (kind == "crossed") {
        const int m = grid.add((i + 0.5) / nu, (j + 0.5) / nv);
        for (const auto& t : {std::array{a, b, m}, std::array{b, c, m}, std::array{c, d, m}, std::array{d, a, m}}) {
          grid.triangles.push_back(t);
        }
      } else if (kind == "alternating" && (i + j) % 2) {
        grid.triangles.push_back({a, b, d});
        grid.triangles.push_back({b, c, d});
      } else {
        grid.triangles.push_back({a, b, c});
        grid.triangles.push_back({a, c, d});
      }
    }
  }
  if (rough) makeDelaunay(grid, stretch);
  return grid;
}

/// Ends of the edges that belong to one triangle, and who lies outside of `where` there.
std::vector<std::array<int, 2>> borderOf(const Grid& grid) {
  std::map<std::array<int, 2>, int> count;
  for (const auto& t : grid.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      ++count[{std::min(a, b), std::max(a, b)}];
    }
  }
  std::vector<std::array<int, 2>> border;
  for (const auto& [edge, n] : count) {
    if (n == 1) border.push_back(edge);
  }
  return border;
}

/// Triangles outside of the border edges that `isClamped` names: all their vertices are pinned, so they clamp the edge.
/// They count from vertex `first` on.
template <class F>
int addClamps(Grid& grid, F&& isClamped) {
  const int first = static_cast<int>(grid.at.size());
  for (const auto& [a, b] : borderOf(grid)) {
    const Uv p = grid.point(a), q = grid.point(b);
    const Uv middle{0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])};
    if (!isClamped(middle)) continue;
    const std::size_t axis = p[0] == q[0] ? 0 : 1;
    const double length = std::hypot(p[0] - q[0], p[1] - q[1]);
    Uv outside = middle;
    outside[axis] += middle[axis] > 0.5 ? length : -length;
    grid.triangles.push_back({b, a, grid.add(outside[0], outside[1])});
  }
  return first;
}

struct Shell {
  std::vector<Point> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> pins;
  double young = 0, poisson = 0, thickness = 0;
  std::string more = "";  ///< of <elasticity>
  std::string option = R"(timestep="1" integrator="implicitfast" gravity="0 0 0")";

  std::string world() const {
    std::string p, e, pin;
    for (const Point& x : points) p += fmt::format("{:.17g} {:.17g} {:.17g} ", x[0], x[1], x[2]);
    for (const auto& t : triangles) e += fmt::format("{} {} {} ", t[0], t[1], t[2]);
    for (const int i : pins) pin += fmt::format("{} ", i);
    if (!pin.empty()) pin = fmt::format(R"(<pin id="{}"/>)", pin);
    return fmt::format(R"(<flexcomp name="s" type="direct" dim="2" point="{}" element="{}" radius="0.0001" mass="1">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young="{}" poisson="{}" thickness="{}" elastic2d="both" law="stvk" {}/>{}</flexcomp>)",
                       p, e, young, poisson, thickness, more, pin);
  }
  /// Share of each vertex in the area of the triangles before `end`.
  std::vector<double> areas(std::size_t end) const {
    std::vector<double> area(points.size(), 0);
    for (std::size_t t = 0; t < end; ++t) {
      const Point &a = points[static_cast<std::size_t>(triangles[t][0])],
                  &b = points[static_cast<std::size_t>(triangles[t][1])],
                  &c = points[static_cast<std::size_t>(triangles[t][2])];
      const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
      const double s =
          0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
      for (const int i : triangles[t]) area[static_cast<std::size_t>(i)] += s / 3;
    }
    return area;
  }
};

/// Steps far longer than the slowest period until what is left of the way is a small part of `size`.
void settle(FlexRun& run, double size, double accuracy = 1e-5, int most = 400) {
  const double h = run.m.opt.timestep;
  for (int i = 0; i < most; ++i) {
    run.stepOnce(0);
    if (i > 3 && run.fastest() * h < accuracy * size) return;
  }
  ADD_FAILURE() << "not at rest: " << run.fastest() * h / size;
}

/// Deflection in the middle of a square plate over what theory says, less 1.
double plateError(const std::string& kind, int n, double poisson, bool clamped, const std::string& more = "") {
  Grid grid = gridOf(kind, n, n);
  const std::size_t own = grid.triangles.size();
  const int inside = static_cast<int>(grid.at.size());
  if (clamped) addClamps(grid, [](const Uv&) { return true; });
  Shell shell;
  shell.young = 1e9, shell.thickness = 0.01, shell.poisson = poisson, shell.more = more;
  shell.triangles = grid.triangles;
  for (int i = 0; i < static_cast<int>(grid.at.size()); ++i) {
    const Uv& p = grid.point(i);
    shell.points.push_back({p[0], p[1], 0});
    if (i >= inside || p[0] == 0 || p[1] == 0 || p[0] == 1 || p[1] == 1) shell.pins.push_back(i);
  }
  const double D = shell.young * std::pow(shell.thickness, 3) / (12 * (1 - poisson * poisson));
  const double w = 1e-3 * shell.thickness, q = w * D / (clamped ? 0.00126532 : 0.00406235);
  FlexRun run(shell.option, shell.world());
  const std::vector<double> area = shell.areas(own);
  for (int i = 0; i < inside; ++i) {
    if (!run.m.flexnode_pinned[i]) run.load(i, 2, q * area[static_cast<std::size_t>(i)]);
  }
  settle(run, w);
  const int centre = grid.nearest(0.5, 0.5);
  EXPECT_NEAR(grid.point(centre)[0], 0.5, 1e-12);
  return run.at(centre)[2] / w - 1;
}

void checkPlates(bool clamped) {
  for (const std::string& kind : kKinds) {
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

/// Shell cantilever under end shear [Sze, Liu and Lo 2004]: L 10, b 1, t 0.1, E 1.2e6, nu 0, P = 4.
void endShear(const std::string& kind, int n, int across, double& U, double& W, double& twist) {
  Grid grid = gridOf(kind, n, across, 10);
  const int inside = static_cast<int>(grid.at.size());
  addClamps(grid, [](const Uv& p) { return p[0] == 0; });
  Shell shell;
  shell.young = 1.2e6, shell.thickness = 0.1, shell.triangles = grid.triangles;
  shell.option = R"(timestep="0.02" integrator="implicitfast" gravity="0 0 0")";
  std::vector<int> tip;
  for (int i = 0; i < static_cast<int>(grid.at.size()); ++i) {
    const Uv& p = grid.point(i);
    shell.points.push_back({10 * p[0], p[1], 0});
    if (i >= inside || p[0] == 0) shell.pins.push_back(i);
    if (p[0] == 1) tip.push_back(i);
  }
  std::sort(tip.begin(), tip.end(), [&](int a, int b) { return grid.point(a)[1] < grid.point(b)[1]; });
  FlexRun run(shell.option, shell.world());
  for (std::size_t j = 0; j + 1 < tip.size(); ++j) {
    const double length = grid.point(tip[j + 1])[1] - grid.point(tip[j])[1];
    for (const int i : {tip[j], tip[j + 1]}) run.load(i, 2, 4 * 0.5 * length);
  }
  run.run(20, 2);
  EXPECT_LT(run.fastest(), 1e-3) << kind;
  const Point low = run.at(tip.front()), high = run.at(tip.back());
  U = 10 - 0.5 * (low[0] + high[0]), W = 0.5 * (low[2] + high[2]), twist = std::abs(low[2] - high[2]);
}

TEST(Shell, SHELL_2_CantileverUnderEndShear) {
  for (const std::string& kind : kKinds) {
    double U = 0, W = 0, twist = 0;
    endShear(kind, 40, 4, U, W, twist);
    fmt::print("SHELL-2 end shear {}: U {:.4f} W {:.4f} twist {:.1e}\n", kind, U, W, twist);
    EXPECT_NEAR(U, 3.286, 0.01 * 3.286) << kind;
    EXPECT_NEAR(W, 6.698, 0.01 * 6.698) << kind;
    EXPECT_LT(twist, 0.02) << kind;
  }
}

/// A grid whose ends u = 0 and u = 1 are one.
Grid closed(Grid grid) {
  const int count = static_cast<int>(grid.at.size());
  std::vector<int> to(grid.at.size(), -1);
  Grid result;
  for (int i = 0; i < count; ++i) {
    if (grid.point(i)[0] < 1) to[static_cast<std::size_t>(i)] = result.add(grid.point(i)[0], grid.point(i)[1]);
  }
  for (int i = 0; i < count; ++i) {
    if (grid.point(i)[0] == 1) to[static_cast<std::size_t>(i)] = result.nearest(0, grid.point(i)[1]);
  }
  for (auto t : grid.triangles) {
    for (int& v : t) v = to[static_cast<std::size_t>(v)];
    result.triangles.push_back(t);
  }
  return result;
}

// A strip under an end moment M = 2 pi E I / L becomes a full circle [Sze, Liu and Lo 2004]: L 12, b 1, t 0.1, E 1.2e6.
// The moment is a pair of forces at the last two rows that follow the tip.
TEST(Shell, SHELL_2_StripRollsUpToACircle) {
  for (const std::string& kind : {std::string("parallel"), std::string("random")}) {
    const int n = 40, across = 2;
    Grid grid = gridOf(kind, n, across, 12);
    const int inside = static_cast<int>(grid.at.size());
    addClamps(grid, [](const Uv& p) { return p[0] == 0; });
    Shell shell;
    shell.young = 1.2e6, shell.thickness = 0.1, shell.triangles = grid.triangles;
    shell.option = R"(timestep="0.01" integrator="implicitfast" gravity="0 0 0")";
    std::vector<int> tip;
    for (int i = 0; i < static_cast<int>(grid.at.size()); ++i) {
      const Uv& p = grid.point(i);
      shell.points.push_back({12 * p[0], p[1], 0});
      if (i >= inside || p[0] == 0) shell.pins.push_back(i);
      if (p[0] == 1) tip.push_back(i);
    }
    FlexRun run(shell.option, shell.world());
    // the end slope is what the moment turns: forces across the last row of triangles, on their far and near corners
    const double moment = 2 * kPi * 1.2e6 * 1e-3 / 12 / 12;
    std::vector<std::array<int, 3>> last;  // two at the end, one before it
    for (std::size_t t = 0; t < grid.triangles.size(); ++t) {
      const auto& v = grid.triangles[t];
      const auto atEnd = [&](int i) { return grid.point(i)[0] == 1; };
      for (std::size_t k = 0; k < 3; ++k) {
        if (atEnd(v[k]) && atEnd(v[(k + 1) % 3])) last.push_back({v[k], v[(k + 1) % 3], v[(k + 2) % 3]});
      }
    }
    for (int i = 0; i < 6000; ++i) {
      const double share = std::min(1.0, i / 4000.0);
      for (int k = 0; k < run.m.nv; ++k) run.d.qfrc_applied[k] = -2 * run.m.dof_M0[k] * run.d.qvel[k];
      for (const auto& [a, b, c] : last) {
        const Point A = run.at(a), B = run.at(b), C = run.at(c);
        const double edge = std::abs(grid.point(a)[1] - grid.point(b)[1]);
        std::array<double, 3> u{}, v{};
        for (std::size_t k = 0; k < 3; ++k) u[k] = B[k] - A[k], v[k] = C[k] - A[k];
        std::array<double, 3> normal{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        const double size = std::hypot(normal[0], normal[1], normal[2]), length = std::hypot(u[0], u[1], u[2]);
        const double height = size / length, along = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / (length * length);
        const double force = share * moment * edge / height;
        for (std::size_t k = 0; k < 3; ++k) {
          const double f = force * normal[k] / size;
          const int axis = static_cast<int>(k);
          run.d.qfrc_applied[run.m.nv_rigid + 3 * c + axis] -= f;
          run.d.qfrc_applied[run.m.nv_rigid + 3 * a + axis] += (1 - along) * f;
          run.d.qfrc_applied[run.m.nv_rigid + 3 * b + axis] += along * f;
        }
      }
      step(run.m, run.d);
    }
    const Point end = run.at(tip.front());
    fmt::print("SHELL-2 roll-up {}: tip ({:.4f}, {:.4f})\n", kind, end[0], end[2]);
    EXPECT_LT(std::hypot(end[0], end[2]), 0.01 * 12) << kind;
  }
}

// Cylinder with free ends, pulled apart by two forces of 40000 [Sze, Liu and Lo 2004].
TEST(Shell, SHELL_2_PulledCylinder) {
  const Grid grid = closed(gridOf("alternating", 64, 20));
  Shell shell;
  shell.young = 10.5e6, shell.poisson = 0.3125, shell.thickness = 0.094, shell.triangles = grid.triangles;
  shell.option = R"(timestep="0.001" integrator="implicitfast" gravity="0 0 0")";
  for (const Uv& p : grid.at) {
    shell.points.push_back({4.953 * std::cos(2 * kPi * p[0]), 10.35 * p[1], 4.953 * std::sin(2 * kPi * p[0])});
  }
  FlexRun run(shell.option, shell.world());
  const int top = grid.nearest(0.25, 0.5), bottom = grid.nearest(0.75, 0.5);
  run.load(top, 2, 40000), run.load(bottom, 2, -40000);
  for (int i = 0; i < 600; ++i) {
    run.stepOnce(100);
    if (i > 100 && run.fastest() < 0.05) break;
  }
  const double pulled = 0.5 * (run.at(top)[2] - run.at(bottom)[2]) - 4.953;
  fmt::print("SHELL-2 pulled cylinder: {:.4f}, speed {:.1e}\n", pulled, run.fastest());
  EXPECT_NEAR(pulled, 2.768, 0.01 * 2.768);
}

/// Small deflections of a shell on slides and pins: vertices whose `held` axes cannot move ride on bodies with slides
/// along the others.
struct SlideShell {
  Shell shell;
  std::vector<std::array<bool, 3>> held;

  std::string world(std::string& flex) const {
    std::string bodies, names, elements;
    constexpr const char* kAxes[] = {"1 0 0", "0 1 0", "0 0 1"};
    for (std::size_t i = 0; i < shell.points.size(); ++i) {
      const Point& x = shell.points[i];
      names += fmt::format("b{} ", i);
      std::string joints;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!held[i][k]) joints += fmt::format(R"(<joint type="slide" axis="{}"/>)", kAxes[k]);
      }
      bodies += fmt::format(
          R"(<body name="b{}" pos="{:.17g} {:.17g} {:.17g}">{}<inertial pos="0 0 0" mass="0.01" diaginertia="1 1 1"/></body>)",
          i, x[0], x[1], x[2], joints);
    }
    for (const auto& t : shell.triangles) elements += fmt::format("{} {} {} ", t[0], t[1], t[2]);
    flex = fmt::format(R"(<deformable><flex name="s" dim="2" body="{}" element="{}" radius="0.0001">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <elasticity young="{}" poisson="{}" thickness="{}" elastic2d="both" law="stvk"/></flex></deformable>)",
                       names, elements, shell.young, shell.poisson, shell.thickness);
    return bodies;
  }

  /// Displacements under forces on the vertices.
  std::vector<Point> solve(const std::vector<Point>& force, double size, double accuracy) const {
    std::string flex;
    const std::string bodies = world(flex);
    const Model m = compile(readMjcfText(fmt::format(
        R"(<mujoco><option timestep="100" integrator="implicitfast" gravity="0 0 0"/><worldbody>{}</worldbody>{}</mujoco>)",
        bodies, flex)));
    Data d(m);
    std::vector<int> dof;
    int next = 0;
    for (const auto& axes : held) {
      for (const bool fixed : axes) dof.push_back(fixed ? -1 : next++);
    }
    EXPECT_EQ(next, m.nv_rigid);
    for (std::size_t i = 0; i < dof.size(); ++i) {
      if (dof[i] >= 0) d.qfrc_applied[dof[i]] = force[i / 3][i % 3];
    }
    for (int i = 0; i < 300; ++i) {
      step(m, d);
      double fastest = 0;
      for (int k = 0; k < m.nv; ++k) fastest = std::max(fastest, std::abs(d.qvel[k]));
      if (i > 5 && fastest * m.opt.timestep < accuracy * size) break;
    }
    std::vector<Point> moved(force.size(), Point{});
    for (std::size_t i = 0; i < dof.size(); ++i) {
      if (dof[i] >= 0) moved[i / 3][i % 3] = d.qpos[dof[i]];
    }
    return moved;
  }
};

// Scordelis and Lo's roof: R 25, L 50, 80 degrees, t 0.25, E 4.32e8, nu 0, weight 90 per area, diaphragms at the ends.
double roof(const std::string& kind, int n) {
  const Grid grid = gridOf(kind, n, n);
  SlideShell s;
  s.shell.young = 4.32e8, s.shell.thickness = 0.25, s.shell.triangles = grid.triangles;
  for (const Uv& p : grid.at) {
    const double angle = 40 * kPi / 180 * (2 * p[0] - 1);
    s.shell.points.push_back({25 * std::sin(angle), 50 * p[1], 25 * std::cos(angle)});
    const bool end = p[1] == 0 || p[1] == 1;
    s.held.push_back({end, false, end});
  }
  s.held[static_cast<std::size_t>(grid.nearest(0.5, 0))][1] = true;
  const std::vector<double> area = s.shell.areas(s.shell.triangles.size());
  std::vector<Point> force;
  // a thousandth of the load: small deflections
  for (const double a : area) force.push_back({0, 0, -90e-3 * a});
  const std::vector<Point> moved = s.solve(force, 0.3024e-3, 1e-4);
  return -1e3 * moved[static_cast<std::size_t>(grid.nearest(0, 0.5))][2];
}

TEST(Shell, SHELL_2_ScordelisLoRoof) {
  const double coarse = roof("alternating", 32), fine = roof("alternating", 64);
  fmt::print("SHELL-2 roof: {:.4f} {:.4f}\n", coarse, fine);
  EXPECT_NEAR(fine, 0.3024, 0.02 * 0.3024);
  EXPECT_LT(std::abs(fine - 0.3024), 0.5 * std::abs(coarse - 0.3024));
}

// Hemisphere with a hole of 18 degrees, R 10, t 0.04, E 6.825e7, nu 0.3, pinched by four forces of 2: 0.0935 [MacNeal
// and Harder 1985 give 0.094].
TEST(Shell, SHELL_2_PinchedHemisphere) {
  const Grid grid = closed(gridOf("alternating", 96, 24));
  SlideShell s;
  s.shell.young = 6.825e7, s.shell.poisson = 0.3, s.shell.thickness = 0.04, s.shell.triangles = grid.triangles;
  for (const Uv& p : grid.at) {
    const double u = 2 * kPi * p[0], v = 72 * kPi / 180 * p[1];
    s.shell.points.push_back({10 * std::cos(u) * std::cos(v), 10 * std::sin(u) * std::cos(v), 10 * std::sin(v)});
    s.held.push_back({false, false, false});
  }
  std::vector<Point> force(grid.at.size(), Point{});
  std::array<std::size_t, 4> at{};
  for (std::size_t k = 0; k < 4; ++k) at[k] = static_cast<std::size_t>(grid.nearest(0.25 * static_cast<double>(k), 0));
  force[at[0]][0] = 2e-3, force[at[2]][0] = -2e-3, force[at[1]][1] = -2e-3, force[at[3]][1] = 2e-3;
  // rigid motion only: the loads are in balance
  s.held[at[0]][1] = s.held[at[0]][2] = s.held[at[2]][1] = s.held[at[2]][2] = s.held[at[1]][0] = s.held[at[1]][2] =
      true;
  const std::vector<Point> moved = s.solve(force, 0.094e-3, 1e-4);
  const double out = 0.5e3 * (moved[at[0]][0] - moved[at[2]][0]);
  fmt::print("SHELL-2 hemisphere: {:.5f}\n", out);
  EXPECT_NEAR(out, 0.0935, 0.02 * 0.0935);
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
      const double* f = &force[static_cast<std::size_t>(3 * i)];
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
      EXPECT_NEAR(force[static_cast<std::size_t>(i)], -(above - below) / (2 * h), 1e-6 * largest)
          << stretch << " " << i;
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
  for (int i = 0; i < run.m.nv; ++i)
    run.d.qpos[i] += h * run.d.qvel[i], power += damper[static_cast<std::size_t>(i)] * run.d.qvel[i];
  forward(run.m, run.d);
  EXPECT_LT(power, 0);
  double largest = 0;
  for (const double f : damper) largest = std::max(largest, std::abs(f));
  for (int i = 0; i < run.m.nv; ++i) {
    EXPECT_NEAR(damper[static_cast<std::size_t>(i)], 0.01 * run.d.qfrc_spring[i] / h, 1e-4 * largest) << i;
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
    for (const int v : grid.triangles[static_cast<std::size_t>(e)]) {
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
