"""make_page.py [MEASURE.json]: writes docs/python-mujoco.md, which names of MuJoCo exist in sinew.mujoco.

Run with the Python of build/venv and PYTHONPATH=build/release/python. MEASURE.json: results of MuJoCo's own tests, as
{group: [passed, of, passed without drawing and plugins, of, "what fails"]}; without it that part of the page stays as it is."""

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
    "| `contact`, `efc_*` | copies of the last evaluation. Numbers of a contact can be set, its indices cannot |",
    "| `dof_island`, `efc_island`, `iefc_*`, ... | copies, found when they are asked for; not in models with flexes |",
    "| `data.warning`, `data.timer` | made anew at each access; `data.warning.number` is a copy; `timer` times whole steps |",
    "| lights, materials, textures, skins | their arrays belong to what is drawn, which is read when they are first asked for: from the file the model came from, which must still be there. `skin_rgba` is the colour that is drawn; textures from files keep their own number of channels. A model read by `from_binary_path` has none of them and is drawn with one light |",
    "| `light_xpos`, `light_xdir` | brought up to date when they are asked for, not by `mj_forward` |",
    "| `mesh_normal`, `mesh_texcoord` | as they are drawn: corners at edges have normals of their own |",
    "| trees of boxes (`bvh_*`, `oct_*`), names of files (`*_pathadr`), plugins | there are none: their arrays are empty, or say so (-1) |",
    "| arrays of MuJoCo's flexes (`flex_vertbodyid`, `flexedge_J`, ...) | empty in a model without flexes; in others they do not exist, because the coordinates of flexes are others |",
    "| names of later versions that dm_control asks for (`site_dataid`, `flexvert_lambda`, ...) | exist |",
    "| options that a step cannot work with (`opt.solver = 10`) | `sinew.OptionError`, which is a `FatalError` and a `ValueError` |",
    "| fast and thin things | do not pass through each other within a step (`<option speculative>`, [differences.md](differences.md)); `model.opt.speculative = 0` is as in MuJoCo |",
    "| `MjSpec` | includes, replicates and attachments of a file appear resolved; default classes are kept, and elements know theirs unless the file has replicate, composite or attach. A `<flexcomp>` of a file stays one: its bodies and its flex are not among the lists. A model attached from a file whose `<compiler>` makes inertias in another way cannot be read. `timer` knows the total |",
    "| `MjSpec.to_xml` | numbers have as many digits as they need, not six |",
    "| stages called one by one (`mj_collision`, `mj_transmission`, ...) | run the earlier stages they need if those have not run; in MuJoCo they compute with what is there |",
    "| errors of MJCF | name file, line and element in Sinew's words; wrong arguments of functions raise ValueError and TypeError, `FatalError` in a few functions only |",
    "| `mj_saveModel` | Sinew's own binary format |",
    "| `viewer.launch_passive` | a page in the browser. `cam` and `opt` go both ways with `sync()`, as far as the page draws it; `user_scn` draws primitives, arrows, lines and labels (no meshes; a line is a rod), `perturb` is read only, `key_callback` runs on a thread of its own. `set_figures`, `set_images`, `update_texture` and `viewport` do not exist. Arguments `host`, `port`, `browser` in addition |",
    "| flags of `MjvOption` and `MjvScene` | convex hulls, islands, activations, labels, trees of boxes, static geoms, fog, wireframes and the skybox cannot be switched |",
    "| `MjvScene`, `mjv_updateScene`, `Renderer.update_scene` | `geoms` lists geoms and sites of the model, whose colours, sizes and poses may be changed; materials may not. Tendons, flexes, skins and what explains the state (contacts, joints, ...) are drawn without being listed. The width of lines, labels and shapes of meshes cannot be added |",
    "| `MjrContext`, `mjr_*`, `GLContext` | one picture in memory, traced on the processor: no window, no OpenGL, no `MUJOCO_GL`. `mjRND_SEGMENT` needs `mjRND_IDCOLOR`; no stereo, texts, figures and auxiliary buffers |",
    "| `mj_ray`, rangefinders | whether a geom can be seen is the alpha of its own `rgba`, not that of its material; `mj_multiRay` is `mj_ray` for each ray, where MuJoCo's leaves out some geoms |",
    "| `mj_rayFlex` | the surface (`flg_face`, `flg_skin`) with its radius |",
    "| a Data in two threads | an exception; also for reading `contact`, `efc_*` and `solver_*` while a step runs. A callback may ask the Data whose step called it (`mj_ray`, `mj_jac`, copies), not step it. Options that are whole numbers (`cone`, `disableflags`, ...) cannot be set while a step of the model runs |",
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
        "tests of these files are counted in the first share; the second leaves out those of drawing and plugins.",
        "",
        "| group | pass | of | share | without drawing and plugins | why the rest fails |",
        "|---|---|---|---|---|---|",
    ]
    for group, (passed, count, core, of, why) in measure.items():
        lines.append(f"| {group} | {passed} | {count} | {100 * passed / count:.0f} % | {core} of {of}, {100 * core / of:.0f} % | {why} |")
    lines += [
        "",
        "## Gymnasium, dm_control and others",
        "",
        "Gymnasium's eleven v5 tasks run unmodified (`sinew.gym.alias_mujoco()`). Every single step equals the native one to",
        "1e-10, most to 1e-14. Over 100 steps of the environment nine tasks agree to 1e-10. Ant and HalfCheetah end 7e-5 apart,",
        "because rounding grows there: a change of the last bit of `qpos` and `qvel` before each step moves the native engine",
        "itself by 2e-2 and 8e-5. The first thing that differs is the last bit of `qacc_smooth` in the first step.",
        "",
        "dm_control's suite runs unmodified, too (`sinew.mujoco.alias_mujoco()` before it is imported). 1.0.45, which is",
        "made for MuJoCo 3.12: all 28 benchmark tasks, and over 100 steps of random actions their observations and rewards equal",
        "those with the native 3.12.0 to 3e-9 (22 of them to 1e-11). 1.0.50, which is made for 3.17: all 28, equal to the",
        "native 3.17.0 to 1e-9. Of the other tasks all run that do not need OpenGL (`quadruped/escape` makes a height",
        "field with it); the five dog tasks differ, because their toes are so thin and fast that contacts are found ahead of time:",
        "with `opt.speculative = 0` four of them agree to 4e-11, `dog/fetch` to 3e-5. `physics.render` and the viewer of",
        "dm_control need a context of OpenGL, which does not exist here.",
        "",
        "Tried the same way: mink 1.3.0 (inverse kinematics with limits and collision avoidance), equal to the last bit over 100",
        "steps; gymnasium-robotics 1.4.2 (Fetch, hands, mazes, Adroit, kitchen: nine environments run; the three that also run on",
        "the native 3.12.0, PointMaze, AdroitHandDoor and AntMaze, are equal to 3e-12 over 50 steps).",
    ]
else:
    kept = re.search(r"## MuJoCo's own Python tests\n\n(.*)$", old, re.S)
    lines += [kept[1].rstrip() if kept else "Not measured."]
PAGE.write_text("\n".join(lines) + "\n")
