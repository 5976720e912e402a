# SPDX-License-Identifier: Apache-2.0
"""The largest batch that trains within a budget.

What a batch needs grows with it as a straight line, almost. Each batch that is tried
says what it needs, and the line through two of them which to try next; the last two,
one sample apart, are planned for real.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

import rematch
from rematch.torch import planner
from rematch.torch.errors import InfeasibleBudget, OutOfMemory
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.planning import plan

_FIRST = 4  # The batch that is tried first: some layers do not train with 1.
_POINTS = 12  # Of the curve of time against memory.
_CURVE_SECONDS = 2.0


@dataclass
class BatchSize:
    batch: int
    plan: PlannedGraph  # With that batch.
    # By batch that was tried: about the least bytes with which it trains, in the
    # time allowed.
    least_bytes: dict[int, int] = field(default_factory=dict)


class _Search:
    def __init__(self, model, make_batch, overhead, options) -> None:
        self.model, self.make_batch = model, make_batch
        self.overhead, self.options = overhead, options
        self.needs: dict[int, int] = {}
        self.plans: dict[int, PlannedGraph | None] = {}
        self.budget: int | None = None

    def fits(self, batch: int) -> bool:
        if batch not in self.plans:
            inputs, targets = self.make_batch(batch)

            def note(graph: PlannedGraph) -> None:
                self.budget = graph.budget
                need = self._need(graph)
                if need is not None:
                    self.needs[batch] = need

            try:
                found = plan(self.model, inputs, targets, on_measured=note,
                             **self.options)
                self.plans[batch] = found if self._is_cheap(found.overhead) else None
            except (InfeasibleBudget, OutOfMemory):
                self.plans[batch] = None
        return self.plans[batch] is not None

    def first_that_fits(self, batch: int) -> int:
        """This one, or the first of its halves that does."""
        while not self.fits(batch):
            if batch == 1:
                raise self._none_fits(batch)
            try:
                self.fits(batch // 2)
            except Exception as error:  # Some layers do not train with 1.
                raise self._none_fits(batch, f", and one of {batch // 2} cannot "
                                      "be run") from error
            batch //= 2
        return batch

    def _none_fits(self, batch: int, more: str = "") -> InfeasibleBudget:
        text = f"a batch of {batch} does not train within the budget"
        if self.overhead is not None:
            text += f" at an overhead of {self.overhead:.0%}"
        least = self.needs.get(batch)
        if least is not None:
            text += f"; the least budget for it is about {least} bytes"
        return InfeasibleBudget(text + more, least)

    def _is_cheap(self, overhead: float) -> bool:
        return self.overhead is None or overhead <= self.overhead

    def _need(self, graph: PlannedGraph) -> int | None:
        """Bytes, from the curve of time against memory."""
        curve = rematch.solve_frontier(planner.to_graph(graph.program),
                                       num_points=_POINTS, time_limit=_CURVE_SECONDS)
        if self.overhead is None:
            return curve.least_peak
        wanted = (1 + self.overhead) * sum(op.cost for op in graph.program.ops)
        points = [(point.cost, point.peak_bytes) for point in curve.points
                  if point.plan is not None]
        cheap = [point for point in points if point[0] <= wanted]
        costly = [point for point in points if point[0] > wanted]
        if not cheap or not costly:
            return min((peak for _, peak in cheap), default=None)
        (cost, peak), (above, below) = cheap[0], costly[-1]
        return peak - int((peak - below) * (wanted - cost) / (above - cost))

    def guess(self, low: int) -> int:
        """Where the line through what was tried reaches the budget."""
        below = [batch for batch in sorted(self.needs) if batch <= low]
        above = [batch for batch in sorted(self.needs) if batch > low]
        if not below:
            return 2 * low
        # Between what fits and what does not; else through the origin, at first:
        # that is too few, not too many.
        near = below[-1]
        far = above[0] if above else below[0] if len(below) > 1 else 0
        slope = (self.needs[near] - self.needs.get(far, 0)) / (near - far)
        room = self.budget - self.needs[near]
        return near + int(room / slope) if slope > 0 else 2 * low


class _Steps:
    """How far the next trial is from the last: at least 1, and twice as far each
    time if the guesses are no good."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high  # Fits, does not fit.
        self.up = self.down = 1

    def next(self, guess: int) -> int:
        if self.low + self.up > self.high - self.down:
            return (self.low + self.high) // 2
        return max(self.low + self.up, min(guess, self.high - self.down))

    def tried(self, trial: int, fits: bool) -> None:
        if fits:
            self.up = 2 * self.up if trial == self.low + self.up else 1
            self.low, self.down = trial, 1
        else:
            self.down = 2 * self.down if trial == self.high - self.down else 1
            self.high, self.up = trial, 1


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
    if isinstance(budget, str) and budget.endswith("%"):
        raise ValueError(f"budget must be bytes or 'auto', not {budget!r}: what it "
                         "would be a share of depends on the batch")
    if overhead is not None and not overhead >= 0:
        raise ValueError(f"overhead must be at least 0, not {overhead!r}")
    options = {**options, "loss_fn": loss_fn, "budget": budget}
    search = _Search(model, make_batch, overhead, options)
    first = min(_FIRST, most)
    low = search.first_that_fits(first)
    steps = _Steps(low, 2 * low if low < first else most + 1)
    while steps.high - steps.low > 1:
        trial = steps.next(search.guess(steps.low))
        steps.tried(trial, search.fits(trial))
    return BatchSize(steps.low, search.plans[steps.low],
                     dict(sorted(search.needs.items())))
