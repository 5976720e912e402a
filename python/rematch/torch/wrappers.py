# SPDX-License-Identifier: Apache-2.0
"""What a model is made of that cannot be planned with it: wrappers for several processes,
and modules that are outside of what PyTorch captures."""

from __future__ import annotations

import logging
import sys
import weakref
from collections.abc import Callable, Iterator

import torch
from torch.nn.parallel import DistributedDataParallel

from rematch.torch.errors import UnsupportedModel

log = logging.getLogger("rematch")


def check_of(model: torch.nn.Module) -> Callable[[], None]:
    """To be called before the model is compiled; it does not keep the model alive."""
    there = weakref.ref(model)
    is_told = False

    def check() -> None:
        nonlocal is_told
        if (found := there()) is None:
            return
        refuse_sharded_parts(found)
        if not is_told:
            is_told = True
            for text in _outside(found):
                log.warning("%s", text)

    return check


def _outside(model: torch.nn.Module) -> Iterator[str]:
    """What of the model the budget does not hold for, in words."""
    captures_rnn = getattr(torch._dynamo.config, "allow_rnn", False)
    for name, module in model.named_modules():
        kind = type(module).__name__
        if isinstance(module, torch.nn.RNNBase) and not captures_rnn:
            yield (f"'{name}' ({kind}) is not captured by PyTorch: it runs as it "
                   "is, outside of the budget")
        if name and "rematch_graphs" in vars(module):
            if vars(module).get("_compiled_call_impl") is None:
                yield (f"'{name}' was compiled with a budget of its own, in which it runs "
                       "beside that of the model")
            else:
                yield (f"'{name}' ({kind}) was compiled with a budget of its own, which "
                       "does not count inside of a compiled model")


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
