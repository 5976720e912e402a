# SPDX-License-Identifier: Apache-2.0
"""When each op of a program runs, and when each value goes."""

from __future__ import annotations

from dataclasses import dataclass, field

from rematch.torch.program import Op, Program


@dataclass(frozen=True)
class Copy:
    """What one run made of a value. Inputs and tangents have number 0."""

    value: str
    number: int = 0

    @property
    def name(self) -> str:
        return f"{self.value}__{self.number}" if self.number else self.value


def value_of(name: str) -> str:
    """The value of the copy, or input, of this name."""
    value, separator, number = name.rpartition("__")
    return value if separator and number.isdigit() else name


@dataclass
class Run:
    """One run of an op: what it reads, what it makes, what goes afterwards."""

    op: Op
    number: int  # 0: the first time.
    reads: dict[str, Copy] = field(default_factory=dict)  # By value.
    # By position; None where the result is let go at once.
    makes: tuple[Copy | None, ...] = ()
    drops: list[Copy] = field(default_factory=list)
    phase: str = "forward"
    bytes: int = 0  # At its largest, with everything else that is there.


@dataclass
class Schedule:
    program: Program
    runs: list[Run]
    final: dict[str, Copy]  # By value, what is there in the end.
    boundary: dict[str, Copy]  # By value, what backward begins with.

    @property
    def peak(self) -> int:
        return max((run.bytes for run in self.runs), default=self.fixed_bytes)

    @property
    def fixed_bytes(self) -> int:
        return fixed_bytes(self.program)

    def part(self, phase: str) -> list[Run]:
        return [run for run in self.runs if run.phase == phase]

    @property
    def cost(self) -> float:
        return sum(run.op.cost for run in self.runs)


def fixed_bytes(program: Program) -> int:
    return program.outside_bytes + sum(v.bytes for v in program.inputs.values())


class Tracer:
    """Follows a sequence of steps as memory is really used: a rerun makes all
    outputs of its op, also those that are still there."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.now: dict[str, Copy] = {}
        self.count: dict[str, int] = {}
        self.live_bytes = fixed_bytes(program)
        # Where values live that an op only writes to, and how many live there.
        self.home: dict[Copy, Copy] = {}
        self.living: dict[Copy, int] = {}
        self.runs: list[Run] = []
        self.boundary: dict[str, Copy] = {}
        self.phase = "forward"

    def compute(self, op: Op) -> None:
        number = self.count.get(op.name, 0)
        self.count[op.name] = number + 1
        if number == 0 and op.phase == "backward" and self.phase == "forward":
            self._begin_backward()
        reads = {name: self.now.get(name, Copy(name))
                 for name in self.program.inputs_of(op, number)}
        run = Run(op, number, reads, phase=self.phase)
        values = [self.program.values[name] for name in op.outputs if name]
        made = sum(value.bytes for value in values if not value.storage_of)
        run.bytes = self.live_bytes + made + op.workspace
        if number:
            run.bytes += op.rerun_workspace
        copies: list[Copy | None] = []
        right = op.makes_in(number)
        for name in op.outputs:
            if name not in right or name in self.now:
                copies.append(None)
                continue
            copy = self.now[name] = Copy(name, number)
            self._settle(copy)
            copies.append(copy)
        run.makes = tuple(copies)
        self.runs.append(run)

    def _settle(self, copy: Copy) -> None:
        value = self.program.values[copy.value]
        home = copy
        if value.storage_of:
            before = self.now[value.storage_of]
            home = self.home.get(before, before)
        self.home[copy] = home
        self.living[home] = self.living.get(home, 0) + 1
        if self.living[home] == 1:
            self.live_bytes += value.bytes

    def _leave(self, copy: Copy) -> None:
        home = self.home[copy]
        self.living[home] -= 1
        if self.living[home] == 0:
            self.live_bytes -= self.program.values[copy.value].bytes

    def _begin_backward(self) -> None:
        """What is recomputed after the last forward op is run in backward, when
        the tangents are there already."""
        self.phase = "backward"
        cut = len(self.runs)
        while cut > 0 and self.runs[cut - 1].number > 0:
            cut -= 1
        brought = sum(self.program.values[name].bytes
                      for name in self.program.tangents)
        for run in self.runs[cut:]:
            run.phase = "backward"
            run.bytes += brought
        made = {copy for run in self.runs[cut:] for copy in run.makes}
        dropped = {copy for run in self.runs[cut:] for copy in run.drops}
        live = set(self.now.values()) | dropped
        self.boundary = {copy.value: copy for copy in live if copy not in made}

    def drop(self, name: str) -> None:
        copy = self.now.pop(name)
        self._leave(copy)
        run = self.runs[-1]
        if copy in run.makes:  # Nobody reads it: it goes with the run.
            run.makes = tuple(None if c == copy else c for c in run.makes)
            return
        run.drops.append(copy)

    def finish(self) -> Schedule:
        if self.phase == "forward":
            self._begin_backward()
        return Schedule(self.program, self.runs, dict(self.now), self.boundary)


def trace(program: Program, steps) -> Schedule:
    """`steps` are pairs: ("compute", op index) or ("drop", value name)."""
    tracer = Tracer(program)
    for kind, what in steps:
        if kind == "compute":
            tracer.compute(program.ops[what])
        else:
            tracer.drop(what)
    return tracer.finish()
