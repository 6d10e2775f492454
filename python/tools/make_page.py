"""make_page.py [MEASURE.json]: writes docs/python-mujoco.md, which names of MuJoCo exist in sinew.mujoco.

Run with the Python of build/venv and PYTHONPATH=build/release/python. MEASURE.json: results of MuJoCo's own tests, as
{group: [passed, of, "what fails"]}; without it that part of the page stays as it is."""

import json
import pathlib
import re
import sys

import mujoco as native

import sinew.mujoco as ours

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python-mujoco.md"


def names(prefix):
    return sorted(n for n in dir(native) if n.startswith(prefix))


def has(n):
    try:
        return hasattr(ours, n)
    except Exception:
        return False


def wrap(words):
    return ", ".join(f"`{w}`" for w in words) or "none"


def attributes(theirs, mine):
    public = sorted(n for n in dir(theirs) if not n.startswith("_"))
    return [n for n in public if hasattr(mine, n)], [n for n in public if not hasattr(mine, n)]


lines = ["# sinew.mujoco: MuJoCo's names on Sinew", "", "Written by `python/tools/make_page.py`.", ""]
lines += [
    "`import sinew.mujoco as mujoco` is the one line that a script changes. The objects are those of `sinew`: `MjModel` is",
    f"`sinew.Model`, `MjData` is `sinew.Data`. The reference level is MuJoCo {native.__version__}, and",
    "`sinew.mujoco.__version__` says so, because scripts compare with it. A name that is missing raises an error that is both",
    "`NotImplementedError` and `AttributeError`, so that `hasattr` works.",
    "",
    "## What behaves differently",
    "",
    "| what | here |",
    "|---|---|",
    "| coordinates of flexes | `qpos` holds world positions of all flex nodes after the joints, see [flex.md](flex.md); in MuJoCo displacements of free points among the joints |",
    "| contact gap | as in MuJoCo unless the file has `<compiler gap>`; `sinew.Model.from_file` warns instead, see [differences.md](differences.md) |",
    "| arrays of indices and types in `MjModel` | read-only: a step relies on them. Edit an `MjSpec` |",
    "| `contact`, `efc_*` | copies of the last evaluation; `efc_J` is dense, `nefc * nv` numbers |",
    "| `MjModel.vis` | defaults; the renderer reads `<visual>` itself |",
    "| `MjSpec` | read files appear resolved (includes, defaults, attachments); elements carry MJCF's attributes |",
    "| `mj_saveModel` | Sinew's own binary format |",
    "| a Data in two threads | an exception |",
    "",
    "## Functions and classes",
    "",
    "| names | exist | missing |",
    "|---|---|---|",
]
for prefix in ("mj_", "mju_", "mjd_", "mjv_", "mjr_", "Mj", "mjt", "set_", "get_"):
    every = names(prefix)
    found = [n for n in every if has(n)]
    missing = [n for n in every if not has(n)]
    lines.append(f"| `{prefix}*` | {len(found)} of {len(every)} | {wrap(missing)} |")
x = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
M, m = native.MjModel.from_xml_string(x), ours.MjModel.from_xml_string(x)
for name, a, b in (("MjModel", M, m), ("MjData", native.MjData(M), ours.MjData(m)), ("MjOption", M.opt, m.opt)):
    found, missing = attributes(a, b)
    lines.append(f"| attributes of `{name}` | {len(found)} of {len(found) + len(missing)} | {wrap(missing)} |")
lines += ["", "## MuJoCo's own Python tests", ""]
old = PAGE.read_text() if PAGE.exists() else ""
if len(sys.argv) > 1:
    measure = json.loads(pathlib.Path(sys.argv[1]).read_text())
    lines += [
        "The tests of MuJoCo's bindings, as its repository has them, run against `sinew.mujoco` through a module alias. All",
        "tests of these files are counted, those of drawing, plugins and files of its source tree included.",
        "",
        "| group | pass | of | share | why the rest fails |",
        "|---|---|---|---|---|",
    ]
    for group, (passed, count, why) in measure.items():
        lines.append(f"| {group} | {passed} | {count} | {100 * passed / max(1, count):.0f} % | {why} |")
else:
    kept = re.search(r"## MuJoCo's own Python tests\n\n(.*)$", old, re.S)
    lines += [kept[1].rstrip() if kept else "Not measured."]
PAGE.write_text("\n".join(lines) + "\n")
