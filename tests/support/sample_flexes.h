#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sinew/load.h"
#include "sinew/model.h"

/// Flexes that several tests need.
namespace sinew::test {

/// A strip of cloth folded back over itself along a half circle.
inline std::string foldedStrip(const std::string& contact) {
  std::string points, elements;
  const int nx = 16, ny = 5;
  const double s = 0.015, bend = 0.0095;
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      const double along = s * (i - nx / 2), across = s * j + (i > nx / 2 ? 0.004 : 0);
      const double turn = std::clamp(along / bend, 0.0, M_PI), rest = std::max(0.0, along - bend * M_PI);
      const double x = along < 0 ? along : bend * std::sin(turn) - rest;
      const double z = bend * (1 - std::cos(turn)) + 0.001 * std::sin(3.0 * i + j);
      points += std::to_string(x) + " " + std::to_string(across) + " " + std::to_string(z) + " ";
      if (i + 1 == nx || j + 1 == ny) continue;
      const int a = i * ny + j, b = a + ny, c = b + 1, e = a + 1;
      for (const int v : {a, b, c, a, c, e}) elements += std::to_string(v) + " ";
    }
  }
  return R"(<flexcomp name="s" type="direct" dim="2" radius=".01" mass=".1" point=")" + points + R"(" element=")" +
         elements + R"("><edge equality="true"/><contact )" + contact + "/></flexcomp>";
}

/// A square cloth of side x side points that lies just above a floor, both with friction 0.3, under hard contacts.
inline Model clothOnFloor(int side, const std::string& contact = "") {
  const std::string count = std::to_string(side) + " " + std::to_string(side) + " 1";
  return compile(readMjcfText(
      "<mujoco><option timestep=\"0.004\" integrator=\"implicitfast\" solver=\"Impulse\"/><worldbody>"
      "<geom type=\"plane\" size=\"5 5 .1\" friction=\"0.3 0 0\"/><flexcomp name=\"cloth\" type=\"grid\" dim=\"2\" "
      "count=\"" +
          count +
          "\" spacing=\"0.03 0.03 0.03\" pos=\"0 0 0.0041\" mass=\"0.4\" radius=\"0.004\"><elasticity young=\"2e5\" "
          "poisson=\"0.3\" thickness=\"0.002\" damping=\"0.002\" elastic2d=\"both\"/><contact selfcollide=\"none\" "
          "friction=\"0.3 0 0\" " +
          contact + "/></flexcomp></worldbody></mujoco>",
      "cloth.xml"));
}

/// Twenty segments hanging between two pins one metre apart: FLEX-AC2.
inline std::string hangingCable(const std::string& attributes, const std::string& children) {
  std::string points, elements;
  for (int i = 0; i <= 20; ++i) {
    points += fmt::format("{:.17g} 0 {:.17g} ", -0.5 + 0.05 * i, 1 - 0.016007811 * std::min(i, 20 - i));
    if (i > 0) elements += fmt::format("{} {} ", i - 1, i);
  }
  return fmt::format(R"(<flexcomp name="c" type="direct" dim="1" mass="0.2205" point="{}" element="{}" {}>
    <contact contype="0" conaffinity="0" selfcollide="none"/><pin id="0 20"/>{}</flexcomp>)",
                     points, elements, attributes, children);
}

}  // namespace sinew::test
