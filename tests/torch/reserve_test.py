# SPDX-License-Identifier: Apache-2.0
"""What optimizers will allocate is known before they do."""

import logging

import pytest
import torch
from rematch.torch.reserve import bytes_to_come, state_bytes
from torch import nn, optim

OPTIMIZERS = {
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "adamw": lambda p: optim.AdamW(p),
    "amsgrad": lambda p: optim.Adam(p, amsgrad=True),
    "fused": lambda p: optim.Adam(p, fused=True),
    "rmsprop": lambda p: optim.RMSprop(p, centered=True),
}


def taken(optimizer):
    """By tensors of state, scalars that count steps left out."""
    return sum(tensor.numel() * tensor.element_size()
               for state in optimizer.state.values() for tensor in state.values()
               if isinstance(tensor, torch.Tensor) and tensor.dim())


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_twin_without_memory_says_what_the_first_step_takes(make):
    model = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))
    model[0].bias.requires_grad_(False)
    optimizer = make(model.parameters())
    optim.lr_scheduler.StepLR(optimizer, 1)  # Which replaces step().
    before = [parameter.clone() for parameter in model.parameters()]
    predicted = state_bytes(optimizer)
    assert all(map(torch.equal, before, model.parameters()))
    model(torch.randn(2, 8)).sum().backward()
    optimizer.step()
    assert predicted == taken(optimizer)
    assert state_bytes(optimizer) == 0  # It is all there.


def test_gradients_that_add_up_need_room():
    model = nn.Linear(8, 4)
    assert bytes_to_come([optim.SGD(model.parameters())], True) == 4 * (8 * 4 + 4)


class Strange(optim.SGD):
    def step(self, closure=None):
        raise RuntimeError("no kernel for meta")


def test_an_optimizer_that_cannot_say_is_named(caplog):
    with caplog.at_level(logging.WARNING, "rematch"):
        assert state_bytes(Strange(nn.Linear(2, 2).parameters())) == 0
    assert "cannot tell how much Strange will allocate" in caplog.text
