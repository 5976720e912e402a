# SPDX-License-Identifier: Apache-2.0
"""The compiled model where nothing has a gradient."""

import logging

import pytest
import rematch.torch
import torch
from rematch.torch import UnsupportedModel, dynamo
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width=1024):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.dropout(x * self.weight, 0.5)


def wrapped(model, **options):
    return rematch.torch.compile(model, "1MiB", time_limit=0.3, **options)


def in_place(model, **options):
    return wrapped(model, in_place=True, **options)


def as_backend(model, **options):
    return torch.compile(model, backend="rematch", dynamic=False,
                         options={"budget": "1MiB", "time_limit": 0.3, **options})


WAYS = [wrapped, in_place, as_backend]


@pytest.fixture
def compiled_graphs(monkeypatch):
    """Those without gradients that Inductor has compiled."""
    found, original = [], torch._inductor.compile

    def compile_one(module, inputs, **how):
        found.append(module)
        return original(module, inputs, **how)

    monkeypatch.setattr(torch._inductor, "compile", compile_one)
    return found


@pytest.mark.parametrize("kernels", ["eager", "fused"])
@pytest.mark.parametrize("way", WAYS)
def test_a_pass_that_is_repeated_with_gradients_draws_the_same(way, kernels):
    """The gradient of a weight is not 0 where its dropout lets it through."""
    torch.manual_seed(0)
    model = Block()
    run = way(model, kernels=kernels)
    for _ in range(2):
        model.weight.grad = None
        y = checkpoint(run, torch.ones(1024, requires_grad=True), use_reentrant=True)
        y.sum().backward()
        assert torch.equal(y != 0, model.weight.grad != 0)


@pytest.mark.parametrize("way", WAYS)
def test_without_gradients_fused_kernels_are_inductors(way):
    x = torch.randn(64)
    model = Block(64)
    run = way(model, kernels="fused")
    with torch.no_grad():
        torch.manual_seed(1)
        found = run(x)
        torch.manual_seed(1)
        torch._dynamo.reset()
        wanted = torch.compile(Block(64))(x)
    assert torch.equal(found, wanted)
    assert run(x).requires_grad


def test_shapes_without_gradients_take_none_of_those_with():
    model = Block(1)
    run = wrapped(model, kernels="fused")
    with torch.no_grad(), torch._dynamo.config.patch(recompile_limit=2):
        for size in range(2, 12):
            assert run(torch.ones(size)).shape == (size,)
    assert run.rematch_graphs == []
    run(torch.ones(5)).sum().backward()
    assert len(run.rematch_graphs) == 1


def test_what_inductor_cannot_compile_runs_as_it_is(monkeypatch, caplog):
    def fail(*_):
        raise torch._dynamo.exc.BackendCompilerFailed(
            lambda: None, RuntimeError("on purpose"), None)

    monkeypatch.setattr(dynamo, "by_inductor", lambda model: fail)
    model = Block()
    run = wrapped(model, kernels="fused")
    with torch.no_grad(), caplog.at_level(logging.INFO, "rematch"):
        assert run(torch.ones(1024)).shape == (1024,)
    assert "the model runs as it is" in caplog.text and "on purpose" in caplog.text


def test_a_graph_that_inductor_cannot_compile_runs_as_it_is(monkeypatch):
    def fail(*_):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(torch._inductor, "compile", fail)
    monkeypatch.setattr(rematch.torch.backend, "_on_gpu", lambda inputs: inputs)
    run = as_backend(Block())  # kernels="auto"
    with torch.no_grad():
        assert run(torch.ones(1024)).shape == (1024,)
    torch._dynamo.reset()
    run = as_backend(Block(), kernels="fused")
    with torch.no_grad(), pytest.raises(Exception, match="on purpose"):
        run(torch.ones(1024))


def test_with_eager_kernels_the_model_runs_as_it_is(compiled_graphs):
    for way in WAYS:
        torch._dynamo.reset()
        model = Block()
        run = way(model, kernels="eager")
        with torch.no_grad():
            torch.manual_seed(1)
            found = run(torch.ones(1024))
        torch.manual_seed(1)
        assert torch.equal(found, Block()(torch.ones(1024)))
    assert not compiled_graphs


def test_a_step_without_gradients_is_an_error():
    step = rematch.torch.TrainStep(Block(), F.mse_loss, "1MiB", kernels="eager")
    x = torch.ones(1024)
    with torch.no_grad(), pytest.raises(UnsupportedModel, match="the loss has no gradient"):
        step(x, x)
    step = rematch.torch.TrainStep(Block().requires_grad_(False), F.mse_loss, "1MiB")
    with pytest.raises(UnsupportedModel, match="the loss has no gradient"):
        step(x, x)
