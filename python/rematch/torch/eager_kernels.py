# SPDX-License-Identifier: Apache-2.0
"""Where the ops of a program come from: PyTorch's own, one by one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._functorch.partitioners import default_partition

from rematch.torch import checks
from rematch.torch.cross_entropy import merge_cross_entropy
from rematch.torch.cudnn import use_cudnn_batch_norm
from rematch.torch.lowering import lower
from rematch.torch.program import Program
from rematch.torch.rewrite import rewrite
from rematch.torch.schedule import Schedule


@dataclass(frozen=True)
class Reference:
    """What a step takes if everything is kept that PyTorch would keep: shares are
    of that."""

    peak: int  # Bytes, without what is outside.
    cost: float  # Microseconds.


class EagerKernels:
    """What eager runs. `why` says why not fused ones, if they were wanted."""

    name = "eager"

    def __init__(self, why: str = "") -> None:
        self.why = why
        self.reference: Reference | None = None
        self.is_settled = True  # There is one way only.
        self.is_remembered = False

    def record(self) -> None:
        """For who starts again."""

    def __str__(self) -> str:
        return "PyTorch's own kernels" + (f" ({self.why})" if self.why else "")

    def lower(self, joint: fx.GraphModule, num_forward_outputs: int,
              device: torch.device) -> Program:
        merge_cross_entropy(joint)
        if device.type == "cuda":
            use_cudnn_batch_norm(joint)
        return lower(joint, num_forward_outputs, device)

    def modules(self, joint: fx.GraphModule, joint_inputs, schedule: Schedule,
                num_forward_outputs: int,
                extra: dict[str, Any]) -> tuple[fx.GraphModule, fx.GraphModule]:
        """Forward and backward, checked to be as planned."""
        known = inspect.signature(default_partition).parameters
        modules = default_partition(
            rewrite(joint, schedule), joint_inputs,
            num_fwd_outputs=num_forward_outputs,
            **{key: value for key, value in extra.items() if key in known})
        for phase, module in zip(("forward", "backward"), modules):
            checks.check_order(schedule, phase, module)
        checks.check_saved(schedule, modules[1])
        return modules

    def another(self, schedule: Schedule) -> None:
        return None

    def overwriting(self) -> None:
        return None

    def start_over(self) -> None:
        return None

    def settle(self) -> None:
        pass

    def prepared(self, phase: str, function: Callable, inputs: list[str],
                 device: torch.device) -> Callable:
        return function

    def release(self) -> None:
        pass
