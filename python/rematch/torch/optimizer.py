# SPDX-License-Identifier: Apache-2.0
"""How much memory the state of an optimizer takes, also before it is there."""

from __future__ import annotations

import inspect
import logging

import torch

log = logging.getLogger("rematch")


def _tensors(state: dict) -> list[torch.Tensor]:
    return [item for item in state.values() if isinstance(item, torch.Tensor)]


def _on(tensor: torch.Tensor, device: torch.device) -> bool:
    return tensor.device.type == device.type


def _small(parameter: torch.Tensor) -> torch.Tensor:
    small = torch.ones([2] * parameter.dim(), dtype=parameter.dtype,
                       device=parameter.device, requires_grad=True)
    small.grad = torch.ones_like(small)
    return small


def _state_of(optimizer: torch.optim.Optimizer, group: dict,
              parameter: torch.Tensor, device: torch.device) -> int:
    """Of a parameter that has none yet, as found with a small one like it."""
    small = _small(parameter)
    known = inspect.signature(type(optimizer)).parameters
    settings = {key: value for key, value in {**optimizer.defaults, **group}.items()
                if key in known and key != "params"}
    twin = type(optimizer)([small], **settings)
    twin.step()
    total = 0
    for tensor in _tensors(twin.state[small]):
        if not _on(tensor, device):
            continue
        grows = tensor.shape == small.shape and small.dim() > 0
        count = parameter.numel() if grows else tensor.numel()
        total += count * tensor.element_size()
    return total


def state_bytes(optimizer: torch.optim.Optimizer, device: torch.device, *,
                there: bool) -> int:
    """Bytes on the device: of the state to come, and with `there` also of what
    is there already."""
    total = 0
    for group in optimizer.param_groups:
        found: dict[tuple, int] = {}
        for parameter in group["params"]:
            if not parameter.requires_grad:
                continue
            if state := optimizer.state.get(parameter):
                if there:
                    total += sum(tensor.untyped_storage().nbytes()
                                 for tensor in _tensors(state) if _on(tensor, device))
                continue
            key = (tuple(parameter.shape), parameter.dtype, parameter.device)
            if key not in found:
                try:
                    with torch.enable_grad():
                        found[key] = _state_of(optimizer, group, parameter, device)
                except Exception as error:
                    log.warning("the state of %s is not known before its first step "
                                "(%s); reserve room for it",
                                type(optimizer).__name__, error)
                    return total
            total += found[key]
    return total
