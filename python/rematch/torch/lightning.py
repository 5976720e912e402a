# SPDX-License-Identifier: Apache-2.0
"""For the Trainer of Lightning.

    Trainer(..., callbacks=[BudgetCallback(budget="6GiB", module="model")])
"""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch import Callback
except ImportError:
    from pytorch_lightning import Callback

from rematch.torch import compile, dynamo
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.reserve import bytes_to_come


class BudgetCallback(Callback):
    """Trains within `budget` bytes; takes the options of rematch.torch.compile.

    While it fits, the module of the LightningModule that has the given name is
    compiled in place; "" is the LightningModule itself, for a training_step that
    calls self(...). Room for the optimizers' state and for gradients that add up is
    left, unless `reserve` says how much.
    """

    def __init__(self, budget: int | str = "auto", module: str = "",
                 **options: Any) -> None:
        super().__init__()
        self.module = module
        self.options = {"budget": budget, **options}
        Options.parse(self.options)
        self.graphs: list[PlannedGraph] = []

    def on_fit_start(self, trainer, pl_module) -> None:
        options = dict(self.options)
        if "reserve" not in options:
            options["reserve"] = bytes_to_come(
                trainer.optimizers, trainer.accumulate_grad_batches > 1)
        model = compile(pl_module.get_submodule(self.module), in_place=True, **options)
        self.graphs = model.rematch_graphs

    def on_fit_end(self, trainer, pl_module) -> None:
        dynamo.undo_in_place(pl_module.get_submodule(self.module))

    def on_exception(self, trainer, pl_module, exception) -> None:
        dynamo.undo_in_place(pl_module.get_submodule(self.module))
