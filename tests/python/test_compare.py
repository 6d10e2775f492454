"""bench/compare.py: what became slower between two result files."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = "# Engines\n\n| model | dofs | Sinew us/step | ratio to MuJoCo | MuJoCo's fastest solver |\n|---|---|---|---|---|\n"


def run(tmp_path, before, after, *more, suffix="md"):
    files = []
    for name, text in (("before", before), ("after", after)):
        file = tmp_path / f"{name}.{suffix}"
        file.write_text(text)
        files.append(str(file))
    result = subprocess.run([sys.executable, str(ROOT / "bench/compare.py"), *files, *more], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def test_ratios_count_and_times_do_not(tmp_path):
    before = HEAD + "| arm | 7 | 10.0 | 2.00 | CG 20.0 |\n| leg | 3 | 5.0 | 1.50 | CG 7.5 |\n"
    # twice the time on a slow day; the leg is slower against MuJoCo; other order, other solver
    after = HEAD + "| leg | 3 | 11.0 | 1.20 | Newton 13.2 |\n| arm | 7 | 20.0 | 2.00 | CG 40.0 |\n"
    code, text = run(tmp_path, before, after)
    assert code == 1
    assert "slower   0.80  Engines: leg" in text and "2 values: 1 slower, 0 faster" in text, text
    assert run(tmp_path, before, after, "--by", "25")[0] == 0
    code, text = run(tmp_path, after, before)
    assert code == 0 and "faster   1.25  Engines: leg" in text, text


def test_json_of_the_bench(tmp_path):
    def results(ratio):
        return json.dumps({"scenes": [{"name": "cloth", "us_per_step": 3.0, "ratio": ratio}, {"name": "new" if ratio < 2 else "old", "us_per_step": 1.0, "ratio": 1.0}]})
    code, text = run(tmp_path, results(2.0), results(1.0), suffix="json")
    assert code == 1 and "slower   0.50  cloth" in text and "gone           old" in text and "new           new" in text, text


def test_without_another_engine_times_are_compared_and_it_says_so(tmp_path):
    head = "| scene | steps/s |\n|---|---|\n"
    code, text = run(tmp_path, head + "| pile | 100 |\n", head + "| pile | 90 |\n")
    assert code == 1 and "which differ with the load" in text and "0.90" in text, text


def test_files_that_are_none(tmp_path):
    code, text = run(tmp_path, "nothing", HEAD + "| arm | 7 | 10.0 | 2.00 | CG 20.0 |\n")
    assert code == 2 and "no row with a speed in it" in text
    code, text = run(tmp_path, "{", "{", suffix="json")
    assert code == 2 and "not a result file" in text
    code, text = run(tmp_path, HEAD + "| a | 1 | 1 | 1 | - |\n", HEAD + "| b | 1 | 1 | 1 | - |\n")
    assert code == 2 and "no row in common" in text


def test_the_stored_results_can_be_read():
    for file in (ROOT / "bench/results").glob("*"):
        if file.name in ("native.md", "amd-epyc-hard.md", "amd-epyc.json"):
            result = subprocess.run([sys.executable, str(ROOT / "bench/compare.py"), str(file), str(file)], capture_output=True, text=True)
            assert result.returncode == 0 and "geometric mean 1.000" in result.stdout, file
