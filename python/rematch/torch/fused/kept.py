# SPDX-License-Identifier: Apache-2.0
"""A planned graph as data, for the next start.

What runs is text: the generated source of each pass, and what Inductor wrote. The
program and its plan are for people, who may never ask for them: they are bytes until
then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from rematch.torch import codegen, planner
from rematch.torch.eager_kernels import Reference
from rematch.torch.figures import Figures
from rematch.torch.fused import pickled
from rematch.torch.fused.capture import Compiled
from rematch.torch.fused.care import Care
from rematch.torch.fused.compiler import Compiler, plain_of
from rematch.torch.fused.kernels import FusedKernels
from rematch.torch.fused.partition import Partition
from rematch.torch.program import Program


@dataclass(frozen=True)
class KeptPass:
    """One pass: the text of its function, what that names, and what it relies on."""

    source: str
    names: bytes
    care: Care

    @classmethod
    def of(cls, function: Callable, care: Care, compiled: Compiled) -> KeptPass:
        """Of a function that codegen made. Raises whatever pickle does."""
        return cls(function.source, pickled.dumps(function.names, _modules(compiled)),
                   care)

    def function(self, phase: str, compiled: Compiled) -> Callable:
        return codegen.function_of(
            self.source, phase, pickled.loads(self.names, _modules(compiled)))


@dataclass
class KeptGraph:
    """One graph, of which both passes are kept."""

    figures: Figures
    device: torch.device
    outside: int  # Bytes, when it was planned,
    outside_before: int  # and when the start began.
    budget: int
    kernels: dict  # As FusedKernels.record.
    modules: dict  # As plain_of.
    digest: str  # Of the program.
    sequence: list[int]
    solution: str | None  # JSON.
    program: bytes
    passes: dict[str, KeptPass] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Any, outside_before: int) -> KeptGraph:
        """Of a PlannedGraph with fused kernels whose passes are compiled. Raises
        whatever pickle does."""
        kernels, planned = graph.kernels, graph.planned
        compiled, solution = kernels.compiled, planned.solution
        return cls(
            graph.figures, graph.device, graph.program.outside_bytes, outside_before,
            graph.budget, kernels.record(), plain_of(compiled), graph.digest,
            planned.sequence, solution.to_json(planned.graph) if solution else None,
            pickled.dumps(graph.program, _modules(compiled)),
            {phase: KeptPass.of(function, kernels.care(phase, function.inputs), compiled)
             for phase, function in graph.functions.items()})

    @property
    def reference(self) -> Reference:
        return Reference(self.kernels["peak"], self.kernels["cost"])

    def loaded_kernels(self, compiler: Compiler) -> FusedKernels:
        """Raises whatever is wrong with what Inductor wrote."""
        found = FusedKernels(compiler, compiler.loaded(self.modules),
                             Partition.from_record(self.kernels))
        found.reference, found.in_place = self.reference, self.kernels["in_place"]
        found.settle()
        return found

    def planned(self, compiled: Compiled, outside: int,
                name: str) -> tuple[Program, planner.Planned]:
        """With so many bytes outside."""
        program = pickled.loads(self.program, _modules(compiled))
        program.outside_bytes = outside
        return program, planner.restored(program, self.sequence, self.solution,
                                         self.outside, name)


def _modules(compiled: Compiled) -> pickled.Modules:
    return {"forward": compiled.forward.names, "backward": compiled.backward.names}
