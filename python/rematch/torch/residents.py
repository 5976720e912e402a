# SPDX-License-Identifier: Apache-2.0
"""Inputs of a graph that are there all the time: weights, buffers, a batch."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence

import torch


class Residents:
    """Knows the inputs of a graph without keeping them alive. Activations that a
    graph is given are gone between steps, the others are not."""

    def __init__(self, inputs: Sequence) -> None:
        self._refs = [weakref.ref(item) for item in inputs
                      if isinstance(item, torch.Tensor)]

    def tensors(self) -> list[torch.Tensor]:
        """Those that are still there, each storage once."""
        alive = (ref() for ref in self._refs)
        return unique(tensor for tensor in alive if tensor is not None)

    def bytes(self) -> int:
        return sum(map(storage_bytes, self.tensors()))

    def gradient_bytes(self, *, there: bool) -> int:
        """Of gradients to come, and with `there` also of those that are there."""
        return sum(tensor.numel() * tensor.element_size()
                   for tensor in self.tensors()
                   if tensor.requires_grad and tensor.is_leaf
                   and (there or tensor.grad is None))


def storage_bytes(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().nbytes()


def storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def unique(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    """One for each storage."""
    return list({storage_of(tensor): tensor
                 for tensor in tensors}.values())
