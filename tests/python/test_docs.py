"""FIRST_4: the Python of the tutorials runs as it stands, in a folder with the files that the page shows."""

import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import docs  # noqa: E402

PAGES = [p for p in docs.pages() if p.name.startswith("tutorials/") and "```python" in p.text]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_FIRST_4_tutorial(page, tmp_path, monkeypatch):
    for name, text in page.files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(body for language, body in docs.FENCE.findall(page.text) if language == "python")
    exec(compile(code, str(page.path), "exec"), {"__name__": "tutorial"})


def test_FIRST_4_there_are_tutorials_in_python():
    assert len(PAGES) >= 2
