"""The elements of MjSpec: MjsBody, MjsGeom and so on, with their attributes, and the tree they make."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

import numpy as np

from .._errors import nearest
from ._enums import mjtObj, mjtOrientation, mjtWrap
from ._math import mju_euler2Quat, mju_mat2Quat, mju_quatZ2Vec
from ._spec_fields import BY_NAME, FIELDS, NUMBERS, RAY_DATA, REFERENCES, SENSOR_SIZE, SENSORS, Field

_ORIENTATIONS = {"axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3}
_DTYPES: dict[str, Any] = {"d": np.float64, "P": np.float64, "Z": np.float64, "D": np.float64, "g": np.float32,
                           "G": np.float32, "i": np.int32, "I": np.int32}  # fmt: skip


class FixedList(list):  # type: ignore[type-arg]
    """Texts or characters, as many as there are: none can be added or taken away."""

    def _place(self, index: Any) -> int:
        place = int(index)
        if not 0 <= place < len(self):
            raise IndexError(f"index {place}: there are {len(self)}, counted from 0")
        return place

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(index) if isinstance(index, slice) else super().__getitem__(self._place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(value, str):
            raise TypeError(f"needs a text, found {type(value).__name__}")
        super().__setitem__(self._place(index), value)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"this list has {len(self)} entries, always")

    append = extend = insert = pop = remove = clear = __delitem__ = _refuse


class MjsOrientation:
    """Another way to say an orientation than a quaternion; `type` says which one counts."""

    def __init__(self) -> None:
        self.type = mjtOrientation.mjORIENTATION_QUAT
        self.axisangle = np.zeros(4)
        self.xyaxes = np.zeros(6)
        self.zaxis = np.zeros(3)
        self.euler = np.zeros(3)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "type":
            value = mjtOrientation(int(value))
        elif name not in _ORIENTATIONS:
            raise AttributeError(f"MjsOrientation has no {name!r}; {nearest(name, _ORIENTATIONS)}")
        elif name in self.__dict__:
            value = _numbers(name, value, np.float64, _ORIENTATIONS[name])
        object.__setattr__(self, name, value)

    def copy(self) -> "MjsOrientation":
        """An independent one with the same values."""
        made = MjsOrientation()
        for name, value in self.__dict__.items():
            made.__dict__[name] = np.array(value) if isinstance(value, np.ndarray) else value
        return made

    def word(self) -> str:
        """The attribute of MJCF that counts, empty if it is the quaternion."""
        return ("", "axisangle", "xyaxes", "zaxis", "euler")[int(self.type)]

    def quaternion(self, degree: bool, sequence: Iterable[str]) -> np.ndarray:
        """The orientation as a quaternion."""
        quat, unit = np.array([1.0, 0, 0, 0]), np.pi / 180 if degree else 1.0
        word = self.word()
        if word == "axisangle":
            half, length = self.axisangle[3] * unit / 2, float(np.linalg.norm(self.axisangle[:3]))
            if length < 1e-15:
                raise ValueError("axisangle: the axis has no length")
            quat = np.concatenate(([np.cos(half)], np.sin(half) * self.axisangle[:3] / length))
        elif word == "xyaxes":
            x = self.xyaxes[:3] / np.linalg.norm(self.xyaxes[:3])
            y = self.xyaxes[3:] - x * (x @ self.xyaxes[3:])
            y /= np.linalg.norm(y)
            mju_mat2Quat(quat, np.stack((x, y, np.cross(x, y)), axis=1).reshape(9))
        elif word == "zaxis":
            mju_quatZ2Vec(quat, self.zaxis / np.linalg.norm(self.zaxis))
        elif word == "euler":
            mju_euler2Quat(quat, self.euler * unit, "".join(sequence))
        return quat


def _numbers(name: str, value: Any, dtype: Any, size: int) -> np.ndarray:
    """An array of the given size, or of any size if it is 0."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} should be a list/array of numbers, found {value!r}")
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biuf" and given.size:
            raise TypeError
        if dtype is np.int32 and given.dtype.kind == "f" and not np.array_equal(given, given.astype(np.int32)):
            raise TypeError
    except (TypeError, ValueError):
        raise TypeError(f"{name} should be a list/array of numbers, found {value!r}") from None
    if size and given.size != size:
        raise ValueError(f"{name} should be a list/array of size {size}.")
    if not size and given.ndim == 0:
        raise TypeError(f"{name} should be a list/array of numbers, found {value!r}")
    return np.array(given, dtype).reshape(-1)


def convert(field: Field, value: Any, current: Any) -> Any:
    """A value as the attribute holds it; TypeError or ValueError if it cannot be one."""
    kind, name = field.kind, field.name
    if kind in "dg" and field.size == 0:
        if isinstance(value, (str, bytes)) or np.ndim(value) > 0 and np.size(value) != 1:
            raise TypeError(f"{name} should be a number, found {value!r}")
        number = float(np.asarray(value).reshape(-1)[0]) if np.ndim(value) else float(value)
        return float(np.float32(number)) if kind == "g" else number
    if kind == "P":
        given = _numbers(name, np.atleast_1d(np.asarray(value)) if not isinstance(value, str) else value, np.float64, 0)
        if not 1 <= given.size <= field.size:
            raise ValueError(f"{name} should be a number or a list/array of size 1 to {field.size}.")
        return np.concatenate((given, np.zeros(field.size - given.size)))
    if kind == "Z":
        given = _numbers(name, value, np.float64, 0)
        if not 1 <= given.size <= field.size:
            raise ValueError(f"{name} should be a list/array of size 1 to {field.size}.")
        return np.concatenate((given, np.zeros(field.size - given.size)))
    if kind in "dgi" and field.size:
        if np.ndim(value) == 0 and not isinstance(value, str):
            raise ValueError(f"{name} should be a list/array of size {field.size}.")
        return _numbers(name, value, _DTYPES[kind], field.size)
    if kind in "DGI":
        return _numbers(name, value, _DTYPES[kind], 0)
    if kind == "i":
        if isinstance(value, (str, bytes)) or np.ndim(value) or int(value) != value:
            raise TypeError(f"{name} should be an integer, found {value!r}")
        return int(value)
    if kind == "e":
        if isinstance(value, (str, bytes, float)):
            raise TypeError(f"{name} should be one of {field.enum.__name__}, found {value!r}")  # type: ignore[union-attr]
        return field.enum(int(value))  # type: ignore[misc]
    if kind == "b":
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{name} should be a flag, found {value!r}")
        return bool(value)
    if kind == "s":
        if not isinstance(value, str):
            raise TypeError(f"{name} should be a text, found {value!r}")
        return value
    if kind == "C":
        if not isinstance(value, str) and any(not isinstance(c, str) or len(c) != 1 for c in value):
            raise ValueError(f"{name}: list elements must be single characters")
        if len(value) != field.size:
            raise ValueError(f"{name} should have length {field.size}, found {len(value)}")
        return FixedList(value)
    if kind in "ST":
        if isinstance(value, str) or any(not isinstance(t, str) for t in value):
            raise TypeError(f"{name} should be a list of texts, found {value!r}")
        if kind == "S":
            return list(value)
        if len(value) != field.size:
            raise ValueError(f"{name} must have exactly {field.size} elements, got {len(value)}")
        return FixedList(value)
    if kind == "L":
        return [list(row) for row in value]
    if kind == "B":
        return bytes(value)
    if kind == "o":
        return value.copy()
    if not isinstance(value, MjsPlugin):
        raise TypeError(f"{name} should be an MjsPlugin, found {value!r}")
    return value._duplicate(value._spec)


def _pristine(field: Field, owner: Any) -> Any:
    if field.kind == "o":
        return MjsOrientation()
    if field.kind == "p":
        return MjsPlugin(owner)
    return convert(field, field.default, None)


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array(value)
    if isinstance(value, FixedList):
        return FixedList(value)
    if isinstance(value, list):
        return [list(x) if isinstance(x, list) else x for x in value]
    if isinstance(value, MjsOrientation):
        return value.copy()
    return value._duplicate(value._spec) if isinstance(value, MjsPlugin) else value


class _Attribute:
    def __init__(self, field: Field) -> None:
        self.field = field
        self.__doc__ = f"{field.name}: as in MuJoCo's MjSpec"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else instance._values[self.field.name]

    def __set__(self, instance: Any, value: Any) -> None:
        instance._set(self.field, value)


class MjsElement:
    """One element of an MjSpec. Attributes have MuJoCo's names and types; arrays can be written in place."""

    _kind = ""
    _spec: Any  # the MjSpec it is part of; None after it was deleted
    _home: Any  # the MjSpec it was made in, whose compiler its angles and files obey
    _values: dict[str, Any]
    _extra: dict[str, str]  # attributes of MJCF that MuJoCo does not have
    _class: Any
    _body: Any
    _frame: Any

    def __init__(self, spec: Any, source: Optional["MjsElement"] = None) -> None:
        own = self.__dict__
        own.update(_spec=spec, _home=spec, _name="", _class=None, _body=None, _frame=None, _id=-1)
        if source is None:
            own["_values"] = {f.name: _pristine(f, spec) for f in FIELDS[self._kind]}
            own["_extra"] = {}
        else:
            own["_values"] = {name: _copied(value) for name, value in source._values.items()}
            own["_extra"] = dict(source._extra)

    def __init_subclass__(cls) -> None:
        for field in FIELDS.get(cls._kind, ()):
            setattr(cls, field.name, _Attribute(field))

    def _set(self, field: Field, value: Any) -> None:
        self._require()
        current = self._values[field.name]
        made = convert(field, value, current)
        if isinstance(current, np.ndarray) and current.shape == made.shape:
            current[...] = made  # whoever holds the array sees it
        else:
            self._values[field.name] = made

    def _require(self) -> None:
        if self._spec is None:
            raise ValueError(f"this {self._kind} was deleted from its MjSpec")

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; {nearest(name, self._names())}")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} object has no attribute {name!r}; {nearest(name, self._names())}")

    def _names(self) -> list[str]:
        return [n for n in dir(type(self)) if not n.startswith("_")]

    @property
    def name(self) -> str:
        """Name; empty if it has none."""
        return str(self._name)

    @name.setter
    def name(self, value: str) -> None:
        self._require()
        if not isinstance(value, str):
            raise TypeError(f"name should be a text, found {value!r}")
        if value and value != self._name:
            for other in self._spec._all(self._kind):
                if other is not self and other._name == value:
                    raise ValueError(f"Error: repeated name '{value}' in {self._kind}")
        self.__dict__["_name"] = value

    @property
    def id(self) -> int:
        """Number in the model that was compiled last; -1 before."""
        if self._kind not in _TREE and self._spec is not None and self._kind in self._spec._lists:
            return int(next((i for i, e in enumerate(self._spec._lists[self._kind]) if e is self), -1))
        return int(self._id)

    @property
    def signature(self) -> int:
        """Changes whenever the tree of the MjSpec does."""
        return int(self._spec._signature()) if self._spec is not None else 0

    @property
    def compiler(self) -> Any:
        """Settings of the MjSpec it was made in."""
        return self._home.compiler

    def _duplicate(self, spec: Any) -> Any:
        made = type(self)(spec, self)
        made.__dict__["_name"] = self._name
        made.__dict__["_class"] = self._class
        return made

    def _apply(self, values: dict[str, Any], orientations: Sequence[str] = ("",)) -> None:
        """Sets attributes given as keyword arguments."""
        fields = BY_NAME[self._kind]
        for prefix in orientations:
            given = [prefix + w for w in _ORIENTATIONS if prefix + w in values and values[prefix + w] is not None]
            if len(given) > 1:
                names = [prefix + w for w in _ORIENTATIONS]
                raise ValueError(f"Only one of: {', '.join(names[:-1])}, or {names[-1]} can be set.")
            for word in given:
                plain = word[len(prefix) :]
                if prefix + "alt" not in fields or plain in fields:
                    continue
                alt = self._values[prefix + "alt"]
                setattr(alt, plain, _numbers(word, values.pop(word), np.float64, _ORIENTATIONS[plain]))
                alt.type = 1 + list(_ORIENTATIONS).index(plain)
        for name, value in values.items():
            if value is None:
                continue
            if name != "name" and name not in fields and not hasattr(type(self), name):
                raise TypeError(f"Invalid {name} keyword argument. {nearest(name, fields)}")
            setattr(self, name, value)

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        """Kind and name of what it refers to, and how to change the name."""
        for attribute, kind in REFERENCES.get(self._kind, {}).items():
            value = self._values[attribute]
            if isinstance(value, list):
                for i, name in enumerate(value):
                    if name:
                        yield kind, name, (lambda new, value=value, i=i: value.__setitem__(i, new))  # type: ignore[misc]
            elif value:
                yield kind, value, (lambda new, a=attribute: self._values.__setitem__(a, new))  # type: ignore[misc]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>" if self._name else f"<{type(self).__name__}>"


_TREE = ("body", "frame", "geom", "joint", "site", "camera", "light")


class _Classed(MjsElement):
    """An element that a default class can be given to."""

    @property
    def classname(self) -> Any:
        """Its default class. Setting it changes no attribute, only how the element is written."""
        return self._class if self._class is not None else self._home.default

    @classname.setter
    def classname(self, value: Any) -> None:
        if not isinstance(value, MjsDefault):
            raise TypeError(f"classname should be an MjsDefault, found {value!r}")
        self.__dict__["_class"] = value


class _Placed(MjsElement):
    """An element of the tree."""

    @property
    def parent(self) -> Any:
        """The body it is in."""
        return self._body

    @property
    def frame(self) -> Any:
        """The frame it is in; None if there is none."""
        return self._frame

    def set_frame(self, frame: "MjsFrame") -> None:
        """Puts it into a frame of its body."""
        if frame is not None and frame._body is not self._body:
            raise ValueError("Error: frame and element do not have the same parent body")
        self.__dict__["_frame"] = frame


def _adder(kind: str) -> Callable[..., Any]:
    def add(self: Any, default: Any = None, **values: Any) -> Any:
        return self._put(kind, default, values)

    add.__doc__ = f"A {kind} in this one; values are its attributes."
    add.__name__ = "add_" + kind
    return add


class _Container(_Placed):
    """Bodies and frames: what elements can be put into."""

    _holder: "MjsBody"

    def _put(self, kind: str, default: Any, values: dict[str, Any]) -> Any:
        self._require()
        body, frame = (self, None) if isinstance(self, MjsBody) else (self._body, self)
        if kind == "frame":
            frame, default = (default if default is not None else frame), None
        made = _CLASSES[kind](self._spec, self._spec._prototype(kind, default, body, frame))
        made.__dict__.update(_body=body, _frame=frame, _home=self._home)
        if kind not in ("body", "frame"):
            made.__dict__["_class"] = self._spec._class_for(default, body, frame)
        elif kind == "body" and default is not None:
            made._values["childclass"] = default.name
        made._apply(dict(values), ("", "i") if kind == "body" else ("",))
        body._children.append(made)
        return made

    def add_freejoint(self, **values: Any) -> "MjsJoint":
        """Lets this body move freely."""
        for name in values:
            if name not in ("align", "group", "name"):
                raise TypeError(f"Invalid {name} keyword argument. Valid options are: align, group, name.")
        made = MjsJoint(self._spec)
        made.__dict__.update(_body=self if isinstance(self, MjsBody) else self._body, _home=self._home)
        made.type = 0
        made._apply(dict(values))
        made._body._children.append(made)
        return made

    def _list(self, kind: str, every: bool) -> list[Any]:
        found = []
        for child in (self if isinstance(self, MjsBody) else self._body)._children:
            if child._kind == kind and (not isinstance(self, MjsFrame) or _inside(child, self)):
                found.append(child)
            if every and child._kind == "body" and (not isinstance(self, MjsFrame) or _inside(child, self)):
                found += child._list(kind, True)
        return found

    def find_all(self, kind: Any) -> list[Any]:
        """All elements of a kind below this one, given as text or mjtObj."""
        word = kind if isinstance(kind, str) else {int(v): k for k, v in _FINDABLE.items()}.get(int(kind), "")
        if word not in _FINDABLE:
            raise ValueError("body.find_all supports the types: body, frame, geom, site, joint, light, camera.")
        return self._list(word, True)

    def attach_body(self, body: "MjsBody", prefix: Optional[str] = None, suffix: Optional[str] = None) -> "MjsBody":
        """Puts a body of another MjSpec here, with what refers to it. It is moved, unless it was attached before."""
        return self._spec._attach(body, self, prefix or "", suffix or "")  # type: ignore[no-any-return]

    def attach_frame(self, frame: "MjsFrame", prefix: Optional[str] = None, suffix: Optional[str] = None) -> "MjsFrame":
        """The same for a frame and all that is in it."""
        return self._spec._attach(frame, self, prefix or "", suffix or "")  # type: ignore[no-any-return]


def _inside(element: Any, frame: Any) -> bool:
    above = element._frame
    while above is not None:
        if above is frame:
            return True
        above = above._frame
    return False


class MjsBody(_Container):
    """A body."""

    _kind = "body"
    _children: list[Any]

    def __init__(self, spec: Any, source: Optional[MjsElement] = None) -> None:
        super().__init__(spec, source)
        self.__dict__["_children"] = []

    @property
    def classname(self) -> Any:
        """The default class of what is put into it."""
        return self._spec.find_default(self._values["childclass"] or "main")

    @classname.setter
    def classname(self, value: Any) -> None:
        self._values["childclass"] = value.name

    def find_child(self, name: str) -> Optional["MjsBody"]:
        """The body of this name below this one."""
        return next((b for b in self._list("body", True) if b._name == name), None)

    def to_frame(self) -> "MjsFrame":
        """Makes a frame of this body: what is in it becomes part of the body above."""
        if self._body is None:
            raise ValueError("the world cannot be made a frame")
        above = self._body
        frame = MjsFrame(self._spec)
        frame.__dict__.update(_body=above, _frame=self._frame, _home=self._home)
        for name in ("pos", "quat", "alt"):
            frame._values[name] = _copied(self._values[name])
        place = next(i for i, e in enumerate(above._children) if e is self)
        for child in self._children:
            child.__dict__["_body"] = above
            if child._frame is None:
                child.__dict__["_frame"] = frame
        above._children[place : place + 1] = [frame, *self._children]
        self.__dict__["_children"] = []
        self.__dict__["_spec"] = None
        return frame

    def make_flex(
        self, name: str, type: Optional[str] = None, dim: int = 3, dof: Optional[str] = None, count: Any = None,
        cellcount: Any = None, spacing: Any = None, scale: Any = None, radius: float = 0.0, mass: float = 1.0,
        inertiabox: float = 0.005, equality: int = 0, rigid: bool = False, flatskin: bool = False, elastic2d: int = 0,
        pos: Any = None, quat: Any = None, origin: Any = None, file: Optional[str] = None, vfs: Any = None,
    ) -> "MjsFlex":  # fmt: skip
        """A soft thing made by a generator, as <flexcomp> does; the MjsFlex that is returned says what it is like."""
        flex = MjsFlex(self._spec)
        flex._apply({"name": name, "dim": dim, "flatskin": flatskin, "elastic2d": elastic2d, "radius": radius or 0.005})
        if cellcount is not None:
            flex.cellcount = cellcount
        text = {
            "type": type or "grid", "dof": dof, "count": count if count is not None else (10, 10, 10),
            "spacing": spacing if spacing is not None else (0.02, 0.02, 0.02), "scale": scale, "mass": mass,
            "inertiabox": inertiabox, "rigid": "true" if rigid else None, "pos": pos, "quat": quat, "origin": origin,
            "file": file, "edge/equality": ("false", "true", "vert", "strain")[int(equality)],
        }  # fmt: skip
        from ._spec_xml import text_of

        flex.__dict__["_generator"] = {k: text_of(v) for k, v in text.items() if v is not None}
        flex.__dict__["_body"] = self
        self._spec._lists["flex"].append(flex)
        return flex


class MjsFrame(_Container):
    """A frame: moves what is in it."""

    _kind = "frame"


def _iteration(kind: str) -> None:
    def first(self: Any) -> Any:
        found = self._list(kind, False)
        return found[0] if found else None

    def following(self: Any, element: Any) -> Any:
        found = self._list(kind, False)
        place = next((i for i, e in enumerate(found) if e is element), len(found))
        return found[place + 1] if place + 1 < len(found) else None

    def every(self: Any) -> list[Any]:
        return self._list(kind, False)  # type: ignore[no-any-return]

    first.__doc__ = f"The first {kind} in this one; None if there is none."
    following.__doc__ = f"The {kind} that comes after the given one; None if it is the last."
    plural = "bodies" if kind == "body" else kind + "s"
    for cls in (MjsBody, MjsFrame):
        setattr(cls, "first_" + kind, first)
        setattr(cls, "next_" + kind, following)
        setattr(cls, plural, property(every, doc=f"Every {kind} in this one."))
        setattr(cls, "add_" + kind, _adder(kind))


for _kind in _TREE:
    _iteration(_kind)
_FINDABLE = {w: getattr(mjtObj, "mjOBJ_" + w.upper()) for w in ("body", "frame", "geom", "site", "joint", "light", "camera")}


class MjsJoint(_Placed, _Classed):
    """A joint."""

    _kind = "joint"


class MjsGeom(_Placed, _Classed):
    """A geom."""

    _kind = "geom"


class MjsSite(_Placed, _Classed):
    """A site."""

    _kind = "site"

    def attach_body(self, body: MjsBody, prefix: Optional[str] = None, suffix: Optional[str] = None) -> MjsBody:
        """Puts a body of another MjSpec to this site, with what refers to it."""
        return self._spec._attach(body, self, prefix or "", suffix or "")  # type: ignore[no-any-return]


class MjsCamera(_Placed, _Classed):
    """A camera."""

    _kind = "camera"


class MjsLight(_Placed, _Classed):
    """A light."""

    _kind = "light"


class MjsFlex(MjsElement):
    """A flex."""

    _kind = "flex"


class MjsMesh(_Classed):
    """A mesh: from a file, from arrays, or made by one of the functions make_..."""

    _kind = "mesh"

    def _make(self, builtin: str, *params: Any) -> None:
        self._extra["builtin"] = builtin
        self._extra["params"] = " ".join(repr(float(p)) if p != int(p) else str(int(p)) for p in params)

    def make_sphere(self, subdivision: int) -> None:
        """A sphere of subdivided icosahedra."""
        self._make("sphere", subdivision)

    def make_hemisphere(self, resolution: int) -> None:
        """Half a sphere."""
        self._make("hemisphere", resolution)

    def make_cone(self, nedge: int, radius: float) -> None:
        """A cone, or a prism if radius is not zero."""
        self._make("cone", nedge, radius)

    def make_supersphere(self, resolution: int, e: float, n: float) -> None:
        """A superellipsoid."""
        self._make("supersphere", resolution, e, n)

    def make_supertorus(self, resolution: int, radius: float, s: float, t: float) -> None:
        """A supertorus."""
        self._make("supertorus", resolution, radius, s, t)

    def make_wedge(self, resolution: Sequence[int] = (0, 0), fov: Sequence[float] = (0, 0), gamma: float = 0) -> None:
        """Part of a sphere seen from its centre."""
        self._make("wedge", *resolution, *fov, gamma)

    def make_plate(self, resolution: Sequence[int] = (0, 0)) -> None:
        """A flat plate."""
        self._make("plate", *resolution)


class MjsHField(MjsElement):
    """A height field."""

    _kind = "hfield"


class MjsSkin(MjsElement):
    """A skin."""

    _kind = "skin"


class MjsTexture(MjsElement):
    """A texture."""

    _kind = "texture"


class MjsMaterial(_Classed):
    """A material."""

    _kind = "material"


class MjsPair(_Classed):
    """Two geoms that touch, with their own parameters."""

    _kind = "pair"


class MjsExclude(MjsElement):
    """Two bodies that do not touch."""

    _kind = "exclude"


class MjsEquality(_Classed):
    """An equality constraint."""

    _kind = "equality"

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        kind = self._target()
        for attribute in ("name1", "name2"):
            if self._values[attribute]:
                yield kind, self._values[attribute], (lambda new, a=attribute: self._values.__setitem__(a, new))  # type: ignore[misc]

    def _target(self) -> str:
        """Kind of what it acts on."""
        number = int(self._values["type"])
        if number < 2:
            return "site" if int(self._values["objtype"]) == 6 else "body"
        return ("joint", "tendon", "flex", "flex", "flex", "geom")[number - 2]


class MjsWrap:
    """One element of the path of a tendon."""

    def __init__(self, tendon: "MjsTendon", kind: str, name: str = "", sidesite: str = "", number: float = 0.0) -> None:
        self._tendon, self._kind, self._target, self._sidesite, self._number = tendon, kind, name, sidesite, number
        self.info = ""

    @property
    def type(self) -> mjtWrap:
        """What it is. A geom is a sphere or a cylinder by the geom's type."""
        if self._kind == "geom":
            geom = self.target
            return mjtWrap.mjWRAP_CYLINDER if geom is not None and int(geom.type) == 5 else mjtWrap.mjWRAP_SPHERE
        return {"joint": mjtWrap.mjWRAP_JOINT, "pulley": mjtWrap.mjWRAP_PULLEY, "site": mjtWrap.mjWRAP_SITE}[self._kind]

    @property
    def target(self) -> Any:
        """The joint, site or geom; None for a pulley."""
        return None if self._kind == "pulley" else self._tendon._spec._find(self._kind, self._target)

    @property
    def sidesite(self) -> Any:
        """The site that says on which side of a geom the tendon runs; None if there is none."""
        return self._tendon._spec._find("site", self._sidesite) if self._sidesite else None

    @property
    def coef(self) -> Optional[float]:
        """Coefficient of a joint."""
        return self._number if self._kind == "joint" else None

    @property
    def divisor(self) -> Optional[float]:
        """Divisor of a pulley."""
        return self._number if self._kind == "pulley" else None


class MjsTendon(_Classed):
    """A tendon; wrap_site, wrap_geom, wrap_pulley and wrap_joint make its path."""

    _kind = "tendon"

    def __init__(self, spec: Any, source: Optional[MjsElement] = None) -> None:
        super().__init__(spec, source)
        self.__dict__["_path"] = []

    @property
    def path(self) -> list[MjsWrap]:
        """What it runs along."""
        return list(self._path)

    def default(self) -> Any:
        """Its default class."""
        return self.classname

    def _wrap(self, *values: Any) -> MjsWrap:
        self._path.append(MjsWrap(self, *values))
        return self._path[-1]  # type: ignore[no-any-return]

    def wrap_site(self, name: str) -> MjsWrap:
        """The path goes through a site."""
        return self._wrap("site", name)

    def wrap_geom(self, name: str, sidesite: str = "") -> MjsWrap:
        """The path goes around a sphere or cylinder."""
        return self._wrap("geom", name, sidesite or "")

    def wrap_joint(self, name: str, coef: float) -> MjsWrap:
        """The length has a term proportional to a joint."""
        return self._wrap("joint", name, "", float(coef))

    def wrap_pulley(self, divisor: float) -> MjsWrap:
        """The rest of the path counts only in part."""
        return self._wrap("pulley", "", "", float(divisor))

    def _duplicate(self, spec: Any) -> Any:
        made = super()._duplicate(spec)
        made.__dict__["_path"] = [MjsWrap(made, w._kind, w._target, w._sidesite, w._number) for w in self._path]
        return made

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        yield from super()._references()
        for wrap in self._path:
            if wrap._target:
                yield wrap._kind, wrap._target, (lambda new, w=wrap: setattr(w, "_target", new))  # type: ignore[misc]
            if wrap._sidesite:
                yield "site", wrap._sidesite, (lambda new, w=wrap: setattr(w, "_sidesite", new))  # type: ignore[misc]


class MjsActuator(_Classed):
    """An actuator; set_to_motor and the like make it one of the usual ones."""

    _kind = "actuator"

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        yield from super()._references()
        kind = {0: "joint", 1: "joint", 2: "site", 3: "tendon", 4: "site", 5: "body", 6: "joint"}.get(int(self._values["trntype"]))
        if kind and self._values["target"]:
            yield kind, self._values["target"], (lambda new: self._values.__setitem__("target", new))

    def _become(self, dyn: int, gain: int, bias: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.dyntype, self.gaintype, self.biastype = dyn, gain, bias
        return self._values["dynprm"], self._values["gainprm"], self._values["biasprm"]

    def set_to_motor(self) -> None:
        """Force = control."""
        _, gain, _ = self._become(0, 0, 0)
        gain[:] = 0
        gain[0] = 1

    def _servo(self, kp: float, kv: float, dampratio: float, inheritrange: float) -> None:
        gain, bias = self._values["gainprm"], self._values["biasprm"]
        gain[0], bias[1] = kp, -kp
        if kv >= 0 and dampratio >= 0:
            raise ValueError("Error: kv and dampratio cannot both be defined")
        if kv >= 0:
            bias[2] = -kv
        if dampratio >= 0:
            bias[2] = dampratio
        if inheritrange > 0 and np.any(self._values["ctrlrange" if int(self._values["dyntype"]) != 1 else "actrange"]):
            raise ValueError("Error: range already defined, inheritrange must be 0")
        self.inheritrange = float(inheritrange)

    def set_to_position(self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: float = 0) -> None:
        """A position servo."""
        dyn, _, bias = self._become(0, 0, 1)
        bias[:] = 0
        if timeconst >= 0:
            dyn[0] = timeconst
            self.dyntype = 3 if timeconst > 0 else 0
        self._servo(kp, kv, dampratio, float(inheritrange))

    def set_to_intvelocity(self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: float = 0) -> None:
        """A velocity servo that integrates: its activation is a position."""
        dyn, _, bias = self._become(1, 0, 1)
        bias[:] = 0
        if timeconst >= 0:
            dyn[0] = timeconst
        self.actlimited = 1
        self._servo(kp, kv, dampratio, float(inheritrange))

    def set_to_velocity(self, kv: float) -> None:
        """A velocity servo."""
        _, gain, bias = self._become(0, 0, 1)
        gain[:], bias[:] = 0, 0
        gain[0], bias[2] = kv, -kv

    def set_to_orientation(self, kp: float, kv: float = -1, dampratio: float = -1, ctrlspec: int = 0) -> None:
        """A servo of the orientation of a ball joint or site."""
        _, _, bias = self._become(0, 4, 4)
        bias[:] = 0
        self._servo(kp, kv, dampratio, 0)
        self.ctrlspec = ctrlspec

    def set_to_pid(
        self, kp: float, kv: float = -1, dampratio: float = -1, ki: float = -1, imax: float = -1, slewmax: float = -1,
        inheritrange: float = 0, ctrlspec: int = 0,
    ) -> None:  # fmt: skip
        """A servo with an integral term."""
        dyn, gain, bias = self._become(6, 5, 1)
        dyn[:], gain[:], bias[:] = 0, 0, 0
        self._servo(kp, kv, dampratio, float(inheritrange))
        gain[0] = max(ki, 0)
        dyn[0], dyn[1] = max(imax, 0), max(slewmax, 0)
        self.ctrlspec = ctrlspec

    def set_to_damper(self, kv: float) -> None:
        """Force = - control * velocity."""
        if kv < 0:
            raise ValueError("Error: damping coefficient cannot be negative")
        _, gain, _ = self._become(0, 1, 0)
        gain[:] = 0
        gain[2] = -kv
        self.ctrllimited = 1

    def set_to_cylinder(self, timeconst: float, bias: Any, area: float, diameter: float = -1) -> None:
        """A hydraulic or pneumatic cylinder."""
        dyn, gain, prm = self._become(2, 0, 1)
        dyn[0] = timeconst
        prm[:3] = bias if np.ndim(bias) else (bias, 0, 0)
        gain[0] = np.pi / 4 * diameter**2 if diameter >= 0 else area

    def set_to_muscle(
        self, timeconst: Sequence[float] = (-1, -1), tausmooth: float = 0, range: Sequence[float] = (-1, -1),
        force: float = -1, scale: float = -1, lmin: float = -1, lmax: float = -1, vmax: float = -1, fpmax: float = -1,
        fvmax: float = -1,
    ) -> None:  # fmt: skip
        """A muscle. Negative values keep what is set, and defaults where nothing is."""
        dyn, gain, bias = self._values["dynprm"], self._values["gainprm"], self._values["biasprm"]
        if int(self._values["gaintype"]) != 2:
            dyn[:3] = (0.01, 0.04, 0)
            gain[:9] = (0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2)
        self._become(4, 2, 2)
        if tausmooth < 0:
            raise ValueError("Error: muscle tausmooth cannot be negative")
        dyn[2] = tausmooth
        for array, place, value in (
            (dyn, 0, timeconst[0]), (dyn, 1, timeconst[1]), (gain, 0, range[0]), (gain, 1, range[1]), (gain, 2, force),
            (gain, 3, scale), (gain, 4, lmin), (gain, 5, lmax), (gain, 6, vmax), (gain, 7, fpmax), (gain, 8, fvmax),
        ):  # fmt: skip
            if value >= 0:
                array[place] = value
        bias[:9] = gain[:9]

    def set_to_adhesion(self, gain: float) -> None:
        """Pulls at contacts of a body."""
        if gain < 0:
            raise ValueError("Error: adhesion gain cannot be negative")
        _, prm, _ = self._become(0, 0, 0)
        prm[0] = gain
        self.ctrllimited = 1

    def set_to_dcmotor(
        self, motorconst: Sequence[float] = (0, 0), resistance: float = 0, nominal: Sequence[float] = (0, 0, 0),
        saturation: Sequence[float] = (0, 0, 0), inductance: Sequence[float] = (0, 0), cogging: Sequence[float] = (0, 0, 0),
        controller: Sequence[float] = (0,) * 6, thermal: Sequence[float] = (0,) * 6, lugre: Sequence[float] = (0,) * 5,
        ctrlspec: int = 0,
    ) -> None:  # fmt: skip
        """A direct-current motor. The arrays of numbers follow <dcmotor>."""
        words = {
            "motorconst": motorconst, "resistance": (resistance,), "nominal": nominal, "saturation": saturation,
            "inductance": inductance, "cogging": cogging, "controller": controller, "thermal": thermal, "lugre": lugre,
        }  # fmt: skip
        given = " ".join(f'{k}="{" ".join(repr(float(x)) for x in v)}"' for k, v in words.items() if np.any(v))
        text = f"""<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
        <actuator><dcmotor joint="j" {given}/></actuator></mujoco>"""
        from .. import _core
        from .._model import Model

        model = Model(_core.load_text(text, "dcmotor", "", None, None, True))
        dyn, gain, bias = self._become(5, 3, 3)
        dyn[:], gain[:], bias[:] = model.actuator_dynprm[0], model.actuator_gainprm[0], model.actuator_biasprm[0]
        self.ctrlspec = ctrlspec


class MjsSensor(MjsElement):
    """A sensor."""

    _kind = "sensor"

    def get_data_size(self) -> int:
        """How many numbers it measures."""
        tag, prm = SENSORS[int(self._values["type"])], self._values["intprm"]
        if tag == "contact":
            return int(prm[2]) * sum(n for i, n in enumerate((1, 3, 3, 1, 3, 3, 3)) if prm[0] >> i & 1)
        if tag == "rangefinder":
            each = sum(n for i, n in enumerate((1, 3, 3, 3, 3, 1)[: len(RAY_DATA)]) if prm[0] >> i & 1)
            camera = self._spec._find("camera", self._values["objname"]) if int(self._values["objtype"]) == 7 else None
            return each * (int(np.prod(camera.resolution)) if camera is not None else 1)
        return SENSOR_SIZE.get(tag, int(self._values["dim"]))

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        for kind, attribute in (("objtype", "objname"), ("reftype", "refname")):
            word = {v: k for k, v in NUMBERS.items()}.get(int(self._values[kind]), "")
            if self._values[attribute] and word:
                yield (
                    "body" if word == "xbody" else word,
                    self._values[attribute],
                    (lambda new, a=attribute: self._values.__setitem__(a, new)),  # type: ignore[misc]
                )


class MjsNumeric(MjsElement):
    """Custom numbers."""

    _kind = "numeric"


class MjsText(MjsElement):
    """Custom text."""

    _kind = "text"


class MjsTuple(MjsElement):
    """A custom list of objects."""

    _kind = "tuple"

    def _references(self) -> Iterator[tuple[str, str, Callable[[str], None]]]:
        words = {v: k for k, v in NUMBERS.items()}
        for i, name in enumerate(self._values["objname"]):
            kind = words.get(int(self._values["objtype"][i])) if i < len(self._values["objtype"]) else None
            if kind and name:
                yield "body" if kind == "xbody" else kind, name, (lambda new, i=i: self._values["objname"].__setitem__(i, new))  # type: ignore[misc]


class MjsKey(MjsElement):
    """A keyframe."""

    _kind = "key"


class MjsPlugin(MjsElement):
    """An instance of an engine plugin. Sinew knows mujoco.elasticity.cable alone."""

    _kind = "plugin"

    def __init__(self, spec: Any, source: Optional[MjsElement] = None) -> None:
        super().__init__(spec, source)
        self.__dict__["_config"] = dict(source._config) if isinstance(source, MjsPlugin) else {}

    @property
    def config(self) -> dict[str, str]:
        """Its settings."""
        return self._config  # type: ignore[no-any-return]

    @config.setter
    def config(self, value: Any) -> None:
        self.__dict__["_config"] = {str(k): str(v) for k, v in value.items()}

    @property
    def id(self) -> int:
        """Number among the instances; -1 if there are none of this name."""
        return next((i for i, p in enumerate(self._spec._lists["plugin"]) if p._name == self._name), -1)

    @property
    def name(self) -> str:
        """Name of the instance."""
        return str(self._name)

    @name.setter
    def name(self, value: str) -> None:
        self.__dict__["_name"] = value


class MjsDefault:
    """A default class: one element of each kind, from which new ones are made."""

    def __init__(self, spec: Any, name: str, parent: Optional["MjsDefault"] = None) -> None:
        self._spec, self._name, self._parent = spec, name, parent
        self._children: list["MjsDefault"] = []
        self._elements: dict[str, MjsElement] = {}
        for kind in CLASSED:
            self._elements[kind] = _CLASSES[kind](spec, parent._elements[kind] if parent else None)
            self._elements[kind].__dict__["_home"] = spec

    @property
    def name(self) -> str:
        """Name of the class; "main" is the one that applies to all."""
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        if any(d is not self and d._name == value for d in self._spec._defaults()):
            raise ValueError(f"Error: repeated default class name '{value}'")
        old, self._name = self._name, value
        for body in self._spec._all("body") + self._spec._all("frame"):
            if body._values["childclass"] == old:
                body._values["childclass"] = value

    def __repr__(self) -> str:
        return f"<MjsDefault {self._name!r}>"


CLASSED = ("joint", "geom", "site", "camera", "light", "flex", "mesh", "material", "pair", "equality", "tendon", "actuator")
_CLASSES: dict[str, Any] = {
    c._kind: c for c in (MjsBody, MjsFrame, MjsJoint, MjsGeom, MjsSite, MjsCamera, MjsLight, MjsFlex, MjsMesh, MjsHField,
                         MjsSkin, MjsTexture, MjsMaterial, MjsPair, MjsExclude, MjsEquality, MjsTendon, MjsActuator,
                         MjsSensor, MjsNumeric, MjsText, MjsTuple, MjsKey, MjsPlugin)
}  # fmt: skip


def _member(kind: str) -> property:
    def element(self: MjsDefault) -> MjsElement:
        return self._elements[kind]

    return property(element, doc=f"What a new {kind} is like.")


for _kind in CLASSED:
    setattr(MjsDefault, _kind, _member(_kind))
