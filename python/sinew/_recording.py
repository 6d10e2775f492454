"""Recording: arrays of a run over time."""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from ._errors import nearest
from ._model import DATA_FIELDS, Data, Path


class Recording:
    """Copies arrays of a Data whenever record() is called.

        recording = sinew.Recording(data, ["qpos", "sensordata"])
        for _ in range(100):
            sinew.step(model, data)
            recording.record()
        recording.save("run.npz")
        recording["qpos"]                # (100, nq)
    """

    def __init__(self, data: Data, fields: Sequence[str] = ("qpos", "qvel", "ctrl", "sensordata")) -> None:
        for name in fields:
            if name not in DATA_FIELDS:
                raise KeyError(f"Data has no {name!r}; {nearest(name, DATA_FIELDS)}")
        self.data = data
        self.fields = tuple(fields)
        self._frames: dict[str, list[Any]] = {name: [] for name in ("time", *self.fields)}

    def record(self) -> None:
        """Adds the present values."""
        self._frames["time"].append(self.data.time)
        for name in self.fields:
            self._frames[name].append(np.array(getattr(self.data, name)))

    def __len__(self) -> int:
        return len(self._frames["time"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Values of an array over time; "time" are the times."""
        if name not in self._frames:
            raise KeyError(f"{name!r} is not recorded; {nearest(name, self._frames)}")
        if not self._frames[name] and name != "time":
            return np.empty((0, *np.shape(getattr(self.data, name))))
        return np.array(self._frames[name])

    def clear(self) -> None:
        """Forgets everything recorded so far."""
        for frames in self._frames.values():
            frames.clear()

    def save(self, file: Path) -> None:
        """Writes all arrays to a .npz file; numpy.load reads it."""
        if os.path.splitext(os.fspath(file))[1] != ".npz":
            raise ValueError(f"a Recording is saved as .npz, found {os.fspath(file)!r}; save_html() makes a page")
        np.savez(file, **{name: self[name] for name in self._frames})

    def save_html(self, file: Path) -> None:
        """A page that replays the run. Needs a build with the viewer."""
        from .mujoco.viewer import save_replay

        save_replay(self, file)

    def __repr__(self) -> str:
        return f"<sinew.Recording of {', '.join(self.fields)}: {len(self)} frames>"
