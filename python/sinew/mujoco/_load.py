"""MjModel.from_xml_path and its like: the same Model, read as MuJoCo reads it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from .. import _core
from .._model import _SOURCES, Data, Model, _load_text
from ._enums import mjtTimer, mjtWarning
from ._structs import MjTimerStat, MjVisual, MjWarningStat



def from_xml_path(filename: Any, assets: Optional[Mapping[str, bytes]] = None) -> Model:
    """Reads an MJCF or URDF file. Gaps mean what they mean in MuJoCo, unless the file has <compiler gap>."""
    path = os.fspath(filename)
    if assets:
        if path in assets:
            content = assets[path]
            return from_xml_string(content.decode() if isinstance(content, bytes) else content, assets)
        with open(path, encoding="utf-8") as file:
            return _from_text(file.read(), assets, os.path.dirname(os.path.abspath(path)))
    model = Model(_core.load_file(path, None, None, True))
    _SOURCES[model] = (os.path.abspath(path), None, None, "")
    return model


def from_xml_string(xml: str, assets: Optional[Mapping[str, Union[bytes, str]]] = None) -> Model:
    """Compiles MJCF text. assets: contents of the files it refers to, by name."""
    if isinstance(xml, bytes):
        xml = xml.decode()
    return _from_text(xml, assets, "")


def _from_text(xml: str, assets: Optional[Mapping[str, Union[bytes, str]]], directory: str) -> Model:
    model = Model(_load_text(xml, assets, "model.xml", directory, None, None, True))
    _SOURCES[model] = (None, xml, dict(assets) if assets else None, directory)
    return model


def from_binary_path(filename: Any, assets: Optional[Mapping[str, bytes]] = None) -> Model:
    """Reads what mj_saveModel wrote."""
    if assets and filename in assets:
        from .._model import _unpickle_model

        return _unpickle_model(_core.__version__, bytes(assets[filename]))
    return Model.from_binary(filename)


def xml_of(model: Model) -> str:
    """The description a model was read from, as MJCF."""
    return str(model._spec().to_xml())


def visual_of(model: Model) -> MjVisual:
    """The settings of drawing of the description that a model was read from; defaults if there is none."""
    from .._spec import _COMPILED
    from ._specs import MjSpec, _included
    from ._spec_xml import expand, read_struct

    compiled = _COMPILED.get(model)
    spec: Any = compiled[0]() if compiled else None
    if isinstance(spec, MjSpec):
        return spec.visual.__copy__()  # type: ignore[no-any-return]
    made = MjVisual()
    source = _SOURCES.get(model)
    if source is None:
        return made
    path, text, assets, folder = source
    if path is not None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(path)
    try:
        root = expand(ET.fromstring(text), lambda name: _included(name, assets or {}, folder))
    except ET.ParseError:
        return made
    for part in root.iterfind("visual/*"):
        read_struct(getattr(made, "global_" if part.tag == "global" else part.tag), part.attrib)
    return made


def share_visual(model: Model, scene: Any) -> None:
    """Brings what a program set in model.vis into what is drawn."""
    from ._spec_xml import struct_attributes

    now = model.__dict__.get("_vis")
    if now is None or now == model.__dict__.get("_vis_scene"):
        return
    root = ET.Element("mujoco")
    parts = ET.SubElement(root, "visual")
    for name in now._defaults:
        ET.SubElement(parts, name.rstrip("_"), struct_attributes(getattr(now, name)))
    scene.set_visual(ET.tostring(root, encoding="unicode"))
    model.__dict__["_vis_scene"] = now.__copy__()


class _Reader:
    """from_xml_path and the like, as functions of the class alone."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.function


for _name, _function in (
    ("from_xml_path", from_xml_path),
    ("from_xml_string", from_xml_string),
    ("from_binary_path", from_binary_path),
):
    setattr(Model, _name, _Reader(_function))


def _constant(value: Any, doc: str) -> property:
    return property(lambda self: value, doc=doc)


for _name, _doc in (
    ("nplugin", "plugins: Sinew has none"), ("npluginstate", "plugins: Sinew has none"), ("npluginattr", "plugins: Sinew has none"),
):
    setattr(Model, _name, _constant(0, _doc))
setattr(Model, "nC", property(lambda self: self.nM, doc="entries of the lower triangle of M"))
setattr(Model, "njmax", _constant(-1, "constraint rows are not limited"))
setattr(Model, "nconmax", _constant(-1, "contacts are not limited"))
setattr(Data, "nplugin", _constant(0, "plugins: Sinew has none"))


# what Sinew's status calls the warnings of mjtWarning
_STATUS = {
    mjtWarning.mjWARN_INERTIA: "inertia", mjtWarning.mjWARN_CONTACTFULL: "contact_limit",
    mjtWarning.mjWARN_BADQPOS: "bad_qpos", mjtWarning.mjWARN_BADQVEL: "bad_qvel", mjtWarning.mjWARN_BADQACC: "bad_qacc",
    mjtWarning.mjWARN_BADCTRL: "bad_ctrl",
}  # fmt: skip
_WARNINGS = [_STATUS.get(mjtWarning(i), "") for i in range(int(mjtWarning.mjNWARNING))]


class _Live(Sequence[Any]):
    """Entries that are made anew when they are asked for, so that they are up to date."""

    def __init__(self, count: int, make: Any) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._count))]
        place = int(index)
        if not -self._count <= place < self._count:
            raise IndexError(f"index {place}: there are {self._count}")
        return self._make(place % self._count)

    def __iter__(self) -> Iterator[Any]:
        return (self._make(i) for i in range(self._count))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return np.array([getattr(entry, name) for entry in self])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Live) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


def _warning(self: Data) -> _Live:
    def make(i: int) -> MjWarningStat:
        entry = self._status.get(_WARNINGS[i], {"count": 0, "first": 0})
        told, info = self.__dict__.get("_warnings", {}).get(i, (0, 0))
        warning = MjWarningStat()
        warning.number, warning.lastinfo = entry["count"] + told, max(0, entry["first"]) if entry["count"] else info
        return warning

    return _Live(len(_WARNINGS), make)


def _timer(self: Data) -> _Live:
    def make(i: int) -> MjTimerStat:
        timer = MjTimerStat()
        if i == 0:
            timer.number, timer.duration = self._step_timer
        return timer

    return _Live(int(mjtTimer.mjNTIMER), make)


setattr(Data, "timer", property(_timer, doc="Number and duration of steps; the parts of a step are not timed."))
setattr(Data, "warning", property(_warning, doc="What went wrong, in MuJoCo's classes; Data.status says more."))
_ISLANDS = 20  # entries of the statistics, mjNISLAND


def _iterations(self: Data) -> Any:
    counts = np.zeros(_ISLANDS, np.int32)
    made = [island["iterations"] for island in self._islands][:_ISLANDS]
    counts[: len(made)] = made
    return counts


setattr(Data, "solver_niter", property(_iterations, doc="Iterations of the solver on the first 20 islands."))
setattr(Data, "signature", property(lambda self: self.model.signature, doc="Of the model it was made for."))
