"""Named access: model.body("hand").mass, data.joint("knee").qpos."""

from __future__ import annotations

import weakref
from typing import Any, Iterator, Optional, Union

import numpy as np

from ._errors import nearest
from ._fields import assign

# number of the type in the engine; names of the functions; prefixes of its arrays in Model; in Data
KINDS: dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {
    "body": (1, ("body",), ("body_",)),
    "joint": (3, ("joint", "jnt"), ("jnt_", "dof_")),
    "geom": (5, ("geom",), ("geom_",)),
    "site": (6, ("site",), ("site_",)),
    "camera": (7, ("camera", "cam"), ("cam_",)),
    "light": (8, ("light",), ("light_",)),
    "flex": (9, ("flex",), ("flex_",)),
    "mesh": (10, ("mesh",), ("mesh_",)),
    "skin": (11, ("skin",), ("skin_",)),
    "hfield": (12, ("hfield",), ("hfield_",)),
    "texture": (13, ("texture", "tex"), ("tex_",)),
    "material": (14, ("material", "mat"), ("mat_",)),
    "pair": (15, ("pair",), ("pair_",)),
    "exclude": (16, ("exclude",), ("exclude_",)),
    "equality": (17, ("equality", "eq"), ("eq_",)),
    "tendon": (18, ("tendon", "ten"), ("tendon_", "ten_")),
    "actuator": (19, ("actuator",), ("actuator_",)),
    "sensor": (20, ("sensor",), ("sensor_",)),
    "numeric": (21, ("numeric",), ("numeric_",)),
    "text": (22, ("text",), ("text_",)),
    "tuple": (23, ("tuple",), ("tuple_",)),
    "key": (24, ("key", "keyframe"), ("key_",)),
}

# sizes that say how many of a kind there are: an array with as many rows has one row for each
COUNTS = {
    "nbody": "body", "njnt": "joint", "ngeom": "geom", "nsite": "site", "ncam": "camera", "nflex": "flex",
    "nmesh": "mesh", "nhfield": "hfield", "npair": "pair", "nexclude": "exclude", "neq": "equality",
    "ntendon": "tendon", "nactuator": "actuator", "nsensor": "sensor", "nnumeric": "numeric", "ntext": "text",
    "ntuple": "tuple", "nkey": "key", "nlight": "light", "nskin": "skin", "ntex": "texture", "nmat": "material",
}  # fmt: skip

# arrays of Data that have a row for each of a kind, with the name they have in named access
DATA_ROWS: dict[str, dict[str, str]] = {
    "body": {n: n for n in (
        "xfrc_applied", "xpos", "xquat", "xmat", "xipos", "ximat", "subtree_com", "cinert", "crb", "cvel",
        "subtree_linvel", "subtree_angmom", "cacc", "cfrc_int", "cfrc_ext")},
    "joint": {"xanchor": "xanchor", "xaxis": "xaxis"},
    "geom": {"xpos": "geom_xpos", "xmat": "geom_xmat"},
    "site": {"xpos": "site_xpos", "xmat": "site_xmat"},
    "camera": {"xpos": "cam_xpos", "xmat": "cam_xmat"},
    "light": {"xpos": "light_xpos", "xdir": "light_xdir"},
    "tendon": {"length": "ten_length", "velocity": "ten_velocity", "wrapadr": "ten_wrapadr", "wrapnum": "ten_wrapnum"},
    "equality": {"active": "eq_active"},
}  # fmt: skip
JOINT_DOFS = (
    "qvel", "qacc", "qacc_warmstart", "qfrc_applied", "qacc_smooth", "qfrc_bias", "qfrc_passive", "qfrc_spring",
    "qfrc_damper", "qfrc_gravcomp", "qfrc_fluid", "qfrc_actuator", "qfrc_smooth", "qfrc_constraint", "qfrc_inverse",
    "cdof", "cdof_dot", "qLDiagInv",
)  # fmt: skip


def _coordinates(model: Any, joint: int) -> slice:
    start = int(model.jnt_qposadr[joint])
    return slice(start, start + (7, 4, 1, 1)[int(model.jnt_type[joint])])


def _dofs(model: Any, joint: int) -> slice:
    start = int(model.jnt_dofadr[joint])
    return slice(start, start + (6, 3, 1, 1)[int(model.jnt_type[joint])])


def _row(array: np.ndarray, index: int) -> np.ndarray:
    return array[index] if array.ndim > 1 else array[index : index + 1]


def find(owner: Any, model: Any, kind: str, key: Union[str, int, None]) -> int:
    """The number of an object, given by name or number."""
    number = KINDS[kind][0]
    count = model._count(number)
    if isinstance(key, str):
        found = model._find(number, key)
        if found < 0:
            known = sorted(n for n in (model._name(number, i) for i in range(count)) if n)
            every = f" Valid names: {known};" if len(known) <= 30 else ""
            raise KeyError(f"Invalid name {key!r}.{every} there is no {kind} of this name; {nearest(key, known)}")
        return int(found)
    if key is None:
        if count == 1:
            return 0
        known = sorted(n for n in (model._name(number, i) for i in range(count)) if n)
        raise KeyError(f"Invalid name ''. Valid names: {known}; {kind}() needs a name or a number: there are {count}")
    index = int(key)
    if not 0 <= index < count:
        raise IndexError(f"Invalid index {index}. Valid indices from 0 to {count - 1}: there are {count} of kind {kind}")
    return index


def _kept(owner: Any) -> "weakref.WeakValueDictionary[tuple[str, int, str], Any]":
    """Named objects of a Model or Data and their arrays that someone holds: they are given out again, not made anew."""
    found = owner.__dict__.get("_kept_views")
    if found is None:
        found = owner.__dict__["_kept_views"] = weakref.WeakValueDictionary()
    return found  # type: ignore[no-any-return]


class Named:
    """One object of a Model or Data, with the arrays that belong to it."""

    __slots__ = ("_owner", "_kind", "id", "name", "__weakref__")
    id: int
    name: str

    def __init__(self, owner: Any, kind: str, index: int) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "id", index)
        object.__setattr__(self, "name", self._model()._name(KINDS[kind][0], index) or "")

    def _model(self) -> Any:
        raise NotImplementedError

    def _get(self, name: str) -> Optional[np.ndarray]:
        raise NotImplementedError

    def _fields(self) -> Iterator[str]:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        kept = _kept(self._owner)
        key = (self._kind, self.id, name)
        array = kept.get(key)
        if array is None:
            array = None if name.startswith("__") else self._get(name)
            if array is None:
                raise AttributeError(f"{self._kind} has no attribute {name!r}; {nearest(name, self._fields())}")
            kept[key] = array
        return array

    def __setattr__(self, name: str, value: Any) -> None:
        array = self._get(name)
        if array is None:
            raise AttributeError(f"{self._kind} has no {name!r} to set; {nearest(name, self._fields())}")
        given = np.asarray(value)
        if given.size == array.size and given.ndim <= 1:
            given = given.reshape(array.shape)
        assign(f"{self._kind}({self.name!r}).{name}", array, given)

    def __dir__(self) -> list[str]:
        return ["id", "name", *self._fields()]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._owner is other._owner and self.id == other.id  # type: ignore

    def __hash__(self) -> int:
        return hash((id(self._owner), self._kind, self.id))

    def __repr__(self) -> str:
        values: dict[str, Any] = {field: self._get(field) for field in self._fields()}
        values.update(id=self.id, name=self.name)
        kind = "Keyframe" if self._kind == "key" else self._kind.capitalize()
        lines = [f"  {field}: {value!r}" for field, value in sorted(values.items()) if value is not None]
        return "\n".join([f"<_Mj{type(self).__name__[:-5]}{kind}Views", *lines, ">"])


class ModelNamed(Named):
    """One object of a Model: model.geom("box").size is row of geom_size, and writing to it acts."""

    __slots__ = ()
    fields: dict[str, dict[str, str]] = {}  # kind -> name -> array, filled from the table of arrays

    def _model(self) -> Any:
        return self._owner

    def _get(self, name: str) -> Optional[np.ndarray]:
        m, kind = self._owner, self._kind
        if kind == "joint":
            if name in ("qpos0", "qpos_spring"):
                return getattr(m, name)[_coordinates(m, self.id)]
            field = self.fields["joint"].get(name)
            if field is not None and field.startswith("dof_"):
                return getattr(m, field)[_dofs(m, self.id)]
        elif name == "data" and kind in ("numeric", "text"):
            start = int(getattr(m, kind + "_adr")[self.id])
            values = getattr(m, kind + "_data")[start : start + int(getattr(m, kind + "_size")[self.id])]
            return values
        elif kind == "texture" and name == "data":
            shape = int(m.tex_height[self.id]), int(m.tex_width[self.id]), int(m.tex_nchannel[self.id])
            start = int(m.tex_adr[self.id])
            return m.tex_data[start : start + int(np.prod(shape))].reshape(shape)
        elif kind == "tuple" and name in ("objtype", "objid", "objprm"):
            start = int(m.tuple_adr[self.id])
            return getattr(m, "tuple_" + name)[start : start + int(m.tuple_size[self.id])]
        elif kind == "actuator" and name in ("ctrllimited", "ctrlrange"):
            start = int(m.actuator_ctrladr[self.id])
            count = int(m.actuator_ctrlnum[self.id])
            array = getattr(m, "actuator_" + name)
            return array[start] if array.ndim > 1 and count == 1 else array[start : start + count]
        field = self.fields[kind].get(name)
        return None if field is None else _row(getattr(m, field), self.id)

    def _fields(self) -> Iterator[str]:
        yield from self.fields[self._kind]
        if self._kind == "joint":
            yield from ("qpos0", "qpos_spring")
        if self._kind in ("numeric", "text", "texture"):
            yield "data"


class DataNamed(Named):
    """One object of a Data: data.joint("knee").qpos is a slice of qpos, and writing to it acts."""

    __slots__ = ()

    def _model(self) -> Any:
        return self._owner.model

    def _get(self, name: str) -> Optional[np.ndarray]:
        d, kind = self._owner, self._kind
        m = d.model
        if kind == "joint":
            if name == "qpos":
                return d.qpos[_coordinates(m, self.id)]
            if name in JOINT_DOFS:
                return getattr(d, name)[_dofs(m, self.id)]
        elif kind == "actuator":
            if name == "ctrl":
                start = int(m.actuator_ctrladr[self.id])
                return d.ctrl[start : start + int(m.actuator_ctrlnum[self.id])]
            if name in ("act", "act_dot"):
                start = int(m.actuator_actadr[self.id])
                return getattr(d, name)[start : start + int(m.actuator_actnum[self.id])] if start >= 0 else None
            if name in ("length", "velocity", "force"):
                start = int(m.actuator_outadr[self.id])
                return getattr(d, "actuator_" + name)[start : start + int(m.actuator_outnum[self.id])]
            if name == "moment":
                return d._actuator_moment()[self.id]
        elif kind == "sensor" and name == "data":
            start = int(m.sensor_adr[self.id])
            return d.sensordata[start : start + int(m.sensor_dim[self.id])]
        elif kind == "body" and name in ("mocap_pos", "mocap_quat"):
            mocap = int(m.body_mocapid[self.id])
            return getattr(d, name)[mocap] if mocap >= 0 else None
        field = DATA_ROWS.get(kind, {}).get(name)
        return None if field is None else _row(getattr(d, field), self.id)

    def _fields(self) -> Iterator[str]:
        yield from DATA_ROWS.get(self._kind, {})
        if self._kind == "joint":
            yield "qpos"
            yield from JOINT_DOFS
        elif self._kind == "actuator":
            yield from ("ctrl", "length", "velocity", "force", "moment")
            if int(self._model().actuator_actadr[self.id]) >= 0:
                yield from ("act", "act_dot")
        elif self._kind == "sensor":
            yield "data"
        elif self._kind == "body" and int(self._model().body_mocapid[self.id]) >= 0:
            yield from ("mocap_pos", "mocap_quat")


class Names:
    """What model.body or data.joint is: call it with a name or a number, index it, loop over it."""

    __slots__ = ("_owner", "_kind")

    def __init__(self, owner: Any, kind: str) -> None:
        self._owner = owner
        self._kind = kind

    def _target(self, index: int) -> Any:
        from ._model import Data

        if isinstance(self._owner, Data):
            if self._kind == "flex":
                from ._flex import Flex

                return Flex(self._owner, index)
        kept = _kept(self._owner)
        made = kept.get((self._kind, index, ""))
        if made is None:
            named = DataNamed if isinstance(self._owner, Data) else ModelNamed
            made = kept[(self._kind, index, "")] = named(self._owner, self._kind, index)
        return made

    def _of(self) -> Any:
        from ._model import Data

        return self._owner.model if isinstance(self._owner, Data) else self._owner

    def __call__(self, key: Union[str, int, None] = None) -> Any:
        return self._target(find(self._owner, self._of(), self._kind, key))

    def __getitem__(self, key: Union[str, int]) -> Any:
        return self(key)

    def __len__(self) -> int:
        return int(self._of()._count(KINDS[self._kind][0]))

    def __iter__(self) -> Iterator[Any]:
        return (self(i) for i in range(len(self)))

    def names(self) -> list[str]:
        """All names of this kind."""
        m = self._of()
        return [m._name(KINDS[self._kind][0], i) or "" for i in range(len(self))]

    def _ipython_key_completions_(self) -> list[str]:
        return [n for n in self.names() if n]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._of()._find(KINDS[self._kind][0], name) >= 0

    def __repr__(self) -> str:
        return f"<{self._kind}: {', '.join(repr(n) for n in self.names())}>"


class Bound:
    """Several objects of one kind: their arrays one after the other. Reading copies, assigning writes."""

    __slots__ = ("_parts", "_kind")

    def __init__(self, parts: list[Any], kind: str) -> None:
        object.__setattr__(self, "_parts", parts)
        object.__setattr__(self, "_kind", kind)

    @property
    def id(self) -> np.ndarray:
        """Their numbers."""
        return np.array([p.id for p in self._parts], np.int32)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._parts:
            return np.zeros(0)
        arrays = []
        for part in self._parts:
            array = part._get(name)
            if array is None:
                raise AttributeError(f"{self._kind} object has no attribute {name!r}; {nearest(name, part._fields())}")
            arrays.append(array)
        shapes = {a.shape for a in arrays}
        if len(shapes) == 1 and arrays[0].shape != (1,) and name not in _RAGGED:
            return np.stack(arrays)
        return np.concatenate(arrays)

    def __setattr__(self, name: str, value: Any) -> None:
        current = getattr(self, name)
        given = np.broadcast_to(np.asarray(value), current.shape) if np.ndim(value) == 0 else np.asarray(value)
        if given.size != current.size:
            raise ValueError(f"{name}: needs an array of shape {current.shape}, found {given.shape}")
        flat = given.reshape(-1)
        start = 0
        for part in self._parts:
            array = part._get(name)
            array[...] = flat[start : start + array.size].reshape(array.shape)
            start += array.size


_RAGGED = frozenset(("qpos", "qpos0", "qpos_spring", "ctrl", "act", "act_dot", "data", *JOINT_DOFS))


def bound(owner: Any, kind: str, numbers: list[int], single: bool) -> Any:
    """What bind() returns: one object, or several together."""
    from ._model import Data

    named = DataNamed if isinstance(owner, Data) else ModelNamed
    parts = [named(owner, kind, n) for n in numbers]
    return parts[0] if single else Bound(parts, kind)


def fill_model_fields(fields: dict[str, Any]) -> None:
    """Which arrays of Model belong to which kind, by the sizes of their rows."""
    table: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for name, field in fields.items():
        for kind, (_, _, prefixes) in KINDS.items():
            for prefix in prefixes:
                rows = "joint" if prefix == "dof_" and field.rows == "nv" else COUNTS.get(field.rows)
                if field.rows in ("nu", "nout") and kind == "actuator":
                    rows = "actuator"
                if name.startswith(prefix) and rows == kind:
                    table[kind].setdefault(name[len(prefix) :], name)
    ModelNamed.fields = table
