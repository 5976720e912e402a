# SPDX-License-Identifier: Apache-2.0
"""Ops of a program that are Inductor's kernels."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from rematch.torch.eager_kernels import Reference
from rematch.torch.errors import UnsupportedModel
from rematch.torch.fused.capture import Compiled
from rematch.torch.fused.care import Care
from rematch.torch.fused.compiler import Compiler, joint_digest
from rematch.torch.fused.in_place import overwriting
from rematch.torch.fused.lowering import Lowering
from rematch.torch.fused.modules import modules
from rematch.torch.fused.partition import Partition
from rematch.torch.fused.writes import NotUnderstood
from rematch.torch.lowering import argument_of, module_of
from rematch.torch.program import Program
from rematch.torch.schedule import Schedule, value_of

_SMALL = 0.001  # Of what is dropped: statistics, which may as well be kept.


class FusedKernels:
    """Those of one graph, as Inductor compiles it with one partition."""

    name = "fused"

    def __init__(self, compiler: Compiler, compiled: Compiled,
                 partition: Partition) -> None:
        self.compiler = compiler
        self.compiled, self.partition = compiled, partition
        self.found: Lowering | None = None
        self.program: Program | None = None
        self.in_place = False  # Results may be written over what is read last.
        self.reference: Reference | None = None  # With PyTorch's own partition.
        self.is_settled = False  # No other way is looked for:
        self.is_remembered = False  # it was found to be the best before.

    def __str__(self) -> str:
        return ", ".join(part for part in (
            "fused kernels", "some in place" if self.in_place else "",
            str(self.partition)) if part)

    @classmethod
    def capture(cls, compiler: Compiler,
                record: dict | None = None) -> FusedKernels | None:
        """As settled before, if there is a record of it. None if nothing has a
        gradient. Raises UnsupportedModel."""
        partition = Partition.from_record(record) if record else Partition()
        found = cls._with(compiler, partition)
        if found and record:
            found.reference = Reference(record["peak"], record["cost"])
            found.in_place = record["in_place"]
            found.is_settled = found.is_remembered = True
        return found

    @classmethod
    def _with(cls, compiler: Compiler, partition: Partition) -> FusedKernels | None:
        compiled = compiler.compiled(partition)
        return cls(compiler, compiled, partition) if compiled else None

    def record(self) -> dict:
        """For who starts again."""
        return {**self.partition.record(), "in_place": self.in_place,
                "peak": self.reference.peak, "cost": self.reference.cost}

    def start_over(self) -> FusedKernels | None:
        """With PyTorch's own partition, if this one is from an earlier choice."""
        if not self.is_remembered:
            return None
        return self._with(self.compiler, Partition())

    def lower(self, joint: fx.GraphModule, num_forward_outputs: int,
              device: torch.device) -> Program:
        self.found = self.found or self._lowered(joint, num_forward_outputs, device)
        self.program = self.found.program
        if self.in_place:
            found = overwriting(self.program, self.found.kernels, device)
            self.in_place = found is not None
            self.program = found or self.program
        return self.program

    def _lowered(self, joint: fx.GraphModule, num_forward_outputs: int,
                 device: torch.device) -> Lowering:
        digest = joint_digest(joint)
        if self.compiled.joint and self.compiled.joint != digest:
            self.compiled = self.compiler.fresh(self.partition)
        try:
            nodes = self.compiler.module.graph.nodes
            found = Lowering(
                self.compiled, joint, num_forward_outputs, device,
                {node.name: module_of(node) for node in nodes},
                [argument_of(node) for node in nodes if node.op == "placeholder"])
        except NotUnderstood as error:
            raise UnsupportedModel(f"Inductor's code has something that is not "
                                   f"understood, {error}; kernels='eager' does "
                                   "without Inductor") from error
        if not self.compiled.joint:
            self.compiler.keep(self.partition, self.compiled, digest)
        return found

    def overwriting(self) -> FusedKernels | None:
        """With results written over what is read last, if there may be some."""
        if self.in_place or not self.found.kernels:
            return None
        found = copy.copy(self)
        found.in_place = True
        return found

    def another(self, schedule: Schedule) -> FusedKernels | None:
        """With what this schedule drops between the passes computed again by
        backward itself, where Inductor may fuse it into what needs it."""
        program = schedule.program
        fusible = {name for op in program.ops if op.is_fused for name in op.outputs}
        dropped = {name: program.values[value].bytes
                   for name, value in self.found.crossing.items()
                   if value in fusible and value not in schedule.boundary}
        least = _SMALL * sum(dropped.values())
        partition = self.partition.with_more(
            name for name, size in dropped.items() if size > least)
        return self._partitioned(partition)

    def every_block(self) -> FusedKernels | None:
        """With all that is inside of blocks computed again by backward itself."""
        return self._partitioned(Partition(every_block=True))

    def all_fusible(self) -> FusedKernels | None:
        """With all that kernels can compute again, where that is less memory."""
        return self._partitioned(Partition(all_fusible=True))

    def recorded(self, record: dict) -> FusedKernels | None:
        """As they were chosen for another budget, if they were not these."""
        partition, in_place = Partition.from_record(record), record["in_place"]
        if partition == self.partition and in_place == self.in_place:
            return None
        found = self._partitioned(partition) or copy.copy(self)
        found.in_place = in_place
        return found

    def _partitioned(self, partition: Partition) -> FusedKernels | None:
        if partition == self.partition:
            return None
        try:
            found = self._with(self.compiler, partition)
        except Exception as error:  # Whatever PyTorch says.
            raise UnsupportedModel(f"PyTorch cannot compile it: {error}") from error
        found.reference, found.in_place = self.reference, self.in_place
        return found

    def modules(self, joint: fx.GraphModule, joint_inputs, schedule: Schedule,
                num_forward_outputs: int,
                extra: dict[str, Any]) -> tuple[fx.GraphModule, fx.GraphModule]:
        return modules(joint, schedule, self.found.fakes, num_forward_outputs)

    def prepared(self, phase: str, function: Callable, inputs: list[str],
                 device: torch.device) -> Callable:
        """The function, given what its kernels rely on."""
        return self.care(phase, inputs).taken(function, device)

    def care(self, phase: str, inputs: list[str]) -> Care:
        """For a pass that takes these inputs."""
        changed = {name for op in self.program.ops for name in op.changes or ()}
        if phase == "forward":
            aligned = self.compiled.forward.aligned
        else:
            aligned = [index for index, name in enumerate(inputs)
                       if name in self.program.tangents]
        return Care(tuple(index for index in aligned if inputs[index] not in changed),
                    self._spared(inputs) if phase == "backward" else ())

    def _spared(self, inputs: list[str]) -> tuple[int, ...]:
        """What backward overwrites of what forward has kept."""
        if not self.in_place:
            return ()
        before = self.found.program.values
        sources = {value.storage_of for name, value in self.program.values.items()
                   if value.storage_of != before[name].storage_of}
        return tuple(index for index, name in enumerate(inputs)
                     if value_of(name) in sources)

    def settle(self) -> None:
        """No other way is looked for."""
        self.is_settled, self.is_remembered = True, False

    def release(self) -> None:
        """Once it is planned."""
        self.compiler = None
