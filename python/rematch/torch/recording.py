# SPDX-License-Identifier: Apache-2.0
"""A step as two CUDA graphs that share their memory.

What is replayed reads and writes where it did when it was recorded. What forward keeps
for backward lies in memory that is used for something else once backward has read it:
it is not held, but made again, from its address, for each step.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from rematch.torch import calibration, randomness
from rematch.torch.for_real import for_real
from rematch.torch.layout import copied, fill, room_for
from rematch.torch.profiling import requested
from rematch.torch.schedule import Schedule


@contextmanager
def _few_gaps() -> Iterator[None]:
    """The allocator takes memory as one piece that grows, not piece by piece, as
    that leaves a third unused between them."""
    given = os.environ.get("PYTORCH_CUDA_ALLOC_CONF",
                           os.environ.get("PYTORCH_ALLOC_CONF", ""))
    others = [item for item in given.split(",")
              if item and not item.startswith("expandable_segments")]
    _set_allocator(",".join([*others, "expandable_segments:True"]))
    try:
        yield
    finally:
        _set_allocator(given or "expandable_segments:False")


_set_allocator = getattr(torch._C, "_accelerator_setAllocatorSettings", None) or \
    torch.cuda.memory._set_allocator_settings


def _end_of_recording(stream: torch.cuda.Stream) -> None:
    """A recording that fails leaves the generator as if it went on, so that nothing
    can be drawn. The end of one that does not fail is told to the generator."""
    nothing = torch.zeros(1, device=stream.device)
    with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=stream,
                          capture_error_mode="thread_local"):
        nothing.add_(1)


def _captured(graph: torch.cuda.CUDAGraph, pool: Any, stream: torch.cuda.Stream,
              run: Callable[[], Any]) -> Any:
    """What comes out, to be filled by replays. If it fails, all is as it was."""
    device = stream.device
    # Libraries have workspaces in the pool while they are recorded.
    torch._C._cuda_clearCublasWorkspaces()
    # The stream is set here as well: a recording that fails leaves it behind.
    with torch.cuda.device(device), torch.cuda.stream(stream), _few_gaps():
        try:
            with torch.cuda.graph(graph, pool=pool, stream=stream,
                                  capture_error_mode="thread_local"):
                found = run()
        except Exception:
            with suppress(Exception):  # So does its use of the allocator.
                torch._C._cuda_endAllocateToPool(device.index, pool)
            _end_of_recording(stream)
            raise
    torch._C._cuda_clearCublasWorkspaces()
    return found


def _bytes_of(pool: Any) -> int:
    return sum(segment["total_size"] for segment in torch.cuda.memory_snapshot()
               if tuple(segment["segment_pool_id"]) == tuple(pool))


def bytes_to_record(schedule: Schedule, inputs: Sequence[torch.Tensor], constants,
                    device: torch.device) -> int:
    """What a recording of a step takes besides what is fixed, tried. Leaves the
    generator as it is."""
    program = schedule.program
    state = randomness.current_state(device)
    with for_real():
        step = calibration.Step(schedule, inputs, constants, device)
        step()  # Kernels are loaded when they are first run.
        graph, pool = torch.cuda.CUDAGraph(), torch.cuda.graph_pool_handle()
        _captured(graph, pool, torch.cuda.Stream(device), step)
        size = _bytes_of(pool) + Recording.bytes_of_others(device)
        del graph, step
        torch.cuda.empty_cache()
    randomness.generator(device).set_state(state)
    # Batches are copied in, and results are copied out.
    size += sum(item.untyped_storage().nbytes() for item in inputs
                if not item.requires_grad)
    return size + sum(program.values[name].bytes
                      for name in program.roots(program.forward_outputs)
                      if name in program.values)


def _is_there(item: Any) -> bool:
    return isinstance(item, torch.Tensor) and item.is_cuda


def _uses(storage: Any) -> int:
    return torch._C._storage_Use_Count(storage._cdata)


@dataclass
class _Kept:
    """How to make a tensor from its address."""

    metadata: dict[str, Any]
    storage: Any

    def tensor(self) -> torch.Tensor:
        return torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(
            self.metadata, self.storage)


@dataclass
class _Input:
    """One of forward's inputs, which an output is."""

    index: int


@dataclass
class _Inputs:
    """What a pass is given: at the same place each time, or copied to one."""

    places: list[int | None] = field(default_factory=list)  # None: is copied.
    buffers: list[torch.Tensor | None] = field(default_factory=list)

    @classmethod
    def of(cls, args: Sequence, stays: Callable[[int, torch.Tensor], bool]) -> _Inputs:
        found = cls()
        for index, item in enumerate(args):
            there = _is_there(item)
            stay = not there or stays(index, item)
            found.places.append(item.data_ptr() if there and stay else None)
            found.buffers.append(None if stay else copied(item))
        return found

    def given(self, args: Sequence) -> list:
        return [item if buffer is None else buffer
                for item, buffer in zip(args, self.buffers, strict=True)]

    def moved(self, args: Sequence) -> list[int]:
        """Those that are not where they were."""
        return [index for index, place in enumerate(self.places)
                if place is not None and args[index].data_ptr() != place]

    def take(self, args: Sequence) -> None:
        for item, buffer in zip(args, self.buffers):
            if buffer is not None:
                fill(buffer, item)

    @property
    def bytes(self) -> int:
        return sum(buffer.untyped_storage().nbytes() for buffer in self.buffers
                   if buffer is not None)


class Recording:
    """`results` is the number of forward's outputs that the caller sees: he has
    copies of them. Both passes are recorded in the same step."""

    _all: ClassVar[weakref.WeakSet[Recording]] = weakref.WeakSet()

    def __init__(self, device: torch.device, results: int) -> None:
        self.device, self.results = device, results
        self.pool = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream(device)
        self.graphs: dict[str, torch.cuda.CUDAGraph] = {}
        self.inputs: dict[str, _Inputs] = {}
        self.outputs: list[Any] = []  # Of forward.
        self.gradients: list[Any] = []
        self.storages: dict[int, Any] = {}  # Of what forward keeps, by address.
        self.known: set[int] = set()  # Addresses that backward may be given.
        self._watch = _Watch(())  # Of gradients.
        self._first: list[StorageWeakRef] = []  # Kept when it was recorded.
        self.freed = 0  # Bytes: libraries have workspaces in the pool now.
        self._all.add(self)

    @classmethod
    def bytes_of_others(cls, device: torch.device, but: Recording | None = None) -> int:
        return sum(_bytes_of(other.pool) for other in cls._all
                   if other is not but and other.device == device)

    @property
    def is_complete(self) -> bool:
        return len(self.graphs) == 2

    def _record(self, phase: str, function: Callable, args: list) -> list:
        before = requested(self.device)
        torch._C._cuda_clearCublasWorkspaces()  # Now, to see what they took.
        self.freed += before - requested(self.device)
        graph = torch.cuda.CUDAGraph()
        outputs = _captured(graph, self.pool, self.stream, lambda: function(args))
        self.graphs[phase] = graph
        return outputs

    def finish(self) -> None:
        """Waits for replays: memory is let go next."""
        torch.cuda.synchronize(self.device)

    # -- forward -----------------------------------------------------------

    def record_forward(self, function: Callable, args: Sequence,
                       moving: set[int]) -> list:
        """Inputs in `moving` are elsewhere each time. If it fails, nothing has run."""
        if any(item.device != self.device for item in args if _is_there(item)):
            raise RuntimeError("the model is on several GPUs")
        inputs = self.inputs["forward"] = _Inputs.of(
            args, lambda index, _: index not in moving)
        given = inputs.given(args)
        outputs = self._record("forward", function, list(given))
        self.known.update(item.data_ptr() for item in given if _is_there(item))
        self.outputs = [self._output(index, item, given)
                        for index, item in enumerate(outputs)]
        held = {item.untyped_storage().data_ptr()  # Here.
                for item in (*self.outputs, *inputs.buffers)
                if isinstance(item, torch.Tensor)}
        self._first = [StorageWeakRef(item.untyped_storage())
                       for item, spec in zip(outputs, self.outputs)
                       if isinstance(spec, _Kept)
                       and spec.metadata["data_ptr"] not in held]
        rooms = self._rooms()
        self.graphs["forward"].replay()
        return [*self._results(rooms, given), *outputs[self.results:]]

    def _output(self, index: int, item: Any, given: list) -> Any:
        """How it is made the next time."""
        if not _is_there(item):
            return item
        for position, other in enumerate(given):
            # What was copied to a buffer is there only until the next step.
            if item is other and self.inputs["forward"].buffers[position] is None:
                return _Input(position)
        if index < self.results:
            return item
        self.known.add(item.data_ptr())
        return self._kept(item)

    def _kept(self, item: torch.Tensor) -> _Kept:
        storage = item.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
        if address not in self.storages:
            self.storages[address] = torch._C._construct_storage_from_data_pointer(
                address, item.device, size)
        return _Kept({"nbytes": size, "data_ptr": address, "size": item.shape,
                      "stride": item.stride(), "dtype": item.dtype,
                      "device": item.device,
                      "storage_offset": item.storage_offset()},
                     self.storages[address])

    def _rooms(self) -> list:
        """For copies of the results, before anything has run."""
        return [room_for(spec) if _is_there(spec) else None
                for spec in self.outputs[:self.results]]

    def _results(self, rooms: list, given: list) -> list:
        return [given[spec.index] if isinstance(spec, _Input) else
                spec if room is None else fill(room, spec)
                for spec, room in zip(self.outputs, rooms)]

    def forward(self, args: list) -> list:
        inputs = self.inputs["forward"]
        given, rooms = inputs.given(args), self._rooms()
        inputs.take(args)
        args.clear()
        self.graphs["forward"].replay()
        kept = [spec.tensor() if isinstance(spec, _Kept) else
                given[spec.index] if isinstance(spec, _Input) else spec
                for spec in self.outputs[self.results:]]
        return [*self._results(rooms, given), *kept]

    def moved(self, args: Sequence) -> list[int]:
        """Inputs that are not where they were, by position."""
        return self.inputs["forward"].moved(args)

    # -- backward ----------------------------------------------------------

    def is_for(self, args: Sequence) -> bool:
        """Whether backward is given what this forward pass has kept."""
        if self.is_complete:
            return not self.inputs["backward"].moved(args)
        found = {item.untyped_storage().data_ptr() for item in args if _is_there(item)}
        return self.storages.keys() <= found

    def record_backward(self, function: Callable, args: list) -> list:
        """Lets go of what it is given. If that fails, `args` are as before."""
        inputs = self.inputs["backward"] = _Inputs.of(
            args, lambda _, item: item.data_ptr() in self.known)
        given = inputs.given(args)
        spare = [self._spared(item) for item in args]
        args.clear()
        try:
            outputs = self._record("backward", function, given)
        except Exception:
            args[:] = [item.tensor() if isinstance(item, _Kept) else item
                       for item in spare]
            raise
        for item in filter(_is_there, outputs):
            # Whoever lets go of them last does so there.
            item.record_stream(torch.cuda.current_stream(self.device))
        self.gradients = outputs
        self._watch = _Watch(outputs)
        self.graphs["backward"].replay()
        return self._handed()

    def _spared(self, item: Any) -> Any:
        """Without holding what forward has kept."""
        if not _is_there(item) or \
                item.untyped_storage().data_ptr() not in self.storages:
            return item
        return self._kept(item)

    def backward(self, args: list) -> list:
        self.inputs["backward"].take(args)
        args.clear()
        self.graphs["backward"].replay()
        return self._handed()

    def _handed(self) -> list:
        return [item.detach() if _is_there(item) else item for item in self.gradients]

    # -- memory ------------------------------------------------------------

    @property
    def keeps(self) -> bool:
        """Whether a backward pass is still to come, or could be."""
        if not self.is_complete:  # It has what was recorded itself.
            return not all(kept.expired() for kept in self._first)
        return any(_uses(storage) > 1 for storage in self.storages.values())

    @property
    def has_handed_out(self) -> bool:
        """Whether the caller holds gradients of the last replay."""
        return self._watch.are_used()

    @property
    def bytes(self) -> int:
        """On the device, besides what forward is given; with other recordings."""
        results = sum(item.untyped_storage().nbytes()
                      for item in self.outputs[:self.results] if _is_there(item))
        copies = sum(inputs.bytes for inputs in self.inputs.values())
        return _bytes_of(self.pool) + results + copies - self.freed + \
            self.bytes_of_others(self.device, self)


class _Watch:
    """Whether others use the memory of tensors that are held here."""

    def __init__(self, tensors: Sequence) -> None:
        self.storages = {storage.data_ptr(): storage for storage in (
            item.untyped_storage() for item in tensors if _is_there(item))}
        self.own = {address: _uses(storage)
                    for address, storage in self.storages.items()}

    def are_used(self) -> bool:
        return any(_uses(storage) > self.own[address]
                   for address, storage in self.storages.items())
