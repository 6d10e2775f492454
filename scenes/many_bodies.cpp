#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>

#include "scenes/scenes.h"

namespace sinew::scenes {
namespace {

constexpr const char* kHead = R"(<mujoco model="{}">
  <compiler angle="radian"/>
  <option timestep="0.002">
    <flag constraint="disable" contact="disable"/>
  </option>
  <default>
    <geom contype="0" conaffinity="0"/>
    <joint damping="0.02" armature="0.001"/>
  </default>
  <worldbody>
)";

/// A pendulum of `links` rods whose bodies and joints are named <prefix>0, <prefix>1, ...
std::string pendulum(const std::string& prefix, int links, double x, double y) {
  std::string text;
  for (int i = 0; i < links; ++i) {
    const std::string pos = i == 0 ? fmt::format("{} {} 3", x, y) : "0 0 -0.22";
    const char* axis = i % 2 == 0 ? "1 0 0" : "0 1 0";
    fmt::format_to(std::back_inserter(text),
                   "<body name=\"{0}{1}\" pos=\"{2}\" euler=\"{4} {4} 0\"><joint name=\"{0}{1}\" axis=\"{3}\"/>"
                   "<geom type=\"capsule\" fromto=\"0 0 0 0 0 -0.2\" size=\"0.02\"/>\n",
                   prefix, i, pos, axis, 0.2 * std::sin(1.0 + i));
  }
  for (int i = 0; i < links; ++i) text += "</body>";
  return text + "\n";
}

}  // namespace

Scene chain(int links) {
  const std::string name = fmt::format("chain{}", links);
  return {name, fmt::format(fmt::runtime(kHead), name) + pendulum("link", links, 0, 0) + "</worldbody></mujoco>\n"};
}

Scene forest(int trees, int links) {
  const std::string name = fmt::format("forest{}x{}", trees, links);
  std::string text = fmt::format(fmt::runtime(kHead), name);
  const int side = static_cast<int>(std::ceil(std::sqrt(trees)));
  for (int t = 0; t < trees; ++t) text += pendulum(fmt::format("t{}_", t), links, t % side, t / side);
  return {name, text + "</worldbody></mujoco>\n"};
}

Scene swarm(int count) {
  const std::string name = fmt::format("swarm{}", count);
  std::string text = fmt::format(fmt::runtime(kHead), name);
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  for (int i = 0; i < count; ++i) {
    const double size = 0.1 + 0.02 * std::sin(1.0 + i);
    fmt::format_to(std::back_inserter(text),
                   "<body name=\"box{0}\" pos=\"{1} {2} {3}\" euler=\"{4} {5} 0\"><freejoint/>"
                   "<geom type=\"box\" size=\"{6} {7} 0.05\"/></body>\n",
                   i, i % side, i / side % side, 1 + i / (side * side), 0.3 * i, 0.7 * i, size, 1.5 * size);
  }
  return {name, text + "</worldbody></mujoco>\n"};
}

std::vector<Scene> smoothScenes() { return {humanoid(), arm(), chain(100), forest(10, 10), swarm(100)}; }

}  // namespace sinew::scenes
