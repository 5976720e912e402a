# SPDX-License-Identifier: Apache-2.0
"""How long a whole step takes, against the sum of its ops.

Ops measured one by one find their inputs in the cache, and wait for nobody. One
run of the whole step says by how much that is wrong, for this program on this
device; it is about the same for all of its plans.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from rematch.torch import codegen, randomness
from rematch.torch.for_real import for_real
from rematch.torch.lowering import signature
from rematch.torch.profiling import materialise
from rematch.torch.program import Op, Program
from rematch.torch.schedule import Schedule

_WARM_UPS = 2
_WARM_SECONDS = 0.5  # A GPU takes a while to reach its clock.
_REPEATS = 5
# Steps that follow each other for so long run as they do in training: a GPU that
# rests between them runs faster.
_STRETCH_SECONDS = 0.3
_HEAD_START = 20_000_000  # Cycles for which the GPU waits.
_MOST_SECONDS = 3.0  # For all of it, if steps are long.


def _has_effect(op: Op) -> bool:
    """Besides those that can be undone."""
    return op.has_effect and op.call is not None and op.state is None \
        and bool(op.outputs) and op.changes is None


def can_run(program: Program, inputs: Sequence, constants) -> bool:
    """Whether these are the inputs of a step, which changes nothing outside."""
    wanted = [value for name, value in program.inputs.items() if name not in constants]
    if any(_has_effect(op) for op in program.ops) or len(inputs) != len(wanted):
        return False
    return all(type(tensor) in (torch.Tensor, torch.nn.Parameter)
               and not isinstance(tensor, FakeTensor)
               and signature(tensor) == value.signature
               for tensor, value in zip(inputs, wanted))


class Step:
    """Both passes of a schedule, with these inputs, as often as one likes. What
    writes to inputs is left out, or writes to copies of them."""

    def __init__(self, schedule: Schedule, inputs: Sequence[torch.Tensor], constants,
                 device: torch.device) -> None:
        program = schedule.program
        names = [name for name in program.inputs if name not in constants]
        runs = [run for run in schedule.runs if run.op.outputs]
        outputs = [*program.forward_outputs, *program.backward_outputs]
        self.function = codegen.generate(program, runs, [*names, *program.tangents],
                                         outputs, schedule.final, "step", constants)
        changed = {name for op in program.ops for name in op.changes or ()}
        self.given = [tensor.detach().clone() if name in changed else tensor.detach()
                      for name, tensor in zip(names, inputs)]
        self.given += [materialise(program.values[name].signature, device)
                       for name in program.tangents]

    def __call__(self) -> list:
        return self.function(list(self.given))


def measure(schedule: Schedule, inputs: Sequence[torch.Tensor], constants,
            device: torch.device) -> float:
    """Microseconds of one step. Leaves the generator and the inputs as they are."""
    state = randomness.current_state(device)
    times = []
    with for_real():
        step = Step(schedule, inputs, constants, device)
        spent, count = _warm_up(step, device)
        steps = 1
        if device.type == "cuda":
            steps = max(1, round(_STRETCH_SECONDS * count / spent))
        for _ in range(_REPEATS):
            times.append(_time(step, device, steps))
            spent += steps * times[-1] / 1e6
            if spent > _MOST_SECONDS:
                break
    randomness.generator(device).set_state(state)
    return min(times)  # Whoever else uses the device only adds to it.


def _time(step: Callable[[], Any], device: torch.device, steps: int) -> float:
    """Microseconds of one of several steps in a row; on a GPU without what Python
    takes to begin."""
    if device.type != "cuda":
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        return (time.perf_counter() - begin) * 1e6 / steps
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(_HEAD_START)
    begin.record()
    for _ in range(steps):
        step()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / steps


def _warm_up(step: Callable[[], Any], device: torch.device) -> tuple[float, int]:
    """Seconds that it took, and for how many steps."""
    begin, count = time.perf_counter(), 0
    wanted = _WARM_SECONDS if device.type == "cuda" else 0.0
    while count < _WARM_UPS or time.perf_counter() - begin < wanted:
        step()
        _wait(device)
        count += 1
    return time.perf_counter() - begin, count


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
