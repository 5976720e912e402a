# SPDX-License-Identifier: Apache-2.0
"""What the kernels of a pass rely on, looked after at each call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from rematch.torch.layout import copied

_ALIGNMENT = 16  # Bytes.


@dataclass(frozen=True)
class Care:
    """Positions of arguments."""

    # Those that kernels take to begin at a multiple of 16 bytes, and that may not.
    aligned: tuple[int, ...] = ()
    # What forward has kept and backward overwrites: if the pass is to be run once
    # more, it overwrites copies. That is kept anyway then, beyond the plan.
    spared: tuple[int, ...] = ()

    def taken(self, function: Callable, device: torch.device) -> Callable:
        """The function, given what its kernels rely on."""
        if self.spared:
            function = self._sparing(function)
        return self._on_gpu(function, device) if device.type == "cuda" else function

    def _sparing(self, function: Callable) -> Callable:
        def call(args: list) -> list:
            if torch._C._autograd._get_current_graph_task_keep_graph():
                for index in self.spared:
                    args[index] = copied(args[index])
            return function(args)

        return call

    def _on_gpu(self, function: Callable, device: torch.device) -> Callable:
        def call(args: list) -> list:
            for index in self.aligned:
                if args[index].data_ptr() % _ALIGNMENT:
                    args[index] = copied(args[index])
            if torch.cuda.current_device() == device.index:
                return function(args)
            with torch.cuda.device(device):
                return function(args)

        return call
