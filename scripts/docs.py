#!/usr/bin/env python3
"""Makes the documentation site.

Pages in docs/ show files, commands and what the commands made:

- A fenced block right below a line that begins with a file name in backquotes and ends with a colon is that file.
- Lines that begin with "$ sinew" in a block marked `console` are run, page by page, in a folder that holds the page's
  files; "$ ./name" runs the program given as --program name=PATH. A comment at the end of a line is a caption.
- Below such a block the site shows the pictures (--out F.png, .gif) and replays (--html F.html) that it wrote.

So every picture and replay of the site is produced by this script; a command that fails ends it. With --no-html it stops
there: that is what the tests do, page by page, and they need neither Sphinx nor Doxygen. With --test-site only the site is
built, without pictures; exit status 77 says that Sphinx or Doxygen is missing.
"""

import argparse
import concurrent.futures
import html
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PYTHON = "/usr/bin/python3"  # Debian's, which its packages belong to
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.M | re.S)
FILE_LINE = re.compile(r"^`([\w./-]+)`[^\n]*:$")


class Problem(Exception):
    """What is wrong with a page, for its author."""


class Page:
    """A page of docs/: its text, the files it shows and the commands it runs."""

    def __init__(self, path):
        self.path = path
        self.name = path.relative_to(DOCS).with_suffix("").as_posix()
        self.text = path.read_text(encoding="utf-8")
        self.files = {}
        self.commands = []  # (end of the block, arguments, caption, line)
        for block in FENCE.finditer(self.text):
            language, body = block.group(1), block.group(2)
            above = self.text[: block.start()].rstrip("\n").rsplit("\n", 1)[-1]
            title = FILE_LINE.match(above)
            if title and language != "console":
                self.files[title.group(1)] = body
            if language == "console":
                line = self.text.count("\n", 0, block.start()) + 1
                for offset, row in enumerate(body.split("\n"), 1):
                    if row.startswith(("$ sinew ", "$ ./")):
                        command, _, caption = row[2:].partition("  # ")
                        self.commands.append((block.end(), shlex.split(command), caption.strip(), line + offset))

    @property
    def borrowed(self):
        """Files of examples/ that its commands name and the page does not show."""
        words = {w for _, arguments, _, _ in self.commands for w in arguments if w.endswith((".xml", ".csv"))}
        return sorted(w for w in words - set(self.files) if example(w))

    @property
    def folder(self):
        """Below the site's root: where its files, pictures and replays are."""
        return "made/" + self.name.replace("/", "_")


def example(name):
    """The file of this name in examples/, if there is one."""
    return next((f for f in (ROOT / "examples" / d / name for d in ("models", "controls")) if f.is_file()), None)


def pages():
    return [Page(p) for p in sorted(DOCS.rglob("*.md")) if "site" not in p.relative_to(DOCS).parts]


def made_by(arguments):
    """Pictures and replays that a command is asked for."""
    if arguments[1:2] == ["demo"]:
        return ["demo.png", "demo.html"]
    result = []
    for option, value in zip(arguments, arguments[1:]):
        if option in ("--out", "--html") and value.endswith((".png", ".gif", ".html")):
            result.append(value)
    return result


def run_page(page, sinew, programs, folder):
    """Runs the commands of a page in `folder`; returns what they printed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in page.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in page.borrowed:
        shutil.copy(example(name), folder / name)
    for _, arguments, _, line in page.commands:
        where = f"{page.path.relative_to(ROOT)}:{line}: {' '.join(arguments)}"
        if arguments[0] == "sinew":
            program = sinew
        else:
            program = programs.get(arguments[0][2:])
            if program is None:
                raise Problem(f"{where}: which program that is was not said (--program {arguments[0][2:]}=PATH)")
        if arguments[1:2] != ["view"]:
            done = subprocess.run([program, *arguments[1:]], cwd=folder, capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                raise Problem(f"{where}: exit status {done.returncode}\n{done.stderr}{done.stdout}")
        for name in made_by(arguments):
            if not (folder / name).is_file():
                raise Problem(f"{where}: it wrote no {name}")


def figures(page, commands):
    """What the commands of a block made: pictures, which lead to the replay of the same name; replays without one."""
    up = "../" * page.name.count("/")
    made = {}  # by stem: endings and captions
    for _, arguments, caption, _ in commands:
        for name in made_by(arguments):
            made.setdefault(name.rsplit(".", 1)[0], []).append((name, html.escape(caption)))
    out = []
    for stem, items in made.items():
        pictures = [item for item in items if not item[0].endswith(".html")]
        replays = [item for item in items if item[0].endswith(".html")]
        caption = next((c for _, c in pictures + replays if c), stem)
        at = f"{up}{page.folder}/"
        play = f'<a href="{at}{replays[0][0]}">' if replays else ""
        if pictures:
            image = f'<img src="{at}{pictures[0][0]}" alt="{caption}" loading="lazy">'
            words = f" {play}Play</a>" if replays else ""
            out.append(f'<figure>{play}{image}{"</a>" if replays else ""}<figcaption>{caption}{words}</figcaption></figure>')
        else:
            out.append(f'<figure><iframe src="{at}{replays[0][0]}" title="{caption}" loading="lazy"></iframe>'
                       f"<figcaption>{caption} {play}Open it alone</a></figcaption></figure>")
    if not out:
        return ""
    return f'<div class="{"figures" if len(out) > 1 else "figure"}">\n' + "\n".join(out) + "\n</div>\n\n"


def with_figures(page):
    """The page's text, with what its commands made below them."""
    text, done = "", 0
    for end in sorted({command[0] for command in page.commands}):
        text += page.text[done:end] + "\n\n" + figures(page, [c for c in page.commands if c[0] == end])
        done = end
    # captions stand below the pictures
    return re.sub(r"^(\$ (?:sinew|\./).*?)  # .*$", r"\1", text + page.text[done:], flags=re.M)


def with_links(page_path, text):
    """Links to files that are not part of the site become plain text; results of benchmarks are part of it."""

    def replace(match):
        label, target = match.group(1), match.group(2)
        if re.match(r"[a-z]+:|#|/", target):
            return match.group(0)
        file = (page_path.parent / target.split("#")[0]).resolve()
        if not file.exists():
            raise Problem(f"{page_path.relative_to(ROOT)}: the link to {target} leads nowhere")
        if file.is_relative_to(DOCS):
            return match.group(0)
        inside = ROOT / "bench" / "results"
        if file.is_relative_to(inside) and file.suffix == ".md":
            depth = len(page_path.relative_to(DOCS).parts) - 1
            return f"[{label}]({'../' * depth}results/{file.name})"
        return f"{label} (`{file.relative_to(ROOT)}`)" if "`" not in label and "/" not in label else f"`{label.strip('`')}`"

    parts = re.split(r"(^```.*?^```[ \t]*$)", text, flags=re.M | re.S)
    return "".join(p if p.startswith("```") else re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", replace, p) for p in parts)


def check(all_pages):
    """What can be said about pages without building them."""
    listed = set()
    for page in all_pages:
        for tree in re.finditer(r"^```\{toctree\}\n(.*?)^```", page.text, re.M | re.S):
            for row in tree.group(1).split("\n"):
                target = re.sub(r".*<(.*)>", r"\1", row).strip()
                if target and not target.startswith(":"):
                    listed.add(os.path.normpath(os.path.join(os.path.dirname(page.name), target)))
    missing = [p.name for p in all_pages if p.name != "index" and p.name not in listed]
    if missing:
        raise Problem(f"pages that no table of contents names: {', '.join(missing)}")
    for page in all_pages:
        with_links(page.path, page.text)
        for _, arguments, _, line in page.commands:
            for word in arguments:
                if word.endswith(".xml") and word not in page.files and not example(word):
                    if not any(c[1][0].startswith("./") for c in page.commands):  # a program may write it
                        raise Problem(f"{page.path.relative_to(ROOT)}:{line}: the page shows no file {word}")


def title_of(header):
    """The header's own first sentence about itself, if it has one before its namespace."""
    text = header.read_text(encoding="utf-8")
    before = text.split("namespace sinew", 1)[0]
    comment = " ".join(re.findall(r"^/// ?(.*)$", before, re.M))
    return comment.strip()


def field_tables(header):
    """The X-macro tables of arrays, which Doxygen cannot read, as tables."""
    text = header.read_text(encoding="utf-8").replace("\\\n", "\n")
    out = ""
    for macro in re.finditer(r"^#define (SINEW_\w+)\(X\)(.*?)(?=^\s*$|\Z)", text, re.M | re.S):
        rows = re.findall(r'X\(\s*([\w:]+),\s*(\w+),\s*([^,]+),\s*([^,]+?),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', macro.group(2))
        if not rows:
            continue
        out += f"\n## {macro.group(1)}\n\n| array | type | shape | what it is |\n|---|---|---|---|\n"
        for kind, name, count, columns, words in rows:
            what = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words)).replace("|", "\\|")
            shape = count.strip() if columns.strip() == "1" else f"{count.strip()} x {columns.strip()}"
            out += f"| `{name}` | `{kind}` | {shape.replace('m.', '')} | {what} |\n"
    return out


def write_reference(source):
    """One page per public header, made by Breathe from what Doxygen read."""
    folder = source / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    headers = sorted((ROOT / "include" / "sinew").glob("*.h"))
    own = {p.name for p in (ROOT / "include" / "sinew" / "constraints").glob("*.h")}
    headers = [h for h in headers if h.name not in own] + sorted((ROOT / "include" / "sinew" / "constraints").glob("*.h"))
    rows = []
    for header in headers:
        name = header.relative_to(ROOT / "include").as_posix()
        page = name.removeprefix("sinew/").removesuffix(".h").replace("/", "_")
        words = title_of(header)
        text = f"# {name}\n\n{words}\n{field_tables(header)}\n\n## Declarations\n\n"
        text += f"```{{eval-rst}}\n.. doxygenfile:: {name}\n   :project: sinew\n```\n"
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
        rows.append((page, name, words.split(". ")[0].rstrip(".")))
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    listing = "\n| header | what it is for |\n|---|---|\n" + "".join(f"| [{n}](reference/{p}.md) | {w} |\n" for p, n, w in rows)
    tree = "\n```{toctree}\n:hidden:\n\n" + "".join(f"reference/{p}\n" for p, _, _ in rows) + "```\n"
    (source / "reference.md").write_text(text + listing + tree, encoding="utf-8")


def has_sphinx():
    names = "sphinx, furo, myst_parser, breathe"
    found = pathlib.Path(PYTHON).exists() and subprocess.run([PYTHON, "-c", f"import {names}"], capture_output=True).returncode == 0
    return found and shutil.which("doxygen") is not None


def build(arguments):
    if not arguments.no_html and not has_sphinx():
        print("docs: Sphinx, furo, MyST, Breathe or Doxygen is missing (`make docs` installs them): not built", file=sys.stderr)
        sys.exit(77 if arguments.test_site else 1)
    programs = {name: str(pathlib.Path(path).resolve()) for name, path in (p.split("=", 1) for p in arguments.program)}
    out = arguments.out.resolve()
    source = out / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    extra = source / "extra"
    extra.mkdir()
    all_pages = pages()
    check(all_pages)
    chosen = [p for p in all_pages if not arguments.page or p.name in arguments.page]
    unknown = set(arguments.page) - {p.name for p in all_pages}
    if unknown:
        raise Problem(f"there is no page {', '.join(sorted(unknown))}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = [] if arguments.test_site else [pool.submit(run_page, p, arguments.sinew.resolve(), programs, extra / p.folder) for p in chosen if p.commands]
        for job in jobs:
            job.result()
    if arguments.no_html:
        print(f"docs: {sum(len(p.commands) for p in chosen)} commands of {len(chosen)} pages ran")
        return
    for page in all_pages:
        target = source / page.path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(with_links(page.path, with_figures(page)).replace("```mermaid", "```text"), encoding="utf-8")
    (source / "results").mkdir()
    for file in sorted((ROOT / "bench" / "results").glob("*.md")):
        shutil.copy(file, source / "results" / file.name)
    shutil.copytree(DOCS / "images", source / "images")
    for file in DOCS.glob("*.svg"):
        shutil.copy(file, source)
    (source / "static").mkdir()
    for file in sorted((DOCS / "site").glob("*.[cp]*")):
        shutil.copy(file, source / "static" if file.suffix == ".css" else source)
    shutil.copy(DOCS / "site" / "Doxyfile", source)
    write_reference(source)
    environment = {**os.environ, "SINEW_ROOT": str(ROOT), "SINEW_DOXYGEN_OUT": str(out / "doxygen")}
    (out / "doxygen").mkdir(exist_ok=True)
    subprocess.run(["doxygen", str(source / "Doxyfile")], check=True, cwd=ROOT, env=environment)
    warnings = out / "warnings.txt"
    subprocess.run([PYTHON, "-m", "sphinx", "-b", "html", "-q", "-w", str(warnings), "-j", str(arguments.jobs), str(source),
                    str(out / "html")], check=True, env=environment, stderr=subprocess.DEVNULL)
    # namespaces, and macros of the tables, are declared in several headers, which Sphinx calls duplicates
    left = [w for w in warnings.read_text().split("\n") if re.search("WARNING|ERROR|CRITICAL", w) and "Duplicate" not in w]
    if left:
        raise Problem("\n".join(left))
    empty = [p.stem for p in sorted((out / "html" / "reference").glob("*.html")) if "sig-name" not in p.read_text()]
    if empty:
        raise Problem(f"the reference has nothing to say about {', '.join(empty)}")
    print(f"docs: open {out / 'html' / 'index.html'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew", type=pathlib.Path, help="the command")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "docs")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--page", action="append", default=[], help="run the commands of this page only; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-html", action="store_true", help="run the commands, build no site")
    parser.add_argument("--test-site", action="store_true", help="build the site without running commands, if Sphinx is there")
    try:
        build(parser.parse_args())
    except (Problem, subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
        print(f"docs: {problem}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
