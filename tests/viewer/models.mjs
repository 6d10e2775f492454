// Small models for the tests of the viewer.

/// A box on three springs, a hinge with a motor, a ball on the floor, keyframes, cameras, a tendon.
export const kParts = `<mujoco model="parts">
  <option timestep="0.002"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 .1" rgba=".8 .8 .8 1"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <camera name="above" pos="0 0 4"/>
    <body name="arm" pos="-.6 0 .6">
      <joint name="hinge" axis="0 1 0" range="-90 90" damping=".05"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" rgba=".3 .5 .9 1"/>
      <site name="tip" pos=".3 0 0"/>
      <body pos=".3 0 0"><joint name="wrist" axis="0 1 0" range="-60 60" damping=".02"/>
        <geom name="hand" type="box" size=".05 .04 .02" group="1"/></body>
    </body>
    <body name="ball" pos=".5 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1" rgba=".9 .4 .2 1"/></body>
    <geom name="hidden" type="box" size=".02 .02 .02" pos="0 1 .5" group="4" contype="0" conaffinity="0"/>
    <site name="post" pos="-.6 0 1"/>
  </worldbody>
  <tendon><spatial name="string"><site site="post"/><site site="tip"/></spatial></tendon>
  <actuator><motor name="motor" joint="hinge" ctrlrange="-1 1" gear="2"/><position name="servo" joint="wrist" ctrlrange="-1 1" kp="1"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="start"/><key name="up" qpos="-1 .2 .5 0 .6 1 0 0 0"/></keyframe>
</mujoco>`;

/// A box of 2 kg held by three springs of 500 N/m; what pulls it shows in its joints.
export const kSpring = `<mujoco model="spring">
  <option timestep="0.002" gravity="0 0 0"/>
  <worldbody>
    <body name="box" pos="0 0 .5">
      <joint name="x" type="slide" axis="1 0 0" stiffness="500" damping="60"/>
      <joint name="y" type="slide" axis="0 1 0" stiffness="500" damping="60"/>
      <joint name="z" type="slide" axis="0 0 1" stiffness="500" damping="60"/>
      <geom name="box" type="box" size=".2 .2 .2" mass="2" rgba=".3 .5 .9 1"/>
    </body>
  </worldbody>
  <sensor><jointpos name="x" joint="x"/><jointpos name="y" joint="y"/><jointpos name="z" joint="z"/></sensor>
</mujoco>`;

/// A sheet that hangs from two corners, with the force that holds it as a sensor.
export const kSheet = `<mujoco model="sheet">
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    <light pos="0 -1 3"/>
    <flexcomp name="sheet" type="grid" dim="2" count="9 9 1" spacing=".06 .06 .06" pos="0 0 .6" euler="90 0 0" radius=".004" mass=".2" rgba=".25 .45 .85 1">
      <contact selfcollide="none"/>
      <elasticity young="2e4" poisson=".2" thickness=".004" damping=".05" elastic2d="both"/>
      <pin id="8 80"/>
    </flexcomp>
  </worldbody>
  <sensor><flexreaction name="held" flex="sheet"/></sensor>
</mujoco>`;

/// Explicit integration of a solid that is much too stiff for it.
export const kStiff = `<mujoco model="stiff">
  <option timestep="0.005" integrator="Euler"/>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <flexcomp name="jelly" type="grid" dim="3" count="4 4 4" spacing=".1 .1 .1" pos=".5 .25 .4" radius=".002" mass=".5">
      <elasticity young="5e6" poisson=".3"/>
    </flexcomp>
  </worldbody>
</mujoco>`;
