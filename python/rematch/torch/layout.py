# SPDX-License-Identifier: Apache-2.0
"""How a tensor lies in memory, which kernels rely on."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def extent(shape: Sequence[int], stride: Sequence[int]) -> int:
    """Elements from the first to the last, gaps included."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * step for size, step in zip(shape, stride))


def room_for(tensor: torch.Tensor) -> torch.Tensor:
    """One like it, without contents."""
    size = extent(tensor.shape, tensor.stride())
    return torch.empty(size, dtype=tensor.dtype, device=tensor.device).as_strided(
        tensor.shape, tensor.stride())


def fill(target: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """The target, which lies in memory as the source does, with its contents. Parts
    may be there several times, as those of expanded tensors are."""
    size = extent(source.shape, source.stride())
    flat = (tensor.as_strided((size,), (1,)) for tensor in (target, source))
    next(flat).copy_(next(flat))
    return target


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """With the same strides, also where there are gaps, and where memory begins."""
    return fill(room_for(tensor), tensor)
