#include "hard/pile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

#include "collision/collision.h"
#include "kinematics/kinematics.h"
#include "sinew/data.h"
#include "sinew/load.h"

namespace sinew::bench {
namespace {

constexpr double kDensity = 500;
constexpr double kGravity = 9.81;

/// Four walls around a square of half width `half`, `height` high.
std::vector<PileBody> bin(double half, double height) {
  const double thickness = 0.5;
  std::vector<PileBody> walls;
  for (int side = 0; side < 4; ++side) {
    const double offset = (side % 2 == 0 ? 1 : -1) * (half + thickness);
    const bool x = side < 2;
    PileBody wall;
    wall.size = {x ? thickness : half + 2 * thickness, x ? half + 2 * thickness : thickness, height / 2};
    wall.pos = {x ? offset : 0, x ? 0 : offset, height / 2};
    walls.push_back(wall);
  }
  return walls;
}

/// Places for `count` bodies in layers of side x side, `spacing` apart, a little off the grid.
std::array<double, 3> placeOf(int i, int side, double spacing) {
  const double off = 0.1 * spacing;
  return {spacing * (i % side - 0.5 * (side - 1)) + off * std::sin(2.0 + 5 * i),
          spacing * (i / side % side - 0.5 * (side - 1)) + off * std::cos(1.0 + 3 * i),
          spacing * (0.6 + i / (side * side))};
}

int sideOf(int count) { return std::max(2, static_cast<int>(std::lround(std::sqrt(count / 10.0)))); }

std::array<double, 4> turned(int i) {
  const double angle = 0.3 * std::sin(1.0 + 0.9 * i), axis = 1.3 * i;
  return {std::cos(angle / 2), std::sin(angle / 2) * std::cos(axis), std::sin(angle / 2) * std::sin(axis), 0};
}

std::string geomOf(const PileBody& body) {
  return body.isSphere() ? fmt::format("type=\"sphere\" size=\"{}\"", body.size[0])
                         : fmt::format("type=\"box\" size=\"{} {} {}\"", body.size[0], body.size[1], body.size[2]);
}

}  // namespace

Pile boxPyramid(int layers) {
  Pile pile;
  pile.name = fmt::format("pyramid{}", layers);
  const double half = 0.25;
  for (int row = 0; row < layers; ++row) {
    for (int k = 0; k < layers - row; ++k) {
      PileBody box;
      box.size = {half, half, half};
      box.pos = {(2 * half + 0.02) * (k - 0.5 * (layers - row - 1)), 0, half + 2 * half * row};
      box.mass = kDensity * 8 * half * half * half;
      pile.bodies.push_back(box);
    }
  }
  return pile;
}

Pile boxPile(int count) {
  Pile pile;
  pile.name = fmt::format("boxes{}", count);
  const int side = sideOf(count);
  const double spacing = 0.55;
  pile.walls = bin(0.5 * side * spacing + 0.1, 12);
  for (int i = 0; i < count; ++i) {
    const double s = 0.2 + 0.05 * std::sin(1.0 + 2 * i);
    PileBody box;
    box.size = {s, 0.9 * s, 1.1 * s};
    box.pos = placeOf(i, side, spacing);
    box.quat = turned(i);
    box.mass = kDensity * 8 * box.size[0] * box.size[1] * box.size[2];
    pile.bodies.push_back(box);
  }
  return pile;
}

Pile boxStacks(int count) {
  Pile pile;
  pile.name = fmt::format("stacks{}", count);
  constexpr int kHeight = 10;
  const int side = std::max(1, static_cast<int>(std::lround(std::sqrt(count / double{kHeight}))));
  const double half = 0.25;
  for (int i = 0; i < count; ++i) {
    const int stack = i / kHeight;
    PileBody box;
    box.size = {half, half, half};
    box.pos = {4 * half * (stack % side), 4 * half * (stack / side), half + 2 * half * (i % kHeight)};
    box.mass = kDensity * 8 * half * half * half;
    pile.bodies.push_back(box);
  }
  return pile;
}

Pile spherePile(int count) {
  Pile pile;
  pile.name = fmt::format("spheres{}", count);
  const int side = sideOf(count);
  const double spacing = 0.55;
  pile.walls = bin(0.5 * side * spacing + 0.1, 12);
  for (int i = 0; i < count; ++i) {
    PileBody ball;
    ball.size = {0.22 + 0.03 * std::sin(1.0 + 2 * i), 0, 0};
    ball.pos = placeOf(i, side, spacing);
    ball.mass = kDensity * 4 / 3 * 3.14159265358979 * std::pow(ball.size[0], 3);
    pile.bodies.push_back(ball);
  }
  return pile;
}

std::string mjcfOf(const Pile& pile, const std::string& option) {
  std::string text = fmt::format(
      "<mujoco model=\"{}\">\n  <option timestep=\"{}\" gravity=\"0 0 {}\" {}/>\n"
      "  <default><geom friction=\"{} 0 0\"/></default>\n  <worldbody>\n    <geom type=\"plane\" size=\"0 0 1\"/>\n",
      pile.name, pile.timestep, -kGravity, option, pile.friction);
  for (const PileBody& wall : pile.walls) {
    fmt::format_to(std::back_inserter(text), "    <geom {} pos=\"{} {} {}\"/>\n", geomOf(wall), wall.pos[0],
                   wall.pos[1], wall.pos[2]);
  }
  for (const PileBody& body : pile.bodies) {
    fmt::format_to(std::back_inserter(text),
                   "    <body pos=\"{} {} {}\" quat=\"{} {} {} {}\"><freejoint/><geom {} mass=\"{}\"/></body>\n",
                   body.pos[0], body.pos[1], body.pos[2], body.quat[0], body.quat[1], body.quat[2], body.quat[3],
                   geomOf(body), body.mass);
  }
  return text + "  </worldbody>\n</mujoco>\n";
}

Judgement judge(const Pile& pile, const std::vector<BodyState>& states) {
  const Model m = compile(readMjcfText(mjcfOf(pile, ""), pile.name + ".xml"));
  const auto d = std::make_unique<Data>(m);
  Judgement result;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const BodyState& s = states[i];
    const PileBody& body = pile.bodies[i];
    double* q = d->qpos.data() + 7 * i;
    std::copy(s.pos.begin(), s.pos.end(), q);
    std::copy(s.quat.begin(), s.quat.end(), q + 3);
    const auto square = [](const std::array<double, 3>& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
    // the spin about each principal axis
    const double w = s.quat[0], x = s.quat[1], y = s.quat[2], z = s.quat[3];
    const double axes[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (std::size_t k = 0; k < 3; ++k) {
      const double rate = axes[k][0] * s.spin[0] + axes[k][1] * s.spin[1] + axes[k][2] * s.spin[2];
      const double moment = body.isSphere() ? 0.4 * body.mass * body.size[0] * body.size[0]
                                            : body.mass / 3 * (square(body.size) - body.size[k] * body.size[k]);
      result.energy += 0.5 * moment * rate * rate;
    }
    result.energy += body.mass * (0.5 * square(s.velocity) + kGravity * s.pos[2]);
    result.fastest = std::max(result.fastest, std::sqrt(square(s.velocity)));
  }
  kinematics(m, *d);
  comPos(m, *d);
  collide(m, *d);
  for (const Contact& contact : d->contact) {
    if (contact.dist >= 0) continue;
    ++result.contacts;
    result.deepest = std::max(result.deepest, -contact.dist);
    result.mean -= contact.dist;
  }
  if (result.contacts > 0) result.mean /= result.contacts;
  return result;
}

}  // namespace sinew::bench
