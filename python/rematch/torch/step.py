# SPDX-License-Identifier: Apache-2.0
"""A whole training step within the budget: forward, loss and backward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch._dynamo.exc import Unsupported, UserError

from rematch.torch.backend import Backend
from rematch.torch.dynamo import guarded, settings
from rematch.torch.errors import UnsupportedModel, reason
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.wrappers import refuse_wrapped


class WithLoss(torch.nn.Module):
    """A model that returns its loss."""

    def __init__(self, model: torch.nn.Module, loss_fn: Callable | None) -> None:
        super().__init__()
        self.model = model
        self.loss_fn = loss_fn

    def forward(self, inputs: Any, targets: Any = None) -> torch.Tensor:
        if isinstance(inputs, Mapping):
            output = self.model(**inputs)
        elif isinstance(inputs, (list, tuple)):
            output = self.model(*inputs)
        else:
            output = self.model(inputs)
        if self.loss_fn is not None:
            return self.loss_fn(output, targets)
        if isinstance(output, torch.Tensor):
            return output
        return getattr(output, "loss", output)


class TrainStep:
    """`loss = step(inputs, targets)` runs forward, loss and backward.

    Gradients are in `.grad` of the parameters, added to what is there, as
    loss.backward() does it. `inputs` are a tensor, a tuple or a dictionary of the
    model's arguments; without `loss_fn` the model returns its loss.
    """

    def __init__(self, model: torch.nn.Module, loss_fn: Callable | None = None,
                 budget: int | str = "auto", **options: Any) -> None:
        if not isinstance(model, torch.nn.Module):
            raise ValueError("TrainStep takes a torch.nn.Module, not a "
                             f"{type(model).__name__}")
        refuse_wrapped(model)
        self.model = model
        backend = Backend(Options.parse({"budget": budget, **options}))
        self.graphs: list[PlannedGraph] = backend.graphs
        self._run = guarded(torch.compile(
            WithLoss(model, loss_fn), backend=backend, fullgraph=True, **settings()))

    def __call__(self, inputs: Any, targets: Any = None) -> torch.Tensor:
        try:
            loss = self._run(inputs, targets)
        except (Unsupported, UserError) as error:
            raise UnsupportedModel(
                "a whole step needs a model that PyTorch captures as one graph: "
                + reason(error)) from error
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            found = f"a tensor of shape {tuple(loss.shape)}" if isinstance(
                loss, torch.Tensor) else f"a {type(loss).__name__}"
            raise UnsupportedModel(
                f"the loss is {found}, and backward begins with one number: loss_fn, or "
                "the model where there is none, has to return a tensor of one element, "
                "or something that has one as .loss")
        if not loss.requires_grad:
            raise UnsupportedModel(
                "the loss has no gradient: nothing that it depends on asks for one, or "
                "the step is within torch.no_grad()")
        loss.backward()
        return loss.detach()
