"""Gymnasium environments on Sinew: SinewEnv as a base, and three tasks with soft things.

    import gymnasium, sinew.gym            # registers Sinew/HangCloth-v0, Sinew/SqueezeBall-v0, Sinew/RouteCable-v0
    env = gymnasium.make("Sinew/HangCloth-v0")

Gymnasium's own MuJoCo environments run on Sinew after sinew.gym.alias_mujoco().
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._model import Data, Model, Path
from .mujoco import alias_mujoco

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise ImportError("sinew.gym needs Gymnasium: pip install gymnasium") from error

Array = NDArray[np.float64]
__all__ = ["SinewEnv", "HangCloth", "SqueezeBall", "RouteCable", "alias_mujoco"]


class SinewEnv(gymnasium.Env):  # type: ignore[misc]
    """An environment around a Model and its Data.

    A task gives the model and the number of steps per action, and overrides reset_model(), observation() and reward().
    Actions are controls, scaled by their ranges if these are limited.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        model: Any,
        frame_skip: int = 1,
        *,
        render_mode: Optional[str] = None,
        width: int = 480,
        height: int = 480,
        camera: Any = None,
    ) -> None:
        if frame_skip < 1:
            raise ValueError(f"frame_skip: must be at least 1, found {frame_skip}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode: must be one of {self.metadata['render_modes']}, found {render_mode!r}")
        self.model = _model(model)
        self.data = Data(self.model)
        self.frame_skip = frame_skip
        self.render_mode = render_mode
        self.width, self.height, self.camera = width, height, camera
        self._renderer: Any = None
        self.metadata = {**self.metadata, "render_fps": int(round(1 / self.dt))}
        limited = np.asarray(self.model.actuator_ctrllimited, bool)
        low = np.where(limited, self.model.actuator_ctrlrange[:, 0], -1.0)
        high = np.where(limited, self.model.actuator_ctrlrange[:, 1], 1.0)
        self.action_space = spaces.Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
        _core.forward(self.model, self.data)
        size = np.asarray(self.observation()).shape
        self.observation_space = spaces.Box(-np.inf, np.inf, size, np.float64)

    @property
    def dt(self) -> float:
        """Time of one action, s."""
        return float(self.model.opt.timestep * self.frame_skip)

    # ---- what tasks override

    def reset_model(self) -> None:
        """Brings data to the state that an episode begins with; self.np_random is there for it."""

    def observation(self) -> Array:
        """What an agent sees."""
        return np.concatenate((self.data.qpos, self.data.qvel))

    def reward(self, action: Array) -> tuple[float, bool, dict[str, Any]]:
        """Reward of the last action, whether the episode is over, and information."""
        return 0.0, False, {}

    # ---- Gymnasium

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        _core.reset(self.model, self.data)
        self.reset_model()
        _core.forward(self.model, self.data)
        return np.array(self.observation()), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Holds the controls for frame_skip steps."""
        given = np.asarray(action, np.float64)
        if given.shape != (self.model.nu,):
            raise ValueError(f"action: needs shape ({self.model.nu},), found {given.shape}")
        self.data.ctrl[:] = given
        _core.step(self.model, self.data, self.frame_skip)
        _core.forward(self.model, self.data)
        reward, terminated, info = self.reward(given)
        status = self.data.status
        if not status and any(status[t] for t in ("bad_qpos", "bad_qvel", "bad_qacc")):
            terminated, info = True, {**info, "diverged": status.text}
            self.data.clear_status()
        return np.array(self.observation()), float(reward), bool(terminated), False, info

    def render(self) -> Any:
        """A picture, if render_mode is "rgb_array"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode: make the environment with render_mode='rgb_array'")
            return None
        if self._renderer is None:
            from .mujoco.renderer import Renderer

            self._renderer = Renderer(self.model, self.height, self.width)
        self._renderer.update_scene(self.data, self.camera if self.camera is not None else -1)
        return self._renderer.render()

    def close(self) -> None:
        """Frees the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None


def _model(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and model.lstrip().startswith("<"):
        return Model.from_text(model)
    path: Path = model
    return Model.from_file(path)


_LIGHTS = '<light pos="0 0 3" dir="0 0 -1"/><light pos="2 -2 2" dir="-1 1 -1"/>'
_XYZ = """
      <joint name="x" type="slide" axis="1 0 0" range="-0.6 0.6" damping="20"/>
      <joint name="y" type="slide" axis="0 1 0" range="-0.6 0.6" damping="20"/>
      <joint name="z" type="slide" axis="0 0 1" range="-0.4 0.6" damping="20"/>"""
_XYZ_SERVOS = """
  <actuator>
    <position joint="x" kp="400" ctrlrange="-0.6 0.6"/>
    <position joint="y" kp="400" ctrlrange="-0.6 0.6"/>
    <position joint="z" kp="400" ctrlrange="-0.4 0.6"/>
  </actuator>"""

_HANG = f"""
<mujoco model="hang a cloth">
  <option timestep="0.005" integrator="implicitfast"/>
  <worldbody>
    {_LIGHTS}
    <geom name="floor" type="plane" size="2 2 0.1" rgba="0.8 0.8 0.8 1"/>
    <site name="hook" pos="0.3 0 0.9" size="0.02" rgba="1 0.2 0.2 1"/>
    <body name="gripper" pos="0 0 0.6" gravcomp="1">{_XYZ}
      <geom type="sphere" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
    </body>
    <flexcomp name="cloth" type="grid" dim="2" count="7 7 1" spacing="0.05 0.05 0.05" pos="0.15 0.15 0.6" mass="0.1"
              radius="0.005">
      <elasticity young="2e4" poisson="0.2" thickness="0.005" damping="0.01" elastic2d="both"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
  <equality><connect body1="cloth_0" body2="gripper" anchor="0 0 0"/></equality>
  {_XYZ_SERVOS}
</mujoco>"""

_SQUEEZE = f"""
<mujoco model="squeeze a ball">
  <option timestep="0.002" integrator="implicitfast"/>
  <worldbody>
    {_LIGHTS}
    <geom name="floor" type="plane" size="2 2 0.1" rgba="0.8 0.8 0.8 1"/>
    <body name="left" pos="-0.16 0 0.1" gravcomp="1">
      <joint name="left" type="slide" axis="1 0 0" range="0 0.16" damping="20"/>
      <geom type="box" size="0.01 0.1 0.1" mass="0.5"/>
    </body>
    <body name="right" pos="0.16 0 0.1" gravcomp="1">
      <joint name="right" type="slide" axis="-1 0 0" range="0 0.16" damping="20"/>
      <geom type="box" size="0.01 0.1 0.1" mass="0.5"/>
    </body>
    <flexcomp name="ball" type="ellipsoid" dim="3" count="5 5 5" spacing="0.04 0.04 0.04" pos="0 0 0.1" mass="0.3"
              radius="0.005">
      <elasticity young="2e4" poisson="0.3" damping="0.005"/>
      <contact selfcollide="none" friction="0.8"/>
    </flexcomp>
  </worldbody>
  <actuator>
    <position joint="left" kp="500" ctrlrange="0 0.16"/>
    <position joint="right" kp="500" ctrlrange="0 0.16"/>
  </actuator>
</mujoco>"""

_ROUTE = f"""
<mujoco model="route a cable">
  <option timestep="0.002" integrator="implicitfast" gravity="0 0 -9.81"/>
  <worldbody>
    {_LIGHTS}
    <geom name="floor" type="plane" size="2 2 0.1" rgba="0.8 0.8 0.8 1"/>
    <geom name="peg1" type="cylinder" size="0.03 0.1" pos="0.1 0.1 0.1" rgba="0.9 0.6 0.2 1"/>
    <geom name="peg2" type="cylinder" size="0.03 0.1" pos="0.3 -0.1 0.1" rgba="0.9 0.6 0.2 1"/>
    <site name="goal" pos="0.45 0.1 0.05" size="0.02" rgba="0.2 0.8 0.2 1"/>
    <body name="gripper" pos="0 0 0.05" gravcomp="1">{_XYZ}
      <geom type="sphere" size="0.015" mass="0.5" contype="0" conaffinity="0"/>
    </body>
    <flexcomp name="cable" type="grid" dim="1" count="15 1 1" spacing="0.04 0.04 0.04" pos="-0.28 0 0.05" mass="0.1"
              radius="0.008">
      <edge stiffness="2000" damping="2"/>
      <contact selfcollide="none"/>
    </flexcomp>
  </worldbody>
  <equality><connect body1="cable_14" body2="gripper" anchor="0 0 0"/></equality>
  {_XYZ_SERVOS}
</mujoco>"""


class HangCloth(SinewEnv):
    """Bring the corner of a cloth that the gripper holds to a hook, and keep it still there."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Model.from_text(_HANG), 4, **options)

    def observation(self) -> Array:
        cloth = self.data.flex("cloth")
        gripper = self.data.body("gripper").xpos
        middle, far = cloth.positions.mean(axis=0), cloth.positions[-1]
        return np.concatenate((self.data.qpos[:3], self.data.qvel[:3], gripper, self.data.site("hook").xpos - gripper,
                               middle, far, cloth.velocities.mean(axis=0)))  # fmt: skip

    def reset_model(self) -> None:
        self.data.qpos[:3] += self.np_random.uniform(-0.02, 0.02, 3)
        self.data.flex("cloth").velocities[:] = self.np_random.uniform(-0.01, 0.01, (49, 3))

    def reward(self, action: Array) -> tuple[float, bool, dict[str, Any]]:
        gap = float(np.linalg.norm(self.data.site("hook").xpos - self.data.flex("cloth").positions[0]))
        speed = float(np.abs(self.data.flex("cloth").velocities).mean())
        return -gap - 0.05 * speed, False, {"distance": gap, "success": gap < 0.03}


class SqueezeBall(SinewEnv):
    """Squeeze a soft ball to three quarters of its width, with as little force as it takes."""

    target = 0.75

    def __init__(self, **options: Any) -> None:
        super().__init__(Model.from_text(_SQUEEZE), 5, **options)

    def _width(self) -> float:
        x = self.data.flex("ball").positions[:, 0]
        return float(x.max() - x.min())

    def observation(self) -> Array:
        ball = self.data.flex("ball")
        return np.concatenate((self.data.qpos[:2], self.data.qvel[:2], ball.positions.mean(axis=0),
                               ball.velocities.mean(axis=0), [self._width()]))  # fmt: skip

    def reset_model(self) -> None:
        self._rest = self._width()
        self.data.flex("ball").positions[:] += self.np_random.uniform(-0.005, 0.005, 3) * (1, 1, 0)

    def reward(self, action: Array) -> tuple[float, bool, dict[str, Any]]:
        ratio = self._width() / self._rest
        error = abs(ratio - self.target)
        force = float(np.abs(self.data.flex("ball").forces).sum())
        return -error - 1e-4 * force, False, {"width": ratio, "force": force, "success": error < 0.03}


class RouteCable(SinewEnv):
    """Lead a cable around two pegs and bring its end to a goal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Model.from_text(_ROUTE), 5, **options)

    def observation(self) -> Array:
        cable = self.data.flex("cable")
        return np.concatenate((self.data.qpos[:3], self.data.qvel[:3], cable.positions[::2].reshape(-1),
                               self.data.site("goal").xpos - cable.positions[-1]))  # fmt: skip

    def reset_model(self) -> None:
        self.data.qpos[:3] += self.np_random.uniform(-0.02, 0.02, 3)

    def _side(self, peg: str) -> float:
        """On which side the cable passes a peg: the least signed distance across."""
        place = self.data.geom(peg).xpos
        points = self.data.flex("cable").positions
        near = points[np.argmin(np.abs(points[:, 0] - place[0]))]
        return float(near[1] - place[1])

    def reward(self, action: Array) -> tuple[float, bool, dict[str, Any]]:
        gap = float(np.linalg.norm(self.data.site("goal").xpos - self.data.flex("cable").positions[-1]))
        routed = int(self._side("peg1") > 0.03) + int(self._side("peg2") < -0.03)
        return -gap + 0.5 * routed, False, {"distance": gap, "routed": routed, "success": gap < 0.05 and routed == 2}


for _name, _class in (("HangCloth", HangCloth), ("SqueezeBall", SqueezeBall), ("RouteCable", RouteCable)):
    if f"Sinew/{_name}-v0" not in gymnasium.registry:
        gymnasium.register(f"Sinew/{_name}-v0", entry_point=f"sinew.gym:{_class.__name__}", max_episode_steps=200)
