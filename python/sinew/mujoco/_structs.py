"""Small structures of MuJoCo that carry settings of drawing. Sinew's Renderer and viewer read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import nearest
from ._enums import mjtCamera, mjtLabel, mjtFrame, mjtRndFlag, mjtVisFlag


class _Struct:
    """Values with fixed names; a misspelt one is an error."""

    _defaults: dict[str, Any] = {}

    def __init__(self) -> None:
        for name, value in self._defaults.items():
            object.__setattr__(self, name, np.array(value) if isinstance(value, np.ndarray) else value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; {nearest(name, self._defaults)}")
        current = getattr(self, name, None)
        if isinstance(current, np.ndarray):
            current[...] = np.reshape(value, current.shape)
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no {name!r}; {nearest(name, self._defaults)}")

    def __copy__(self) -> Any:
        other = type(self).__new__(type(self))
        for name in self._defaults:
            value = getattr(self, name)
            object.__setattr__(other, name, np.array(value) if isinstance(value, np.ndarray) else value)
        return other

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(np.array_equal(getattr(self, n), getattr(other, n)) for n in self._defaults)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} " + ", ".join(f"{n}={getattr(self, n)!r}" for n in self._defaults) + ">"


class MjvCamera(_Struct):
    """Where a picture is taken from: free, tracking a body, or a camera of the model."""

    _defaults = {
        "type": int(mjtCamera.mjCAMERA_FREE), "fixedcamid": -1, "trackbodyid": -1, "lookat": np.zeros(3),
        "distance": 2.0, "azimuth": 90.0, "elevation": -45.0, "orthographic": 0,
    }  # fmt: skip


class MjvOption(_Struct):
    """What a picture shows."""

    _defaults = {
        "label": int(mjtLabel.mjLABEL_NONE), "frame": int(mjtFrame.mjFRAME_NONE),
        "geomgroup": np.array([1, 1, 1, 0, 0, 0], np.uint8), "sitegroup": np.array([1, 1, 1, 0, 0, 0], np.uint8),
        "jointgroup": np.array([1, 1, 1, 0, 0, 0], np.uint8), "tendongroup": np.array([1, 1, 1, 0, 0, 0], np.uint8),
        "actuatorgroup": np.array([1, 1, 1, 0, 0, 0], np.uint8), "flexgroup": np.array([1, 1, 1, 0, 0, 0], np.uint8),
        "skingroup": np.array([1, 1, 1, 0, 0, 0], np.uint8), "flags": np.zeros(int(mjtVisFlag.mjNVISFLAG), np.uint8),
        "bvh_depth": 1, "flex_layer": 0,
    }  # fmt: skip


class MjvPerturb(_Struct):
    """What the mouse pulls at."""

    _defaults = {
        "select": 0, "flexselect": -1, "skinselect": -1, "active": 0, "active2": 0, "refpos": np.zeros(3),
        "refquat": np.array([1.0, 0, 0, 0]), "refselpos": np.zeros(3), "localpos": np.zeros(3), "localmass": 0.0,
        "scale": 0.0,
    }  # fmt: skip


class MjvGeom(_Struct):
    """Something that is drawn in addition to the model."""

    _defaults = {
        "type": 2, "dataid": -1, "objtype": 0, "objid": -1, "category": 4, "matid": -1, "texcoord": 0, "segid": -1,
        "size": np.zeros(3, np.float32), "pos": np.zeros(3, np.float32), "mat": np.eye(3, dtype=np.float32),
        "rgba": np.array([0.5, 0.5, 0.5, 1], np.float32), "emission": 0.0, "specular": 0.5, "shininess": 0.5,
        "reflectance": 0.0, "label": "", "transparent": 0, "camdist": 0.0, "modelrbound": 0.0,
    }  # fmt: skip


class MjvScene:
    """What is drawn: the model, and geoms that a program adds."""

    def __init__(self, model: Any = None, maxgeom: int = 1000) -> None:
        self.maxgeom = maxgeom
        self.ngeom = 0
        self.geoms = [MjvGeom() for _ in range(min(maxgeom, 10000))]
        self.flags = np.zeros(int(mjtRndFlag.mjNRNDFLAG), np.uint8)
        self.flags[[0, 2, 4]] = 1


class MjrRect(_Struct):
    """A rectangle of pixels."""

    _defaults = {"left": 0, "bottom": 0, "width": 0, "height": 0}

    def __init__(self, left: int = 0, bottom: int = 0, width: int = 0, height: int = 0) -> None:
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height


def _section(name: str, values: dict[str, Any]) -> type:
    return type(name, (_Struct,), {"_defaults": values, "__doc__": f"Part of <visual>: {name.lower()}."})


_f = np.float32
_Global = _section("Global", {
    "azimuth": 90.0, "bvactive": 0, "cameraid": -1, "elevation": -45.0, "ellipsoidinertia": 0, "fovy": 45.0,
    "glow": 0.3, "ipd": 0.068, "linewidth": 1.0, "offheight": 480, "offwidth": 640, "orthographic": 0, "realtime": 1.0,
})  # fmt: skip
_Quality = _section("Quality", {"numquads": 4, "numslices": 28, "numstacks": 16, "offsamples": 4, "shadowsize": 4096})
_Headlight = _section("Headlight", {
    "active": 1, "ambient": np.full(3, 0.1, _f), "diffuse": np.full(3, 0.4, _f), "specular": np.full(3, 0.5, _f),
})  # fmt: skip
_Map = _section("Map", {
    "actuatortendon": 2.0, "alpha": 0.3, "fogend": 10.0, "fogstart": 3.0, "force": 0.005, "haze": 0.3,
    "shadowclip": 1.0, "shadowscale": 0.6, "stiffness": 100.0, "stiffnessrot": 500.0, "torque": 0.1, "zfar": 50.0,
    "znear": 0.01,
})  # fmt: skip


class MjVisual(_Struct):
    """Settings of drawing. In a Model they have their defaults: <visual> of the file is read by the Renderer itself."""

    _defaults: dict[str, Any] = {"global_": None, "quality": None, "headlight": None, "map": None}

    def __init__(self) -> None:
        object.__setattr__(self, "global_", _Global())
        object.__setattr__(self, "quality", _Quality())
        object.__setattr__(self, "headlight", _Headlight())
        object.__setattr__(self, "map", _Map())


def mjv_defaultCamera(cam: MjvCamera) -> None:
    """All values as at first."""
    cam.__init__()  # type: ignore[misc]


def mjv_defaultOption(opt: MjvOption) -> None:
    """All values as at first."""
    opt.__init__()  # type: ignore[misc]


def mjv_defaultPerturb(pert: MjvPerturb) -> None:
    """All values as at first."""
    pert.__init__()  # type: ignore[misc]


def mjv_defaultFreeCamera(m: Any, cam: MjvCamera) -> None:
    """A free camera that shows the whole model."""
    cam.type = int(mjtCamera.mjCAMERA_FREE)
    cam.fixedcamid = cam.trackbodyid = -1
    cam.lookat = m.stat.center
    cam.distance = 1.5 * m.stat.extent
    cam.azimuth, cam.elevation = m.vis.global_.azimuth, m.vis.global_.elevation


def mjv_initGeom(geom: MjvGeom, type: int, size: Any, pos: Any, mat: Any, rgba: Any) -> None:
    """Sets what a geom of a scene looks like; None leaves a default."""
    geom.__init__()  # type: ignore[misc]
    geom.type = int(type)
    for name, value in (("size", size), ("pos", pos), ("mat", mat), ("rgba", rgba)):
        if value is not None:
            setattr(geom, name, value)


def mjv_connector(geom: MjvGeom, type: int, width: float, from_: Any, to: Any) -> None:
    """Puts a capsule, cylinder, arrow or line between two points."""
    from ._math import mju_quat2Mat, mju_quatZ2Vec

    start, end = np.asarray(from_, float), np.asarray(to, float)
    length = float(np.linalg.norm(end - start))
    quat, mat = np.empty(4), np.empty(9)
    mju_quatZ2Vec(quat, end - start)
    mju_quat2Mat(mat, quat)
    geom.type = int(type)
    arrow = int(type) in (100, 101, 102)
    geom.size = (width, width, length if arrow or int(type) == 104 else length / 2)
    geom.pos = start if arrow or int(type) == 104 else (start + end) / 2
    geom.mat = mat.reshape(3, 3)
