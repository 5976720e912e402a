# SPDX-License-Identifier: Apache-2.0
"""What running an op shows that the graph does not say: bytes, and random numbers."""

import json

import pytest
import rematch.torch
import torch
from rematch.torch import profiling
from rematch.torch.layout import extent
from rematch.torch.program import Op, Program, Value
from torch import nn
from torch.nn import functional as F

KERNELS = ("eager", "fused")


@torch.library.custom_op("rematch_results::noise", mutates_args=())
def noise(x: torch.Tensor) -> torch.Tensor:
    """Draws, and has no tag that says so."""
    return x * torch.rand_like(x)


@torch.library.custom_op("rematch_results::halved", mutates_args=())
def halved(x: torch.Tensor) -> torch.Tensor:
    return x * 0.5


for operator in (noise, halved):
    operator.register_fake(torch.empty_like)
    operator.register_autograd(lambda context, gradient: gradient * 0.5)


class Layers(nn.Module):
    def __init__(self, operator, size=32, depth=3):
        super().__init__()
        self.operator = operator
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = x + F.gelu(self.operator(F.gelu(layer(x))))
        return x


class Filter(nn.Module):
    """By frequency: PyTorch copies all of what a part is written to."""

    def __init__(self, modes=6):
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(torch.randn(1, 1, modes, dtype=torch.cfloat))

    def forward(self, x):
        found = torch.fft.rfft(x)
        kept = torch.zeros_like(found)
        kept[:, :, :self.modes] = torch.einsum(
            "bix,iox->box", found[:, :, :self.modes], self.weight)
        return F.gelu(torch.fft.irfft(kept, n=x.shape[-1]) + x)


def compiled(model, budget, kernels, x, **options):
    torch._dynamo.reset()
    return rematch.torch.compile(model, budget, kernels=kernels, time_limit=0.5,
                                 **{"cache": False, **options})


def least_of(model, kernels, x):
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        compiled(model, 1, kernels, x)(x)
    return failure.value.least_budget


def gradients(function, model, x):
    torch.manual_seed(1)
    model.zero_grad()
    function(x).square().mean().backward()
    return [*(parameter.grad for parameter in model.parameters()), torch.get_rng_state()]


@pytest.mark.parametrize("kernels", KERNELS)
def test_who_draws_and_does_not_say_so_runs_once(kernels):
    torch.manual_seed(0)
    model, x = Layers(noise), torch.randn(64, 32)
    wanted = gradients(model, model, x)
    function = compiled(model, least_of(model, kernels, x), kernels, x)
    found = gradients(function, model, x)
    assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-6)
               for a, b in zip(found, wanted, strict=True))
    runs = function.rematch_graphs[0].schedule.runs
    assert any(run.number for run in runs)
    assert not any(run.number for run in runs if run.op.is_foreign)
    assert sum(run.op.is_foreign for run in runs) == 3


@pytest.mark.parametrize("kernels", KERNELS)
def test_operators_of_others_that_draw_nothing_run_again(kernels):
    torch.manual_seed(0)
    model, x = Layers(halved), torch.randn(64, 32)
    function = compiled(model, least_of(model, kernels, x), kernels, x)
    function(x)
    assert any(run.number for run in function.rematch_graphs[0].schedule.runs
               if run.op.is_foreign)


def really(program):
    """Bytes of what ops make, by value."""
    profiler = profiling.Profiler(program, torch.device("cpu"))
    found = {}
    for op in program.ops:
        if op.call is None or not op.outputs:
            continue
        args, kwargs = profiler.arguments(op)
        made = op.call(*args, **kwargs)
        made = made if op.returns_tuple else (made,)
        found.update((name, tensor.untyped_storage().nbytes())
                     for name, tensor in zip(op.outputs, made) if name)
    return found


def shape_bytes(signature):
    shape, stride, dtype, _ = signature
    return extent(shape, stride) * getattr(torch, dtype.removeprefix("torch.")).itemsize


@pytest.mark.parametrize("kernels", KERNELS)
def test_results_are_as_large_as_they_are(kernels, monkeypatch):
    model, x = nn.Sequential(Filter(), Filter()), torch.randn(1, 1, 512)
    for _ in range(2):  # The second time from the cache.
        function = compiled(model, "1GiB", kernels, x, cache=True)
        function(x)
        program = function.rematch_graphs[0].program
        real = really(program)
        assert {name: program.values[name].bytes for name in real} == real
        shown = {name: shape_bytes(program.values[name].signature) for name in real}
        assert any(real[name] > shown[name] for name in real)
        monkeypatch.setattr(profiling.Profiler, "measure",
                            lambda self, op: pytest.fail("measured again"))


def test_results_that_come_in_another_order_are_not_mixed_up():
    short, long = (((size,), (1,), "torch.float32", "cpu") for size in (2, 5))
    values = {"a": Value("a", 8, short), "b": Value("b", 20, long),
              "c": Value("c", 20, long), "d": Value("d", 8, short)}

    def made(*sizes):
        return lambda: tuple(torch.empty(size) for size in sizes)

    ops = [Op("one", "k", made(2, 5), (), {}, ("a", "b"), True),
           Op("other", "k", made(5, 2), (), {}, ("c", "d"), True)]
    program = Program(values=values, ops=ops)
    profiling.profile(program, torch.device("cpu"), None)
    assert [value.bytes for value in program.values.values()] == [8, 20, 20, 8]


def test_what_was_seen_is_plain():
    """It is kept as JSON."""
    described = ((2,), (1,), "torch.float32", "cpu")
    ops = [Op(name, "k", None, (), {}, (name, None), True, is_foreign=True)
           for name in "ab"]
    program = Program(values={"a": Value("a", 8, described),
                              "b": Value("b", 20, described)}, ops=ops)
    profiler = profiling.Profiler(program, torch.device("cpu"))
    seen = profiler._seen(ops[0], (torch.empty(5), None))
    assert seen == {"bytes": [20, 0]}
    profiler.correct(ops, json.loads(json.dumps({**seen, "draws": True})))
    assert [value.bytes for value in program.values.values()] == [20, 20]
    assert not any(op.recomputable for op in ops) and all(op.has_effect for op in ops)
