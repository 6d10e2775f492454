import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "tests" / "conformance" / "scenes"
sys.path.insert(0, str(pathlib.Path(__file__).parent))

PENDULUM = """
<mujoco model="pendulum">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -2"/>
    <body name="arm" pos="0 0 0">
      <joint name="hinge" axis="0 1 0" damping="0.1"/>
      <geom name="rod" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.02"/>
      <site name="tip" pos="0 0 -0.5"/>
    </body>
  </worldbody>
  <actuator><motor name="motor" joint="hinge" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="up" qpos="3.1"/></keyframe>
</mujoco>"""

CLOTH = """
<mujoco model="cloth">
  <option timestep="0.004" integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="hand" pos="0 0 1.2" gravcomp="1"><freejoint/><geom size="0.03" contype="0" conaffinity="0"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="6 6 1" spacing="0.05 0.05 0.05" pos="0 0 1" mass="0.1" radius="0.005">
      <elasticity young="2e4" poisson="0.2" thickness="0.005" damping="0.01" elastic2d="both"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
</mujoco>"""


@pytest.fixture
def pendulum():
    import sinew

    model = sinew.Model.from_text(PENDULUM)
    return model, sinew.Data(model)


@pytest.fixture
def cloth():
    import sinew

    model = sinew.Model.from_text(CLOTH)
    return model, sinew.Data(model)
