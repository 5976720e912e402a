# SPDX-License-Identifier: Apache-2.0
"""Trains for a few steps and says everything that came out."""

import copy

import models
import torch
from live_memory import LiveMemory
from rematch.torch import TrainStep, randomness


def loss_of(name):
    return torch.nn.functional.cross_entropy if name == "unet" else models.classify


def step_of(model, name, budget, **options):
    return TrainStep(model, loss_of(name), budget=budget,
                     **{"time_limit": 0.5, "gap": 0.05, **options})


class Outcome:
    """Losses, gradients of each step, buffers and the generator in the end."""

    def __init__(self):
        self.tensors = []
        self.live = None  # Of the last step.

    def equals(self, other):
        return len(self.tensors) == len(other.tensors) and all(
            torch.equal(a, b) for a, b in zip(self.tensors, other.tensors))


def train(model, step, name, steps=5, monkeypatch=None):
    """The memory of the last step is measured if `monkeypatch` is given."""
    outcome = Outcome()
    torch.manual_seed(7)
    for index in range(steps):
        inputs, targets = models.batch(name)
        model.zero_grad()
        if monkeypatch is not None and index == steps - 1:
            outcome.live = live = LiveMemory()
            with live:
                live.hold([*model.parameters(), *model.buffers(), inputs, targets])
                outcome.tensors.append(step(inputs, targets).clone())
        else:
            outcome.tensors.append(step(inputs, targets).clone())
        with torch.no_grad():
            for parameter in model.parameters():
                outcome.tensors.append(parameter.grad.clone())
                parameter -= 0.01 * parameter.grad
    outcome.tensors += [buffer.clone() for buffer in model.buffers()]
    outcome.tensors.append(torch.get_rng_state())
    return outcome


def count_states(monkeypatch):
    """Generator states are made by no op: tells the measurement in progress."""
    original = randomness.current_state

    def current_state(device):
        state = original(device)
        if LiveMemory.running:
            LiveMemory.running[-1].hold([state])
        return state

    monkeypatch.setattr(randomness, "current_state", current_state)


def copy_of(model):
    return copy.deepcopy(model)
