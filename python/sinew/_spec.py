"""Spec: the editable description of a model, as a tree of elements that carry MJCF's attributes."""

from __future__ import annotations

import os
import weakref
import xml.etree.ElementTree as ET
from typing import Any, Iterator, Mapping, Optional, Union

import numpy as np

from . import _core
from ._errors import LoadError, nearest
from ._model import _SOURCES, Data, Model, Path, _absolute, _load_text, asset_folder
from ._named import KINDS

# what the kinds of things are called in MJCF, by number
_KEYWORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("geom", "type"): ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"),
    ("site", "type"): ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box"),
    ("joint", "type"): ("free", "ball", "slide", "hinge"),
    ("camera", "mode"): ("fixed", "track", "trackcom", "targetbody", "targetbodycom"),
    ("option", "integrator"): ("Euler", "RK4", "implicit", "implicitfast", "midpoint"),
    ("option", "cone"): ("pyramidal", "elliptic"),
    ("option", "solver"): ("PGS", "CG", "Newton", "Impulse"), ("option", "method"): ("newton", "sweep"),
    ("option", "jacobian"): ("dense", "sparse", "auto"),
    ("general", "dyntype"): ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user"),
    ("general", "gaintype"): ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"),
    ("general", "biastype"): ("none", "affine", "muscle", "dcmotor", "so3", "user"),
    ("joint", "limited"): ("false", "true", "auto"), ("general", "ctrllimited"): ("false", "true", "auto"),
    ("general", "forcelimited"): ("false", "true", "auto"), ("tendon", "limited"): ("false", "true", "auto"),
    ("compiler", "inertiafromgeom"): ("false", "true", "auto"),
}  # fmt: skip
_AUTO = ("false", "true", "auto")

# values of attributes that were not written
_DEFAULTS: dict[str, dict[str, Any]] = {
    "body": {"pos": (0, 0, 0), "quat": (1, 0, 0, 0), "mocap": False, "gravcomp": 0.0, "childclass": ""},
    "frame": {"pos": (0, 0, 0), "quat": (1, 0, 0, 0)},
    "geom": {
        "type": "sphere", "pos": (0, 0, 0), "quat": (1, 0, 0, 0), "size": (0, 0, 0), "contype": 1, "conaffinity": 1,
        "condim": 3, "group": 0, "priority": 0, "friction": (1, 0.005, 0.0001), "density": 1000.0, "solmix": 1.0,
        "solref": (0.02, 1), "solimp": (0.9, 0.95, 0.001, 0.5, 2), "margin": 0.0, "gap": 0.0, "rgba": (0.5, 0.5, 0.5, 1),
        "material": "", "mesh": "", "hfield": "", "restitution": 0.0, "fromto": (np.nan,) * 6, "mass": np.nan,
    },
    "joint": {
        "type": "hinge", "pos": (0, 0, 0), "axis": (0, 0, 1), "range": (0, 0), "limited": "auto", "group": 0,
        "stiffness": 0.0, "damping": 0.0, "armature": 0.0, "frictionloss": 0.0, "ref": 0.0, "springref": 0.0,
        "margin": 0.0, "solreflimit": (0.02, 1), "solimplimit": (0.9, 0.95, 0.001, 0.5, 2),
    },
    "site": {
        "type": "sphere", "pos": (0, 0, 0), "quat": (1, 0, 0, 0), "size": (0.005, 0.005, 0.005), "group": 0,
        "rgba": (0.5, 0.5, 0.5, 1), "material": "",
    },
    "camera": {"pos": (0, 0, 0), "quat": (1, 0, 0, 0), "mode": "fixed", "fovy": 45.0},
    "light": {"pos": (0, 0, 0), "dir": (0, 0, -1), "active": True},
    "option": {"timestep": 0.002, "gravity": (0, 0, -9.81), "iterations": 100, "integrator": "Euler", "cone": "pyramidal",
               "solver": "Newton", "density": 0.0, "viscosity": 0.0, "impratio": 1.0, "tolerance": 1e-8},
    "compiler": {"angle": "degree", "autolimits": True, "meshdir": "", "texturedir": "", "eulerseq": "xyz",
                 "settotalmass": -1.0, "balanceinertia": False, "fusestatic": False, "discardvisual": False},
    "general": {"gear": (1, 0, 0, 0, 0, 0), "ctrlrange": (0, 0), "forcerange": (0, 0), "group": 0,
                "gainprm": (1,) + (0,) * 9, "biasprm": (0,) * 10, "dynprm": (1,) + (0,) * 9, "dyntype": "none",
                "gaintype": "fixed", "biastype": "none", "ctrllimited": "auto", "forcelimited": "auto"},
    "key": {"time": 0.0},
    "pair": {"geom1": "", "geom2": "", "condim": 3}, "exclude": {"body1": "", "body2": ""},
    "mesh": {"file": "", "scale": (1, 1, 1)}, "texture": {"file": ""}, "material": {"rgba": (1, 1, 1, 1)},
    "numeric": {"data": ()}, "text": {"data": ""},
}  # fmt: skip

# attributes whose values are names or keywords, even if they look like numbers
_TEXT = frozenset((
    "name", "class", "childclass", "mesh", "hfield", "material", "texture", "file", "target", "joint", "joint1", "joint2",
    "site", "site1", "site2", "body", "body1", "body2", "geom", "geom1", "geom2", "tendon", "tendon1", "tendon2",
    "actuator", "objname", "refname", "objtype", "reftype", "type", "mode", "meshdir", "texturedir", "assetdir", "angle",
    "eulerseq", "integrator", "cone", "solver", "method", "jacobian", "jointinparent", "slidersite", "cranksite", "refsite",
    "sidesite", "bodies", "flex", "builtin", "content_type", "model", "prefix", "dyntype", "gaintype", "biastype",
    "inertia", "law", "bending", "elastic2d", "selfcollide", "dof", "limited", "ctrllimited", "forcelimited", "actlimited",
))  # fmt: skip

# attributes that refer to something by name
_REFERENCES = frozenset((
    "mesh", "hfield", "material", "texture", "target", "joint", "joint1", "joint2", "site", "site1", "site2", "body",
    "body1", "body2", "geom", "geom1", "geom2", "tendon", "tendon1", "tendon2", "actuator", "objname", "refname",
    "jointinparent", "slidersite", "cranksite", "refsite", "sidesite", "flex", "childclass", "class",
))  # fmt: skip

# MuJoCo's names of attributes that MJCF calls otherwise
_ALIASES: dict[str, dict[str, str]] = {
    "geom": {"meshname": "mesh", "hfieldname": "hfield", "userdata": "user"},
    "body": {"userdata": "user"}, "joint": {"userdata": "user"}, "site": {"userdata": "user"},
    "camera": {"userdata": "user", "targetbody": "target"}, "option": {}, "key": {}, "numeric": {},
    "mesh": {"uservert": "vertex", "userface": "face"}, "hfield": {"userdata": "elevation"},
}  # fmt: skip

_SENSOR_ATTRIBUTE = {
    "touch": "site", "accelerometer": "site", "velocimeter": "site", "gyro": "site", "force": "site", "torque": "site",
    "magnetometer": "site", "rangefinder": "site", "jointpos": "joint", "jointvel": "joint", "tendonpos": "tendon",
    "tendonvel": "tendon", "actuatorpos": "actuator", "actuatorvel": "actuator", "actuatorfrc": "actuator",
    "jointactuatorfrc": "joint", "tendonactuatorfrc": "tendon", "ballquat": "joint", "ballangvel": "joint",
    "jointlimitpos": "joint", "jointlimitvel": "joint", "jointlimitfrc": "joint", "tendonlimitpos": "tendon",
    "tendonlimitvel": "tendon", "tendonlimitfrc": "tendon", "subtreecom": "body", "subtreelinvel": "body",
    "subtreeangmom": "body",
}  # fmt: skip
_SENSOR_TAGS = (
    "touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "rangefinder", "camprojection",
    "jointpos", "jointvel", "tendonpos", "tendonvel", "actuatorpos", "actuatorvel", "actuatorfrc", "jointactuatorfrc",
    "tendonactuatorfrc", "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "tendonlimitpos",
    "tendonlimitvel", "tendonlimitfrc", "framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel",
    "frameangvel", "framelinacc", "frameangacc", "subtreecom", "subtreelinvel", "subtreeangmom", "insidesite", "distance",
    "normal", "fromto", "contact", "e_potential", "e_kinetic", "clock",
)  # fmt: skip
_OBJECTS = {1: "body", 2: "xbody", 3: "joint", 5: "geom", 6: "site", 7: "camera", 18: "tendon", 19: "actuator"}
_TRANSMISSIONS = {0: "joint", 1: "jointinparent", 3: "tendon", 4: "site", 5: "body"}
_EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain")
_SECTIONS = {
    "mesh": "asset", "hfield": "asset", "texture": "asset", "material": "asset", "pair": "contact", "exclude": "contact",
    "equality": "equality", "tendon": "tendon", "actuator": "actuator", "sensor": "sensor", "key": "keyframe",
    "numeric": "custom", "text": "custom", "tuple": "custom", "flex": "deformable",
}  # fmt: skip
_IN_BODY = ("geom", "joint", "site", "camera", "light", "body", "frame", "flexcomp")


class Keyword(str):
    """A word of MJCF that also equals its number: geom.type == "box" and geom.type == mjtGeom.mjGEOM_BOX."""

    number: int

    def __new__(cls, word: str, number: int) -> "Keyword":
        made = super().__new__(cls, word)
        made.number = number
        return made

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, str) else self.number == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __int__(self) -> int:
        return self.number

    __index__ = __int__


class LiveArray(np.ndarray):
    """Numbers of an attribute; writing to them changes the element."""

    _element: Any
    _attribute: str

    def __array_finalize__(self, source: Any) -> None:
        self._element = None
        self._attribute = ""

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if self._element is not None:
            self._element._write(self._attribute, np.asarray(self))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    numbers = np.asarray(value).reshape(-1)
    if numbers.dtype.kind in "US":
        return " ".join(str(n) for n in numbers)
    return " ".join(_text(n.item()) for n in numbers)


def _parse(element: "Element", name: str, text: str) -> Any:
    words = _KEYWORDS.get((element._kind, name))
    if words and text in words:
        return Keyword(text, words.index(text))
    if name in _TEXT:
        return text
    if text in ("true", "false"):
        return text == "true"
    try:
        numbers = [float(t) for t in text.split()]
    except ValueError:
        return text
    default = _DEFAULTS.get(element._kind, {}).get(name)
    if len(numbers) == 1 and not isinstance(default, tuple):
        integer = isinstance(default, int) and not isinstance(default, bool)
        return int(numbers[0]) if integer else numbers[0]
    if isinstance(default, tuple) and len(numbers) < len(default):
        numbers += list(default[len(numbers) :])
    return _live(element, name, numbers)


def _live(element: "Element", name: str, numbers: Any) -> LiveArray:
    array = np.array(numbers, np.float64).view(LiveArray)
    array._element = element
    array._attribute = name
    return array


class Element:
    """One element of a Spec. Its attributes are those of MJCF; what was not written reads as its default."""

    __slots__ = ("_node", "_spec", "_kind", "__weakref__")
    _node: ET.Element
    _spec: "Spec"
    _kind: str

    def __init__(self, spec: "Spec", node: ET.Element, kind: Optional[str] = None) -> None:
        object.__setattr__(self, "_spec", spec)
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_kind", kind or _kind_of(node))

    # ---- attributes

    @property
    def name(self) -> str:
        """Name; empty if it has none."""
        return "world" if self._node.tag == "worldbody" else self._node.get("name", "")

    @name.setter
    def name(self, value: str) -> None:
        if value and any(e is not self._node and e.get("name") == value for e in self._spec._nodes(self._kind)):
            raise ValueError(f"repeated name {value!r} for a {self._kind}")
        self._node.set("name", value)

    def _write(self, name: str, value: Any) -> None:
        self._spec._require(self._node)
        self._node.set(name, _text(value))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        name = _ALIASES.get(self._kind, {}).get(name, name)
        special = self._special_get(name)
        if special is not None:
            return special
        text = self._node.get(name)
        if text is not None:
            return _parse(self, name, text)
        default = _DEFAULTS.get(self._kind, {}).get(name)
        if default is None:
            if name in self._attributes():
                return None
            raise AttributeError(f"<{self._node.tag}> has no {name!r} yet; {nearest(name, self._attributes())}")
        if isinstance(default, tuple):
            return _live(self, name, default)
        words = _KEYWORDS.get((self._kind, name))
        return Keyword(default, words.index(default)) if words and default in words else default

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name":
            type(self).name.fset(self, value)  # type: ignore[attr-defined]
            return
        name = _ALIASES.get(self._kind, {}).get(name, name)
        if self._special_set(name, value):
            return
        if value is None:
            self._node.attrib.pop(name, None)
            return
        words = _KEYWORDS.get((self._kind, name)) or (_AUTO if name.endswith("limited") else None)
        if words and not isinstance(value, str) and not isinstance(value, bool):
            if not 0 <= int(value) < len(words):
                raise ValueError(f"{name}: must be one of {', '.join(words)}, found {value!r}")
            value = words[int(value)]
        if name in ("fromto",) and np.any(np.isnan(np.asarray(value, float))):
            return
        self._write(name, value)

    def _attributes(self) -> set[str]:
        return set(self._node.attrib) | set(_DEFAULTS.get(self._kind, {})) | {"user", "euler", "axisangle", "xyaxes", "zaxis"}

    def __dir__(self) -> list[str]:
        return sorted(self._attributes() | {"name", "delete", "parent"} | set(dir(type(self))))

    def _special_get(self, name: str) -> Any:
        if self._kind == "sensor":
            if name == "type":
                return Keyword(self._node.tag, _SENSOR_TAGS.index(self._node.tag) if self._node.tag in _SENSOR_TAGS else -1)
            if name == "objname":
                return self._node.get(_SENSOR_ATTRIBUTE.get(self._node.tag, "objname"), "")
        if self._kind == "actuator" and name == "target":
            for key in _TRANSMISSIONS.values():
                if key in self._node.attrib:
                    return self._node.get(key)
            return ""
        if self._kind == "equality" and name == "type":
            return Keyword(self._node.tag, _EQUALITIES.index(self._node.tag))
        if self._kind == "equality" and name in ("name1", "name2"):
            for key in ("body", "site", "joint", "tendon", "geom"):
                if key + name[-1] in self._node.attrib:
                    return self._node.get(key + name[-1])
            return ""
        return None

    def _special_set(self, name: str, value: Any) -> bool:
        node = self._node
        if self._kind == "sensor":
            if name == "type":
                node.tag = value if isinstance(value, str) else _SENSOR_TAGS[int(value)]
                return True
            if name in ("objtype", "reftype"):
                if node.tag not in _SENSOR_ATTRIBUTE:
                    node.set(name, value if isinstance(value, str) else _OBJECTS[int(value)])
                return True
            if name == "objname":
                node.set(_SENSOR_ATTRIBUTE.get(node.tag, "objname"), value)
                return True
        if self._kind == "actuator":
            if name == "trntype":
                target = self._special_get("target")
                for key in _TRANSMISSIONS.values():
                    node.attrib.pop(key, None)
                node.set(_TRANSMISSIONS[int(value)], target)
                return True
            if name == "target":
                for key in _TRANSMISSIONS.values():
                    if key in node.attrib:
                        node.set(key, value)
                        return True
                node.set("joint", value)
                return True
        if self._kind == "equality":
            if name == "type":
                node.tag = value if isinstance(value, str) else _EQUALITIES[int(value)]
                return True
            if name in ("name1", "name2"):
                prefix = {"connect": "body", "weld": "body", "joint": "joint", "tendon": "tendon"}.get(node.tag, "flex")
                node.set("flex" if prefix == "flex" else prefix + name[-1], value)
                return True
        return False

    # ---- the tree

    @property
    def parent(self) -> Optional["Element"]:
        """The element it is in; None for the world and what is outside the tree."""
        node = self._spec._parent(self._node)
        return None if node is None or node.tag in _SECTIONS.values() or node.tag == "mujoco" else self._spec._wrap(node)

    def delete(self) -> None:
        """Takes it out of the Spec, with all that is in it and what refers to it."""
        self._spec.delete(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and other._node is self._node

    def __hash__(self) -> int:
        return hash(id(self._node))

    def __repr__(self) -> str:
        return f"<{self._node.tag} {self.name!r}>" if self.name else f"<{self._node.tag}>"

    def _add(self, tag: str, values: Mapping[str, Any], default: Any = None) -> Any:
        self._spec._require(self._node)
        if self._node.tag not in ("worldbody", "body", "frame", "replicate"):
            raise ValueError(f"a <{tag}> cannot be put into a <{self._node.tag}>")
        node = ET.SubElement(self._node, tag)
        if default is not None:
            node.set("class", default if isinstance(default, str) else default.name)
        return self._spec._fill(node, values)

    # ---- what bodies and frames have

    def add_body(self, default: Any = None, **values: Any) -> "Element":
        """A body in this one; values are its attributes."""
        child = self._add("body", values)
        if default is not None:
            child._node.set("childclass", default if isinstance(default, str) else default.name)
        return child  # type: ignore[no-any-return]

    def add_geom(self, default: Any = None, **values: Any) -> "Element":
        """A geom in this body."""
        return self._add("geom", values, default)  # type: ignore[no-any-return]

    def add_joint(self, default: Any = None, **values: Any) -> "Element":
        """A joint of this body."""
        return self._add("joint", values, default)  # type: ignore[no-any-return]

    def add_freejoint(self, **values: Any) -> "Element":
        """Lets this body move freely."""
        return self._add("freejoint", values)  # type: ignore[no-any-return]

    def add_site(self, default: Any = None, **values: Any) -> "Element":
        """A site in this body."""
        return self._add("site", values, default)  # type: ignore[no-any-return]

    def add_camera(self, default: Any = None, **values: Any) -> "Element":
        """A camera in this body."""
        return self._add("camera", values, default)  # type: ignore[no-any-return]

    def add_light(self, default: Any = None, **values: Any) -> "Element":
        """A light in this body."""
        return self._add("light", values, default)  # type: ignore[no-any-return]

    def add_frame(self, default: Any = None, **values: Any) -> "Element":
        """A frame in this body: what is put into it is moved by it."""
        return self._add("frame", values)  # type: ignore[no-any-return]

    def add_flexcomp(self, **values: Any) -> "Element":
        """A soft thing made by a generator: type, count, spacing, dim, mass, radius, ... See docs/flex.md."""
        return self._add("flexcomp", values)  # type: ignore[no-any-return]

    def add(self, tag: str, **values: Any) -> "Element":
        """A child element of any kind, such as add("elasticity", young=1e5) of a flexcomp."""
        self._spec._require(self._node)
        return self._spec._fill(ET.SubElement(self._node, tag), values)

    def _children(self, *tags: str) -> list["Element"]:
        return [self._spec._wrap(n) for n in self._node.iter() if n is not self._node and n.tag in tags
                and self._spec._body_of(n) is self._node]  # fmt: skip

    @property
    def bodies(self) -> list["Element"]:
        """The bodies in this one."""
        return self._children("body")

    @property
    def geoms(self) -> list["Element"]:
        """The geoms of this body."""
        return self._children("geom")

    @property
    def joints(self) -> list["Element"]:
        """The joints of this body."""
        return self._children("joint", "freejoint")

    @property
    def sites(self) -> list["Element"]:
        """The sites of this body."""
        return self._children("site")

    @property
    def cameras(self) -> list["Element"]:
        """The cameras of this body."""
        return self._children("camera")

    @property
    def frames(self) -> list["Element"]:
        """The frames of this body."""
        return self._children("frame")

    def find_child(self, name: str) -> Optional["Element"]:
        """The body of this name below this one."""
        for node in self._node.iter("body"):
            if node.get("name") == name and node is not self._node:
                return self._spec._wrap(node)
        return None

    def attach_body(self, body: "Element", prefix: str = "", suffix: str = "") -> "Element":
        """Copies a body of a Spec, with all that refers to it, into this body, frame or site."""
        return self._spec._attach(body._spec, body._node, self._node, prefix, suffix)

    def attach_frame(self, frame: "Element", prefix: str = "", suffix: str = "") -> "Element":
        """The same for a frame."""
        return self._spec._attach(frame._spec, frame._node, self._node, prefix, suffix)

    # ---- what actuators have

    def _become(self, tag: str, **values: Any) -> None:
        self._node.tag = tag
        for name, value in values.items():
            if value is not None:
                self._node.set(name, _text(value))

    def set_to_motor(self) -> None:
        """Force = control."""
        self._become("motor")

    def set_to_position(self, kp: float, kv: Any = None, dampratio: Any = None, timeconst: Any = None) -> None:
        """A position servo."""
        self._become("position", kp=kp, kv=kv, dampratio=dampratio, timeconst=timeconst)

    def set_to_velocity(self, kv: float) -> None:
        """A velocity servo."""
        self._become("velocity", kv=kv)


def _kind_of(node: ET.Element) -> str:
    if node.tag == "worldbody":
        return "body"
    if node.tag == "freejoint":
        return "joint"
    return node.tag


class Spec:
    """The editable description of a model.

        spec = sinew.Spec()
        ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
        ball.add_freejoint()
        ball.add_geom(type="sphere", size=[0.1])
        model = spec.compile()

    Elements carry the attributes of MJCF. recompile() turns a changed Spec into a new Model and Data whose state is that
    of the old ones, bit for bit, for all that is still there.
    """

    def __init__(self) -> None:
        self._root = ET.fromstring("<mujoco><worldbody/></mujoco>")
        self._directory = ""
        self.assets: dict[str, bytes] = {}
        self._wrapped: "weakref.WeakValueDictionary[int, Element]" = weakref.WeakValueDictionary()
        self._parents: dict[ET.Element, ET.Element] = {}

    # ---- reading and writing

    @classmethod
    def from_file(cls, file: Path) -> "Spec":
        """Reads MJCF or URDF. Includes, default classes, replicates and attachments appear resolved."""
        spec = cls()
        path = os.path.abspath(os.fspath(file))
        spec._directory = os.path.dirname(path)
        text, _ = _core.resolve_file(path, spec._directory)
        spec._root = ET.fromstring(text)
        return spec

    @classmethod
    def from_text(cls, text: str, assets: Optional[Mapping[str, Union[bytes, str]]] = None, *, directory: Path = "") -> "Spec":
        """The same from text."""
        spec = cls()
        spec._directory = os.fspath(directory)
        for name, content in (assets or {}).items():
            spec.assets[name] = content.encode() if isinstance(content, str) else content
        if spec.assets:
            with asset_folder(text, spec.assets) as folder:
                resolved, _ = _core.resolve_text(text, "model.xml", folder, folder)
        else:
            resolved, _ = _core.resolve_text(text, "model.xml", spec._directory, spec._directory)
        spec._root = ET.fromstring(resolved)
        return spec

    from_string = from_text

    def to_xml(self) -> str:
        """As MJCF."""
        root = ET.fromstring(ET.tostring(self._root))
        ET.indent(root)
        return ET.tostring(root, encoding="unicode") + "\n"

    def to_file(self, file: Path) -> None:
        """Writes MJCF."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.to_xml())

    def copy(self) -> "Spec":
        """An independent Spec with the same content."""
        other = type(self)()
        other._root = ET.fromstring(ET.tostring(self._root))
        other._directory = self._directory
        other.assets = dict(self.assets)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Spec":
        return self.copy()

    # ---- nodes

    def _wrap(self, node: ET.Element, kind: Optional[str] = None) -> Element:
        found = self._wrapped.get(id(node))
        if found is None or found._node is not node:
            if kind is None and node.tag not in ("worldbody", "body", *_IN_BODY):
                above = self._parent(node)
                if above is not None and above.tag in ("equality", "tendon", "actuator", "sensor"):
                    kind = above.tag
            found = Element(self, node, kind)
            self._wrapped[id(node)] = found
        return found

    def _refresh(self) -> None:
        self._parents = {child: above for above in self._root.iter() for child in above}

    def _parent(self, node: ET.Element) -> Optional[ET.Element]:
        above = self._parents.get(node)
        if above is None or node not in list(above):
            self._refresh()
            above = self._parents.get(node)
        return above

    def _require(self, node: ET.Element) -> None:
        if node is not self._root and self._parent(node) is None:
            raise ValueError(f"this <{node.tag}> is no longer part of the Spec")

    def _body_of(self, node: ET.Element) -> Optional[ET.Element]:
        above = self._parent(node)
        while above is not None and above.tag == "frame":
            above = self._parent(above)
        return above

    def _section(self, tag: str) -> ET.Element:
        found = self._root.find(tag)
        return found if found is not None else ET.SubElement(self._root, tag)

    def _nodes(self, kind: str) -> list[ET.Element]:
        world = self._section("worldbody")
        if kind == "body":
            return [world] + list(world.iter("body"))
        if kind == "joint":
            return [n for n in world.iter() if n.tag in ("joint", "freejoint")]
        if kind in ("geom", "site", "camera", "light", "frame", "flexcomp"):
            return list(world.iter(kind))
        section = _SECTIONS.get(kind)
        if section is None:
            return []
        found: list[ET.Element] = []
        for part in self._root.findall(section):
            found += [n for n in part if kind in ("equality", "tendon", "actuator", "sensor") or n.tag == kind]
        return found

    def _fill(self, node: ET.Element, values: Mapping[str, Any]) -> Any:
        made = self._wrap(node)
        try:
            for name, value in values.items():
                setattr(made, name, value)
        except Exception:
            above = self._parent(node)
            if above is not None:
                above.remove(node)
            raise
        return made

    # ---- what there is

    @property
    def worldbody(self) -> Element:
        """The world."""
        return self._wrap(self._section("worldbody"))

    @property
    def option(self) -> Element:
        """<option>: timestep, gravity, solver, ..."""
        return self._wrap(self._section("option"))

    @property
    def compiler(self) -> Element:
        """<compiler>."""
        return self._wrap(self._section("compiler"))

    @property
    def stat(self) -> Element:
        """<statistic>."""
        return self._wrap(self._section("statistic"))

    @property
    def modelname(self) -> str:
        """Name of the model."""
        return self._root.get("model", "")

    @modelname.setter
    def modelname(self, name: str) -> None:
        self._root.set("model", name)

    def find(self, kind: str, name: str) -> Optional[Element]:
        """The element of this kind ("body", "geom", "actuator", ...) and name; None if there is none."""
        for node in self._nodes(kind):
            if node.get("name") == name or (kind == "body" and name == "world" and node.tag == "worldbody"):
                return self._wrap(node)
        return None

    def all(self, kind: str) -> list[Element]:
        """All elements of a kind."""
        return [self._wrap(n) for n in self._nodes(kind)]

    def _add(self, kind: str, tag: str, values: Mapping[str, Any]) -> Any:
        node = ET.SubElement(self._section(_SECTIONS[kind]), tag)
        self._refresh()
        return self._fill(node, values)

    def add_actuator(self, default: Any = None, **values: Any) -> Element:
        """An actuator; target (and trntype) say what it acts on, or joint=, tendon=, site=, body=."""
        return self._add("actuator", "general", values)  # type: ignore[no-any-return]

    def add_sensor(self, **values: Any) -> Element:
        """A sensor; type must be given."""
        if "type" not in values:
            raise ValueError("a sensor needs a type")
        ordered = {"type": values.pop("type"), **values}
        return self._add("sensor", "user", ordered)  # type: ignore[no-any-return]

    def add_equality(self, default: Any = None, **values: Any) -> Element:
        """An equality constraint; type says which."""
        kind = values.pop("type", "connect")
        tag = kind if isinstance(kind, str) else _EQUALITIES[int(kind)]
        values.pop("objtype", None)
        return self._add("equality", tag, values)  # type: ignore[no-any-return]

    def add_tendon(self, default: Any = None, *, fixed: bool = False, **values: Any) -> Element:
        """A tendon; .add("site", site=...) or .add("joint", joint=..., coef=...) make its path."""
        return self._add("tendon", "fixed" if fixed else "spatial", values)  # type: ignore[no-any-return]

    def recompile(self, model: Model, data: Data) -> tuple[Model, Data]:
        """Compiles the changed Spec; the new Data has the state of `data` for all that is still there, bit for bit.

        Elements are recognized by themselves, not by name: renaming one does not lose its state. What is new starts
        from its reference. The old model and data stay as they are.
        """
        old = _COMPILED.get(model)
        if old is None or old[0]() is not self:
            old = (weakref.ref(self), {})
        made = self.compile()
        return made, _transfer(old[1], _COMPILED[made][1], model, data, made)

    def compile(self) -> Model:
        """The Model of this Spec. Raises LoadError."""
        text = self.to_xml()
        if self.assets:
            base = _load_text(text, self.assets, "spec.xml", self._directory, None, None, self._mujoco_gap)
        else:
            base = _core.load_text(text, "spec.xml", self._directory, None, None, self._mujoco_gap)
        model = Model(base)
        # as it is now: the Spec may change
        _SOURCES[model] = (None, text, dict(self.assets), _absolute(self._directory))
        _COMPILED[model] = (weakref.ref(self), self._numbers(model))
        return model

    _mujoco_gap = False

    def _numbers(self, model: Model) -> dict[str, dict[ET.Element, int]]:
        """Which number each element has in the model, where they can be told."""
        table: dict[str, dict[ET.Element, int]] = {}
        for kind in ("body", "joint", "geom", "site", "tendon", "actuator", "sensor", "equality"):
            nodes = self._nodes(kind)
            if kind in ("joint", "geom", "site"):
                # body after body, as they are numbered
                nodes = [n for body in self._nodes("body") for n in self._of(body, kind)]
            count = model._count(KINDS[kind][0])
            if len(nodes) == count:
                table[kind] = {node: i for i, node in enumerate(nodes)}
            else:
                numbers = {n: model._find(KINDS[kind][0], n.get("name", "")) for n in nodes if n.get("name")}
                table[kind] = {n: i for n, i in numbers.items() if i >= 0}
        return table

    def _of(self, body: ET.Element, kind: str) -> Iterator[ET.Element]:
        tags = ("joint", "freejoint") if kind == "joint" else (kind,)
        for child in body:
            if child.tag in tags:
                yield child
            elif child.tag == "frame":
                yield from self._of(child, kind)

    # ---- removing and attaching

    def delete(self, element: Element) -> None:
        """Takes an element out, with all that is in it and everything that refers to it."""
        node = element._node
        self._require(node)
        if node.tag == "worldbody":
            raise ValueError("the world cannot be deleted")
        above = self._parent(node)
        assert above is not None
        above.remove(node)
        self._refresh()
        gone: dict[str, set[str]] = {}
        for n in node.iter():
            if n.get("name"):
                gone.setdefault(_kind_of(n), set()).add(n.get("name", ""))
        if not gone:
            return
        again = True
        while again:
            again = False
            for section in ("contact", "equality", "tendon", "actuator", "sensor", "deformable"):
                for part in self._root.findall(section):
                    for n in list(part):
                        if any(_refers(x, gone) for x in n.iter()):
                            part.remove(n)
                            if n.get("name"):
                                kind = section if section in ("tendon", "actuator", "sensor", "equality") else _kind_of(n)
                                gone.setdefault(kind, set()).add(n.get("name", ""))
                                again = True
        for part in self._root.findall("keyframe"):
            for key in part:
                # keyframes count coordinates that are no longer there
                for name in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
                    key.attrib.pop(name, None)
        self._refresh()

    def attach(
        self, child: "Spec", prefix: str = "", suffix: str = "", site: Any = None, frame: Any = None, body: Any = None
    ) -> Element:
        """Copies a whole Spec into a site, frame or body of this one, with new names. Returns the frame it is in."""
        place = site if site is not None else frame if frame is not None else body
        if place is None:
            raise ValueError("attach: say where, with site=, frame= or body=")
        if isinstance(place, str):
            kind = "site" if site is not None else "frame" if frame is not None else "body"
            found = self.find(kind, place)
            if found is None:
                raise KeyError(f"there is no {kind} {place!r}; {nearest(place, [n.get('name', '') for n in self._nodes(kind)])}")
            place = found
        return self._attach(child, child._section("worldbody"), place._node, prefix, suffix)

    def _attach(self, child: "Spec", part: ET.Element, place: ET.Element, prefix: str, suffix: str) -> Element:
        self._require(place)
        for name in ("angle", "eulerseq"):
            mine, its = getattr(self.compiler, name), getattr(child.compiler, name)
            uses = any(n.get("euler") or n.get("range") or n.get("axisangle") for n in child._root.iter())
            if mine != its and uses:
                raise ValueError(f"attach: <compiler {name}> is {mine!r} here and {its!r} in the attached Spec")
        names: dict[str, set[str]] = {}
        for n in child._root.iter():
            if n.get("name"):
                names.setdefault("any", set()).add(n.get("name", ""))

        def renamed(node: ET.Element) -> ET.Element:
            made = ET.fromstring(ET.tostring(node))
            for n in made.iter():
                for key, value in list(n.attrib.items()):
                    if key == "name" and value or key in _REFERENCES and value in names.get("any", ()):
                        n.set(key, prefix + value + suffix)
            return made

        target = place
        frame = ET.Element("frame")
        if place.tag == "site":
            target = self._body_of(place)  # type: ignore[assignment]
            for key in ("pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"):
                if place.get(key):
                    frame.set(key, place.get(key, ""))
        whole = part.tag == "worldbody"
        before = {n.get("name") for kind in ("body", "geom", "joint", "site") for n in self._nodes(kind) if n.get("name")}
        copy = renamed(part)
        if whole:
            frame.extend(list(copy))
        else:
            frame.append(copy)
        clash = sorted(n.get("name", "") for n in frame.iter() if n.get("name") and n.get("name") in before)
        if clash:
            raise ValueError(f"repeated name {clash[0]!r} in the attached part: use a prefix or suffix")
        target.append(frame)
        inside = {n.get("name") for n in frame.iter() if n.get("name")}
        for section in ("asset", "contact", "equality", "tendon", "actuator", "sensor", "default", "custom"):
            for its in child._root.findall(section):
                mine = self._section(section)
                for node in its:
                    copied = renamed(node)
                    refers = {v for x in copied.iter() for k, v in x.attrib.items() if k in _REFERENCES}
                    wanted = whole or section in ("asset", "default") or bool(refers & inside) and section != "custom"
                    known = {(n.tag, n.get("name")) for n in mine}
                    if wanted and (copied.tag, copied.get("name")) not in known:
                        mine.append(copied)
                        if copied.get("name"):
                            inside.add(copied.get("name"))
        for name, content in child.assets.items():
            self.assets.setdefault(name, content)
        if child._directory and child._directory != self._directory:
            for n in frame.iter():
                pass
            for its in self._root.findall("asset"):
                for node in its:
                    file = node.get("file")
                    if file and not os.path.isabs(file) and not os.path.exists(os.path.join(self._directory, file)):
                        node.set("file", os.path.join(child._directory, file))
        self._refresh()
        return self._wrap(frame if whole else copy)

    def __repr__(self) -> str:
        return f"<sinew.Spec {self.modelname!r}: {len(self._nodes('body'))} bodies>"


def _refers(node: ET.Element, gone: Mapping[str, set[str]]) -> bool:
    for key, value in node.attrib.items():
        if key not in _REFERENCES:
            continue
        kind = key.rstrip("12")
        kind = {"jointinparent": "joint", "slidersite": "site", "cranksite": "site", "refsite": "site", "sidesite": "site"}.get(kind, kind)
        if key in ("objname", "refname", "target"):
            kind = node.get("objtype" if key == "objname" else "reftype", "body")
            kind = "body" if kind == "xbody" else kind
        if value in gone.get(kind, ()):
            return True
    return False


def _plural(kind: str) -> str:
    return {"body": "bodies", "equality": "equalities", "mesh": "meshes"}.get(kind, kind + "s")


def _finder(kind: str) -> Any:
    def find(self: Spec, name: str) -> Optional[Element]:
        return self.find(kind, name)

    find.__doc__ = f"The {kind} of this name, None if there is none."
    return find


def _lister(kind: str) -> property:
    def every(self: Spec) -> list[Element]:
        return self.all(kind)

    return property(every, doc=f"Every {kind}.")


for _kind in ("body", "geom", "joint", "site", "camera", "light", "frame", "mesh", "hfield", "texture", "material", "pair",
              "exclude", "equality", "tendon", "actuator", "sensor", "key", "numeric", "text", "tuple", "flexcomp", "flex"):  # fmt: skip
    setattr(Spec, _kind, _finder(_kind))
    setattr(Spec, _plural(_kind), _lister(_kind))
for _kind in ("mesh", "hfield", "texture", "material", "pair", "exclude", "key", "numeric", "text", "tuple", "flex"):

    def _adder(self: Spec, default: Any = None, _kind: str = _kind, **values: Any) -> Element:
        return self._add(_kind, _kind, values)  # type: ignore[no-any-return]

    _adder.__doc__ = f"A <{_kind}>; values are its attributes."
    setattr(Spec, "add_" + _kind, _adder)

# what Spec a model was compiled from, and the numbers of the elements in it
_COMPILED: "weakref.WeakKeyDictionary[Model, tuple[Any, dict[str, dict[ET.Element, int]]]]" = weakref.WeakKeyDictionary()


def _transfer(old: Mapping[str, Any], new: Mapping[str, Any], m1: Model, d1: Data, m2: Model) -> Data:
    """A Data of m2 in the state of d1."""
    d2 = Data(m2)
    d2.time = d1.time
    d2.threads = d1.threads

    def pairs(kind: str) -> list[tuple[int, int]]:
        if kind in old:
            its = new.get(kind, {})
            return [(i, its[node]) for node, i in old[kind].items() if node in its]
        number = KINDS[kind][0]
        found = [(i, m2._find(number, m1._name(number, i) or "")) for i in range(m1._count(number)) if m1._name(number, i)]
        return [(a, b) for a, b in found if b >= 0]

    joints = pairs("joint")
    for a, b in joints:
        if m1.jnt_type[a] != m2.jnt_type[b]:
            continue
        kind = int(m1.jnt_type[a])
        nq, nv = (7, 4, 1, 1)[kind], (6, 3, 1, 1)[kind]
        q1, q2, v1, v2 = m1.jnt_qposadr[a], m2.jnt_qposadr[b], m1.jnt_dofadr[a], m2.jnt_dofadr[b]
        d2.qpos[q2 : q2 + nq] = d1.qpos[q1 : q1 + nq]
        for name in ("qvel", "qacc_warmstart", "qfrc_applied", "qacc"):
            getattr(d2, name)[v2 : v2 + nv] = getattr(d1, name)[v1 : v1 + nv]
    bodies = pairs("body")
    for a, b in bodies:
        d2.xfrc_applied[b] = d1.xfrc_applied[a]
        if m1.body_mocapid[a] >= 0 and m2.body_mocapid[b] >= 0:
            d2.mocap_pos[m2.body_mocapid[b]] = d1.mocap_pos[m1.body_mocapid[a]]
            d2.mocap_quat[m2.body_mocapid[b]] = d1.mocap_quat[m1.body_mocapid[a]]
    for a, b in pairs("actuator"):
        for adr, num, name in (("actuator_ctrladr", "actuator_ctrlnum", "ctrl"), ("actuator_actadr", "actuator_actnum", "act")):
            n = int(getattr(m1, num)[a])
            if n and n == getattr(m2, num)[b] and getattr(m1, adr)[a] >= 0:
                s1, s2 = getattr(m1, adr)[a], getattr(m2, adr)[b]
                getattr(d2, name)[s2 : s2 + n] = getattr(d1, name)[s1 : s1 + n]
        _history(m1, d1, m2, d2, "actuator", a, b)
    for a, b in pairs("sensor"):
        _history(m1, d1, m2, d2, "sensor", a, b)
    equalities = pairs("equality")
    for a, b in equalities:
        d2.eq_active[b] = d1.eq_active[a]
    flexes = [(i, m2._find(9, m1._name(9, i) or "")) for i in range(m1.nflex)]
    for a, b in flexes:
        n1 = np.flatnonzero(m1.flexnode_flexid == a)
        n2 = np.flatnonzero(m2.flexnode_flexid == b)
        if b < 0 or len(n1) != len(n2) or not len(n1):
            continue
        rows = slice(3 * n1[0], 3 * n1[0] + 3 * len(n1)), slice(3 * n2[0], 3 * n2[0] + 3 * len(n2))
        d2.qpos[m2.nq_rigid :][rows[1]] = d1.qpos[m1.nq_rigid :][rows[0]]
        for name in ("qvel", "qacc_warmstart", "qfrc_applied"):
            getattr(d2, name)[m2.nv_rigid :][rows[1]] = getattr(d1, name)[m1.nv_rigid :][rows[0]]
    count = min(m1.nuserdata, m2.nuserdata)
    d2.userdata[:count] = d1.userdata[:count]
    if m1.signature == m2.signature:
        sleep = np.empty(m1.ntree)
        _core.get_state(m1, d1, sleep, 1 << 24)
        _core.set_state(m2, d2, sleep, 1 << 24)

    def renumbering(kind: str, found: list[tuple[int, int]]) -> list[int]:
        table = [-1] * m1._count(KINDS[kind][0])
        for a, b in found:
            table[a] = b
        return table

    _core.transfer_impulses(
        m1, d1, renumbering("geom", pairs("geom")), renumbering("flex", flexes), renumbering("equality", equalities),
        renumbering("joint", joints), renumbering("tendon", pairs("tendon")), m2, d2,
    )  # fmt: skip
    return d2


def _history(m1: Model, d1: Data, m2: Model, d2: Data, kind: str, a: int, b: int) -> None:
    s1, s2 = int(getattr(m1, kind + "_historyadr")[a]), int(getattr(m2, kind + "_historyadr")[b])
    if s1 < 0 or s2 < 0:
        return
    later1 = [int(x) for k in ("actuator", "sensor") for x in getattr(m1, k + "_historyadr") if x > s1] + [m1.nhistory]
    later2 = [int(x) for k in ("actuator", "sensor") for x in getattr(m2, k + "_historyadr") if x > s2] + [m2.nhistory]
    n = min(later1) - s1
    if n == min(later2) - s2:
        d2.history[s2 : s2 + n] = d1.history[s1 : s1 + n]


_ = LoadError
