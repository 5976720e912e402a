# SPDX-License-Identifier: Apache-2.0
"""Random ops that run again draw what they drew the first time."""

import torch


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
