# SPDX-License-Identifier: Apache-2.0
"""What people may say."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch

import rematch
from rematch.torch import roofline
from rematch.torch.saved import SavedPlan


_MOST = 2**63


@dataclass
class Options:
    budget: int | str = "auto"  # Bytes, "6GiB", "50%" of all kept, or "auto".
    kernels: str = "auto"  # "eager", "fused", or fused where that works.
    mode: str = "default"  # "reduce-overhead": as CUDA graphs, where they fit.
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
        if options.kernels not in ("auto", "eager", "fused"):
            raise ValueError(f"kernels must be 'auto', 'eager' or 'fused', not "
                             f"{options.kernels!r}")
        if options.mode not in ("default", "reduce-overhead"):
            raise ValueError(f"mode must be 'default' or 'reduce-overhead', not "
                             f"{options.mode!r}")
        if options.kernels == "fused" and options.gpu is not None:
            raise ValueError("gpu= estimates PyTorch's own kernels; leave out "
                             "kernels='fused'")
        if options.gpu is not None:
            roofline.find(str(options.gpu))
        options.check()
        if options.plan is not None and not isinstance(options.plan, SavedPlan):
            options.plan = SavedPlan.load(options.plan)
        options.check_plan()
        return options

    def wanted_budget(self, device: torch.device) -> int | str:
        """What was asked for; with a saved plan and no room that is known, the plan's."""
        if self.budget == "auto" and self.plan is not None and device.type != "cuda" \
                and not self.gpu:
            return self.plan.budget_bytes
        return self.budget

    def check_plan(self) -> None:
        """That it is over the kernels that are wanted."""
        if self.plan is None:
            return
        found = "eager" if self.plan.kernels is None else "fused"
        if self.kernels not in ("auto", found):
            raise ValueError(f"the saved plan is over {found} kernels, and "
                             f"kernels={self.kernels!r} wants others")

    def check(self) -> None:
        """Says at once what would be wrong later."""
        for name in ("budget", "reserve"):
            _check_bytes(name, getattr(self, name))
        for name in ("time_limit", "gap"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) \
                    or not value >= 0:
                raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
        for name, bits in (("threads", 31), ("seed", 63)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or \
                    not 0 <= value < 2**bits:
                raise ValueError(f"{name} must be an integer of at least 0 and below "
                                 f"2**{bits}, not {value!r}")
        if not isinstance(self.cache, bool):
            raise ValueError(f"cache must be True or False, not {self.cache!r}")
        if not isinstance(self.plan, (SavedPlan, str, os.PathLike, type(None))):
            raise ValueError(f"plan must be a saved plan or its file, not {self.plan!r}")
        if self.optimizer is not None and not hasattr(self.optimizer, "param_groups"):
            raise ValueError(f"optimizer must be a torch.optim.Optimizer, not "
                             f"{self.optimizer!r}")
        if self.on_plan is not None and not callable(self.on_plan):
            raise ValueError(f"on_plan must be a function, not {self.on_plan!r}")


def _check_bytes(name: str, value: Any) -> None:
    what = "bytes, a size such as '6GiB'"
    if name == "budget":
        what += ", a share such as '50%' or 'auto'"
    wrong = ValueError(f"{name} must be {what}, not {value!r}")
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise wrong
    if isinstance(value, int):
        if not 0 <= value < _MOST:
            raise wrong
        return
    if name == "budget" and value == "auto":
        return
    try:
        if name == "budget" and value.endswith("%"):
            if not 0 <= float(value[:-1]) < math.inf:
                raise wrong
        else:
            rematch.parse_bytes(value)
    except (ValueError, rematch.Error):
        raise wrong from None
