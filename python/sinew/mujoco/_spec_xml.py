"""MjSpec as MJCF: elements to text and back."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
import zlib
from typing import Any, Callable, Optional
from xml.sax.saxutils import quoteattr

import numpy as np

from . import _spec_elements as el
from ._spec_fields import (
    BY_NAME, CAMERA_OUTPUT, CONTACT_DATA, CONTACT_REDUCE, CUBE_FILES, DISABLE, ENABLE, EQUALITIES, FIELDS, INPUT, INTERP,
    NUMBERS, OBJECTS, RAY_DATA, ROLES, SENSOR_TARGET, SENSORS, WORDS, Field,
)  # fmt: skip

_BY_XML: dict[str, dict[str, Field]] = {k: {f.xml: f for f in fields if f.xml} for k, fields in FIELDS.items()}
_TRANSMISSION = {0: "joint", 1: "jointinparent", 2: "cranksite", 3: "tendon", 4: "site", 5: "body", 6: "joint"}


# ---------------------------------------------------------------------------------------------------- numbers and text


def text_of(value: Any) -> str:
    """A value as MJCF writes it; numbers are read back as the same numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, np.float32):
        text = str(value)
        return text[:-2] if text.endswith(".0") else text
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)
    return " ".join(text_of(v) for v in value)


def _field_text(field: Field, value: Any) -> str:
    if field.kind == "e":
        return WORDS[field.enum.__name__][int(value)]  # type: ignore[union-attr]
    if field.kind == "C":
        return "".join(value)
    if field.kind == "g" and not field.size:
        return text_of(np.float32(value))
    return text_of(value)


def _parse(element: Any, field: Field, text: str) -> None:
    values = element._values
    if field.kind == "e":
        values[field.name] = field.enum(WORDS[field.enum.__name__].index(text))  # type: ignore[union-attr, misc]
    elif field.kind == "b":
        values[field.name] = text in ("true", "enable", "1")
    elif field.kind == "s":
        values[field.name] = text
    elif field.kind == "C":
        values[field.name] = el.FixedList(text)
    elif field.kind == "S":
        values[field.name] = text.split()
    elif field.size or field.kind in "DGI":
        numbers = np.array(text.split(), np.float64)
        array = values[field.name]
        if field.kind in "DGI":
            values[field.name] = numbers.astype(array.dtype)
        else:
            array[: numbers.size] = numbers
            if field.kind in "Z":
                array[numbers.size :] = 0
    else:
        values[field.name] = int(text) if field.kind == "i" else el.convert(field, float(text), None)


def _bits(words: tuple[str, ...], number: int) -> str:
    return " ".join(w for i, w in enumerate(words) if number >> i & 1)


def _number(words: tuple[str, ...], text: str) -> int:
    return sum(1 << words.index(w) for w in text.split())


def png(data: bytes, width: int, height: int, channels: int) -> bytes:
    """A picture of 8-bit values as a PNG file."""
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + data[i * width * channels : (i + 1) * width * channels] for i in range(height))

    def chunk(tag: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + tag + content + struct.pack(">I", zlib.crc32(tag + content))

    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# ---------------------------------------------------------------------------------------------------- writing


class Node:
    """An element of MJCF that is about to be written."""

    __slots__ = ("tag", "attributes", "children", "element")

    def __init__(self, tag: str, attributes: Optional[dict[str, str]] = None, element: Any = None) -> None:
        self.tag, self.attributes, self.element = tag, attributes or {}, element
        self.children: list["Node"] = []

    def add(self, tag: str, attributes: Optional[dict[str, str]] = None, element: Any = None) -> "Node":
        """A child."""
        self.children.append(Node(tag, attributes, element))
        return self.children[-1]


def serialize(root: Node) -> tuple[str, dict[int, Any]]:
    """The text, and which element stands in which line."""
    lines: list[str] = []
    places: dict[int, Any] = {}

    def write(node: Node, depth: int) -> None:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in node.attributes.items())
        lines.append("  " * depth + f"<{node.tag}{attributes}{'>' if node.children else '/>'}")
        if node.element is not None:
            places[len(lines)] = node.element
        for child in node.children:
            write(child, depth + 1)
            if depth == 0 and child is not node.children[-1]:
                lines.append("")
        if node.children:
            lines.append("  " * depth + f"</{node.tag}>")

    write(root, 0)
    return "\n".join(lines) + "\n", places


class Writer:
    """Writes an MjSpec. With `resolve` angles are radians and orientations quaternions, as MuJoCo writes them; without
    it they stay as they are, and files are those that file() says."""

    def __init__(self, spec: Any, resolve: bool, file: Optional[Callable[[Any, str, str], str]] = None) -> None:
        self.spec, self.resolve, self.file = spec, resolve, file
        self.degree = not resolve and bool(spec.compiler.degree)
        self.sequence = "".join(spec.compiler.eulerseq)
        self.written: set[int] = set()
        self.pristine: dict[str, dict[str, str]] = {}

    def root(self) -> Node:
        """The whole document."""
        spec = self.spec
        root = Node("mujoco", {"model": spec.modelname})
        self.settings(root)
        self.defaults(root)
        for section in ("extension", "asset"):
            self.section(root, section)
        world = root.add("worldbody", element=spec.worldbody)
        self.content(world, spec.worldbody, "")
        for section in ("deformable", "contact", "tendon", "equality", "actuator", "sensor", "custom", "keyframe"):
            self.section(root, section)
        for raw in spec._raw:
            root.children.append(raw_node(raw))
        return root

    # ---- attributes

    def attributes(self, element: Any) -> dict[str, str]:
        """All attributes of an element, as text."""
        kind, values = element._kind, element._values
        found = {f.xml: _field_text(f, values[f.name]) for f in FIELDS[kind] if f.xml}
        special = getattr(self, "_" + kind, None)
        if special is not None:
            special(element, values, found)
        found.update(element._extra)
        return found

    def differing(self, element: Any, base: Optional[Any]) -> dict[str, str]:
        """The attributes that the default class does not have already."""
        if base is None:
            if element._kind not in self.pristine:
                self.pristine[element._kind] = self.attributes(el._CLASSES[element._kind](self.spec))
            known = self.pristine[element._kind]
        else:
            known = self.attributes(base)
        found: dict[str, str] = {}
        if element._name:
            found["name"] = element._name
        for name, value in self.attributes(element).items():
            if known.get(name, "") != value:
                found[name] = value
        return found

    def angle(self, element: Any) -> float:
        """What angles of an element are multiplied with."""
        its = bool(element._home.compiler.degree)
        if its == self.degree:
            return 1.0
        return np.pi / 180 if its else 180 / np.pi

    def orientation(self, element: Any, found: dict[str, str], quat: Any, alt: Any) -> None:
        word, compiler = alt.word(), element._home.compiler
        same = bool(compiler.degree) == self.degree and "".join(compiler.eulerseq) == self.sequence
        if word and same and not self.resolve:
            found[word] = text_of(getattr(alt, word))
        elif word:
            found["quat"] = text_of(alt.quaternion(bool(compiler.degree), compiler.eulerseq))
        elif not np.array_equal(quat, (1, 0, 0, 0)):
            found["quat"] = text_of(quat)

    def _body(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.orientation(element, found, values["quat"], values["alt"])
        if values["simple"] == 0:
            found["simple"] = "false"

    def _frame(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.orientation(element, found, values["quat"], values["alt"])

    def _site(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.orientation(element, found, values["quat"], values["alt"])
        if not np.isnan(values["fromto"][0]):
            found["fromto"] = text_of(values["fromto"])

    def _geom(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self._site(element, values, found)
        if not np.isnan(values["mass"]):
            found["mass"] = text_of(values["mass"])
        found["shellinertia"] = text_of(int(values["typeinertia"]) == 1)
        found["fluidshape"] = "ellipsoid" if values["fluid_ellipsoid"] else "none"

    def _joint(self, element: Any, values: Any, found: dict[str, str]) -> None:
        scale = self.angle(element)
        if scale != 1 and int(values["type"]) in (1, 3):
            found["range"] = text_of(values["range"] * scale)
            if int(values["type"]) == 3:
                found["ref"], found["springref"] = text_of(values["ref"] * scale), text_of(values["springref"] * scale)

    def _camera(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.orientation(element, found, values["quat"], values["alt"])
        found["output"] = _bits(CAMERA_OUTPUT, values["output"])
        if not values["sensor_size"].any():
            found["fovy"] = text_of(values["fovy"])

    def _flex(self, element: Any, values: Any, found: dict[str, str]) -> None:
        found["contact/passive"] = text_of(bool(values["passive"]))
        found["elasticity/elastic2d"] = ("none", "bend", "stretch", "both")[values["elastic2d"]]
        if values["node"].size:
            found["nodecoord"] = text_of(values["node"])

    def _mesh(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.named_file(element, found, "file", "meshdir")

    def _skin(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.named_file(element, found, "file", "meshdir")

    def _hfield(self, element: Any, values: Any, found: dict[str, str]) -> None:
        self.named_file(element, found, "file", "meshdir")
        if values["userdata"].size:
            heights = values["userdata"]
            if heights.size != values["nrow"] * values["ncol"]:
                raise problem(element, "elevation data length must match nrow*ncol")
            # MJCF has the far row first
            found["elevation"] = text_of(heights.reshape(values["nrow"], -1)[::-1].reshape(-1))

    def _texture(self, element: Any, values: Any, found: dict[str, str]) -> None:
        for word, file in zip(CUBE_FILES, values["cubefiles"]):
            if file:
                found[word] = file
                self.named_file(element, found, word, "texturedir")
        if values["data"] and self.file is not None:
            wanted = values["width"] * values["height"] * values["nchannel"]
            if len(values["data"]) != wanted:
                raise problem(element, f"data has {len(values['data'])} bytes, width * height * nchannel is {wanted}")
            found["file"] = self.file(element, "", "")
            found["width"] = found["height"] = "0"
        else:
            self.named_file(element, found, "file", "texturedir")

    def named_file(self, element: Any, found: dict[str, str], word: str, folder: str) -> None:
        if found[word] and self.file is not None:
            found[word] = self.file(element, found[word], getattr(element._home.compiler, folder))

    def _material(self, element: Any, values: Any, found: dict[str, str]) -> None:
        names = values["textures"]
        if not any(names[2:]):
            found["texture"] = names[1] or names[0]

    def _equality(self, element: Any, values: Any, found: dict[str, str]) -> None:
        kind, data = int(values["type"]), values["data"]
        target = element._target()
        if kind == 7:
            raise problem(element, "equality constraints of type distance do not exist any more")
        if kind >= 4:
            found["flex"] = values["name1"]
            if kind == 6:
                found["cell"] = text_of(data[:3])
            return
        found[target + "1"], found[target + "2"] = values["name1"], values["name2"]
        if kind >= 2:
            found["polycoef"] = text_of(data[:5])
        elif target == "body":
            found["anchor"] = text_of(data[:3])
        if kind == 1:
            found["torquescale"] = text_of(data[10])
            if target == "body":
                found["relpose"] = text_of(data[3:10])

    def _actuator(self, element: Any, values: Any, found: dict[str, str]) -> None:
        word = _TRANSMISSION.get(int(values["trntype"]), "")
        if word:
            found[word] = values["target"]
        found["interp"] = INTERP[values["interp"]]
        if values["ctrlspec"]:
            found["input"] = _bits(("expmap", "quat") if int(values["gaintype"]) == 4 else INPUT, values["ctrlspec"])

    def _sensor(self, element: Any, values: Any, found: dict[str, str]) -> None:
        tag = SENSORS[int(values["type"])]
        kind, other = OBJECTS.get(int(values["objtype"]), ""), OBJECTS.get(int(values["reftype"]), "")
        found["interp"] = INTERP[values["interp"]]
        if tag in SENSOR_TARGET:
            found[SENSOR_TARGET[tag]] = values["objname"]
        elif tag == "rangefinder":
            self.ray_words(element, values, found)
        elif tag == "camprojection":
            found["site"], found["camera"] = values["objname"], values["refname"]
        elif tag == "insidesite":
            found.update(site=values["refname"], objtype=kind, objname=values["objname"])
        elif tag in ("distance", "normal", "fromto"):
            found[kind + "1"], found[other + "2"] = values["objname"], values["refname"]
        elif tag == "contact":
            self.contact_words(element, values, found)
        elif tag.startswith("frame"):
            found.update(objtype=kind, objname=values["objname"])
            if values["refname"]:
                found.update(reftype=other, refname=values["refname"])
        elif tag == "user":
            found.update(datatype=WORDS["mjtDataType"][int(values["datatype"])], dim=text_of(values["dim"]))
            found.update(needstage=WORDS["mjtStage"][int(values["needstage"])])
            if kind:
                found.update(objtype=kind, objname=values["objname"])
        elif tag in ("tactile", "plugin"):
            raise problem(element, f"a sensor of type {tag} does not exist in Sinew")

    def ray_words(self, element: Any, values: Any, found: dict[str, str]) -> None:
        bits = int(values["intprm"][0])
        if bits <= 0:
            raise problem(element, f"data spec (intprm[0]) must be positive, got {bits}")
        found["camera" if int(values["objtype"]) == 7 else "site"] = values["objname"]
        found["data"] = _bits(RAY_DATA, bits)

    def contact_words(self, element: Any, values: Any, found: dict[str, str]) -> None:
        kind, other = OBJECTS.get(int(values["objtype"]), ""), OBJECTS.get(int(values["reftype"]), "")
        if kind not in ("", "body", "xbody", "geom", "site"):
            raise problem(element, "first matching criterion: if set, must be (x)body, geom or site")
        if other not in ("", "body", "xbody", "geom"):
            raise problem(element, "second matching criterion: if set, must be (x)body or geom")
        data, reduce, number = (int(x) for x in values["intprm"])
        count = len(CONTACT_DATA)
        if data <= 0:
            raise problem(element, f"data spec (intprm[0]) must be positive, got {data}")
        if not data & (1 << count) - 1:
            raise problem(element, f"data spec intprm[0]={data} must have at least one bit set of the first mjNCONDATA bits")
        if data >> count:
            raise problem(element, f"data spec intprm[0]={data} has bits set beyond the first mjNCONDATA bits")
        if not 0 <= reduce < len(CONTACT_REDUCE):
            raise problem(element, f"unknown reduction criterion. got {reduce}")
        if number <= 0:
            raise problem(element, "num (intprm[2]) must be positive in sensor")
        words = {"body": "body1", "xbody": "subtree1", "geom": "geom1", "site": "site"}
        if kind:
            found[words[kind]] = values["objname"]
        if other:
            found[words[other].replace("1", "2")] = values["refname"]
        found.update(data=_bits(CONTACT_DATA, data), reduce=CONTACT_REDUCE[reduce], num=text_of(number))

    # ---- parts of the document

    def settings(self, root: Node) -> None:
        spec = self.spec
        compiler = self.differing(spec.compiler, None)
        if self.resolve:
            compiler.pop("eulerseq", None)
            compiler = {"angle": "radian", **compiler}
        elif not spec.compiler.degree:
            compiler["angle"] = "radian"
        if self.file is not None:
            compiler.pop("meshdir", None), compiler.pop("texturedir", None)
        if spec.strippath and self.file is None:
            compiler["strippath"] = "true"
        if compiler or spec.compiler.LRopt != type(spec.compiler.LRopt)():
            node = root.add("compiler", compiler)
            length = struct_attributes(spec.compiler.LRopt)
            if length:
                for word in ("useexisting", "uselimit"):
                    if word in length:
                        length[word] = text_of(length[word] != "0")
                if "mode" in length:
                    length["mode"] = ("none", "muscle", "muscleuser", "all")[int(length["mode"])]
                node.add("lengthrange", length)
        option, flags = option_attributes(spec.option)
        if option or flags:
            node = root.add("option", option)
            if flags:
                node.add("flag", flags)
        sizes = {}
        for name in ("memory", "njmax", "nconmax", "nstack", "nuserdata", "nkey", *spec._USER_SIZES):
            value = getattr(spec, name)
            if value != spec._SIZES[name] and not (name == "nkey" and value <= len(spec._lists["key"])):
                sizes[name] = str(value)
        if self.resolve:
            for name, kind in spec._USER_SIZES.items():
                longest = max((len(e._values["userdata"]) for e in spec._all(kind)), default=0)
                if longest and name not in sizes:
                    sizes[name] = str(longest)
        if sizes:
            root.add("size", sizes)
        statistic = struct_attributes(spec.stat)
        if statistic:
            root.add("statistic", statistic)
        parts = {n: struct_attributes(getattr(spec.visual, n)) for n in ("global_", "quality", "headlight", "map", "scale", "rgba")}
        if any(parts.values()):
            node = root.add("visual")
            for name, attributes in parts.items():
                if attributes:
                    node.add(name.rstrip("_"), attributes)

    def defaults(self, root: Node) -> None:
        def write(above: Node, default: Any) -> None:
            node = above.add("default", {} if default is self.spec.default else {"class": default.name})
            for kind in el.CLASSED:
                base = default._parent._elements[kind] if default._parent else None
                found = self.differing(default._elements[kind], base)
                if found and kind != "flex":
                    node.add({"actuator": "general"}.get(kind, kind), found)
            for child in default._children:
                write(node, child)

        kept = Node("")
        write(kept, self.spec.default)
        if kept.children[0].children:
            root.children.append(kept.children[0])

    def class_word(self, element: Any, inherited: str) -> dict[str, str]:
        name = element._class.name if element._class is not None else "main"
        if element._class is not None and self.spec.find_default(name) is not element._class:
            return {}
        return {} if name == (inherited or "main") else {"class": name}

    def base(self, element: Any) -> Any:
        default = element._class
        if default is None or self.spec.find_default(default.name) is not default:
            default = self.spec.default
        return default._elements[element._kind]

    def classed(self, element: Any, inherited: str) -> dict[str, str]:
        found = self.differing(element, self.base(element))
        word = self.class_word(element, inherited)
        if not word and inherited and element._class is None:
            word = {"class": "main"}
        name = {"name": found.pop("name")} if "name" in found else {}
        return {**name, **word, **found}

    def content(self, node: Node, body: Any, inherited: str) -> None:
        for kind in ("joint", "geom", "site", "camera", "light", "raw", "body"):
            run: Any = None
            place = node
            for child in body._children:
                if child._kind != kind and not (kind == "body" and child._kind == "raw"):
                    continue
                if child._kind == "raw" and kind == "raw":
                    continue
                if child._frame is not run or place is None:
                    run, place = child._frame, self.frames(node, child._frame)
                self.placed(place, child, self.inherited(child._frame, inherited))
            if kind == "body":
                for flex in self.spec._lists["flex"]:
                    if flex._body is body and "_generator" in flex.__dict__:
                        self.generated(node, flex)
        for child in body._children:
            if child._kind == "frame" and id(child) not in self.written:
                self.frames(node, child)

    def inherited(self, frame: Any, above: str) -> str:
        while frame is not None:
            if frame._values["childclass"]:
                return str(frame._values["childclass"])
            frame = frame._frame
        return above

    def frames(self, node: Node, frame: Any) -> Node:
        """The frames around an element, outermost first. One may be opened several times, named once."""
        if frame is None:
            return node
        node = self.frames(node, frame._frame)
        found = self.differing(frame, None)
        if id(frame) in self.written:
            found.pop("name", None)
        self.written.add(id(frame))
        if frame._values["childclass"]:
            found["childclass"] = frame._values["childclass"]
        return node.add("frame", found, frame)

    def placed(self, node: Node, child: Any, inherited: str) -> None:
        if child._kind == "raw":
            node.children.append(raw_node(child._xml))
        elif child._kind == "body":
            found = self.differing(child, None)
            name = {"name": found.pop("name")} if "name" in found else {}
            own = child._values["childclass"]
            made = node.add("body", {**name, **({"childclass": own} if own else {}), **found}, child)
            self.inertial(made, child)
            if child._values["plugin"].active:
                plugin = child._values["plugin"]
                words = {"plugin": plugin.plugin_name, "instance": plugin.name}
                made.add("plugin", {k: v for k, v in words.items() if v})
            self.content(made, child, own or inherited)
        elif child._kind == "joint" and self.is_free(child):
            words = {"name": child._name, "group": text_of(child.group), "align": WORDS["mjtAlignFree"][int(child.align)]}
            node.add("freejoint", {k: v for k, v in words.items() if v not in ("", "0", "auto")}, child)
        else:
            node.add(child._kind, self.classed(child, inherited), child)

    def is_free(self, joint: Any) -> bool:
        """Whether <freejoint> says it all, whatever the class of the joint is like."""
        if int(joint.type) != 0:
            return False
        found = self.differing(joint, None)
        return set(found) <= {"name", "type", "group", "align"}

    def inertial(self, node: Node, body: Any) -> None:
        values = body._values
        given = values["explicitinertial"] or not np.isnan(values["ipos"][0])
        if not given and not (values["mass"] > 0 and not body._list("geom", False)):
            return
        found = {"pos": text_of(np.nan_to_num(values["ipos"])), "mass": text_of(values["mass"])}
        if not np.isnan(values["fullinertia"][0]):
            found["fullinertia"] = text_of(values["fullinertia"])
        else:
            self.orientation(body, found, values["iquat"], values["ialt"])
            found["diaginertia"] = text_of(values["inertia"])
        node.add("inertial", found, body)

    def generated(self, node: Node, flex: Any) -> None:
        """A flex of make_flex."""
        found = {**self.differing(flex, None), **flex._generator}
        self.parts(node.add("flexcomp", {k: v for k, v in found.items() if "/" not in k}, flex), found)

    def parts(self, node: Node, found: dict[str, str]) -> None:
        for part in ("edge", "elasticity", "contact"):
            words = {k.split("/")[1]: v for k, v in found.items() if k.startswith(part + "/")}
            if words:
                node.add(part, words)

    def section(self, root: Node, section: str) -> None:
        node = Node(section)
        for kind in self.spec._lists:
            if el_section(kind) == section:
                for element in self.spec._lists[kind]:
                    getattr(self, "write_" + kind, self.plain)(node, element)
        if node.children:
            root.children.append(node)

    def plain(self, node: Node, element: Any) -> None:
        classed = element._kind in el.CLASSED and element._kind != "flex"
        node.add(element._kind, self.classed(element, "") if classed else self.differing(element, None), element)

    def write_plugin(self, node: Node, element: Any) -> None:
        above = next((n for n in node.children if n.attributes.get("plugin") == element.plugin_name), None)
        above = above or node.add("plugin", {"plugin": element.plugin_name})
        made = above.add("instance", {"name": element._name}, element)
        for key, value in element._config.items():
            made.add("config", {"key": key, "value": value})

    def write_material(self, node: Node, element: Any) -> None:
        made = node.add("material", self.classed(element, ""), element)
        if any(element._values["textures"][2:]):
            for role, name in zip(ROLES, element._values["textures"]):
                if name:
                    made.add("layer", {"role": "rgb" if role == "user" else role, "texture": name})

    def write_skin(self, node: Node, element: Any) -> None:
        made, values = node.add("skin", self.differing(element, None), element), element._values
        for i, body in enumerate(values["bodyname"]):
            made.add("bone", {
                "body": body, "bindpos": text_of(values["bindpos"][3 * i : 3 * i + 3]),
                "bindquat": text_of(values["bindquat"][4 * i : 4 * i + 4]), "vertid": text_of(values["vertid"][i]),
                "vertweight": text_of(values["vertweight"][i]),
            })  # fmt: skip

    def write_flex(self, node: Node, element: Any) -> None:
        if "_generator" in element.__dict__:
            return
        found = self.differing(element, None)
        self.parts(node.add("flex", {k: v for k, v in found.items() if "/" not in k}, element), found)

    def write_equality(self, node: Node, element: Any) -> None:
        base = el.MjsEquality(self.spec, self.base(element))
        for name in ("type", "name1", "name2", "objtype"):
            base._values[name] = element._values[name]
        base._values["name1"] = base._values["name2"] = ""
        base._values["data"][:] = 0
        if int(element._values["type"]) in (2, 3):
            base._values["data"][1] = 1
        base._values["data"][10] = 1
        found = self.differing(element, base)
        if int(element._values["type"]) == 0 and element._target() == "body":
            found["anchor"] = text_of(element._values["data"][:3])
        label = {"name": found.pop("name")} if "name" in found else {}
        node.add(EQUALITIES[int(element._values["type"])], {**label, **self.class_word(element, ""), **found}, element)

    def write_tendon(self, node: Node, element: Any) -> None:
        fixed = bool(element._path) and element._path[0]._kind == "joint"
        made = node.add("fixed" if fixed else "spatial", self.classed(element, ""), element)
        for wrap in element._path:
            if wrap._kind == "pulley":
                made.add("pulley", {"divisor": text_of(wrap._number)}, element)
            elif wrap._kind == "joint":
                made.add("joint", {"joint": wrap._target, "coef": text_of(wrap._number)}, element)
            else:
                side = {"sidesite": wrap._sidesite} if wrap._sidesite else {}
                made.add(wrap._kind, {wrap._kind: wrap._target, **side}, element)

    def write_actuator(self, node: Node, element: Any) -> None:
        if element._values["plugin"].active:
            raise problem(element, "actuators of engine plugins do not exist in Sinew")
        node.add("general", self.classed(element, ""), element)

    def write_sensor(self, node: Node, element: Any) -> None:
        found = self.attributes(element)
        ordinary = {f.xml: _field_text(f, el.convert(f, f.default, None)) for f in FIELDS["sensor"] if f.xml}
        ordinary["interp"] = "zoh"
        found = {k: v for k, v in found.items() if ordinary.get(k) != v}
        name = {"name": element._name} if element._name else {}
        node.add(element._extra.get("") or SENSORS[int(element.type)], {**name, **{k: v for k, v in found.items() if k}}, element)

    def write_key(self, node: Node, element: Any) -> None:
        found = self.differing(element, None)
        if "_counted" in element.__dict__:
            for name in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
                found.pop(name, None)
            found.update(self.spread(element))
        node.add("key", found, element)

    def spread(self, key: Any) -> dict[str, str]:
        """The numbers of a keyframe that came with an attached model, at the places that its joints have now. What it
        says nothing about is at its reference."""
        found: dict[str, str] = {}
        model = self.spec._without_keys()
        joints, actuators, mocaps = key._counted

        def place(name: str, owners: list[Any], every: list[Any], size: Callable[[Any], int], rest: Any) -> None:
            values = key._values[name]
            if not values.size:
                return
            wanted = sum(size(e) for e in owners)
            if values.size != wanted:
                raise problem(key, f"{name} has {values.size} numbers, the model it came from has {wanted}")
            parts, start = {}, 0
            for e in owners:
                parts[id(e)] = values[start : start + size(e)]
                start += size(e)
            whole, start = np.array(rest, float), 0
            for e in every:
                if id(e) in parts:
                    whole[start : start + size(e)] = parts[id(e)]
                start += size(e)
            found[name] = text_of(whole)

        nq, nv = (7, 4, 1, 1), (6, 3, 1, 1)
        place("qpos", joints, self.spec._all("joint"), lambda e: nq[int(e.type)], model.qpos0[: model.nq_rigid])
        place("qvel", joints, self.spec._all("joint"), lambda e: nv[int(e.type)], np.zeros(model.nv_rigid))
        place("ctrl", actuators, self.spec._all("actuator"), lambda e: 1, np.zeros(model.nu))
        every = [b for b in self.spec._all("body") if b.mocap]
        still = model.body_mocapid >= 0
        place("mpos", mocaps, every, lambda e: 3, model.body_pos[still].reshape(-1))
        place("mquat", mocaps, every, lambda e: 4, model.body_quat[still].reshape(-1))
        active = [a for a in actuators if int(a.dyntype) != 0]
        every = [a for a in self.spec._all("actuator") if int(a.dyntype) != 0]
        place("act", active, every, lambda e: max(1, int(e.actdim)), np.zeros(model.na))
        return found

    def write_tuple(self, node: Node, element: Any) -> None:
        made, values = node.add("tuple", {"name": element._name}, element), element._values
        for i, name in enumerate(values["objname"]):
            words = {"objtype": OBJECTS[int(values["objtype"][i])], "objname": name}
            if i < len(values["objprm"]):
                words["prm"] = text_of(values["objprm"][i])
            made.add("element", words)


def el_section(kind: str) -> str:
    """The section of MJCF that a kind stands in."""
    from ._spec_fields import SECTIONS

    return SECTIONS[kind]


def raw_node(xml: ET.Element) -> Node:
    """An element that is kept as it was read."""
    node = Node(xml.tag, dict(xml.attrib))
    node.children = [raw_node(child) for child in xml]
    return node


def problem(element: Any, message: str) -> Exception:
    """The error about an element, as MuJoCo words it."""
    from .._errors import LoadError

    every = element._spec._all(element._kind)
    number = next((i for i, e in enumerate(every) if e is element), -1)
    info = element._values.get("info", "")
    return LoadError(f"Error: {message}\nElement name '{element._name}', id {number}" + (f", {info}" if info else ""))


def struct_attributes(struct: Any) -> dict[str, str]:
    """What differs from the defaults, as text."""
    found = {}
    for name, default in type(struct)._defaults.items():
        value = getattr(struct, name)
        if np.any(np.isnan(np.asarray(value, float))):
            continue
        if not np.array_equal(value, default):
            found[name] = text_of(value)
    return found


# ---------------------------------------------------------------------------------------------------- options

_OPTION_WORDS = {
    "integrator": "mjtIntegrator", "cone": "mjtCone", "jacobian": "mjtJacobian", "solver": "mjtSolver",
}  # fmt: skip


def option_attributes(option: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Attributes of <option> and of <flag> that differ from their defaults."""
    from .._model import Option, _option_values

    found, flags = {}, {}
    plain = _option_values(Option())
    for name, value in _option_values(option).items():
        if np.array_equal(value, plain[name]) or name == "gap":
            continue
        if name in _OPTION_WORDS:
            found[name] = WORDS[_OPTION_WORDS[name]][int(value)]
        elif name == "disableactuator":
            found["actuatorgroupdisable"] = " ".join(str(i) for i in range(31) if int(value) >> i & 1)
        elif name in ("disableflags", "enableflags"):
            words = DISABLE if name == "disableflags" else ENABLE
            changed = int(value) ^ int(plain[name])
            for i, word in enumerate(words):
                if changed >> i & 1:
                    on = bool(int(value) >> i & 1) != (name == "disableflags")
                    flags[word] = "enable" if on else "disable"
        else:
            found[name] = text_of(value)
    return found, flags


def read_option(option: Any, node: ET.Element) -> None:
    """Sets options as <option> says."""
    for name, text in node.attrib.items():
        if name in _OPTION_WORDS:
            words = WORDS[_OPTION_WORDS[name]]
            setattr(option, name, words.index("implicitfast" if text == "discrete" else text))
        elif name == "actuatorgroupdisable":
            option.disableactuator = sum(1 << int(g) for g in set(text.split()))
        elif hasattr(option, name):
            current = getattr(option, name)
            if isinstance(current, np.ndarray):
                numbers = np.array(text.split(), np.float64)
                current[: numbers.size] = numbers
            else:
                setattr(option, name, int(text) if isinstance(current, int) else float(text))
    for flag in node.findall("flag"):
        for name, text in flag.attrib.items():
            on = text == "enable"
            if name in DISABLE:
                bit = 1 << DISABLE.index(name)
                option.disableflags = option.disableflags & ~bit | (0 if on else bit)
            elif name in ENABLE:
                bit = 1 << ENABLE.index(name)
                option.enableflags = option.enableflags & ~bit | (bit if on else 0)


# ---------------------------------------------------------------------------------------------------- reading


class Raw:
    """An element of the tree that is kept as it was read: <flexcomp>."""

    _kind = "raw"

    def __init__(self, xml: ET.Element, body: Any, frame: Any) -> None:
        self._xml, self._body, self._frame, self._name = xml, body, frame, ""


def read_attributes(element: Any, attributes: dict[str, str], prefix: str = "") -> None:
    """Sets what the attributes of MJCF say."""
    kind, fields = element._kind, _BY_XML[element._kind]
    special = globals().get("_read_" + kind)
    for name, text in attributes.items():
        word = prefix + name
        if word == "name":
            element.__dict__["_name"] = text
        elif word in ("class", "childclass"):
            continue
        elif word in fields:
            _parse(element, fields[word], text)
        elif word == "quat" and "quat" in element._values:
            element._values["quat"][:] = [float(x) for x in text.split()]
            element._values["alt"].type = 0
        elif word in ("axisangle", "xyaxes", "zaxis", "euler") and "alt" in element._values:
            alt = element._values["alt"]
            setattr(alt, word, [float(x) for x in text.split()])
            alt.type = 1 + ("axisangle", "xyaxes", "zaxis", "euler").index(word)
        elif special is None or not special(element, element._values, word, text):
            element._extra[word] = text


def _read_body(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "simple":
        values["simple"] = 0 if text == "false" else 1
    return name == "simple"


def _read_geom(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "fromto":
        values["fromto"][:] = [float(x) for x in text.split()]
    elif name == "mass":
        values["mass"] = float(text)
    elif name == "shellinertia":
        element.typeinertia = int(text == "true")
    elif name == "fluidshape":
        values["fluid_ellipsoid"] = float(text == "ellipsoid")
    else:
        return False
    return True


_read_site = _read_geom


def _read_camera(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "fovy":
        values["fovy"] = float(text)
    elif name == "output":
        values["output"] = _number(CAMERA_OUTPUT, text)
    else:
        return False
    return True


def _read_light(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "directional":
        element.type = int(text == "true")
    return name == "directional"


def _read_flex(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "contact/passive":
        values["passive"] = int(text == "true")
    elif name == "elasticity/elastic2d":
        values["elastic2d"] = ("none", "bend", "stretch", "both").index(text)
    elif name == "nodecoord":
        values["node"] = np.array(text.split(), np.float64)
    elif name == "contact/selfcollide" and text in ("true", "false"):
        element.selfcollide = 4 if text == "true" else 0
    else:
        return False
    return True


def _read_hfield(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "elevation":
        values["userdata"] = np.array(text.split(), np.float32)
    return name == "elevation"


def _read_texture(element: Any, values: Any, name: str, text: str) -> bool:
    if name in CUBE_FILES:
        values["cubefiles"][CUBE_FILES.index(name)] = text
    return name in CUBE_FILES


def _read_material(element: Any, values: Any, name: str, text: str) -> bool:
    if name == "texture":
        values["textures"][1] = text
    return name == "texture"


def _read_equality(element: Any, values: Any, name: str, text: str) -> bool:
    def numbers() -> list[float]:
        return [float(x) for x in text.split()]

    if name == "anchor":
        values["data"][:3] = numbers()
    elif name == "relpose":
        values["data"][3:10] = numbers()
    elif name == "torquescale":
        values["data"][10] = float(text)
    elif name == "polycoef":
        given = numbers()
        values["data"][: len(given)] = given
    elif name == "cell":
        values["data"][:3] = numbers()
    elif name == "flex":
        values["name1"], values["objtype"] = text, BY_NAME["equality"]["objtype"].enum(9)  # type: ignore[misc]
    elif name[:-1] in ("body", "site", "joint", "tendon") and name[-1] in "12":
        values["name" + name[-1]] = text
        values["objtype"] = BY_NAME["equality"]["objtype"].enum(NUMBERS[name[:-1]])  # type: ignore[misc]
    else:
        return False
    return True


def _read_actuator(element: Any, values: Any, name: str, text: str) -> bool:
    words = {w: n for n, w in _TRANSMISSION.items() if n != 6}
    if name in words:
        element.trntype, values["target"] = words[name], text
    elif name == "interp":
        values["interp"] = INTERP.index(text)
    elif name == "input":
        values["ctrlspec"] = _number(("expmap", "quat") if int(values["gaintype"]) == 4 else INPUT, text)
    else:
        return False
    return True


def _read_sensor(element: Any, values: Any, name: str, text: str) -> bool:
    tag = SENSORS[int(values["type"])]
    objects = {"body1": 1, "subtree1": 2, "geom1": 5, "body2": 1, "subtree2": 2, "geom2": 5}
    if element._extra.get(""):
        return False  # one of Sinew's own
    if name in ("objname", "refname"):
        values[name] = text
    elif name in ("objtype", "reftype"):
        setattr(element, name, NUMBERS[text])
    elif name in objects:
        first = name.endswith("1")
        setattr(element, "objtype" if first else "reftype", objects[name])
        values["objname" if first else "refname"] = text
    elif name == "site" and tag == "insidesite":
        element.reftype, values["refname"] = 6, text
    elif name == "camera" and tag == "camprojection":
        element.reftype, values["refname"] = 7, text
    elif name in ("site", "joint", "tendon", "actuator", "body", "camera"):
        element.objtype, values["objname"] = NUMBERS[name], text
    elif name == "data":
        values["intprm"][0] = _number(RAY_DATA if tag == "rangefinder" else CONTACT_DATA, text)
    elif name == "reduce":
        values["intprm"][1] = CONTACT_REDUCE.index(text)
    elif name == "num":
        values["intprm"][2] = int(text)
    elif name == "interp":
        values["interp"] = INTERP.index(text)
    elif name == "datatype":
        element.datatype = WORDS["mjtDataType"].index(text)
    elif name == "needstage":
        element.needstage = WORDS["mjtStage"].index(text)
    elif name == "dim":
        values["dim"] = int(text)
    else:
        return False
    return True


class Reader:
    """Reads a document, whose default classes and macros the engine has resolved, into an MjSpec."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def read(self, root: ET.Element) -> None:
        """The whole document."""
        spec = self.spec
        spec.modelname = root.get("model", "MuJoCo Model")
        for node in root:
            tag = node.tag
            if tag == "worldbody":
                self.content(spec.worldbody, None, node)
            elif tag == "compiler":
                read_compiler(spec, node.attrib)
                for length in node.findall("lengthrange"):
                    read_struct(spec.compiler.LRopt, length.attrib)
            elif tag == "option":
                read_option(spec.option, node)
            elif tag == "size":
                for name, text in node.attrib.items():
                    if name in spec._SIZES:
                        spec.__dict__[name] = int(text) if text.lstrip("-").isdigit() else text
            elif tag == "statistic":
                read_struct(spec.stat, node.attrib)
            elif tag == "visual":
                for part in node:
                    read_struct(getattr(spec.visual, "global_" if part.tag == "global" else part.tag), part.attrib)
            elif tag in ("default", "include"):
                self.engine_classes(node)
            else:
                for child in node:
                    self.item(tag, child)

    def engine_classes(self, node: ET.Element) -> None:
        """Classes that the engine made to write what it resolved; elements refer to them by name."""
        for child in node.findall("default"):
            default = self.spec.find_default(child.get("class", ""))
            if default is None:
                default = self.spec.add_default(child.get("class", ""), self.spec.default)
            read_class(default, child)

    def item(self, section: str, node: ET.Element) -> None:
        spec, tag = self.spec, node.tag
        if section == "extension":
            for instance in node.findall("instance"):
                plugin = el.MjsPlugin(spec)
                plugin.__dict__["_name"] = instance.get("name", "")
                plugin.plugin_name, plugin.active = node.get("plugin", ""), True
                plugin.config = {c.get("key", ""): c.get("value", "") for c in instance.findall("config")}
                spec._lists["plugin"].append(plugin)
            return
        kind = section if section in ("tendon", "equality", "actuator", "sensor") else tag
        if kind not in el._CLASSES:
            raise ValueError(f"<{section}> has a child <{tag}> that MjSpec does not know")
        element = el._CLASSES[kind](spec)
        self.classed(element, node)
        if kind == "equality":
            element.type = EQUALITIES.index(tag)
            element._values["data"][:] = 0
            element._values["data"][10] = 1
            if tag in ("joint", "tendon"):
                element._values["data"][1] = 1
        elif kind == "sensor":
            if tag in SENSORS:
                element.type = SENSORS.index(tag)
            else:
                element._extra[""] = tag
            if tag in ("rangefinder", "contact"):
                element._values["intprm"][0] = 1
            if tag == "contact":
                element._values["intprm"][2] = 1
        elif kind == "actuator" and tag != "general":
            apply_shortcut(element, tag, node.attrib)
        read_attributes(element, {k: v for k, v in node.attrib.items() if kind != "actuator" or tag == "general"})
        self.children(element, node)
        if kind == "hfield" and element._values["userdata"].size:
            nrow = element._values["nrow"]
            element._values["userdata"] = element._values["userdata"].reshape(nrow, -1)[::-1].reshape(-1).copy()
        spec._lists[kind].append(element)

    def classed(self, element: Any, node: ET.Element) -> None:
        name = node.get("class")
        default = self.spec.find_default(name) if name else None
        if default is not None and element._kind in el.CLASSED:
            fresh = el._CLASSES[element._kind](self.spec, default._elements[element._kind])
            element.__dict__["_values"] = fresh._values
            element.__dict__["_extra"] = fresh._extra

    def children(self, element: Any, node: ET.Element) -> None:
        kind, values = element._kind, element._values
        for child in node:
            if kind == "tendon":
                word, a = child.tag, child.attrib
                number = float(a.get("coef", a.get("divisor", "1")))
                element._wrap(word, a.get(word, ""), a.get("sidesite", ""), number if word in ("joint", "pulley") else 0.0)
            elif kind == "tuple":
                values["objtype"] = np.append(values["objtype"], np.int32(NUMBERS[child.get("objtype", "body")]))
                values["objname"].append(child.get("objname", ""))
                values["objprm"] = np.append(values["objprm"], float(child.get("prm", "0")))
            elif kind == "material" and child.tag == "layer":
                values["textures"][ROLES.index(child.get("role", "rgb"))] = child.get("texture", "")
            elif kind == "skin":
                values["bodyname"].append(child.get("body", ""))
                for name in ("bindpos", "bindquat"):
                    values[name] = np.append(values[name], np.array(child.get(name, "").split(), np.float32))
                values["vertid"].append([int(x) for x in child.get("vertid", "").split()])
                values["vertweight"].append([float(x) for x in child.get("vertweight", "").split()])
            elif kind == "flex" and child.tag in ("contact", "elasticity", "edge"):
                read_attributes(element, dict(child.attrib), child.tag + "/")
            else:
                raise ValueError(f"<{node.tag}> has a child <{child.tag}> that MjSpec does not know")

    def content(self, body: Any, frame: Any, node: ET.Element) -> None:
        for child in node:
            tag = child.tag
            if tag == "inertial":
                self.inertial(body, child)
            elif tag == "plugin":
                plugin = body._values["plugin"]
                plugin.__dict__["_name"] = child.get("instance", "")
                plugin.plugin_name, plugin.active = child.get("plugin", ""), True
            elif tag in ("flexcomp", "composite", "replicate", "attach"):
                body._children.append(Raw(child, body, frame))
            else:
                kind = "joint" if tag == "freejoint" else tag
                made = el._CLASSES[kind](self.spec)
                made.__dict__.update(_body=body, _frame=frame)
                if tag == "freejoint":
                    made.type = 0
                read_attributes(made, dict(child.attrib))
                body._children.append(made)
                if kind == "frame":
                    self.content(body, made, child)
                elif kind == "body":
                    self.content(made, None, child)

    def inertial(self, body: Any, node: ET.Element) -> None:
        values = body._values
        values["explicitinertial"] = True
        values["ipos"][:] = 0
        for name, text in node.attrib.items():
            numbers = [float(x) for x in text.split()]
            if name == "mass":
                values["mass"] = numbers[0]
            elif name in ("pos", "quat"):
                values["i" + name][:] = numbers
            elif name == "diaginertia":
                values["inertia"][:] = numbers
            elif name == "fullinertia":
                values["fullinertia"][:] = numbers
            else:
                setattr(values["ialt"], name, numbers)
                values["ialt"].type = 1 + ("axisangle", "xyaxes", "zaxis", "euler").index(name)


def read_compiler(spec: Any, attributes: Any) -> None:
    """Sets what <compiler> says."""
    for name, text in attributes.items():
        if name == "angle":
            spec.compiler.degree = text == "degree"
        elif name == "assetdir":
            spec.compiler.meshdir = spec.compiler.texturedir = text
        elif name == "strippath":
            spec.strippath = text == "true"
        elif name not in ("coordinate",):
            read_attributes(spec.compiler, {name: text})


def read_struct(struct: Any, attributes: Any) -> None:
    """Sets what attributes say."""
    modes = {"none": 0, "muscle": 1, "muscleuser": 2, "all": 3, "true": 1, "false": 0}
    for name, text in attributes.items():
        current = getattr(struct, name)
        if isinstance(current, np.ndarray):
            setattr(struct, name, np.array(text.split(), current.dtype))
        elif text in modes:
            setattr(struct, name, modes[text])
        else:
            setattr(struct, name, int(text) if isinstance(current, int) and text.lstrip("+-").isdigit() else float(text))


def read_class(default: Any, node: ET.Element) -> None:
    """Sets what a <default> says, without the classes in it."""
    for child in node:
        if child.tag == "default":
            continue
        kind = "actuator" if child.tag in SHORTCUTS or child.tag == "general" else child.tag
        if kind not in default._elements:
            continue
        element = default._elements[kind]
        attributes = {k: v for k, v in child.attrib.items() if k not in ("class", "name")}
        if child.tag in SHORTCUTS:
            apply_shortcut(element, child.tag, attributes)
        else:
            read_attributes(element, attributes)
        for layer in child.findall("layer"):
            element._values["textures"][ROLES.index(layer.get("role", "rgb"))] = layer.get("texture", "")


SHORTCUTS = {
    "motor": (), "position": ("kp", "kv", "dampratio", "timeconst", "inheritrange"), "velocity": ("kv",),
    "intvelocity": ("kp", "kv", "dampratio", "inheritrange"), "damper": ("kv",),
    "cylinder": ("timeconst", "bias", "area", "diameter"),
    "muscle": ("timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"),
    "adhesion": ("gain",), "orientation": ("kp", "kv", "dampratio"),
    "pid": ("kp", "kv", "dampratio", "ki", "imax", "slewmax", "inheritrange"),
    "dcmotor": ("motorconst", "resistance", "nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre"),
}  # fmt: skip
_USUAL: dict[str, dict[str, Any]] = {
    "position": {"kp": 1.0}, "velocity": {"kv": 1.0}, "intvelocity": {"kp": 1.0}, "damper": {"kv": 0.0},
    "cylinder": {"timeconst": 1.0, "bias": (0.0, 0.0, 0.0), "area": 1.0}, "muscle": {"tausmooth": 0.0},
    "adhesion": {"gain": 1.0}, "orientation": {"kp": 1.0}, "pid": {"kp": 0.0},
}  # fmt: skip
_LISTS = ("bias", "range", "motorconst", "nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre")


def apply_shortcut(element: Any, tag: str, attributes: Any) -> None:
    """What <motor>, <position> and so on say about an actuator."""
    names = SHORTCUTS[tag]
    values: dict[str, Any] = dict(_USUAL.get(tag, {}))
    for name in names:
        if name in attributes:
            numbers = [float(x) for x in attributes[name].split()]
            values[name] = numbers if name in _LISTS or (tag == "muscle" and name == "timeconst") else numbers[0]
    getattr(element, "set_to_" + tag)(**values)
    rest = {("ctrlrange" if k == "posrange" else k): v for k, v in attributes.items() if k not in names}
    read_attributes(element, rest)


def expand(root: ET.Element, find: Callable[[str], Optional[str]]) -> ET.Element:
    """A document with the files in place that it includes."""
    for above in list(root.iter()):
        for i, child in reversed(list(enumerate(above))):
            if child.tag == "include":
                text = find(child.get("file", ""))
                above.remove(child)
                if text is not None:
                    for k, part in enumerate(list(expand(ET.fromstring(text), find))):
                        above.insert(i + k, part)
    return root

