#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "validation/study.h"

/// Rigid contacts with Coulomb friction and restitution, solver="Impulse". The direction of motion is at 0.5 rad to the
/// axes: a friction pyramid would be found out.
namespace sinew::validation {
namespace {

constexpr double kGravity = 9.81;

/// Acceleration down a slope of 30 degrees, from velocities a second apart. `size` steps per second.
double slide(const std::string& geom, double friction, double height, int size) {
  const double slope = std::numbers::pi / 6, heading = 0.5, along = kGravity * std::sin(slope);
  const Model m = compile(readMjcfText(fmt::format(
      R"(<mujoco><option timestep="{:.17g}" gravity="{:.17g} {:.17g} {:.17g}" solver="Impulse"/><worldbody>
      <geom type="plane" size="50 50 1" friction="{} 0 0"/><body pos="0 0 {}"><freejoint/>{}</body></worldbody></mujoco>)",
      1.0 / size, along * std::cos(heading), along * std::sin(heading), -kGravity * std::cos(slope), friction, height,
      geom)));
  Data d(m);
  const auto advance = [&](double end) {
    while (d.time < end - 0.5 / size) step(m, d);
    return d.qvel[0] * std::cos(heading) + d.qvel[1] * std::sin(heading);
  };
  const double before = advance(0.3);
  const double after = advance(1.3);
  if (!d.status.ok()) throw std::runtime_error(describeStatus(m, d));
  return after - before;
}

/// Height of the first bounce of a ball dropped from 1 m, over that height.
double bounce(double restitution, int size) {
  const Model m = compile(readMjcfText(fmt::format(
      R"(<mujoco><option timestep="{:.17g}" solver="Impulse"/><worldbody>
      <geom type="plane" size="5 5 1" restitution="{}"/>
      <body pos="0 0 1.1"><freejoint/><geom size=".1" restitution="{}"/></body></worldbody></mujoco>)",
      1.0 / size, restitution, restitution)));
  Data d(m);
  while (d.qvel[2] <= 0 && d.time < 2) step(m, d);
  double highest = 0;
  while (d.qvel[2] > 0 && d.time < 4) {
    step(m, d);
    highest = std::max(highest, d.qpos[2] - 0.1);
  }
  if (!d.status.ok()) throw std::runtime_error(describeStatus(m, d));
  return highest;
}

}  // namespace

void addContactStudies(std::vector<Study>& to) {
  to.push_back({"VALID-8",
                "block on a slope of 30 degrees, mu 0.3, steps per second",
                "Coulomb: g (sin a - mu cos a)",
                {500, 1000},
                {{"acceleration, m/s^2", 2.35629, 0.001}},
                true,
                [](int n) {
                  return std::vector{
                      slide(R"(<geom type="box" size=".2 .2 .1" density="500" friction="1e-5 0 0"/>)", 0.3, 0.1, n)};
                }});
  to.push_back({"VALID-8",
                "ball that rolls down a slope of 30 degrees, steps per second",
                "5/7 g sin a",
                {500, 1000},
                {{"acceleration, m/s^2", 3.50357, 0.001}},
                true,
                [](int n) { return std::vector{slide(R"(<geom size=".1" friction="1 0 0"/>)", 1, 0.1, n)}; }});
  for (const double e : {0.25, 0.5, 0.75, 1.0}) {
    to.push_back({"CONTACT",
                  fmt::format("ball that bounces with e = {:g}, steps per second", e),
                  "e^2 h",
                  {500, 1000},
                  {{"height / h", e * e, 0.01}},
                  e == 0.5,
                  [e](int n) { return std::vector{bounce(e, n)}; }});
  }
}

}  // namespace sinew::validation
