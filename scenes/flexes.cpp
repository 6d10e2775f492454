#include <fmt/format.h>

#include <string>

#include "scenes/scenes.h"

namespace sinew::scenes {
namespace {

std::string flexDocument(const std::string& name, const std::string& option, const std::string& bodies,
                         const std::string& more = {}) {
  return fmt::format(R"(<mujoco model="{}">
  <option {}/>
  <worldbody>
    <geom type="plane" size="0 0 1" friction="0.8"/>
{}  </worldbody>
{}</mujoco>
)",
                     name, option, bodies, more);
}

/// A square sheet of 1 m, `side` points along each edge.
std::string squareSheet(int side, const std::string& more) {
  const double spacing = 1.0 / (side - 1);
  return fmt::format(
      R"(    <flexcomp name="sheet" type="grid" dim="2" count="{0} {0} 1" spacing="{1} {1} 1" pos="0 0 .85" mass="1" radius=".002">
      <contact selfcollide="none"/>{2}
    </flexcomp>
)",
      side, spacing, more);
}

const char* const kNewton = R"(timestep="0.002" solver="Newton" tolerance="1e-6")";
const char* const kBall = R"(    <geom type="sphere" size=".2" pos="0 0 .6"/>
)";

}  // namespace

Scene softPlate() {
  return {"plate", flexDocument("plate", R"(timestep="0.001" solver="CG" tolerance="1e-6")", R"(
    <geom type="cylinder" size=".1 .1" pos="0 0 .1"/>
    <geom type="sphere" size=".07" pos=".15 .1 .15"/>
    <flexcomp name="plate" type="grid" dim="2" count="16 16 1" spacing=".03 .03 .03" pos="0 0 .35" mass="2" radius=".008">
      <edge equality="true" solref=".004 1"/>
      <contact condim="3" solref=".01 1"/>
      <elasticity young="3e4" poisson="0" thickness=".02" elastic2d="bend"/>
    </flexcomp>
)")};
}

Scene softFlag() {
  return {"flag", flexDocument("flag", R"(timestep="0.002" solver="CG" tolerance="1e-6" wind="6 1 0" density="4")", R"(
    <geom type="cylinder" size=".02 1" pos="-.02 0 1" contype="0" conaffinity="0"/>
    <flexcomp name="flag" type="grid" dim="2" count="9 19 1" spacing=".05 .05 .05" pos=".45 0 1.5" euler="0 0 -90" mass=".4"
              radius=".002" inertiabox=".02">
      <edge equality="true" damping=".001"/>
      <contact selfcollide="auto"/>
      <pin gridrange="0 0 0 0"/> <pin gridrange="8 0 8 0"/>
    </flexcomp>
)")};
}

Scene softGripper() {
  std::string fingers;
  for (const int side : {-1, 1}) {
    fingers += fmt::format(R"(
      <body name="finger{0}" pos="{1} 0 0">
        <joint name="slide{0}" type="slide" axis="{2} 0 0" damping="20" range="-.02 .05" limited="true"/>
        <geom type="box" size=".01 .03 .05" pos="{3} 0 0" contype="0" conaffinity="0" density="500"/>
        <flexcomp name="pad{0}" type="grid" dim="3" count="3 6 9" spacing=".01 .012 .012" pos="{4} 0 0" mass=".05" radius=".001">
          <edge equality="true" solref=".01 1"/>
          <contact selfcollide="none" condim="3" friction="1.2"/>
          <pin gridrange="{5} 0 0 {5} 5 8"/>
        </flexcomp>
      </body>)",
                           side < 0 ? "L" : "R", 0.08 * side, -side, 0.02 * side, -0.003 * side, side < 0 ? 0 : 2);
  }
  return {"gripper",
          flexDocument("gripper", R"(timestep="0.002" integrator="implicitfast" cone="elliptic" impratio="10")",
                       fmt::format(R"(
    <body name="palm" pos="0 0 .07">
      <joint name="lift" type="slide" axis="0 0 1" damping="50"/>
      <geom type="box" size=".12 .05 .01" pos="0 0 .08" contype="0" conaffinity="0"/>{}
    </body>
    <body pos="0 0 .06"><freejoint/><geom type="ellipsoid" size=".035 .03 .05" density="300"/></body>
)",
                                   fingers),
                       R"(
  <actuator>
    <position joint="lift" kp="2000" ctrlrange="0 .2"/>
    <motor joint="slideL" ctrlrange="4 12"/> <motor joint="slideR" ctrlrange="4 12"/>
  </actuator>
)")};
}

Scene softDrape() {
  return {"drape",
          flexDocument("drape", R"(timestep="0.002" solver="CG" tolerance="1e-6" integrator="implicitfast")", R"(
    <geom type="sphere" size=".15" pos="0 0 .25"/>
    <geom type="box" size=".1 .1 .1" pos=".28 .1 .1"/>
    <flexcomp name="drape" type="grid" dim="2" count="20 20 1" spacing=".03 .03 .03" pos="0 0 .45" mass=".3" radius=".005">
      <contact selfcollide="none" solref=".01 1"/>
      <elasticity young="2e5" poisson=".2" thickness=".002" elastic2d="both" damping=".001"/>
    </flexcomp>
)")};
}

Scene softJelly() {
  return {"jelly", flexDocument("jelly", R"(timestep="0.001" solver="CG" tolerance="1e-6")", R"(
    <body pos="0 0 .62"><freejoint/><geom type="sphere" size=".06" density="300"/></body>
    <flexcomp name="jelly" type="grid" dim="3" count="8 8 8" spacing=".05 .05 .05" pos="0 0 .3" mass="8" radius=".005">
      <contact selfcollide="none" internal="false"/>
      <elasticity young="2e4" poisson=".3" damping=".0005"/>
    </flexcomp>
)")};
}

Scene softTrampoline() {
  return {"trampoline", flexDocument("trampoline", R"(timestep="0.001" solver="CG" tolerance="1e-6")", R"(
    <body pos=".02 0 1.3"><freejoint/><geom type="box" size=".08 .08 .08" density="400"/></body>
    <body pos="-.2 .1 1.6"><freejoint/><geom type="capsule" size=".05 .1" density="400"/></body>
    <flexcomp name="sheet" type="grid" dim="2" count="16 16 1" spacing=".07 .07 .07" pos="0 0 .8" mass="2" radius=".01">
      <contact selfcollide="none"/>
      <elasticity young="3e5" poisson=".2" thickness=".004" elastic2d="stretch" damping=".0003"/>
      <pin gridrange="0 0 0 15"/> <pin gridrange="15 0 15 15"/> <pin gridrange="1 0 14 0"/> <pin gridrange="1 15 14 15"/>
    </flexcomp>
)")};
}

Scene softHammock() {
  return {"hammock", flexDocument("hammock", R"(timestep="0.002" solver="CG" tolerance="1e-6")", R"(
    <body pos="0 0 1.1"><freejoint/><geom type="capsule" size=".08 .2" euler="0 90 0" density="600"/>
      <body pos=".3 0 0"><joint axis="0 1 0" damping=".2"/><geom type="capsule" size=".05 .12" pos=".15 0 0" euler="0 90 0" density="600"/></body>
      <body pos="-.3 0 0"><joint axis="0 1 0" damping=".2"/><geom type="capsule" size=".05 .12" pos="-.15 0 0" euler="0 90 0" density="600"/></body>
    </body>
    <flexcomp name="net" type="grid" dim="2" count="14 8 1" spacing=".12 .12 .12" pos="0 0 .9" mass="3" radius=".02">
      <edge equality="true" damping=".5" solref=".01 1"/>
      <contact selfcollide="none" condim="3"/>
      <pin gridrange="0 0 0 7"/> <pin gridrange="13 0 13 7"/>
    </flexcomp>
)")};
}

Scene hangingCloth(int side) {
  const std::string more = fmt::format(R"(<edge equality="true"/><pin id="0 {}"/>)", side - 1);
  return {fmt::format("hanging{}", side), flexDocument("hanging", kNewton, squareSheet(side, more))};
}

Scene clothOnBall(int side) {
  return {fmt::format("cloth{}", side),
          flexDocument("cloth", kNewton, kBall + squareSheet(side, R"(<edge equality="true"/>)"))};
}

Scene elasticCloth(int side) {
  const char* const more = R"(<elasticity young="2e5" poisson=".2" thickness=".002" elastic2d="both" damping=".001"/>)";
  return {
      fmt::format("elastic{}", side),
      flexDocument("elastic", kNewton + std::string(R"( integrator="implicitfast")"), kBall + squareSheet(side, more))};
}

Scene solidCube(int side) {
  return {fmt::format("solid{}", side), flexDocument("solid", kNewton,
                                                     fmt::format(R"(
    <flexcomp name="cube" type="grid" dim="3" count="{0} {0} {0}" spacing="{1} {1} {1}" pos="0 0 .505" mass="10" radius=".001">
      <edge equality="true"/><contact selfcollide="none" internal="false"/>
    </flexcomp>
)",
                                                                 side, 1.0 / (side - 1)))};
}

Scene elasticCube(int side) {
  return {fmt::format("elastic_cube{}", side),
          flexDocument("elastic_cube", kNewton + std::string(R"( integrator="implicitfast")"),
                       fmt::format(R"(
    <flexcomp name="cube" type="grid" dim="3" count="{0} {0} {0}" spacing="{1} {1} {1}" pos="0 0 .505" mass="10" radius=".001">
      <elasticity young="1e7" poisson=".3" damping=".001"/><contact selfcollide="none" internal="false"/>
    </flexcomp>
)",
                                   side, 1.0 / (side - 1)))};
}

std::vector<Scene> flexScenes() {
  return {softPlate(), softFlag(), softGripper(), softDrape(), softJelly(), softTrampoline(), softHammock()};
}

}  // namespace sinew::scenes
