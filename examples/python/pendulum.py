"""A pendulum in ten lines: how long is a swing?"""

import sinew

model = sinew.Model.from_text("""<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/>
  <geom type="sphere" size="0.01" pos="0 0 -1" mass="1"/></body></worldbody></mujoco>""")
data = sinew.Data(model)
data.joint("hinge").qpos = 0.1
while data.joint("hinge").qpos > 0:
    sinew.step(model, data)
print(f"a quarter of a swing takes {data.time:.3f} s; theory: {3.14159 / 2 / 9.81**0.5:.3f} s")
