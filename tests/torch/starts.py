# SPDX-License-Identifier: Apache-2.0
"""Help for tests of second starts: a small network that starts, and what is done then."""

import pytest
import rematch.torch
import torch
import torch._functorch.aot_autograd as aot
from rematch.torch.fused import kernels as fused_kernels
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    """Draws numbers and has running statistics."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(16, 64), nn.Linear(64, 16)
        self.norm = nn.BatchNorm1d(64)

    def forward(self, x):
        return self.second(F.dropout(self.norm(F.gelu(self.first(x))), 0.25))


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))


@pytest.fixture
def work(monkeypatch):
    """What is done at a start, as it is done."""
    done = []

    def noting(owner, name):
        original = getattr(owner, name)

        def call(*args, **kwargs):
            done.append(name)
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    noting(aot, "aot_stage1_graph_capture")
    noting(fused_kernels, "Lowering")
    noting(rematch.torch.PlannedGraph, "partition")
    return done


ALL = {"aot_stage1_graph_capture", "partition", "Lowering"}


def started(make=Net, budget="100%", kernels="fused", **options):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = make()
    return model, rematch.torch.compile(model, budget=budget, kernels=kernels, **options)


def trained(steps=2, **options):
    """All that a few steps leave behind, and the graph."""
    model, compiled = started(**options)
    for _ in range(steps):
        loss = compiled(torch.randn(64, 16)).square().mean()
        loss.backward()
    left = [loss.detach(), *(p.grad for p in model.parameters()), *model.buffers(),
            torch.get_rng_state()]
    return [item.clone() for item in left], compiled.rematch_graphs[0]


def equal(some, others):
    return all(torch.equal(a, b) for a, b in zip(some, others, strict=True))
