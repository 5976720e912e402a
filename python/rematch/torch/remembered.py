# SPDX-License-Identifier: Apache-2.0
"""What was found for a graph before: plans, and which kernels they are over.

The second start of the same training does not search again. Keys hold everything
that what is found depends on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed
from torch import fx

from rematch.torch import planner, profiling
from rematch.torch.identity import digest
from rematch.torch.lowering import signature
from rematch.torch.options import Options
from rematch.torch.profile_cache import ProfileCache
from rematch.torch.program import Program


def _key(what: str, *parts: Any) -> str:
    return f"{what} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def _searched_with(options: Options) -> list:
    return [options.time_limit, options.gap, options.threads, options.seed]


def plan(cache: ProfileCache | None, options: Options, program: Program, budget: int,
         name: str, make: Callable[[], planner.Planned]) -> planner.Planned:
    """As found before, or as it is made now."""
    if cache is None:
        return make()
    key = _key("plan", digest(program), budget, program.outside_bytes,
               [(op.cost, op.workspace) for op in program.ops],
               [value.bytes for value in program.values.values()],
               _searched_with(options))
    found = cache.find_record(key)
    if found is not None:
        return planner.restored(program, found["sequence"], found["solution"],
                                program.outside_bytes, name)
    planned = make()
    solution = planned.solution
    cache.store_record(key, {
        "sequence": planned.sequence,
        "solution": solution.to_json(planned.graph) if solution else None})
    return planned


def _together(programs: list[Program]) -> str:
    return _key("least together", [digest(program) for program in programs])


def least_together(cache: ProfileCache | None,
                   programs: list[Program]) -> list[list[int]] | None:
    """A sequence for each, with which they need least memory in one step."""
    return cache.find_record(_together(programs)) if cache else None


def store_least_together(cache: ProfileCache | None, programs: list[Program],
                         sequences: list[list[int]]) -> None:
    if cache:
        cache.store_record(_together(programs), sequences)


def graph_key(module: fx.GraphModule, inputs: Sequence,
              options: Options) -> Callable[[Any], str]:
    """By budget, of the kernels that were chosen for a graph as PyTorch captured
    it."""
    shapes = [(signature(item), item.requires_grad) if isinstance(item, torch.Tensor)
              else str(item) for item in inputs]
    autocast = [str(torch.get_autocast_dtype(kind)) for kind in ("cpu", "cuda")
                if torch.is_autocast_enabled(kind)]
    code = module.code

    def key(budget: Any) -> str:
        return _key("kernels", code, str(shapes), autocast, budget, options.reserve,
                    options.optimizer is not None, _searched_with(options))

    return key


def kernels(options: Options, key: str, device: torch.device) -> dict | None:
    """The record of those that were chosen. Several processes choose together."""
    if options.plan is not None:
        return options.plan.kernels
    ranks = torch.distributed
    if not options.cache or ranks.is_available() and ranks.is_initialized():
        return None
    cache = ProfileCache(profiling.device_name(device), profiling.settings())
    try:
        return cache.find_record(key)
    finally:
        cache.close()
