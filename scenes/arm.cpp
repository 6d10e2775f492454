#include "scenes/scenes.h"

namespace sinew::scenes {

Scene arm() {
  return {"arm", R"(<mujoco model="arm">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002" integrator="implicitfast">
    <flag constraint="disable" contact="disable"/>
  </option>
  <default>
    <geom contype="0" conaffinity="0" density="1500"/>
    <joint axis="0 0 1" damping="1.5" armature="0.1"/>
    <position kp="2000" kv="150" ctrlrange="-2.5 2.5" forcerange="-150 150"/>
    <default class="wrist">
      <position kp="600" kv="40" forcerange="-40 40"/>
    </default>
    <default class="finger">
      <joint type="slide" axis="0 1 0" range="0 0.04" damping="10" armature="0.1"/>
    </default>
  </default>
  <worldbody>
    <body name="base">
      <geom name="table" type="box" size="0.3 0.3 0.02" pos="0 0 -0.02"/>
      <geom type="cylinder" size="0.07 0.05" pos="0 0 0.05"/>
      <body name="link1" pos="0 0 0.33">
        <joint name="joint1"/>
        <geom type="capsule" fromto="0 0 -0.18 0 0 0" size="0.06"/>
        <body name="link2" quat="1 -1 0 0">
          <joint name="joint2"/>
          <geom type="capsule" fromto="0 -0.16 0 0 0 0" size="0.06"/>
          <body name="link3" pos="0 -0.32 0" quat="1 1 0 0">
            <joint name="joint3"/>
            <geom type="capsule" fromto="0 0 -0.12 0.08 0 0" size="0.055"/>
            <body name="link4" pos="0.08 0 0" quat="1 1 0 0">
              <joint name="joint4"/>
              <geom type="capsule" fromto="0 0 0 -0.08 0.12 0" size="0.055"/>
              <body name="link5" pos="-0.08 0.38 0" quat="1 -1 0 0">
                <joint name="joint5"/>
                <geom type="capsule" fromto="0 0 -0.26 0 0.02 -0.05" size="0.05"/>
                <body name="link6" quat="1 1 0 0">
                  <joint name="joint6"/>
                  <geom type="capsule" fromto="0 0 0 0.08 0 0" size="0.045"/>
                  <body name="link7" pos="0.09 0 0" quat="1 1 0 0">
                    <joint name="joint7"/>
                    <geom type="cylinder" size="0.045 0.03" pos="0 0 0.07"/>
                    <site name="flange" pos="0 0 0.1"/>
                    <body name="hand" pos="0 0 0.1">
                      <geom type="box" size="0.03 0.1 0.03" pos="0 0 0.03"/>
                      <body name="finger_left" pos="0 0 0.06">
                        <joint name="finger_left" class="finger"/>
                        <geom type="box" size="0.01 0.01 0.025" pos="0 0.01 0.025"/>
                      </body>
                      <body name="finger_right" pos="0 0 0.06" quat="0 0 0 1">
                        <joint name="finger_right" class="finger"/>
                        <geom type="box" size="0.01 0.01 0.025" pos="0 0.01 0.025"/>
                      </body>
                    </body>
                  </body>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="grip">
      <joint joint="finger_left" coef="0.5"/>
      <joint joint="finger_right" coef="0.5"/>
    </fixed>
  </tendon>
  <actuator>
    <position name="servo1" joint="joint1"/>
    <position name="servo2" joint="joint2"/>
    <position name="servo3" joint="joint3"/>
    <position name="servo4" joint="joint4"/>
    <position name="servo5" joint="joint5" class="wrist"/>
    <position name="servo6" joint="joint6" class="wrist"/>
    <position name="servo7" joint="joint7" class="wrist"/>
    <general name="gripper" tendon="grip" ctrlrange="0 0.04" gainprm="400" biastype="affine" biasprm="0 -400 -20"/>
  </actuator>
  <sensor>
    <framepos objtype="site" objname="flange"/>
    <framequat objtype="site" objname="flange"/>
    <force site="flange"/>
    <torque site="flange"/>
    <actuatorfrc actuator="servo1"/>
    <tendonpos tendon="grip"/>
  </sensor>
  <keyframe>
    <key name="home" qpos="0 0 0 -1.57 0 1.57 -0.78 0.02 0.02" ctrl="0 0 0 -1.57 0 1.57 -0.78 0.02"/>
  </keyframe>
</mujoco>
)"};
}

}  // namespace sinew::scenes
