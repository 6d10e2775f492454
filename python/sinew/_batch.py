"""Many runs of one model."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import nearest
from ._model import DATA_FIELDS, MODEL_FIELDS, Model

_MODES = {"reset": 0, "stop": 1}


class Batch(_core.BatchBase):
    """n runs of one model, stepped on several threads. The results are those of n single runs, bit for bit.

        batch = sinew.Batch(model, 1000)
        ctrl = batch.bind("ctrl")                # (1000, nu): write controls here
        sensors = batch.watch("sensordata")      # (1000, nsensordata): step() writes here
        friction = batch.expand("geom_friction") # (1000, ngeom, 3): every run has its own
        batch.step(10)
    """

    def __init__(self, model: Model, runs: int, threads: int = 0, on_divergence: str = "reset") -> None:
        if on_divergence not in _MODES:
            raise ValueError(f"on_divergence: must be 'reset' or 'stop', found {on_divergence!r}")
        if not isinstance(model, Model):
            raise TypeError(f"Batch needs a Model, found {type(model).__name__}")
        super().__init__(model, runs, threads, _MODES[on_divergence])
        self.model = model

    def _shape(self, array: Any, fields: dict[str, Any], name: str) -> Any:
        field = fields.get(name)
        if field is None or field.columns == "1":
            return array
        rows = getattr(self.model, field.rows, None)
        return array.reshape(self.runs, rows, -1) if rows else array

    def bind(self, name: str) -> NDArray[Any]:
        """A state array of all runs ("qpos", "qvel", "act", "ctrl", "mocap_pos", "time", ...): a view, run by run.

        step() reads it and writes it.
        """
        if name == "eq_active":
            return self._equalities()  # type: ignore[no-any-return]
        if name != "time" and name not in _core.state_fields():
            raise KeyError(f"{name!r} is no part of the state; {nearest(name, _core.state_fields())}")
        array = self._state(name)
        return array[:, 0] if name == "time" else self._shape(array, DATA_FIELDS, name)  # type: ignore[no-any-return]

    def watch(self, name: str) -> NDArray[np.float64]:
        """A derived array of all runs ("sensordata", "xpos", "site_xpos", "qacc", ...): step() writes it."""
        if name not in DATA_FIELDS:
            raise KeyError(f"Data has no {name!r}; {nearest(name, DATA_FIELDS)}")
        return self._shape(self._watch(name), DATA_FIELDS, name)  # type: ignore[no-any-return]

    def expand(self, name: str) -> NDArray[np.float64]:
        """From now on every run has its own numbers of this model array ("geom_friction", "body_mass", ...)."""
        if name not in MODEL_FIELDS:
            raise KeyError(f"Model has no {name!r}; {nearest(name, MODEL_FIELDS)}")
        return self._shape(self._vary(name), MODEL_FIELDS, name)  # type: ignore[no-any-return]

    def reset(self, run: Optional[int] = None, key: Any = None) -> None:
        """Back to the initial state or a keyframe: one run, or all."""
        self._reset(run, None if key is None else self.model.key(key).id)

    def __len__(self) -> int:
        return self.runs

    def __repr__(self) -> str:
        return f"<sinew.Batch of {self.runs} runs, {self.threads} threads>"


def rollout(
    model: Model,
    initial_state: Any,
    control: Any = None,
    *,
    nstep: Optional[int] = None,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Trajectories from initial states: states (runs, nstep, nstate) and sensors (runs, nstep, nsensordata).

    initial_state: (runs, nstate) or (nstate,): time, qpos, qvel, act, history. control: (runs, nstep, nu), or one of
    these dimensions 1. The results do not depend on the number of threads.
    """
    import os

    from ._model import Data
    from .mujoco.rollout import Rollout

    count = threads or os.cpu_count() or 1
    runs = max(len(np.atleast_2d(initial_state)), 1 if control is None or np.ndim(control) < 3 else len(control))
    datas = [Data(model) for _ in range(max(1, min(count, runs)))]
    with Rollout(nthread=len(datas)) as runner:
        return runner.rollout(model, datas, initial_state, control, nstep=nstep)
