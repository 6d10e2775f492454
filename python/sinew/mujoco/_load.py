"""MjModel.from_xml_path and its like: the same Model, read as MuJoCo reads it."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

from .. import _core
from .._model import _SOURCES, Data, Model, _load_text



def from_xml_path(filename: Any, assets: Optional[Mapping[str, bytes]] = None) -> Model:
    """Reads an MJCF or URDF file. Gaps mean what they mean in MuJoCo, unless the file has <compiler gap>."""
    path = os.fspath(filename)
    if assets:
        if path in assets:
            content = assets[path]
            return from_xml_string(content.decode() if isinstance(content, bytes) else content, assets)
        with open(path, encoding="utf-8") as file:
            return from_xml_string(file.read(), assets)
    model = Model(_core.load_file(path, None, None, True))
    _SOURCES[model] = (path, None, None)
    return model


def from_xml_string(xml: str, assets: Optional[Mapping[str, Union[bytes, str]]] = None) -> Model:
    """Compiles MJCF text. assets: contents of the files it refers to, by name."""
    model = Model(_load_text(xml, assets, "model.xml", "", None, None, True))
    _SOURCES[model] = (None, xml, dict(assets) if assets else None)
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


class _Counts:
    """Numbers of MuJoCo's MjModel and MjData that Sinew has no use for."""


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


class WarningStat:
    """MjWarningStat: how often, and the last piece of information."""

    __slots__ = ("number", "lastinfo")

    def __init__(self, number: int, lastinfo: int) -> None:
        self.number, self.lastinfo = number, lastinfo


# mjtWarning: inertia, contacts full, constraints full, visual geoms full, bad qpos, qvel, qacc, ctrl
_WARNINGS = ("inertia", "contact_limit", "", "", "bad_qpos", "bad_qvel", "bad_qacc", "bad_ctrl")


def _warning(self: Data) -> list[WarningStat]:
    status = self._status
    entries = [status.get(name, {"count": 0, "first": 0}) for name in _WARNINGS]
    return [WarningStat(e["count"], max(0, e["first"])) for e in entries]


setattr(Data, "warning", property(_warning, doc="What went wrong, in MuJoCo's classes; Data.status says more."))
setattr(Data, "solver_niter", property(lambda self: __import__("numpy").array([i["iterations"] for i in self._islands], "int32"),
                                       doc="Iterations of the solver, by island."))  # fmt: skip
setattr(Data, "signature", property(lambda self: self.model.signature, doc="Of the model it was made for."))
