# SPDX-License-Identifier: Apache-2.0
"""How long a whole step takes, against the sum of its ops.

Ops measured one by one find their inputs in the cache, and wait for nobody. One
run of the whole step says by how much that is wrong, for this program on this
device. It differs from plan to plan: a Llama that keeps nothing between its blocks takes
5% longer than the scale of the plan that keeps everything says.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
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
_REPEATS = 5
# Steps that follow each other for so long run as they do in training: a GPU takes a
# while to reach its clock, and one that rests between them runs faster.
_SUSTAINED_SECONDS = 2.0
_FEWEST = 3
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
    with for_real():
        step = Step(schedule, inputs, constants, device)
        for _ in range(_WARM_UPS):
            step()
        found = _sustained(step, device) if device.type == "cuda" else _least(step)
    randomness.generator(device).set_state(state)
    return found


def _least(step: Callable[[], Any]) -> float:
    """Of a few steps: whoever else uses the machine only adds to it."""
    times: list[float] = []
    while len(times) < _REPEATS and sum(times) < _MOST_SECONDS:
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e6


def _sustained(step: Callable[[], Any], device: torch.device) -> float:
    """Of steps one after the other, when half of them have been run; without what
    Python takes to begin."""
    torch.cuda.synchronize(device)
    begin = time.perf_counter()
    step()
    torch.cuda.synchronize(device)
    one = time.perf_counter() - begin
    torch.cuda._sleep(_HEAD_START)
    marks = [_mark()]
    for _ in range(max(_FEWEST, round(_SUSTAINED_SECONDS / one))):
        step()
        marks.append(_mark())
    marks[-1].synchronize()
    times = [a.elapsed_time(b) for a, b in pairwise(marks)]
    return statistics.median(times[len(times) // 2:]) * 1e3


def _mark() -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event
