#include <fmt/format.h>

#include <array>
#include <string>

#include "scenes/scenes.h"

namespace sinew::scenes {
namespace {

constexpr const char* kHandHead = R"(<mujoco model="{}">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002" solver="PGS" iterations="50"/>
  <default>
    <geom density="1100" friction="0.9"/>
    <joint axis="0 1 0" range="-0.2 1.7" damping="0.02" armature="0.0005" frictionloss="0.002"/>
    <site size="0.002"/>
    <general ctrlrange="0 1"/>
    <default class="phalanx"><geom type="capsule" size="0.009"/></default>
    <default class="pulley"><geom type="cylinder" size="0.007 0.008" contype="0" conaffinity="0" density="0"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
)";

/// Three phalanges that bend towards the palm (+x is up the finger, -z the palm side), a flexor tendon around a pulley
/// at each joint. {0} is the finger's name.
constexpr const char* kFinger = R"(      <body name="{0}_a" pos="{1} {2} 0" euler="0 -1.2 {3}">
        <joint name="{0}_a"/>
        <geom class="phalanx" fromto="0 0 0 0.04 0 0"/>
        <geom name="{0}_pa" class="pulley" fromto="0 -0.008 0 0 0.008 0"/>
        <site name="{0}_s1" pos="0.02 0 -0.008"/>
        <body name="{0}_b" pos="0.045 0 0">
          <joint name="{0}_b"/>
          <geom class="phalanx" fromto="0 0 0 0.03 0 0"/>
          <geom name="{0}_pb" class="pulley" fromto="0 -0.008 0 0 0.008 0"/>
          <site name="{0}_s2" pos="0.015 0 -0.008"/>
          <body name="{0}_c" pos="0.035 0 0">
            <joint name="{0}_c"/>
            <geom class="phalanx" fromto="0 0 0 0.022 0 0"/>
            <geom name="{0}_pc" class="pulley" fromto="0 -0.008 0 0 0.008 0"/>
            <site name="{0}_s3" pos="0.018 0 -0.007"/>
          </body>
        </body>
      </body>
      <site name="{0}_s0" pos="{4} {5} 0.004"/>
)";

constexpr const char* kFingerTendons =
    R"(    <spatial name="{0}_flexor" range="0 0.115" frictionloss="0.02" stiffness="2" springlength="0.09" damping="0.1">
      <site site="{0}_s0"/> <geom geom="{0}_pa"/> <site site="{0}_s1"/> <geom geom="{0}_pb"/> <site site="{0}_s2"/>
      <geom geom="{0}_pc"/> <site site="{0}_s3"/>
    </spatial>
    <fixed name="{0}_middle"> <joint joint="{0}_b" coef="1"/> </fixed>
    <fixed name="{0}_tip"> <joint joint="{0}_c" coef="1"/> </fixed>
)";

}  // namespace

Scene hands(int count) {
  const std::string name = fmt::format("hands{}", count);
  std::string bodies, tendons, equalities, actuators;
  // roots around the palm and the way they face
  struct Root {
    double x, y, turn;
  };
  constexpr std::array<Root, 4> kRoots{
      {{0.035, 0.025, 0}, {0.035, -0.025, 0}, {-0.035, 0.025, 3.14159}, {-0.035, -0.025, 3.14159}}};
  for (int h = 0; h < count; ++h) {
    bodies += fmt::format(
        "    <body name=\"palm{0}\" pos=\"{1} {2} 0.05\">\n      <geom type=\"box\" size=\"0.045 0.04 0.01\" pos=\"0 0 "
        "-0.012\"/>\n",
        h, 0.3 * (h % 3), 0.3 * (h / 3));
    for (std::size_t f = 0; f < kRoots.size(); ++f) {
      const Root& r = kRoots[f];
      const std::string finger = fmt::format("h{}f{}", h, f);
      bodies += fmt::format(fmt::runtime(kFinger), finger, r.x, r.y, r.turn, 0.6 * r.x, r.y);
      tendons += fmt::format(fmt::runtime(kFingerTendons), finger);
      equalities +=
          fmt::format("    <tendon tendon1=\"{0}_tip\" tendon2=\"{0}_middle\" polycoef=\"0 0.7 0 0 0\"/>\n", finger);
      actuators += fmt::format("    <motor tendon=\"{0}_flexor\" gear=\"-6\" ctrllimited=\"true\"/>\n", finger);
    }
    bodies += "    </body>\n";
    bodies += fmt::format(
        "    <body name=\"ball{0}\" pos=\"{1} {2} 0.09\"><freejoint/><geom type=\"sphere\" size=\"0.03\" "
        "condim=\"4\"/></body>\n",
        h, 0.3 * (h % 3) + 0.002, 0.3 * (h / 3) - 0.003);
  }
  return {name, fmt::format(fmt::runtime(kHandHead), name) + bodies + "  </worldbody>\n  <tendon>\n" + tendons +
                    "  </tendon>\n  <equality>\n" + equalities + "  </equality>\n  <actuator>\n" + actuators +
                    "  </actuator>\n</mujoco>\n"};
}

}  // namespace sinew::scenes
