# SPDX-License-Identifier: Apache-2.0
"""Plans without a step being run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from rematch.torch.backend import Backend
from rematch.torch.dynamo import guarded, settings
from rematch.torch.errors import RematchTorchError, UnsupportedModel
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.step import WithLoss


class _Planned(RematchTorchError):
    """Ends the compilation once there is a plan."""


def plan(model: torch.nn.Module, inputs: Any, targets: Any = None, *,
         loss_fn: Callable | None = None, budget: int | str = "auto",
         on_measured: Callable[[PlannedGraph], None] | None = None,
         **options: Any) -> PlannedGraph:
    """What `TrainStep` would run; nothing is run.

    With `gpu="H100"` the model need not be on a GPU, nor have any contents: it may
    be made under `torch._subclasses.FakeTensorMode`. `on_measured` is called with the
    graph when its ops are known, and the budget, but no plan yet.
    """
    def stop(_: PlannedGraph) -> None:
        raise _Planned

    backend = Backend(Options.parse(
        {"budget": budget, **options, "on_plan": stop}), on_measured=on_measured)
    step = guarded(torch.compile(WithLoss(model, loss_fn), backend=backend,
                                 fullgraph=True, **settings()))
    try:
        step(inputs, targets)
    except _Planned:
        return backend.graphs[-1]
    raise UnsupportedModel("nothing in the model needs a gradient")
