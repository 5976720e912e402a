# SPDX-License-Identifier: Apache-2.0
"""One budget for a model that PyTorch captures in several graphs.

How many graphs there are is known after the first step, which is therefore run
with the plans that take the least memory. Then all are planned together: what they
keep between their passes, as often as they are called in a step, and what the
largest needs while it runs, fit the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import rematch
from rematch.torch import planner
from rematch.torch.errors import InfeasibleBudget
from rematch.torch.plain_graph import PlainGraph
from rematch.torch.program import Program
from rematch.torch.schedule import Schedule

_TRIALS = 6  # Of how much room to give, each a plan for each graph.
_TRIAL_SECONDS = 0.3  # For each of those plans.


@dataclass
class Part:
    """One of the graphs."""

    program: Program
    calls: int  # In a step.
    always_bytes: int  # Of those of its inputs that are there all the time.
    gradient_bytes: int  # That its backward leaves behind.

    def alone(self, schedule: Schedule) -> int:
        """What it needs while it runs, besides what is there all the time."""
        return schedule.peak - self.program.outside_bytes - self.always_bytes

    def kept(self, schedule: Schedule) -> int:
        """Between the passes of one call."""
        values = self.program.values
        return sum(values[name].bytes for name in schedule.boundary
                   if name in values)


@dataclass
class Others:
    """The graphs that have no gradients. What they return may be there to the end."""

    kept: int = 0
    at_work: int = 0  # Of the largest, besides what it returns.

    @classmethod
    def of(cls, graphs: Sequence[PlainGraph]) -> Others:
        return cls(sum(max(1, graph.most_calls) * graph.kept for graph in graphs),
                   max((graph.peak - graph.kept for graph in graphs), default=0))


_NONE = Others()


def total(parts: list[Part], schedules: list[Schedule], outside: int,
          others: Others = _NONE) -> int:
    """The most that a step can take: all that is kept, all gradients, and the one
    that needs most besides at work."""
    kept = sum(part.calls * part.kept(schedule)
               for part, schedule in zip(parts, schedules))
    gradients = sum(part.gradient_bytes for part in parts)
    largest = max(part.alone(schedule) - part.kept(schedule) - part.gradient_bytes
                  for part, schedule in zip(parts, schedules))
    return outside + kept + gradients + others.kept + max(largest, others.at_work)


class Sharing:
    """`outside` is there all the time: weights, batches, and what else there is."""

    def __init__(self, parts: list[Part], budget: int, outside: int,
                 seconds: float, known: list[list[int]] | None = None,
                 others: Others = _NONE, **search) -> None:
        """`known` are sequences, one for each part, that together need little."""
        self.parts, self.budget, self.outside = parts, budget, outside
        self.seconds, self.search = seconds, search
        self.others = others
        self.least = [planner.plan_least(part.program) for part in parts]
        if known is not None:
            others = [planner.restored(part.program, sequence, None, 0, "")
                      for part, sequence in zip(parts, known)]
            self.least = min(self.least, others, key=self._need)
        self.most = [planner.keep_all(part.program).peak for part in parts]

    def _plans(self, share: float, seconds: float) -> list[planner.Planned]:
        """Each with so much of the way between its least and keeping everything."""
        found = []
        for part, least, most in zip(self.parts, self.least, self.most):
            low = least.schedule.peak
            limit = low + int(share * max(0, most - low))
            try:
                found.append(planner.plan(part.program, limit, time_limit=seconds,
                                          **self.search))
            except InfeasibleBudget:
                found.append(least)
        return found

    def _need(self, plans: list[planner.Planned]) -> int:
        return total(self.parts, [plan.schedule for plan in plans], self.outside,
                     self.others)

    def plans(self) -> list[planner.Planned]:
        """For each part. Raises InfeasibleBudget."""
        best = self.least
        if self._need(best) > self.budget:
            need = self._need(best)
            raise InfeasibleBudget(
                "what the model needs in all of its graphs and calls does not fit "
                f"{rematch.format_bytes(self.budget)} ({self.budget} bytes); "
                f"the least budget that works is {rematch.format_bytes(need)} "
                f"({need} bytes)", need)
        low, high = 0.0, 2.0
        share = 1.0
        for _ in range(_TRIALS):
            plans = self._plans(share, _TRIAL_SECONDS)
            if self._need(plans) <= self.budget:
                best, low = plans, share
                if share >= 1.0:
                    break
            else:
                high = share
            share = (low + high) / 2
        # With more time, and the same room.
        plans = self._plans(low, self.seconds)
        return plans if self._need(plans) <= self.budget else best
