"""Arrays of Model that say how it looks: lights, materials, textures, skins.

They belong to what is drawn, which is made when it is first asked for: from the description that the model was compiled
from. Writing to them shows in the pictures that follow.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[Any]

# numbers of the types that a Model has no table of, as ObjType has them
LIGHT, SKIN, TEXTURE, MATERIAL = 8, 11, 13, 14


def scene_of(model: Any) -> Any:
    """What is drawn of a model."""
    found = model.__dict__.get("_scene")
    if found is None:
        from ._source import described

        with described(model) as (file, text, folder):
            found = _core.SceneBase(model, file, text, folder)
        model.__dict__["_scene"] = found
    return found


def names_of(model: Any, kind: int) -> list[str]:
    """Names of the lights, materials, textures or skins."""
    found = model.__dict__.get(f"_scene_names_{kind}")
    if found is None:
        found = scene_of(model).names(kind)
        model.__dict__[f"_scene_names_{kind}"] = found
    return found  # type: ignore[no-any-return]


class Lazy:
    """An array that is made when it is first asked for, and kept."""

    def __init__(self, name: str, make: Callable[[Any], Any], doc: str, writable: bool = False, rows: str = "") -> None:
        self.name, self.make, self.writable, self.rows = name, make, writable, rows
        self.__doc__ = doc + ("" if writable else "; read-only")

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        array = self.make(instance)
        if isinstance(array, np.ndarray):
            if not self.writable:
                array.flags.writeable = False
            instance.__dict__[self.name] = array
        return array

    def __repr__(self) -> str:
        return f"<array {self.name}: {self.__doc__}>"


def _light(part: str) -> Callable[[Any], Any]:
    return lambda model: scene_of(model).light(part)


def _material(part: str) -> Callable[[Any], Any]:
    return lambda model: scene_of(model).material(part)


def _skin(part: str) -> Callable[[Any], Any]:
    return lambda model: scene_of(model).skin(part)


def _roles(model: Any) -> Any:
    layers = scene_of(model).material("layers")
    roles = np.full((len(layers), 10), -1, np.int32)
    roles[:, 1:] = layers  # the first role is the user's own
    return roles


def _textures(model: Any) -> Any:
    found = model.__dict__.get("_scene_textures")
    if found is None:
        found = model.__dict__["_scene_textures"] = scene_of(model).textures()
    return found


def _texture(part: int, dtype: Any = np.int32) -> Callable[[Any], Any]:
    return lambda model: np.array([t[part] for t in _textures(model)], dtype)


def _texture_start(model: Any) -> Any:
    sizes = [t[5].size for t in _textures(model)]
    return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64) if sizes else np.zeros(0, np.int64)


def _texture_data(model: Any) -> Any:
    return np.concatenate([np.zeros(0, np.uint8), *(t[5] for t in _textures(model))])


def share_pixels(model: Any) -> None:
    """Brings pixels that a program wrote to tex_data into what is drawn."""
    pixels = model.__dict__.get("tex_data")
    if pixels is None:
        return
    for i, start in enumerate(model.tex_adr):
        scene_of(model).set_pixels(i, np.ascontiguousarray(pixels[start : start + _textures(model)[i][5].size]))


def _skin_parts(model: Any) -> dict[str, Any]:
    found = model.__dict__.get("_scene_skins")
    if found is not None:
        return found  # type: ignore[no-any-return]
    scene = scene_of(model)
    parts = [scene.skin_parts(i) for i in range(len(names_of(model, SKIN)))]
    bones = [b for p in parts for b in p["bones"]]

    def starts(counts: list[int]) -> Any:
        return np.concatenate(([0], np.cumsum(counts)))[: len(counts)].astype(np.int32)

    def joined(arrays: list[Any], shape: tuple[int, ...], dtype: Any) -> Any:
        return np.concatenate([np.zeros(shape, dtype), *arrays]).astype(dtype)

    verts, faces, nbones = ([len(p[k]) for p in parts] for k in ("vert", "face", "bones"))
    held = [len(b[3]) for b in bones]
    textured = [len(p["texcoord"]) for p in parts]
    found = {
        "vertadr": starts(verts), "vertnum": np.array(verts, np.int32), "faceadr": starts(faces),
        "facenum": np.array(faces, np.int32), "boneadr": starts(nbones), "bonenum": np.array(nbones, np.int32),
        "texcoordadr": np.where(np.array(textured, int) > 0, starts(textured), -1).astype(np.int32),
        "vert": joined([p["vert"] for p in parts], (0, 3), np.float32),
        "texcoord": joined([p["texcoord"] for p in parts], (0, 2), np.float32),
        "face": joined([p["face"] for p in parts], (0, 3), np.int32),
        "bonebodyid": np.array([b[0] for b in bones], np.int32),
        "bonebindpos": np.array([b[1] for b in bones], np.float32).reshape(-1, 3),
        "bonebindquat": np.array([b[2] for b in bones], np.float32).reshape(-1, 4),
        "bonevertadr": starts(held), "bonevertnum": np.array(held, np.int32),
        "bonevertid": joined([b[3] for b in bones], (0,), np.int32),
        "bonevertweight": joined([b[4] for b in bones], (0,), np.float32),
    }  # fmt: skip
    model.__dict__["_scene_skins"] = found
    return found


def _skin_part(part: str) -> Callable[[Any], Any]:
    return lambda model: _skin_parts(model)[part]


def _matid(of: str) -> Callable[[Any], Any]:
    return lambda model: scene_of(model).material_ids(of)


def _name_addresses(kind: int) -> Callable[[Any], Any]:
    def make(model: Any) -> Any:
        start = len(model._array("names"))
        for other in (LIGHT, SKIN, TEXTURE, MATERIAL):
            if other == kind:
                break
            start += sum(len(n.encode()) + 1 for n in names_of(model, other))
        sizes = [len(n.encode()) + 1 for n in names_of(model, kind)]
        return (start + np.concatenate(([0], np.cumsum(sizes)))[: len(sizes)]).astype(np.int32)

    return make


def more_names(model: Any) -> bytes:
    """The names that follow those the compiled model holds."""
    kinds = (LIGHT, SKIN, TEXTURE, MATERIAL)
    return b"".join(n.encode() + b"\0" for kind in kinds for n in names_of(model, kind))


def _count(kind: int, doc: str) -> property:
    return property(lambda self: len(names_of(self, kind)), doc=doc)


def _total(name: str, doc: str) -> property:
    return property(lambda self: len(getattr(self, name)), doc=doc)


PICTURE_FIELDS: dict[str, Lazy] = {}
for _part, _doc, _free in (
    ("bodyid", "body that a light moves with", False), ("type", "mjtLightType", False), ("mode", "mjtCamLight", False),
    ("targetbodyid", "body that a light is aimed at, -1: none", False), ("texid", "texture of an image light, -1: none", False),
    ("pos", "position in the body", True), ("dir", "direction in the body", True),
    ("pos0", "position relative to the body at qpos0", True), ("poscom0", "the same relative to its subtree's centre of mass", True),
    ("dir0", "direction in the world at qpos0", True), ("active", "whether a light is on", True),
    ("castshadow", "whether it casts shadows", True), ("attenuation", "constant, linear, quadratic", True),
    ("cutoff", "degrees, of spots", True), ("exponent", "of spots", True), ("ambient", "colour", True),
    ("diffuse", "colour", True), ("specular", "colour", True), ("range", "m", True), ("bulbradius", "m", True),
    ("intensity", "candela, 0: use diffuse", True), ("softness", "of the edge of a spot", True),
):  # fmt: skip
    PICTURE_FIELDS["light_" + _part] = Lazy("light_" + _part, _light(_part), f"lights: {_doc}", _free, "nlight")
for _part, _doc in (
    ("rgba", "colour"), ("texrepeat", "how often a texture is repeated"), ("texuniform", "whether that is per metre"),
    ("emission", "light of its own"), ("specular", "share of specular light"), ("shininess", "sharpness of highlights"),
    ("reflectance", "share that is mirrored"), ("metallic", "-1: not given"), ("roughness", "-1: not given"),
):  # fmt: skip
    PICTURE_FIELDS["mat_" + _part] = Lazy("mat_" + _part, _material(_part), f"materials: {_doc}", True, "nmat")
PICTURE_FIELDS["mat_texid"] = Lazy("mat_texid", _roles, "materials: textures by mjtTextureRole, -1: none", rows="nmat")
for _part, _make, _doc, _free in (
    ("type", _texture(0), "mjtTexture", False), ("width", _texture(1), "pixels", False),
    ("height", _texture(2), "pixels, of all faces together", False), ("nchannel", _texture(3), "bytes per pixel", False),
    ("colorspace", _texture(4), "mjtColorSpace", False), ("adr", _texture_start, "first byte in tex_data", False),
    ("data", _texture_data, "bytes of the pixels; a new Renderer shows what was written here", True),
):  # fmt: skip
    PICTURE_FIELDS["tex_" + _part] = Lazy("tex_" + _part, _make, f"textures: {_doc}", _free, "ntex" if _part != "data" else "")
for _part, _free in (("rgba", True), ("group", True), ("inflate", True), ("matid", False)):
    PICTURE_FIELDS["skin_" + _part] = Lazy("skin_" + _part, _skin(_part), f"skins: {_part}", _free, "nskin")
_PER_SKIN = ("vertadr", "vertnum", "faceadr", "facenum", "boneadr", "bonenum", "texcoordadr")
for _part in (
    "vertadr", "vertnum", "faceadr", "facenum", "boneadr", "bonenum", "texcoordadr", "vert", "texcoord", "face", "bonebodyid",
    "bonebindpos", "bonebindquat", "bonevertadr", "bonevertnum", "bonevertid", "bonevertweight",
):  # fmt: skip
    PICTURE_FIELDS["skin_" + _part] = Lazy("skin_" + _part, _skin_part(_part), f"skins: {_part}", rows="nskin" if _part in _PER_SKIN else "")
for _part in ("geom", "site", "tendon", "flex"):
    PICTURE_FIELDS[_part + "_matid"] = Lazy(_part + "_matid", _matid(_part), "material, -1: none", rows="n" + _part)
for _part, _kind in (("light", LIGHT), ("skin", SKIN), ("tex", TEXTURE), ("mat", MATERIAL)):
    _name = f"name_{_part}adr"
    PICTURE_FIELDS[_name] = Lazy(_name, _name_addresses(_kind), "offset of the name")
PICTURE_SIZES = {
    "nlight": _count(LIGHT, "lights"), "nskin": _count(SKIN, "skins"), "ntex": _count(TEXTURE, "textures"),
    "nmat": _count(MATERIAL, "materials"), "ntexdata": _total("tex_data", "bytes of all textures"),
    "nskinvert": _total("skin_vert", "vertices of all skins"), "nskinface": _total("skin_face", "triangles of all skins"),
    "nskintexvert": _total("skin_texcoord", "texture coordinates of all skins"),
    "nskinbone": _total("skin_bonebodyid", "bones of all skins"),
    "nskinbonevert": _total("skin_bonevertid", "vertices of all bones"),
}  # fmt: skip


class Looks:
    """What define_picture() gives Model, for type checkers."""

    light_bodyid: Array
    light_type: Array
    light_mode: Array
    light_targetbodyid: Array
    light_texid: Array
    light_pos: Array
    light_dir: Array
    light_pos0: Array
    light_poscom0: Array
    light_dir0: Array
    light_active: Array
    light_castshadow: Array
    light_attenuation: Array
    light_cutoff: Array
    light_exponent: Array
    light_ambient: Array
    light_diffuse: Array
    light_specular: Array
    light_range: Array
    light_bulbradius: Array
    light_intensity: Array
    light_softness: Array
    mat_rgba: Array
    mat_texrepeat: Array
    mat_texuniform: Array
    mat_emission: Array
    mat_specular: Array
    mat_shininess: Array
    mat_reflectance: Array
    mat_metallic: Array
    mat_roughness: Array
    mat_texid: Array
    tex_type: Array
    tex_width: Array
    tex_height: Array
    tex_nchannel: Array
    tex_colorspace: Array
    tex_adr: Array
    tex_data: Array
    skin_rgba: Array
    skin_group: Array
    skin_inflate: Array
    skin_matid: Array
    skin_vertadr: Array
    skin_vertnum: Array
    skin_faceadr: Array
    skin_facenum: Array
    skin_boneadr: Array
    skin_bonenum: Array
    skin_texcoordadr: Array
    skin_vert: Array
    skin_texcoord: Array
    skin_face: Array
    skin_bonebodyid: Array
    skin_bonebindpos: Array
    skin_bonebindquat: Array
    skin_bonevertadr: Array
    skin_bonevertnum: Array
    skin_bonevertid: Array
    skin_bonevertweight: Array
    geom_matid: Array
    site_matid: Array
    tendon_matid: Array
    flex_matid: Array
    name_lightadr: Array
    name_skinadr: Array
    name_texadr: Array
    name_matadr: Array
    nlight: int
    nskin: int
    ntex: int
    nmat: int
    ntexdata: int
    nskinvert: int
    nskinface: int
    nskintexvert: int
    nskinbone: int
    nskinbonevert: int



class LightPoses:
    """light_xpos or light_xdir of a Data: an array that is brought up to date when it is asked for."""

    def __init__(self, which: int) -> None:
        self.which = which
        self.__doc__ = ("Positions", "Directions")[which] + " of the lights in the world, of the last evaluation."

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        kept = instance.__dict__.get("_light_poses")
        found = scene_of(instance.model).light_poses(instance.model, instance)
        if kept is None or kept[0].shape != found[0].shape:
            kept = instance.__dict__["_light_poses"] = found
        else:
            for mine, new in zip(kept, found):
                mine[...] = new
        return kept[self.which]

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError("poses of lights follow from light_pos and light_dir of the Model")


def define_picture(cls: type) -> None:
    """Gives Model these fields."""
    for name, field in {**PICTURE_FIELDS, **PICTURE_SIZES}.items():
        setattr(cls, name, field)
