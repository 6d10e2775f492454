#!/usr/bin/env python3
"""Writes docs/levels.md: what changed in MJCF from the reference version to the newest one, and what Sinew does with it.

    levels.py --sinew PATH                                 the schema part; the rest of the page stays
    levels.py --sinew PATH --check                         writes nothing; status 1 if the schema part is not up to date
    levels.py --sinew PATH --scenes A.json B.json          also the part on scenes, from run.mjs --json against both levels
    levels.py --sinew PATH --corpus A.json B.json          also the part on the corpus
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs/levels.md"
PROBES = json.loads((HERE / "level_probes.json").read_text())
PARTS = ("schema", "scenes", "corpus")
MOVED = 1e-9  # positions further apart than this are another motion


def python_of(environment):
    return ROOT / "build" / environment / "bin/python"


def probe(environment, *args):
    command = [python_of(environment), HERE / "probe_level.py", *args]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


# ---------------------------------------------------------------------------------------------------- the schema


class Levels:
    """The two versions, and what each and Sinew make of the probes."""

    def __init__(self, sinew, folder):
        self.sinew = sinew
        self.folder = folder
        self.old = probe("venv")
        self.new = probe("venv-latest")
        self.problems = []
        groups = ("elements", "attributes", "keywords", "defaults", "behaviors")
        self.texts = [PROBES[group][name]["mjcf"] for group in groups for name in PROBES[group]]
        self.refusals = {}  # by version: why it refuses each probe, or None
        for environment, level in (("venv", self.old), ("venv-latest", self.new)):
            self.run_probes(environment, level["version"])

    def run_probes(self, environment, version):
        """Loads every probe with one version and writes the traces of those that it reads."""
        listed = self.folder / "probes.json"
        listed.write_text(json.dumps(self.texts))
        self.refusals[version] = probe(environment, "--load", listed)
        jobs = self.folder / "jobs.txt"
        options = {"qvel": "sine", "ctrl": "sine"}
        lines = []
        for i, text in enumerate(self.texts):
            self.model(i).write_text(text)
            if self.refusals[version][i] is None:
                lines.append(json.dumps({"model": str(self.model(i)), "out": str(self.trace(i, version)), **options}))
        jobs.write_text("\n".join(lines))
        oracle = [python_of(environment), HERE / "native_oracle.py", "--quiet", "--jobs", jobs]
        subprocess.run(oracle, capture_output=True, check=True)

    def model(self, i):
        return self.folder / f"probe{i}.xml"

    def trace(self, i, version):
        return self.folder / f"probe{i}-{version}.json"

    def index(self, group, name):
        return self.texts.index(PROBES[group][name]["mjcf"])

    def change(self, group, name):
        """What Sinew does with something that came or went. A probe that both versions read, or refuse, is a mistake."""
        i = self.index(group, name)
        old, new = (self.refusals[level["version"]][i] for level in (self.old, self.new))
        if (old is None) == (new is None):
            self.problems.append(f"{name}: the probe is {'read' if old is None else 'refused'} by both versions: {old or ''} {new or ''}")
            return ""
        result = subprocess.run([self.sinew, "info", self.model(i)], capture_output=True, text=True)
        if result.returncode == 0:
            version = (self.new if new is None else self.old)["version"]
            field = self.compare(i, version)
            return f"reads it; differs from {version} in `{field}`" if field else f"reads it, moves as {version} does"
        message = result.stderr.strip().splitlines()[-1].split(".xml:", 1)[-1]
        word = re.search(r'"(.*)"', name)[1] if group == "keywords" else name.rsplit("/", 1)[-1]
        element = name.split("/")[-2] if group == "attributes" else word
        named = (f"'{word}'", f'"{word}"', f"<{word}>") + ((f"a {element} sensor is not supported",) if "/sensor/" in name else ())
        if not any(text in message for text in named):
            self.problems.append(f"{name}: Sinew refuses the probe without naming it: {message}")
        return "refuses it by name"

    def compare(self, i, version):
        """'' if Sinew moves probe i as that version does, else the first field that differs."""
        trace = self.trace(i, version)
        # Sinew takes discrete for implicitfast, which is its name in a trace too: what counts is the motion
        numbers = self.new["enums"]["mjtIntegrator"]
        content = json.loads(trace.read_text())
        for options in (content["opt_compiled"], content["opt"]):
            if options["integrator"] == numbers["mjINT_DISCRETE"]:
                options["integrator"] = numbers["mjINT_IMPLICITFAST"]
        trace.write_text(json.dumps(content))
        result = subprocess.run([self.sinew, "compare", self.model(i), trace], capture_output=True, text=True)
        if result.returncode == 0:
            return ""
        first = next((line for line in result.stdout.splitlines() if line.startswith("first difference")), "")
        field = re.search(r": ([a-zA-Z_.0-9]+)[ \[]", first)
        return field[1] if field else result.stderr.strip()

    def meaning(self, group, name):
        """What Sinew and both versions do with a model whose meaning changed."""
        i = self.index(group, name)
        versions = [self.old["version"], self.new["version"]]
        refused = [version for version in versions if self.refusals[version][i]]
        if subprocess.run([self.sinew, "info", self.model(i)], capture_output=True).returncode:
            return f"refuses it, as {' and '.join(refused)} does" if refused else "refuses it, which neither version does"
        fields = {version: self.compare(i, version) for version in versions if version not in refused}
        same = [version for version, field in fields.items() if not field]
        rest = f"; {refused[0]} refuses it" if refused else ""
        if same:
            return f"moves as {' and '.join(same)}{rest}"
        return "moves as neither: " + ", ".join(f"`{field}` against {version}" for version, field in fields.items()) + rest

    def elements(self):
        """(paths that came, paths that went): the topmost only."""
        came = [path for path in self.new["schema"] if path not in self.old["schema"]]
        went = [path for path in self.old["schema"] if path not in self.new["schema"]]
        return tuple([path for path in paths if path.rsplit("/", 1)[0] not in paths] for paths in (came, went))

    def attributes(self):
        both = [path for path in self.old["schema"] if path in self.new["schema"]]
        def added(a, b):
            return [f"{path}/{name}" for path in both for name in b["schema"][path] if name not in a["schema"][path]]
        return added(self.old, self.new), added(self.new, self.old)

    def new_values(self):
        """{enumeration: values that the newest version added}; counts of values do not count."""
        result = {}
        for name, values in self.new["enums"].items():
            before = self.old["enums"].get(name, {})
            added = [value for value in values if value not in before and not value.startswith("mjN")]
            if added:
                result[name] = added
        return result

    def renumbered(self):
        pairs = ((name, value) for name, values in self.old["enums"].items() for value in values)
        new = self.new["enums"]
        return [
            f"{value} {self.old['enums'][name][value]} to {new[name][value]}"
            for name, value in pairs
            if value in new.get(name, {}) and new[name][value] != self.old["enums"][name][value] and not value.startswith(("mjN", "mjSTATE"))
        ]


def written(path):
    """mujoco/body/joint/range of the schema as <body><joint range>"""
    return path.removeprefix("mujoco/").replace("/", " / ")


def table(head, rows):
    lines = [f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows]]
    return lines if rows else ["None."]


def number(value):
    if isinstance(value, list):
        return " ".join(number(x) for x in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def schema_part(levels):
    old, new = levels.old["version"], levels.new["version"]
    lines = []

    def changes(title, group, came, went):
        nonlocal lines
        lines += ["", f"### {title}", ""]
        rows = []
        for word, names in (("new", came), ("gone", went)):
            for name in names:
                if name not in PROBES[group]:
                    levels.problems.append(f"{name}: there is no probe for it in level_probes.json")
                    continue
                rows.append([f"`{written(name)}`", word, PROBES[group][name]["what"], levels.change(group, name)])
        lines += table(["name", f"in {new}", "for", "Sinew"], rows)

    changes("Elements", "elements", *levels.elements())
    changes("Attributes", "attributes", *levels.attributes())

    lines += ["", "### Keywords", ""]
    keyword_of = {entry["enum"]: name for name, entry in PROBES["keywords"].items()}
    rows = []
    for enum, values in levels.new_values().items():
        for value in values:
            if value in keyword_of:
                name = keyword_of[value]
                rows.append([f"`{name}`", "new", PROBES["keywords"][name]["what"], levels.change("keywords", name)])
            elif enum not in PROBES["not_mjcf"]:
                levels.problems.append(f"{value} of {enum}: neither a probe nor under not_mjcf in level_probes.json")
    lines += table(["keyword", f"in {new}", "for", "Sinew"], rows)
    renumbered = levels.renumbered()
    lines += ["", f"Values of enumerations that changed their number: {', '.join(renumbered) or 'none'}."]

    lines += ["", "### Defaults", "", "Of an empty specification, by the names of the programming interface. Defaults that changed:", ""]
    a, b = levels.old["defaults"], levels.new["defaults"]
    rows = []
    for name in a:
        if name in b and a[name] != b[name]:
            if name not in PROBES["defaults"]:
                levels.problems.append(f"default {name}: there is no probe for it in level_probes.json")
                continue
            rows.append([f"`{name}`", number(a[name]), number(b[name]), PROBES["defaults"][name]["what"], levels.meaning("defaults", name)])
    lines += table(["default", old, new, "meaning", "Sinew"], rows)
    rows = [[f"`{name}`", "", number(b[name])] for name in b if name not in a]
    rows += [[f"`{name}`", number(a[name]), ""] for name in a if name not in b]
    lines += ["", "Defaults of what came or went (what Sinew does with the attributes is said above):", "", *table(["default", old, new], rows)]

    lines += ["", "### Meaning", "", "Files that both versions write alike and do not run alike, one small model each:", ""]
    rows = []
    for name, entry in PROBES["behaviors"].items():
        verdict = levels.meaning("behaviors", name)
        if verdict == f"moves as {old} and {new}":
            levels.problems.append(f"{name}: the probe moves alike in both versions")
        rows.append([name, entry["since"], entry["what"], verdict])
    lines += table(["what", "since", "change", "Sinew"], rows)

    lines += ["", "### Fields of the programming interface", ""]
    rows = []
    for struct, names in levels.old["structs"].items():
        others = levels.new["structs"][struct]
        came = [f"`{name}`" for name in others if name not in names]
        went = [f"`{name}`" for name in names if name not in others]
        if came or went:
            rows.append([f"`{struct}`", ", ".join(came), ", ".join(went)])
    lines += table(["struct", "new", "gone"], rows)
    return lines


# ---------------------------------------------------------------------------------------------------- models


def agreement(old, new):
    """Which level Sinew's numbers agree with, from the verdicts against both."""
    if old["verdict"] == "UNSUPPORTED":
        return "not supported"
    if new["references"]["error"]:
        return "runs, agrees with the older" if old["verdict"] == "PASS" else "runs, differs from the older (see conformance.md)"
    both = (old["verdict"] == "PASS", new["verdict"] == "PASS")
    return {(True, True): "agrees with both", (True, False): "follows the older", (False, True): "follows the newer", (False, False): "neither"}[both]


def models_part(versions, olds, news):
    """`olds`: what Sinew is against the older level; `news`: against the newer, with the differences between both."""
    old_version, new_version = versions
    by_name = {result["name"]: result for result in olds}
    pairs = [(by_name[result["name"]], result) for result in news]
    refused = [(old, new) for old, new in pairs if new["references"]["error"]]
    running = [(old, new) for old, new in pairs if not new["references"]["error"]]

    def distance(references):
        # JSON has no infinity: null stands for positions of another size
        return max((sample["distance"] if sample["distance"] is not None else 1e300) for sample in references["qpos"])

    moved = [(old, new) for old, new in running if distance(new["references"]) > MOVED]
    rest = [(old, new) for old, new in running if distance(new["references"]) <= MOVED]
    other_numbers = [(old, new) for old, new in rest if new["references"]["moving"]]
    def passed(results):
        return sum(result["verdict"] == "PASS" for result in results)
    lines = [
        "",
        f"{len(pairs)} models that {old_version} runs: {new_version} refuses {len(refused)}, moves "
        f"{len(moved)} otherwise (positions apart by more than {MOVED:g} in the sampled states) and gives {len(other_numbers)} other numbers beside an "
        f"equal motion. Sinew agrees with {old_version} in {passed(olds)} and with {new_version} in {passed(news)}.",
        "",
        f"Models that {new_version} refuses:",
        "",
    ]
    lines += table(["model", "why", "Sinew"], [[new["name"], new["references"]["error"].replace(" | ", "; ").replace("|", "\\|"), agreement(old, new)] for old, new in refused])
    lines += ["", "Models that move otherwise:", ""]
    rows = []
    for old, new in moved:
        references = new["references"]
        worst = references["moving"]["fields"][0] if references["moving"] else {"field": "qpos", "text": ""}
        steps = " ".join(f"{sample['distance']:.0e}" if sample["distance"] is not None else "other size" for sample in references["qpos"])
        at = ",".join(str(sample["step"]) for sample in references["qpos"])
        rows.append([new["name"], f"{steps} at {at}", f"`{worst['field']}` {worst['text']}", agreement(old, new)])
    lines += table(["model", "difference of `qpos`", "largest difference in the first state that differs", "Sinew"], rows)
    lines += ["", "Numbers that differ although the motion is the same:", ""]
    fields = {}
    for old, new in other_numbers:
        for field in new["references"]["moving"]["fields"]:
            fields.setdefault(field["field"], []).append((new["name"], agreement(old, new)))
    rows = [[f"`{name}`", str(len(where)), where[0][0], summed(where)] for name, where in sorted(fields.items())]
    lines += table(["field", "models", "for example", "Sinew"], rows)
    lines += ["", "Compiled constants that differ:", ""]
    constants = {}
    for old, new in running:
        for field in new["references"]["compiled"]:
            constants.setdefault(field["field"], []).append((new["name"], field["text"], agreement(old, new)))
    rows = [[f"`{name}`", str(len(where)), f"{where[0][0]}: {where[0][1]}", summed([(w[0], w[2]) for w in where])] for name, where in sorted(constants.items())]
    lines += table(["field", "models", "for example", "Sinew"], rows)
    return lines


def summed(where):
    count = {}
    for _, verdict in where:
        count[verdict] = count.get(verdict, 0) + 1
    return ", ".join(f"{verdict} ({n})" for verdict, n in sorted(count.items()))


# ---------------------------------------------------------------------------------------------------- the page


def marked(part, lines):
    return "\n".join([f"<!-- {part}: made by make levels -->", *lines, "", f"<!-- {part}: end -->"])


def part_of(page, part):
    found = re.search(rf"<!-- {part}: made by make levels -->.*?<!-- {part}: end -->", page, re.S)
    return found[0] if found else marked(part, ["", "Not measured yet."])


def compose(versions, day, parts):
    old, new = versions
    return f"""# Levels of MJCF

Sinew follows MuJoCo {old}. This page says what changed from there to {new}, the newest version on PyPI when it was measured ({day}), and
what Sinew does with each change. `make levels` writes it: the schema, defaults and enumerations come from the two packages themselves, every
change has a small model (`tests/conformance/level_probes.json`) that both versions and Sinew are asked to read, and the models are
those of the conformance run.

A file that needs what Sinew does not have is refused, with the name of the element or attribute: nothing is dropped silently. A file of {old} keeps
its meaning, also where {new} refuses it.

## Schema

{parts['schema']}

## Scenes of the project

States 0, 1, 10 and 100; numbers count as different beyond 1e-9 of the largest of their array. "Agrees" is meant as in [conformance.md](conformance.md).

{parts['scenes']}

## Corpus

With constraints and contacts, states 0 and 1, controls along a sine.

{parts['corpus']}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--scenes", nargs=2, metavar="JSON")
    parser.add_argument("--corpus", nargs=2, metavar="JSON")
    args = parser.parse_args()

    page = PAGE.read_text() if PAGE.exists() else ""
    parts = {part: part_of(page, part) for part in PARTS}
    with tempfile.TemporaryDirectory() as folder:
        levels = Levels(Path(args.sinew).resolve(), Path(folder))
        parts["schema"] = marked("schema", schema_part(levels))
    versions = (levels.old["version"], levels.new["version"])
    for problem in levels.problems:
        print(f"levels: {problem}", file=sys.stderr)
    if args.check:
        if parts["schema"] == part_of(page, "schema") and not levels.problems:
            print(f"docs/levels.md is up to date with MuJoCo {' and '.join(versions)}")
            return 0
        for ours, theirs in zip(parts["schema"].splitlines(), part_of(page, "schema").splitlines()):
            if ours != theirs:
                print(f"levels: docs/levels.md says  {theirs}\nlevels: it should say         {ours}", file=sys.stderr)
        print("levels: the schema part of docs/levels.md is not up to date: make levels", file=sys.stderr)
        return 1
    for part in ("scenes", "corpus"):
        files = getattr(args, part)
        if files:
            is_scene = part == "scenes"
            olds, news = ([r for r in json.loads(Path(f).read_text()) if r["name"].startswith("scenes/") == is_scene] for f in files)
            parts[part] = marked(part, models_part(versions, olds, news))
    PAGE.write_text(compose(versions, datetime.date.today().isoformat(), parts))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 1 if levels.problems else 0


if __name__ == "__main__":
    sys.exit(main())
