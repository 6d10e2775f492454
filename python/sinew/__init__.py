"""Sinew: one physics engine for hard and soft things.

    import sinew
    model = sinew.Model.from_file("humanoid.xml")
    data = sinew.Data(model)
    while data.time < 1:
        data.ctrl[:] = 0
        sinew.step(model, data)
    print(data.body("torso").xpos)

Everything is in SI units and world axes. docs/python.md is a tutorial; sinew.mujoco has MuJoCo's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._batch import Batch, rollout
from ._core import Thing, __version__, energy, forward, inverse, measure_flexes, reset, step, step1, step2
from ._errors import DivergenceError, LoadError, OptionError
from ._model import Contact, Contacts, Data, Model, Option, Statistic, Status
from ._named import DataNamed, ModelNamed, Names
from ._queries import (
    Collision,
    Hit,
    body_forces,
    contact_force,
    differentiate,
    distance,
    full_mass,
    get_state,
    integrate,
    inverse_derivatives,
    jacobian,
    multiply_mass,
    newton_euler,
    object_acceleration,
    object_velocity,
    ray,
    rays,
    set_state,
    solve_mass,
    state_size,
    transition_derivatives,
)
from ._recording import Recording
from ._world import World

if TYPE_CHECKING:
    from . import gym as gym
    from . import mujoco as mujoco
    from ._flex import Flex
    from ._spec import Spec
    from .mujoco import viewer as viewer
    from .mujoco.renderer import Renderer

__all__ = [
    "Batch",
    "Collision",
    "Contact",
    "Contacts",
    "Data",
    "DataNamed",
    "DivergenceError",
    "OptionError",
    "Flex",
    "Hit",
    "LoadError",
    "Model",
    "ModelNamed",
    "Names",
    "Option",
    "Recording",
    "Renderer",
    "Spec",
    "Statistic",
    "Status",
    "Thing",
    "World",
    "body_forces",
    "contact_force",
    "differentiate",
    "distance",
    "energy",
    "forward",
    "full_mass",
    "get_state",
    "integrate",
    "inverse",
    "inverse_derivatives",
    "jacobian",
    "measure_flexes",
    "multiply_mass",
    "newton_euler",
    "object_acceleration",
    "object_velocity",
    "ray",
    "rays",
    "reset",
    "rollout",
    "set_state",
    "solve_mass",
    "state_size",
    "step",
    "step1",
    "step2",
    "transition_derivatives",
    "__version__",
]


def __getattr__(name: str) -> Any:
    # what is needed by some programs only is imported when it is asked for
    if name == "Spec":
        from ._spec import Spec

        return Spec
    if name == "Flex":
        from ._flex import Flex

        return Flex
    if name == "Renderer":
        from .mujoco.renderer import Renderer

        return Renderer
    if name in ("mujoco", "gym", "viewer"):
        import importlib

        return importlib.import_module(f"sinew.{name}" if name != "viewer" else "sinew.mujoco.viewer")
    raise AttributeError(f"module 'sinew' has no attribute {name!r}")
