# SPDX-License-Identifier: Apache-2.0
"""Ops are timed with numbers that are made up. Not all get along with those."""

import logging

import pytest
import rematch.torch
import torch
from torch import nn


class Solving(nn.Module):
    """Layers with a system of equations in each."""

    def __init__(self, solve, size=16, depth=3):
        super().__init__()
        self.solve = solve
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(depth))
        self.register_buffer("one", torch.eye(size))

    def forward(self, x):
        for layer in self.layers:
            y = torch.tanh(layer(x))
            x = x + self.solve(y.mT @ y + self.one, y.mT).mT
        return x


def by_cholesky(matrix, right):
    return torch.cholesky_solve(right, torch.linalg.cholesky(matrix))


WAYS = {"solve": torch.linalg.solve, "cholesky": by_cholesky,
        "inverse": lambda matrix, right: torch.linalg.inv(matrix) @ right,
        "factors": lambda matrix, right: torch.linalg.lu_solve(
            *torch.linalg.lu_factor(matrix), right)}


@pytest.mark.parametrize("way, kernels", [
    *((way, "eager") for way in WAYS), ("cholesky", "fused"), ("solve", "fused")])
def test_systems_of_equations_are_solved_as_in_eager(way, kernels):
    torch.manual_seed(0)
    model, inputs = Solving(WAYS[way]), torch.randn(8, 32, 16)
    options = {"kernels": kernels, "cache": False, "time_limit": 0.5}

    def gradients(function):
        model.zero_grad()
        function(inputs).square().sum().backward()
        return [parameter.grad for parameter in model.parameters()]

    wanted = gradients(model)
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        rematch.torch.compile(model, 1, **options)(inputs)
    for budget in ("100%", failure.value.least_budget):
        torch._dynamo.reset()
        compiled = rematch.torch.compile(model, budget, **options)
        for found, other in zip(gradients(compiled), wanted, strict=True):
            assert torch.allclose(found, other, rtol=1e-4, atol=1e-5)
    assert any(run.number for run in compiled.rematch_graphs[0].schedule.runs)


class Logarithm(nn.Module):
    """Of a determinant, which has to be positive."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 64)

    def forward(self, x):
        y = self.layer(x).view(-1, 8, 8)
        factor = torch.linalg.cholesky(y @ y.mT + x.sum() * torch.eye(8))
        return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


@pytest.mark.parametrize("kernels", ["eager", "fused"])
def test_what_checks_its_numbers_raises(kernels):
    torch.manual_seed(0)
    function = rematch.torch.compile(Logarithm(), "1GiB", kernels=kernels, cache=False,
                                     time_limit=0.5)
    function(torch.ones(4, 16)).mean().backward()
    assert function.rematch_graphs[0].kernels.name == kernels
    if torch.__version__ < "2.12":  # It leaves the check out, also without a plan.
        assert function(-torch.ones(4, 16)).isnan().all()
        return
    with pytest.raises(RuntimeError, match="not positive-definite"):
        function(-torch.ones(4, 16))


@torch.library.custom_op("rematch_numbers::positive", mutates_args=())
def positive(x: torch.Tensor) -> torch.Tensor:
    """Refuses what profiling makes up."""
    if 0 < x.min() and x.max() <= 1:
        raise ValueError("it is for large numbers")
    return x.clone()


@positive.register_fake
def _(x):
    return torch.empty_like(x)


positive.register_autograd(lambda ctx, gradient: gradient)


def test_what_cannot_be_timed_costs_what_copies_do(caplog):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 16)

        def forward(self, x):
            return self.last(positive(self.first(x)))

    model = Model()
    with caplog.at_level(logging.INFO, "rematch"):
        compiled = rematch.torch.compile(model, "1GiB", kernels="eager", cache=False)
        compiled(10 * torch.randn(4, 16)).sum().backward()
    told = [record.getMessage() for record in caplog.records
            if "made up" in record.getMessage()]
    assert len(told) == 1 and "it is for large numbers" in told[0]
    op, = (op for op in compiled.rematch_graphs[0].program.ops if "positive" in op.kind)
    assert op.cost > 1e-3
    assert all(parameter.grad.any() for parameter in model.parameters())
