"""mujoco.rollout: many trajectories from given initial states and controls."""

from __future__ import annotations

import threading
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from .._model import Data, Model
from ._enums import mjtState


def _rows(name: str, value: Any, ndim: int, last: Optional[int]) -> Any:
    if value is None:
        return None
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a numpy array or float") from None
    if array.ndim > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    while array.ndim < ndim:
        array = array[np.newaxis] if array.ndim != 1 or ndim == 2 else array[np.newaxis, np.newaxis]
    if last is not None and array.shape[-1] != last:
        raise ValueError(f"trailing dimension of {name} must be {last}, got {array.shape[-1]}")
    return array


class Rollout:
    """Runs trajectories on `nthread` threads; each needs a Data of its own. 0: on the thread that calls. A context manager."""

    def __init__(self, *, nthread: Optional[int] = None) -> None:
        import os

        if nthread is not None and nthread < 0:
            raise ValueError(f"nthread: must not be negative, found {nthread}")
        self._given = nthread is not None
        self.nthread = nthread if nthread is not None else os.cpu_count() or 1
        self._closed = False

    def __enter__(self) -> "Rollout":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends it; rollout() cannot be called any more."""
        self._closed = True

    def rollout(
        self,
        model: Union[Model, Sequence[Model]],
        data: Union[Data, Sequence[Data]],
        initial_state: ArrayLike,
        control: Optional[ArrayLike] = None,
        *,
        control_spec: int = int(mjtState.mjSTATE_CTRL),
        skip_checks: bool = False,
        nstep: Optional[int] = None,
        initial_warmstart: Optional[ArrayLike] = None,
        state: Any = None,
        sensordata: Any = None,
        chunk_size: Optional[int] = None,
    ) -> tuple[Any, Any]:
        """States (nbatch, nstep, nstate) and sensors (nbatch, nstep, nsensordata) of nbatch trajectories.

        initial_state: (nbatch, nstate), mjSTATE_FULLPHYSICS. control: (nbatch, nstep, ncontrol), the parts of the state
        in control_spec; without it those that the Data holds act. Everything of length 1 is used for all. The results do not depend on the number of threads.
        """
        if self._closed:
            raise RuntimeError("rollout requested after thread pool shutdown")
        if control_spec & ~int(mjtState.mjSTATE_USER):
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        models = [model] if isinstance(model, Model) else list(model)
        datas = [data] if isinstance(data, Data) else list(data)
        if not models:
            raise ValueError("The list of models is empty")
        if not datas:
            raise ValueError("The list of data instances is empty")
        if self.nthread == 0 and len(datas) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self._given and self.nthread > 0 and len(datas) != self.nthread:
            raise ValueError(f"Length of data: {len(datas)} not equal to nthread: {self.nthread}")
        first = models[0]
        full = int(mjtState.mjSTATE_FULLPHYSICS)
        nstate = _core.state_size(first, full)
        ncontrol = _core.state_size(first, control_spec)
        for other in models[1:]:
            if (other.nq, other.nv, other.na, other.nu, other.nsensordata) != (
                first.nq, first.nv, first.na, first.nu, first.nsensordata,
            ):  # fmt: skip
                raise ValueError("models are not compatible")
        states = _rows("initial_state", initial_state, 2, nstate)
        controls = _rows("control", control, 3, ncontrol)
        warm = _rows("initial_warmstart", initial_warmstart, 2, first.nv)
        given_state = None if state is None else _check("state", state, nstate)
        given_sensor = None if sensordata is None else _check("sensordata", sensordata, first.nsensordata)

        if skip_checks:  # every array has a row for each initial state, and there may be more models
            nbatch = len(states)
        else:
            nbatch = _inferred(
                0, len(models), initial_state=states, initial_warmstart=warm, control=controls, state=given_state,
                sensordata=given_sensor,
            )  # fmt: skip
        steps = _inferred(1, nstep or 1, control=controls, state=given_state, sensordata=given_sensor)
        if nstep is not None and steps != nstep:
            raise ValueError(f"dimension 1 inferred as {steps} but nstep is {nstep}")
        for name, array, full_shape in (("state", given_state, (nbatch, steps)), ("sensordata", given_sensor, (nbatch, steps))):
            if array is not None and array.shape[:2] != full_shape:
                raise ValueError(f"{name} must have shape {full_shape + array.shape[2:]}, got {array.shape}")
        out_state = np.empty((nbatch, steps, nstate)) if given_state is None else given_state
        out_sensor = np.empty((nbatch, steps, first.nsensordata)) if given_sensor is None else given_sensor

        def pick(array: Any, index: int) -> Any:
            return array[index if len(array) > 1 else 0]

        def run(index: int, d: Data) -> None:
            m = models[index if len(models) > 1 else 0]
            held = np.empty(ncontrol)
            _core.get_state(m, d, held, control_spec)
            _core.reset(m, d)
            _core.set_state(m, d, pick(states, index), full)
            if controls is None:
                _core.set_state(m, d, held, control_spec)  # what the Data holds acts, as in MuJoCo
            if warm is not None:
                d.qacc_warmstart[:] = pick(warm, index)
            else:
                d.qacc_warmstart[:] = 0
            u = None if controls is None else pick(controls, index)
            buffer = np.empty(nstate)
            troubles = d._status
            start = sum(troubles[name]["count"] for name in _DIVERGED)
            for t in range(steps):
                if not d._ok and sum(d._status[name]["count"] for name in _DIVERGED) > start:
                    out_state[index, t:] = buffer  # it diverged: the rest repeats what was left of it
                    out_sensor[index, t:] = d.sensordata
                    break
                if u is not None:
                    _core.set_state(m, d, u[t if len(u) > 1 else 0], control_spec)
                _core.step(m, d, 1)
                _core.get_state(m, d, buffer, full)
                out_state[index, t] = buffer
                out_sensor[index, t] = d.sensordata

        _parallel(run, nbatch, datas[: max(1, min(self.nthread or 1, len(datas)))])
        return out_state, out_sensor


_DIVERGED = ("bad_qpos", "bad_qvel", "bad_qacc")


def _inferred(axis: int, size: int, **arrays: Any) -> int:
    """The length of an axis that arrays agree on; those of length 1 stand for any length."""
    for name, array in arrays.items():
        if array is None or array.shape[axis] in (1, size):
            continue
        if size != 1:
            raise ValueError(f"dimension {axis} inferred as {size} but {name} has {array.shape[axis]}")
        size = array.shape[axis]
    return size


def _check(name: str, array: Any, last: int) -> Any:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.flags.c_contiguous:
        raise ValueError(f"{name} must be a C contiguous array of float64")
    if array.ndim != 3 or array.shape[-1] != last:
        raise ValueError(f"{name} must have shape (nbatch, nstep, {last}), got {array.shape}")
    return array


def _parallel(run: Any, count: int, datas: Sequence[Data]) -> None:
    """run(i, data) for all i, on one thread per Data."""
    if len(datas) == 1:
        for i in range(count):
            run(i, datas[0])
        return
    numbers = iter(range(count))
    lock = threading.Lock()
    errors: list[BaseException] = []

    def work(d: Data) -> None:
        while not errors:
            with lock:
                i = next(numbers, None)
            if i is None:
                return
            try:
                run(i, d)
            except BaseException as error:  # noqa: BLE001
                errors.append(error)

    threads = [threading.Thread(target=work, args=(d,)) for d in datas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def rollout(
    model: Union[Model, Sequence[Model]],
    data: Union[Data, Sequence[Data]],
    initial_state: ArrayLike,
    control: Optional[ArrayLike] = None,
    *,
    control_spec: int = int(mjtState.mjSTATE_CTRL),
    skip_checks: bool = False,
    nstep: Optional[int] = None,
    initial_warmstart: Optional[ArrayLike] = None,
    state: Any = None,
    sensordata: Any = None,
    chunk_size: Optional[int] = None,
    persistent_pool: bool = False,
) -> tuple[Any, Any]:
    """As Rollout.rollout, with one thread per Data."""
    count = 0 if isinstance(data, Data) else len(list(data))
    with Rollout(nthread=count) as runner:
        return runner.rollout(
            model, data, initial_state, control, control_spec=control_spec, skip_checks=skip_checks, nstep=nstep,
            initial_warmstart=initial_warmstart, state=state, sensordata=sensordata, chunk_size=chunk_size,
        )  # fmt: skip


def shutdown_persistent_pool() -> None:
    """Nothing: threads end with each call."""
