# SPDX-License-Identifier: Apache-2.0
"""The numbers of the published training graphs of the Checkmate and Moccasin papers.

They are not part of this repository: REMATCH_PUBLIC_DATA says where they are,
by default in shared/data beside it.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import INFEASIBLE, ROOT, answer, answer_json, run

FOLDER = Path(os.environ.get("REMATCH_PUBLIC_DATA", ROOT.parent / "shared/data"))


@dataclass(frozen=True)
class Known:
    ops: int
    edges: int
    floor_ratio: float
    peak: int | None = None
    cost: int | None = None


GRAPHS = {
    "vgg16_b256_train.json": Known(45, 87, 0.831),
    "fcn8_b32_train.json": Known(73, 149, 0.615, 13_484_795_520, 10_275_337_746_048),
    "mobilenet_b512_train.json": Known(185, 367, 0.191, 34_701_056_000, 162_080),
    "resnet50_b256_train.json": Known(353, 751, 0.097, 38_059_356_160, 405_670),
    "rl100.json": Known(100, 236, 0.432, 46_319, 47_769),
    "rl500.json": Known(500, 2461, 0.174, 284_439, 255_302),
}


def skip_if_absent(name):
    if not (FOLDER / name).is_file():
        pytest.skip(
            f"the public graph {name} is not in {FOLDER} "
            "(REMATCH_PUBLIC_DATA says where to look)"
        )


@pytest.fixture(params=GRAPHS)
def name(request):
    skip_if_absent(request.param)
    return request.param


@pytest.fixture(params=[name for name, known in GRAPHS.items() if known.peak])
def measured_name(request):
    """Of a graph whose peak and cost are known."""
    skip_if_absent(request.param)
    return request.param


def inspect(path):
    return answer_json("inspect", path)


def plan_below_the_floor(name, output):
    floor = inspect(FOLDER / name)["peak_floor_bytes"]
    command = ("plan", FOLDER / name, "--budget", floor - 1)
    return floor, run(*command, "-o", output, "--json")


def test_size_is_the_published_one(name):
    found = inspect(FOLDER / name)
    assert (found["ops"], found["edges"]) == (GRAPHS[name].ops, GRAPHS[name].edges)


def test_floor_is_the_known_share_of_the_keep_all_peak(name):
    assert round(inspect(FOLDER / name)["floor_ratio"], 3) == GRAPHS[name].floor_ratio


def test_keep_all_peak_is_the_known_one(measured_name):
    found = inspect(FOLDER / measured_name)["keep_all_peak_bytes"]
    assert found == GRAPHS[measured_name].peak


def test_total_cost_is_the_known_one(measured_name):
    found = inspect(FOLDER / measured_name)["base_cost"]
    assert found == GRAPHS[measured_name].cost


def test_import_changes_no_number(name, tmp_path):
    answer("import", FOLDER / name, "-o", tmp_path / name)
    assert inspect(tmp_path / name) == inspect(FOLDER / name)


def test_import_of_what_was_imported_changes_no_byte(name, tmp_path):
    once = answer("import", FOLDER / name)
    assert answer("import", "-", stdin=once) == once


def test_keep_all_is_optimal_at_its_own_peak(name):
    found = answer_json("plan", FOLDER / name, "--budget", "100%")
    assert (found["outcome"], found["overhead"]) == ("optimal", 0)


def test_one_byte_below_the_floor_is_infeasible(name, tmp_path):
    _, done = plan_below_the_floor(name, tmp_path / "plan.json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["outcome"]) == (INFEASIBLE, "infeasible")


def test_infeasible_answer_says_the_floor(name, tmp_path):
    floor, done = plan_below_the_floor(name, tmp_path / "plan.json")
    found = json.loads(done.stdout)
    assert found["peak_floor_bytes"] == floor
    assert str(floor) in found["message"].replace(",", "")


def test_infeasible_answer_writes_no_file(name, tmp_path):
    plan_below_the_floor(name, tmp_path / "plan.json")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(
    params=["mobilenet_b512_train.json", "resnet50_b256_train.json"], scope="module"
)
def curve(request):
    skip_if_absent(request.param)
    command = ("frontier", FOLDER / request.param, "--threads", 2, "--time-limit", 5)
    return answer_json(*command)


def test_curve_has_a_plan_at_every_budget(curve):
    points = curve["points"]
    assert len(points) == 20
    assert all(point["peak_bytes"] <= point["budget_bytes"] for point in points)


def test_curve_is_monotone(curve):
    for name in ("cost", "lower_bound"):
        values = [point[name] for point in curve["points"]]
        assert values == sorted(values, reverse=True)


def test_curve_is_proved_where_there_is_much_memory(curve):
    proved = [point["outcome"] == "optimal" for point in curve["points"]]
    assert sum(proved[10:]) >= 5 and sum(proved) == curve["proved"]
