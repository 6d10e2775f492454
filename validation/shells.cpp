#include "validation/shells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <random>
#include <stdexcept>

#include "sinew/load.h"
#include "sinew/step.h"

namespace sinew::validation {
namespace {

constexpr double kPi = std::numbers::pi;

void requireRest(const FlexRun& run, double speed) {
  if (!(run.fastest() < speed)) throw std::runtime_error(fmt::format("not at rest: {:.2e} m/s", run.fastest()));
}

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

/// Ends of the edges that belong to one triangle.
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

}  // namespace

Grid gridOf(const std::string& kind, int nu, int nv, double stretch) {
  Grid grid;
  if (kind == "equilateral") {
    const int rows = std::max(2, 2 * static_cast<int>(std::lround(nv / std::sqrt(3.0))));
    std::vector<std::vector<int>> row(static_cast<std::size_t>(rows) + 1);
    for (int j = 0; j <= rows; ++j) {
      const double v = static_cast<double>(j) / rows;
      const bool shifted = (j + rows / 2) % 2 == 1;
      std::vector<int>& points = row[j];
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

int addClamps(Grid& grid, const std::function<bool(const Uv&)>& isClamped) {
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

void settle(FlexRun& run, double size, double accuracy, int most) {
  const double h = run.m.opt.timestep;
  for (int i = 0; i < most; ++i) {
    run.stepOnce(0);
    if (i > 3 && run.fastest() * h < accuracy * size) return;
  }
  throw std::runtime_error(fmt::format("not at rest: {:.2e} of the way per step", run.fastest() * h / size));
}

double plateCoefficient(const std::string& kind, int n, double poisson, bool clamped, const std::string& more) {
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
  const double w = 1e-3 * shell.thickness, q = w * D / (clamped ? kClampedPlate : kSupportedPlate);
  FlexRun run(shell.option, shell.world());
  const std::vector<double> area = shell.areas(own);
  for (int i = 0; i < inside; ++i) {
    if (!run.m.flexnode_pinned[i]) run.load(i, 2, q * area[i]);
  }
  settle(run, w);
  const int centre = grid.nearest(0.5, 0.5);
  return run.at(centre)[2] * D / q;
}

EndShear endShear(const std::string& kind, int n, int across) {
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
  requireRest(run, 1e-3);
  const Point low = run.at(tip.front()), high = run.at(tip.back());
  return {10 - 0.5 * (low[0] + high[0]), 0.5 * (low[2] + high[2]), std::abs(low[2] - high[2])};
}

Grid closed(const Grid& grid) {
  const int count = static_cast<int>(grid.at.size());
  std::vector<int> to(grid.at.size(), -1);
  Grid result;
  for (int i = 0; i < count; ++i) {
    if (grid.point(i)[0] < 1) to[i] = result.add(grid.point(i)[0], grid.point(i)[1]);
  }
  for (int i = 0; i < count; ++i) {
    if (grid.point(i)[0] == 1) to[i] = result.nearest(0, grid.point(i)[1]);
  }
  for (auto t : grid.triangles) {
    for (int& v : t) v = to[v];
    result.triangles.push_back(t);
  }
  return result;
}

double rollUp(const std::string& kind, int n, int across) {
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
  return std::hypot(end[0], end[2]) / 12;
}

double pulledCylinder(const std::string& kind, int around, int along) {
  const Grid grid = closed(gridOf(kind, around, along, 2 * kPi * 4.953 / 10.35));
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
  return 0.5 * (run.at(top)[2] - run.at(bottom)[2]) - 4.953;
}

std::string SlideShell::world(std::string& flex) const {
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

std::vector<Point> SlideShell::solve(const std::vector<Point>& force, double size, double accuracy) const {
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
// R 25, L 50, 80 degrees, t 0.25, E 4.32e8, nu 0, weight 90 per area, diaphragms at the ends.
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
  s.held[grid.nearest(0.5, 0)][1] = true;
  const std::vector<double> area = s.shell.areas(s.shell.triangles.size());
  std::vector<Point> force;
  force.reserve(area.size());
  // a thousandth of the load: small deflections
  for (const double a : area) force.push_back({0, 0, -90e-3 * a});
  const std::vector<Point> moved = s.solve(force, 0.3024e-3, 1e-4);
  return -1e3 * moved[grid.nearest(0, 0.5)][2];
}

double pinchedHemisphere(const std::string& kind, int around, int along) {
  const Grid grid = closed(gridOf(kind, around, along, 360.0 / 72));
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
  return 0.5e3 * (moved[at[0]][0] - moved[at[2]][0]);
}

double pinchedCylinder(const std::string& kind, int around, int along, double finest) {
  const Grid grid = closed(gridOf(kind, around, along, kPi));
  SlideShell s;
  s.shell.young = 3e6, s.shell.poisson = 0.3, s.shell.thickness = 3, s.shell.triangles = grid.triangles;
  // -1 to 1 to itself, odd, with the slope `finest` at 0
  const auto graded = [&](double t) { return t * (finest + (1 - finest) * t * t); };
  for (const Uv& p : grid.at) {
    const double half = p[0] < 0.5 ? 0.25 : 0.75;  // the force of this half
    const double angle = 2 * kPi * (half + 0.25 * graded(4 * (p[0] - half)));
    const double axial = 300 * graded(2 * p[1] - 1);
    s.shell.points.push_back({300 * std::cos(angle), axial, 300 * std::sin(angle)});
    const bool end = p[1] == 0 || p[1] == 1;
    s.held.push_back({end, false, end});
  }
  const auto top = static_cast<std::size_t>(grid.nearest(0.25, 0.5)),
             bottom = static_cast<std::size_t>(grid.nearest(0.75, 0.5));
  s.held[top][1] = true;  // no rigid motion along the axis
  std::vector<Point> force(grid.at.size(), Point{});
  force[top][2] = -1, force[bottom][2] = 1;
  const std::vector<Point> moved = s.solve(force, 1.8248e-5, 1e-4);
  return 0.5 * (moved[bottom][2] - moved[top][2]);
}

}  // namespace sinew::validation
