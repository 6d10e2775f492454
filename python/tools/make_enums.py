"""make_enums.py: writes sinew/mujoco/_enums.py, the names and numbers of MuJoCo's enumerations and constants, as the
installed mujoco has them. Run with the Python of build/venv when the reference level moves."""

import pathlib

import mujoco

lines = [
    f'"""Names and numbers of MuJoCo {mujoco.__version__}\'s enumerations and constants. Written by make_enums.py."""',
    "",
    "from enum import Enum, IntEnum",
    "",
    f'MUJOCO_VERSION = "{mujoco.__version__}"',
    f"MUJOCO_VERSION_NUMBER = {mujoco.mj_version()}",
    "",
    "",
    "class _Named(IntEnum):",
    "    __str__ = Enum.__str__  # with its name, in all versions of Python",
    "",
]
for name in sorted(n for n in dir(mujoco) if n.startswith("mjt")):
    lines += ["", f"class {name}(_Named):"]
    lines += [f"    {member} = {int(value)}" for member, value in getattr(mujoco, name).__members__.items()]
    lines.append("")
lines.append("")
for name in sorted(n for n in dir(mujoco) if n.startswith("mj") and isinstance(getattr(mujoco, n), (int, float, tuple))):
    value = getattr(mujoco, name)
    lines.append(f"{name} = {tuple(map(tuple, value)) if value and isinstance(value, tuple) and isinstance(value[0], tuple) else value!r}")
known = sorted(n for n in dir(mujoco) if not n.startswith("_"))
structs = {c: sorted(n for n in dir(getattr(mujoco, c)) if not n.startswith("_")) for c in ("MjModel", "MjData")}
lines += ["", "# every public name, so that a missing one is told apart from a misspelt one", "NAMES = frozenset("]
lines.append("    " + repr(" ".join(known)) + ".split()")
lines += [")", "MODEL_NAMES = frozenset("]
lines.append("    " + repr(" ".join(structs["MjModel"])) + ".split()")
lines += [")", "DATA_NAMES = frozenset("]
lines.append("    " + repr(" ".join(structs["MjData"])) + ".split()")
lines += [")", ""]
pathlib.Path(__file__).parent.with_name("sinew").joinpath("mujoco", "_enums.py").write_text("\n".join(lines))
