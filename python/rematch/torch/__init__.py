# SPDX-License-Identifier: Apache-2.0
"""Train PyTorch models within a budget of bytes.

    model = rematch.torch.compile(model, budget="6GiB")
"""

from __future__ import annotations

import torch

from rematch.torch.backend import make_backend, rematch_backend
from rematch.torch.errors import (InfeasibleBudget, PlanMismatch,
                                  RematchTorchError, UnsupportedModel, unwrapped)
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.planning import BatchSize, max_batch, plan
from rematch.torch.saved import SavedPlan
from rematch.torch.step import TrainStep

__all__ = ["BatchSize", "InfeasibleBudget", "Options", "PlanMismatch", "PlannedGraph",
           "RematchTorchError", "SavedPlan", "TrainStep", "UnsupportedModel",
           "compile", "max_batch", "plan", "rematch_backend"]


def compile(model: torch.nn.Module, budget: int | str = "auto", *,
            fullgraph: bool = False, **options):
    """The model, planned and run within `budget` bytes at its first call.

    The result has the graphs that were planned in `.rematch_graphs`.
    """
    backend = make_backend(Options.parse({"budget": budget, **options}))
    compiled = torch.compile(model, backend=backend, fullgraph=fullgraph,
                             dynamic=False)
    compiled.forward = unwrapped(compiled.forward)
    # Not by assignment, which would change the model itself.
    compiled.__dict__["rematch_graphs"] = backend.graphs
    return compiled
