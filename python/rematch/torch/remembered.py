# SPDX-License-Identifier: Apache-2.0
"""What was found for a graph before: plans, and which kernels they are over.

The second start of the same training does not search again. Keys hold everything
that what is found depends on. A budget that an error has named works when it is asked
for next, whatever the search finds then: what it takes is kept on disk and, for as
long as the process runs, in memory.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
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


log = logging.getLogger("rematch")

_named: dict[str, Any] = {}  # What budgets that were named take, by key.
_KERNELS = {"recompute", "in_place", "peak", "cost"}  # What a record of them has.
_WAY = {"kernels", "need", "cost"}
_SEQUENCE = {"sequence", "need", "cost"}
_SOME = {"recompute": [], "in_place": False, "peak": 0, "cost": 0.0}
_MOST_RECORDS = 16  # Under one key.
_WORTH_A_CHANGE = 0.001  # Of the time.


def _key(what: str, *parts: Any) -> str:
    return f"{what} {hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def _searched_with(options: Options) -> list:
    return [options.time_limit, options.gap, options.threads, options.seed]


def plan(cache: ProfileCache | None, options: Options, program: Program, budget: int,
         name: str, make: Callable[[], planner.Planned]) -> planner.Planned:
    """As found before, unless less memory was found to take less time since, or as it
    is made now."""
    if cache is None:
        return make()
    key = _key("plan", digest(program), budget, program.outside_bytes,
               [(op.cost, op.workspace) for op in program.ops],
               [value.bytes for value in program.values.values()],
               _searched_with(options))
    found = cache.find_record(key)
    if found is not None:
        try:
            planned = planner.restored(program, found["sequence"], found["solution"],
                                       program.outside_bytes, name)
            if planned.schedule.peak <= budget and not _is_beaten(cache, planned, budget):
                return planned
        except Exception as error:  # Whatever is wrong with it: it is made anew.
            log.warning("a plan that was found before is damaged and not used: %s",
                        error)
    planned = make()
    solution = planned.solution
    cache.store_record(key, {
        "sequence": planned.sequence,
        "solution": solution.to_json(planned.graph) if solution else None})
    return planned


def _is_beaten(cache: ProfileCache, planned: planner.Planned, budget: int) -> bool:
    program, cost = planned.schedule.program, planned.schedule.cost
    found = _records(cache, _sequences_key(program), _SEQUENCE)
    return bool(_better(found, budget - program.outside_bytes, cost))


def _better(records: list[dict], room: int, cost: float) -> list[dict]:
    """Those that take less than this time in this room, the fastest first."""
    found = [one for one in records
             if one["need"] <= room and one["cost"] < cost * (1 - _WORTH_A_CHANGE)]
    return sorted(found, key=lambda one: one["cost"])


def _least_key(program: Program) -> str:
    return _key("least", digest(program))


def least(cache: ProfileCache | None, program: Program) -> list[int] | None:
    """The sequence of ops that is known to need least memory."""
    return _find_named(cache, _least_key(program))


def store_least(cache: ProfileCache | None, program: Program,
                sequence: list[int]) -> None:
    _store_named(cache, _least_key(program), sequence)


def _sequences_key(program: Program) -> str:
    return _key("sequences", digest(program))


def sequences(cache: ProfileCache | None, program: Program) -> list[list[int]]:
    """Of ops, that were found for some budget. They may be damaged."""
    found = _records(cache, _sequences_key(program), _SEQUENCE)
    known = [one["sequence"] for one in found]
    if (needs_least := least(cache, program)) is not None:
        known.append(needs_least)
    return known


def store_sequence(cache: ProfileCache | None, program: Program,
                   planned: planner.Planned) -> None:
    """What was found for some budget: whoever has more memory is to take no longer."""
    schedule = planned.schedule
    _store_record(cache, _sequences_key(program), {
        "sequence": planned.sequence, "need": schedule.peak - program.outside_bytes,
        "cost": schedule.cost})


def _least_together_key(programs: Sequence[Program]) -> str:
    return _key("least together", [digest(program) for program in programs])


def least_together(cache: ProfileCache | None,
                   programs: Sequence[Program]) -> list[list[int]] | None:
    """For each the sequence of ops with which all need least memory in one step."""
    return _find_named(cache, _least_together_key(programs))


def store_least_together(cache: ProfileCache | None, programs: Sequence[Program],
                         sequences: list[list[int]]) -> None:
    _store_named(cache, _least_together_key(programs), sequences)


def store_kernels(cache: ProfileCache | None, key: str, record: dict,
                  is_named: bool) -> None:
    """Those to take for a budget, which an error has named or not."""
    if is_named:
        _store_named(cache, key, record)
    elif cache:
        cache.store_record(key, record)


def ways(cache: ProfileCache | None, key: str, room: int, cost: float) -> list[dict]:
    """Kernels that were chosen for other budgets and take less than this time in this
    room, the fastest first. Several processes choose together."""
    if cache is None or _are_several():
        return []
    return [way["kernels"] for way in _better(_records(cache, key, _WAY), room, cost)]


def store_way(cache: ProfileCache | None, key: str, kernels: dict, need: int,
              cost: float) -> None:
    """Those that were chosen for some budget: the bytes of its plan, without what is
    outside, and microseconds."""
    _store_record(cache, key, {"kernels": kernels, "need": need, "cost": cost})


def scale(cache: ProfileCache | None, program: str,
          cost: float | None = None) -> float | None:
    """How many times as long as its ops one by one a step took: with the plan of this
    cost, in microseconds, of the program of this digest; None: with its last plan."""
    found = cache.find(_scale_key(program, cost)) if cache else None
    return found[0] if found else None


def store_scale(cache: ProfileCache | None, program: str, cost: float,
                found: float) -> None:
    if cache is not None:
        for key in (_scale_key(program, cost), _scale_key(program, None)):
            cache.store(key, found, 0)


def _scale_key(program: str, cost: float | None) -> str:
    return f"whole step {program}" + (f" in {cost!r}" if cost is not None else "")


def _records(cache: ProfileCache | None, key: str, fields: set[str]) -> list[dict]:
    found = cache.find_record(key) if cache else None
    return [one for one in found if isinstance(one, dict) and fields <= one.keys()
            and all(isinstance(one[name], (int, float)) for name in ("need", "cost"))
            and _is_whole(one.get("kernels", _SOME))] if isinstance(found, list) else []


def _store_record(cache: ProfileCache | None, key: str, record: dict) -> None:
    """Among others. What takes more memory and more time than another is forgotten."""
    if cache is None:
        return
    found = [record]
    for one in _records(cache, key, set(record)):
        if not any(other["need"] <= one["need"] and other["cost"] <= one["cost"]
                   for other in found):
            found.append(one)
    cache.store_record(key, found[:_MOST_RECORDS])


def _find_named(cache: ProfileCache | None, key: str) -> Any:
    return _named.get(key) or (cache.find_record(key) if cache else None)


def _store_named(cache: ProfileCache | None, key: str, record: Any) -> None:
    _named[key] = record
    if cache:
        cache.store_record(key, record)


def graph_key(module: fx.GraphModule, inputs: Sequence,
              options: Options) -> Callable[[Any], str]:
    """By budget, of the kernels that were chosen for a graph as PyTorch captured
    it."""
    described = [_described(item) for item in inputs]
    storages = [item.untyped_storage()._cdata if isinstance(item, torch.Tensor) else None
                for item in inputs]
    shared = [storages.index(storage) for storage in storages]
    autocast = [str(torch.get_autocast_dtype(kind)) for kind in ("cpu", "cuda")
                if torch.is_autocast_enabled(kind)]
    # With what is inside: bodies of checkpoints and of functions of one's own.
    code = [part.code for part in module.modules() if isinstance(part, fx.GraphModule)]

    def key(budget: Any) -> str:
        return _key("kernels", code, described, shared, autocast, _traced_with(),
                    budget, options.reserve, options.optimizer is not None,
                    _searched_with(options))

    return key


def _described(item: Any) -> list:
    """An input. A batch may be a part of more, which is there with it."""
    if not isinstance(item, torch.Tensor):
        return [str(item)]
    return [str(signature(item)), item.requires_grad, item.storage_offset(),
            item.untyped_storage().nbytes()]


def _traced_with() -> list:
    """What a trace depends on, besides the graph: how attention is computed, say."""
    return [str(torch.get_default_dtype()), torch.get_float32_matmul_precision(),
            torch.backends.cuda.flash_sdp_enabled(),
            torch.backends.cuda.mem_efficient_sdp_enabled(),
            torch.backends.cuda.math_sdp_enabled(),
            torch.backends.cuda.cudnn_sdp_enabled(),
            getattr(torch._C, "_get_sdp_priority_order", list)(),
            torch.backends.cudnn.enabled, torch.backends.mkldnn.enabled]


def kernels(options: Options, key: str, device: torch.device) -> dict | None:
    """The record of those that were chosen. Several processes choose together."""
    if options.plan is not None:
        return options.plan.kernels
    if _are_several():
        return None
    if key in _named or not options.cache:
        return _named.get(key)
    cache = ProfileCache(profiling.device_name(device), profiling.settings())
    try:
        found = cache.find_record(key)
    finally:
        cache.close()
    return found if _is_whole(found) else None


def _is_whole(record: Any) -> bool:
    """Of kernels: files may be damaged."""
    if not isinstance(record, dict) or not _KERNELS <= record.keys():
        return False
    names, in_place, peak, cost = (record[name] for name in (
        "recompute", "in_place", "peak", "cost"))
    return isinstance(names, list) and all(isinstance(name, str) for name in names) \
        and isinstance(in_place, bool) and isinstance(peak, int) and peak >= 0 \
        and isinstance(cost, (int, float)) and 0 <= cost < math.inf


def _are_several() -> bool:
    ranks = torch.distributed
    return ranks.is_available() and ranks.is_initialized()
