#include "validation/twist.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sinew/stages.h"
#include "validation/study.h"

namespace sinew::validation {
namespace {

using std::numbers::pi;
using Vector = Eigen::Vector3d;

/// Nodes of the three points of section i; -1: it is held.
std::array<int, 3> sectionNodes(const Model& m, int i) {
  std::array<int, 3> nodes;
  for (std::size_t k = 0; k < 3; ++k) {
    nodes[k] = m.flexpoint_nodeid[m.flex_pointadr[0] + m.flexsection_point[5 * i + 2 + static_cast<int>(k)]];
  }
  return nodes;
}

Vector vertexAt(const FlexRun& r, int vertex) { return Eigen::Map<const Vector>(&r.d.flexvert_xpos[3 * vertex]); }

/// Turns a section about its segment.
void turnSection(FlexRun& r, int i, double angle) {
  const Vector a = vertexAt(r, r.m.flexsection_point[5 * i]), b = vertexAt(r, r.m.flexsection_point[5 * i + 1]);
  const Eigen::AngleAxisd turn(angle, (b - a).normalized());
  for (const int node : sectionNodes(r.m, i)) {
    Eigen::Map<Vector> x(&r.d.qpos[r.m.nq_rigid + 3 * node]);
    const Vector arm = x - 0.5 * (a + b);
    x = 0.5 * (a + b) + turn * arm;
  }
}

/// Dofs of free nodes.
std::vector<int> freeDofs(const Model& m) {
  std::vector<int> dofs;
  for (int i = 0; i < m.nflexnode; ++i) {
    for (int k = 0; k < 3 && !m.flexnode_pinned[i]; ++k) dofs.push_back(3 * i + k);
  }
  return dofs;
}

/// Lowest eigenvalues of the stiffness of the free nodes, -d(qfrc_spring)/d(qpos), by central differences.
Eigen::VectorXd stiffnessEigenvalues(FlexRun& r, double length) {
  const Model& m = r.m;
  const std::vector<int> dofs = freeDofs(m);
  const auto n = static_cast<Eigen::Index>(dofs.size());
  Eigen::MatrixXd K(n, n);
  std::fill(r.d.qvel.begin(), r.d.qvel.end(), 0.0);
  const auto forces = [&](int dof, double by) {
    double& x = r.d.qpos[m.nq_rigid + dof];
    const double before = x;
    x += by;
    stages::position(m, r.d);
    stages::velocity(m, r.d);
    x = before;
    Eigen::VectorXd f(n);
    for (Eigen::Index i = 0; i < n; ++i) f[i] = r.d.qfrc_spring[m.nv_rigid + dofs[i]];
    return f;
  };
  const double by = 1e-5 * length;
  for (Eigen::Index i = 0; i < n; ++i) {
    const int dof = dofs[i];
    K.col(i) = (forces(dof, -by) - forces(dof, by)) / (2 * by);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(0.5 * (K + K.transpose()), Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

/// Where a parabola through three points (q, value) has its next zero, as sqrt(q): loads count alike in both
/// directions, so that eigenvalues are functions of their square.
double nextZero(const std::array<double, 3>& q, const std::array<double, 3>& value) {
  const double s01 = (value[1] - value[0]) / (q[1] - q[0]), s12 = (value[2] - value[1]) / (q[2] - q[1]);
  const double half = (s12 - s01) / (q[2] - q[0]), slope = s12 + half * (q[2] - q[1]);
  const double root = std::sqrt(slope * slope - 4 * half * value[2]);
  return std::sqrt(q[2] + 2 * value[2] / (-slope + root));
}

void settle(FlexRun& r, double seconds, double drag, double speed) {
  r.run(seconds, drag);
  if (!(r.fastest() < speed)) throw std::runtime_error(fmt::format("not at rest: {:.2e} m/s", r.fastest()));
}

}  // namespace

std::string twistRod(const std::vector<Point>& points, double density, const std::string& elasticity,
                     const std::string& inside, bool closed) {
  std::string place, elements;
  for (std::size_t i = 0; i < points.size(); ++i) {
    place += fmt::format("{:.17g} {:.17g} {:.17g} ", points[i][0], points[i][1], points[i][2]);
    if (i > 0) elements += fmt::format("{} {} ", i - 1, i);
  }
  if (closed) elements += fmt::format("{} 0", points.size() - 1);
  return fmt::format(
      R"(<flexcomp name="r" type="direct" dim="1" point="{}" element="{}" radius=".01" density="{}">
      <contact contype="0" conaffinity="0" selfcollide="none"/><elasticity twist="true" {}/>{}</flexcomp>)",
      place, elements, density, elasticity, inside);
}

Cantilever clampedRod(int n, double turn) {
  const double E = 1e7, r = 0.01;
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) points.push_back({static_cast<double>(i) / n, 0, 0});
  return {twistRod(points, kCantileverMass,
                   fmt::format(R"(young="{}" poisson=".3" section="{}" axis="0 {} {}")", E, r, std::cos(turn),
                               std::sin(turn)),
                   R"(<pin id="0" clamp="true"/>)"),
          n, 1, E * pi * r * r * r * r / 4, 0};
}

std::array<double, 2> heavyClampedRod(int n, double gamma) {
  const Cantilever c = clampedRod(n);
  return settledEnd(c, fmt::format("0 0 {:.17g}", -gamma * c.stiffness / kCantileverMass), [](FlexRun&) {});
}

std::array<double, 3> bend45(int n) {
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) {
    const double s = 0.25 * pi * i / n;
    points.push_back({100 * (1 - std::cos(s)), 100 * std::sin(s), 0});
  }
  FlexRun r(R"(timestep="0.02" integrator="implicitfast" gravity="0 0 0")",
            twistRod(points, 0.1, R"(young="1e7" section="1 1" axis="0 0 1")", R"(<pin id="0" clamp="true"/>)"));
  const Point before = r.at(n);
  r.load(n, 2, 600);
  settle(r, 40, 4, 1e-3);
  const Point after = r.at(n);
  return {after[0] - before[0], after[2] - before[2], after[1] - before[1]};
}

// A closed ring whose material would like to be twisted by `twist` but is not: nothing holds it, so seven motions cost
// nothing (those of a rigid body, and all sections turning alike).
double ringTwist(int n) {
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) points.push_back({std::cos(2 * pi * i / n), std::sin(2 * pi * i / n), 0});
  const double radius = 0.01, area = pi * radius * radius, moment = 0.25 * area * radius * radius;
  const double circumference = 2 * n * std::sin(pi / n);
  constexpr int kFree = 7;
  std::array<double, 3> square{}, value{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double twist = std::array{10.0, 10.4, 10.7}[k];
    FlexRun r(R"(timestep="0.02" integrator="implicitfast" gravity="0 0 0")",
              twistRod(points, 0.1,
                       // nu = 0, so G = E/2 and J = 2 I makes G J = E I
                       fmt::format(R"(young="1e7" section="{0:.17g} {1:.17g} {1:.17g} {2:.17g}" flat="true"
                                   pretwist="{3:.17g}")",
                                   area, moment, 2 * moment, twist / circumference),
                       "", true));
    forward(r.m, r.d);
    for (int i = 0; i < n; ++i) turnSection(r, i, -twist * i / n);
    settle(r, 2, 10, 1e-6);
    square[k] = twist * twist;
    value[k] = stiffnessEigenvalues(r, radius)[kFree];
  }
  return nextZero(square, value);
}

double lateralLoad(int n) {
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) points.push_back({static_cast<double>(i) / n, 0, 0});
  // E I = 1e4 against bending by the load, 1 aside, G J = 1
  FlexRun r(
      R"(timestep="0.002" integrator="implicitfast" gravity="0 0 0")",
      twistRod(points, 1, R"(young="1e6" section="1 1e-6 1e-2 2e-6" axis="0 0 1")", R"(<pin id="0" clamp="true"/>)"));
  std::array<double, 3> square{}, value{};
  double load = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double next = std::array{3.7, 3.85, 3.95}[k];
    r.load(n, 2, next - load);
    load = next;
    settle(r, 1, 100, 1e-7);
    square[k] = load * load;
    value[k] = stiffnessEigenvalues(r, 0.01)[0];
  }
  return nextZero(square, value);
}

// [Bergou et al. 2008], section 7: L = 9.29, E I = 1.345, G J = 0.789, 27 turns, ends 0.3 closer. With M the twisting
// moment, s* = 2 E I/M sqrt((1 + cos phi0)/(1 - cos phi0)).
Helix helix(int n) {
  const double length = 9.29, bend = 1.345, torsion = 0.789, turns = 27;
  std::vector<Point> points;
  for (int i = 0; i <= n; ++i) points.push_back({length * i / n, 0, 0});
  const double E = 1e7, area = 1e-2;
  FlexRun r(R"(timestep="0.01" integrator="implicitfast" gravity="0 0 0")",
            fmt::format(R"(<body name="end" mocap="true" pos="{} 0 0"/>)", length) +
                twistRod(points, 0.01,
                         fmt::format(R"(young="{0}" section="{1} {2:.17g} {2:.17g} {3:.17g}")", E, area, bend / E,
                                     2 * torsion / E),
                         fmt::format(R"(<pin id="0" clamp="true"/><pin id="{}" clamp="true" body="end"/>)", n)));
  forward(r.m, r.d);
  const double twist = 2 * pi * turns;
  for (int i = 0; i < n; ++i) turnSection(r, i, twist * (i + 0.5) / n);
  r.d.mocap_quat[0] = std::cos(0.5 * twist);
  r.d.mocap_quat[1] = std::sin(0.5 * twist);
  // a small bump in the middle, along the wave that the moment prefers
  const double wave = torsion * twist / length / (2 * bend);
  for (int i = 1; i < n; ++i) {
    const double s = points[i][0] - 0.5 * length, size = 0.02 / std::cosh(s);
    r.d.qpos[r.m.nq_rigid + 3 * i + 1] += size * std::cos(wave * s);
    r.d.qpos[r.m.nq_rigid + 3 * i + 2] += size * std::sin(wave * s);
  }
  constexpr int kSteps = 600;
  for (int i = 1; i <= kSteps; ++i) {
    r.d.mocap_pos[0] = length - 0.3 * i / kSteps;
    r.stepOnce(2);
  }
  settle(r, 20, 2, 1e-3);
  forward(r.m, r.d);

  double moment = 0;
  for (int i = 0; i < r.m.nflexjoint; ++i) {
    moment += std::abs(r.m.flexjoint_stiffness[3 * i] * r.d.flexjoint_turn[3 * i]) / r.m.nflexjoint;
  }
  // the middle of the rod is between two segments: a parabola in s^2 through the four next to it
  std::vector<double> cosine;
  cosine.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) cosine.push_back((vertexAt(r, i + 1) - vertexAt(r, i)).normalized().x());
  const auto mean = [&](int k) { return 0.5 * (cosine[n / 2 + k] + cosine[n / 2 - 1 - k]); };
  const double least = (9 * mean(0) - mean(1)) / 8;
  const double star = 2 * bend / moment * std::sqrt((1 + least) / (1 - least));
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double s = length * ((i + 0.5) / n - 0.5);
    const double f = (cosine[i] - least) / (1 - least);
    worst = std::max(worst, std::abs(f - std::pow(std::tanh(s / star), 2)));
  }
  const double stretched = r.d.flexedge_length[0] / r.m.flexedge_length0[0] - 1;
  return {std::acos(least), worst, E * area * stretched * 2 * bend * (1 + least) / (moment * moment)};
}

void addTwistStudies(std::vector<Study>& to) {
  for (const Elastica& e : kElastica) {
    to.push_back({"ROD-2",
                  fmt::format("clamped rod with twist, force across its end, P L^2 / EI = {:g}", e.load),
                  "Bisshopp and Drucker 1945",
                  {10, 20, 40},
                  {{"drop / L", e.drop, 0.001}, {"shortening / L", e.shortening, 0.001}},
                  e.load == 4,
                  [load = e.load](int n) {
                    const auto [shortening, drop] = elastica(clampedRod(n), load);
                    return std::vector{drop, shortening};
                  }});
  }
  for (const HeavyRod& e : kHeavyRod) {
    to.push_back({"ROD-2",
                  fmt::format("clamped rod with twist under its own weight, w L^3 / EI = {:g}", e.gamma),
                  "closed form, integrated to 1e-5",
                  {20, 40, 80},
                  {{"drop / L", e.drop, 0.002}, {"x / L", e.x, 0.002}},
                  false,
                  [gamma = e.gamma](int n) {
                    const auto [x, drop] = heavyClampedRod(n, gamma);
                    return std::vector{drop, x};
                  }});
  }
  to.push_back({"ROD-2",
                "bend of 45 degrees, force across its plane",
                "spectral solution; Bathe and Bolourchi 1979",
                {8, 16, 32},
                {{"u", kBend45[0], 0.01}, {"w", kBend45[1], 0.01}, {"v", kBend45[2], 0.01}},
                true,
                [](int n) {
                  const auto [u, w, v] = bend45(n);
                  return std::vector{u, w, v};
                }});
  to.push_back({"ROD-2",
                "twist at which a ring leaves its plane, EI = GJ",
                "Michell 1890: 2 pi sqrt(3)",
                {10, 20, 40},
                {{"angle, rad", kRingTwist, 0.05 / kRingTwist}},
                false,
                [](int n) { return std::vector{ringTwist(n)}; }});
  to.push_back({"ROD-2",
                "lateral buckling of a cantilever strip",
                "Timoshenko and Gere 1961",
                {5, 10, 20},
                {{"P L^2 / sqrt(EI GJ)", kLateralLoad, 0.01}},
                true,
                [](int n) { return std::vector{lateralLoad(n)}; }});
  to.push_back({"ROD-2",
                "helical buckling: envelope less tanh^2",
                "Bergou et al. 2008; van der Heijden and Thompson 2000",
                {64, 128},
                {{"largest deviation", 0, 0.03}},
                false,
                [](int n) { return std::vector{helix(n).deviation}; }});
}

}  // namespace sinew::validation
