# SPDX-License-Identifier: Apache-2.0
"""Random ops that run again draw what they drew the first time."""

import torch

# Namespaces of operators.
_OF_PYTORCH = ("aten", "prims", "prim", "inductor", "rngprims", "quantized",
               "quantized_decomposed", "mkldnn", "mkl", "c10d", "_c10d_functional")


def generator(device: torch.device) -> torch.Generator:
    """The default generator of a device."""
    if device.type == "cpu":
        return torch.default_generator
    module = getattr(torch, device.type)
    index = device.index if device.index is not None else module.current_device()
    return module.default_generators[index]


def current_state(device: torch.device) -> torch.Tensor:
    return generator(device).get_state()


def replay(state, device, call, args, kwargs):
    """Calls with the generator as it was, and leaves it as it is."""
    source = generator(device)
    now = source.get_state()
    source.set_state(state)
    try:
        return call(*args, **kwargs)
    finally:
        source.set_state(now)


def is_random(target) -> bool:
    tags = getattr(target, "tags", ())
    return torch.Tag.nondeterministic_seeded in tags


def is_foreign(target) -> bool:
    """Whether an operator is not PyTorch's own: it may draw and not say so."""
    if isinstance(target, torch._ops.OpOverload):
        return target.namespace not in _OF_PYTORCH
    if isinstance(target, torch._ops.OpOverloadPacket):
        return target._qualified_op_name.partition("::")[0] not in _OF_PYTORCH
    return False
