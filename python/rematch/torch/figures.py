# SPDX-License-Identifier: Apache-2.0
"""The numbers of a plan that people see, without the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

import rematch
from rematch.torch.eager_kernels import Reference
from rematch.torch.planner import Planned
from rematch.torch.program import Program


@dataclass(frozen=True)
class Figures:
    ops: int
    peak: int  # Bytes, predicted, everything on the device counted.
    keep_all_peak: int  # If everything is kept that PyTorch would keep.
    cost: float  # Microseconds of a step, the sum of its ops.
    base_cost: float  # Without recomputation.
    is_searched: bool  # Else the plan was given.
    gap: float | None = None  # To the best plan, at most, if that is known.

    @classmethod
    def of(cls, program: Program, planned: Planned, reference: Reference) -> Figures:
        schedule, solution = planned.schedule, planned.solution
        return cls(len(program.ops), schedule.peak,
                   reference.peak + program.outside_bytes, schedule.cost,
                   reference.cost, solution is not None,
                   solution.gap if solution is not None else None)

    def with_outside(self, more: int) -> Figures:
        """With so many bytes more on the device, or less."""
        return replace(self, peak=self.peak + more,
                       keep_all_peak=self.keep_all_peak + more)

    @property
    def overhead(self) -> float:
        """Time for recomputation, as a share of the step without any."""
        return self.cost / self.base_cost - 1 if self.base_cost else 0.0

    def summary(self, name: str, step_seconds: float) -> str:
        text = (f"{name}: {self.ops} ops, peak {rematch.format_bytes(self.peak)} of "
                f"{rematch.format_bytes(self.keep_all_peak)}, "
                f"{step_seconds * 1e3:.1f} ms, {abs(self.overhead):.2%} "
                f"{'less' if self.overhead < -0.00005 else 'more'} time")
        if not self.is_searched:
            return text + ", as it was found before"
        if self.gap is not None:
            text += f", at most {self.gap:.2%} from the best"
        return text
