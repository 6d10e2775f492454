"""What the elements of MjSpec consist of: one row per attribute, with its kind, its default and its name in MJCF.

Kinds: d a number, dN as many, g and gN the same in single precision, i and iN integers, b a flag, s a text, D, G and I
lists of numbers of any length, S a list of texts, TN a list of N texts, CN as many characters, B bytes, L a list of
lists, PN numbers of which the first may be given alone, ZN numbers of which the last may be left out, o another
orientation, p a plugin, and an enumeration by its name. A dash as name in MJCF: written in another way.
"""

from __future__ import annotations

from typing import Any, Optional

from . import _enums

SOLREF, SOLIMP = (0.02, 1.0), (0.9, 0.95, 0.001, 0.5, 2.0)
NAN = float("nan")

# words of MJCF for the numbers of an enumeration
WORDS: dict[str, tuple[str, ...]] = {
    "mjtGeom": ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"),
    "mjtJoint": ("free", "ball", "slide", "hinge"),
    "mjtLimited": ("false", "true", "auto"), "mjtAlignFree": ("false", "true", "auto"),
    "mjtInertiaFromGeom": ("false", "true", "auto"), "mjtConflict": ("warning", "merge", "error"),
    "mjtCamLight": ("fixed", "track", "trackcom", "targetbody", "targetbodycom"),
    "mjtProjection": ("perspective", "orthographic"), "mjtLightType": ("spot", "directional", "point", "image"),
    "mjtSleepPolicy": ("auto", "auto", "auto", "never", "allowed", "init"),
    "mjtFlexSelf": ("none", "narrow", "bvh", "sap", "auto"),
    "mjtMeshInertia": ("convex", "exact", "legacy", "shell"), "mjtTexture": ("2d", "cube", "skybox"),
    "mjtColorSpace": ("auto", "linear", "sRGB"), "mjtBuiltin": ("none", "gradient", "checker", "flat"),
    "mjtMark": ("none", "edge", "cross", "random"),
    "mjtDyn": ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user"),
    "mjtGain": ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"),
    "mjtBias": ("none", "affine", "muscle", "dcmotor", "so3", "user"),
    "mjtDataType": ("real", "positive", "axis", "quaternion"), "mjtStage": ("none", "pos", "vel", "acc"),
    "mjtIntegrator": ("Euler", "RK4", "implicit", "implicitfast"), "mjtCone": ("pyramidal", "elliptic"),
    "mjtJacobian": ("dense", "sparse", "auto"), "mjtSolver": ("PGS", "CG", "Newton", "Impulse"),
}  # fmt: skip


class Field:
    """One attribute of an element."""

    __slots__ = ("name", "kind", "size", "default", "xml", "enum")

    def __init__(self, name: str, kind: str, default: Any = None, xml: Optional[str] = None) -> None:
        self.name = name
        self.enum = getattr(_enums, kind) if kind.startswith("mjt") else None
        self.kind = "e" if self.enum else kind[0]
        self.size = int(kind[1:]) if not self.enum and kind[1:] else 0
        self.default = default
        self.xml = name if xml is None else "" if xml == "-" else xml


F = Field
_PLACE = [F("pos", "d3", (0, 0, 0)), F("quat", "d4", (1, 0, 0, 0), "-"), F("alt", "o", None, "-")]
_INFO = [F("info", "s", "", "-")]
_USER = [F("userdata", "D", (), "user")]
_CONTACT = [
    F("contype", "i", 1), F("conaffinity", "i", 1), F("condim", "i", 3), F("priority", "i", 0),
    F("friction", "d3", (1, 0.005, 0.0001)), F("solmix", "d", 1.0), F("solref", "d2", SOLREF),
    F("solimp", "d5", SOLIMP), F("margin", "d", 0.0), F("gap", "d", 0.0),
]  # fmt: skip

FIELDS: dict[str, list[Field]] = {
    "body": [
        F("childclass", "s", "", "-"), *_PLACE, F("mass", "d", 0.0, "-"), F("ipos", "d3", (NAN, 0, 0), "-"),
        F("iquat", "d4", (1, 0, 0, 0), "-"), F("inertia", "d3", (0, 0, 0), "-"), F("ialt", "o", None, "-"),
        F("fullinertia", "d6", (NAN, 0, 0, 0, 0, 0), "-"), F("mocap", "b", False), F("gravcomp", "d", 0.0),
        F("sleep", "mjtSleepPolicy", 0), F("simple", "i", 1, "-"), *_USER, F("explicitinertial", "b", False, "-"),
        F("plugin", "p", None, "-"), *_INFO,
    ],
    "frame": [F("childclass", "s", "", "-"), *_PLACE, *_INFO],
    "joint": [
        F("type", "mjtJoint", 3), F("pos", "d3", (0, 0, 0)), F("axis", "d3", (0, 0, 1)), F("ref", "d", 0.0),
        F("align", "mjtAlignFree", 2), F("stiffness", "P3", (0, 0, 0)), F("springref", "d", 0.0),
        F("springdamper", "d2", (0, 0)), F("limited", "mjtLimited", 2), F("range", "d2", (0, 0)),
        F("margin", "d", 0.0), F("solref_limit", "d2", SOLREF, "solreflimit"),
        F("solimp_limit", "d5", SOLIMP, "solimplimit"), F("actfrclimited", "mjtLimited", 2, "actuatorfrclimited"),
        F("actfrcrange", "d2", (0, 0), "actuatorfrcrange"), F("armature", "d", 0.0), F("damping", "P3", (0, 0, 0)),
        F("frictionloss", "d", 0.0), F("solref_friction", "d2", SOLREF, "solreffriction"),
        F("solimp_friction", "d5", SOLIMP, "solimpfriction"), F("group", "i", 0),
        F("actgravcomp", "b", False, "actuatorgravcomp"), *_USER, *_INFO,
    ],
    "geom": [
        F("type", "mjtGeom", 2), *_PLACE, F("fromto", "d6", (NAN, 0, 0, 0, 0, 0), "-"), F("size", "Z3", (0, 0, 0)),
        *_CONTACT, F("surfacevel", "d6", (0,) * 6), F("adhesion", "d", 0.0), F("mass", "d", NAN, "-"),
        F("density", "d", 1000.0), F("typeinertia", "mjtGeomInertia", 0, "-"), F("fluid_ellipsoid", "d", 0.0, "-"),
        F("fluid_coefs", "d5", (0.5, 0.25, 1.5, 1, 1), "fluidcoef"), F("material", "s", ""),
        F("rgba", "g4", (0.5, 0.5, 0.5, 1)), F("group", "i", 0), F("hfieldname", "s", "", "hfield"),
        F("meshname", "s", "", "mesh"), F("fitscale", "d", 1.0), *_USER, F("plugin", "p", None, "-"), *_INFO,
    ],
    "site": [
        *_PLACE, F("fromto", "d6", (NAN, 0, 0, 0, 0, 0), "-"), F("size", "Z3", (0.005, 0.005, 0.005)),
        F("type", "mjtGeom", 2), F("material", "s", ""), F("group", "i", 0), F("rgba", "g4", (0.5, 0.5, 0.5, 1)),
        *_USER, *_INFO,
    ],
    "camera": [
        *_PLACE, F("mode", "mjtCamLight", 0), F("targetbody", "s", "", "target"),
        F("proj", "mjtProjection", 0, "projection"), F("resolution", "i2", (1, 1)), F("output", "i", 1, "-"),
        F("fovy", "d", 45.0, "-"), F("ipd", "d", 0.068), F("intrinsic", "g4", (0, 0, 0, 0), "-"),
        F("sensor_size", "g2", (0, 0), "sensorsize"), F("focal_length", "g2", (0, 0), "focal"),
        F("focal_pixel", "g2", (0, 0), "focalpixel"), F("principal_length", "g2", (0, 0), "principal"),
        F("principal_pixel", "g2", (0, 0), "principalpixel"), *_USER, *_INFO,
    ],
    "light": [
        F("pos", "d3", (0, 0, 0)), F("dir", "d3", (0, 0, -1)), F("mode", "mjtCamLight", 0),
        F("targetbody", "s", "", "target"), F("active", "b", True), F("type", "mjtLightType", 0),
        F("texture", "s", ""), F("castshadow", "b", True), F("bulbradius", "g", 0.02), F("intensity", "g", 0.0),
        F("range", "g", 10.0), F("attenuation", "g3", (1, 0, 0)), F("cutoff", "g", 45.0), F("softness", "g", 0.2),
        F("exponent", "g", 10.0), F("ambient", "g3", (0, 0, 0)), F("diffuse", "g3", (0.7, 0.7, 0.7)),
        F("specular", "g3", (0.3, 0.3, 0.3)), *_INFO,
    ],
    "flex": [
        *[F(f.name, f.kind + (str(f.size) if f.size else ""), f.default, "contact/" + f.name) for f in _CONTACT],
        F("dim", "i", 2), F("radius", "d", 0.005), F("size", "d3", (0, 0, 0), "-"),
        F("internal", "b", False, "contact/internal"), F("flatskin", "b", False),
        F("selfcollide", "mjtFlexSelf", 4, "contact/selfcollide"), F("passive", "i", 0, "-"),
        F("activelayers", "i", 1, "contact/activelayers"), F("group", "i", 0),
        F("edgestiffness", "d", 0.0, "edge/stiffness"), F("edgedamping", "d", 0.0, "edge/damping"),
        F("rgba", "g4", (0.5, 0.5, 0.5, 1)), F("material", "s", ""), F("young", "d", 0.0, "elasticity/young"),
        F("poisson", "d", 0.0, "elasticity/poisson"), F("damping", "d", 0.0, "elasticity/damping"),
        F("thickness", "d", -1.0, "elasticity/thickness"), F("elastic2d", "i", 0, "-"),
        F("cellcount", "i3", (1, 1, 1)), F("order", "i", 0, "-"), F("nodebody", "S", (), "node"),
        F("vertbody", "S", (), "body"), F("node", "D", (), "-"), F("vert", "D", (), "vertex"),
        F("elem", "I", (), "element"), F("texcoord", "G", ()), F("elemtexcoord", "I", ()), *_INFO,
    ],
    "mesh": [
        F("content_type", "s", ""), F("file", "s", ""), F("refpos", "d3", (0, 0, 0)), F("refquat", "d4", (1, 0, 0, 0)),
        F("scale", "d3", (1, 1, 1)), F("inertia", "mjtMeshInertia", 2), F("smoothnormal", "b", False),
        F("needsdf", "b", False, "-"), F("maxhullvert", "i", -1), F("uservert", "G", (), "vertex"),
        F("usernormal", "G", (), "normal"), F("usertexcoord", "G", (), "texcoord"), F("userface", "I", (), "face"),
        F("userfacenormal", "I", (), "-"), F("userfacetexcoord", "I", (), "-"), F("plugin", "p", None, "-"),
        F("material", "s", ""), F("octree_maxdepth", "i", 6, "-"), *_INFO,
    ],
    "hfield": [
        F("content_type", "s", ""), F("file", "s", ""), F("size", "d4", (0, 0, 0, 0)), F("nrow", "i", 0),
        F("ncol", "i", 0), F("userdata", "G", (), "-"), *_INFO,
    ],
    "skin": [
        F("file", "s", ""), F("material", "s", ""), F("rgba", "g4", (0.5, 0.5, 0.5, 1)), F("inflate", "g", 0.0),
        F("group", "i", 0), F("vert", "G", (), "vertex"), F("texcoord", "G", ()), F("face", "I", ()),
        F("bodyname", "S", (), "-"), F("bindpos", "G", (), "-"), F("bindquat", "G", (), "-"),
        F("vertid", "L", (), "-"), F("vertweight", "L", (), "-"), *_INFO,
    ],
    "texture": [
        F("type", "mjtTexture", 1), F("colorspace", "mjtColorSpace", 0), F("builtin", "mjtBuiltin", 0),
        F("mark", "mjtMark", 0), F("rgb1", "d3", (0.8, 0.8, 0.8)), F("rgb2", "d3", (0.5, 0.5, 0.5)),
        F("markrgb", "d3", (0, 0, 0)), F("random", "d", 0.01), F("height", "i", 0), F("width", "i", 0),
        F("nchannel", "i", 3), F("content_type", "s", ""), F("file", "s", ""), F("gridsize", "i2", (1, 1)),
        F("gridlayout", "C12", "." * 12), F("cubefiles", "T6", ("",) * 6, "-"), F("data", "B", b"", "-"),
        F("hflip", "b", False), F("vflip", "b", False), *_INFO,
    ],
    "material": [
        F("textures", "T10", ("",) * 10, "-"), F("texuniform", "b", False), F("texrepeat", "g2", (1, 1)),
        F("emission", "g", 0.0), F("specular", "g", 0.5), F("shininess", "g", 0.5), F("reflectance", "g", 0.0),
        F("metallic", "g", -1.0), F("roughness", "g", -1.0), F("rgba", "g4", (1, 1, 1, 1)), *_INFO,
    ],
    "pair": [
        F("geomname1", "s", "", "geom1"), F("geomname2", "s", "", "geom2"), F("condim", "i", 3),
        F("solref", "d2", SOLREF), F("solreffriction", "d2", (0, 0)), F("solimp", "d5", SOLIMP),
        F("margin", "d", 0.0), F("gap", "d", 0.0), F("adhesion", "d", 0.0),
        F("friction", "d5", (1, 1, 0.005, 0.0001, 0.0001)), *_INFO,
    ],
    "exclude": [F("bodyname1", "s", "", "body1"), F("bodyname2", "s", "", "body2"), *_INFO],
    "equality": [
        F("type", "mjtEq", 0, "-"), F("data", "d11", (0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1), "-"), F("active", "b", True),
        F("name1", "s", "", "-"), F("name2", "s", "", "-"), F("objtype", "mjtObj", 0, "-"), F("solref", "d2", SOLREF),
        F("solimp", "d5", SOLIMP), *_INFO,
    ],
    "tendon": [
        F("stiffness", "P3", (0, 0, 0)), F("springlength", "d2", (-1, -1)), F("damping", "P3", (0, 0, 0)),
        F("frictionloss", "d", 0.0), F("solref_friction", "d2", SOLREF, "solreffriction"),
        F("solimp_friction", "d5", SOLIMP, "solimpfriction"), F("armature", "d", 0.0), F("limited", "mjtLimited", 2),
        F("actfrclimited", "mjtLimited", 0, "actuatorfrclimited"), F("range", "d2", (0, 0)),
        F("actfrcrange", "d2", (0, 0), "actuatorfrcrange"), F("margin", "d", 0.0),
        F("solref_limit", "d2", SOLREF, "solreflimit"), F("solimp_limit", "d5", SOLIMP, "solimplimit"),
        F("material", "s", ""), F("width", "d", 0.003), F("rgba", "g4", (0.5, 0.5, 0.5, 1)), F("group", "i", 0),
        *_USER, *_INFO,
    ],
    "actuator": [
        F("gaintype", "mjtGain", 0), F("gainprm", "d10", (1,) + (0,) * 9), F("biastype", "mjtBias", 0),
        F("biasprm", "d10", (0,) * 10), F("dyntype", "mjtDyn", 0), F("dynprm", "d10", (1,) + (0,) * 9),
        F("actdim", "i", -1), F("ctrlspec", "i", 0, "-"), F("velrange", "d2", (0, 0)), F("ffrange", "d2", (0, 0)),
        F("actearly", "b", False), F("trntype", "mjtTrn", 1000, "-"), F("gear", "d6", (1, 0, 0, 0, 0, 0)),
        F("target", "s", "", "-"), F("refsite", "s", ""), F("slidersite", "s", ""), F("cranklength", "d", 0.0),
        F("lengthrange", "d2", (0, 0)), F("inheritrange", "d", 0.0), F("damping", "P3", (0, 0, 0)),
        F("armature", "d", 0.0), F("ctrllimited", "mjtLimited", 2), F("ctrlrange", "d2", (0, 0)),
        F("forcelimited", "mjtLimited", 2), F("forcerange", "d2", (0, 0)), F("actlimited", "mjtLimited", 2),
        F("actrange", "d2", (0, 0)), F("group", "i", 0), F("nsample", "i", 0), F("interp", "i", 0, "-"),
        F("delay", "d", 0.0), *_USER, F("plugin", "p", None, "-"), *_INFO,
    ],
    "sensor": [
        F("type", "mjtSensor", 0, "-"), F("objtype", "mjtObj", 0, "-"), F("objname", "s", "", "-"),
        F("reftype", "mjtObj", 0, "-"), F("refname", "s", "", "-"), F("intprm", "i3", (0, 0, 0), "-"),
        F("datatype", "mjtDataType", 0, "-"), F("needstage", "mjtStage", 3, "-"), F("dim", "i", 0, "-"),
        F("cutoff", "d", 0.0), F("noise", "d", 0.0), F("nsample", "i", 0), F("interp", "i", 0, "-"),
        F("delay", "d", 0.0), F("interval", "d2", (0, 0)), *_USER, F("plugin", "p", None, "-"), *_INFO,
    ],
    "numeric": [F("data", "D", ()), F("size", "i", 0), *_INFO],
    "text": [F("data", "s", ""), *_INFO],
    "tuple": [F("objtype", "I", (), "-"), F("objname", "S", (), "-"), F("objprm", "D", (), "-"), *_INFO],
    "key": [F("time", "d", 0.0)] + [F(n, "D", ()) for n in ("qpos", "qvel", "act", "mpos", "mquat", "ctrl")] + _INFO,
    "plugin": [F("plugin_name", "s", "", "-"), F("active", "b", False, "-"), *_INFO],
    "compiler": [
        F("autolimits", "b", True), F("boundmass", "d", 0.0), F("boundinertia", "d", 0.0), F("settotalmass", "d", -1.0),
        F("balanceinertia", "b", False), F("fitaabb", "b", False), F("degree", "b", True, "-"),
        F("eulerseq", "C3", "xyz"), F("discardvisual", "b", False), F("usethread", "b", True),
        F("fusestatic", "b", False), F("inertiafromgeom", "mjtInertiaFromGeom", 2),
        F("inertiagrouprange", "i2", (0, 5)), F("saveinertial", "b", False), F("alignfree", "b", False),
        F("conflict", "mjtConflict", 0), F("meshdir", "s", ""), F("texturedir", "s", ""),
    ],
}  # fmt: skip

BY_NAME: dict[str, dict[str, Field]] = {kind: {f.name: f for f in fields} for kind, fields in FIELDS.items()}

# which kinds an attribute names something of, for renaming and deleting
REFERENCES: dict[str, dict[str, str]] = {
    "geom": {"material": "material", "hfieldname": "hfield", "meshname": "mesh"}, "site": {"material": "material"},
    "camera": {"targetbody": "body"}, "light": {"targetbody": "body", "texture": "texture"},
    "mesh": {"material": "material"}, "skin": {"material": "material", "bodyname": "body"},
    "flex": {"material": "material", "vertbody": "body", "nodebody": "body"}, "material": {"textures": "texture"},
    "pair": {"geomname1": "geom", "geomname2": "geom"}, "exclude": {"bodyname1": "body", "bodyname2": "body"},
    "tendon": {"material": "material"}, "actuator": {"refsite": "site", "slidersite": "site"},
}  # fmt: skip

SENSORS = (
    "touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "rangefinder", "camprojection",
    "jointpos", "jointvel", "tendonpos", "tendonvel", "actuatorpos", "actuatorvel", "actuatorfrc", "jointactuatorfrc",
    "tendonactuatorfrc", "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "tendonlimitpos",
    "tendonlimitvel", "tendonlimitfrc", "framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel",
    "frameangvel", "framelinacc", "frameangacc", "subtreecom", "subtreelinvel", "subtreeangmom", "insidesite", "distance",
    "normal", "fromto", "contact", "e_potential", "e_kinetic", "clock", "tactile", "plugin", "user",
)  # fmt: skip
_SIZES = {
    "touch": 1, "camprojection": 2, "ballquat": 4, "framequat": 4, "fromto": 6, "distance": 1, "insidesite": 1,
    "e_potential": 1, "e_kinetic": 1, "clock": 1,
}  # fmt: skip
SENSOR_SIZE = {
    tag: _SIZES.get(tag, 1 if tag.startswith(("joint", "tendon", "actuator")) else 3)
    for tag in SENSORS if tag not in ("user", "plugin", "tactile", "contact", "rangefinder")
}  # fmt: skip
# the attribute that names what a sensor of this tag measures
SENSOR_TARGET = {
    **{t: "site" for t in ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer")},
    **{t: "joint" for t in SENSORS if t.startswith(("joint", "ball"))},
    **{t: "tendon" for t in SENSORS if t.startswith("tendon")},
    **{t: "actuator" for t in SENSORS if t.startswith("actuator")},
    **{t: "body" for t in SENSORS if t.startswith("subtree")},
}
OBJECTS = {
    1: "body", 2: "xbody", 3: "joint", 4: "dof", 5: "geom", 6: "site", 7: "camera", 8: "light", 9: "flex", 10: "mesh",
    11: "skin", 12: "hfield", 13: "texture", 14: "material", 15: "pair", 16: "exclude", 17: "equality", 18: "tendon",
    19: "actuator", 20: "sensor", 21: "numeric", 22: "text", 23: "tuple", 24: "key", 25: "plugin",
}  # fmt: skip
NUMBERS = {word: number for number, word in OBJECTS.items()}
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
DISABLE = (
    "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "warmstart",
    "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset", "nativeccd", "island",
    "multiccd",
)  # fmt: skip
ENABLE = ("override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact")
ROLES = ("user", "rgb", "occlusion", "roughness", "metallic", "normal", "opacity", "emissive", "rgba", "orm")
CAMERA_OUTPUT = ("rgb", "depth", "distance", "normal", "segmentation")
CONTACT_DATA = ("found", "force", "torque", "dist", "pos", "normal", "tangent")
CONTACT_REDUCE = ("none", "mindist", "maxforce", "netforce")
RAY_DATA = ("dist", "dir", "origin", "point", "normal", "depth")
CUBE_FILES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
INTERP = ("zoh", "linear", "cubic")
INPUT = ("pos", "vel", "ff", "voltage", "none")
SECTIONS = {
    "plugin": "extension", "texture": "asset", "material": "asset", "mesh": "asset", "hfield": "asset", "skin": "asset",
    "flex": "deformable", "pair": "contact", "exclude": "contact", "tendon": "tendon", "equality": "equality",
    "actuator": "actuator", "sensor": "sensor", "numeric": "custom", "text": "custom", "tuple": "custom",
    "key": "keyframe",
}  # fmt: skip
