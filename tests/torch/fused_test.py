# SPDX-License-Identifier: Apache-2.0
"""Plans over Inductor's kernels: bytes are bytes, and numbers are Inductor's."""

import os
import re

import models
import pytest
import rematch.torch
import torch
import training
from live_memory import LiveMemory
from rematch.torch import InfeasibleBudget, planner
from rematch.torch.fused import lowering
from rematch.torch.fused.kernels import FusedKernels
from rematch.torch.step import WithLoss

SHARES = (1.0, 0.3, 0.0)
# Compilers take their time: the architectures one by one are for who asks.
NAMES = ["branches", *(models.MODELS if os.environ.get("REMATCH_ALL_MODELS") else [])]


@pytest.fixture
def observed(monkeypatch):
    """Kernels allocate what no dispatch mode sees: they are called one by one. In
    place they are another test's."""
    monkeypatch.setattr(FusedKernels, "overwriting", lambda _: None)
    original = lowering._function

    def function(*args):
        kernel = original(*args)

        def call(*tensors):
            made = kernel(*tensors)
            if LiveMemory.running:
                live = LiveMemory.running[-1]
                live.hold(t for t in (made if isinstance(made, tuple) else (made,))
                          if isinstance(t, torch.Tensor))
                live.peak = max(live.peak, live.bytes)
            return made

        call.fake, call.__name__ = kernel.fake, kernel.__name__
        return call

    monkeypatch.setattr(lowering, "_function", function)


def step_of(model, name, budget):
    return training.step_of(model, name, budget, kernels="fused")


def range_of(name):
    step = step_of(models.make(name), name, "100%")
    step(*models.batch(name))
    with pytest.raises(InfeasibleBudget) as failure:
        planner.plan(step.graphs[0].program, 1, time_limit=1)
    return failure.value.least_budget, step.graphs[0].schedule.peak


def compiled_by_inductor(model, name):
    """As TrainStep runs it, without a plan."""
    compiled = torch.compile(WithLoss(model, training.loss_of(name)), dynamic=False)

    def step(inputs, targets):
        loss = compiled(inputs, targets)
        loss.backward()
        return loss.detach()

    return step


@pytest.mark.parametrize("name", NAMES)
def test_peaks_are_as_predicted_and_numbers_are_those_of_inductor(
        name, monkeypatch, observed):
    first = models.make(name)
    plain = training.copy_of(first)
    wanted = training.train(plain, compiled_by_inductor(plain, name), name, steps=3)
    torch._dynamo.reset()
    least, most = range_of(name)
    for share in SHARES:
        torch._dynamo.reset()
        budget = int(least + share * (most - least))
        model = training.copy_of(first)
        step = step_of(model, name, budget)
        outcome = training.train(model, step, name, 3, monkeypatch)
        schedule = step.graphs[0].schedule
        assert outcome.live.peak == schedule.peak <= budget
        assert outcome.equals(wanted), share
    assert any(run.number for run in schedule.runs)


def test_kernels_in_line_do_what_they_do_one_by_one():
    model = models.make("branches")
    twin = training.copy_of(model)
    wanted = training.train(twin, compiled_by_inductor(twin, "branches"), "branches", 3)
    torch._dynamo.reset()
    least, _ = range_of("branches")
    torch._dynamo.reset()
    step = step_of(model, "branches", least)
    assert training.train(model, step, "branches", 3).equals(wanted)
    graph = step.graphs[0]
    assert any(run.number for run in graph.schedule.runs)
    for phase in ("forward", "backward"):
        assert "empty_strided_cpu" in graph.functions[phase].source
        assert not re.search(r"\b_f\d+\(", graph.functions[phase].source)


def test_a_kernel_that_fills_a_part_does_not_take_memory_again():
    step = step_of(models.make("branches"), "branches", "100%")
    step(*models.batch("branches"))
    values = step.graphs[0].program.values
    chain = [value for value in values.values() if value.storage_of]
    assert chain and all(value.bytes == values[value.storage_of].bytes
                         for value in chain)


def test_two_forwards_in_flight_and_backward_twice():
    """Running statistics change meanwhile, and the loss is not in the graph."""
    model = models.make("branches")
    twin = training.copy_of(model)
    options = {"kernels": "fused", "time_limit": 0.5}
    batches = [models.batch("branches")[0] for _ in range(2)]
    with pytest.raises(InfeasibleBudget) as failure:
        rematch.torch.compile(training.copy_of(model), budget=1, **options)(batches[0])
    torch._dynamo.reset()
    function = rematch.torch.compile(model, failure.value.least_budget, **options)
    for each in (function, torch.compile(twin, dynamic=False)):
        torch.manual_seed(3)
        outputs = [each(images) for images in batches]
        outputs[1].sum().backward(retain_graph=True)
        outputs[0].sum().backward()
        outputs[1].sum().backward()
    assert any(run.number for run in function.rematch_graphs[0].schedule.runs)
    for found, wanted in zip([*model.parameters(), *model.buffers()],
                             [*twin.parameters(), *twin.buffers()]):
        assert torch.equal(found, wanted)
        assert found.grad is None or torch.equal(found.grad, wanted.grad)
