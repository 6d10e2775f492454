"""Small structures of MuJoCo that carry settings of drawing. Sinew's Renderer and viewer read them."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np

from .._errors import nearest
from ._enums import mjtCamera, mjtFrame, mjtGeom, mjtLabel, mjtRndFlag, mjtVisFlag
from ._fatal import FatalError


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
            current[...] = value if np.ndim(value) == 0 else np.reshape(value, current.shape)
        elif isinstance(current, _Struct):
            raise AttributeError(f"{type(self).__name__}.{name} cannot be replaced: set its attributes")
        elif isinstance(current, str) or current is None:
            object.__setattr__(self, name, value)
        elif isinstance(current, float):
            object.__setattr__(self, name, float(value))
        else:
            if isinstance(value, (str, float)):
                raise TypeError(f"{type(self).__name__}.{name}: needs an integer, found {value!r}")
            object.__setattr__(self, name, int(value))

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

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lines = "".join(f"  {n}: {getattr(self, n)!r}\n" for n in sorted(self._defaults))
        return f"<{type(self).__name__}\n{lines}>"


def _flags(count: int, on: tuple[Any, ...]) -> Any:
    flags = np.zeros(count, np.uint8)
    flags[[int(f) for f in on]] = 1
    return flags


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
        "skingroup": np.array([1, 1, 1, 0, 0, 0], np.uint8), "flags": _flags(int(mjtVisFlag.mjNVISFLAG), (
            mjtVisFlag.mjVIS_TEXTURE, mjtVisFlag.mjVIS_TENDON, mjtVisFlag.mjVIS_RANGEFINDER, mjtVisFlag.mjVIS_PERTOBJ,
            mjtVisFlag.mjVIS_STATIC, mjtVisFlag.mjVIS_SKIN, mjtVisFlag.mjVIS_FLEXEDGE, mjtVisFlag.mjVIS_FLEXSKIN)),
        "bvh_depth": 1, "flex_layer": 0,
    }  # fmt: skip


class MjvPerturb(_Struct):
    """What the mouse pulls at."""

    _defaults = {
        "select": 0, "flexselect": -1, "skinselect": -1, "active": 0, "active2": 0, "refpos": np.zeros(3),
        "refquat": np.array([1.0, 0, 0, 0]), "refselpos": np.zeros(3), "localpos": np.zeros(3), "localmass": 0.0,
        "scale": 1.0,
    }  # fmt: skip


class MjvGeom(_Struct):
    """Something that is drawn in addition to the model."""

    _defaults = {
        "type": int(mjtGeom.mjGEOM_NONE), "dataid": -1, "objtype": 0, "objid": 0, "category": 0, "matid": -1, "texcoord": 0,
        "segid": 0, "texid": -1, "texrepeat": np.zeros(2, np.float32), "texuniform": 0,
        "size": np.full(3, 0.1, np.float32), "pos": np.zeros(3, np.float32), "mat": np.eye(3, dtype=np.float32),
        "rgba": np.array([0.5, 0.5, 0.5, 1], np.float32), "emission": 0.0, "specular": 0.5, "shininess": 0.5,
        "reflectance": 0.0, "label": "", "transparent": 0, "camdist": 0.0, "modelrbound": 0.0,
    }  # fmt: skip


class MjvLight(_Struct):
    """A light of a scene."""

    _defaults = {
        "id": 0, "pos": np.zeros(3, np.float32), "dir": np.zeros(3, np.float32), "type": 0, "texid": 0,
        "attenuation": np.zeros(3, np.float32), "cutoff": 0.0, "exponent": 0.0, "ambient": np.zeros(3, np.float32),
        "diffuse": np.zeros(3, np.float32), "specular": np.zeros(3, np.float32), "headlight": 0, "castshadow": 0,
        "bulbradius": 0.0, "intensity": 0.0, "range": 0.0, "softness": 0.0,
    }  # fmt: skip


class MjvGLCamera(_Struct):
    """A camera as OpenGL has it. Sinew's Renderer does not need it."""

    _defaults = {
        "pos": np.zeros(3, np.float32), "forward": np.zeros(3, np.float32), "up": np.zeros(3, np.float32),
        "frustum_center": 0.0, "frustum_width": 0.0, "frustum_bottom": 0.0, "frustum_top": 0.0, "frustum_near": 0.0,
        "frustum_far": 0.0, "orthographic": 0,
    }  # fmt: skip


class MjvFigure(_Struct):
    """A plot. Sinew's viewer has its own."""

    _defaults = {
        "flg_legend": 1, "flg_extend": 1, "flg_barplot": 0, "flg_selection": 0, "flg_symmetric": 0, "linewidth": 3.0,
        "gridwidth": 1.0, "gridsize": np.full(2, 2, np.int32), "title": "", "xlabel": "", "linename": "",
        "linepnt": np.zeros(100, np.int32), "linedata": np.zeros((100, 2002), np.float32),
        "range": np.array([[0, 1], [0, 1]], np.float32),
    }  # fmt: skip


class _Geoms(Sequence[MjvGeom]):
    """As many geoms as a scene may hold, made when they are first asked for. The first ones are those of the model."""

    def __init__(self, count: int) -> None:
        self._made: list[Optional[MjvGeom]] = [None] * count
        self._own: Sequence[int] = ()  # geoms and sites of the model, as numbers of what is drawn
        self._make: Any = None
        self._first: dict[int, MjvGeom] = {}  # what the first ones were that a program has asked for

    def _refill(self, own: Sequence[int], make: Callable[[int], MjvGeom]) -> None:
        self._own, self._make, self._first = own, make, {}
        self._made[: len(own)] = [None] * len(own)

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self._made))))
        place = int(index)
        if not -len(self._made) <= place < len(self._made):
            raise IndexError(f"geom {place} does not exist: the scene holds {len(self._made)}")
        place %= len(self._made)
        found = self._made[place]
        if found is None:
            found = self._made[place] = self._make(self._own[place]) if place < len(self._own) else MjvGeom()
            if place < len(self._own):
                found.segid = place
                self._first[place] = found.__copy__()
        return found

    def __repr__(self) -> str:
        return f"<{len(self._made)} geoms>"


class MjvScene:
    """What is drawn: geoms of the model and geoms that a program adds. The arrays of flexes and skins are empty.

    mjv_updateScene and Renderer.update_scene list the geoms and sites of the model first. A program may change their
    colours, sizes and poses before the scene is drawn, drop the last ones, and add others. Tendons, flexes, skins and
    what explains the state (contacts, joints, ...) are drawn without being listed.
    """

    def __init__(self, model: Any = None, maxgeom: Optional[int] = None) -> None:
        if maxgeom is None:
            maxgeom = 0 if model is None else 1000
        if int(maxgeom) < 0:
            raise ValueError(f"maxgeom: must not be negative, found {maxgeom}")
        self.maxgeom = int(maxgeom)
        self.scale = 1.0
        self.ngeom = self.nlight = self.nflex = self.nskin = self.status = self.stereo = self.framewidth = 0
        self.enabletransform = 0
        self.translate, self.rotate = np.zeros(3, np.float32), np.array([1, 0, 0, 0], np.float32)
        self.framergb = np.zeros(3, np.float32)
        self.geoms = _Geoms(self.maxgeom)
        self.lights = tuple(MjvLight() for _ in range(100))
        self.camera = (MjvGLCamera(), MjvGLCamera())
        self.flags = _flags(int(mjtRndFlag.mjNRNDFLAG), (
            mjtRndFlag.mjRND_SHADOW, mjtRndFlag.mjRND_REFLECTION, mjtRndFlag.mjRND_SKYBOX, mjtRndFlag.mjRND_HAZE,
            mjtRndFlag.mjRND_CULL_FACE))  # fmt: skip
        self._model = model
        self._frame: Any = None  # what mjv_updateScene saw
        self._textures = True
        self._poses: Any = None  # of the geoms and sites of the model: position, matrix, colour
        self._hidden: Any = ()  # those that are not drawn although they could be seen


class MjrRect(_Struct):
    """A rectangle of pixels."""

    _defaults = {"left": 0, "bottom": 0, "width": 0, "height": 0}

    def __init__(self, left: int = 0, bottom: int = 0, width: int = 0, height: int = 0) -> None:
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height


def _section(name: str, values: dict[str, Any]) -> type:
    return type(name, (_Struct,), {"_defaults": values, "__doc__": f"Part of <visual>: {name.lower()}."})


_f = np.float32


def _colours(**values: Any) -> dict[str, Any]:
    return {name: np.array(value, np.float32) for name, value in values.items()}


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


_Scale = _section("Scale", {
    "actuatorlength": 0.7, "actuatorwidth": 0.2, "camera": 0.3, "com": 0.4, "connect": 0.2, "constraint": 0.1,
    "contactheight": 0.1, "contactwidth": 0.3, "forcewidth": 0.1, "framelength": 1.0, "framewidth": 0.1,
    "frustum": 10.0, "jointlength": 1.0, "jointwidth": 0.1, "light": 0.3, "selectpoint": 0.2, "slidercrank": 0.2,
})  # fmt: skip
_Rgba = _section("Rgba", _colours(
    actuator=(0.2, 0.25, 0.2, 1), actuatornegative=(0.2, 0.6, 0.9, 1), actuatorpositive=(0.9, 0.4, 0.2, 1),
    bv=(0, 1, 0, 0.5), bvactive=(1, 0, 0, 0.5), camera=(0.6, 0.9, 0.6, 1), com=(0.9, 0.9, 0.9, 1),
    connect=(0.2, 0.2, 0.8, 1), constraint=(0.9, 0, 0, 1), contactforce=(0.7, 0.9, 0.9, 1),
    contactfriction=(0.9, 0.8, 0.4, 1), contactgap=(0.5, 0.8, 0.9, 1), contactpoint=(0.9, 0.6, 0.2, 1),
    contacttorque=(0.9, 0.7, 0.9, 1), crankbroken=(0.9, 0, 0, 1), fog=(0, 0, 0, 1), force=(1, 0.5, 0.5, 1),
    frustum=(1, 1, 0, 0.2), haze=(1, 1, 1, 1), inertia=(0.8, 0.2, 0.2, 0.6), joint=(0.2, 0.6, 0.8, 1),
    light=(0.6, 0.6, 0.9, 1), rangefinder=(1, 1, 0.1, 1), selectpoint=(0.9, 0.9, 0.1, 1), slidercrank=(0.5, 0.3, 0.8, 1),
))  # fmt: skip


class MjVisual(_Struct):
    """Settings of drawing, as <visual> of the file gives them."""

    _defaults: dict[str, Any] = {"global_": None, "quality": None, "headlight": None, "map": None, "scale": None, "rgba": None}

    def __init__(self) -> None:
        for name, kind in (("global_", _Global), ("quality", _Quality), ("headlight", _Headlight), ("map", _Map),
                           ("scale", _Scale), ("rgba", _Rgba)):  # fmt: skip
            object.__setattr__(self, name, kind())

    def __copy__(self) -> Any:
        made = MjVisual()
        for name in self._defaults:
            object.__setattr__(made, name, getattr(self, name).__copy__())
        return made


setattr(MjVisual, "global", property(lambda self: self.global_, doc="The same as global_."))


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
    if size is not None:
        sides = np.asarray(size, float).reshape(3)
        if geom.type == mjtGeom.mjGEOM_SPHERE:
            sides = sides[[0, 0, 0]]
        elif geom.type in (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER):
            sides = sides[[0, 0, 1]]
        geom.size = sides
    for name, value in (("pos", pos), ("mat", mat), ("rgba", rgba)):
        if value is not None:
            setattr(geom, name, value)


def mjv_connector(geom: MjvGeom, type: int, width: float, from_: Any, to: Any) -> None:
    """Puts a capsule, cylinder, arrow or line between two points. The width of lines is in pixels."""
    if int(type) not in _CENTERED + _FROM_ORIGIN:
        raise FatalError(f"mjv_connector: invalid geom type {int(type)} for connector")
    from ._math import mju_quat2Mat, mju_quatZ2Vec

    start, end = np.asarray(from_, float), np.asarray(to, float)
    length = float(np.linalg.norm(end - start))
    quat, mat = np.empty(4), np.empty(9)
    mju_quatZ2Vec(quat, end - start)
    mju_quat2Mat(mat, quat)
    geom.type = int(type)
    geom.size = (width, width, length / 2 if geom.type in _CENTERED else length)
    geom.pos = (start + end) / 2 if geom.type in _CENTERED else start
    geom.mat = mat.reshape(3, 3)


_CENTERED = (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER)
_FROM_ORIGIN = (mjtGeom.mjGEOM_ARROW, mjtGeom.mjGEOM_ARROW1, mjtGeom.mjGEOM_ARROW2, mjtGeom.mjGEOM_LINE)
# numbers of shapes that are drawn, of geoms that are one of them
_SHAPES = {
    mjtGeom.mjGEOM_PLANE: 0, mjtGeom.mjGEOM_SPHERE: 1, mjtGeom.mjGEOM_CAPSULE: 2, mjtGeom.mjGEOM_ELLIPSOID: 3,
    mjtGeom.mjGEOM_CYLINDER: 4, mjtGeom.mjGEOM_BOX: 5, mjtGeom.mjGEOM_ARROW: 7, mjtGeom.mjGEOM_ARROW1: 7,
}  # fmt: skip


def drawn(geom: MjvGeom, pixel: Callable[[Any], float]) -> Iterator[tuple[int, list[float], list[float], list[float], list[float]]]:
    """Shapes that a geom of a scene is drawn as: number, size, position, matrix, colour. A line is a rod;
    pixel(position) is how wide a pixel is there, m."""
    kind = mjtGeom(int(geom.type))
    size, pos, mat = (np.asarray(x, float) for x in (geom.size, geom.pos, geom.mat))
    rgba = geom.rgba.tolist()

    def one(shape: int, sides: Any, at: Any, turn: Any = mat) -> Any:
        return shape, [float(x) for x in sides], [float(x) for x in at], np.asarray(turn).reshape(-1).tolist(), rgba

    if kind in (mjtGeom.mjGEOM_CAPSULE, mjtGeom.mjGEOM_CYLINDER):
        yield one(_SHAPES[kind], (size[0], size[2], 0), pos)
    elif kind in _SHAPES:
        yield one(_SHAPES[kind], size, pos)
    elif kind == mjtGeom.mjGEOM_ARROW2:
        back = mat * np.array([1, -1, -1])  # half a turn about the first axis
        for turn in (mat, back):
            yield one(7, (size[0], size[1], size[2] / 2), pos + mat[:, 2] * size[2] / 2, turn)
    elif kind == mjtGeom.mjGEOM_LINE:
        middle = pos + mat[:, 2] * size[2] / 2
        yield one(4, (0.5 * size[0] * pixel(middle), size[2] / 2, 0), middle)
    elif kind == mjtGeom.mjGEOM_LINEBOX:
        radius = 0.5 * pixel(pos)
        for axis in range(3):
            turn = mat[:, [(axis + 1) % 3, (axis + 2) % 3, axis]]
            for i in (-1, 1):
                for j in (-1, 1):
                    corner = mat[:, (axis + 1) % 3] * (i * size[(axis + 1) % 3]) + mat[:, (axis + 2) % 3] * (j * size[(axis + 2) % 3])
                    yield one(4, (radius, size[axis], 0), pos + corner, turn)
    elif kind not in (mjtGeom.mjGEOM_LABEL, mjtGeom.mjGEOM_NONE):
        raise NotImplementedError(f"a geom of type {kind.name} cannot be added to a picture; primitives, arrows, lines and labels can")


class MjTimerStat(_Struct):
    """Time spent in a part of the step. Sinew does not fill it: `sinew bench` times stages."""

    _defaults = {"duration": 0.0, "number": 0}


class MjSolverStat(_Struct):
    """What an iteration of the solver did. Data.islands tells more."""

    _defaults = {"improvement": 0.0, "gradient": 0.0, "lineslope": 0.0, "nactive": 0, "nchange": 0, "neval": 0, "nupdate": 0}


class MjLROpt(_Struct):
    """Settings of the search for ranges of actuator lengths, which Sinew makes when it compiles."""

    _defaults = {
        "mode": 1, "useexisting": 1, "uselimit": 0, "accel": 20.0, "maxforce": 0.0, "timeconst": 1.0, "timestep": 0.01,
        "inttotal": 10.0, "interval": 2.0, "tolrange": 0.05,
    }  # fmt: skip


class MjWarningStat(_Struct):
    """How often something went wrong, and the last piece of information. Data.status tells more."""

    _defaults = {"lastinfo": 0, "number": 0}
