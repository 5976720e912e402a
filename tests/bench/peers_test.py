# SPDX-License-Identifier: Apache-2.0
"""bench/peers: rows as a table and as a picture, and what is timed alone."""

import functools
import json
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

ROOT = Path(os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2]))
GIB = 2**30
ROWS = [
    {"model": "a<b", "way": "eager", "peak": 4 * GIB, "ms": 20.0},
    {"model": "a<b", "way": "compiled every block", "peak": 2 * GIB, "ms": 30.0},
    {"model": "a<b", "way": "compiled 1.0", "peak": 3 * GIB, "ms": 18.0},
    {"model": "a<b", "way": "compiled 0.5", "error": "no"},
    {"model": "a<b", "way": "ours at eager", "peak": 3 * GIB, "ms": 18.0,
     "predicted": 3 * GIB, "predicted_ms": 20.0, "gap": 0.01},
    {"model": "a<b", "way": "ours 50%", "peak": 2 * GIB, "ms": 24.0,
     "predicted": 2 * GIB - 1, "predicted_ms": 24.0, "gap": None},
    {"model": "a<b", "way": "ours at compiled 1.0", "peak": 2 * GIB, "ms": 18.0,
     "predicted": 2 * GIB, "predicted_ms": 18.0, "gap": 0.0, "as": "ours at eager"},
    {"model": "a<b", "way": "ours 1%", "error": "nothing fits", "least": GIB},
    {"model": "c", "way": "eager", "peak": GIB // 8, "ms": 0.5},
]


@pytest.fixture
def made_by(tmp_path):
    (tmp_path / "rows.json").write_text(json.dumps(ROWS), encoding="utf-8")

    def run(script, *options):
        return subprocess.run(
            [sys.executable, "-B", ROOT / "bench/peers" / script, *options,
             tmp_path / "rows.json"], capture_output=True, text=True, check=True).stdout

    return run


def test_the_table_has_every_row(made_by):
    lines = made_by("report.py").splitlines()[2:]
    assert len(lines) == len(ROWS)
    assert "| ours at eager | 3.000 | 18.0 | +0 B | -10.0% | 1.00% |" in lines[4]
    assert "| ours 50% | 2.000 | 24.0 | +1 B | +0.0% |  |" in lines[5]
    assert "| ours at compiled 1.0 | 2.000 | 18.0 | as ours at eager |  |  |" in lines[6]
    assert "least 1.000 GiB" in lines[7] and "failed" in lines[3]


def test_the_summary_has_a_line_for_each_model(made_by):
    assert made_by("report.py", "--summary").splitlines()[2:] == [
        "| a<b | 3.00, 18.0 | 2.00, 18.0 | 2.00, 30.0 |  |  |", "| c |  |  |  |  |  |"]


def test_claims_are_about_the_fastest_in_no_more_memory(made_by):
    lines = made_by("report.py", "--claims").splitlines()
    assert lines == [
        "- time against eager (mean -10.0%): a<b -10.0%, c needs more",
        "- time against compiled every block (mean -40.0%): a<b -40.0%",
        "- time against compiled 1.0 (mean +0.0%): a<b +0.0%",
        "- peak against predicted: 0.000% off at most, 0 of 2 above their budget",
        "- time against predicted: -10.0% to +0.0%",
        "- slower in more memory by at most: a<b 0.0%, c 0.0%"]


def test_each_of_the_others_stands_beside_the_fastest_of_ours(made_by):
    assert made_by("report.py", "--beside").splitlines()[2:] == [
        "| a<b | eager | 4.000 | 20.0 | 3.000 | 18.0 | -10.0% |",
        "|  | compiled every block | 2.000 | 30.0 | 2.000 | 18.0 | -40.0% |",
        "|  | compiled 1.0 | 3.000 | 18.0 | 3.000 | 18.0 | +0.0% |",
        "| c | eager | 0.125 | 0.5 |  |  |  |"]


def test_times_of_steps_that_were_waited_for_are_compared_with_such(tmp_path):
    rows = [{"model": "m", "way": "compiled 0.5", "peak": 2 * GIB, "waited_ms": 20.0},
            {"model": "m", "way": "ours 50%", "peak": GIB, "ms": 10.0, "waited_ms": 15.0},
            {"model": "m", "way": "ours 40%", "peak": GIB, "ms": 9.0}]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows), encoding="utf-8")

    def lines(script, *options):
        return subprocess.run([sys.executable, "-B", ROOT / "bench/peers" / script,
                               *options, path], capture_output=True, text=True,
                              check=True).stdout.splitlines()

    assert lines("report.py", "--beside", "--waited")[2:] == [
        "| m | compiled 0.5 | 2.000 | 20.0 | 1.000 | 15.0 | -25.0% |"]
    assert lines("report.py", "--beside")[2:] == []
    assert any("compiled 0.5: 2.000 GiB, 20.0 ms" in line
               for line in lines("picture.py"))


def test_more_memory_that_costs_time_is_said(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    from report import slower_with_more

    rows = [{"model": "m", "way": f"ours {peak}", "peak": peak, "ms": ms}
            for peak, ms in ((3, 12.0), (1, 20.0), (2, 10.0), (4, 11.0))]
    assert slower_with_more(rows) == {"m": pytest.approx(0.2)}


def test_ours_is_not_measured_where_less_memory_was_enough(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    from covered import no_worse

    before = [{"peak": 4, "ms": 10.0}, {"peak": 2, "ms": 12.0}]
    assert no_worse(before, {"peak": 3, "ms": 12.0}) == before[1]
    assert no_worse(before, {"peak": 5, "ms": 11.0}) == before[0]
    assert no_worse(before, {"peak": 3, "ms": 11.0}) is None


def rows_of_a_model(monkeypatch, measured=(), make=object):
    """What bench/peers writes, of one model, and what it measured for that."""
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    asked = []

    def run(way, case):
        asked.append(way)
        return dict(MEASURED[way])

    runs = {"clean": lambda: None,
            "ours": lambda case, budget, options, on_graph=None: run(budget, case),
            "compiled": lambda case, budget: run(f"compiled {budget}", case)}
    for way in ("eager", "every block", "compiled every block"):
        runs[way.replace(" ", "_")] = functools.partial(run, way)
    monkeypatch.setitem(sys.modules, "runs", SimpleNamespace(**runs))
    monkeypatch.setitem(sys.modules, "graphs", SimpleNamespace(graph_text=None))
    monkeypatch.setitem(sys.modules, "models", SimpleNamespace(MODELS={"m": make}))
    found = runpy.run_path(str(ROOT / "bench/peers/__main__.py"), run_name="peers")
    options = SimpleNamespace(
        compile=[1.0, 0.5, 0.0], peers=["compiled every block", "eager"], row_limit=0,
        budgets=["least", "60%"], graphs=None)
    return list(found["rows_of"]("m", options, measured)), asked


MEASURED = {
    "compiled 1.0": {"peak": 9, "ms": 10.0}, 9: {"peak": 9, "ms": 9.9},
    "compiled every block": {"peak": 5, "ms": 14.0}, 5: {"peak": 5, "ms": 13.0},
    "eager": {"peak": 7, "ms": 12.5}, 7: {"peak": 7, "ms": 12.6},
    1: {"error": "nothing fits", "least": 3}, 3: {"peak": 3, "ms": 20.0},
    "60%": {"peak": 6, "ms": 12.0},
    "compiled 0.5": {"error": "no"}, "compiled 0.0": {"peak": 6, "ms": 12.0}}


def test_ours_stands_beside_each_of_the_others(monkeypatch):
    rows, asked = rows_of_a_model(monkeypatch)
    assert asked == list(MEASURED)
    assert [(row["way"], row.get("as", "")) for row in rows] == [
        ("compiled 1.0", ""), ("ours at compiled 1.0", ""),
        ("compiled every block", ""), ("ours at compiled every block", ""),
        ("eager", ""), ("ours at eager", ""), ("ours least", ""), ("ours 60%", ""),
        ("compiled 0.5", ""), ("compiled 0.0", ""), ("ours at compiled 0.0", "ours 60%")]


def test_what_is_there_already_is_not_measured_again(monkeypatch):
    rows, _ = rows_of_a_model(monkeypatch)
    for count in range(len(rows) + 1):
        again, asked = rows_of_a_model(monkeypatch, rows[:count])
        assert again == rows
        assert asked == list(MEASURED)[len(MEASURED) - len(asked):]

    def fail():
        raise AssertionError("there is nothing to measure")

    assert rows_of_a_model(monkeypatch, rows, make=fail) == (rows, [])


def test_rows_of_several_runs_are_one_file(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    import kept

    def row(model, way, ms):
        return {"model": model, "way": way, "ms": ms}

    path = tmp_path / "rows.json"
    assert kept.read(path) == kept.read(None) == []
    before = [row("a", "eager", 1), row("b", "eager", 2)]
    kept.write(path, before)
    kept.write(path, kept.merged(kept.read(path), [row("b", "ours", 3), row("a", "ours", 4),
                                                   row("a", "eager", 1)]))
    assert kept.read(path) == [row("a", "eager", 1), row("a", "ours", 4),
                               row("b", "eager", 2), row("b", "ours", 3)]
    assert [item.name for item in tmp_path.iterdir()] == ["rows.json"]


def test_the_picture_has_a_point_for_every_row_that_ran(made_by):
    tree = ElementTree.fromstring(made_by("picture.py"))
    titles = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}title")]
    for row in ROWS:
        there = [title for title in titles if title.startswith(f"{row['way']}: ")]
        assert len(there) == sum(other["way"] == row["way"] and "peak" in other
                                 and "as" not in other for other in ROWS)
    places = [float(node.get(key)) for node in tree.iter() for key in ("cx", "cy", "x", "y")
              if node.get(key)]
    assert min(places) >= 0
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}polyline"))) == 1


COUNTING = """
import itertools, pathlib, sys
for number in itertools.count(1):
    pathlib.Path(sys.argv[1], "count").write_text(str(number).zfill(20))
"""
TIMING = """
import pathlib, sys, time
sys.path.insert(0, sys.argv[2])
from alone import Gate
count = pathlib.Path(sys.argv[1], "count")
gate = Gate.of_environment()
def changes(until):
    first, end = count.read_bytes(), time.monotonic() + until
    while time.monotonic() < end:
        if count.read_bytes() != first:
            return True
    return False
found = [changes(60)]
with gate.held(), gate.held():
    found.append(changes(0.3))
found.append(changes(60))
try:
    with gate.held(quiet=False):
        found.append(changes(60))
        with gate.held():
            found.append(changes(0.3))
            raise KeyError
except KeyError:
    found.append(changes(60))
print(found)
"""


def test_all_others_stand_still_while_one_is_timed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    from alone import Gate, family_of, tell

    gate = Gate(tmp_path / "gate", os.getpid())
    # One that was started by another of them.
    shell = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
    other = subprocess.Popen([*shell, sys.executable, "-c", COUNTING, tmp_path])
    try:
        while not (tmp_path / "count").exists():
            assert other.poll() is None
        found = subprocess.run(
            [sys.executable, "-B", "-c", TIMING, tmp_path, ROOT / "bench/peers"],
            env={**os.environ, **gate.environment()}, capture_output=True, text=True,
            check=True).stdout
    finally:
        tell(family_of(other.pid), signal.SIGKILL)
        other.wait()
    assert json.loads(found.lower()) == [True, False, True, True, False, True]


def test_models_at_once_share_the_processors(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    import together

    started = []

    def start(command, env):
        started.append((command[3], command[command.index("--threads") + 1],
                        env["TORCHINDUCTOR_COMPILE_THREADS"]))
        path = Path(command[-1])
        rows = json.loads(path.read_text()) + [{"model": command[3], "way": "new"}]
        path.write_text(json.dumps(rows))
        return SimpleNamespace(poll=lambda: int(command[3] == "b"),
                               returncode=int(command[3] == "b"))

    monkeypatch.setattr(together.subprocess, "Popen", start)
    monkeypatch.setattr(together.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(together.os, "sched_getaffinity", lambda pid: range(16))
    written = []
    there = [{"model": "c", "way": "old"}]
    assert together.run(["a", "b", "c"], 2, ["--x", "y"], there, written.append) == 1
    assert started == [("a", "8", "8"), ("b", "8", "8"), ("c", "8", "8")]
    assert [(row["model"], row["way"]) for row in written[-1]] == [
        ("a", "new"), ("b", "new"), ("c", "old"), ("c", "new")]


def test_without_a_gate_nobody_waits(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    from alone import VARIABLE, Gate

    monkeypatch.delenv(VARIABLE, raising=False)
    assert Gate.of_environment().around(lambda value: value + 1)(1) == 2


def test_what_takes_too_long_ends(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench/peers")
    from limit import TooLong, limited

    with pytest.raises(TooLong), limited(0.05):
        while True:
            pass
    with limited(0):
        pass
