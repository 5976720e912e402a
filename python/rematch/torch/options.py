# SPDX-License-Identifier: Apache-2.0
"""What people may say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch

from rematch.torch import roofline
from rematch.torch.saved import SavedPlan


@dataclass
class Options:
    budget: int | str = "auto"  # Bytes, "6GiB", "50%" of all kept, or "auto".
    kernels: str = "eager"
    time_limit: float = 10.0  # Seconds for each graph.
    gap: float = 0.001  # Good enough.
    threads: int = 0  # 0: all.
    seed: int = 0
    reserve: int | str = 0  # Bytes to leave alone.
    optimizer: torch.optim.Optimizer | None = None  # Whose state has to fit, too.
    cache: bool = True  # Profiles on disk.
    gpu: str | None = None  # Estimate for this GPU instead of measuring.
    plan: SavedPlan | str | None = None  # Use this instead of searching; or a file.
    on_plan: Callable | None = None  # Called with each PlannedGraph.

    @classmethod
    def parse(cls, given: dict[str, Any] | None) -> Options:
        known = [item.name for item in fields(cls)]
        for name in given or {}:
            if name not in known:
                raise ValueError(f"rematch has no option '{name}'; there are "
                                 f"{', '.join(known)}")
        options = cls(**(given or {}))
        if options.kernels != "eager":
            raise ValueError(f"kernels must be 'eager', not {options.kernels!r}")
        if options.gpu is not None:
            roofline.find(options.gpu)
        if options.plan is not None and not isinstance(options.plan, SavedPlan):
            options.plan = SavedPlan.load(options.plan)
        return options
