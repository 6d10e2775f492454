#include "scenes/scenes.h"

namespace sinew::scenes {

Scene demo() {
  return {"demo", R"(<mujoco model="demo">
  <compiler angle="degree" autolimits="false"/>
  <option timestep="0.002" integrator="RK4"/>
  <default>
    <geom contype="0" conaffinity="0"/>
    <default class="link">
      <geom type="capsule" fromto="0 0 0 0 0 -0.18" size="0.015" rgba="0.8 0.6 0.3 1"/>
    </default>
    <default class="bone">
      <geom type="capsule" size="0.025" density="800" rgba="0.9 0.85 0.7 1"/>
      <joint type="hinge" axis="0 1 0" damping="0.05" armature="0.002"/>
    </default>
    <default class="top">
      <geom type="box" size="0.12 0.06 0.02" density="600" rgba="0.3 0.6 0.9 1"/>
    </default>
  </default>

  <worldbody>
    <!-- A passive chain, pulled aside: its energy stays what it is. -->
    <body name="chain1" pos="0 0 2" euler="0 75 0" childclass="link">
      <joint name="chain1" type="ball"/> <geom/>
      <body name="chain2" pos="0 0 -0.2">
        <joint name="chain2" axis="0 1 0"/> <geom/>
        <body name="chain3" pos="0 0 -0.2">
          <joint name="chain3" axis="1 0 0"/> <geom/>
          <body name="chain4" pos="0 0 -0.2">
            <joint name="chain4" axis="0 1 0"/> <geom/>
            <body name="chain5" pos="0 0 -0.2">
              <joint name="chain5" axis="1 0 0"/> <geom/>
              <geom name="bob" class="main" type="sphere" pos="0 0 -0.2" size="0.05"/>
            </body>
          </body>
        </body>
      </body>
    </body>

    <!-- An arm of two bones, bent by a muscle around a pulley at the elbow and stretched by a spring. -->
    <geom name="post" type="cylinder" size="0.04 0.5" pos="1 0 0.9"/>
    <site name="biceps_origin" pos="1.05 0 1.25"/>
    <site name="triceps_origin" pos="0.95 0 1.25"/>
    <body name="upper_arm" pos="1 0 1.4" childclass="bone">
      <joint name="shoulder" stiffness="4" springref="-20"/>
      <geom fromto="0 0 0 0.3 0 0"/>
      <body name="forearm" pos="0.3 0 0">
        <joint name="elbow" stiffness="1"/>
        <geom fromto="0 0 0 0.28 0 0" size="0.02"/>
        <geom name="elbow" type="cylinder" fromto="0 -0.02 0 0 0.02 0" size="0.035"/>
        <site name="above_elbow" pos="0 0 0.06"/>
        <site name="biceps_insertion" pos="0.08 0 0.02"/>
        <site name="hand" pos="0.28 0 0"/>
      </body>
      <site name="shoulder_guide" pos="0.04 0 0.04"/>
    </body>

    <!-- Three bricks that turn about their middle axes, which is unstable: they tumble over again and again. -->
    <body name="brick1" pos="-1 0 1.5" childclass="top" gravcomp="1"> <freejoint name="brick1"/> <geom/> </body>
    <body name="brick2" pos="-1.5 0 1.5" childclass="top" gravcomp="1"> <freejoint name="brick2"/> <geom/> </body>
    <body name="brick3" pos="-2 0 1.5" childclass="top" gravcomp="1"> <freejoint name="brick3"/> <geom/> </body>
  </worldbody>

  <tendon>
    <spatial name="biceps" width="0.01">
      <site site="biceps_origin"/>
      <site site="shoulder_guide"/>
      <geom geom="elbow" sidesite="above_elbow"/>
      <site site="biceps_insertion"/>
    </spatial>
    <spatial name="strap" stiffness="20" damping="0.5" springlength="0.15">
      <site site="triceps_origin"/>
      <site site="shoulder_guide"/>
    </spatial>
  </tendon>
  <actuator>
    <muscle name="biceps" tendon="biceps" ctrllimited="true" ctrlrange="0 1" lengthrange="0.35 0.6" force="120"/>
    <motor name="shoulder" joint="shoulder" gear="6" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <sensor>
    <framepos name="hand" objtype="site" objname="hand"/>
    <tendonpos name="biceps_length" tendon="biceps"/>
    <actuatorfrc name="biceps_force" actuator="biceps"/>
    <ballangvel name="chain" joint="chain1"/>
    <clock name="clock"/>
  </sensor>
  <keyframe>
    <key name="start" qvel="0 0 3  0 0 0 0  0 0  0 0 0 0.01 6 0  0 0 0 0 6 0.02  0 0 0 0.05 8 0"/>
  </keyframe>
</mujoco>
)"};
}

}  // namespace sinew::scenes
