# SPDX-License-Identifier: Apache-2.0
"""The promise: bytes are bytes, and the numbers do not change."""

import models
import pytest
import torch
import training
from rematch.torch import InfeasibleBudget, planner, remembered, profiling, randomness

SHARES = (1.0, 0.7, 0.4, 0.2, 0.1)


@pytest.fixture(params=models.MODELS)
def name(request):
    return request.param


def range_of(name):
    """The least and the largest peak of a model."""
    model = models.make(name)
    step = training.step_of(model, name, "100%")
    step(*models.batch(name))
    program = step.graphs[0].program
    with pytest.raises(InfeasibleBudget) as failure:
        planner.plan(program, 1, time_limit=1)
    return failure.value.least_budget, step.graphs[0].schedule.peak


def test_peaks_are_as_predicted_and_numbers_as_without_a_plan(name, monkeypatch):
    training.count_states(monkeypatch)
    least, most = range_of(name)
    first = models.make(name)
    unplanned = None
    for share in SHARES:
        torch._dynamo.reset()
        budget = int(least + share * (most - least))
        model = training.copy_of(first)
        step = training.step_of(model, name, budget)
        outcome = training.train(model, step, name, monkeypatch=monkeypatch)
        schedule = step.graphs[0].schedule
        assert outcome.live.peak == schedule.peak <= budget
        unplanned = unplanned or outcome
        assert outcome.equals(unplanned), share
    assert any(run.number for run in schedule.runs)


def test_dropout_would_differ_without_replay(monkeypatch):
    """The negative control: the tests above can fail."""
    # Random ops cost next to nothing, so that it pays to run them again.
    monkeypatch.setattr(profiling.Profiler, "measure",
                        lambda self, op: (0.01 if op.state else 100.0, 0, {}))
    least, most = range_of("gpt")
    first = models.make("gpt")
    plain = training.copy_of(first)
    unplanned = training.train(
        plain, training.step_of(plain, "gpt", most, cache=False), "gpt")
    monkeypatch.setattr(randomness, "replay",
                        lambda state, device, call, args, kwargs: call(*args, **kwargs))
    torch._dynamo.reset()
    model = training.copy_of(first)
    step = training.step_of(model, "gpt", least + (most - least) // 10, cache=False)
    outcome = training.train(model, step, "gpt")
    assert any(run.number and run.op.state for run in step.graphs[0].schedule.runs)
    assert not outcome.equals(unplanned)


def test_runs_in_the_planned_order():
    from live_memory import LiveMemory

    least, most = range_of("resnet")
    torch._dynamo.reset()
    model = models.make("resnet")
    step = training.step_of(model, "resnet", least + (most - least) // 5)
    step(*models.batch("resnet"))
    model.zero_grad()
    batch = models.batch("resnet")
    with LiveMemory() as live:
        step(*batch)
    halves = {"cross_entropy_backward": ("aten.nll_loss_backward.default",
                                         "aten._log_softmax_backward_data.out")}
    planned = [kind for run in step.graphs[0].schedule.runs
               for kind in halves.get(run.op.kind, (run.op.kind,))
               if kind.startswith("aten")]
    views = {str(view.call) for view in step.graphs[0].program.views.values()}
    executed = [kind for kind, _ in live.ops if kind not in views]
    # Around the graph: the gradient of the loss, and its detached copy.
    around = {"aten.ones_like.default", "aten.detach.default"}
    assert [k for k in executed if k not in around] == \
        [k for k in planned if k not in around]


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_budget_that_was_named_works_however_little_time_there_is(on_disk,
                                                                    monkeypatch):
    model, options = models.make("gpt"), {"cache": on_disk}
    with pytest.raises(InfeasibleBudget) as failure:
        training.step_of(model, "gpt", 1, time_limit=2, **options)(*models.batch("gpt"))
    torch._dynamo.reset()
    if on_disk:  # As in another process.
        monkeypatch.setattr(remembered, "_named", {})
    monkeypatch.setattr(planner, "_LEAST_PEAK_SECONDS", 1e-6)
    step = training.step_of(model, "gpt", failure.value.least_budget, time_limit=1e-6,
                            **options)
    step(*models.batch("gpt"))
    assert step.graphs[0].peak_bytes == failure.value.least_budget


def test_an_infeasible_budget_names_one_that_works():
    model = models.make("vit")
    with pytest.raises(InfeasibleBudget, match="the least budget that works") as failure:
        training.step_of(model, "vit", "100KiB")(*models.batch("vit"))
    torch._dynamo.reset()
    step = training.step_of(model, "vit", failure.value.least_budget, time_limit=3)
    step(*models.batch("vit"))
    assert step.graphs[0].schedule.peak <= failure.value.least_budget
