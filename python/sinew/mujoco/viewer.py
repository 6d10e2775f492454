"""The viewer: a page in the browser, served by this program on this machine alone."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Optional

import numpy as np

from .. import _core
from .._model import Data, Model, Path
from .._source import described
from ._structs import MjvCamera, MjvOption


def _require() -> None:
    has, why = _core.has_viewer()
    if not has:
        raise NotImplementedError(f"this build of Sinew has no viewer: {why}")


class Handle:
    """A viewer of a program that makes the steps itself. A context manager.

        with sinew.mujoco.viewer.launch_passive(model, data) as viewer:
            print(viewer.url)
            while viewer.is_running():
                sinew.step(model, data)
                viewer.sync()
    """

    def __init__(self, model: Model, data: Data, host: str, port: int, browser: bool) -> None:
        _require()
        with described(model) as (file, text, folder):
            self._base: Any = _core.ViewerBase(model, data, file, text, folder, host, port, browser)
        self.m, self.d = model, data
        self.cam, self.opt = MjvCamera(), MjvOption()
        self._lock = threading.RLock()

    @property
    def url(self) -> str:
        """Address of the page, with a token: whoever knows it may watch and steer."""
        return str(self._base.url)

    def sync(self, state_only: bool = False) -> None:
        """Shows the state, and brings pulls, sliders and changed settings from the page into data and model."""
        with self._lock:
            if self._base is None:
                raise RuntimeError("the viewer is closed")
            self._base._sync(state_only)

    def is_running(self) -> bool:
        """False after close(), and when the last window was closed."""
        return self._base is not None and bool(self._base._is_running())

    @property
    def paused(self) -> bool:
        """Whether a user asked for a pause."""
        return self._base is not None and bool(self._base._is_paused())

    def lock(self) -> Any:
        """Held during sync(); `with viewer.lock():` around steps on another thread."""
        return self._lock

    @property
    def user_scn(self) -> Any:
        """Not there: the page draws the model alone. Renderer.scene takes geoms of yours."""
        raise NotImplementedError("user_scn: the viewer's page draws the model alone; sinew.Renderer.scene takes geoms of yours")

    def close(self) -> None:
        """Ends it."""
        with self._lock:
            if self._base is not None:
                self._base._close()
                self._base = None

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def launch_passive(
    model: Model,
    data: Data,
    *,
    key_callback: Optional[Callable[[int], None]] = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
    host: str = "127.0.0.1",
    port: int = 7878,
    browser: bool = True,
) -> Handle:
    """Opens a viewer and returns at once; the program steps and calls sync()."""
    if key_callback is not None:
        raise NotImplementedError("key_callback: keys of the page stay in the page")
    return Handle(model, data, host, port, browser)


def launch(model: Optional[Model] = None, data: Optional[Data] = None, **options: Any) -> None:
    """Shows a model and steps it in real time until the window is closed."""
    if model is None:
        raise NotImplementedError("launch() needs a model: the page cannot load one; `sinew view FILE` can")
    state = data if data is not None else Data(model)
    with launch_passive(model, state, **options) as viewer:
        print(viewer.url, flush=True)
        start, begin = time.perf_counter(), state.time
        while viewer.is_running():
            if viewer.paused:
                start, begin = time.perf_counter(), state.time
            else:
                behind = time.perf_counter() - start - (state.time - begin)
                if behind > 0.2:
                    start, begin = time.perf_counter(), state.time
                steps = max(0, min(100, int(behind / model.opt.timestep)))
                if steps:
                    _core.step(model, state, steps)
            viewer.sync()
            time.sleep(0.002)


def launch_from_path(path: Path, **options: Any) -> None:
    """launch() for a file."""
    from ._load import from_xml_path

    launch(from_xml_path(path), **options)


def save_replay(recording: Any, file: Path, frames_per_second: float = 30) -> None:
    """A page that replays a Recording, which must hold qpos (and what else the picture depends on)."""
    import os

    _require()
    if "qpos" not in recording.fields:
        raise ValueError("a page needs qpos in the Recording")
    model = recording.data.model
    with described(model) as (source, text, folder):
        replay = _core.ReplayBase(model, source, text, folder, frames_per_second, model.modelname)
    data = Data(model)
    times = recording["time"]
    values = {name: recording[name] for name in recording.fields if name in _core.state_fields() and name != "tree_asleep"}
    due = -np.inf
    for i, now in enumerate(times):
        if now < due - 1e-9:
            continue
        due = (due if np.isfinite(due) else now) + 1 / frames_per_second
        data.time = now
        for name, frames in values.items():
            getattr(data, name)[...] = frames[i]
        replay.record(data)
    replay.save(os.fspath(file))
