# SPDX-License-Identifier: Apache-2.0
"""Each output of an op has its own lifetime.

Batch norm is the example: it returns a large activation and a tiny statistic,
and only the statistic lives to the end.
"""

import json

import pytest
import reference_replay as reference
from program import INFEASIBLE, answer_json, run

LARGE, TINY, MIDDLE, END = 1000, 1, 900, 950
GRAPH = {
    "format": "rematch.graph",
    "version": 1,
    "name": "norm",
    "ops": [
        {
            "name": "norm",
            "outputs": [
                {"name": "activation", "bytes": LARGE},
                {"name": "statistic", "bytes": TINY, "output": True},
            ],
            "cost": 5,
        },
        {"name": "shrink", "inputs": ["activation"], "bytes": MIDDLE, "cost": 1},
        {"name": "end", "inputs": ["shrink"], "bytes": END, "cost": 1},
    ],
}
# Reached at `shrink`; with the activation still there, `end` takes more.
LEAST = LARGE + TINY + MIDDLE


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "norm.json"
    path.write_text(json.dumps(GRAPH))
    return path


@pytest.fixture
def solution(graph, tmp_path):
    """The solution that is written within the least budget."""
    output = tmp_path / "plan.json"
    answer_json("plan", graph, "--budget", LEAST, "-o", output)
    return output


def test_tied_lifetimes_would_need_more():
    assert LARGE + TINY + MIDDLE + END > LEAST


def test_least_budget_is_enough_without_recomputation(graph):
    found = answer_json("plan", graph, "--budget", LEAST)
    assert (found["outcome"], found["overhead"]) == ("optimal", 0)


def test_large_output_is_dropped_before_the_end(solution):
    steps = reference.steps_of(reference.load(solution))
    assert steps.index({"drop": "activation"}) < steps.index({"compute": "end"})


def test_tiny_output_is_never_dropped(solution):
    steps = reference.steps_of(reference.load(solution))
    assert {"drop": "statistic"} not in steps


def test_replay_agrees(graph, solution):
    expected = reference.replay(GRAPH, reference.load(solution))
    measured = answer_json("replay", graph, solution)
    assert measured["footprint_bytes"] == expected.footprint
    assert measured["peak_bytes"] == expected.peak == LEAST


def test_one_byte_less_is_infeasible(graph):
    assert run("plan", graph, "--budget", LEAST - 1).returncode == INFEASIBLE
