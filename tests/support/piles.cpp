#include "support/piles.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace sinew::test {
namespace {

std::string scene(const std::string& option, const std::string& bodies, const std::string& relations = "") {
  return fmt::format(R"(<mujoco><option {}/>
    <asset><mesh name="wedge" vertex="0 0 0  .2 0 0  0 .2 0  0 0 .15  .2 .1 .1"/></asset>
    <worldbody><geom type="plane" size="50 50 1"/>{}</worldbody>{}</mujoco>)",
                     option, bodies, relations);
}

std::string stack(double x, double y, int height) {
  std::string text;
  for (int k = 0; k < height; ++k) {
    fmt::format_to(std::back_inserter(text),
                   R"(<body pos="{} {} {}"><freejoint/><geom type="box" size=".1 .1 .1" condim="{}"/></body>)",
                   x + 0.01 * k, y, 0.1 + 0.2 * k, k % 2 ? 3 : 4);
  }
  return text;
}

/// Torso on a free joint with four limbs of two links each.
std::string figure(int number, double x, double y) {
  std::string text =
      fmt::format(R"(<body pos="{} {} 0.45" euler="{} {} 0"><freejoint/><geom type="capsule" size=".08 .15"/>)", x, y,
                  20 * std::sin(1.0 + number), 15 * std::cos(number));
  for (int limb = 0; limb < 4; ++limb) {
    const double dx = limb % 2 ? 0.1 : -0.1, dz = limb / 2 ? 0.15 : -0.15;
    fmt::format_to(std::back_inserter(text),
                   R"(<body pos="{0} 0 {1}"><joint axis="0 1 0" range="-60 60" damping=".1"/>
                      <geom type="capsule" fromto="0 0 0 {2} 0 -.15" size=".03"/>
                      <body pos="{2} 0 -.15"><joint axis="1 0 0" range="-90 5" frictionloss=".05"/>
                      <geom type="capsule" fromto="0 0 0 0 0 -.15" size=".03" condim="6"/></body></body>)",
                   dx, dz, 0.5 * dx);
  }
  return text + "</body>";
}

}  // namespace

std::string pit(int count, const std::string& option) {
  std::string bodies = R"(<geom type="box" pos="1 0 .5" size=".1 1 .5"/><geom type="box" pos="-1 0 .5" size=".1 1 .5"/>
                          <geom type="box" pos="0 1 .5" size="1 .1 .5"/><geom type="box" pos="0 -1 .5" size="1 .1 .5"/>)";
  constexpr const char* kShapes[] = {R"(type="box" size=".1 .08 .06")",
                                     R"(size=".1")",
                                     R"(type="capsule" size=".06 .08" condim="4")",
                                     R"(type="cylinder" size=".08 .06" condim="6")",
                                     R"(type="ellipsoid" size=".1 .07 .05" condim="1")",
                                     R"(type="mesh" mesh="wedge")"};
  for (int i = 0; i < count; ++i) {
    fmt::format_to(std::back_inserter(bodies), R"(<body pos="{} {} {}" euler="{} {} 0"><freejoint/><geom {}/></body>)",
                   0.35 * (i % 5) - 0.7, 0.35 * (i / 5 % 5) - 0.7, 0.15 + 0.25 * (i / 25), 30.0 * (i % 7),
                   50.0 * (i % 3), kShapes[i % 6]);
  }
  return scene(option, bodies);
}

std::string stacks(int stacks, int height, const std::string& option) {
  std::string bodies;
  for (int i = 0; i < stacks; ++i) bodies += stack(i % 8, i / 8, height);
  return scene(option, bodies);
}

std::string crowd(int figures, const std::string& option) {
  std::string bodies;
  for (int i = 0; i < figures; ++i) bodies += figure(i, 0.8 * (i % 6), 0.8 * (i / 6));
  bodies += stack(-2, 0, 10) + stack(-3, 0, 4);
  for (int i = 0; i < 6; ++i) {
    bodies += fmt::format(R"(<body pos="{} -2 .1"><freejoint/><geom size=".1" condim="6"/></body>)", 0.5 * i);
  }
  bodies += R"(<body pos="-5 0 2"><joint name="a" axis="0 1 0" range="-30 30" frictionloss=".2"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><body pos=".4 0 0"><joint name="b" type="ball" range="0 40"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><body pos=".4 0 0"><joint name="c" axis="0 1 0"/>
    <geom name="tip" type="capsule" fromto="0 0 0 .4 0 0" size=".03"/></body></body></body>)";
  return scene(option, bodies, R"(<equality><joint joint1="c" joint2="a" polycoef="0 .5 0 0 0"/></equality>)");
}

}  // namespace sinew::test
