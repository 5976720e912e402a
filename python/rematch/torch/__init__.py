# SPDX-License-Identifier: Apache-2.0
"""Train PyTorch models within a budget of bytes.

    model = rematch.torch.compile(model, budget="6GiB")
"""

from __future__ import annotations

import functools

import torch
from torch._dynamo import list_backends, register_backend

from rematch.torch import dynamo, wrappers
from rematch.torch.backend import Backend, rematch_backend
from rematch.torch.batch_size import BatchSize, max_batch
from rematch.torch.errors import (InfeasibleBudget, OutOfMemory,
                                  PlanMismatch, RematchTorchError, UnsupportedModel)
from rematch.torch.inference import Inference
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.planning import plan
from rematch.torch.saved import SavedPlan
from rematch.torch.shared import Shared
from rematch.torch.step import TrainStep, WithLoss

__all__ = ["BatchSize", "InfeasibleBudget", "Options", "OutOfMemory", "PlanMismatch",
           "PlannedGraph", "RematchTorchError", "SavedPlan", "TrainStep", "UnsupportedModel",
           "WithLoss", "compile", "max_batch", "plan", "rematch_backend"]


def compile(model: torch.nn.Module, budget: int | str = "auto", *,
            in_place: bool = False, fullgraph: bool = False, **options):
    """The model, planned and run within `budget` bytes at its first call.

    The result has the graphs that were planned in `.rematch_graphs`. It is a
    wrapper, as of torch.compile; with `in_place` it is the model itself, as of
    torch.nn.Module.compile, and the names in its state_dict stay.
    """
    if not isinstance(model, torch.nn.Module):
        raise ValueError("rematch.torch.compile takes a torch.nn.Module, not a "
                         f"{type(model).__name__}")
    if isinstance(model, torch._dynamo.OptimizedModule):
        raise ValueError("the model is compiled already; rematch.torch.compile takes the "
                         "model that was compiled, which is its _orig_mod")
    # What PyTorch keeps of compilers outlives models, which are not to stay for that.
    backend = Backend(Options.parse({"budget": budget, **options}),
                      wrappers.check_of(model))
    if in_place:
        return dynamo.compile_in_place(model, backend, fullgraph)
    compiled = torch.compile(model, backend=backend, fullgraph=fullgraph,
                             **dynamo.settings())
    shared = Shared(backend, compiled.forward, lambda again: torch.compile(
        model, backend=again, fullgraph=fullgraph, **dynamo.settings()).forward)
    inference = Inference(model, lambda: dynamo.by_inductor(model),
                          lambda: backend.is_fused(model))
    compiled.forward = dynamo.guarded(shared, inference, backend.graphs)
    # Not by assignment, which would change the model itself.
    compiled.__dict__["rematch_graphs"] = backend.graphs
    return dynamo.with_copies(compiled, functools.partial(
        compile, budget=budget, fullgraph=fullgraph, **options))


# Installed, the package says so itself; imported from elsewhere, it does here.
if "rematch" not in list_backends(exclude_tags=()):
    register_backend(rematch_backend, name="rematch")
