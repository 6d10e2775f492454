#include "scenes/scenes.h"

namespace sinew::scenes {

Scene demo() {
  return {"demo", R"(<mujoco model="demo">
  <option timestep="0.004" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <statistic center="0.1 0 0.25" extent="1.1"/>
  <visual>
    <global azimuth="125" elevation="-18" offwidth="800" offheight="600"/>
    <headlight ambient="0.25 0.25 0.25" diffuse="0.25 0.25 0.25" specular="0.1 0.1 0.1"/>
    <rgba haze="0.80 0.86 0.92 1"/>
    <quality offsamples="8"/>
  </visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.25 0.42 0.62" rgb2="0.92 0.95 0.97" width="256" height="1536"/>
    <texture name="tiles" type="2d" builtin="checker" rgb1="0.82 0.80 0.76" rgb2="0.72 0.70 0.66" width="256" height="256" mark="edge" markrgb="0.6 0.58 0.55"/>
    <texture name="weave" type="2d" builtin="checker" rgb1="0.78 0.16 0.16" rgb2="0.95 0.92 0.86" width="128" height="128"/>
    <material name="floor" texture="tiles" texrepeat="4 4" texuniform="true" reflectance="0.08" specular="0.2"/>
    <material name="metal" rgba="0.30 0.33 0.37 1" specular="0.8" shininess="0.7"/>
    <material name="joint" rgba="0.93 0.58 0.13 1" specular="0.6" shininess="0.6"/>
    <material name="cloth" texture="weave" texrepeat="1 1" specular="0.1" shininess="0.1"/>
    <material name="jelly" rgba="0.15 0.62 0.52 1" specular="0.9" shininess="0.8"/>
    <material name="rope" rgba="0.72 0.55 0.32 1" specular="0.1"/>
    <material name="wood" rgba="0.80 0.62 0.40 1" specular="0.2"/>
    <material name="rubber" rgba="0.20 0.35 0.70 1" specular="0.5" shininess="0.6"/>
  </asset>
  <default>
    <geom friction="0.9 0.01 0.001" solref="0.01 1"/>
    <default class="arm">
      <geom material="metal" contype="0" conaffinity="0"/>
      <joint damping="2" armature="0.05"/>
    </default>
    <default class="finger">
      <geom type="box" size="0.02 0.008 0.065" pos="0 0 -0.065" material="joint" contype="1" conaffinity="1" condim="4" friction="1.5 0.02 0.001"/>
      <joint type="slide" range="0 0.06" damping="8" armature="0.02"/>
    </default>
    <default class="box">
      <geom type="box" size="0.045 0.045 0.045" density="150" material="wood"/>
    </default>
    <default class="bouncy">
      <geom type="sphere" size="0.04" density="300" material="rubber" solref="-25000 -12" priority="1"/>
    </default>
  </default>

  <worldbody>
    <light name="sun" type="directional" pos="0 0 3" dir="0.35 0.45 -0.85" diffuse="0.65 0.63 0.58" specular="0.3 0.3 0.3"/>
    <geom name="floor" type="plane" size="0 0 0.05" material="floor"/>

    <!-- A robot that turns, with a gripper. -->
    <body name="base" pos="-0.35 -0.25 0" childclass="arm">
      <geom type="cylinder" size="0.09 0.03" pos="0 0 0.03"/>
      <body name="turret" pos="0 0 0.06">
        <joint name="yaw" axis="0 0 1"/>
        <geom type="cylinder" size="0.06 0.16" pos="0 0 0.16"/>
        <body name="upper" pos="0 0 0.34" euler="0 -40 0">
          <joint name="shoulder" axis="0 -1 0"/>
          <geom type="cylinder" size="0.055 0.06" euler="90 0 0" material="joint"/>
          <geom type="capsule" fromto="0 0 0 0.36 0 0" size="0.035"/>
          <body name="forearm" pos="0.36 0 0" euler="0 80 0">
            <joint name="elbow" axis="0 -1 0"/>
            <geom type="cylinder" size="0.045 0.05" euler="90 0 0" material="joint"/>
            <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.028"/>
            <body name="hand" pos="0.3 0 0" euler="0 -40 0">
              <joint name="wrist" axis="0 -1 0"/>
              <geom type="cylinder" size="0.036 0.04" euler="90 0 0" material="joint"/>
              <geom type="box" size="0.03 0.09 0.015" pos="0 0 -0.06"/>
              <body name="left" pos="0 0.066 -0.07" childclass="finger"> <joint name="left" axis="0 -1 0"/> <geom/> </body>
              <body name="right" pos="0 -0.066 -0.07" childclass="finger"> <joint name="right" axis="0 1 0"/> <geom/> </body>
            </body>
          </body>
        </body>
      </body>
    </body>

    <!-- What it holds: a soft ball, on a stand at first. -->
    <geom name="stand" type="cylinder" size="0.03 0.1" pos="0.156 -0.25 0.1" material="metal"/>
    <body name="ball" pos="0.156 -0.25 0.256">
      <flexcomp name="ball" type="ellipsoid" dim="3" count="7 7 7" spacing="0.018 0.018 0.018" radius="0.001" mass="0.12" dof="trilinear" material="jelly">
        <elasticity young="4e4" poisson="0.2" damping="0.01"/>
        <contact selfcollide="none" internal="false" condim="4" friction="1.5 0.02 0.001" solref="0.01 1"/>
      </flexcomp>
    </body>

    <!-- A rope from its forearm, and a weight. -->
    <flexcomp name="rope" type="grid" dim="1" count="10 1 1" spacing="0.04 0.04 0.04" pos="-0.06 -0.25 0.41" euler="0 90 0" mass="0.05" radius="0.006" material="rope">
      <edge equality="true" solref="0.01 1"/>
      <contact selfcollide="none"/>
    </flexcomp>
    <body name="weight" pos="-0.06 -0.25 0.19"> <freejoint/> <geom type="sphere" size="0.045" mass="1" material="metal"/> </body>

    <!-- A cloth over a post and a box. -->
    <geom name="post" type="capsule" fromto="0.45 0.28 0 0.45 0.28 0.25" size="0.05" material="metal"/>
    <flexcomp name="cloth" type="grid" dim="2" count="13 13 1" spacing="0.045 0.045 0.045" pos="0.45 0.28 0.4" mass="0.25" radius="0.004" material="cloth">
      <edge equality="true" solref="0.01 1"/>
      <elasticity young="2e4" poisson="0" thickness="0.004" elastic2d="bend"/>
      <contact selfcollide="none" condim="3" solref="0.01 1"/>
    </flexcomp>

    <!-- Things in the way, and things that bounce. -->
    <body pos="-0.15 0.0 0.045" childclass="box"> <freejoint/> <geom/> </body>
    <body pos="-0.15 0.0 0.136" childclass="box"> <freejoint/> <geom/> </body>
    <body pos="-0.15 0.0 0.227" childclass="box"> <freejoint/> <geom/> </body>
    <body pos="0.42 0.25 0.8" childclass="bouncy"> <freejoint/> <geom/> </body>
    <body pos="0.2 0.05 0.9" childclass="bouncy"> <freejoint/> <geom rgba="0.85 0.30 0.25 1"/> </body>
    <body pos="0.25 -0.5 0.7" childclass="bouncy"> <freejoint/> <geom rgba="0.95 0.75 0.20 1"/> </body>
  </worldbody>

  <equality>
    <connect name="tie" body1="rope_0" body2="forearm" anchor="0 0 0" solref="0.01 1"/>
    <connect name="knot" body1="rope_9" body2="weight" anchor="0 0 0" solref="0.01 1"/>
  </equality>
  <actuator>
    <position name="yaw" joint="yaw" kp="300" dampratio="1" timeconst="1.0"/>
    <position name="shoulder" joint="shoulder" kp="400" dampratio="1" timeconst="0.5"/>
    <position name="elbow" joint="elbow" kp="300" dampratio="1" timeconst="0.5"/>
    <position name="wrist" joint="wrist" kp="100" dampratio="1" timeconst="0.5"/>
    <motor name="left" joint="left"/>
    <motor name="right" joint="right"/>
  </actuator>
  <sensor>
    <jointpos name="yaw" joint="yaw"/>
    <flexstress name="ball" flex="ball" element="0"/>
  </sensor>
  <keyframe> <key name="start" ctrl="1.7 0.3 0 -0.3 10 10"/> </keyframe>
</mujoco>
)"};
}

}  // namespace sinew::scenes
