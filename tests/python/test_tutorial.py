"""The Python tutorial is run as it stands, and its pictures are what it makes."""

import re

import numpy as np
import pytest

import sinew
from conftest import ROOT

PAGE = ROOT / "docs" / "tutorial-python.md"


@pytest.mark.skipif(not sinew._core.has_renderer, reason="this build has no renderer: Embree 3 is absent")
def test_the_tutorial_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    text = PAGE.read_text()
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(compile(block, PAGE.name, "exec"), names)
    told = capsys.readouterr().out
    assert "the ball is at" in told and "the best place is" in told
    pictures = re.findall(r"!\[[^]]+\]\(images/([^)]+)\)", text)
    assert len(pictures) == 4
    for name in pictures:
        kept, made = (np.asarray(image.open(f / name).convert("RGB"), float) for f in (ROOT / "docs" / "images", tmp_path))
        assert kept.shape == made.shape and (ROOT / "docs" / "images" / name).stat().st_size < 60_000, name
        if "heights" not in name:  # fonts differ from machine to machine
            assert np.abs(kept - made).mean() < 6, name
