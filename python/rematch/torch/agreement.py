# SPDX-License-Identifier: Apache-2.0
"""One plan for all processes that train the same program.

Measurements differ a little from one process to the next, and so would plans. The
process that comes first to a program measures and plans it, for the room that the
tightest of them has; the others take what it publishes in the store of the process
group. No collective is used: a process that compiles something on its own waits
for a while and then goes on.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import time
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed

import rematch
from rematch.torch import planner
from rematch.torch.errors import InfeasibleBudget
from rematch.torch.identity import digest
from rematch.torch.program import Program

log = logging.getLogger("rematch")

WAIT_FOR_OTHERS = 60.0  # Seconds until a plan is made without those not there.
# The first process may have a lot to measure; it says so if it fails.
WAIT_FOR_FIRST = 1800.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25  # Seconds between looks.


class Alone:
    """A process that has nobody to agree with."""

    def measured(self, program: Program, measure: Callable[[], None]) -> None:
        """Fills in cost and workspace of each op."""
        measure()

    def tightest(self, program: Program, budget: int) -> int:
        """The largest budget with which a plan fits everyone's."""
        return budget

    def planned(self, program: Program, budget: int, name: str,
                make: Callable[[], planner.Planned]) -> planner.Planned:
        return make()


class Together(Alone):
    """One of several processes, at its n-th time with this program."""

    def __init__(self, store, rank: int, size: int, program: Program) -> None:
        key = digest(program)
        count = store.add(f"rematch/{key}/times/{rank}", 1)
        self.prefix = f"rematch/{key}/{count}"
        self.store, self.rank, self.size = store, rank, size
        self.is_first = store.add(f"{self.prefix}/came", 1) == 1

    # -- the store ---------------------------------------------------------

    def _publish(self, key: str, record: Any) -> None:
        self.store.set(f"{self.prefix}/{key}", json.dumps(record))

    def _is_there(self, key: str) -> bool:
        return self.store.check([f"{self.prefix}/{key}"])

    def _wait(self, keys: list[str], seconds: float) -> list[str]:
        """Those of the keys that are there, all of them or what is in time."""
        end = time.monotonic() + seconds
        pause = _SHORTEST_PAUSE
        while not all(there := [self._is_there(key) for key in keys]):
            if time.monotonic() > end:
                break
            # Not wait() of the store, which would keep other threads from it.
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        return [key for key, found in zip(keys, there) if found]

    def _read(self, key: str) -> Any:
        return json.loads(self.store.get(f"{self.prefix}/{key}"))

    def _from_first(self, key: str) -> Any:
        """What the first process has published, or None."""
        if not self._wait([key], WAIT_FOR_FIRST):
            log.warning("rank %d: no %s from the process that came first in %g "
                        "seconds; going on alone", self.rank, key, WAIT_FOR_FIRST)
            return None
        record = self._read(key)
        if record is None:
            log.warning("rank %d: the process that came first has failed; going on "
                        "alone", self.rank)
        return record

    # -- what is shared ----------------------------------------------------

    def measured(self, program: Program, measure: Callable[[], None]) -> None:
        if self.is_first:
            found = None
            try:
                measure()
                found = {"ops": [(op.cost, op.workspace, op.recomputable)
                                 for op in program.ops],
                         "bytes": [value.bytes for value in program.values.values()]}
            finally:
                self._publish("measurements", found)
            return
        found = self._from_first("measurements")
        if found is None:
            measure()
            return
        for op, measured in zip(program.ops, found["ops"], strict=True):
            op.cost, op.workspace, recomputable = measured
            if op.recomputable and not recomputable:
                op.run_once()
        for name, size in zip(list(program.values), found["bytes"], strict=True):
            program.values[name] = dataclasses.replace(program.values[name], bytes=size)

    def tightest(self, program: Program, budget: int) -> int:
        room = budget - program.outside_bytes
        if not self.is_first:
            self._publish(f"room/{self.rank}", room)
            return budget
        others = [f"room/{rank}" for rank in range(self.size) if rank != self.rank]
        there = self._wait(others, WAIT_FOR_OTHERS)
        if len(there) < len(others):
            missing = ", ".join(key.removeprefix("room/") for key in others
                                if key not in there)
            log.warning("rank %d: planning without rank %s, which did not come to "
                        "this graph in %g seconds", self.rank, missing,
                        WAIT_FOR_OTHERS)
        return program.outside_bytes + min([room, *map(self._read, there)])

    def planned(self, program: Program, budget: int, name: str,
                make: Callable[[], planner.Planned]) -> planner.Planned:
        if self.is_first:
            return self._plan_for_all(program, make)
        found = self._from_first("plan")
        if found is None:
            return make()
        if "infeasible" in found:
            raise InfeasibleBudget(found["infeasible"], found["least_budget"])
        planned = planner.restored(program, found["sequence"], found["solution"],
                                   found["outside_bytes"], name)
        if planned.schedule.peak <= budget:
            return planned
        log.warning("rank %d: the common plan takes %s, more than the %s here; going "
                    "on alone", self.rank,
                    rematch.format_bytes(planned.schedule.peak),
                    rematch.format_bytes(budget))
        return make()

    def _plan_for_all(self, program: Program, make) -> planner.Planned:
        record = None
        try:
            planned = make()
            solution = planned.solution
            record = {"sequence": planned.sequence,
                      "solution": solution and solution.to_json(planned.graph),
                      "outside_bytes": program.outside_bytes}
            return planned
        except InfeasibleBudget as error:
            record = {"infeasible": f"rank {self.rank}, which plans for all: {error}",
                      "least_budget": error.least_budget}
            raise
        finally:
            self._publish("plan", record)


def join(program: Program) -> Alone:
    """Those who train this program, as far as PyTorch knows."""
    ranks = torch.distributed
    if not ranks.is_available() or not ranks.is_initialized():
        return Alone()
    if ranks.get_world_size() == 1 or ranks.get_backend() == "fake":
        return Alone()
    store = ranks.distributed_c10d._get_default_store()
    return Together(store, ranks.get_rank(), ranks.get_world_size(), program)
