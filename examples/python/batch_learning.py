"""A loop as in reinforcement learning: random search for a controller that keeps a pole upright, on many runs at once."""

import numpy as np

import sinew

model = sinew.Model.from_text("""
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping="1"/><geom type="box" size="0.1 0.05 0.05" mass="1"/>
      <body><joint name="pole" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.6" size="0.02" mass="0.1"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="10" ctrlrange="-1 1"/></actuator>
</mujoco>""")
runs, rng = 64, np.random.default_rng(0)
batch = sinew.Batch(model, runs)
qpos, qvel, ctrl = batch.bind("qpos"), batch.bind("qvel"), batch.bind("ctrl")
best, gains = -np.inf, np.zeros(4)
for generation in range(10):
    trial = gains + rng.normal(0, 1.0 if generation == 0 else 0.4, (runs, 4)) * [1, 5, 1, 1]
    trial[0] = gains
    batch.reset()
    qpos[:, 1] = 0.1
    alive = np.zeros(runs)
    for _ in range(150):
        ctrl[:, 0] = np.clip(-(np.concatenate((qpos, qvel), axis=1) * trial).sum(axis=1), -1, 1)
        batch.step(2)
        alive += (np.abs(qpos[:, 1]) < 0.3) * (1 - 0.1 * np.abs(qpos[:, 0]))
    winner = int(np.argmax(alive))
    if alive[winner] > best:
        best, gains = float(alive[winner]), trial[winner]
print(f"the pole stays up for {best / 150:.0%} of three seconds with gains {np.round(gains, 2)}")
assert best > 100
