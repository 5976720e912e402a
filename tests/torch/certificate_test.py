# SPDX-License-Identifier: Apache-2.0
"""What a plan proves, where more memory is used than the graph says."""

from dataclasses import replace

import models
import pytest
import torch
import training
from rematch.torch import InfeasibleBudget, planner, profiling


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setattr(profiling.Profiler, "measure", lambda self, op: (100.0, 0, {}))
    torch._dynamo.reset()
    step = training.step_of(models.make("gpt"), "gpt", "100%", cache=False)
    step(*models.batch("gpt"))
    return step.graphs[0].program


def budget_of(program, share):
    fixed = planner.fixed_bytes(program)
    return fixed + int(share * (planner.keep_all(program).peak - fixed))


def needing_more(program, run_again, size):
    """The program, where these ops need more memory from the second time on."""
    return replace(program, ops=[
        replace(op, rerun_workspace=size) if op.name in run_again else op
        for op in program.ops])


def test_a_plan_that_was_made_for_less_is_measured_against_the_budget(program,
                                                                      monkeypatch):
    budget = budget_of(program, 0.6)
    plain = planner.plan(program, budget, time_limit=2)
    again = [run for run in plain.schedule.runs if run.number]
    room = budget - max(run.bytes for run in again)
    limits, bounds = [], []
    solve = planner.rematch.solve

    def watched(graph, limit, **options):
        found = solve(graph, limit, **options)
        limits.append(limit)
        bounds.append(found.lower_bound)
        return found

    monkeypatch.setattr(planner.rematch, "solve", watched)
    harder = needing_more(program, {run.op.name for run in again},
                          room + budget // 20)
    found = planner.plan(harder, budget, time_limit=2)
    assert found.schedule.peak <= budget and len(limits) > 1 and limits[-1] < budget
    assert bounds[0] < bounds[-1]  # Else this test could not fail.
    assert found.solution.budget_bytes == budget
    assert found.solution.lower_bound == bounds[0]
    assert found.solution.cost >= plain.solution.lower_bound


def test_what_is_impossible_with_less_is_not_said_of_the_budget(program):
    budget = budget_of(program, 0.6)
    greedy = needing_more(program, {op.name for op in program.ops}, budget)
    with pytest.raises(InfeasibleBudget, match="no plan was found within"):
        planner.plan(greedy, budget, time_limit=1)
    with pytest.raises(InfeasibleBudget, match="nothing can run within"):
        planner.plan(greedy, 1, time_limit=1)
