# SPDX-License-Identifier: Apache-2.0
"""Estimates of how long ops take on GPUs that are not here.

An op takes as long as its arithmetic or its memory traffic, whichever is longer,
at the share of the GPU's peak that good kernels reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry

from rematch.torch.profiling import Profiler
from rematch.torch.program import Op, Program

_OF_ARITHMETIC = 0.7  # Shares of the peak.
_OF_BANDWIDTH = 0.8
_LAUNCH = 2.0  # Microseconds, at least, for each op.


@dataclass(frozen=True)
class Gpu:
    """As its maker's data sheet says, without sparsity."""

    single: float  # Operations per second: float32,
    half: float  # and float16 or bfloat16.
    bandwidth: float  # Bytes per second.
    memory: int  # Bytes.


GPUS = {
    "B200": Gpu(75e12, 2250e12, 8.0e12, 180 * 10**9),
    "H200": Gpu(67e12, 989e12, 4.8e12, 141 * 10**9),
    "H100": Gpu(67e12, 989e12, 3.35e12, 80 * 10**9),
    "A100": Gpu(19.5e12, 312e12, 2.04e12, 80 * 10**9),
    "A100-40GB": Gpu(19.5e12, 312e12, 1.56e12, 40 * 10**9),
    "L40S": Gpu(91.6e12, 362e12, 0.864e12, 48 * 10**9),
    "L4": Gpu(30.3e12, 121e12, 0.3e12, 24 * 10**9),
    "A10": Gpu(31.2e12, 125e12, 0.6e12, 24 * 10**9),
    "V100": Gpu(15.7e12, 125e12, 0.9e12, 32 * 10**9),
    "T4": Gpu(8.1e12, 65e12, 0.32e12, 16 * 10**9),
    "RTX 5090": Gpu(104.8e12, 209.5e12, 1.79e12, 32 * 10**9),
    "RTX 4090": Gpu(82.6e12, 165.2e12, 1.01e12, 24 * 10**9),
    "RTX 3090": Gpu(35.6e12, 71e12, 0.936e12, 24 * 10**9),
}


def find(name: str) -> Gpu:
    for known, gpu in GPUS.items():
        if known.lower() == name.lower():
            return gpu
    raise ValueError(f"no GPU '{name}' is known; there are {', '.join(GPUS)}")


def _described(signature: tuple) -> torch.Tensor:
    shape, stride, dtype_name, _ = signature
    dtype = getattr(torch, dtype_name.removeprefix("torch."))
    return torch.empty_strided(shape, stride, dtype=dtype, device="meta")


class Estimator(Profiler):
    """Makes arguments that have shapes and no contents."""

    def _tensor(self, name: str) -> torch.Tensor:
        return _described(self._value(name).signature)

    def flops(self, op: Op) -> int:
        count = flop_registry.get(_counted_as(op.call))
        if count is None:
            return 0
        args, kwargs = self.arguments(op)
        made: Any = [_described(self._value(name).signature) if name else None
                     for name in op.outputs]
        return count(*args, **kwargs,
                     out_val=made if op.returns_tuple else made[0])

    def traffic(self, op: Op) -> int:
        """Bytes read and written, each once."""
        names = [*self.program.inputs_of(op), *(n for n in op.outputs if n)]
        return sum(self._value(name).bytes for name in names)

    def microseconds(self, op: Op, gpu: Gpu) -> float:
        dtypes = {self._value(name).signature[2] for name in op.outputs if name}
        is_half = dtypes & {"torch.float16", "torch.bfloat16"}
        rate = (gpu.half if is_half else gpu.single) * _OF_ARITHMETIC
        arithmetic = self.flops(op) / rate
        memory = self.traffic(op) / (gpu.bandwidth * _OF_BANDWIDTH)
        return max(arithmetic, memory) * 1e6 + _LAUNCH


def _counted_as(call) -> Any:
    packet = getattr(call, "overloadpacket", call)
    name = getattr(packet, "__name__", "").replace("_for_cpu", "")
    return getattr(torch.ops.aten, name, packet) if name.startswith(
        "_scaled_dot_product") else packet


def estimate(program: Program, gpu: Gpu) -> None:
    """Fills in the cost of each op; workspaces are not known."""
    estimator = Estimator(program, torch.device("meta"))
    with torch.no_grad():
        for op in program.ops:
            is_work = op.call is not None and any(op.outputs)
            op.cost = estimator.microseconds(op, gpu) if is_work else _LAUNCH
            op.workspace = 0
