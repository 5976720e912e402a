# SPDX-License-Identifier: Apache-2.0
"""Ops of a program that are Inductor's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from rematch.torch.errors import UnsupportedModel
from rematch.torch.fused.capture import Compiled, capture
from rematch.torch.fused.lowering import Lowering
from rematch.torch.fused.modules import modules
from rematch.torch.fused.writes import NotUnderstood
from rematch.torch.program import Program
from rematch.torch.schedule import Schedule


class FusedKernels:
    name = "fused"

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.fakes: dict[str, torch.Tensor] = {}

    @classmethod
    def capture(cls, module: fx.GraphModule, inputs: Sequence) -> FusedKernels | None:
        """None if nothing has a gradient."""
        if any(isinstance(item, torch.Tensor) and item.is_cuda for item in inputs):
            raise UnsupportedModel("kernels='fused' is for models on the CPU so far")
        compiled = capture(module, inputs)
        return cls(compiled) if compiled else None

    def lower(self, joint: fx.GraphModule, num_forward_outputs: int,
              device: torch.device) -> Program:
        try:
            found = Lowering(self.compiled, joint, num_forward_outputs, device)
        except NotUnderstood as error:
            raise UnsupportedModel(f"Inductor's code has something that is not "
                                   f"understood, {error}; kernels='eager' takes "
                                   "every model") from error
        self.fakes = found.fakes
        return found.program

    def modules(self, joint: fx.GraphModule, joint_inputs, schedule: Schedule,
                num_forward_outputs: int,
                extra: dict[str, Any]) -> tuple[fx.GraphModule, fx.GraphModule]:
        return modules(joint, schedule, self.fakes, num_forward_outputs)
