# SPDX-License-Identifier: Apache-2.0
"""Plans and their replay."""

import json
import pickle

import pytest
import rematch
from rematch import Plan, Step


@pytest.fixture
def graph():
    return rematch.GraphBuilder().add_op("a", [], 4, 1).add_op("b", ["a"], 2, 3).build()


@pytest.fixture
def plan():
    return Plan([Step.compute(0), Step.compute(1), Step.drop(0)])


def test_steps_are_plain(plan):
    assert [(step.kind, step.index) for step in plan.steps] == [
        ("compute", 0),
        ("compute", 1),
        ("drop", 0),
    ]
    assert (plan.steps[0].op, plan.steps[0].tensor) == (0, None)
    assert (plan.steps[2].op, plan.steps[2].tensor) == (None, 0)
    assert plan.computed_ops() == [0, 1]
    assert len(plan) == 3
    assert len({Step.compute(0), Step.compute(0), Step.drop(0)}) == 2


def test_replay_measures(graph, plan):
    measured = rematch.replay(graph, plan)
    assert measured.peak_bytes == 6
    assert measured.cost == 4
    assert measured.footprint_bytes == [4, 6, 2]
    assert measured.peak_step == 1
    assert measured.runs == [1, 1]


def test_replay_refuses_what_is_not_live(graph):
    with pytest.raises(rematch.InvalidPlan, match="step 2: .*'b' reads 'a', which is not live"):
        rematch.replay(graph, rematch.Plan([Step.compute(0), Step.drop(0), Step.compute(1)]), "free")


@pytest.mark.parametrize("step", [Step.compute(7), Step.compute(-1), Step.drop(9)])
def test_ids_that_do_not_exist_are_refused(graph, step):
    plan = Plan([step])
    with pytest.raises(rematch.InvalidPlan, match="does not exist"):
        rematch.replay(graph, plan)
    with pytest.raises(IndexError, match="does not exist"):
        plan.to_json(graph)


def test_json_goes_round(graph, plan):
    text = plan.to_json(graph)
    assert json.loads(text)["format"] == "rematch.plan"
    assert Plan.from_json(text, graph) == plan


def test_pickle_goes_round(plan):
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_keep_all_is_every_op_once(graph):
    assert rematch.keep_all_plan(graph).computed_ops() == [0, 1]


def test_a_sequence_becomes_a_plan(graph, plan):
    made = rematch.plan_from_sequence(graph, [0, 1])
    assert rematch.replay(graph, made).peak_bytes == 6
    with pytest.raises(IndexError):
        rematch.plan_from_sequence(graph, [0, 2])
