# SPDX-License-Identifier: Apache-2.0
"""The reference replay, and the program, on plans whose measure is known by hand."""

import json

import pytest
import reference_replay as reference
from program import BAD_INPUT, answer_json, run

# w (10 bytes) -> a -> (b, view of a's storage) -> once -> out.
GRAPH = {
    "format": "rematch.graph",
    "version": 1,
    "fixed_bytes": 1000,
    "inputs": [{"name": "w", "bytes": 10}],
    "ops": [
        {"name": "a", "inputs": ["w"], "bytes": 4, "cost": 1, "workspace_bytes": 3},
        {
            "name": "b",
            "inputs": ["a"],
            "outputs": [
                {"name": "b", "bytes": 2},
                {"name": "view", "bytes": 6, "storage_of": "a"},
                {"name": "w_view", "bytes": 12, "storage_of": "w"},
            ],
            "cost": 0.5,
        },
        {"name": "once", "inputs": ["b"], "bytes": 8, "cost": 2, "recomputable": False},
        {
            "name": "end",
            "inputs": ["once", "view"],
            "outputs": [{"name": "out", "bytes": 1, "output": True}],
            "cost": 4,
        },
    ],
}
COMPLETE = ["a", "b", "once", "end"]
# steps, the rule that they break, and at which step.
BROKEN = {
    "reads_what_was_never_computed": (["b"], reference.INPUT_NOT_LIVE, 0),
    "reads_what_was_dropped": (["a", "-a", "b"], reference.INPUT_NOT_LIVE, 2),
    "drops_what_was_never_computed": (["-a"], reference.DROP_NOT_LIVE, 0),
    "drops_twice": (["a", "-a", "-a"], reference.DROP_NOT_LIVE, 2),
    "drops_an_input": (["-w"], reference.DROP_GRAPH_INPUT, 0),
    "drops_an_output": ([*COMPLETE, "-out"], reference.DROP_GRAPH_OUTPUT, 4),
    "runs_once_twice": (["a", "b", "once", "once"], reference.RUN_TWICE, 3),
    "misses_an_op": (["a", "b", "once"], reference.NEVER_COMPUTED, None),
}


def plan(steps):
    """["a", "-a"] is: compute a, drop a."""
    return {
        "format": "rematch.plan",
        "version": 1,
        "steps": [
            {"drop": step[1:]} if step.startswith("-") else {"compute": step}
            for step in steps
        ],
    }


def write(folder, graph, steps):
    (folder / "graph.json").write_text(json.dumps(graph))
    (folder / "plan.json").write_text(json.dumps(plan(steps)))
    return folder / "graph.json", folder / "plan.json"


def reference_footprint(steps, order="fixed"):
    return reference.replay(GRAPH, plan(steps), order).footprint


def test_fixed_bytes_hold_the_largest_tensor_of_an_input_storage():
    assert reference.read_graph(GRAPH).fixed_bytes == 1012


def test_workspace_counts_only_while_the_op_runs():
    # a takes 6 bytes: its storage also holds the larger view.
    assert reference_footprint(COMPLETE)[:2] == [1012 + 6 + 3, 1012 + 6 + 2]


def test_storage_is_live_while_any_of_its_tensors_is():
    steps = ["a", "b", "-a", "once", "end", "-view"]
    assert reference_footprint(steps)[2:] == [1020, 1028, 1029, 1023]


def test_cost_counts_every_run():
    steps = ["a", "b", "-a", "a", "b", "once", "end"]
    assert reference.replay(GRAPH, plan(steps)).cost == 2 * 1 + 2 * 0.5 + 2 + 4


def test_recomputing_what_is_live_takes_no_memory():
    footprint = reference_footprint(["a", "a", "b", "once", "end"])
    assert footprint[0] == footprint[1]


def test_plan_without_steps_takes_the_fixed_bytes():
    graph = {**GRAPH, "ops": []}
    graph["inputs"] = [{"name": "w", "bytes": 10}]
    assert reference.replay(graph, plan([])).peak == 1010


def test_free_order_allows_any_order_that_can_run():
    graph = {**GRAPH, "ops": [dict(name=n, bytes=1, cost=1) for n in "xy"]}
    assert reference.replay(graph, plan(["y", "x"]), "free").peak == 1012
    with pytest.raises(reference.InvalidPlan, match=reference.OUT_OF_ORDER):
        reference.replay(graph, plan(["y", "x"]), "fixed")


def test_effects_keep_their_order_where_it_is_free():
    ops = [dict(name=n, bytes=1, cost=1, recomputable=n == "z") for n in "xyz"]
    graph = {**GRAPH, "ops": ops}
    assert reference.replay(graph, plan(["z", "x", "y"]), "free").peak == 1013
    with pytest.raises(reference.InvalidPlan, match=reference.OUT_OF_ORDER):
        reference.replay(graph, plan(["z", "y", "x"]), "free")


@pytest.mark.parametrize("name", BROKEN)
def test_reference_names_the_rule_and_the_step(name):
    steps, rule, step = BROKEN[name]
    with pytest.raises(reference.InvalidPlan) as caught:
        reference.replay(GRAPH, plan(steps))
    assert (caught.value.rule, caught.value.step) == (rule, step)


@pytest.mark.parametrize("name", BROKEN)
def test_program_refuses_the_same_plan_at_the_same_step(name, tmp_path):
    steps, _, step = BROKEN[name]
    done = run("replay", *write(tmp_path, GRAPH, steps))
    assert done.returncode == BAD_INPUT
    assert step is None or f"step {step}" in done.stderr


@pytest.mark.parametrize(
    "steps",
    [
        COMPLETE,
        ["a", "b", "-a", "once", "end", "-view"],
        ["a", "a", "b", "-w_view", "b", "once", "-b", "-a", "end", "-once", "-view"],
        ["a", "b", "-view", "once", "b", "-a", "a", "end", "end"],
    ],
    ids="_".join,
)
def test_program_measures_the_same(steps, tmp_path):
    measured = answer_json("replay", *write(tmp_path, GRAPH, steps))
    expected = reference.replay(GRAPH, plan(steps))
    assert measured["footprint_bytes"] == expected.footprint
    assert (measured["peak_bytes"], measured["cost"]) == (expected.peak, expected.cost)


def test_program_checks_the_order_it_is_told(tmp_path):
    graph = {**GRAPH, "ops": [dict(name=n, bytes=1, cost=1) for n in "xy"]}
    paths = write(tmp_path, graph, ["y", "x"])
    assert run("replay", *paths).returncode == BAD_INPUT
    assert answer_json("replay", *paths, "--order", "free")["order"] == "free"
