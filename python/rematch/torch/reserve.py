# SPDX-License-Identifier: Apache-2.0
"""Memory that training takes later than its first forward pass."""

from __future__ import annotations

import copy
import logging
from collections import OrderedDict, defaultdict
from collections.abc import Iterable

import torch

log = logging.getLogger("rematch")


def _local(parameter: torch.Tensor) -> torch.Tensor:
    """Of a sharded parameter, the part that is here."""
    return parameter.to_local() if hasattr(parameter, "to_local") else parameter


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _without_memory(parameter: torch.Tensor) -> torch.nn.Parameter:
    found = torch.nn.Parameter(torch.empty_like(_local(parameter), device="meta"))
    found.grad = torch.empty_like(found)
    return found


def state_bytes(optimizer: torch.optim.Optimizer) -> int:
    """What the first step of an optimizer will allocate, found by a step of a twin
    whose tensors have no memory."""
    optimizer = getattr(optimizer, "optimizer", optimizer)  # Accelerate wraps it.
    twin = copy.copy(optimizer)
    twin.state = defaultdict(dict)
    twin.param_groups = [
        {**group, "foreach": False, "fused": False, "params": [
            _without_memory(parameter) for parameter in group["params"]
            if parameter.requires_grad and not optimizer.state.get(parameter)]}
        for group in optimizer.param_groups]
    twin._optimizer_step_pre_hooks = OrderedDict()
    twin._optimizer_step_post_hooks = OrderedDict()
    try:
        type(twin).step(twin)
    except Exception as error:  # Whatever an optimizer that wants memory raises.
        log.warning("cannot tell how much %s will allocate (%s): reserve bytes for it",
                    type(optimizer).__name__, error)
        return 0
    return sum(_bytes(tensor) for state in twin.state.values()
               for tensor in state.values()
               if isinstance(tensor, torch.Tensor) and tensor.device.type == "meta")


def bytes_there(optimizer: torch.optim.Optimizer) -> int:
    """Of the state that an optimizer has already, where its parameters are."""
    return sum(_bytes(_local(tensor))
               for parameter, state in optimizer.state.items()
               for tensor in state.values()
               if isinstance(tensor, torch.Tensor) and tensor.dim() > 0
               and tensor.device == parameter.device)


def bytes_to_come(optimizers: Iterable[torch.optim.Optimizer],
                  accumulates: bool) -> int:
    """State of optimizers; and, where gradients add up over several batches, those
    of the batches before."""
    total = 0
    for optimizer in optimizers:
        total += state_bytes(optimizer)
        if accumulates:
            total += sum(_bytes(_local(parameter))
                         for group in optimizer.param_groups
                         for parameter in group["params"]
                         if parameter.requires_grad and parameter.grad is None)
    return total
