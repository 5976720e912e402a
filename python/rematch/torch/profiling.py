# SPDX-License-Identifier: Apache-2.0
"""What each op of a program takes on the device in use: time and workspace."""

from __future__ import annotations

import gc
import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

import rematch
from rematch.torch import randomness
from rematch.torch.errors import OutOfMemory
from rematch.torch.for_real import for_real
from rematch.torch.layout import extent
from rematch.torch.lowering import GENERATOR_STATE
from rematch.torch.profile_cache import ProfileCache
from rematch.torch.program import Op, Program, Ref, map_refs

log = logging.getLogger("rematch")

_WARM_UPS = 2
_REPEATS = 5
_CALLS = 4  # In a row, for each time that is taken on a GPU.
# What ops raise that do not get along with what they are given.
_REFUSALS = (RuntimeError, IndexError, ValueError)
_LEAST_COST = 1e-3  # Microseconds: nothing is free.


def device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type} x{torch.get_num_threads()}"


def settings() -> str:
    """What changes how long an op takes, besides its arguments."""
    return (f"{torch.__version__} tf32={torch.backends.cuda.matmul.allow_tf32} "
            f"cudnn={torch.backends.cudnn.allow_tf32},"
            f"{torch.backends.cudnn.benchmark} "
            f"deterministic={torch.are_deterministic_algorithms_enabled()}")


def materialise(signature: tuple, device: torch.device) -> torch.Tensor:
    """A tensor as described, filled with numbers that ops get along with."""
    shape, stride, dtype_name, kind = signature
    dtype = getattr(torch, dtype_name.removeprefix("torch."))
    where = device if kind == device.type else torch.device(kind)
    result = torch.empty(extent(shape, stride), dtype=dtype, device=where)
    if dtype.is_floating_point:
        result.uniform_(0.01, 1)
    else:
        result.zero_()
    return result.as_strided(shape, stride)


def _is_small(signature: tuple) -> bool:
    """A few numbers."""
    return math.prod(signature[0]) <= 16


def _is_doubtful(signature: tuple) -> bool:
    """What the graph says about it is not always true: where a few numbers are and
    how much memory they hold, and that statistics have as few digits as what they
    are of."""
    shape, _, dtype, _ = signature
    return _is_small(signature) or len(shape) == 1 and dtype in (
        "torch.bfloat16", "torch.float16")


def _is_control(signature: tuple, maker: Op) -> bool:
    """A few integers, or rows that a factorisation has swapped."""
    return "int" in signature[2] and (_is_small(signature) or "linalg" in maker.kind)


class Profiler:
    def __init__(self, program: Program, device: torch.device) -> None:
        self.program = program
        self.device = device
        self.is_cuda = device.type == "cuda"
        self.makers = {name: op for op in program.ops if op.call is not None
                       for name in op.outputs if name}
        self.controls: dict[str, torch.Tensor] = {}

    def signature(self, op: Op) -> str:
        """The op, its arguments, values as shapes, views as recipes, and its results, which
        calls of one operator may take out of it in another order."""
        def describe(ref: Ref) -> Any:
            view = self.program.views.get(ref.name)
            if view is None:
                return self._value(ref.name).signature
            return (str(view.call), map_refs(view.args, describe),
                    map_refs(view.kwargs, describe))

        return repr((op.kind, map_refs(op.args, describe), map_refs(op.kwargs, describe),
                     [name and self._value(name).signature for name in op.outputs]))

    def _value(self, name: str):
        return self.program.inputs.get(name) or self.program.values[name]

    def arguments(self, op: Op) -> tuple[tuple, dict]:
        """Real ones, views included."""
        # These first: they may take an op to make, which needs memory too.
        for tree in (op.args, op.kwargs):
            map_refs(tree, self._find_control)
        made: dict[str, torch.Tensor] = {}
        # No function here refers to itself: a cycle would keep tensors alive
        # into the next measurement.
        return (map_refs(op.args, lambda ref: self._real(ref, made)),
                map_refs(op.kwargs, lambda ref: self._real(ref, made)))

    def _real(self, ref: Ref, made: dict[str, torch.Tensor]) -> Any:
        view = self.program.views.get(ref.name)
        if view is not None:
            return view.call(*map_refs(view.args, lambda r: self._real(r, made)),
                             **map_refs(view.kwargs, lambda r: self._real(r, made)))
        if ref.name not in made:
            made[ref.name] = self._tensor(ref.name)
        return made[ref.name]

    def _tensor(self, name: str) -> torch.Tensor:
        if name in self.controls:
            return self.controls[name]
        return materialise(self._value(name).signature, self.device)

    def _find_control(self, ref: Ref) -> None:
        """Seeds, offsets and lengths: ops look at them on the CPU."""
        view = self.program.views.get(ref.name)
        if view is not None:
            for tree in (view.args, view.kwargs):
                map_refs(tree, self._find_control)
        elif ref.name in self.makers and ref.name not in self.controls:
            maker = self.makers[ref.name]
            if _is_control(self._value(ref.name).signature, maker):
                self.controls.update(self._doubtful_results(maker))

    def _doubtful_results(self, op: Op) -> dict[str, torch.Tensor]:
        """By name, for real; none of an op that does not get along with numbers that
        are made up."""
        try:
            args, kwargs = self.arguments(op)
            result = op.call(*args, **kwargs)
        except torch.OutOfMemoryError:
            raise
        except _REFUSALS:
            return {}
        result = result if op.returns_tuple else (result,)
        return {name: tensor for name, tensor in zip(op.outputs, result, strict=True)
                if name and (_is_doubtful(self._value(name).signature)
                             or _is_control(self._value(name).signature, op))}

    def correct_sizes(self, ops: list[Op]) -> None:
        """Of results of ops with the same arguments, as they really are."""
        if not any(name and _is_doubtful(self._value(name).signature)
                   for name in ops[0].outputs):
            return
        results = self._doubtful_results(ops[0])
        for index, first in enumerate(ops[0].outputs):
            if first not in results:
                continue
            real = results[first]
            for op in ops:
                value = self._value(op.outputs[index])
                shape, stride, _, kind = value.signature
                self.program.values[value.name] = replace(
                    value, bytes=bytes_on(real, self.device),
                    signature=(shape, stride, str(real.dtype), kind))

    def alone(self, op: Op, function: Callable, what: Any) -> Any:
        """Calls the function, which runs the op, with all memory that there is."""
        try:
            return function(what)
        except torch.OutOfMemoryError:
            pass  # What the failure holds is let go before the next try.
        gc.collect()
        if self.is_cuda:
            torch.cuda.empty_cache()
        try:
            return function(what)
        except torch.OutOfMemoryError as failure:
            size = sum(self._value(name).bytes for name in op.outputs if name)
            raise OutOfMemory(
                f"{op.name} does not fit into the memory that is free on the device, "
                f"even alone: its results take {rematch.format_bytes(size)}, beside "
                "its inputs") from failure

    def measure(self, op: Op) -> tuple[float, int, dict[str, Any]]:
        """Microseconds, bytes, and what else was seen, for `correct`."""
        args, kwargs = self.arguments(op)
        state = randomness.current_state(self.device)
        try:
            for _ in range(_WARM_UPS):
                result = None  # Not two of them at once.
                result = op.call(*args, **kwargs)
        except torch.OutOfMemoryError:
            raise
        except _REFUSALS as error:  # Such as of a matrix that has to be definite.
            log.info("%s does not get along with numbers that are made up, and is taken "
                     "to cost what copies of what it reads and makes do: %s", op.name,
                     error)
            return self._copying(op), 0, {}
        seen = self._seen(op, result)
        if op.is_foreign and not torch.equal(randomness.current_state(self.device), state):
            seen["draws"] = True
        del result
        workspace = self._workspace(op, args, kwargs) if self.is_cuda else 0
        times = [self._time(op, args, kwargs) for _ in range(_REPEATS)]
        # Whoever else uses the device only adds to it.
        return max(min(times), _LEAST_COST), workspace, seen

    def _seen(self, op: Op, result: Any) -> dict[str, Any]:
        """Bytes of results by position, which the graph does not always know: operators may
        copy all of what they are shown a part of. Kernels write to what is allocated for
        them."""
        if op.is_fused:
            return {}
        results = result if op.returns_tuple else (result,)
        return {"bytes": [bytes_on(item, self.device) if isinstance(item, torch.Tensor)
                          else 0 for item in results]}

    def correct(self, ops: list[Op], seen: dict[str, Any]) -> None:
        """Ops with the same arguments, as one of them was seen to be."""
        for op in ops:
            for name, size in zip(op.outputs, seen.get("bytes", ())):
                value = self._value(name) if name else None
                # Seeds may be elsewhere; what is written to again is as it was.
                if value is not None and value.bytes and not value.storage_of:
                    self.program.values[name] = replace(value, bytes=size)
            if seen.get("draws") and op.state is None:
                op.run_once()

    def _copying(self, op: Op) -> float:
        """Microseconds for copies of what it reads and makes."""
        names = (*self.program.inputs_of(op), *(name for name in op.outputs if name))
        tensors = tuple(self._tensor(name) for name in names)
        copying = replace(op, call=lambda *given: [item.clone() for item in given])
        return max(self._time(copying, tensors, {}), _LEAST_COST)

    def _time(self, op: Op, args, kwargs) -> float:
        if not self.is_cuda:
            begin = time.perf_counter()
            op.call(*args, **kwargs)
            return (time.perf_counter() - begin) * 1e6
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        # Something to wait for, so that launches are not part of the time.
        torch.cuda._sleep(1_000_000)
        begin.record()
        for _ in range(_CALLS):
            op.call(*args, **kwargs)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / _CALLS

    def _workspace(self, op: Op, args, kwargs) -> int:
        torch.cuda.synchronize(self.device)
        torch.cuda.reset_peak_memory_stats(self.device)
        before = requested(self.device)
        result = op.call(*args, **kwargs)
        torch.cuda.synchronize(self.device)
        peak = requested(self.device, "peak")
        after = requested(self.device)
        del result
        return max(0, peak - max(after, before))


def bytes_on(tensor: torch.Tensor, device: torch.device) -> int:
    """Of its storage; 0 if it is elsewhere."""
    is_there = tensor.device.type == device.type
    return tensor.untyped_storage().nbytes() if is_there else 0


def requested(device: torch.device, which: str = "current") -> int:
    """Bytes that were asked of the allocator."""
    return torch.cuda.memory_stats(device)[f"requested_bytes.all.{which}"]


class Progress:
    """A line on a terminal, if it takes long."""

    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0
        self.begin = self.last = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self.last < 0.2 or now - self.begin < 1:
            return
        self.last = now
        print(f"\rrematch: profiling {self.done} of {self.total} ops", end="",
              file=sys.stderr, flush=True)

    def finish(self) -> None:
        if sys.stderr.isatty() and self.last > self.begin:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _found(cache: ProfileCache | None, signature: str) -> tuple | None:
    """As `measure` found it before."""
    known = cache.find(signature) if cache else None
    seen = cache.find_record(f"seen of {signature}") if known else None
    return (*known, seen) if _is_whole(seen) else None


def _is_whole(seen: Any) -> bool:
    """Whether it is as `measure` gives it: files may be damaged."""
    return isinstance(seen, dict) and isinstance(seen.get("bytes", []), list) \
        and all(type(size) is int and size >= 0 for size in seen.get("bytes", []))


def profile(program: Program, device: torch.device,
            cache: ProfileCache | None) -> None:
    """Fills in cost and workspace of each op. Leaves the generator as it is."""
    profiler = Profiler(program, device)
    wanted: dict[str, list[Op]] = {}
    for op in program.ops:
        if op.call is None or op.kind == GENERATOR_STATE or not op.outputs:
            op.cost = _LEAST_COST
            continue
        wanted.setdefault(profiler.signature(op), []).append(op)
    state = randomness.current_state(device)
    progress = Progress(len(wanted))
    # Called while a compiler traces: what runs here is to run for real.
    with for_real():
        for signature, ops in wanted.items():
            found = _found(cache, signature)
            if found is None:
                found = profiler.alone(ops[0], profiler.measure, ops[0])
                if cache:
                    cache.store(signature, *found[:2])
                    cache.store_record(f"seen of {signature}", found[2])
            for op in ops:
                op.cost, op.workspace, seen = found
            profiler.correct(ops, seen)
            profiler.alone(ops[0], profiler.correct_sizes, ops)
            progress.step()
    progress.finish()
    randomness.generator(device).set_state(state)
