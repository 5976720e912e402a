# SPDX-License-Identifier: Apache-2.0
"""What a rerun makes again, and what only the first run makes: any sequence of runs that
a plan may have gives the same."""

from dataclasses import replace

import pytest
import rematch.torch
import torch
from rematch.torch import planner
from torch import nn
from torch.nn import functional as F


class Thrice(nn.Module):
    """One norm, whose statistics go from each use to the next."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(16, 16), nn.BatchNorm1d(16)

    def forward(self, x):
        for _ in range(3):
            x = F.dropout(self.norm(F.gelu(self.linear(x))), 0.2)
        return x.square().mean()


class Siamese(nn.Module):
    def __init__(self, affine=True):
        super().__init__()
        self.part = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8, affine=affine), nn.ReLU(),
            nn.Conv2d(8, 8, 3), nn.InstanceNorm2d(8, track_running_stats=True),
            nn.Dropout(0.1), nn.Flatten(), nn.Linear(288, 8))

    def forward(self, x):
        return F.cosine_similarity(self.part(x), self.part(-x)).mean()


def plain():
    return Siamese(affine=False)


BATCHES = {Thrice: (8, 16), Siamese: (4, 3, 10, 10), plain: (4, 3, 10, 10)}


def trained(make, compile_with=lambda model: model):
    """Everything that two steps leave behind, and what was run."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = make()
    batch = torch.randn(BATCHES[make])
    run = compile_with(model)
    for _ in range(2):
        loss = run(batch)
        loss.backward()
    left = [loss.detach(), *(p.grad for p in model.parameters()), *model.buffers(),
            torch.get_rng_state()]
    return [item.clone() for item in left], run


def planned(budget="100%", **options):
    return lambda model: rematch.torch.compile(
        model, budget, kernels="eager", time_limit=0.3, cache=False, **options)


def index_of(program, name):
    return next(i for i, op in enumerate(program.ops) if op.name == name)


def sequences(program):
    """Each of which runs something again: at once, before forward ends, or before
    backward needs it."""
    ops = program.ops
    every = list(range(len(ops)))
    end = next(i for i, op in enumerate(ops) if op.name == "tangents")
    for index, op in enumerate(ops[:end]):
        if not op.recomputable or op.call is None:
            continue
        again = [i for i in range(index + 1) if ops[i].recomputable]
        yield [*every[:index + 1], index, *every[index + 1:]]
        yield [*every[:end], *again, *every[end:]]
        yield [*every[:end + 1], *again, *every[end + 1:]]


@pytest.mark.parametrize("make", BATCHES)
def test_any_sequence_gives_the_same(make):
    wanted, run = trained(make, planned())
    eager, _ = trained(make)
    assert all(map(torch.equal, wanted, eager))
    graph = run.rematch_graphs[0]
    saved, many = graph.saved(), list(sequences(graph.program))
    for sequence in many[::max(1, len(many) // 12)]:
        assert not planner._damage(graph.program, sequence)
        found, _ = trained(make, planned(
            "1MiB", plan=replace(saved, sequence=sequence)))
        assert all(map(torch.equal, found, wanted)), sequence


def norm_in(program):
    return [i for i, op in enumerate(program.ops) if op.made_once][-1]


def test_statistics_are_not_those_of_a_rerun():
    wanted, run = trained(Thrice, planned())
    graph = run.rematch_graphs[0]
    program = graph.program
    last = norm_in(program)
    copies = min(i for i, op in enumerate(program.ops) if not op.outputs and op.call)
    assert last < copies
    sequence = [*range(copies), last, *range(copies, len(program.ops))]
    found, again = trained(Thrice, planned(
        "1MiB", plan=replace(graph.saved(), sequence=sequence)))
    assert all(map(torch.equal, found, wanted))


def test_statistics_go_once_they_are_read():
    """Neither reruns nor backward read them."""
    _, run = trained(Thrice, planned())
    graph = run.rematch_graphs[0]
    made = {name for op in graph.program.ops for name in op.made_once}
    assert len(made) == 6
    assert made.isdisjoint(graph.schedule.boundary)
    number_of = {copy.value: run.number for run in graph.schedule.runs
                 for copy in run.makes if copy}
    assert {number_of[name] for name in made} == {0}


def test_a_first_run_may_be_for_nothing_but_the_generator():
    wanted, run = trained(Siamese, planned())
    graph = run.rematch_graphs[0]
    program = graph.program
    drop = max(i for i, op in enumerate(program.ops) if op.state is not None)
    sequence = [*range(drop + 1), drop, *range(drop + 1, len(program.ops))]
    found, _ = trained(Siamese, planned(
        "1MiB", plan=replace(graph.saved(), sequence=sequence)))
    assert all(map(torch.equal, found, wanted))


class Twins(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Sequential(
            nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3),
            nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 144, 8))

    def forward(self, x):
        return F.cosine_similarity(self.part(x), self.part(x.flip(-1))).mean()


BATCHES[Twins] = (4, 3, 16, 16)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.6])
def test_statistics_of_several_uses_are_right_within_a_budget(share):
    wanted, run = trained(Twins, planned())
    most = run.rematch_graphs[0].peak_bytes
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        trained(Twins, planned(1))
    least = failure.value.least_budget
    found, again = trained(Twins, planned(int(least + share * (most - least))))
    assert all(map(torch.equal, found, wanted))
    assert any(run.number for run in again.rematch_graphs[0].schedule.runs)
