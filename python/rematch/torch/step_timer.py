# SPDX-License-Identifier: Apache-2.0
"""How long the passes of a graph really take, from a few of its first steps."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

_FIRST = 3  # The call from which on is measured: those before warm up.
_COUNT = 5


class _Pass:
    """The measured calls of one of the passes."""

    def __init__(self, is_cuda: bool) -> None:
        self.is_cuda = is_cuda
        self.calls = 0
        self.marks: list[tuple[Any, Any]] = []

    def mark(self) -> Any:
        if not self.is_cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def is_complete(self) -> bool:
        if len(self.marks) < _COUNT:
            return False
        return not self.is_cuda or self.marks[-1][1].query()

    def microseconds(self) -> float:
        if self.is_cuda:
            return statistics.median(a.elapsed_time(b) for a, b in self.marks) * 1e3
        return statistics.median(b - a for a, b in self.marks) * 1e6


class StepTimer:
    """Calls `on_known` once with the microseconds of forward and backward."""

    def __init__(self, device: torch.device,
                 on_known: Callable[[float], None]) -> None:
        is_cuda = device.type == "cuda"
        self.passes = {phase: _Pass(is_cuda) for phase in ("forward", "backward")}
        self.on_known: Callable[[float], None] | None = on_known

    def run(self, phase: str, function: Callable, args: list) -> list:
        if self.on_known is None:
            return function(args)
        one = self.passes[phase]
        one.calls += 1
        if one.calls < _FIRST or len(one.marks) >= _COUNT:
            result = function(args)
        else:
            begin = one.mark()
            result = function(args)
            one.marks.append((begin, one.mark()))
        self._finish()
        return result

    def _finish(self) -> None:
        if not all(one.is_complete() for one in self.passes.values()):
            return
        on_known, self.on_known = self.on_known, None
        if on_known is not None:  # Another thread may have been here.
            on_known(sum(one.microseconds() for one in self.passes.values()))
