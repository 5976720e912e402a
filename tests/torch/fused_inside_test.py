# SPDX-License-Identifier: Apache-2.0
"""Models with something inside of them that fused kernels have to get along with."""

import pytest
import rematch.torch
import torch
from rematch.torch import planner
from rematch.torch.errors import InfeasibleBudget, UnsupportedModel
from torch import nn
from torch.utils.checkpoint import checkpoint

SIZE = 32


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return 2 * x * gradient


class WithFunction(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(SIZE, SIZE)

    def forward(self, x):
        return Square.apply(self.layer(x))


class WithCheckpoints(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(3))
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(lambda x, layer=layer: self.drop(torch.tanh(layer(x))), x,
                           use_reentrant=False)
        return x


class Dropping(nn.Module):
    """Whole samples, as those do that write masks by hand."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            mask = torch.empty_like(x[:, :1]).uniform_() < 0.7
            x = x + torch.tanh(layer(x)) * mask
        return x


class WithAverages(nn.Module):
    """Of activations, as large as these are."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(4))
        for index in range(len(self.layers)):
            self.register_buffer(f"average{index}", torch.zeros(256, SIZE))

    def forward(self, x):
        for index, layer in enumerate(self.layers):
            x = layer(x).tanh()
            getattr(self, f"average{index}").mul_(0.9).add_(x.detach(), alpha=0.1)
        return x.square().mean()


def after(model, function):
    torch.manual_seed(1)
    result = function(torch.randn(16, SIZE))
    result.sum().backward()
    return [result.detach(), *(p.grad for p in model.parameters()),
            torch.get_rng_state()]


@pytest.mark.parametrize("make", [WithFunction, WithCheckpoints, Dropping])
def test_they_are_as_in_torch_compile(make):
    torch.manual_seed(0)
    plain, model = make(), make()
    model.load_state_dict(plain.state_dict())
    wanted = after(plain, torch.compile(plain, dynamic=False))
    torch._dynamo.reset()
    compiled = rematch.torch.compile(model, budget="1GiB", kernels="fused")
    found = after(model, compiled)
    assert compiled.rematch_graphs[0].kernels.name == "fused"
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("middle", [nn.Identity(), nn.LayerNorm(SIZE)])
def test_batches_may_be_empty(middle):
    """With a norm, backward is given a buffer that no kernel has filled."""
    model = nn.Sequential(nn.Linear(SIZE, SIZE), nn.GELU(), middle, nn.Linear(SIZE, 2))
    compiled = rematch.torch.compile(model, budget="1MiB", kernels="fused")
    result = compiled(torch.randn(0, SIZE))
    result.sum().backward()
    assert result.shape == (0, 2)
    assert all(not p.grad.any() for p in model.parameters())


def test_sparse_gradients_are_refused_by_name():
    model = nn.Sequential(nn.Embedding(10, SIZE, sparse=True), nn.Linear(SIZE, 2))
    compiled = rematch.torch.compile(model, budget="1MiB", kernels="fused", cache=False)
    with pytest.raises(UnsupportedModel, match="the layout torch.sparse_coo"):
        compiled(torch.tensor([1, 2])).sum().backward()


def fused_graph():
    compiled = rematch.torch.compile(WithAverages(), budget="1GiB", kernels="fused",
                                     cache=False)
    compiled(torch.randn(256, SIZE)).backward()
    return compiled.rematch_graphs[0]


def test_what_is_written_to_aside_takes_memory_when_it_is_run_again():
    program = fused_graph().program
    changing = [index for index, op in enumerate(program.ops) if op.changes]
    assert changing
    index = changing[0]
    op = program.ops[index]
    assert op.recomputable
    assert op.rerun_workspace == len(op.changes) * 256 * SIZE * 4
    assert op.rerun.snippet.lines[0].startswith(f"{op.changes[0]} = torch.empty_strided")
    sequence = list(range(len(program.ops)))
    at = next(i for i, other in enumerate(program.ops) if other.phase == "backward") + 1
    sequence[at:at] = [index]

    def bytes_of_runs():
        schedule = planner.schedule_of(program, sequence)
        return [run.bytes for run in schedule.runs if run.op is op]

    (first, again), more = bytes_of_runs(), op.rerun_workspace
    op.rerun_workspace = 0
    assert bytes_of_runs() == [first, again - more]


def test_plans_leave_room_for_what_is_written_to_aside():
    program = fused_graph().program
    most = planner.keep_all(program).peak
    with pytest.raises(InfeasibleBudget) as failure:
        planner.plan(program, 1, time_limit=1)
    least = failure.value.least_budget
    for share in (0.0, 0.3, 0.6, 0.9):
        budget = int(least + share * (most - least))
        schedule = planner.plan(program, budget, time_limit=1).schedule
        assert schedule.peak <= budget
        for run in schedule.runs:
            if run.number and run.op.changes:
                assert run.bytes >= schedule.fixed_bytes + run.op.rerun_workspace


def test_graphs_without_gradients_are_not_listed():
    model = nn.Linear(SIZE, SIZE).requires_grad_(False)
    for kernels in ("eager", "fused"):
        torch._dynamo.reset()
        compiled = rematch.torch.compile(model, budget="1GiB", kernels=kernels)
        x = torch.randn(4, SIZE)
        assert torch.allclose(compiled(x), model(x))
        assert compiled.rematch_graphs == []
