"""An arm reaches for points: damped least squares with the Jacobian of a site."""

import numpy as np

import sinew

model = sinew.Model.from_text("""
<mujoco>
  <worldbody>
    <body name="upper" pos="0 0 0.5">
      <joint name="yaw" axis="0 0 1"/><joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <body name="lower" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
        <site name="hand" pos="0.4 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>""")
data = sinew.Data(model)
data.joint("elbow").qpos = 1.0
for target in ([0.5, 0.2, 0.6], [0.3, -0.4, 0.3], [0.0, 0.5, 0.8]):
    for iteration in range(200):
        data.forward()
        error = np.asarray(target) - data.site("hand").xpos
        if np.linalg.norm(error) < 1e-6:
            break
        jacobian, _ = sinew.jacobian(model, data, site="hand")
        change = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(3), error)
        data.qpos = sinew.integrate(model, data.qpos, change, 1)
    print(f"target {target}: {np.linalg.norm(error):.1e} m away after {iteration} iterations")
    assert np.linalg.norm(error) < 1e-5
