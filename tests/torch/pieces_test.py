# SPDX-License-Identifier: Apache-2.0
"""Models that PyTorch captures in several graphs: one budget for all."""

import pytest
import rematch.torch
import torch
from live_memory import LiveMemory
from rematch.torch import InfeasibleBudget, planner
from torch import nn

WIDTH, ROWS = 32, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.down(nn.functional.gelu(self.up(x)).tanh())
        return nn.functional.dropout(x, 0.1)


class Cut(nn.Module):
    """Of two pieces, each of several blocks."""

    def __init__(self, first=3, second=3):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Sequential(*(Block() for _ in range(first)))
        self.second = nn.Sequential(*(Block() for _ in range(second)))

    def forward(self, x):
        x = self.first(x)
        torch._dynamo.graph_break()
        return self.second(x).square().mean()


class CutEachTime(nn.Module):
    """One piece that is called several times."""

    def __init__(self, blocks=4):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
            torch._dynamo.graph_break()
        return x.square().mean()


def step(model, function, x, seed):
    model.zero_grad()
    torch.manual_seed(seed)
    loss = function(x)
    loss.backward()
    return [loss.detach(), *(p.grad.clone() for p in model.parameters())]


def peak_of(model, function, x):
    model.zero_grad()
    live = LiveMemory()
    with live:
        live.hold([*model.parameters(), x])
        function(x).backward()
    return live.peak


def keep_everything(program, **_):
    every_op = list(range(len(program.ops)))
    return planner.restored(program, every_op, None, program.outside_bytes, "")


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(("make", "share", "in_place"), [
    (Cut, 0.9, True), (Cut, 0.75, False), (CutEachTime, 0.9, False),
    (CutEachTime, 0.75, True)])
def test_pieces_together_stay_within_the_budget(make, share, in_place):
    torch._dynamo.reset()
    model, x = make(), torch.randn(ROWS, WIDTH)
    expected = [step(model, model, x, seed) for seed in range(3)]
    whole = peak_of(model, model, x)
    budget = int(share * whole)
    planned = rematch.torch.compile(model, budget=budget, time_limit=0.5,
                                    in_place=in_place)
    found = [step(model, planned, x, seed) for seed in range(3)]
    assert all(same(a, b) for a, b in zip(found, expected, strict=True))
    assert peak_of(model, planned, x) <= budget
    assert len(planned.rematch_graphs) > 1
    assert not any(graph.is_provisional for graph in planned.rematch_graphs)


def test_with_room_for_all_nothing_is_recomputed():
    torch._dynamo.reset()
    model, x = Cut(), torch.randn(ROWS, WIDTH)
    planned = rematch.torch.compile(model, budget=10**9, time_limit=0.5)
    for seed in range(2):
        step(model, planned, x, seed)
    graphs = planned.rematch_graphs
    assert len(graphs) == 2
    assert not any(run.number for graph in graphs for run in graph.schedule.runs)


def test_pieces_that_do_not_fit_together_are_refused(monkeypatch):
    torch._dynamo.reset()
    model, x = Cut(), torch.randn(ROWS, WIDTH)
    planned = rematch.torch.compile(model, budget=100_000, time_limit=0.5)
    with pytest.raises(InfeasibleBudget, match="in all of its graphs and calls") as failure:
        for seed in range(2):
            step(model, planned, x, seed)
    least = failure.value.least_budget
    # That budget works, also if this time the search finds nothing as good.
    monkeypatch.setattr(planner, "plan_least", keep_everything)
    torch._dynamo.reset()
    planned = rematch.torch.compile(model, budget=least, time_limit=0.5)
    for seed in range(2):
        step(model, planned, x, seed)
    assert peak_of(model, planned, x) <= least


def test_a_share_is_of_all_pieces():
    model, x = Cut(), torch.randn(ROWS, WIDTH)
    planned = rematch.torch.compile(model, budget="100%", time_limit=0.5)
    for seed in range(2):
        step(model, planned, x, seed)
    assert not any(run.number for graph in planned.rematch_graphs
                   for run in graph.schedule.runs)


class PartlyFrozen(nn.Module):
    """Of three pieces, of which the second has no gradient and takes the most."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = Block(), Block()

    def forward(self, x):
        y = self.first(x)
        torch._dynamo.graph_break()
        z = torch.cat([x] * 8, 1).cos()
        torch._dynamo.graph_break()
        return self.last(y).square().mean() * z.mean()


@pytest.mark.parametrize("kernels", ["eager", "fused"])
def test_pieces_without_gradients_are_within_the_budget(kernels):
    torch._dynamo.reset()
    model, x = PartlyFrozen(), torch.randn(ROWS, WIDTH)
    options = {"time_limit": 0.3, "kernels": kernels, "cache": False}
    planned = rematch.torch.compile(model, budget=1, **options)
    with pytest.raises(InfeasibleBudget) as failure:
        for seed in range(2):
            step(model, planned, x, seed)
    least = failure.value.least_budget
    torch._dynamo.reset()
    planned = rematch.torch.compile(model, budget=least, **options)
    for seed in range(2):
        step(model, planned, x, seed)
    assert len(planned.rematch_graphs) == 2
    assert peak_of(model, planned, x) <= least


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.last = nn.LSTM(WIDTH, WIDTH), Block()

    def forward(self, x):
        return self.last(self.cell(x)[0])


def test_what_pytorch_does_not_capture_is_told_once(caplog):
    torch._dynamo.reset()
    planned = rematch.torch.compile(Recurrent(), budget="1MiB", time_limit=0.3)
    for _ in range(3):
        planned(torch.randn(8, 2, WIDTH)).sum().backward()
    told = [record.message for record in caplog.records if "LSTM" in record.message]
    assert told == ["'cell' (LSTM) is not captured by PyTorch: it runs as it is, "
                    "outside of the budget"]


def test_a_budget_inside_of_a_compiled_model_is_told(caplog):
    torch._dynamo.reset()
    model = Cut()
    rematch.torch.compile(model.first, budget=1, in_place=True)
    planned = rematch.torch.compile(model, budget="10MiB", time_limit=0.3)
    planned(torch.randn(ROWS, WIDTH)).backward()
    assert "'first' (Sequential) was compiled with a budget of its own" in caplog.text
