# SPDX-License-Identifier: Apache-2.0
"""Fused kernels in the ways in which people train."""

import pytest
import rematch.torch
import torch
from rematch.torch.fused import kernels
from rematch.torch.fused.partition import Partition
from torch import nn
from torch.nn import functional as F

BATCH, SIZE = 64, 32


class Model(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(depth))
        self.norm = nn.BatchNorm1d(SIZE)

    def forward(self, x):
        for layer in self.layers:
            x = F.dropout(F.gelu(layer(x)), 0.1)
        return self.norm(x)


OPTIONS = {"kernels": "fused", "time_limit": 0.5, "cache": False}


@pytest.fixture(scope="module")
def own_partition():
    """PyTorch's, and no other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rematch.torch.choice, "_MOST_WAYS", 1)
        patch.setattr(rematch.torch.choice, "_other_partitions", lambda way: [])
        yield


@pytest.fixture(scope="module")
def least(own_partition):
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        rematch.torch.compile(Model(), 1, **OPTIONS)(torch.randn(BATCH, SIZE))
    torch._dynamo.reset()
    return failure.value.least_budget


@pytest.fixture
def planned(least, own_partition):
    """Compiles a model for the least memory."""
    return lambda model: rematch.torch.compile(model, least, **OPTIONS)


def both(planned, run):
    """Runs ours and Inductor's, and compares everything that is left."""
    ours, theirs = Model(), Model()
    functions = planned(ours), torch.compile(theirs, dynamic=False)
    for model, function in zip((ours, theirs), functions):
        torch.manual_seed(1)
        run(model, function)
        model.drawn = torch.rand(4)
    assert any(each.number for each in functions[0].rematch_graphs[0].schedule.runs)
    assert torch.equal(ours.drawn, theirs.drawn)
    for (name, a), b in zip(ours.named_parameters(), theirs.parameters()):
        assert torch.equal(a, b) and torch.equal(a.grad, b.grad), name
    for a, b in zip(ours.buffers(), theirs.buffers()):
        assert torch.equal(a, b)


def test_gradients_add_up(planned):
    inputs = torch.randn(BATCH, SIZE)

    def run(_, function):
        for scale in (1.0, 0.5, 2.0):
            function(scale * inputs).square().mean().backward()

    both(planned, run)


def test_an_error_in_backward_does_no_harm(planned):
    inputs = torch.randn(BATCH, SIZE)

    def fail(_):
        raise RuntimeError("on purpose")

    def run(model, function):
        output = function(inputs)
        handle = output.register_hook(fail)
        with pytest.raises(RuntimeError, match="on purpose"):
            output.sum().backward()
        handle.remove()
        model.zero_grad()
        function(inputs).square().mean().backward()

    both(planned, run)


def test_autocast_is_inductors():
    inputs = torch.randn(BATCH, SIZE)

    def run(_, function):
        with torch.autocast("cpu", torch.bfloat16):
            loss = function(inputs).float().square().mean()
        loss.backward()

    ours, theirs = Model(), Model()
    function = rematch.torch.compile(ours, "1GiB", kernels="fused", cache=False)
    for model, each in ((ours, function), (theirs, torch.compile(theirs, dynamic=False))):
        torch.manual_seed(1)
        run(model, each)
    for a, b in zip(ours.parameters(), theirs.parameters()):
        assert torch.equal(a.grad, b.grad)


def test_the_loss_of_a_hundred_steps_is_inductors(planned):
    inputs, targets = torch.randn(BATCH, SIZE), torch.randn(BATCH, SIZE)
    curves = []

    def run(model, function):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        curves.append([])
        for _ in range(100):
            optimizer.zero_grad()
            loss = F.mse_loss(function(inputs), targets)
            loss.backward()
            optimizer.step()
            curves[-1].append(loss.item())

    both(planned, run)
    assert curves[0] == curves[1] and curves[0][-1] < curves[0][0]


def test_as_a_backend_of_torch_compile():
    ours, theirs = Model(), Model()
    inputs = torch.randn(BATCH, SIZE)
    seen = []
    options = {"budget": "1GiB", "kernels": "fused", "cache": False,
               "on_plan": seen.append}
    for model, function in (
            (ours, torch.compile(ours, backend="rematch", options=options,
                                 dynamic=False)),
            (theirs, torch.compile(theirs, dynamic=False))):
        torch.manual_seed(1)
        function(inputs).sum().backward()
    assert [graph.kernels.name for graph in seen] == ["fused"]
    for a, b in zip(ours.parameters(), theirs.parameters()):
        assert torch.equal(a.grad, b.grad)


class Counting(nn.Module):
    """Draws by an operator that makes its own result."""

    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x) * torch.poisson(torch.ones(1024, SIZE)))
        return x


def test_what_is_drawn_again_in_backward_is_the_same():
    """The generator's state is among what forward keeps for that."""
    def step_of(model, budget):
        torch._dynamo.reset()
        return rematch.torch.TrainStep(model, lambda output, _: output.square().mean(),
                                       budget=budget, kernels="fused", cache=False,
                                       time_limit=1)

    inputs = torch.randn(1024, SIZE)
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        step_of(Counting(), 1)(inputs, None)
    found = []
    for budget in ("100%", failure.value.least_budget):
        torch.manual_seed(0)
        model = Counting()
        step = step_of(model, budget)
        step(inputs, None)
        found.append([parameter.grad for parameter in model.parameters()])
    assert any(name.endswith("_state") for name in step.graphs[0].schedule.boundary)
    assert all(torch.equal(a, b) for a, b in zip(*found))


class Moving(nn.Module):
    """Reads averages that it then changes."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(3))
        self.register_buffer("mean", torch.ones(2, SIZE // 2))

    def forward(self, x):
        before = self.mean.clone().view(SIZE)
        for layer in self.layers:
            x = F.gelu(layer(x)) * before
        self.mean.mul_(0.5).add_(x.detach().mean(0).view(2, -1))
        return x.square().mean()


def moved(compile_with):
    torch._dynamo.reset()
    model = Moving()
    function = compile_with(model)
    batches = torch.Generator().manual_seed(1)
    for _ in range(2):
        function(torch.randn(BATCH, SIZE, generator=batches)).backward()
    return [*(parameter.grad for parameter in model.parameters()), model.mean], function


@pytest.mark.parametrize("options", [
    {}, {"recompute": ["mul"]}, {"all_fusible": True}], ids=["own", "named", "fusible"])
def test_backward_reads_what_was_there_before_it_was_overwritten(options, monkeypatch):
    """torch.compile itself reads what is there later."""
    partition = Partition.from_record({"recompute": [], **options})
    original = kernels.FusedKernels._with.__func__
    monkeypatch.setattr(kernels.FusedKernels, "_with", classmethod(
        lambda cls, compiler, _: original(cls, compiler, partition)))
    wanted, _ = moved(lambda model: model)
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        moved(lambda model: rematch.torch.compile(model, 1, **OPTIONS))
    for budget in ("100%", failure.value.least_budget):
        found, run = moved(lambda model: rematch.torch.compile(model, budget, **OPTIONS))
        assert all(map(torch.allclose, found, wanted)), budget
        program = run.rematch_graphs[0].program
        changed = {name for op in program.ops for name in op.changes or ()}
        readers = [op for op in program.ops if changed & set(program.inputs_of(op))]
        assert readers and not any(op.recomputable for op in readers)


def test_what_a_foreign_operator_overwrites_is_named():
    @torch.library.custom_op("rematch_tests::double_in_place", mutates_args=("x",))
    def double(x: torch.Tensor) -> None:
        x.mul_(2)

    class Doubling(Model):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.ones(SIZE))

        def forward(self, x):
            double(self.scale)
            return super().forward(x) * self.scale.clone()

    model = rematch.torch.compile(Doubling(), "1GiB", **OPTIONS)
    with pytest.raises(rematch.torch.UnsupportedModel,
                       match="backward reads 'scale', which forward has overwritten; "
                             "kernels='eager' does without Inductor"):
        model(torch.randn(BATCH, SIZE))
