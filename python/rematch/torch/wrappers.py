# SPDX-License-Identifier: Apache-2.0
"""Wrappers of models for several processes, and where they may stand."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import torch
from torch.nn.parallel import DistributedDataParallel

from rematch.torch.errors import UnsupportedModel


def sharded_parts(model: torch.nn.Module) -> Iterator[str]:
    """The names of the modules that fully_shard was called on, "" for the model."""
    fsdp = sys.modules.get("torch.distributed.fsdp")  # Slow to import.
    if fsdp is not None and hasattr(fsdp, "FSDPModule"):
        for name, module in model.named_modules():
            if isinstance(module, fsdp.FSDPModule):
                yield name


def refuse_sharded_parts(model: torch.nn.Module) -> None:
    """Hooks of a sharded module cut the graph of the model that it is part of, and
    the pieces could take the budget several times."""
    if part := next(filter(None, sharded_parts(model)), None):
        raise UnsupportedModel(
            f"'{part}' is sharded on its own, which cuts the graph of the model; "
            "compile each sharded module with in_place=True instead of the model")


def refuse_wrapped(model: torch.nn.Module) -> None:
    """A whole step is one graph, and hooks of wrappers cannot be in it."""
    how = "compile WithLoss(model, loss_fn) with in_place=True and wrap that"
    if any(isinstance(module, DistributedDataParallel) for module in model.modules()):
        raise UnsupportedModel(
            f"TrainStep cannot have a model in DistributedDataParallel: {how}")
    if any(True for _ in sharded_parts(model)):
        raise UnsupportedModel(f"TrainStep cannot have a sharded model: {how}")
