# SPDX-License-Identifier: Apache-2.0
"""The Trainer of Lightning, with and without a budget."""

import models
import pytest
import torch

lightning = pytest.importorskip("lightning.pytorch", reason="there is no lightning")

from rematch.torch import InfeasibleBudget  # noqa: E402
from rematch.torch.lightning import BudgetCallback  # noqa: E402


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.model = models.MobileNet(8)
        self.losses = []

    def forward(self, images):
        return self.model(images)

    def training_step(self, batch, index):
        loss = models.classify(self(batch[0]), batch[1])
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("validation", models.classify(self(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def loader(count):
    torch.manual_seed(1)
    return torch.utils.data.DataLoader([models.images(8) for _ in range(count)],
                                       batch_size=None)


def fit(folder, callbacks, **settings):
    torch._dynamo.reset()
    module = Classifier()
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", logger=False, callbacks=callbacks,
        enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=folder, **settings)
    torch.manual_seed(2)
    trainer.fit(module, loader(4), loader(2))
    trainer.save_checkpoint(folder / "model.ckpt")
    saved = torch.load(folder / "model.ckpt", weights_only=False)["state_dict"]
    return module.losses, saved, trainer.callback_metrics["validation"], module


@pytest.mark.parametrize("name, batches", [("model", 1), ("", 2)])
def test_fitting_is_as_without(tmp_path, name, batches):
    settings = {"accumulate_grad_batches": batches}
    losses, saved, validation, _ = fit(tmp_path, [], **settings)
    callback = BudgetCallback("80%", name, time_limit=0.3, gap=0.05)
    found = fit(tmp_path, [callback], **settings)
    assert found[0] == losses
    assert found[1].keys() == saved.keys()
    assert all(torch.equal(found[1][key], saved[key]) for key in saved)
    assert torch.equal(found[2], validation)
    (graph,) = callback.graphs
    assert any(run.number for run in graph.schedule.runs)
    weights = sum(parameter.numel() * 4 for parameter in found[3].parameters())
    # For each weight, what AdamW keeps, and the gradient of the batch before.
    assert graph.program.outside_bytes == (2 + (batches > 1)) * weights
    assert not hasattr(found[3].get_submodule(name), "rematch_graphs")


def test_an_infeasible_budget_says_so(tmp_path):
    callback = BudgetCallback("1KiB", "model", time_limit=0.3)
    with pytest.raises(InfeasibleBudget, match="the least budget that works"):
        fit(tmp_path, [callback])
