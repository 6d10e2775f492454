#include <fmt/format.h>

#include <cmath>
#include <string>

#include "scenes/scenes.h"

namespace sinew::scenes {
namespace {

enum class Place { Flying, OnFloor };

/// Everything before the first body. On the floor there are contacts and joint limits.
std::string head(const std::string& model, Place place) {
  const bool flying = place == Place::Flying;
  return fmt::format(
      R"(<mujoco model="{}">
  <compiler angle="degree" autolimits="true"/>
  <option timestep="0.002" integrator="Euler">{}</option>
  <default>
    <geom type="capsule" {} density="985"/>
    <joint type="hinge" damping="4" stiffness="12" armature="0.01"{}/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
    <default class="strong"><joint damping="6" stiffness="25" armature="0.015"/></default>
    <default class="light"><joint damping="1" stiffness="3" armature="0.006"/></default>
  </default>
  <worldbody>
)",
      model, flying ? R"(<flag constraint="disable" contact="disable"/>)" : "",
      flying ? R"(contype="0" conaffinity="0")" : R"(friction="0.8")", flying ? "" : R"( range="-80 60")");
}

constexpr const char* kTorso = R"(      <freejoint name="root"/>
      <geom name="chest" fromto="0 -0.08 0.02 0 0.08 0.02" size="0.075"/>
      <geom name="ribs" fromto="-0.01 -0.06 -0.11 -0.01 0.06 -0.11" size="0.065"/>
      <site name="imu" pos="0 0 0.05"/>
      <body name="head" pos="0 0 0.22">
        <geom name="skull" type="sphere" size="0.095"/>
      </body>
      <body name="waist" pos="-0.01 0 -0.24">
        <joint name="waist_z" axis="0 0 1" class="strong"/>
        <joint name="waist_y" axis="0 1 0" class="strong"/>
        <geom name="belly" fromto="0 -0.06 0 0 0.06 0" size="0.063"/>
        <body name="pelvis" pos="0 0 -0.16">
          <joint name="waist_x" axis="1 0 0" class="strong"/>
          <geom name="hips" fromto="-0.02 -0.07 0 -0.02 0.07 0" size="0.088"/>
)";

/// One leg hanging from the pelvis; `y` is +1 on the left, -1 on the right.
std::string leg(const char* side, int y) {
  return fmt::format(R"(          <body name="thigh_{0}" pos="0 {1} -0.05">
            <joint name="hip_x_{0}" axis="{2} 0 0" class="strong"/>
            <joint name="hip_z_{0}" axis="0 0 {2}" class="strong"/>
            <joint name="hip_y_{0}" axis="0 1 0" class="strong"/>
            <geom name="thigh_{0}" fromto="0 0 0 0 {3} -0.36" size="0.058"/>
            <body name="shin_{0}" pos="0 {3} -0.42">
              <joint name="knee_{0}" axis="0 -1 0" pos="0 0 0.02"/>
              <geom name="shin_{0}" fromto="0 0 0 0 0 -0.31" size="0.048"/>
              <body name="foot_{0}" pos="0 0 -0.4">
                <joint name="ankle_y_{0}" axis="0 1 0" pos="0 0 0.07" class="light"/>
                <joint name="ankle_x_{0}" axis="1 0 0.4" pos="0 0 0.07" class="light"/>
                <geom name="sole_{0}" fromto="-0.07 {4} 0 0.13 {5} 0" size="0.026"/>
                <geom name="edge_{0}" fromto="-0.07 {5} 0 0.13 {4} 0" size="0.026"/>
              </body>
            </body>
          </body>
)",
                     side, 0.1 * y, y, -0.01 * y, 0.01 * y, 0.03 * y);
}

/// One arm hanging from the torso.
std::string arm(const char* side, int y) {
  return fmt::format(R"(      <body name="upper_arm_{0}" pos="0 {1} 0.06">
        <joint name="shoulder_a_{0}" axis="2 {2} 1"/>
        <joint name="shoulder_b_{0}" axis="0 {3} 1"/>
        <geom name="upper_arm_{0}" fromto="0 0 0 0.16 {4} -0.16" size="0.038"/>
        <body name="forearm_{0}" pos="0.18 {5} -0.18">
          <joint name="elbow_{0}" axis="0 {3} 1" class="light"/>
          <geom name="forearm_{0}" fromto="0.01 {6} 0.01 0.17 {4} 0.17" size="0.031"/>
          <geom name="hand_{0}" type="sphere" pos="0.19 {5} 0.19" size="0.042"/>
        </body>
      </body>
)",
                     side, 0.17 * y, y, -y, 0.15 * y, 0.17 * y, 0.01 * y);
}

constexpr const char* kActuators =
    R"(    <motor joint="waist_y" gear="60"/> <motor joint="waist_z" gear="60"/> <motor joint="waist_x" gear="60"/>
    <motor joint="hip_x_left" gear="40"/> <motor joint="hip_z_left" gear="40"/> <motor joint="hip_y_left" gear="110"/>
    <motor joint="knee_left" gear="80"/> <motor joint="ankle_y_left" gear="20"/> <motor joint="ankle_x_left" gear="20"/>
    <motor joint="hip_x_right" gear="40"/> <motor joint="hip_z_right" gear="40"/> <motor joint="hip_y_right" gear="110"/>
    <motor joint="knee_right" gear="80"/> <motor joint="ankle_y_right" gear="20"/> <motor joint="ankle_x_right" gear="20"/>
    <motor joint="shoulder_a_left" gear="20"/> <motor joint="shoulder_b_left" gear="20"/> <motor joint="elbow_left" gear="30"/>
    <motor joint="shoulder_a_right" gear="20"/> <motor joint="shoulder_b_right" gear="20"/> <motor joint="elbow_right" gear="30"/>
)";

constexpr const char* kSensors = R"(    <gyro site="imu"/> <accelerometer site="imu"/> <subtreecom body="torso"/>
)";

constexpr const char* kFloor = R"(    <geom name="floor" type="plane" size="0 0 1"/>
)";

std::string person(double x, double y, double z, const std::string& euler) {
  const std::string legs = leg("left", 1) + leg("right", -1);
  const std::string arms = arm("left", 1) + arm("right", -1);
  return fmt::format("    <body name=\"torso\" pos=\"{} {} {}\"{}>\n", x, y, z, euler) + kTorso + legs +
         "        </body>\n      </body>\n" + arms + "    </body>\n";
}

/// Puts `prefix` before every name that a person's elements have or refer to.
std::string prefixed(std::string text, const std::string& prefix) {
  for (const char* attribute : {" name=\"", " joint=\"", " site=\"", " body=\""}) {
    const std::string key = attribute;
    for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      text.insert(at + key.size(), prefix);
    }
  }
  return text;
}

std::string humanoidDocument(const std::string& head, const std::string& bodies, const std::string& actuators,
                             const std::string& sensors) {
  return head + bodies + "  </worldbody>\n  <actuator>\n" + actuators + "  </actuator>\n  <sensor>\n" + sensors +
         "  </sensor>\n</mujoco>\n";
}

}  // namespace

Scene humanoid() {
  return {"humanoid", humanoidDocument(head("humanoid", Place::Flying), person(0, 0, 1.35, ""), kActuators, kSensors)};
}

Scene humanoidOnFloor() {
  return {"humanoidfloor", humanoidDocument(head("humanoidfloor", Place::OnFloor), kFloor + person(0, 0, 1.35, ""),
                                            kActuators, kSensors)};
}

Scene crowd(int count) {
  const std::string name = fmt::format("crowd{}", count);
  std::string bodies = kFloor, actuators, sensors;
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i) {
    const std::string prefix = fmt::format("p{}_", i);
    // near enough to fall over each other, each turned and tilted in its own way
    const std::string euler =
        fmt::format(" euler=\"{} {} {}\"", 12 * std::sin(3.0 * i), 12 * std::cos(2.0 * i), 47 * i % 360);
    bodies += prefixed(person(0.7 * (i % side), 0.7 * (i / side), 1.35 + 0.1 * (i % 3), euler), prefix);
    actuators += prefixed(kActuators, prefix);
    sensors += prefixed(kSensors, prefix);
  }
  return {name, humanoidDocument(head(name, Place::OnFloor), bodies, actuators, sensors)};
}

}  // namespace sinew::scenes
