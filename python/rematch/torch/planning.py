# SPDX-License-Identifier: Apache-2.0
"""Plans without a step being run, and the largest batch that has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from rematch.torch.backend import Backend
from rematch.torch.dynamo import guarded, settings
from rematch.torch.errors import (InfeasibleBudget, OutOfMemory,
                                  RematchTorchError, UnsupportedModel)
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.step import WithLoss


class _Planned(RematchTorchError):
    """Ends the compilation once there is a plan."""


def plan(model: torch.nn.Module, inputs: Any, targets: Any = None, *,
         loss_fn: Callable | None = None, budget: int | str = "auto",
         **options: Any) -> PlannedGraph:
    """What `TrainStep` would run; nothing is run.

    With `gpu="H100"` the model need not be on a GPU, nor have any contents: it may
    be made under `torch._subclasses.FakeTensorMode`.
    """
    def stop(_: PlannedGraph) -> None:
        raise _Planned

    backend = Backend(Options.parse(
        {"budget": budget, **options, "on_plan": stop}))
    step = guarded(torch.compile(WithLoss(model, loss_fn), backend=backend,
                                 fullgraph=True, **settings()))
    try:
        step(inputs, targets)
    except _Planned:
        return backend.graphs[-1]
    raise UnsupportedModel("nothing in the model needs a gradient")


@dataclass
class BatchSize:
    batch: int
    plan: PlannedGraph  # With that batch.
    # By batch: the least bytes with which it trains.
    least_bytes: dict[int, int] = field(default_factory=dict)


class _Search:
    def __init__(self, model, make_batch, overhead, options) -> None:
        self.model, self.make_batch = model, make_batch
        self.overhead, self.options = overhead, options
        self.least: dict[int, int] = {}
        self.plans: dict[int, PlannedGraph | None] = {}

    def least_bytes(self, batch: int) -> int:
        if batch not in self.least:
            try:
                inputs, targets = self.make_batch(batch)
                plan(self.model, inputs, targets, **{**self.options, "budget": 1})
            except InfeasibleBudget as error:
                self.least[batch] = error.least_budget
        return self.least[batch]

    def fits(self, batch: int) -> bool:
        if batch not in self.plans:
            inputs, targets = self.make_batch(batch)
            try:
                found = plan(self.model, inputs, targets, **self.options)
                self.plans[batch] = found if self._is_cheap(found) else None
            except InfeasibleBudget as error:
                self.plans[batch] = None
                self.least[batch] = error.least_budget
            except OutOfMemory:
                self.plans[batch] = None
        return self.plans[batch] is not None

    def _is_cheap(self, found: PlannedGraph) -> bool:
        return self.overhead is None or found.overhead <= self.overhead

    def guess(self, low: int, high: int | None) -> int:
        """Memory grows with the batch as a straight line, almost."""
        below = max(batch for batch in self.least if batch <= low)
        above = high or below + 1
        if high is not None and (high not in self.least or self._has_room(high)):
            return (low + high) // 2  # It is not memory that is missing.
        slope = max(1, (self.least_bytes(above) - self.least[below])
                    // (above - below))
        return below + (self.plans[1].budget - self.least[below]) // slope

    def _has_room(self, batch: int) -> bool:
        return self.least[batch] <= self.plans[1].budget


def max_batch(model: torch.nn.Module, make_batch: Callable[[int], tuple[Any, Any]],
              *, loss_fn: Callable | None = None, budget: int | str,
              overhead: float | None = None, most: int = 2**20,
              **options: Any) -> BatchSize:
    """The largest batch that trains within the budget.

    `make_batch(n)` gives inputs and targets as `TrainStep` takes them. `overhead`
    is how much more time may be spent, as a share of the step that keeps
    everything: 0.33 is about one more forward pass. The search believes that a
    larger batch needs no less memory.
    """
    options = {**options, "loss_fn": loss_fn, "budget": budget}
    search = _Search(model, make_batch, overhead, options)
    if not search.fits(1):
        raise InfeasibleBudget(
            "a batch of 1 does not train within the budget"
            + (f" at an overhead of {overhead:.0%}" if overhead is not None else "")
            + f"; the least budget for it is {search.least_bytes(1)} bytes",
            search.least_bytes(1))
    search.least_bytes(1)
    low, high = 1, None
    while low < most and (high is None or high - low > 1):
        at_least = low + (1 if high else max(1, low // 8))
        trial = min(max(search.guess(low, high), at_least), (high or most + 1) - 1)
        if search.fits(trial):
            low = trial
        else:
            high = trial
    return BatchSize(low, search.plans[low], dict(sorted(search.least.items())))
