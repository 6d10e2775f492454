#!/usr/bin/env python3
"""Says what became slower between two result files of the benches.

    bench/compare.py BEFORE AFTER [--by PERCENT]

Reads what `make bench-soft` writes (.json) and the tables of bench/results (.md). Times of different runs differ with
the load of the machine, so what is compared is speed relative to the other engine measured in the same run: columns
named "ratio..." or "speed of Sinew against it". Where a file has none, steps per second or microseconds are compared,
and the output says so. Rows are matched by their names, whatever their order. Exit status 1: something is slower by
more than PERCENT (5 unless given); 2: the files cannot be read or have nothing in common.
"""
import argparse
import json
import math
import sys


class BadFile(Exception):
    pass


def number(cell):
    """A cell as a number; None: it is text. Marks such as ** around it do not count."""
    try:
        return float(cell.strip("* ").split()[0].replace("x", ""))
    except (ValueError, IndexError):
        return None


def speed_of(column):
    """How a column tells speed: 'ratio' or 'time' or 'rate'; None: it does not."""
    name = column.lower()
    if name.startswith("ratio") or name == "speed of sinew against it":
        return "ratio"
    if name.startswith("steps/s"):
        return "rate"
    if name.startswith("sinew us") or name.startswith("us/step"):
        return "time"
    return None


def read_tables(text):
    """{row name: {column: (kind, value)}} of all tables. A row is named by its text cells and, in front of them, its
    heading; what solver another engine was fastest with is no name. Of equal names and columns the first counts."""
    rows, heading, columns = {}, "", None
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
        if not line.startswith("|"):
            columns = None
            continue
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if columns is None:
            columns = cells
            continue
        if all(set(c) <= set("-: ") for c in cells) or len(cells) != len(columns):
            continue
        name = " / ".join(cell for column, cell in zip(columns, cells)
                          if number(cell) is None and cell not in ("", "-", "yes", "no") and "solver" not in column)
        values = {}
        for column, cell in zip(columns, cells):
            kind, value = speed_of(column), number(cell)
            if kind and value is not None and value > 0:
                values.setdefault(column, (kind, value))
        if name and values:
            rows.setdefault(f"{heading}: {name}", values)
    return rows


def read_json(text):
    rows = {}
    for scene in json.loads(text)["scenes"]:
        values = {"us_per_step": ("time", scene["us_per_step"])}
        if scene.get("ratio"):
            values["ratio"] = ("ratio", scene["ratio"])
        rows[scene["name"]] = values
    return rows


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        rows = read_json(text) if path.endswith(".json") else read_tables(text)
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{path}: not a result file of sinew_bench: {error}") from error
    if not rows:
        raise BadFile(f"{path}: no row with a speed in it")
    return rows


def compare(before, after):
    """[(name, column, relative speed after / before)], and whether ratios were compared."""
    common = [(n, c) for n in before if n in after for c in before[n] if c in after[n]]
    ratios = [(n, c) for n, c in common if before[n][c][0] == "ratio"]
    found = []
    for name, column in ratios or common:
        kind, old = before[name][column]
        new = after[name][column][1]
        found.append((name, column, old / new if kind == "time" else new / old))
    return found, bool(ratios)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--by", type=float, default=5, metavar="PERCENT", help="slower by more than this counts")
    options = parser.parse_args(arguments)
    try:
        before, after = read(options.before), read(options.after)
    except BadFile as error:
        print(error, file=sys.stderr)
        return 2
    found, relative = compare(before, after)
    if not found:
        print("the files have no row in common", file=sys.stderr)
        return 2
    if not relative:
        print("no other engine in these files: times of two runs are compared, which differ with the load of the machine")
    slower = sorted((f for f in found if f[2] < 1 - options.by / 100), key=lambda f: f[2])
    faster = sorted((f for f in found if f[2] > 1 + options.by / 100), key=lambda f: -f[2])
    for title, some in (("slower", slower), ("faster", faster)):
        for name, column, change in some:
            print(f"{title}  {change:5.2f}  {name}" + (f"  [{column}]" if column != "ratio" else ""))
    for title, names in (("gone", set(before) - set(after)), ("new", set(after) - set(before))):
        for name in sorted(names):
            print(f"{title}           {name}")
    mean = math.exp(sum(math.log(f[2]) for f in found) / len(found))
    print(f"{len(found)} values: {len(slower)} slower, {len(faster)} faster by more than {options.by:g} %; "
          f"geometric mean {mean:.3f}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
