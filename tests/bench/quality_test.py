# SPDX-License-Identifier: Apache-2.0
"""bench/quality: rows are kept, compared and reported."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("REMATCH_PROGRAM", str(ROOT / "build" / "rematch"))


def quality(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "bench/quality", *arguments],
                          capture_output=True, text=True, check=False)


def row(budget, ratio, outcome="feasible", bound=1.0, **more):
    return {"suite": "anneal", "graph": "rl100", "budget": budget,
            "strategy": "anneal", "limit": 1.0, "threads": 1, "order": "fixed",
            "seed": 1, "outcome": outcome, "ratio": ratio, "bound": bound,
            "gap": None, "seconds": 1.0, "most_memory_bytes": 1, **more}


BEFORE = [row("90%", 1.1), row("80%", 1.2), row("70%", None, "unknown"),
          row("60%", 1.4)]


def compared(tmp_path, before, after):
    for name, rows in (("before.json", before), ("after.json", after)):
        (tmp_path / name).write_text(json.dumps({"rows": rows}))
    return quality("compare", tmp_path / "before.json", tmp_path / "after.json")


def changed(index, **fields):
    rows = copy.deepcopy(BEFORE)
    rows[index].update(fields)
    return rows


def test_nothing_changed(tmp_path):
    done = compared(tmp_path, BEFORE, BEFORE)
    assert done.returncode == 0
    assert "0 better, 0 worse, 4 same" in done.stdout


def test_what_became_better_or_worse_is_said(tmp_path):
    cases = [(changed(0, ratio=1.05), "better", 0), (changed(0, ratio=1.15), "worse", 1),
             (changed(1, outcome="optimal"), "better", 0),
             (changed(2, ratio=1.3, outcome="feasible"), "better", 0),
             (changed(3, ratio=None, outcome="unknown"), "worse", 1)]
    for after, word, code in cases:
        done = compared(tmp_path, BEFORE, after)
        assert done.returncode == code
        assert f"1 {word}" in done.stdout
        assert done.stdout.startswith(word)


def test_a_proof_that_is_lost_is_worse(tmp_path):
    proved = changed(1, outcome="optimal")
    done = compared(tmp_path, proved, BEFORE)
    assert done.returncode == 1
    assert "0 better, 1 worse, 3 same" in done.stdout


def test_what_differs_by_less_than_the_tolerance_is_the_same(tmp_path):
    after = changed(0, ratio=1.1 + 1e-4)
    assert "1 worse" in compared(tmp_path, BEFORE, after).stdout
    done = quality("compare", "--tolerance", "1e-3", tmp_path / "before.json",
                   tmp_path / "after.json")
    assert done.returncode == 0
    assert "0 better, 0 worse, 4 same" in done.stdout


def test_both_rows_of_a_change_are_shown(tmp_path):
    lines = compared(tmp_path, BEFORE, changed(0, ratio=1.05)).stdout.splitlines()
    assert "rl100" in lines[0] and "90%" in lines[0] and "1.100000" in lines[0]
    assert "rl100" in lines[1] and "90%" in lines[1] and "1.050000" in lines[1]


def test_the_mean_is_that_of_rows_with_a_plan_in_both(tmp_path):
    before = [row("90%", 1.21), row("80%", 1.0), row("70%", None, "unknown")]
    after = [row("90%", 1.44), row("80%", 1.0), row("70%", 9.0)]
    done = compared(tmp_path, before, after)
    assert "10.0000% before, 20.0000% after" in done.stdout


def test_files_without_a_row_in_common_can_be_compared(tmp_path):
    done = compared(tmp_path, BEFORE[:1], BEFORE[1:])
    assert done.returncode == 0
    assert "0 better, 0 worse, 0 same" in done.stdout


def test_rows_of_one_file_only_are_counted(tmp_path):
    done = compared(tmp_path, BEFORE[:3], BEFORE[1:])
    assert "1 rows only in" in done.stdout
    assert "0 better, 0 worse, 2 same" in done.stdout


def test_other_files_are_refused(tmp_path):
    (tmp_path / "list.json").write_text("[]")
    done = quality("compare", tmp_path / "list.json", tmp_path / "list.json")
    assert done.returncode == 1
    assert "has no rows" in done.stderr


def test_a_row_without_a_field_is_refused_and_named(tmp_path):
    rows = changed(1)
    del rows[1]["seed"]
    done = compared(tmp_path, BEFORE, rows)
    assert done.returncode == 1
    assert "after.json: row 1 has no 'seed'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there_is_named(tmp_path):
    done = quality("compare", tmp_path / "none.json", tmp_path / "none.json")
    assert done.returncode == 1
    assert "none.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_report_has_the_numbers_of_the_file(tmp_path):
    data = {"rows": [row("80%", 1.02345, "optimal")], "machine": {"cores": 2}}
    (tmp_path / "rows.json").write_text(json.dumps(data))
    done = quality("report", tmp_path / "rows.json", "-o", tmp_path / "results.md")
    assert done.returncode == 0, done.stderr
    assert "1.02345" in (tmp_path / "results.md").read_text()


def test_a_graph_that_is_missing_is_named_and_rows_are_kept(tmp_path):
    output = tmp_path / "rows.json"
    done = quality("run", "anneal", "-o", output, "--graphs", tmp_path,
                   "--program", PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "rl100" in done.stdout + done.stderr
    assert not output.exists() or json.loads(output.read_text())["rows"] == []
