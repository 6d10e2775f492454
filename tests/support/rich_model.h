#pragma once

/// One model with a bit of everything that a force can depend on: every joint type, several joints on a body, bodies
/// welded to moving ones, branches, tendons, actuators with and without state, both fluid models, armature.
namespace sinew::test {

inline constexpr const char* kRichModel = R"(<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002" density="20" viscosity="0.3" wind="0.3 -0.2 0.1"><flag energy="enable" contact="disable"/></option>
  <worldbody>
    <site name="anchor" pos="0.2 0.1 1.5"/>
    <body name="base" pos="0 0 1" quat="0.9 0.1 0.3 -0.2">
      <freejoint/><geom type="box" size=".1 .15 .2" pos=".05 .02 -.03"/>
      <body name="arm" pos=".2 .1 0">
        <joint name="shoulder" type="ball" damping=".2 .1" stiffness=".5 .2" armature=".01"/>
        <geom type="capsule" fromto="0 0 0 .3 0 .1" size=".04" fluidshape="ellipsoid"/>
        <body name="welded" pos=".3 0 .1" euler="0 .3 0"><geom type="box" size=".05 .03 .04"/>
          <body name="hand" pos=".1 0 0">
            <joint name="wrist1" axis="0 1 0" damping=".05 .02 .01" pos="0 .01 0" armature=".02"/>
            <joint name="wrist2" axis="1 0 1" stiffness="1" springref=".2" armature=".01"/>
            <joint name="finger" type="slide" axis="1 .2 0" damping=".3"/>
            <geom type="ellipsoid" size=".06 .04 .02" fluidshape="ellipsoid" fluidcoef=".6 .3 1.2 .8 .7"/>
            <site name="tip" pos=".05 .02 .01" euler=".1 .2 .3"/>
          </body>
        </body>
      </body>
      <body name="leg" pos="-.1 0 -.2"><joint name="hip" axis="0 1 .3" damping=".1" armature=".02"/>
        <geom type="cylinder" size=".03 .2" pos="0 .05 -.2"/><site name="foot" pos="0 .1 -.4"/></body>
    </body>
    <body name="ball" pos="1 0 1"><freejoint/><geom type="ellipsoid" size=".1 .2 .15" pos=".03 .02 .01" fluidshape="ellipsoid"/>
      <site name="ballsite" pos=".05 0 0"/></body>
    <body name="cart" pos="0 2 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
      <geom type="box" size=".1 .1 .1"/>
      <body name="pole"><joint name="pivot" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .5" size=".02"/></body></body>
  </worldbody>
  <tendon>
    <spatial name="rope" damping=".5 .2" stiffness="3" springlength=".1"><site site="foot"/><site site="tip"/></spatial>
    <fixed name="mix" damping=".2"><joint joint="wrist1" coef="1.5"/><joint joint="hip" coef="-.7"/></fixed>
  </tendon>
  <actuator>
    <position joint="hip" kp="3" kv=".4"/>
    <general joint="wrist1" gaintype="affine" gainprm="1 .5 -.3" biastype="affine" biasprm=".1 -.2 -.05" gear="2" damping=".1 .3"/>
    <muscle joint="wrist2" lengthrange="-1 1" force="5"/>
    <general tendon="mix" dyntype="filter" dynprm=".1" gaintype="affine" gainprm="2 0 -.4" biastype="affine" biasprm="0 0 -.2" actearly="true"/>
    <general site="tip" refsite="foot" gear="1 .5 0 0 .2 0" gaintype="affine" gainprm="1 0 .2"/>
    <velocity joint="x" kv="2" forcelimited="true" forcerange="-.5 .5"/>
  </actuator>
</mujoco>)";

}  // namespace sinew::test
