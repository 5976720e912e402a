# SPDX-License-Identifier: Apache-2.0
"""Processes that agree on a plan, one after the other in one process."""

import copy
import dataclasses
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from rematch.torch import InfeasibleBudget, TrainStep, agreement, planner
from torch import nn


@pytest.fixture
def program():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(),
                          nn.Linear(32, 1))
    step = TrainStep(model, lambda output, _: output.sum(), budget="100%")
    step(torch.randn(64, 8))
    return step.graphs[0].program


@pytest.fixture
def store(monkeypatch):
    monkeypatch.setattr(agreement, "WAIT_FOR_OTHERS", 0.05)
    monkeypatch.setattr(agreement, "WAIT_FOR_FIRST", 0.05)
    return torch.distributed.HashStore()


def twin(program):
    return dataclasses.replace(program, ops=[copy.copy(op) for op in program.ops])


def together(store, rank, program):
    return agreement.Together(store, rank, 2, program)


def plan_of(program, budget):
    return lambda: planner.plan(program, budget, time_limit=0.2)


def never():
    pytest.fail("this is not done twice")


def fill(program, cost):
    def measure():
        for op in program.ops:
            op.cost = cost
    return measure


def test_one_process_has_nobody_to_agree_with(program):
    assert type(agreement.join(program)) is agreement.Alone


def test_measurements_are_those_of_who_came_first(program, store):
    other = twin(program)
    together(store, 1, program).measured(program, fill(program, 7))
    together(store, 0, other).measured(other, never)
    assert {op.cost for op in other.ops} == {7}


def test_the_second_time_is_another_time(program, store):
    together(store, 0, program).measured(program, fill(program, 7))
    assert together(store, 0, program).is_first
    assert not together(store, 1, program).is_first


def test_the_plan_is_the_same_whatever_else_is_there(program, store):
    peak = planner.keep_all(program).peak
    here = dataclasses.replace(twin(program), outside_bytes=1000)
    first, second = together(store, 0, program), together(store, 1, here)
    with ThreadPoolExecutor() as pool:  # The first waits for the second's room.
        tightest = pool.submit(first.tightest, program, peak)
        assert second.tightest(here, peak) == peak
    assert tightest.result() == peak - 1000
    mine = first.planned(program, peak - 1000, "", plan_of(program, peak - 1000))
    yours = second.planned(here, peak, "", never)
    assert [run.op.name for run in mine.schedule.runs] == \
        [run.op.name for run in yours.schedule.runs]
    assert yours.schedule.peak == mine.schedule.peak + 1000 <= peak


def test_a_failure_of_the_first_is_not_waited_for(program, store, caplog):
    first, second = together(store, 0, program), together(store, 1, program)
    with pytest.raises(KeyError):
        first.measured(program, lambda: {}["no device"])
    second.measured(program, fill(program, 9))
    assert program.ops[0].cost == 9
    assert "the process that came first has failed" in caplog.text


def test_a_first_that_says_nothing_is_given_up(program, store, caplog):
    together(store, 0, program)
    together(store, 1, program).measured(program, fill(program, 9))
    assert program.ops[0].cost == 9
    assert "no measurements from the process that came first" in caplog.text


def test_a_plan_that_does_not_fit_here_is_not_taken(program, store, caplog):
    """The first has planned before this process said how much room it has."""
    peak = planner.keep_all(program).peak
    first, second = together(store, 0, program), together(store, 1, program)
    first.planned(program, peak, "", plan_of(program, peak))
    less = int(0.95 * peak)
    mine = second.planned(program, less, "", plan_of(program, less))
    assert mine.schedule.peak <= less
    assert "going on alone" in caplog.text


def test_infeasible_for_the_first_is_infeasible(program, store):
    first, second = together(store, 0, program), together(store, 1, program)
    with pytest.raises(InfeasibleBudget) as failure:
        first.planned(program, 1, "", plan_of(program, 1))
    with pytest.raises(InfeasibleBudget, match="rank 0, which plans for all") as other:
        second.planned(program, 1, "", never)
    assert other.value.least_budget == failure.value.least_budget


def test_programs_that_differ_are_told_apart(program):
    other = twin(program)
    assert agreement.digest(program) == agreement.digest(other)
    fill(other, 5)()
    assert agreement.digest(program) == agreement.digest(other)
    other.ops[1].args = (*other.ops[1].args, torch.device("cpu"))
    assert agreement.digest(program) != agreement.digest(other)
