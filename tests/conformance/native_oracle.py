#!/usr/bin/env python3
"""Reference traces from the native MuJoCo of PyPI: the same options and the same format as oracle.mjs.

What is recorded is described in trace_fields.json, which both oracles read. docs/conformance.md describes options and
format.
"""

import argparse
import copy
import json
import math
import os
import re
import sys
from pathlib import Path

os.environ["MUJOCO_GL"] = "disable"  # nothing is drawn, so no graphics library is needed

import mujoco  # noqa: E402
import numpy as np  # noqa: E402

FIELDS = json.loads((Path(__file__).parent / "trace_fields.json").read_text())
DEFAULTS = FIELDS["defaults"]


def whole(*patterns):
    return re.compile("(" + "|".join(patterns) + ")").fullmatch


is_size = whole(FIELDS["sizes"])
is_skipped_constant = whole(*FIELDS["skipped_constants"])
is_flexless_constant = whole(FIELDS["flexless_constants"])
is_skipped_data = whole(*FIELDS["skipped_data"])
is_flexless_data = whole(FIELDS["flexless_data"])
is_island_data = whole(FIELDS["island_data"])
is_sparse_data = whole(FIELDS["sparse_data"])


# ---------------------------------------------------------------------------------------------------- reading fields


def shortest_float(value):
    """The decimal with the fewest digits, 6 at least, that still names the same single-precision number."""
    for digits in (6, 7, 8):
        short = float(f"{value:.{digits}g}")
        if np.float32(short) == value:
            return short
    return float(f"{value:.9g}")


def finite(value):
    return value if math.isfinite(value) else None


def plain(value):
    """A plain JSON value for a field, or None for what is neither a number nor an array of numbers."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return finite(float(value))
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    flat = value.ravel()
    if flat.dtype.kind == "b":
        return flat.astype(int).tolist()
    if flat.dtype.kind in "iu":
        return flat.tolist()
    if flat.dtype == np.float32:
        numbers = [shortest_float(x) if math.isfinite(x) else None for x in flat.tolist()]
        return numbers
    return flat.tolist() if np.isfinite(flat).all() else [finite(x) for x in flat.tolist()]


def field_names(struct):
    """Names of the fields that the bindings define on a class, functions and properties that give objects included."""
    return sorted(name for name in dir(struct) if not name.startswith("_"))


def at_level(name, value):
    """The array without the columns that a later version added."""
    columns = FIELDS["columns"].get(name)
    return value[:, :columns] if columns else value


def read_fields(struct, wanted=lambda name: True):
    result = {}
    for name in field_names(type(struct)):
        if not wanted(name):
            continue
        value = getattr(struct, name)
        if callable(value):
            continue
        value = plain(at_level(name, value))
        if value is not None:
            result[name] = value
    return result


def read_sizes(model):
    return read_fields(model, lambda name: is_size(name) and name not in FIELDS["skipped_sizes"])


def read_constants(model):
    def wanted(name):
        if is_size(name) or is_skipped_constant(name):
            return False
        return bool(model.nflex) or not is_flexless_constant(name)

    return read_fields(model, wanted)


def read_names(model):
    def name_at(start):
        return model.names[start : model.names.index(b"\0", start)].decode()

    return {kind: [name_at(start) for start in getattr(model, f"name_{kind}adr")] for kind in FIELDS["name_kinds"]}


def read_contacts(data):
    names = [name for name in field_names(mujoco.MjContact) if name not in FIELDS["skipped_contact"]]
    return [{name: plain(getattr(contact, name)) for name in names} for contact in data.contact]


def trim_to_use(result, data, is_sparse):
    """Cuts arrays that are allocated for the worst case to what this state uses."""
    if "wrap_xpos" in result:
        used = int(data.ten_wrapnum.sum())
        result["wrap_xpos"] = result["wrap_xpos"][: 3 * used]
        result["wrap_obj"] = result["wrap_obj"][:used]
    if "solver_niter" in result:
        result["solver_niter"] = result["solver_niter"][: max(1, data.nisland)]
    for name in list(result):
        if (not is_sparse and is_sparse_data(name)) or (data.nisland == 0 and is_island_data(name)):
            del result[name]


def read_data(model, data, is_sparse, only):
    def wanted(name):
        if (only is not None and name not in only) or is_skipped_data(name):
            return False
        return bool(model.nflex) or not is_flexless_data(name)

    result = read_fields(data, wanted)
    if only is None or "contact" in only:
        result["contact"] = read_contacts(data)
    trim_to_use(result, data, is_sparse)
    return result


def read_warnings(data):
    names = FIELDS["warnings"]
    counts = [int(number) for number in data.warning.number]
    return {names[i] if i < len(names) else f"warning{i}": n for i, n in enumerate(counts) if n > 0}


# ---------------------------------------------------------------------------------------------------- one model


def apply_settings(model, job):
    for setting in job["set"]:
        name, _, text = setting.partition("=")
        if not text or not hasattr(model.opt, name):
            raise ValueError(f"cannot set {setting}")
        old = getattr(model.opt, name)
        if isinstance(old, np.ndarray):
            for i, number in enumerate(text.split(":")):
                old.flat[i] = float(number)
        else:
            setattr(model.opt, name, type(old)(float(text)))
    if job["smooth"]:
        bit = mujoco.mjtDisableBit
        model.opt.disableflags |= int(bit.mjDSBL_CONSTRAINT) | int(bit.mjDSBL_CONTACT)


def set_initial_state(model, data, job):
    if job["key"] >= 0:
        if job["key"] >= model.nkey:
            raise ValueError(f"there is no keyframe {job['key']}")
        mujoco.mj_resetDataKeyframe(model, data, job["key"])
    for i in range(model.nv):
        if job["qvel"] == "sine":
            data.qvel[i] = 0.1 * math.sin(1 + i)
        if job["nudge"]:
            data.qvel[i] += job["nudge"] * math.sin(1 + i)
    if job["applied"] == "sine":
        # in proportion to the inertia they act on, so that light models do not explode; per body: force, then torque
        for i in range(6 * model.nbody):
            mass = model.body_mass[i // 6]
            data.xfrc_applied.flat[i] = (1 if i % 6 < 3 else 0.01) * mass * math.sin(2 + i)
        for i in range(model.nv):
            data.qfrc_applied[i] = model.dof_M0[i] * math.sin(3 + i)


def set_controls(model, data, mode):
    """sine: ctrl_i = c_i + 0.5 h_i sin(0.7 i + 3 t), with centre and half width of ctrlrange, or 0 and 1 where it is empty."""
    if mode == "keep":
        return
    if mode == "zero":
        data.ctrl[:] = 0
        return
    for i in range(data.ctrl.size):
        low, high = (float(x) for x in model.actuator_ctrlrange[i])
        if not low < high:
            low, high = -1.0, 1.0
        data.ctrl[i] = 0.5 * (low + high) + 0.5 * (0.5 * (high - low)) * math.sin(0.7 * i + 3 * data.time)


def take_sample(model, data, fields):
    """Everything that follows from the state in `data`, on a copy, so that samples do not change the motion."""
    data = copy.copy(data)
    mujoco.mj_forward(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    mujoco.mj_subtreeVel(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    sample = read_data(model, data, mujoco.mj_isSparse(model), fields)
    mujoco.mj_inverse(model, data)
    sample["qfrc_inverse"] = plain(data.qfrc_inverse)
    return sample


def chosen_fields(model, choice):
    if choice == "auto":
        return set(FIELDS["essential_data"]) if model.nv > FIELDS["large_model_dofs"] else None
    if choice == "all":
        return None
    return set(FIELDS["essential_data"]) if choice == "essential" else set(choice.split(","))


def trace_of(job):
    """The trace of one job. A model that cannot be loaded or run gives a trace with `error` and `error_stage`."""
    trace = {"format": "sinew-trace-1", "source": os.path.basename(job["model"]), "version": mujoco.mj_versionString()}
    trace["settings"] = {name: job[name] for name in DEFAULTS}
    stage = "load"
    try:
        # assets are cached by path: without this a mesh with other settings could be taken for the one before
        mujoco.mj_clearCache(mujoco.mj_getCache())
        model = mujoco.MjModel.from_xml_path(job["model"])
        trace["opt_compiled"] = read_fields(model.opt)
        apply_settings(model, job)
        trace["opt"] = read_fields(model.opt)
        trace["stat"] = read_fields(model.stat)
        trace["sizes"] = read_sizes(model)
        trace["is_sparse"] = int(mujoco.mj_isSparse(model))
        trace["names"] = read_names(model)
        trace["constants"] = read_constants(model)

        stage = "simulate"
        data = mujoco.MjData(model)
        set_initial_state(model, data, job)
        fields = chosen_fields(model, job["fields"])
        steps = job["at"][-1]
        trace["samples"] = []
        for step in range(steps + 1):
            set_controls(model, data, job["ctrl"])
            if step in job["at"]:
                trace["samples"].append({"step": step, **take_sample(model, data, fields)})
            if step < steps:
                mujoco.mj_step(model, data)
        trace["warnings"] = read_warnings(data)
    except (mujoco.FatalError, mujoco.UnexpectedError, ValueError, MemoryError) as error:
        message = str(error).replace(os.path.dirname(os.path.abspath(job["model"])) + os.sep, "").strip()
        head = {name: trace[name] for name in ("format", "source")}
        tail = {name: trace[name] for name in ("version", "settings")}
        return {**head, "error_stage": stage, "error": message, **tail}
    return trace


# ---------------------------------------------------------------------------------------------------- many models


def checked(job):
    for name, modes in FIELDS["modes"].items():
        if job[name] not in modes:
            raise ValueError(f"{name} must be one of {', '.join(modes)}")
    if not job["at"] or not all(isinstance(n, int) and n >= 0 for n in job["at"]):
        raise ValueError("at needs step counts")
    return {**job, "at": sorted(job["at"])}


def lines_of(file):
    lines = (line.strip() for line in Path(file).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def parse_arguments():
    parser = argparse.ArgumentParser(description="Reference traces from the native MuJoCo; options as in oracle.mjs.")
    parser.add_argument("models", nargs="*", metavar="MODEL.xml")
    parser.add_argument("--at", type=lambda text: [int(n) for n in text.split(",")], default=DEFAULTS["at"])
    for name, modes in FIELDS["modes"].items():
        parser.add_argument(f"--{name}", choices=modes, default=DEFAULTS[name])
    parser.add_argument("--nudge", type=float, default=DEFAULTS["nudge"])
    parser.add_argument("--key", type=int, default=DEFAULTS["key"])
    parser.add_argument("--set", type=lambda text: text.split(","), default=DEFAULTS["set"])
    parser.add_argument("--smooth", action="store_true")
    parser.add_argument("--fields", default=DEFAULTS["fields"])
    parser.add_argument("--out", help="trace of a single model (default: standard output)")
    parser.add_argument("--outdir", help="DIR/<name>.json for every model")
    parser.add_argument("--list", help="further models, one per line")
    parser.add_argument("--jobs", help='one JSON object per line: {"model", "out", and any of the options by name}')
    parser.add_argument("--quiet", action="store_true", help="no line per model on standard error")
    args = parser.parse_args()
    options = {name: getattr(args, name) for name in DEFAULTS}
    models = args.models + (lines_of(args.list) if args.list else [])
    if args.out and len(models) > 1:
        parser.error("--out is for one model; use --outdir")
    jobs = [json.loads(line) for line in lines_of(args.jobs)] if args.jobs else []
    for model in models:
        flat = re.sub(r"[/\\]", "__", re.sub(r"\.xml$", "", re.sub(r"^[./\\]+", "", model)))
        jobs.append({"model": model, "out": f"{args.outdir}/{flat}.json" if args.outdir else args.out})
    if not jobs:
        parser.error("no model given")
    try:
        return [checked({**options, **job}) for job in jobs], args.quiet
    except ValueError as error:
        parser.error(str(error))


def summary(trace):
    if "error" in trace:
        return f"ERROR ({trace['error_stage']}) " + re.sub(r"\s*\n\s*", " | ", trace["error"])
    sizes = trace["sizes"]
    warnings = f" warnings {json.dumps(trace['warnings'])}" if trace["warnings"] else ""
    rows = trace["samples"][-1].get("nefc", "-")
    return f"ok nq {sizes['nq']} nv {sizes['nv']} nu {sizes['nu']} nefc {rows}{warnings}"


def main():
    jobs, quiet = parse_arguments()
    # otherwise warnings go to a file in the current folder
    mujoco.set_mju_user_warning(lambda text: print(f"WARNING: {text}", file=sys.stderr))
    failed = 0
    for job in jobs:
        trace = trace_of(job)
        failed += "error" in trace
        text = json.dumps(trace, separators=(",", ":"), allow_nan=False) + "\n"
        if job.get("out"):
            out = Path(job["out"])
            out.parent.mkdir(parents=True, exist_ok=True)
            part = out.with_name(out.name + ".part")
            part.write_text(text)
            part.rename(out)  # a trace that exists is complete
        else:
            sys.stdout.write(text)
        if not quiet:
            print(f"{job['model']}: {summary(trace)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
