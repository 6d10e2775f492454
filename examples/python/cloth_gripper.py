"""A gripper takes a cloth by a corner and lifts it; where does the cloth feel it most?"""

import sys

import numpy as np

import sinew

model = sinew.Model.from_text("""
<mujoco>
  <option timestep="0.005" integrator="implicitfast"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
    <body name="gripper" mocap="true" pos="-0.2 -0.2 0.06"><geom size="0.02" contype="0" conaffinity="0"/></body>
    <flexcomp name="cloth" type="grid" dim="2" count="9 9 1" spacing="0.05 0.05 0.05" pos="0 0 0.02" mass="0.2" radius="0.005">
      <elasticity young="3e4" poisson="0.2" thickness="0.005" damping="0.01" elastic2d="both"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
</mujoco>""")
data = sinew.Data(model)
cloth = data.flex("cloth")
cloth.attach("gripper", [0])
times, largest = [], []
for _ in range(200):
    data.mocap_pos[0, 2] += 0.0025
    sinew.step(model, data)
    times.append(data.time)
    largest.append(cloth.von_mises.max())
worst = int(np.argmax(cloth.von_mises))
print(f"the corner is {cloth.positions[0, 2]:.2f} m high; element {worst} feels most: {cloth.von_mises[worst]:.0f} Pa")
assert cloth.positions[0, 2] > 0.4 and 0 in cloth.elements[worst]
if len(sys.argv) > 1:  # a picture of the stress over time
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.plot(times, largest)
    plt.xlabel("time, s")
    plt.ylabel("largest von Mises stress, Pa")
    plt.savefig(sys.argv[1])
