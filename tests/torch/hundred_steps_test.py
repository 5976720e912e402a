# SPDX-License-Identifier: Apache-2.0
"""A hundred steps are as those without a plan, and memory does not grow."""

import gc
from contextlib import nullcontext

import models
import pytest
import rematch.torch
import torch
from live_memory import LiveMemory
from torch import nn

STEPS, EARLY = 100, 10
TIGHT = "70%"
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
    "adamw": lambda p: torch.optim.AdamW(p, lr=3e-3),
}


def make():
    """Convolutions, batch normalisation and dropout."""
    torch.manual_seed(0)
    layers = []
    for wide, narrow in ((3, 8), (8, 8), (8, 8)):
        layers += [nn.Conv2d(wide, narrow, 3, 1, 1), nn.BatchNorm2d(narrow),
                   nn.ReLU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(8, 10))


def train(budget, optimizer):
    """Losses of all steps, what the model is then, bytes alive early and late."""
    torch._dynamo.reset()
    model = make()
    if budget:
        rematch.torch.compile(model, budget, in_place=True, time_limit=0.5, gap=0.05)
    optimizer = OPTIMIZERS[optimizer](model.parameters())

    def step():
        inputs, targets = models.images(size=8)
        optimizer.zero_grad()
        loss = models.classify(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    torch.manual_seed(1)
    losses, alive = [step()], []  # Compiled before anything is counted.
    live = LiveMemory()
    with live if budget == TIGHT else nullcontext():
        while len(losses) < STEPS:
            losses.append(step())
            if len(losses) in (EARLY, STEPS):
                gc.collect()
                alive.append(live.bytes)
    return losses, model, alive


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_losses_and_weights_are_those_without_a_plan(optimizer):
    losses, planned, (early, late) = train(TIGHT, optimizer)
    (graph,) = planned.rematch_graphs
    assert any(run.number for run in graph.schedule.runs)
    assert early == late > 0
    for budget in ("100%", None):  # The same graph with everything kept; eager.
        others, model, _ = train(budget, optimizer)
        assert others == losses
        assert all(map(torch.equal, planned.state_dict().values(),
                       model.state_dict().values()))
