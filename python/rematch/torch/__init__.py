# SPDX-License-Identifier: Apache-2.0
"""Train PyTorch models within a budget of bytes.

    model = rematch.torch.compile(model, budget="6GiB")
"""

from __future__ import annotations

import torch

from rematch.torch import dynamo, wrappers
from rematch.torch.backend import Options, PlannedGraph, make_backend, rematch_backend
from rematch.torch.step import TrainStep, WithLoss
from rematch.torch.errors import (InfeasibleBudget, PlanMismatch,
                                  RematchTorchError, UnsupportedModel)

__all__ = ["InfeasibleBudget", "Options", "PlanMismatch", "PlannedGraph", "TrainStep",
           "RematchTorchError", "UnsupportedModel", "WithLoss", "compile",
           "rematch_backend"]


def compile(model: torch.nn.Module, budget: int | str = "auto", *,
            in_place: bool = False, fullgraph: bool = False, **options):
    """The model, planned and run within `budget` bytes at its first call.

    The result has the graphs that were planned in `.rematch_graphs`. It is a
    wrapper, as of torch.compile; with `in_place` it is the model itself, as of
    torch.nn.Module.compile, and the names in its state_dict stay.
    """
    backend = make_backend(Options.parse({"budget": budget, **options}))
    backend = wrappers.checked(backend, model)
    if in_place:
        return dynamo.compile_in_place(model, backend, fullgraph)
    compiled = torch.compile(model, backend=backend, fullgraph=fullgraph,
                             **dynamo.settings())
    compiled.forward = dynamo.guarded(compiled.forward, model, backend.graphs)
    # Not by assignment, which would change the model itself.
    compiled.__dict__["rematch_graphs"] = backend.graphs
    return compiled
