#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>

#include "scenes/scenes.h"

namespace sinew::scenes {
namespace {

/// An open bin with a floor, inner half width `half`.
std::string walls(double half) {
  std::string text = "    <geom type=\"plane\" size=\"0 0 1\"/>\n";
  const double thickness = 0.1, height = 0.5;
  for (int side = 0; side < 4; ++side) {
    const double sign = side % 2 == 0 ? 1 : -1;
    const double offset = sign * (half + thickness);
    const double along = half + 2 * thickness;
    const bool x = side < 2;
    fmt::format_to(std::back_inserter(text), "    <geom type=\"box\" pos=\"{} {} {}\" size=\"{} {} {}\"/>\n",
                   x ? offset : 0, x ? 0 : offset, height, x ? thickness : along, x ? along : thickness, height);
  }
  return text;
}

std::string pileDocument(const std::string& name, const char* option, const std::string& assets,
                         const std::string& bodies) {
  return fmt::format(R"(<mujoco model="{}">
  <compiler angle="radian"/>
  <option timestep="0.002"{}/>
  <default><geom density="800" friction="0.6"/></default>
  <asset>
{}  </asset>
  <worldbody>
{}  </worldbody>
</mujoco>
)",
                     name, option, assets, bodies);
}

/// Where body `i` of a pile starts: layers of side x side places above the bin, a little off the grid.
std::string startOf(int i, int side, double spacing, double lowest) {
  const double x = spacing * (i % side - 0.5 * (side - 1)) + 0.02 * std::sin(2.0 + 5 * i);
  const double y = spacing * (i / side % side - 0.5 * (side - 1)) + 0.02 * std::cos(1.0 + 3 * i);
  const double z = lowest + spacing * (i / (side * side));
  return fmt::format("pos=\"{} {} {}\" euler=\"{} {} {}\"", x, y, z, 0.9 * i, 1.7 * i, 0.4 * i);
}

/// Vertices on an ellipsoid, spread evenly by the golden angle: all of them on the hull.
std::string roundStone(int vertices, double a, double b, double c) {
  std::string text;
  for (int k = 0; k < vertices; ++k) {
    const double z = 1 - (2.0 * k + 1) / vertices;
    const double r = std::sqrt(1 - z * z);
    const double angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
    fmt::format_to(std::back_inserter(text), "{:.6f} {:.6f} {:.6f} ", a * r * std::cos(angle), b * r * std::sin(angle),
                   c * z);
  }
  return text;
}

}  // namespace

Scene bin(int count) {
  const std::string name = fmt::format("bin{}", count);
  std::string bodies = walls(0.45);
  for (int i = 0; i < count; ++i) {
    const double s = 0.055 + 0.012 * std::sin(1.0 + 2 * i);
    const std::array<std::string, 5> shapes{fmt::format("type=\"sphere\" size=\"{}\"", 1.2 * s),
                                            fmt::format("type=\"capsule\" size=\"{} {}\"", 0.8 * s, s),
                                            fmt::format("type=\"ellipsoid\" size=\"{} {} {}\"", s, 1.3 * s, 0.9 * s),
                                            fmt::format("type=\"cylinder\" size=\"{} {}\"", s, 0.9 * s),
                                            fmt::format("type=\"box\" size=\"{} {} {}\"", s, 0.8 * s, 1.1 * s)};
    fmt::format_to(std::back_inserter(bodies), "    <body {}><freejoint/><geom {}/></body>\n",
                   startOf(i, 5, 0.17, 0.15), shapes[i % 5]);
  }
  return {name, pileDocument(name, "", "", bodies)};
}

Scene pyramid(int base) {
  const std::string name = fmt::format("pyramid{}", base);
  const double half = 0.1;
  std::string bodies = "    <geom type=\"plane\" size=\"0 0 1\"/>\n";
  for (int row = 0; row < base; ++row) {
    for (int k = 0; k < base - row; ++k) {
      const double x = (2 * half + 0.01) * (k - 0.5 * (base - row - 1));
      fmt::format_to(std::back_inserter(bodies),
                     "    <body pos=\"{} 0 {}\"><freejoint/><geom type=\"box\" size=\"{} {} {}\"/></body>\n", x,
                     half + 2 * half * row, half, half, half);
    }
  }
  // a spring drives a ram into the flank in the second half of the warm-up
  bodies += fmt::format(
      "    <body pos=\"{} 0.03 0.5\"><joint type=\"slide\" axis=\"1 0 0\" stiffness=\"1000\" springref=\"2\" "
      "damping=\"2500\"/>"
      "<geom type=\"sphere\" size=\"0.15\" density=\"3000\"/></body>\n",
      -0.105 * base - 0.35);
  return {name, pileDocument(name, " cone=\"elliptic\"", "", bodies)};
}

Scene rubble(int count) {
  const std::string name = fmt::format("rubble{}", count);
  constexpr int kKinds = 8;
  std::string assets, bodies = walls(0.45);
  for (int k = 0; k < kKinds; ++k) {
    const double s = 0.07 + 0.012 * std::sin(1.0 + 2 * k);
    fmt::format_to(std::back_inserter(assets), "    <mesh name=\"stone{}\" vertex=\"{}\"/>\n", k,
                   roundStone(8 + 32 * k / (kKinds - 1), s, 1.2 * s, 0.8 * s));
  }
  for (int i = 0; i < count; ++i) {
    fmt::format_to(std::back_inserter(bodies),
                   "    <body {}><freejoint/><geom type=\"mesh\" mesh=\"stone{}\"/></body>\n",
                   startOf(i, 4, 0.21, 0.15), i % kKinds);
  }
  return {name, pileDocument(name, "", assets, bodies)};
}

std::vector<Scene> contactScenes() {
  return {humanoidOnFloor(), crowd(22), bin(100), pyramid(10), rubble(60), hands(6)};
}

std::vector<Scene> benchmarkScenes() {
  std::vector<Scene> all = smoothScenes();
  for (Scene& scene : contactScenes()) all.push_back(std::move(scene));
  for (Scene& scene : flexScenes()) all.push_back(std::move(scene));
  return all;
}

}  // namespace sinew::scenes
