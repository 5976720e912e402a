# SPDX-License-Identifier: Apache-2.0
"""When a step is run as CUDA graphs: what takes long to launch is launched at once.

After a few steps one is recorded, in memory of its own, and from then on replayed.
What a recording cannot do is run as before: a forward pass while the backward pass of
another is still to come, a backward pass that is to be run once more. Gradients are
where they were recorded, so they cannot add up over several steps: who holds those of
the last step when the next begins has no more replays.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch

import rematch
from rematch.torch.errors import InfeasibleBudget, RematchTorchError
from rematch.torch.lowering import GENERATOR_STATE
from rematch.torch.planner import Planned
from rematch.torch.program import Value
from rematch.torch.recording import Recording
from rematch.torch.schedule import Schedule

log = logging.getLogger("rematch")

MODE = "reduce-overhead"
_WARM_UPS = 3  # Steps.
_MOST_RECORDINGS = 3
_MOST_PLANS = 4


def why_not(schedule: Schedule, device: torch.device) -> str:
    """Why a schedule cannot be recorded; empty if it can."""
    if device.type != "cuda":
        return "the model is not on a GPU"
    program = schedule.program
    if any(not _is_on(value, device) for value in program.inputs.values()):
        return "an input is not on the GPU"
    for run in schedule.runs:
        if run.number and run.op.state is not None:
            return "random numbers are drawn again from a state of the generator"
        made = [program.values[name] for name in run.op.outputs if name]
        if made and run.op.kind != GENERATOR_STATE and \
                not any(_is_on(value, device) for value in made):
            return f"{run.op.name} does not run on the GPU"
    return ""


def _is_on(value: Value, device: torch.device) -> bool:
    return value.signature is None or value.signature[3] == device.type


def too_much(size: int, budget: int) -> str:
    """What is wrong with that many bytes; empty if they fit."""
    return "" if size <= budget else (f"they take {rematch.format_bytes(size)} of a "
                                      f"budget of {rematch.format_bytes(budget)}")


def with_room(planned: Planned, budget: int, search: Callable[[int], Planned],
              size_of: Callable[[Schedule], int]) -> tuple[Planned, str]:
    """A plan whose recording, which has gaps, fits into the budget as well: this one
    or one for less that `search` finds. If there is none, this one, and what is
    wrong. `size_of` tries how many bytes a recording takes besides what is fixed."""
    found, limit, wrong = planned, budget, ""
    for _ in range(_MOST_PLANS):
        try:
            size = size_of(found.schedule)
        except (RuntimeError, torch.OutOfMemoryError) as error:
            return planned, _first_line(error)
        fixed = found.schedule.fixed_bytes
        wrong = too_much(fixed + size, budget)
        if not wrong:
            return found, ""
        # It shrinks about as what is planned does.
        limit = fixed + int((limit - fixed) * (budget - fixed) / size)
        try:
            found = search(limit)
        except InfeasibleBudget:
            break
    return planned, wrong


def _is_to_be_run_again() -> bool:
    return torch._C._autograd._get_current_graph_task_keep_graph()


def _are_kept_elsewhere() -> bool:
    """Whether somebody else looks after what is kept for backward."""
    return torch._C._autograd._top_saved_tensors_default_hooks(False) is not None


class CudaGraphs:
    """`make` makes a recording; `check` says what is wrong with the bytes that one
    takes, or nothing. `given_up` says why there are no more replays. `draws`: some
    operators draw random numbers; what they drew is on the GPU if they were recorded,
    and only recorded ones look for it there."""

    def __init__(self, make: Callable[[], Recording], check: Callable[[int], str],
                 given_up: str = "", draws: bool = False) -> None:
        self.make, self.check, self.draws = make, check, draws
        self.given_up = given_up
        self.recording: Any = None
        self.replays = 0
        self._steps = self._recordings = 0
        self._places: list[int | None] = []  # Of inputs, in the call before.
        self._moving: set[int] = set()
        self._written: frozenset[int] = frozenset()

    def __str__(self) -> str:
        if self.given_up:
            return f"not as CUDA graphs: {self.given_up}"
        return "as CUDA graphs" if self.recording else "as CUDA graphs, once recorded"

    def wrap(self, phase: str, function: Callable,
             written: frozenset[int] = frozenset()) -> Callable:
        """`written` are inputs that forward writes to, by position."""
        self._written |= written
        one = self._forward if phase == "forward" else self._backward

        def call(args: list) -> list:
            return function(args) if self.given_up else one(function, args)

        return call

    def give_up(self, why: str, level: int = logging.INFO) -> None:
        log.log(level, "no CUDA graphs: %s", why)
        self.given_up = why
        self._let_go()

    def _let_go(self) -> None:
        if self.recording is not None:
            self.recording.finish()
        self.recording = None

    # -- forward -----------------------------------------------------------

    def _forward(self, function: Callable, args: list) -> list:
        if _are_kept_elsewhere():
            return function(args)
        # Nobody else may hold the recording: it is to go before there is another.
        if self.recording is None:
            self._watch(args)
            self._steps += 1
            return self._record(function, args) if self._steps > _WARM_UPS \
                else function(args)
        if self.recording.keeps:
            return function(args)
        if not self.recording.is_complete:  # Its backward pass never came.
            return self._record(function, args)
        if self.recording.has_handed_out:
            self.give_up("gradients of a step were still there when the next began; "
                         "zero_grad() before the model is called lets them go",
                         logging.WARNING)
            return function(args)
        if moved := self.recording.moved(args):
            self._moving.update(moved)
            return self._record(function, args)
        self.replays += 1
        return self.recording.forward(args)

    def _watch(self, args: list) -> None:
        places = [item.data_ptr() if isinstance(item, torch.Tensor) else None
                  for item in args]
        self._moving.update(index for index, (now, before)
                            in enumerate(zip(places, self._places)) if now != before)
        self._places = places

    def _record(self, function: Callable, args: list) -> list:
        self._recordings += 1
        self._let_go()
        if self._recordings > _MOST_RECORDINGS:
            self.give_up("inputs are elsewhere in each step, or no backward follows")
            return function(args)
        if not self._written.isdisjoint(self._moving):
            self.give_up("an input that is written to is elsewhere in each step")
            return function(args)
        recording = self.make()
        try:
            found = recording.record_forward(function, args, self._moving)
        except (RuntimeError, torch.OutOfMemoryError) as error:
            self.give_up(_first_line(error))
            return function(args)
        self.recording = recording
        args.clear()
        return found

    # -- backward ----------------------------------------------------------

    def _backward(self, function: Callable, args: list) -> list:
        recording = self.recording
        if recording is None or not recording.is_for(args):
            return function(args)
        if _is_to_be_run_again():
            if self.draws:
                raise RematchTorchError(
                    "retain_graph=True cannot follow a replayed forward pass with "
                    "dropout in attention; leave out mode='reduce-overhead'")
            return function(args)
        if recording.is_complete:
            return recording.backward(args)
        try:
            found = recording.record_backward(function, args)
        except (RuntimeError, torch.OutOfMemoryError) as error:
            if self.draws:
                raise
            found = function(args)
            self.give_up(_first_line(error))
            return found
        try:
            wrong = self.check(recording.bytes)
        except RuntimeError as error:  # Some allocators do not say.
            wrong = _first_line(error)
        del recording
        if wrong:
            self.give_up(wrong)
        return found


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
