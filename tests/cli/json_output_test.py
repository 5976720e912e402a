# SPDX-License-Identifier: Apache-2.0
"""What --json prints: one object on one line, with the documented fields."""

import csv
import json
from pathlib import Path

import pytest
from program import answer, answer_json, run, strategy_names

DATA = Path(__file__).parent / "data"
PLAN_FIELDS = [
    "outcome",
    "strategy",
    "budget_bytes",
    "peak_bytes",
    "fixed_bytes",
    "cost",
    "base_cost",
    "overhead",
    "lower_bound",
    "gap",
    "seconds",
    "stop_reason",
    "order",
    "seed",
    "peak_floor_bytes",
]
NULL_WITHOUT_PLAN = ["peak_bytes", "cost", "overhead", "gap"]
INSPECT_FIELDS = [
    "name",
    "ops",
    "edges",
    "base_cost",
    "fixed_bytes",
    "keep_all_peak_bytes",
    "peak_floor_bytes",
    "floor_ratio",
    "live_at_peak",
]
MAX_BATCH_FIELDS = [
    "outcome",
    "strategy",
    "batch",
    "batch_bound",
    "keep_all_batch",
    "graph_batch",
    "memory_bytes",
    "fixed_bytes",
    "activation_bytes",
    "peak_bytes",
    "cost",
    "base_cost",
    "overhead",
    "cost_cap",
    "seconds",
    "stop_reason",
    "order",
    "seed",
]
FRONTIER_FIELDS = [
    "graph",
    "strategy",
    "outcome",
    "base_cost",
    "fixed_bytes",
    "keep_all_peak_bytes",
    "peak_floor_bytes",
    "least_peak_bytes",
    "proved",
    "seconds",
    "stop_reason",
    "order",
    "seed",
    "points",
]
POINT_FIELDS = [
    "budget_bytes",
    "peak_bytes",
    "cost",
    "overhead",
    "lower_bound",
    "gap",
    "strategy",
    "outcome",
]
BOUND_FIELDS = [
    "outcome",
    "formulation",
    "budget_bytes",
    "base_cost",
    "lower_bound",
    "stop_reason",
    "order",
    "plans",
    "peak_floor_bytes",
]
REPLAY_FIELDS = ["valid", "peak_bytes", "cost", "order", "steps", "footprint_bytes"]


@pytest.fixture
def solution(chain, tmp_path):
    answer("plan", chain, "--budget", 5, "-o", tmp_path / "plan.json")
    return tmp_path / "plan.json"


def commands(chain, solution):
    return {
        "plan": ["plan", chain, "--budget", 5],
        "plan with a file": ["plan", chain, "--budget", 5, "-o", solution],
        "infeasible": ["plan", chain, "--budget", 2],
        "unknown": ["plan", chain, "--budget", 5, "--strategy", "keep_all"],
        "compare": ["compare", chain],
        "frontier": ["frontier", chain],
        "max-batch": ["max-batch", chain, "--memory", 100, "--overhead", "forward"],
        "no batch": ["max-batch", chain, "--memory", 2, "--overhead", "forward"],
        "bound": ["bound", chain, "--budget", 5],
        "no bound": ["bound", chain, "--budget", 2],
        "inspect": ["inspect", chain],
        "replay": ["replay", chain, solution],
        "strategies": ["strategies"],
    }


@pytest.mark.parametrize("name", commands(None, None))
def test_json_is_one_object_on_one_line_and_nothing_else(name, chain, solution):
    done = run(*commands(chain, solution)[name], "--json")
    assert done.stdout.endswith("}\n") and done.stdout.count("\n") == 1
    assert isinstance(json.loads(done.stdout), dict)
    assert done.stderr == ""


@pytest.mark.parametrize("budget", [5, 2], ids=["with_plan", "without_plan"])
def test_plan_prints_its_fields_in_order(budget, chain):
    found = json.loads(run("plan", chain, "--budget", budget, "--json").stdout)
    assert [name for name in found if name != "message"] == PLAN_FIELDS


def test_plan_without_a_plan_has_no_measures(chain):
    found = json.loads(run("plan", chain, "--budget", 2, "--json").stdout)
    assert {found[name] for name in NULL_WITHOUT_PLAN} == {None}


@pytest.mark.parametrize("memory", [100, 2], ids=["with_plan", "without_plan"])
def test_max_batch_prints_its_fields_in_order(memory, chain):
    command = ("max-batch", chain, "--memory", memory, "--overhead", "forward")
    found = json.loads(run(*command, "--json").stdout)
    assert [name for name in found if name != "message"] == MAX_BATCH_FIELDS


def test_frontier_prints_its_fields_in_order(chain):
    found = answer_json("frontier", chain, "--budgets", "50%,2")
    assert list(found) == FRONTIER_FIELDS
    assert [list(point) for point in found["points"]] == [POINT_FIELDS] * 2


def test_frontier_without_a_plan_has_no_measures(chain):
    point, _ = answer_json("frontier", chain, "--budgets", "50%,2")["points"]
    nulls = [name for name in POINT_FIELDS if point[name] is None]
    assert nulls == ["peak_bytes", "cost", "overhead", "gap", "strategy"]


def test_frontier_as_csv_says_the_same(chain):
    command = ("frontier", chain, "--budgets", "50%,2,min")
    rows = list(csv.reader(answer(*command, "--csv").splitlines()))
    points = answer_json(*command)["points"]
    assert rows[0] == POINT_FIELDS
    assert rows[1:] == [
        ["" if value is None else str(value) for value in point.values()]
        for point in points
    ]


def test_frontier_agrees_with_plan(chain):
    for point in answer_json("frontier", chain)["points"]:
        plan = answer_json("plan", chain, "--budget", point["budget_bytes"])
        assert (point["cost"], point["outcome"]) == (plan["cost"], plan["outcome"])


def test_frontier_ends_at_the_keep_all_peak_and_the_least(chain):
    found = answer_json("frontier", chain, "--points", 3)
    least = answer_json("plan", chain, "--budget", "min")["peak_bytes"]
    budgets = [point["budget_bytes"] for point in found["points"]]
    assert (budgets[0], budgets[-1]) == (least, found["keep_all_peak_bytes"])
    assert len(budgets) == 3


@pytest.mark.parametrize("budget", [5, 2], ids=["with_plan", "without_plan"])
def test_bound_prints_its_fields_in_order(budget, chain):
    found = json.loads(run("bound", chain, "--budget", budget, "--json").stdout)
    assert list(found) == BOUND_FIELDS


@pytest.mark.parametrize("formulation", ["gap", "paper", "telescoped", "split"])
def test_bound_says_what_cut_it_short(formulation, chain):
    command = ("bound", chain, "--budget", 5, "--formulation", formulation)
    assert answer_json(*command)["stop_reason"] == "finished"
    cut = answer_json(*command, "--time-limit", 0)
    assert cut["stop_reason"] == "time_limit"
    text = run(*command, "--time-limit", 0).stdout
    assert "stopped by the time limit: with more time it may prove more" in text


def test_bound_of_some_plans_proves_nothing_of_others():
    """There is none in ascending order, which says nothing of other plans."""
    graph = DATA / "no_ascending_plan.json"
    done = run("bound", graph, "--budget", 17, "--formulation", "paper", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 4
    assert (found["outcome"], found["lower_bound"], found["plans"]) == (
        "unknown", None, "ascending")
    assert found["message"].startswith("no plan whose reruns come in the graph's order")
    proved = run("bound", graph, "--budget", 17, "--formulation", "split", "--json")
    assert proved.returncode == 3 and '"infeasible"' in proved.stdout


def test_plan_says_what_was_asked(chain):
    command = ("plan", chain, "--budget", "1KiB", "--strategy", "dtr")
    found = answer_json(*command, "--seed", 7, "--order", "free")
    asked = {"budget_bytes": 1024, "strategy": "dtr", "seed": 7, "order": "free"}
    assert {name: found[name] for name in asked} == asked


def test_percentage_is_rounded_up_to_a_byte(chain):
    # The keep-all peak is 10 bytes.
    assert answer_json("plan", chain, "--budget", "41%")["budget_bytes"] == 5


def test_inspect_prints_its_fields(chain):
    assert set(INSPECT_FIELDS) <= set(answer_json("inspect", chain))


def test_replay_prints_its_fields(chain, solution):
    assert set(REPLAY_FIELDS) <= set(answer_json("replay", chain, solution))


def test_compare_prints_one_summary_per_strategy_and_budget(chain):
    found = answer_json("compare", chain, "--budgets", "90%,60%")
    pairs = [(r["strategy"], r["budget_bytes"]) for r in found["results"]]
    assert pairs == [(name, bytes) for name in strategy_names() for bytes in (9, 6)]


def test_compare_summaries_have_the_fields_of_plan(chain):
    found = answer_json("compare", chain, "--budgets", "60%", "--strategies", "dtr")
    assert [name for name in found["results"][0] if name != "message"] == PLAN_FIELDS


def test_solution_to_standard_output_is_the_file(chain, solution):
    printed = json.loads(answer("plan", chain, "--budget", 5, "-o", "-"))
    written = json.loads(solution.read_text(encoding="utf-8"))
    # A file can say where the graph is, seen from it.
    assert written.pop("graph_file")["path"] == chain.name
    assert list(printed.items()) == list(written.items())


def test_graph_may_come_from_standard_input(chain):
    stdin = chain.read_text(encoding="utf-8")
    assert answer_json("inspect", "-", stdin=stdin) == answer_json("inspect", chain)


def test_plan_may_come_from_standard_input(chain, solution):
    stdin = solution.read_text(encoding="utf-8")
    found = answer_json("replay", chain, "-", stdin=stdin)
    assert found == answer_json("replay", chain, solution)
