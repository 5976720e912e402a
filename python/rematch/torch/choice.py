# SPDX-License-Identifier: Apache-2.0
"""Which kernels a graph is run with.

The same step can be had in several ways: with PyTorch's own kernels, or with fused
ones, of which backward may compute more or less again by itself. Each way is
planned, and the one that takes the least time within the budget is run.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import rematch
from rematch.torch.eager_kernels import EagerKernels
from rematch.torch.errors import InfeasibleBudget, RematchTorchError, UnsupportedModel
from rematch.torch.meanwhile import Meanwhile
from rematch.torch.planner import NothingBetter, Planned
from rematch.torch.program import Program
from rematch.torch.schedule import Schedule

log = logging.getLogger("rematch")

_MOST_WAYS = 3  # One after the other, each from the plan of the one before.
_MOST_WAYS_TO_FIT = 6  # Where nothing fits yet.
# Of the time: less recomputation is left as it is; up to this much, the way in which
# people do it by hand is not tried.
_WORTH_A_TRY = 0.005
_MUCH = 0.05
_TOO_LITTLE = 0.001  # To look for.
_LITTLE = 0.01  # Of the memory: what is gained after that is not worth the wait.


@dataclass
class Way:
    """`planned` is None if nothing fits the budget: `failure` then says so, and
    `schedule` is the one that takes least."""

    kernels: Any
    program: Program
    ranks: Any
    planned: Planned | None
    failure: InfeasibleBudget | None = None
    schedule: Schedule | None = None

    @property
    def cost(self) -> float:
        """Microseconds."""
        return self.planned.schedule.cost if self.planned else math.inf

    @property
    def least(self) -> float:
        """Bytes, where nothing fits."""
        return self.failure.least_budget or math.inf

    def is_better_than(self, other: Way) -> bool:
        if self.planned and other.planned:
            return self.cost < other.cost
        if self.planned or other.planned:
            return other.planned is None
        return self.least < other.least

    def __str__(self) -> str:
        if self.planned is None:
            return f"{self.kernels}: {self.failure}"
        schedule = self.planned.schedule
        return (f"{self.kernels}: {len(self.program.ops)} ops, "
                f"{schedule.cost / 1e3:.1f} ms in "
                f"{rematch.format_bytes(schedule.peak)}")

    def recomputes(self, share: float) -> bool:
        """More than this share of the time."""
        runs = self.schedule.runs if self.schedule else ()
        again = sum(run.op.cost for run in runs if run.number)
        return again > share * sum(op.cost for op in self.program.ops)


# Plans with kernels. Raises NothingBetter if it is clear that no plan takes less than so
# many microseconds.
PlanWith = Callable[[Any, float], Way]


def choose(kernels: Any, may_fall_back: bool, plan_with: PlanWith,
           known: Callable[[Way], Iterable[dict]] = lambda _: (),
           meanwhile: Meanwhile | None = None) -> Way:
    """The best way. Eager kernels are used if those at hand cannot be and that is
    allowed. `known` gives records of kernels that were better before than the way at
    hand: more memory never costs time. `meanwhile` is given what will be compiled."""
    try:
        best = _planned(kernels, plan_with)
    except UnsupportedModel as error:
        if not may_fall_back:
            raise
        log.info("not with fused kernels: %s", error)
        return plan_with(EagerKernels(why=str(error)), math.inf)
    if best.planned is None and kernels.is_settled:
        if (fresh := kernels.start_over()) is not None:
            best = _planned(fresh, plan_with)
    first, meanwhile = best, meanwhile or Meanwhile()
    others = [meanwhile.add(make) for make in _other_partitions(first)]
    last = best = _refined(first, plan_with)
    for make in others:
        found = _tried(make, plan_with, best.cost)
        if found and found.is_better_than(best):
            best = found
    if best is not last:
        best = _refined(best, plan_with)
    if best.kernels.is_settled and not best.kernels.is_remembered:
        return best
    return _as_before(best, plan_with, known)


def _refined(best: Way, plan_with: PlanWith) -> Way:
    """With what its plan drops computed again by backward, and with what the plan of
    that drops, as long as that is better."""
    count = 1
    while count < (_MOST_WAYS if best.planned else _MOST_WAYS_TO_FIT):
        found = _another(best, plan_with, best.cost)
        if found is None or not found.is_better_than(best):
            break
        is_over = found.planned is None and found.least > best.least * (1 - _LITTLE)
        best, count = found, count + 1
        if is_over:
            break
    return best


def _as_before(best: Way, plan_with: PlanWith,
               known: Callable[[Way], Iterable[dict]]) -> Way:
    for record in known(best):
        found = _tried(functools.partial(best.kernels.recorded, record), plan_with,
                       best.cost)
        if found and found.is_better_than(best):
            return found
    return best


def _other_partitions(way: Way) -> list[Callable[[], Any]]:
    """That do not come from a plan."""
    if way.kernels.is_settled:
        return []
    return [make for make, share in ((way.kernels.all_fusible, _WORTH_A_TRY),
                                     (way.kernels.every_block, _MUCH))
            if way.recomputes(share)]


def _planned(kernels: Any, plan_with: PlanWith, below: float = math.inf) -> Way | None:
    """As it is, or in place if that is better; None if neither takes less."""
    best = _searched(kernels, plan_with, below)
    if kernels.is_settled or best and not best.recomputes(_WORTH_A_TRY):
        return best
    if (other := kernels.overwriting()) is not None:
        found = _searched(other, plan_with, min(below, best.cost) if best else below)
        if found and (best is None or found.is_better_than(best)):
            return found
    return best


def _searched(kernels: Any, plan_with: PlanWith, below: float) -> Way | None:
    try:
        found = plan_with(kernels, below * (1 - _TOO_LITTLE))
    except NothingBetter:
        log.info("%s: nothing better", kernels)
        return None
    log.info("%s", found)
    return found


def _another(way: Way, plan_with: PlanWith, below: float) -> Way | None:
    if way.kernels.is_settled or not way.recomputes(_WORTH_A_TRY):
        return None
    return _tried(lambda: way.kernels.another(way.schedule), plan_with, below)


def _tried(make: Callable[[], Any], plan_with: PlanWith, below: float) -> Way | None:
    try:
        kernels = make()
        return _planned(kernels, plan_with, below) if kernels else None
    except RematchTorchError as error:  # The way at hand will do.
        log.info("no other partition: %s", error)
        return None
