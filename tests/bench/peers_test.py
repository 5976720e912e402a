# SPDX-License-Identifier: Apache-2.0
"""bench/peers: rows as a table and as a picture."""

import json
import os
import subprocess
import sys
from pathlib import Path
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
    {"model": "a<b", "way": "ours 1%", "error": "nothing fits", "least": GIB},
    {"model": "c", "way": "eager", "peak": GIB // 8, "ms": 0.5},
]


@pytest.fixture
def made_by(tmp_path):
    (tmp_path / "rows.json").write_text(json.dumps(ROWS), encoding="utf-8")

    def run(script):
        return subprocess.run(
            [sys.executable, "-B", ROOT / "bench/peers" / script,
             tmp_path / "rows.json"], capture_output=True, text=True, check=True).stdout

    return run


def test_the_table_has_every_row(made_by):
    lines = made_by("report.py").splitlines()[2:]
    assert len(lines) == len(ROWS)
    assert "| ours at eager | 3.000 | 18.0 | +0 B | -10.0% | 1.00% |" in lines[4]
    assert "| ours 50% | 2.000 | 24.0 | +1 B | +0.0% |  |" in lines[5]
    assert "least 1.000 GiB" in lines[6] and "failed" in lines[3]


def test_the_picture_has_a_point_for_every_row_that_ran(made_by):
    tree = ElementTree.fromstring(made_by("picture.py"))
    titles = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}title")]
    for row in ROWS:
        there = [title for title in titles if title.startswith(f"{row['way']}: ")]
        assert len(there) == sum(other["way"] == row["way"] and "peak" in other
                                 for other in ROWS)
    places = [float(node.get(key)) for node in tree.iter() for key in ("cx", "cy", "x", "y")
              if node.get(key)]
    assert min(places) >= 0
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}polyline"))) == 1
