"""Model, Option, Statistic and Data."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import nearest
from ._fields import assign, define
from ._named import KINDS, Names, fill_model_fields
from ._picture import LIGHT, MATERIAL, PICTURE_FIELDS, SKIN, TEXTURE, LightPoses, Looks, define_picture, more_names, names_of

Path = Union[str, "os.PathLike[str]"]

_GAP = {"inside": 0, "outside": 1}


def _gap(gap: Optional[str]) -> Optional[int]:
    if gap is None:
        return None
    if gap not in _GAP:
        raise ValueError(f"gap: must be 'inside' or 'outside', found {gap!r}")
    return _GAP[gap]


Option = _core.Option


def _option_values(option: Any) -> dict[str, Any]:
    return {name: getattr(option, name) for name, _, _ in _core.option_fields()}


def _option_equal(self: Any, other: object) -> bool:
    if not isinstance(other, Option):
        return NotImplemented
    mine, its = _option_values(self), _option_values(other)
    return all(np.array_equal(mine[n], its[n]) for n in mine)


def _option_copy(self: Any, memo: Any = None) -> Any:
    made = Option()
    made.assign(self)
    return made


def _option_repr(self: Any) -> str:
    return "<Option\n" + "".join(f"  {n}: {v!r}\n" for n, v in _option_values(self).items()) + ">"


for _method, _implementation in (
    ("__eq__", _option_equal), ("__copy__", _option_copy), ("__deepcopy__", _option_copy), ("__repr__", _option_repr),
):  # fmt: skip
    setattr(Option, _method, _implementation)
setattr(Option, "__hash__", None)
_OPTION_TYPES = {name: type for name, type, _ in _core.option_fields()}


def _option_missing(self: Any, name: str) -> Any:
    raise AttributeError(f"Option has no {name!r}; {nearest(name, _OPTION_TYPES)}")


def _option_set(self: Any, name: str, value: Any) -> None:
    if name not in _OPTION_TYPES:
        _option_missing(self, name)
    try:
        object.__setattr__(self, name, value)
    except (TypeError, ValueError):
        size = np.size(getattr(self, name))
        whole = isinstance(getattr(self, name), int)
        what = f"{size} numbers" if size > 1 else "a whole number" if whole else "a number"
        kind = ValueError if size > 1 and np.size(value) != size else TypeError
        raise kind(f"opt.{name}: needs {what}, found {value!r}") from None


setattr(Option, "__getattr__", _option_missing)
setattr(Option, "__setattr__", _option_set)


def _broadcasting(name: str) -> None:
    """Lets an option of several numbers be set to one number for all of them."""
    plain = getattr(Option, name)

    def write(self: Any, value: Any) -> None:
        plain.__set__(self, [float(value)] * len(plain.__get__(self)) if np.ndim(value) == 0 else value)

    setattr(Option, name, property(lambda self: plain.__get__(self), write, doc=plain.__doc__))


for _name, _type, _ in _core.option_fields():
    if _type.startswith("Vector"):
        _broadcasting(_name)


def _no_attribute(owner: Any, name: str) -> Any:
    """Raises AttributeError for a name that a Model or Data does not have, with the nearest ones."""
    for cls in type(owner).__mro__:
        if name in vars(cls):  # it has one, which raised an error of its own
            return vars(cls)[name].__get__(owner, type(owner))
    if name.startswith("_"):
        raise AttributeError(name)
    raise AttributeError(f"{type(owner).__name__} has no {name!r}; {nearest(name, _public(type(owner)))}")


def _public(cls: type) -> list[str]:
    """Names of attributes that an object of a class has."""
    return [n for n in dir(cls) if not n.startswith("_") and hasattr(cls, n)]


class Statistic:
    """Scales of a model, for tolerances and drawing."""

    __slots__ = ("_values",)
    meaninertia: float
    meanmass: float
    meansize: float
    extent: float
    center: NDArray[np.float64]

    def __init__(self, values: Optional[dict[str, Any]] = None) -> None:
        if values is None:
            values = {n: np.zeros(3 if n == "center" else 1) for n in _STATISTICS}
        object.__setattr__(self, "_values", values)

    def __getattr__(self, name: str) -> Any:
        if name not in _STATISTICS:
            raise AttributeError(f"Statistic has no {name!r}; {nearest(name, _STATISTICS)}")
        value = self._values[name]
        return value if name == "center" else float(value[0])

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _STATISTICS:
            raise AttributeError(f"Statistic has no {name!r}; {nearest(name, _STATISTICS)}")
        self._values[name][:] = value

    def __dir__(self) -> list[str]:
        return list(_STATISTICS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistic) and all(np.array_equal(self._values[n], other._values[n]) for n in _STATISTICS)

    def __repr__(self) -> str:
        return "<Statistic\n" + "".join(f"  {n}: {getattr(self, n)!r}\n" for n in _STATISTICS) + ">"


_STATISTICS = ("meaninertia", "meanmass", "meansize", "extent", "center")


class _Lookups:
    """The functions for named access."""

    body: Names
    joint: Names
    jnt: Names
    geom: Names
    site: Names
    camera: Names
    light: Names
    cam: Names
    equality: Names
    eq: Names
    tendon: Names
    ten: Names
    actuator: Names
    sensor: Names
    flex: Any


class _Lookup:
    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.__doc__ = f"Named access to each {kind}: call with a name or a number."

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        return Names(instance, self.kind)


class Model(_core.ModelBase, _Lookups, Looks):
    """The compiled description of a system: sizes, options and arrays.

    Every array is a numpy view; writing to it acts in the next step. Arrays of indices and types are read-only.
    `model.body("hand").mass` and the like give what belongs to one object.
    """

    _assets: Optional[Mapping[str, bytes]]
    skin: Names
    texture: Names
    tex: Names
    material: Names
    mat: Names
    key: Names
    keyframe: Names
    mesh: Names
    hfield: Names
    pair: Names
    exclude: Names
    numeric: Names
    text: Names
    tuple: Names

    def __init__(self, base: Any = None) -> None:
        if not isinstance(base, _core.ModelBase):
            raise TypeError("a Model is made by from_file, from_text (from_xml_path, from_xml_string) or compile() of a Spec")
        super().__init__(base)

    @classmethod
    def from_file(
        cls, file: Path, *, gap: Optional[str] = None, max_memory: Optional[int] = None
    ) -> "Model":
        """Reads an MJCF or URDF file and compiles it.

        gap: "inside" or "outside" overrides <compiler gap>. max_memory: bytes that loading may need.
        Raises LoadError, whose text names file, line and element.
        """
        model = cls(_core.load_file(os.fspath(file), _gap(gap), max_memory))
        _SOURCES[model] = (os.path.abspath(os.fspath(file)), None, None, "")
        return model

    @classmethod
    def from_text(
        cls,
        text: str,
        assets: Optional[Mapping[str, Union[bytes, str]]] = None,
        *,
        name: str = "model.xml",
        directory: Path = "",
        gap: Optional[str] = None,
        max_memory: Optional[int] = None,
    ) -> "Model":
        """Compiles MJCF text. assets: contents of the files it refers to, by name. directory: where others are."""
        model = cls(_load_text(text, assets, name, directory, _gap(gap), max_memory, False))
        _SOURCES[model] = (None, text, dict(assets) if assets else None, _absolute(directory))
        return model

    @classmethod
    def from_binary(cls, file: Path) -> "Model":
        """Reads what save() wrote, with the same version of Sinew."""
        return cls(_core.load_binary(os.fspath(file)))

    def save(self, file: Path) -> None:
        """Writes the compiled model, bit exact, for the same version of Sinew."""
        from pathlib import Path as P

        P(file).write_bytes(self._bytes())

    def _bytes(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            return self._save(os.path.join(folder, "model"))

    @property
    def warnings(self) -> list[str]:
        """What reading and compiling found worth telling."""
        return self._warnings()

    @property
    def opt(self) -> Option:
        """Settings of the simulation."""
        found = self.__dict__.get("_opt_object")
        if found is None:
            found = self.__dict__["_opt_object"] = self._opt
        return found  # type: ignore[no-any-return]

    @opt.setter
    def opt(self, value: Any) -> None:
        self.opt.assign(value)

    @property
    def stat(self) -> Statistic:
        """Scales of the model."""
        return Statistic(self._stat)

    @stat.setter
    def stat(self, value: Statistic) -> None:
        for n in _STATISTICS:
            setattr(self.stat, n, getattr(value, n))

    @property
    def names(self) -> bytes:
        """All names, zero-terminated; the model's own name first."""
        found = self.__dict__.get("_names_bytes")
        if found is None:
            found = self.__dict__["_names_bytes"] = self._array("names").tobytes() + more_names(self)
        return found  # type: ignore[no-any-return]

    @property
    def text_data(self) -> bytes:
        """Characters of all custom text fields, zero-terminated."""
        return self._array("text_data").tobytes()

    @property
    def nnames(self) -> int:
        """Characters in names."""
        return len(self.names)

    # numbers and names of objects; lights, skins, textures and materials are those of the picture

    def _count(self, kind: int) -> int:
        return len(names_of(self, kind)) if kind in _OF_PICTURE else super()._count(kind)

    def _name(self, kind: int, index: int) -> Optional[str]:
        if kind not in _OF_PICTURE:
            return super()._name(kind, index)
        names = names_of(self, kind)
        return names[index] if 0 <= index < len(names) else None

    def _find(self, kind: int, name: str) -> int:
        if kind not in _OF_PICTURE:
            return super()._find(kind, name)
        names = names_of(self, kind)
        return names.index(name) if name and name in names else -1

    @property
    def _address(self) -> int:
        return id(self)

    def _become(self, other: Any) -> None:
        super()._become(other)
        _forget_views(self)

    def _is_sparse(self) -> bool:
        """Whether constraint Jacobians are compressed, by MuJoCo's rule."""
        return bool(self.opt.jacobian == 1 or (self.opt.jacobian == 2 and self.nv >= 60))

    def _spec(self) -> Any:
        """The description it was compiled from."""
        from ._spec import _COMPILED, Spec

        found = _COMPILED.get(self)
        spec = found[0]() if found else None
        if spec is not None:
            return spec
        source = _SOURCES.get(self)
        if source is None:
            raise ValueError("there is no description of this model: read it with from_file or from_text, or keep its Spec")
        path, text, assets, directory = source
        spec = Spec.from_file(path) if path is not None else Spec.from_text(text, assets, directory=directory)
        made = spec._numbers(self)
        import weakref

        self.__dict__["_spec_object"] = spec
        _COMPILED[self] = (weakref.ref(spec), made)
        return spec

    def __setattr__(self, name: str, value: Any) -> None:
        if name in MODEL_FIELDS or name in PICTURE_FIELDS:
            assign(name, getattr(self, name), value)
        elif name in ("opt", "stat"):
            object.__setattr__(self, name, value)
        elif hasattr(type(self), name):
            raise AttributeError(f"Model.{name} cannot be set")
        else:
            raise AttributeError(f"Model has no {name!r}; {nearest(name, _public(type(self)))}")

    def __copy__(self) -> "Model":
        made = type(self)(self._copy())
        _take_description(made, self)
        return made

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _unpickle_model, (_core.__version__, self._bytes(), _SOURCES.get(self))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Model) and self._same(other))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<sinew.Model {self.modelname!r}: nq={self.nq} nv={self.nv} nu={self.nu} nbody={self.nbody} nflex={self.nflex}>"


_OF_PICTURE = frozenset((LIGHT, SKIN, TEXTURE, MATERIAL))

# what models were read from: file; or text, assets and the folder that other files are in
_SOURCES: "weakref.WeakKeyDictionary[Model, tuple[Any, Any, Any, str]]" = weakref.WeakKeyDictionary()


def _forget_views(owner: Any) -> None:
    """Views of arrays that were replaced: they can be read, and a write is an error."""
    for name, value in list(owner.__dict__.items()):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
            del owner.__dict__[name]
    for value in list(owner.__dict__.pop("_kept_views", {}).values()):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    for name in list(owner.__dict__):
        if name in ("_opt_object", "_names_bytes", "_vis") or "_scene" in name:
            owner.__dict__.pop(name, None)


def _load_text(
    text: str,
    assets: Optional[Mapping[str, Union[bytes, str]]],
    name: str,
    directory: Path,
    gap: Optional[int],
    max_memory: Optional[int],
    mujoco_gap: bool,
) -> Any:
    if not isinstance(text, str):
        raise TypeError(f"text: needs a str, found {type(text).__name__}")
    if not assets:
        return _core.load_text(text, name, os.fspath(directory), gap, max_memory, mujoco_gap)
    with asset_folder(text, assets, os.fspath(directory)) as folder:
        return _core.load_text(text, name, folder, gap, max_memory, mujoco_gap)


class asset_folder:
    """A scratch folder with the given files, as long as it is entered. Files of `directory` are there, too."""

    def __init__(self, text: str, assets: Mapping[str, Union[bytes, str]], directory: str = "") -> None:
        self.assets = assets
        self.directory = directory
        self.folder = tempfile.TemporaryDirectory()
        # files may be named with or without the folders that the model says they are in
        import re

        self.places = {""} | set(re.findall(r'(?:meshdir|texturedir|assetdir)="([^"]*)"', text))

    def __enter__(self) -> str:
        root = os.path.realpath(self.folder.name)
        for name, content in self.assets.items():
            data = content.encode() if isinstance(content, str) else bytes(content)
            for place in self.places:
                path = os.path.realpath(os.path.join(root, place, name))
                if os.path.commonpath([root, path]) != root:
                    if place:
                        continue
                    raise ValueError(f"assets: {name!r} is not a name below the model's own folder")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if not os.path.exists(path):
                    with open(path, "wb") as file:
                        file.write(data)
        if self.directory:
            _link(os.path.abspath(self.directory), root)
        return root

    def __exit__(self, *_: Any) -> None:
        self.folder.cleanup()


def _absolute(directory: Path) -> str:
    return os.path.abspath(os.fspath(directory)) if os.fspath(directory) else ""


def _link(source: str, target: str) -> None:
    """Links to all files of a folder that the other one does not have."""
    for name in os.listdir(source):
        there, here = os.path.join(source, name), os.path.join(target, name)
        if not os.path.lexists(here):
            os.symlink(there, here)
        elif os.path.isdir(there) and os.path.isdir(here) and not os.path.islink(here):
            _link(there, here)


def _take_description(model: Model, other: Model) -> None:
    source = _SOURCES.get(other)
    if source is not None:
        _SOURCES[model] = source


def _unpickle_model(version: str, content: bytes, source: Any = None) -> Model:
    if version != _core.__version__:
        raise ValueError(f"a pickle of Sinew {version}, this is {_core.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(content)
        model = Model(_core.load_binary(path))
    if source is not None:
        _SOURCES[model] = source
    return model


_ROWS = (
    "efc_type", "efc_id", "efc_state", "efc_pos", "efc_margin", "efc_frictionloss", "efc_diagApprox", "efc_KBIP",
    "efc_D", "efc_R", "efc_vel", "efc_aref", "efc_target", "efc_force",
)  # fmt: skip
_CONTACT = (
    "dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "mu", "dim", "geom1",
    "geom2", "geom", "flex", "elem", "vert", "exclude", "efc_address", "adhesion", "restitution",
)  # fmt: skip


class _ContactArray(np.ndarray):
    """Numbers of a contact; writing to them writes to the Data, as long as it has that contact."""

    _place: Any

    def __array_finalize__(self, source: Any) -> None:
        self._place = None

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if self._place is not None:
            data, name, index = self._place
            data._set_contact(name, index, np.array(self))


_CONTACT_NUMBERS = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "mu")


class Contact:
    """A point where two colliders touch or nearly touch.

    It stays as it was when the simulation goes on. Setting its numbers sets those of the Data it came from, as long as
    that has as many contacts.
    """

    __slots__ = _CONTACT + ("H", "_source")
    _source: Any
    dist: float
    pos: NDArray[np.float64]
    frame: NDArray[np.float64]
    geom: NDArray[np.int32]
    flex: NDArray[np.int32]
    elem: NDArray[np.int32]
    vert: NDArray[np.int32]
    geom1: int
    geom2: int
    dim: int
    efc_address: int
    friction: NDArray[np.float64]
    includemargin: float

    def __setattr__(self, name: str, value: Any) -> None:
        current = getattr(self, name, None)
        source = getattr(self, "_source", None)
        if isinstance(current, np.ndarray) and name != "_source":
            if np.size(value) not in (1, current.size):
                raise ValueError(f"{name}: needs {current.size} numbers, found {np.size(value)}")
            if source is not None and name not in _CONTACT_NUMBERS and name != "H":
                raise AttributeError(f"{name} of a contact cannot be set: the engine relies on it")
            current[...] = value
            return
        if source is not None and name in _CONTACT:
            if name not in _CONTACT_NUMBERS:
                raise AttributeError(f"{name} of a contact cannot be set: the engine relies on it")
            source[0]._set_contact(name, source[1], [float(value)])
        object.__setattr__(self, name, value)

    def __init__(self) -> None:
        object.__setattr__(self, "_source", None)
        for name, size in (("pos", 3), ("frame", 9), ("friction", 5), ("solref", 2), ("solreffriction", 2), ("solimp", 5)):
            setattr(self, name, np.zeros(size))
        for name in ("dist", "includemargin", "mu", "adhesion", "restitution"):
            setattr(self, name, 0.0)
        for name in ("geom", "flex", "elem", "vert"):
            setattr(self, name, np.full(2, -1, np.int32))
        self.H = np.zeros(36)
        self.dim, self.geom1, self.geom2, self.exclude, self.efc_address = 0, -1, -1, 0, -1

    def __repr__(self) -> str:
        return "<Contact\n" + "".join(f"  {n}: {getattr(self, n)!r}\n" for n in _CONTACT) + ">"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contact) and all(np.array_equal(getattr(self, n), getattr(other, n)) for n in (*_CONTACT, "H"))

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> "Contact":
        made = Contact()
        for name in _CONTACT:
            value = getattr(self, name)
            setattr(made, name, np.array(value) if isinstance(value, np.ndarray) else value)
        return made

    def __deepcopy__(self, memo: Any) -> "Contact":
        return self.__copy__()


class Contacts(Sequence[Contact]):
    """The contacts of a Data: a sequence, and every field of all of them as an array (`data.contact.dist`)."""

    __slots__ = ("_data",)

    def __init__(self, data: "Data") -> None:
        self._data = data

    def __len__(self) -> int:
        return self._data.ncon

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        n = len(self)
        i = int(index)
        if not -n <= i < n:
            raise IndexError(f"contact {i}: there are {n}")
        i %= n
        contact = Contact()
        for name in _CONTACT:
            value = self._data._contacts(name)[i]
            if np.ndim(value) and name in _CONTACT_NUMBERS:
                live = np.array(value).view(_ContactArray)
                live._place = (self._data, name, i)
                object.__setattr__(contact, name, live)
            else:
                object.__setattr__(contact, name, np.array(value) if np.ndim(value) else value.item())
        object.__setattr__(contact, "_source", (self._data, i))
        return contact

    def __getattr__(self, name: str) -> Any:
        if name not in _CONTACT:
            raise AttributeError(f"contacts have no {name!r}; {nearest(name, _CONTACT)}")
        return self._data._contacts(name)

    def __dir__(self) -> list[str]:
        return list(_CONTACT)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contacts) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Contacts: {len(self)}>"


class Status:
    """What went wrong since the last reset. `bool(status)` is True if nothing did."""

    __slots__ = ("troubles", "text")
    troubles: dict[str, dict[str, Any]]
    text: str

    def __init__(self, troubles: dict[str, dict[str, Any]], text: str) -> None:
        self.troubles = troubles
        self.text = text

    def __bool__(self) -> bool:
        return not self.troubles

    def __getitem__(self, name: str) -> int:
        """In how many steps this trouble occurred."""
        return int(self.troubles[name]["count"]) if name in self.troubles else 0

    def __repr__(self) -> str:
        return f"<Status: {self.text or 'all is well'}>"


class _LightPoses:
    light_xpos: NDArray[Any]
    light_xdir: NDArray[Any]


class Data(_core.DataBase, _Lookups, _LightPoses):
    """The changing part of a simulation, made for one Model.

    Every array of fixed size is a numpy view; writing to it acts. Views stay valid when the Data is gone. Arrays with
    one entry per contact or constraint row (contact, efc_*) are copies.
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"Data needs a Model, found {type(model).__name__}")
        super().__init__(model)

    @property
    def energy(self) -> NDArray[np.float64]:
        """Potential and kinetic energy, J."""
        return self._energy  # type: ignore[no-any-return]

    @property
    def contact(self) -> Contacts:
        """Contacts of the last evaluation."""
        return Contacts(self)

    @property
    def status(self) -> Status:
        """What went wrong since the last reset."""
        if self._ok:
            return Status({}, "")
        return Status({k: v for k, v in self._status.items() if v["count"]}, self.describe_status())

    @property
    def on_divergence(self) -> str:
        """"reset" (a state that is not finite is reset, and counted in status) or "raise" (DivergenceError)."""
        return "raise" if self._raise_on_divergence else "reset"

    @on_divergence.setter
    def on_divergence(self, mode: str) -> None:
        if mode not in ("reset", "raise"):
            raise ValueError(f"on_divergence: must be 'reset' or 'raise', found {mode!r}")
        self._raise_on_divergence = mode == "raise"

    @property
    def islands(self) -> list[dict[str, Any]]:
        """What the solver did on each island in the last evaluation."""
        return self._islands  # type: ignore[no-any-return]

    @property
    def _address(self) -> int:
        return id(self)

    @property
    def efc_J(self) -> NDArray[np.float64]:
        """Constraint Jacobian of the last evaluation, a copy. With opt.jacobian = "dense", or "auto" and fewer than 60 dofs:
        nefc * nv numbers. Else its entries, see efc_J_rownnz, efc_J_rowadr, efc_J_colind. constraint_jacobian() is dense."""
        return self._sparse_J()[3] if self.model._is_sparse() else self._rows("efc_J")

    def _sparse_J(self) -> Any:
        return self._rows("efc_J_sparse")

    def constraint_jacobian(self) -> NDArray[np.float64]:
        """Constraint Jacobian of the last evaluation: (nefc, nv)."""
        return np.asarray(self._rows("efc_J")).reshape(self.nefc, self.model.nv)

    def _actuator_moment(self) -> NDArray[np.float64]:
        m = self.model
        dense = np.zeros((m.nout, m.nv))
        for i, (adr, n) in enumerate(zip(self.moment_rowadr, self.moment_rownnz)):
            dense[i, self.moment_colind[adr : adr + n]] = self._array("actuator_moment")[adr : adr + n]
        return dense

    def _become(self, other: Any) -> None:
        super()._become(other)
        _forget_views(self)
        _core._set_callbacks(self, self.__dict__.get("_functions", {}))

    def set_callbacks(
        self, *, control: Any = None, passive: Any = None, contact_filter: Any = None, sensor: Any = None
    ) -> None:
        """Functions that steps and forward() of this Data call. None: no such function.

        control(model, data) writes data.ctrl, qfrc_applied or xfrc_applied. passive(model, data, qfrc) adds to qfrc.
        contact_filter(model, data, collider1, collider2) says whether two colliders (geoms, then ngeom + flex) may touch.
        sensor(model, data, id, values) writes the values of a user sensor. What they raise, step() raises when it ends.
        """
        functions = {"control": control, "passive": passive, "contact_filter": contact_filter, "sensor": sensor}
        _core._set_callbacks(self, functions)
        self.__dict__["_functions"] = functions

    def step(self, nstep: int = 1) -> None:
        """Advances the state by `nstep` timesteps."""
        _core.step(self.model, self, nstep)

    def forward(self) -> None:
        """Everything step() computes before it integrates: all derived arrays for the present state."""
        _core.forward(self.model, self)

    def inverse(self) -> None:
        """Inverse dynamics: qpos, qvel, qacc to qfrc_inverse."""
        _core.inverse(self.model, self)

    def reset(self, key: Union[int, str, None] = None) -> None:
        """Back to qpos0 at time 0, or to a keyframe."""
        if key is None:
            _core.reset(self.model, self)
        else:
            _core.reset_to_key(self.model, self, self.model.key(key).id)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in DATA_FIELDS:
            assign(name, getattr(self, name), value)
        elif name in _DATA_SETTABLE:
            object.__setattr__(self, name, value)
        elif name == "energy":
            assign(name, self.energy, value)
        elif hasattr(type(self), name):
            raise AttributeError(f"Data.{name} cannot be set")
        else:
            raise AttributeError(f"Data has no {name!r}; {nearest(name, _public(type(self)))}")

    def __copy__(self) -> "Data":
        other = type(self)(self.model)
        other._assign(self)
        other._raise_on_divergence = self._raise_on_divergence
        if "_functions" in self.__dict__:
            other.set_callbacks(**self.__dict__["_functions"])
        return other

    def __deepcopy__(self, memo: Any) -> "Data":
        import copy

        other = type(self)(copy.deepcopy(self.model, memo))
        other._assign(self)
        other._raise_on_divergence = self._raise_on_divergence
        if "_functions" in self.__dict__:
            other.set_callbacks(**self.__dict__["_functions"])
        return other

    def __reduce__(self) -> Any:
        return _unpickle_data, (_core.__version__, self.model, self.save_state(), self._derived_bytes())

    def __repr__(self) -> str:
        return f"<sinew.Data of {self.model.modelname!r}: time={self.time:g} ncon={self.ncon} nefc={self.nefc}>"


_DATA_SETTABLE = frozenset(("time", "threads", "on_divergence", "_raise_on_divergence"))


def _unpickle_data(version: str, model: Model, state: bytes, derived: bytes) -> Data:
    if version != _core.__version__:
        raise ValueError(f"a pickle of Sinew {version}, this is {_core.__version__}")
    data = Data(model)
    data.load_state(state)
    data._set_derived_bytes(derived)
    return data


class _RowField:
    def __init__(self, name: str) -> None:
        self.name = name
        self.__doc__ = f"{name} of the constraint rows of the last evaluation: a copy."

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        rows = instance._rows(self.name)
        return rows if rows.size else rows.copy()

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} cannot be set: it is a copy of what the last evaluation made")


# not in the classes themselves, so that type checkers find misspelt names
setattr(Model, "__getattr__", _no_attribute)
setattr(Data, "__getattr__", _no_attribute)
MODEL_FIELDS = define(_core.ModelBase, [f for f in _core.model_fields() if f[0] not in ("names", "text_data")])
DATA_FIELDS = define(_core.DataBase, _core.data_fields())
define_picture(Model)
for _name, _which in (("light_xpos", 0), ("light_xdir", 1)):
    setattr(Data, _name, LightPoses(_which))
fill_model_fields({**MODEL_FIELDS, **PICTURE_FIELDS})
for _name in _ROWS:
    setattr(_core.DataBase, _name, _RowField(_name))
for _kind, _entry in KINDS.items():
    for _function in _entry[1]:
        setattr(Model, _function, _Lookup(_kind))
        if _kind in ("body", "joint", "geom", "site", "camera", "flex", "equality", "tendon", "actuator", "sensor",
                     "light"):  # fmt: skip
            setattr(Data, _function, _Lookup(_kind))
