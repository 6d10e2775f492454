#!/usr/bin/env python3
"""What one version of MuJoCo reads: its MJCF schema, the defaults of every kind of element, enumerations, struct fields.

    python probe_level.py                 prints all of that as JSON
    python probe_level.py --load FILE     FILE holds a JSON list of MJCF texts; prints for each null or why it is refused

It runs in the virtual environment of the version in question; levels.py compares what two of them print.
"""

import json
import math
import os
import sys
from pathlib import Path

os.environ["MUJOCO_GL"] = "disable"

import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from mujoco.introspect import ast_nodes, enums, structs  # noqa: E402

# elements that a <default> class holds, by their name in MjSpec
DEFAULT_ELEMENTS = [
    "joint", "geom", "site", "camera", "light", "flex", "mesh", "material", "pair", "equality", "tendon", "actuator",
]  # fmt: skip


def schema():
    """{path of an element: sorted names of its attributes}; the path is the elements from <mujoco> down, with slashes."""
    result = {}
    stack = []  # (indent, name)
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if not line.strip():
            continue
        if line[0] == " " and "(" not in line.replace("(world)body", "body"):
            result["/".join(name for _, name in stack)] += line.split()  # a continued list of attributes
            continue
        indent = len(line) - len(line.lstrip())
        name, _, rest = line.strip().replace("(world)body", "body").partition(" ")
        while stack and stack[-1][0] >= indent:
            stack.pop()
        stack.append((indent, name))
        result["/".join(name for _, name in stack)] = rest.split(")", 1)[1].split()
    return {path: sorted(attributes) for path, attributes in result.items()}


def plain(value):
    if isinstance(value, np.ndarray):
        return [plain(x) for x in value.ravel().tolist()]
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)) or hasattr(value, "value"):
        return int(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else "nan"
    return None


def values_of(part, struct):
    """The numbers of one part of a specification; texts and pointers have no default worth a line."""
    result = {}
    for field in structs.STRUCTS[struct].fields:
        if hasattr(field, "name") and not isinstance(field.type, ast_nodes.PointerType):
            value = plain(getattr(part, field.name, None))
            if value is not None:
                result[field.name] = value
    return result


def defaults():
    """{'option.timestep': 0.002, 'geom.friction': [1, 0.005, 0.0001], ...} of an empty specification."""
    spec = mujoco.MjSpec()
    parts = {"option": (spec.option, "mjOption"), "compiler": (spec.compiler, "mjsCompiler")}
    for name in DEFAULT_ELEMENTS:
        if hasattr(spec.default, name):
            parts[name] = (getattr(spec.default, name), "mjs" + name.capitalize())
    values = {part: values_of(*where) for part, where in parts.items()}
    return {f"{part}.{name}": value for part, fields in values.items() for name, value in fields.items()}


def fields_of(struct):
    return [field.name for field in structs.STRUCTS[struct].fields if hasattr(field, "name")]


def why_refused(text):
    try:
        mujoco.MjModel.from_xml_string(text)
    except (ValueError, mujoco.FatalError) as error:
        return " ".join(str(error).split())
    return None


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--load":
        mujoco.set_mju_user_warning(lambda text: None)
        result = [why_refused(text) for text in json.loads(Path(sys.argv[2]).read_text())]
    else:
        result = {
            "version": mujoco.mj_versionString(),
            "schema": schema(),
            "defaults": defaults(),
            "enums": {name: dict(decl.values) for name, decl in enums.ENUMS.items()},
            "structs": {name: fields_of(name) for name in ("mjOption", "mjModel", "mjData", "mjContact")},
        }
    json.dump(result, sys.stdout, indent=1)


main()
