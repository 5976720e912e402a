# SPDX-License-Identifier: Apache-2.0
"""For the Trainer of Hugging Face's transformers.

    Trainer(model, args, ..., callbacks=[BudgetCallback(budget="6GiB")])
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from rematch.torch import dynamo, wrappers
from rematch.torch.backend import Backend
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.reserve import bytes_to_come


def _loss_alone(output: Any) -> Any:
    """The Trainer reads nothing else. Logits and caches of keys and values would
    be kept, and have gradients, all of them zero."""
    loss = getattr(output, "loss", None)
    return output if loss is None else type(output)(loss=loss)


class BudgetCallback(TrainerCallback):
    """Trains within `budget` bytes; takes the options of rematch.torch.compile.

    Between the beginning and the end of training the model is compiled in place.
    While it trains it returns its loss alone, if it has one, unless `loss_only` is
    False, as a compute_loss that reads more needs it. Room for the optimizer's
    state and for gradients that add up is left, unless `reserve` says how much.
    """

    def __init__(self, budget: int | str = "auto", *, loss_only: bool = True,
                 **options: Any) -> None:
        self.options = {"budget": budget, **options}
        Options.parse(self.options)
        self.loss_only = loss_only
        self.graphs: list[PlannedGraph] = []

    def on_train_begin(self, args, state, control, model=None, optimizer=None,
                       **kwargs) -> None:
        if args.torch_compile:
            raise ValueError("torch_compile and BudgetCallback both compile the "
                             "model: leave torch_compile out")
        options = dict(self.options)
        if "reserve" not in options and optimizer is not None:
            options["reserve"] = bytes_to_come(
                [optimizer], args.gradient_accumulation_steps > 1)
        backend = Backend(Options.parse(options), wrappers.check_of(model))
        self.graphs = backend.graphs
        dynamo.compile_in_place(model, backend, False,
                                _loss_alone if self.loss_only else None)

    def on_train_end(self, args, state, control, model=None, **kwargs) -> None:
        dynamo.undo_in_place(model)
