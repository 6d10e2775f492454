"""FIRST_3: what the README shows works as it stands."""

import re
import runpy

from conftest import ROOT


def test_FIRST_3_the_readme_moves_a_cloth(tmp_path, monkeypatch, capsys):
    text = (ROOT / "README.md").read_text()
    assert (ROOT / re.search(r"!\[[^]]+\]\(([^)]+\.png)\)", text)[1]).is_file()
    for language, name in (("xml", "cloth.xml"), ("python", "readme.py")):
        (tmp_path / name).write_text(re.search(rf"```{language}\n(.*?)```", text, re.S)[1])
    monkeypatch.chdir(tmp_path)
    runpy.run_path("readme.py")
    height = float(capsys.readouterr().out.split()[0])
    # a second of falling from 0.6 m: the corners hang beside the ball, no deeper than the floor
    assert 0 < height < 0.3
