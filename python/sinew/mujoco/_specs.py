"""MjSpec: the editable description of a model under MuJoCo's names.

Elements are objects that hold their attributes; compile() writes them as MJCF, which the engine compiles. Reading goes
the other way: the engine resolves includes, default classes, replicates and attachments, and the elements are made from
what it writes, so that everything Sinew reads can be edited.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
import warnings
import weakref
import xml.etree.ElementTree as ET
import zipfile
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Union, cast

import numpy as np

from .. import _core
from .._errors import LoadError, nearest
from .._model import _SOURCES, Data, Model, Option, asset_folder
from .._named import KINDS, bound
from .._spec import _COMPILED, _transfer
from . import _spec_elements as el
from ._fatal import FatalError
from ._spec_elements import (
    MjsActuator, MjsBody, MjsCamera, MjsDefault, MjsElement, MjsEquality, MjsExclude, MjsFlex, MjsFrame, MjsGeom,
    MjsHField, MjsJoint, MjsKey, MjsLight, MjsMaterial, MjsMesh, MjsNumeric, MjsOrientation, MjsPair, MjsPlugin,
    MjsSensor, MjsSite, MjsSkin, MjsTendon, MjsText, MjsTexture, MjsTuple, MjsWrap,
)  # fmt: skip
from ._spec_fields import DISABLE, ENABLE, FIELDS, SECTIONS
from ._spec_xml import Raw, Reader, Writer, expand, png, problem, read_class, read_compiler, serialize
from ._structs import MjLROpt, MjVisual, _Struct

_NAN = float("nan")
_TREE = ("body", "frame", "geom", "joint", "site", "camera", "light")
_PLACE = re.compile(r"^[^\n:]*:(\d+): ")

if TYPE_CHECKING:
    from ._faces import MjData, MjModel
else:
    MjData, MjModel = Data, Model


class _SpecStatistic(_Struct):
    """Scales that are set instead of being computed; NaN: computed."""

    _defaults = {"meaninertia": _NAN, "meanmass": _NAN, "meansize": _NAN, "extent": _NAN, "center": np.array([_NAN, 0, 0])}


class MjsAuthored(_Struct):
    """Which settings the file gave, as bits."""

    _defaults = {
        "option": 0, "disableflags": 0, "enableflags": 0, "disableactuator": 0, "visual_global": 0, "visual_quality": 0,
        "visual_headlight": 0, "visual_map": 0, "visual_scale": 0, "visual_rgba": 0,
    }  # fmt: skip


class MjsCompiler(MjsElement):
    """How angles, files and inertias are meant."""

    _kind = "compiler"

    def __init__(self, spec: Any, source: Optional[MjsElement] = None) -> None:
        super().__init__(spec, source)
        self.__dict__["LRopt"] = MjLROpt()
        self.__dict__["_authored"] = 0

    LRopt: Any = None

    @property
    def authored(self) -> int:
        """Which settings the file gave, as bits."""
        return int(self._authored)


el._CLASSES["compiler"] = MjsCompiler


class _Assets(dict):  # type: ignore[type-arg]
    """Contents of files by name; a path may be written in any equivalent way."""

    @staticmethod
    def _key(name: str) -> str:
        return os.path.normpath(name).replace("\\", "/")

    def __init__(self, *others: Any) -> None:
        super().__init__()
        for other in others:
            self.update(other)

    def update(self, other: Any = (), /, **more: Any) -> None:
        for name, content in {**dict(other), **more}.items():
            self[name] = content

    def __setitem__(self, name: str, content: Any) -> None:
        super().__setitem__(self._key(name), content)

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(self._key(name))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(self._key(name))

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(self._key(name), default)


class MjSpec:
    """The editable description of a model.

    What differs from MuJoCo: elements that a file's default class shaped carry its values; classes of the file are kept
    and elements know theirs, unless the file uses replicate, composite or attach. A <flexcomp> of a file stays a
    <flexcomp>: its bodies and its flex are not among the lists.
    """

    _USER_SIZES = {
        "nuser_body": "body", "nuser_jnt": "joint", "nuser_geom": "geom", "nuser_site": "site", "nuser_cam": "camera",
        "nuser_tendon": "tendon", "nuser_actuator": "actuator", "nuser_sensor": "sensor",
    }  # fmt: skip
    _SIZES = {
        "memory": -1, "njmax": -1, "nconmax": -1, "nstack": -1, "nuserdata": 0, "nkey": 0, "nemax": 0,
        **{name: -1 for name in _USER_SIZES},
    }  # fmt: skip

    def __init__(self) -> None:
        self.modelname = "MuJoCo Model"
        self.comment = ""
        self.modelfiledir = ""
        self.strippath = False
        self.hasImplicitPluginElem = False
        self.override_assets = True
        self.__dict__.update(self._SIZES)
        self._lists: dict[str, list[Any]] = {kind: [] for kind in SECTIONS}
        self._raw: list[ET.Element] = []
        self._copying = False
        self._parent: Any = None
        self._assets = _Assets()
        self._timer = np.zeros(9)
        self._option = Option()
        self._visual = MjVisual()
        self._stat = _SpecStatistic()
        self._authored = MjsAuthored()
        self._compiler = MjsCompiler(self)
        self._default = MjsDefault(self, "main")
        self._world = MjsBody(self)
        self._world.__dict__["_name"] = "world"
        self._names = frozenset(self.__dict__)

    def __setattr__(self, name: str, value: Any) -> None:
        known = self.__dict__.get("_names")
        if known is not None and name not in known and not hasattr(type(self), name):
            raise AttributeError(f"MjSpec has no attribute {name!r}; {nearest(name, [n for n in known if n[0] != '_'])}")
        object.__setattr__(self, name, value)

    # ---- settings

    @property
    def option(self) -> Any:
        """Settings of the simulation."""
        return self._option

    @option.setter
    def option(self, value: Any) -> None:
        self._option.assign(value)

    @property
    def visual(self) -> MjVisual:
        """Settings of drawing."""
        return self._visual

    @property
    def stat(self) -> Any:
        """Scales that are set instead of being computed."""
        return self._stat

    @property
    def compiler(self) -> MjsCompiler:
        """How angles, files and inertias are meant."""
        return self._compiler

    @property
    def authored(self) -> MjsAuthored:
        """Which settings the file gave, as bits."""
        return self._authored

    @property
    def worldbody(self) -> MjsBody:
        """The world."""
        return self._world

    @property
    def default(self) -> MjsDefault:
        """The default class of everything."""
        return self._default

    @property
    def parent(self) -> Any:
        """The MjSpec this one is attached to; None if it is not."""
        return self._parent

    @property
    def timer(self) -> np.ndarray:
        """Seconds that compile() took, in total; its parts are not told apart."""
        return self._timer

    @property
    def _address(self) -> int:
        return id(self)

    @property
    def _directory(self) -> str:
        return self.modelfiledir

    @property
    def assets(self) -> Any:
        """Contents of files by name."""
        return self._assets

    @assets.setter
    def assets(self, value: Mapping[str, Any]) -> None:
        self.__dict__["_assets"] = _Assets(value)

    @property
    def copy_during_attach(self) -> bool:
        """Whether attaching copies; by default it moves."""
        raise AttributeError("copy_during_attach can only be set.")

    @copy_during_attach.setter
    def copy_during_attach(self, value: bool) -> None:
        self.__dict__["_copying"] = bool(value)

    def _folder(name: str) -> property:  # type: ignore[misc]
        return property(
            lambda self: getattr(self._compiler, name), lambda self, value: setattr(self._compiler, name, value),
            doc=f"The same as compiler.{name}.",
        )  # fmt: skip

    meshdir = _folder("meshdir")
    texturedir = _folder("texturedir")

    # ---- elements

    def _all(self, kind: str) -> list[Any]:
        if kind == "body":
            return [self._world] + self._world._list("body", True)
        if kind in _TREE:
            found = [e for e in self._world._children if e._kind == kind]
            return found + [e for b in self._world._list("body", True) for e in b._children if e._kind == kind]
        return self._lists.get(kind, [])

    def _find(self, kind: str, name: str) -> Any:
        for element in self._all(kind):
            if element._name == name and (name or kind == "body"):
                return element
        if kind in ("mesh", "texture", "hfield", "skin"):
            for element in self._all(kind):
                if not element._name and os.path.splitext(os.path.basename(element._values["file"]))[0] == name:
                    return element
        return None

    def _defaults(self) -> list[MjsDefault]:
        found, todo = [], [self._default]
        while todo:
            found.append(todo.pop())
            todo += found[-1]._children
        return found

    def find_default(self, name: str) -> Optional[MjsDefault]:
        """The default class of this name; None if there is none."""
        return next((d for d in self._defaults() if d._name == name), None)

    def add_default(self, name: str, parent: Optional[MjsDefault] = None) -> MjsDefault:
        """A default class that starts as its parent is."""
        if self.find_default(name) is not None:
            raise ValueError(f"Error: repeated default class name '{name}'")
        above = parent if parent is not None else self._default
        made = MjsDefault(self, name, above)
        above._children.append(made)
        return made

    def _class_for(self, default: Any, body: Any, frame: Any) -> Optional[MjsDefault]:
        """The class of a new element: the one given, else that of the frames and bodies around it."""
        if default is not None:
            if not isinstance(default, MjsDefault):
                raise TypeError(f"default should be an MjsDefault, found {default!r}")
            return default
        while frame is not None:
            if frame._values["childclass"]:
                return self.find_default(frame._values["childclass"])
            frame = frame._frame
        while body is not None:
            if body._values["childclass"]:
                return self.find_default(body._values["childclass"])
            body = body._body
        return None

    def _prototype(self, kind: str, default: Any, body: Any, frame: Any) -> Optional[MjsElement]:
        if kind not in el.CLASSED:
            return None
        return (self._class_for(default, body, frame) or self._default)._elements[kind]

    def _add(self, kind: str, default: Any, values: dict[str, Any]) -> Any:
        made = el._CLASSES[kind](self, self._prototype(kind, default, None, None))
        made.__dict__["_class"] = default
        self._lists[kind].append(made)
        try:
            made._apply(dict(values))
        except Exception:
            self._lists[kind].remove(made)
            raise
        return made

    def activate_plugin(self, name: str) -> None:
        """Nothing to do for mujoco.elasticity.cable, which is built in; the others do not exist."""
        if name != "mujoco.elasticity.cable":
            raise ValueError(f"Error: plugin {name!r} not found: Sinew has no plugins but mujoco.elasticity.cable, built in")

    def _signature(self) -> int:
        return hash(tuple((kind, len(self._all(kind))) for kind in FIELDS if kind != "compiler"))

    # ---- reading

    @staticmethod
    def from_file(filename: Any, include: Any = None, assets: Any = None, vfs: Any = None) -> "MjSpec":
        """Reads an MJCF or URDF file."""
        path = os.path.abspath(os.fspath(filename))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        spec = MjSpec()
        spec.modelfiledir = os.path.dirname(path)
        spec._read(text, path, include, assets)
        return spec

    @staticmethod
    def from_string(xml: str, include: Any = None, assets: Any = None, vfs: Any = None) -> "MjSpec":
        """Reads MJCF text. include: contents of files it includes; assets: of others."""
        if not isinstance(xml, str):
            raise TypeError(f"xml should be a text, found {type(xml).__name__}")
        spec = MjSpec()
        spec._read(xml, "", include, assets)
        return spec

    @staticmethod
    def from_zip(file: Any) -> "MjSpec":
        """Reads a model and its assets from a zip file."""
        with zipfile.ZipFile(file) as archive:
            contents = {n: archive.read(n) for n in archive.namelist() if not n.endswith("/")}
        models = sorted((n for n in contents if n.endswith(".xml")), key=lambda n: (n.count("/"), n))
        if not models:
            raise ValueError(f"Error: no XML file found in {file}")
        root = os.path.dirname(models[0])
        assets = {os.path.relpath(n, root) if root else n: c for n, c in contents.items() if n != models[0]}
        return MjSpec.from_string(contents[models[0]].decode(), assets=assets)

    def _read(self, text: str, path: str, include: Any, assets: Any) -> None:
        every = {**(include or {}), **(assets or {})}
        self.assets = assets or {}
        try:
            if every:
                with asset_folder(text, every) as folder:
                    if path:
                        _link_folder(self.modelfiledir, folder)
                    resolved, found = _core.resolve_text(text, "model.xml", folder, folder)
            elif path:
                resolved, found = _core.resolve_file(path, self.modelfiledir)
            else:
                resolved, found = _core.resolve_text(text, "model.xml", self.modelfiledir, self.modelfiledir)
        except LoadError as error:
            raise LoadError(_as_xml_error(str(error))) from None
        for message in found:
            warnings.warn(message, UserWarning, stacklevel=4)
        raw = None
        if not re.search(r"<robot\b", text):
            raw = expand(ET.fromstring(text), lambda name: _included(name, every, self.modelfiledir))
        if raw is not None:
            self._read_classes(raw)
        Reader(self).read(ET.fromstring(resolved))
        if raw is not None:
            self._read_authored(raw)
            self._link(raw)

    def _read_classes(self, raw: ET.Element) -> None:
        for node in raw.iter("compiler"):
            read_compiler(self, {k: v for k, v in node.attrib.items() if k in ("angle", "meshdir", "texturedir", "assetdir", "strippath")})

        def read(default: MjsDefault, node: ET.Element) -> None:
            read_class(default, node)
            for child in node.findall("default"):
                name = child.get("class", "")
                read(self.find_default(name) or self.add_default(name, default), child)

        for node in raw.findall("default"):
            if node.get("class", "main") != "main":
                self._default._name = node.get("class", "main")
            read(self._default, node)

    def _read_authored(self, raw: ET.Element) -> None:
        def bits(node: Optional[ET.Element]) -> int:
            return sum(1 << (sum(map(ord, name)) % 62) for name in sorted(node.attrib)) if node is not None else 0

        authored = self._authored
        authored.option = bits(raw.find("option"))
        for node in raw.iter("flag"):
            authored.disableflags = sum(1 << DISABLE.index(n) for n in node.attrib if n in DISABLE)
            authored.enableflags = sum(1 << ENABLE.index(n) for n in node.attrib if n in ENABLE)
        for part in ("global", "quality", "headlight", "map", "scale", "rgba"):
            setattr(authored, "visual_" + part, bits(raw.find(f"visual/{part}")))
        self._compiler.__dict__["_authored"] = bits(raw.find("compiler"))

    def _link(self, raw: ET.Element) -> None:
        """Gives elements the class they have in the file, and files the name they have there, where both files list
        the same elements."""
        if any(raw.iter(tag) and next(raw.iter(tag), None) is not None for tag in ("replicate", "composite", "attach")):
            return

        def children(node: ET.Element, tags: tuple[str, ...]) -> Iterator[tuple[ET.Element, str]]:
            def walk(node: ET.Element, inherited: str) -> Iterator[tuple[ET.Element, str]]:
                for child in node:
                    if child.tag == "frame":
                        yield from walk(child, child.get("childclass", inherited))
                    elif child.tag in tags:
                        yield child, inherited

            yield from walk(node, "")

        def body(element: Any, nodes: list[ET.Element], inherited: str) -> None:
            for kind in ("geom", "joint", "site", "camera", "light"):
                mine = [e for e in element._children if e._kind == kind]
                its = [x for n in nodes for x in children(n, ("joint", "freejoint") if kind == "joint" else (kind,))]
                if len(mine) == len(its):
                    for e, (node, frame) in zip(mine, its):
                        name = node.get("class") or frame or inherited
                        if name and node.tag != "freejoint":
                            e.__dict__["_class"] = self.find_default(name)
            mine = [e for e in element._children if e._kind == "body"]
            its = [x for n in nodes for x in children(n, ("body",))]
            if len(mine) == len(its):
                for e, (node, frame) in zip(mine, its):
                    own = node.get("childclass", "")
                    e._values["childclass"] = own
                    body(e, [node], own or frame or inherited)

        body(self._world, raw.findall("worldbody"), "")
        for kind, section in SECTIONS.items():
            mine = self._lists[kind]
            its = [n for part in raw.findall(section) for n in part if section in ("tendon", "equality", "actuator", "sensor") or n.tag == kind]
            if kind == "plugin" or len(mine) != len(its):
                continue
            for e, node in zip(mine, its):
                if kind in el.CLASSED and node.get("class"):
                    e.__dict__["_class"] = self.find_default(node.get("class", ""))
                if node.get("file"):
                    e._values["file"] = node.get("file")
                    if not node.get("name"):
                        e.__dict__["_name"] = ""

    # ---- writing and compiling

    def to_xml(self) -> str:
        """As MJCF, with angles in radians."""
        return serialize(Writer(self, True).root())[0]

    def to_file(self, filename: Any) -> None:
        """Writes MJCF."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_xml())

    def to_zip(self, file: Any) -> None:
        """Writes MJCF and the assets into a zip file."""
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(self.modelname + ".xml", self.to_xml())
            for name, content in self._assets.items():
                archive.writestr(name, content)

    def encode(self, filename: Any, model: Any = None, content_type: Optional[str] = None) -> int:
        """Writes the model in the format that the name of the file says; returns the number of bytes."""
        ending = os.path.splitext(os.fspath(filename))[1]
        if ending == ".xml" or content_type == "text/xml":
            content = self.to_xml().encode()
        elif ending == ".zip":
            self.to_zip(filename)
            return os.path.getsize(filename)
        else:
            raise FatalError(f"mj_encode: no encoder found for {os.fspath(filename)!r}: .xml and .zip exist")
        with open(filename, "wb") as file:
            return file.write(content)

    @contextlib.contextmanager
    def _written(self) -> Iterator[tuple[str, str, dict[int, Any], Any]]:
        """The text to compile, the folder it stands in, which element is in which line, and the same as a source."""
        with tempfile.TemporaryDirectory() as scratch:
            count = [0]
            files: dict[str, Union[bytes, str]] = {}

            def put(name: str, content: Union[bytes, str]) -> str:
                count[0] += 1
                path = os.path.join(scratch, str(count[0]), os.path.basename(name))
                os.makedirs(os.path.dirname(path))
                files[os.path.relpath(path, scratch)] = content
                with open(path, "wb") as file:
                    file.write(content.encode() if isinstance(content, str) else content)
                return path

            def place(element: Any, name: str, folder: str) -> str:
                if not name:
                    v = element._values
                    return put(f"{element._name or 'texture'}.png", png(v["data"], v["width"], v["height"], v["nchannel"]))
                if element._home.strippath:
                    name = os.path.basename(name)
                for known in (os.path.join(folder, name), name, os.path.basename(name)):
                    for owner in (element._spec, element._home):
                        if known in owner._assets:
                            return put(name, owner._assets[known])
                return os.path.join(os.path.abspath(element._home.modelfiledir), folder, name)

            text, lines = serialize(Writer(self, False, place).root())
            yield text, self.modelfiledir, lines, (None, text.replace(scratch + os.sep, ""), files, self.modelfiledir)

    def compile(self, vfs: Any = None) -> MjModel:
        """The model. Raises ValueError with the element that is wrong."""
        start = time.perf_counter()
        with self._written() as (text, folder, lines, source):
            try:
                model = Model(_core.load_text(text, "MjSpec", folder, None, None, True))
            except LoadError as error:
                match = _PLACE.match(str(error))
                element = lines.get(int(match[1])) if match else None
                if element is None:
                    raise LoadError("Error: " + str(error)) from None
                raise problem(element, str(error)[match.end() :]) from None  # type: ignore[union-attr]
        for message in model.warnings:
            warnings.warn(message, UserWarning, stacklevel=2)
        self._timer[0] = time.perf_counter() - start
        _SOURCES[model] = source  # as it is now: the MjSpec may change
        _COMPILED[model] = (weakref.ref(self), self._numbers(model))
        model.__dict__["_spec_object"] = self
        return cast(MjModel, model)

    def _without_keys(self) -> Model:
        """The model without keyframes, whose reference configuration others are filled up with."""
        keys, self._lists["key"] = self._lists["key"], []
        try:
            with self._written() as (text, folder, *_):
                return Model(_core.load_text(text, "MjSpec", folder, None, None, True))
        finally:
            self._lists["key"] = keys

    def _numbers(self, model: Model) -> dict[str, dict[Any, int]]:
        table: dict[str, dict[Any, int]] = {}
        for kind in (*_TREE, *SECTIONS):
            if kind not in KINDS:
                continue
            elements = [e for e in self._all(kind)]
            # lights and the like are part of the picture, which is not made before it is asked for; none is left out there
            if kind in ("light", "texture", "material", "skin") or len(elements) == model._count(KINDS[kind][0]):
                table[kind] = {e: i for i, e in enumerate(elements)}
            else:
                numbers = {e: model._find(KINDS[kind][0], e._name) for e in elements if e._name}
                table[kind] = {e: i for e, i in numbers.items() if i >= 0}
            for e, i in table[kind].items():
                e.__dict__["_id"] = i
        return table

    def recompile(self, model: Model, data: Data) -> tuple[MjModel, MjData]:
        """Compiles the changed MjSpec; the new MjData has the state of `data` for all that is still there."""
        old = _COMPILED.get(model)
        before = old[1] if old is not None and old[0]() is self else {}
        made = self.compile()
        return made, cast(MjData, _transfer(before, _COMPILED[made][1], model, data, made))

    # ---- copying, deleting, attaching

    def copy(self) -> "MjSpec":
        """An independent MjSpec with the same content."""
        other = MjSpec()
        for name in ("modelname", "comment", "modelfiledir", "strippath", "override_assets", *self._SIZES):
            setattr(other, name, getattr(self, name))
        other._option.assign(self._option)
        other.__dict__["_visual"] = self._visual.__copy__()
        other.__dict__["_stat"] = self._stat.__copy__()
        other.__dict__["_authored"] = self._authored.__copy__()
        other.__dict__["_raw"] = [ET.fromstring(ET.tostring(r)) for r in self._raw]
        other.assets = self._assets
        other._compiler.__dict__["_values"] = MjsCompiler(other, self._compiler)._values
        other._compiler.__dict__["LRopt"] = self._compiler.LRopt.__copy__()
        classes: dict[Any, Any] = {}

        def default(mine: MjsDefault, parent: Optional[MjsDefault]) -> MjsDefault:
            made = classes[mine] = MjsDefault(other, mine._name, parent)
            for kind, element in mine._elements.items():
                made._elements[kind] = type(element)(other, element)
            made._children = [default(child, made) for child in mine._children]
            return made

        other.__dict__["_default"] = default(self._default, None)
        homes: dict[Any, Any] = {self: other}

        def duplicate(element: Any) -> Any:
            made = element._duplicate(other)
            made.__dict__["_class"] = classes.get(element._class)
            made.__dict__["_home"] = homes.get(element._home, element._home)
            if "_generator" in element.__dict__:
                made.__dict__["_generator"] = dict(element._generator)
            return made

        bodies: dict[Any, Any] = {self._world: other._world}

        def content(body: Any, copy: Any) -> None:
            frames: dict[Any, Any] = {None: None}
            for child in body._children:
                if child._kind == "frame":
                    frames[child] = duplicate(child)
            for child in body._children:
                if child._kind == "raw":
                    made: Any = Raw(ET.fromstring(ET.tostring(child._xml)), copy, frames[child._frame])
                else:
                    made = frames[child] if child._kind == "frame" else duplicate(child)
                    made.__dict__.update(_body=copy, _frame=frames[child._frame])
                copy._children.append(made)
                if child._kind == "body":
                    bodies[child] = made
                    content(child, made)

        content(self._world, other._world)
        for kind, elements in self._lists.items():
            for element in elements:
                made = duplicate(element)
                made.__dict__["_body"] = bodies.get(element._body)
                other._lists[kind].append(made)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "MjSpec":
        return self.copy()

    def delete(self, element: Any) -> None:
        """Takes an element out. With a body or frame goes all that is in it, and what refers to that."""
        if self._parent is not None:
            raise ValueError("Cannot delete element from an attached mjSpec.")
        if isinstance(element, MjsDefault):
            if element is self._default:
                raise ValueError("the default class main cannot be deleted")
            if element._parent is not None:
                element._parent._children.remove(element)
            return
        if element is self._world:
            raise ValueError("the world cannot be deleted")
        if element._spec is not self:
            raise ValueError(f"this {element._kind} is not part of the MjSpec")
        gone: dict[str, set[str]] = {}

        def forget(e: Any) -> None:
            if e._name:
                gone.setdefault(e._kind, set()).add(e._name)
            for child in getattr(e, "_children", ()):
                if child._kind != "raw":
                    forget(child)
            e.__dict__["_spec"] = None

        if element._kind in _TREE:
            children = element._body._children
            inside = [c for c in children if element._kind == "frame" and el._inside(c, element)]
            element._body.__dict__["_children"] = [c for c in children if c is not element and c not in inside]
            for e in [element, *inside]:
                forget(e)
        else:
            self._lists[element._kind].remove(element)
            forget(element)
        if element._kind not in ("body", "frame"):
            return  # as in MuJoCo: compile() tells what refers to it
        again = True
        while again:
            again = False
            for elements in self._lists.values():
                for e in list(elements):
                    if any(name in gone.get(kind, ()) for kind, name, _ in e._references()):
                        elements.remove(e)
                        forget(e)
                        again = True

    def detach_body(self, body: Any) -> None:
        """The same as delete."""
        self.delete(body)

    def attach(
        self, child: "MjSpec", prefix: Optional[str] = None, suffix: Optional[str] = None, site: Any = None, frame: Any = None
    ) -> MjsFrame:
        """Puts the content of another MjSpec to a site or into a frame. Returns the frame that it is in."""
        if (site is None) == (frame is None):
            raise ValueError("Only one of frame or site can be specified." if site is not None else "Frame or site must be specified.")
        place = site if site is not None else frame
        if isinstance(place, str):
            place = self._find("site" if site is not None else "frame", place)
            if place is None:
                raise ValueError("Site not found." if site is not None else "Frame not found.")
        if place._spec is not self:
            raise ValueError(("Site" if site is not None else "Frame") + " spec does not match parent spec.")
        return self._attach(child._world, place, prefix or "", suffix or "")  # type: ignore[no-any-return]

    def _attach(self, part: Any, place: Any, prefix: str, suffix: str) -> Any:
        child = part._home if part._spec is not part._home and part._home._parent is not None else part._spec
        if child is None or place._spec is None:
            raise ValueError("attach: the element was deleted")
        if child is self or child._parent is not None or self._copying:
            # attached before: a copy goes in, under new names
            same = [e for e in child._all(part._kind)]
            index = next(i for i, e in enumerate(same) if e is part)
            copy = child.copy()
            copy.__dict__["_parent"] = None
            part, child = copy._all(part._kind)[index], copy
        self._settle(child)
        whole = part is child._world
        body = place if isinstance(place, MjsBody) else place._body
        frame = place if isinstance(place, MjsFrame) else None
        if isinstance(place, MjsSite):
            frame = MjsFrame(self)
            for name in ("pos", "quat", "alt"):
                frame._values[name] = el._copied(place._values[name])
            frame.__dict__.update(_body=body, _frame=place._frame, _home=place._home)
            body._children.append(frame)
        if whole:
            outer = frame
            frame = MjsFrame(self)
            frame.__dict__.update(_body=body, _frame=outer)
            body._children.append(frame)
            moved = list(part._children)
        elif isinstance(part, MjsFrame):
            moved = [part] + [c for c in part._body._children if el._inside(c, part)]
        else:
            moved = [part]
        self._take(child, moved, whole, prefix, suffix)
        for e in moved:
            e.__dict__["_body"] = body
            if e is part or e._frame is None:
                e.__dict__["_frame"] = frame
            body._children.append(e)
        child.__dict__["_parent"] = self
        return frame if whole else part

    def _take(self, child: "MjSpec", moved: list[Any], whole: bool, prefix: str, suffix: str) -> None:
        """Makes elements of a child part of this MjSpec, with what they refer to and what refers to them alone."""
        tree: list[Any] = []

        def gather(e: Any) -> None:
            tree.append(e)
            for c in getattr(e, "_children", ()):
                gather(c)

        for e in moved:
            gather(e)
        names: dict[str, set[str]] = {}
        for e in tree:
            if e._name:
                names.setdefault(e._kind, set()).add(e._name)
        taken = [e for e in tree if e._kind != "raw"]
        wanted = {kind: set() for kind in SECTIONS}  # type: dict[str, set[Any]]
        again = True
        while again:
            again = False
            for kind, elements in child._lists.items():
                for e in elements:
                    if e in wanted[kind]:
                        continue
                    references = list(e._references())
                    if kind in ("pair", "exclude", "equality", "tendon", "actuator", "sensor", "tuple", "skin", "flex"):
                        mine = [r for r in references if r[0] not in ("material", "texture", "mesh", "hfield")]
                        use = whole or bool(mine) and all(n in names.get(k, ()) or k == "body" and n == "world" for k, n, _ in mine)
                    elif kind in ("texture", "material", "mesh", "hfield"):
                        name = e._name or os.path.splitext(os.path.basename(e._values.get("file", "")))[0]
                        use = whole or any((k, n) == (kind, name) for x in taken for k, n, _ in x._references())
                    else:
                        use = whole
                    if use:
                        wanted[kind].add(e)
                        taken.append(e)
                        if e._name:
                            names.setdefault(kind, set()).add(e._name)
                        again = True
        for e in taken:
            if e._kind in ("mesh", "texture", "hfield", "skin") and not e._name and e._values["file"]:
                e.__dict__["_name"] = os.path.splitext(os.path.basename(e._values["file"]))[0]
                names.setdefault(e._kind, set()).add(e._name)
        for e in taken:
            if e._name:
                new = prefix + e._name + suffix
                if any(o._name == new and o is not e for o in self._all(e._kind)):
                    raise ValueError(f"Error: repeated name '{new}' in {e._kind}")
        for e in taken:
            for kind, name, change in e._references():
                if name in names.get(kind, ()):
                    change(prefix + name + suffix)
        for e in taken:
            if e._name:
                e.__dict__["_name"] = prefix + e._name + suffix
        self._take_classes(child, taken, prefix, suffix)
        self._take_assets(child, taken, prefix, suffix)
        for e in taken:
            if e._kind == "key" and "_counted" not in e.__dict__:
                # its numbers belong to the joints, actuators and mocap bodies of the child, wherever they end up
                e.__dict__["_counted"] = (child._all("joint"), child._all("actuator"), [b for b in child._all("body") if b.mocap])
        for e in taken:
            e.__dict__["_spec"] = self
        for kind, elements in child._lists.items():
            self._lists[kind] += [e for e in elements if e in wanted[kind]]

    def _take_classes(self, child: "MjSpec", taken: list[Any], prefix: str, suffix: str) -> None:
        made: dict[Any, Any] = {}

        def take(default: MjsDefault, parent: MjsDefault) -> None:
            name = prefix + default._name + suffix
            known = self.find_default(name)
            copy = known if known is not None else self.add_default(name, parent)
            if known is None:
                for kind, element in default._elements.items():
                    copy._elements[kind] = type(element)(self, element)
                    copy._elements[kind].__dict__["_home"] = child
            made[default] = copy
            for inner in default._children:
                take(inner, copy)

        for default in child._default._children:
            take(default, self._default)
        for e in taken:
            e.__dict__["_class"] = made.get(e._class)
            if e._kind in ("body", "frame") and e._values["childclass"]:
                own = prefix + e._values["childclass"] + suffix
                e._values["childclass"] = own if self.find_default(own) is not None else ""

    def _take_assets(self, child: "MjSpec", taken: list[Any], prefix: str, suffix: str) -> None:
        for name, content in child._assets.items():
            folder, base = os.path.split(name)
            stem, ending = os.path.splitext(base)
            new = os.path.join(folder, prefix + stem + suffix + ending)
            if new in self._assets and self._assets[new] != content and not self.override_assets:
                raise ValueError(f"Asset {new!r} already exists with another content")
            self._assets[new] = content
            for e in taken:
                for word in ("file",):
                    if word in e._values and _Assets._key(e._values[word]) == name:
                        e._values[word] = new

    _SMALLER = ("timestep", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "sleep_tolerance")
    _LARGER = ("iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints")

    def _settle(self, child: "MjSpec") -> None:
        """Options of a child that is attached, as compiler.conflict says."""
        from .._model import _option_values

        plain, mine, its = (_option_values(o) for o in (Option(), self._option, child._option))
        changes: dict[str, Any] = {}
        mode = int(self._compiler.conflict)
        for name, value in its.items():
            if np.array_equal(value, plain[name]) or np.array_equal(value, mine[name]):
                continue
            if mode == 0:
                warnings.warn(f"option {name} of the attached model is ignored: {mine[name]} here, {value} there", stacklevel=5)
            elif mode == 2:
                raise ValueError(f"Error: conflict in option {name}: {mine[name]} here, {value} in the attached model")
            elif np.array_equal(mine[name], plain[name]):
                changes[name] = value
            elif name in self._SMALLER:
                changes[name] = min(mine[name], value)
            elif name in self._LARGER:
                changes[name] = max(mine[name], value)
            elif name in ("disableflags", "enableflags", "disableactuator"):
                changes[name] = mine[name] | value
            else:
                raise ValueError(f"Error: conflict in option {name}: {mine[name]} here, {value} in the attached model; they cannot be merged")
        for name, value in changes.items():
            setattr(self._option, name, value)

    @staticmethod
    def resolve_orientation(degree: bool, sequence: Any = None, orientation: Any = None) -> list[float]:
        """Another orientation as a quaternion."""
        return [float(x) for x in orientation.quaternion(bool(degree), sequence or "xyz")]

    def __repr__(self) -> str:
        return f"<MjSpec {self.modelname!r}: {len(self._all('body'))} bodies>"


def _link_folder(source: str, scratch: str) -> None:
    """Makes the files of a folder visible in a scratch folder, beside those that are given as assets."""
    for name in os.listdir(source):
        target = os.path.join(scratch, name)
        if not os.path.lexists(target):
            os.symlink(os.path.join(source, name), target)


def _included(name: str, contents: Mapping[str, Any], folder: str) -> Optional[str]:
    for known in (name, os.path.basename(name)):
        if known in contents:
            content = contents[known]
            return content.decode() if isinstance(content, bytes) else str(content)
    path = os.path.join(folder, name)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return file.read()
    return None


def _as_xml_error(message: str) -> str:
    return message if message.startswith(("XML Error", "Error")) else "XML Error: " + message


def _plural(kind: str) -> str:
    return {"body": "bodies", "equality": "equalities", "mesh": "meshes", "flex": "flexes"}.get(kind, kind + "s")


def _define(kind: str) -> None:
    def find(self: MjSpec, name: str) -> Any:
        return self._find(kind, name)

    find.__doc__ = f"The {kind} of this name; None if there is none."
    setattr(MjSpec, kind, find)
    setattr(MjSpec, _plural(kind), property(lambda self: list(self._all(kind)), doc=f"Every {kind}."))
    if kind in _TREE:
        return
    if kind in el.CLASSED and kind != "flex":

        def add(self: MjSpec, default: Any = None, **values: Any) -> Any:
            return self._add(kind, default, values)
    else:

        def add(self: MjSpec, **values: Any) -> Any:  # type: ignore[misc]
            return self._add(kind, None, values)

    add.__doc__ = f"A new {kind}; values are its attributes."
    setattr(MjSpec, "add_" + kind, add)


for _kind in (*_TREE, *SECTIONS):
    _define(_kind)


def _bind(self: Any, elements: Any) -> Any:
    """The arrays of one element of an MjSpec, or of several of a kind together."""
    model = self if isinstance(self, Model) else self.model
    single = isinstance(elements, MjsElement)
    every = [elements] if single else list(elements)
    for e in every:
        if not isinstance(e, MjsElement):
            raise TypeError(f"bind: needs elements of an MjSpec, found {e!r}")
    compiled = _COMPILED.get(model)
    kinds = {e._kind for e in every}
    if len(kinds) > 1:
        raise ValueError(f"bind: elements of one kind are needed, found {', '.join(sorted(kinds))}")
    numbers = []
    for e in every:
        number = compiled[1].get(e._kind, {}).get(e) if compiled is not None else None
        if number is None:
            raise ValueError("The mjSpec does not match mjModel. Please recompile the mjSpec.")
        numbers.append(number)
    return bound(self, next(iter(kinds), ""), numbers, single)


setattr(Model, "bind", _bind)
setattr(Data, "bind", _bind)
_ = (MjsActuator, MjsCamera, MjsEquality, MjsExclude, MjsFlex, MjsGeom, MjsHField, MjsJoint, MjsKey, MjsLight, MjsMaterial,
     MjsMesh, MjsNumeric, MjsOrientation, MjsPair, MjsPlugin, MjsSensor, MjsSkin, MjsTendon, MjsText, MjsTexture,
     MjsTuple, MjsWrap)  # fmt: skip
