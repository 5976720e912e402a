# SPDX-License-Identifier: Apache-2.0
"""What a budget means: all bytes on the device, whoever holds them."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

import torch
from torch import fx
from torch.utils._python_dispatch import _disable_current_modes

import rematch
from rematch.torch import profiling, roofline
from rematch.torch.options import Options
from rematch.torch.program import Program
from rematch.torch.reserve import bytes_there, state_bytes

_USABLE = 0.9  # Of what is free: the rest is left to fragmentation.


def device_of(joint: fx.GraphModule) -> torch.device:
    """Where the model is: the device of most of its input bytes."""
    return device_of_tensors(node.meta.get("val") for node in joint.graph.nodes
                             if node.op == "placeholder")


def device_of_tensors(inputs: Iterable[Any]) -> torch.device:
    """That of most of their bytes; what else is among them does not count."""
    sizes: dict[torch.device, int] = {}
    for value in inputs:
        if isinstance(value, torch.Tensor):
            size = value.untyped_storage().nbytes()
            sizes[value.device] = sizes.get(value.device, 0) + size
    if not sizes:
        return torch.device("cpu")
    return max(sizes, key=lambda device: (device.type != "cpu", sizes[device]))


def parse_bytes(text: int | str) -> int:
    return text if isinstance(text, int) else rematch.parse_bytes(text)


class _Both(torch.autograd.Function):
    """Has libraries do a little of everything in both passes."""

    @staticmethod
    def forward(ctx, tensor):
        _use_libraries(tensor)
        return tensor.clone()

    @staticmethod
    def backward(ctx, gradient):
        _use_libraries(gradient)
        return gradient


def _use_libraries(tensor: torch.Tensor) -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        matrix = torch.ones(64, 64, device=tensor.device, dtype=dtype)
        bias, batch = matrix[0].clone(), matrix.expand(2, 64, 64)
        torch.mm(matrix, matrix)
        torch.addmm(bias, matrix, matrix)
        torch.addmm(matrix, matrix, matrix)
        torch.bmm(batch, batch)
        torch.baddbmm(batch, batch, batch)


def warm_up(device: torch.device) -> None:
    """Has libraries allocate what they keep: cuBLAS holds workspaces for each
    thread that uses it, and backward runs on a thread of its own. They may have
    let go of them since the last time: a recording has them do so."""
    # A compiler that is at work has backward run on its own thread.
    with _disable_current_modes(), torch.enable_grad(), \
            torch.autograd.set_multithreading_enabled(True):
        for _ in range(2):
            tensor = torch.ones(1, device=device, requires_grad=True)
            _Both.apply(tensor).sum().backward()
    torch.cuda.synchronize(device)


def outside_bytes(program: Program, device: torch.device, options: Options) -> int:
    """What is on the device besides the inputs: optimizer state, other models,
    old gradients; what is to come, and what was asked to be left alone."""
    ours = sum(value.bytes for value in program.inputs.values())
    return max(0, outside(ours, device, options) - ours)


def outside(known: int, device: torch.device, options: Options,
            collect: bool = True) -> int:
    """All that is on the device, if it can be measured, else the `known` bytes;
    what is to come, and what was asked to be left alone. `collect`: but for what nobody
    can reach, which takes a while to find."""
    measured = device.type == "cuda" and not options.gpu
    total = parse_bytes(options.reserve)
    with _disable_current_modes():
        if options.optimizer is not None:
            total += state_bytes(options.optimizer)
        if options.optimizer is not None and not measured:
            total += bytes_there(options.optimizer)
        if not measured:
            return known + total
        warm_up(device)
        if collect:
            gc.collect()
    return max(known, profiling.requested(device)) + total


def resolve(budget: int | str, keep_all_peak: int, device: torch.device,
            gpu: str | None = None) -> int:
    """Bytes."""
    if isinstance(budget, int):
        return budget
    if budget == "auto" and gpu:
        return int(_USABLE * roofline.find(gpu).memory)
    if budget == "auto":
        return free_bytes(device)
    if budget.endswith("%"):
        return -int(-keep_all_peak * float(budget[:-1]) // 100)
    return rematch.parse_bytes(budget)


def free_bytes(device: torch.device) -> int:
    """What could be in use at most."""
    if device.type != "cuda":
        raise ValueError("budget='auto' needs a GPU; say how many bytes")
    free, total = torch.cuda.mem_get_info(device)
    share = torch.cuda.memory.get_per_process_memory_fraction(device)
    reserved = torch.cuda.memory_reserved(device)
    return int(_USABLE * min(free + reserved, share * total))
