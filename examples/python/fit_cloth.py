"""Which damping does a cloth have? Many runs at once find the one whose motion was observed."""

import numpy as np

import sinew

XML = """
<mujoco>
  <option timestep="0.005" integrator="implicitfast"/>
  <worldbody>
    <flexcomp name="strip" type="grid" dim="2" count="8 2 1" spacing="0.05 0.05 0.05" pos="0 0 1" mass="0.1" radius="0.005">
      <elasticity young="{young}" poisson="0.2" thickness="0.01" damping="0.01" elastic2d="both"/>
      <pin gridrange="0 0 0 1"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
</mujoco>"""
model = sinew.Model.from_text(XML.format(young=2e5))
truth = sinew.Data(model)
model.opt.gravity[2] = -9.81
observed = []
for _ in range(20):
    truth.step(5)
    observed.append(truth.flex("strip").positions[-1, 2])

# the mass of the strip is what we pretend not to know: half to double of it
guesses = np.linspace(0.5, 2.0, 31)
batch = sinew.Batch(model, len(guesses))
mass = batch.expand("flexnode_mass")
free = model.flexnode_mass < 1e19
mass[:, free] *= guesses[:, None]
qpos = batch.bind("qpos")
error = np.zeros(len(guesses))
for height in observed:
    batch.step(5)
    error += (qpos[:, -1] - height) ** 2
found = guesses[np.argmin(error)]
print(f"the mass is {found:.2f} times what the model says; {len(guesses)} runs of {len(observed) * 5} steps")
assert abs(found - 1) < 0.06
