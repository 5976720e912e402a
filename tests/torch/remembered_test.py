# SPDX-License-Identifier: Apache-2.0
"""What was found for one budget helps with others."""

import models
import pytest
import rematch
import rematch.torch
import torch
import training
from rematch.torch import planner, remembered
from rematch.torch.profile_cache import ProfileCache

NAME = "gpt"


@pytest.fixture
def program():
    """Of a small model; what is outside counts like anything else."""
    step = training.step_of(models.make(NAME), NAME, "100%", kernels="eager", cache=False)
    step(*models.batch(NAME))
    found = step.graphs[0].program
    found.outside_bytes = 1000
    return found


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    monkeypatch.setattr(remembered, "_named", {})
    cache = ProfileCache("cpu", "0")
    yield cache
    cache.close()


@pytest.fixture
def budgets(program):
    """Where nothing is recomputed, in the middle, and the least."""
    most = planner.keep_all(program).peak
    least = planner.plan_least(program, time_limit=1).schedule.peak
    return most, (most + least) // 2, least


def plan(program, budget, **how):
    return planner.plan(program, budget, time_limit=0.5, **how)


def poor_search(monkeypatch):
    """From now on only what is begun with is found. Returns those."""
    begun = []

    def solve(graph, budget, *, start=None, **_):
        begun.append(start)
        return rematch.solve(graph, budget, strategy="keep_all")

    monkeypatch.setattr(planner, "rematch", _Instead(solve))
    return begun


class _Instead:
    """The package, with another search."""

    def __init__(self, solve):
        self.solve = solve

    def __getattr__(self, name):
        return getattr(rematch, name)


def test_what_fits_is_begun_with(program, budgets, monkeypatch):
    most, middle, least = budgets
    poor, good = (plan(program, budget) for budget in (least, middle))
    begun = poor_search(monkeypatch)
    known = [poor.sequence, good.sequence]
    found = plan(program, middle, known=known)
    assert found.sequence == good.sequence and found.schedule.peak <= middle
    assert begun[-1].computed_ops() == good.sequence
    assert plan(program, least, known=known).sequence == poor.sequence
    assert plan(program, most, known=known).schedule.cost <= good.schedule.cost


def test_what_is_damaged_is_not_begun_with(program, budgets, monkeypatch):
    _, middle, _ = budgets
    good = plan(program, middle).sequence
    begun = poor_search(monkeypatch)
    damaged = [None, 3, "text", [], [0], good[:-1], good[1:], [*good, 10**6], [{}]]
    assert plan(program, middle, known=[*damaged, good]).sequence == good
    assert begun[-1].computed_ops() == good


def test_more_memory_costs_no_time_whatever_the_search_finds(program, budgets, cache,
                                                             monkeypatch):
    _, middle, least = budgets
    options = rematch.torch.options.Options(gap=0.0)

    def cost(budget):
        known = remembered.sequences(cache, program)
        found = remembered.plan(
            cache, options, program, budget, "",
            lambda: plan(program, budget, known=known))
        remembered.store_sequence(cache, program, found)
        return found.schedule.cost

    first = cost((middle + 3 * least) // 4)
    poor_search(monkeypatch)
    assert cost(middle) <= first
    assert cost(middle + 1) <= first


def test_a_plan_that_less_memory_has_beaten_is_made_anew(program, budgets, cache):
    most, middle, least = budgets
    options = rematch.torch.options.Options()
    good, poor = plan(program, middle), plan(program, least)
    assert good.schedule.cost < poor.schedule.cost

    def remember(make):
        return remembered.plan(cache, options, program, most, "", make).sequence

    def fail():
        raise AssertionError("it was found before")

    assert remember(lambda: poor) == remember(fail) == poor.sequence
    remembered.store_sequence(cache, program, poor)
    assert remember(fail) == poor.sequence
    remembered.store_sequence(cache, program, good)
    assert remember(lambda: good) == remember(fail) == good.sequence


def test_sequences_are_forgotten_that_are_worse_in_both(program, budgets, cache):
    _, middle, least = budgets
    good, poor = plan(program, middle), plan(program, least)
    assert remembered.sequences(cache, program) == remembered.sequences(None, program) == []
    for planned in (poor, good, poor, good):
        remembered.store_sequence(cache, program, planned)
    assert sorted(remembered.sequences(cache, program)) == \
        sorted([good.sequence, poor.sequence])
    remembered.store_least(cache, program, [1, 2])
    assert remembered.sequences(cache, program)[-1] == [1, 2]


def test_training_with_more_memory_begins_with_what_less_had(monkeypatch):
    model, gradients, costs = models.make(NAME), [], []
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        training.step_of(model, NAME, 1, kernels="eager")(*models.batch(NAME))
    least = failure.value.least_budget

    def train(budget):
        torch._dynamo.reset()
        model.zero_grad()
        step = training.step_of(model, NAME, budget, kernels="eager")
        torch.manual_seed(0)
        step(*models.batch(NAME))
        gradients.append([parameter.grad for parameter in model.parameters()])
        costs.append(step.graphs[0].schedule.cost)

    train(least)
    begun = poor_search(monkeypatch)
    train(least + least // 20)
    assert costs[1] <= costs[0] and begun[-1] is not None
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))
