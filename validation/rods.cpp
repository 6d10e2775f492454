#include "validation/rods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "validation/study.h"

namespace sinew::validation {
namespace {

/// Position of the end of the cantilever.
Point endOf(const FlexRun& r, const Cantilever& c) {
  Point mean{};
  for (int i = 0; i < c.across; ++i) {
    for (std::size_t k = 0; k < 3; ++k) mean[k] += r.at(c.tip + i)[k] / c.across;
  }
  return mean;
}

}  // namespace

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
              points, elements, r, E, kCantileverMass),
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
              n + 2, a, b, b, kCantileverMass * a * (n + 2), 0.5 * a * (n + 1), E, t, bending),
          2 * (n + 1), 2, E * t * t * t / 12 * b, a};
}

std::array<double, 2> settledEnd(const Cantilever& c, const std::string& gravity,
                                 const std::function<void(FlexRun&)>& apply) {
  FlexRun r(fmt::format(R"(timestep="0.01" integrator="implicitfast" gravity="{}")", gravity), c.world);
  apply(r);
  r.run(60, 4, [] {});
  if (!(r.fastest() < 1e-4)) throw std::runtime_error(fmt::format("not at rest: {:.2e} m/s", r.fastest()));
  const Point end = endOf(r, c);
  return {end[0] - c.root(), -end[2]};
}

std::array<double, 2> elastica(const Cantilever& c, double load) {
  const auto [x, drop] = settledEnd(c, "0 0 0", [&](FlexRun& r) {
    for (int i = 0; i < c.across; ++i) r.load(c.tip + i, 2, -load * c.stiffness / c.across);
  });
  return {1 - x, drop};
}

std::array<double, 2> heavyRod(int n, double gamma) {
  const Cantilever c = rod(n);
  return settledEnd(c, fmt::format("0 0 {:.17g}", -gamma * c.stiffness / kCantileverMass), [](FlexRun&) {});
}

double frequencyRatio(double beta, int n, double timestep) {
  // shape of the mode: cosh - cos - sigma (sinh - sin)
  const double sigma = (std::cosh(beta) + std::cos(beta)) / (std::sinh(beta) + std::sin(beta));
  const Cantilever c = rod(n);
  const double exact = beta * beta / (2 * std::numbers::pi) * std::sqrt(c.stiffness / kCantileverMass);
  FlexRun r(fmt::format(R"(timestep="{}" gravity="0 0 0")", timestep), c.world);
  for (int i = 2; i <= n + 1; ++i) {
    const double x = beta * (c.a * i - c.root());
    r.d.qpos[3 * i + 2] = 1e-4 * (std::cosh(x) - std::cos(x) - sigma * (std::sinh(x) - std::sin(x)));
  }
  std::vector<double> crossings;
  double before = r.at(c.tip)[2];
  r.run(10 / exact, 0, [&] {
    const double now = r.at(c.tip)[2];
    if ((before > 0) != (now > 0)) crossings.push_back(r.d.time - r.m.opt.timestep * now / (now - before));
    before = now;
  });
  if (crossings.size() < 16) throw std::runtime_error("fewer than sixteen zero crossings in ten periods");
  const double period = 2 * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  return 1 / period / exact;
}

double catenarySag(double length, int segments) {
  // a V whose edges have their rest length
  const double depth = std::sqrt(length * length - 1) / 2;
  std::string points, elements;
  for (int i = 0; i <= segments; ++i) {
    const double s = static_cast<double>(i) / segments;
    points += fmt::format("{:.17g} 0 {:.17g} ", s - 0.5, 1 - 2 * depth * std::min(s, 1 - s));
    if (i < segments) elements += fmt::format("{} {} ", i, i + 1);
  }
  const Model m = compile(readMjcfText(fmt::format(
      R"(<mujoco><option timestep=".001"/><worldbody>
      <flexcomp name="c" type="direct" dim="1" radius=".001" mass="1" point="{}" element="{}">
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <edge equality="true" solref=".002 1" solimp=".9999 .9999 .001 .5 2"/><pin id="0 {}"/></flexcomp>
      </worldbody></mujoco>)",
      points, elements, segments)));
  Data d(m);
  for (int i = 0; i < 4000; ++i) {
    for (int k = 0; k < m.nv; ++k) d.qfrc_applied[k] = -4 * d.qvel[k] / segments;
    step(m, d);
  }
  double lowest = 1;
  for (int n = 0; n < m.nflexnode; ++n) lowest = std::min(lowest, d.qpos[3 * n + 2]);
  return 1 - lowest;
}

void addRodStudies(std::vector<Study>& to) {
  const std::string elasticaSource = "Bisshopp and Drucker 1945";
  for (const Elastica& e : kElastica) {
    to.push_back({"VALID-1",
                  fmt::format("cantilever rod, force across its end, P L^2 / EI = {:g}", e.load),
                  elasticaSource,
                  {10, 20, 40},
                  {{"drop / L", e.drop, 0.001}, {"shortening / L", e.shortening, 0.001}},
                  e.load == 4,
                  [load = e.load](int n) {
                    const auto [shortening, drop] = elastica(rod(n), load);
                    return std::vector{drop, shortening};
                  }});
  }
  for (const HeavyRod& e : kHeavyRod) {
    to.push_back({"VALID-2",
                  fmt::format("cantilever rod under its own weight, w L^3 / EI = {:g}", e.gamma),
                  "closed form, integrated to 1e-5",
                  {20, 40, 80},
                  {{"drop / L", e.drop, 0.002}, {"x / L", e.x, 0.002}},
                  e.gamma == 10,
                  [gamma = e.gamma](int n) {
                    const auto [x, drop] = heavyRod(n, gamma);
                    return std::vector{drop, x};
                  }});
  }
  to.push_back({"VALID-7",
                "cantilever rod, first frequency",
                "Euler and Bernoulli",
                {5, 10, 20},
                {{"f / f1", 1, 0.001}},
                true,
                [](int n) { return std::vector{frequencyRatio(1.87510, n, 2e-4)}; }});
  to.push_back({"VALID-7",
                "cantilever rod, second frequency",
                "Euler and Bernoulli",
                {10, 20, 40},
                {{"f / f2", 1, 0.002}},
                false,
                [](int n) { return std::vector{frequencyRatio(4.69409, n, 1e-4)}; }});
  for (const Catenary& e : kCatenary) {
    to.push_back({"VALID-3",
                  fmt::format("rope that does not stretch, length {:g} between points at 1", e.length),
                  "catenary",
                  {10, 20, 40},
                  {{"sag", e.sag, 0.005}},
                  false,
                  [length = e.length](int n) { return std::vector{catenarySag(length, n)}; }});
  }
}

}  // namespace sinew::validation
