# SPDX-License-Identifier: Apache-2.0
"""The merged gradient of cross entropy: same numbers, one tensor less."""

import pytest
import torch
from rematch.torch import TrainStep
from torch.nn import functional as F

ROWS, WIDTH, CLASSES = 64, 8, 1000


def case(shape, dtype=torch.float32):
    torch.manual_seed(1)
    model = torch.nn.Conv2d(WIDTH, CLASSES, 1) if len(shape) == 4 else \
        torch.nn.Linear(WIDTH, CLASSES)
    inputs = torch.randn(shape)
    targets = torch.randint(CLASSES, [shape[0], *shape[2:]])
    targets[0] = -100
    return model.to(dtype), inputs.to(dtype), targets


@pytest.mark.parametrize("shape", [(ROWS, WIDTH), (2, WIDTH, 4, 4)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("options", [
    {}, {"reduction": "sum"}, {"label_smoothing": 0.1},
    {"weight": torch.linspace(0.5, 2, CLASSES)}])
def test_gradients_are_those_of_eager(shape, dtype, options):
    model, inputs, targets = case(shape, dtype)
    options = {key: value.to(dtype) if isinstance(value, torch.Tensor) else value
               for key, value in options.items()}

    def loss_fn(output, wanted):
        return F.cross_entropy(output, wanted, **options)

    loss_fn(model(inputs), targets).backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    step = TrainStep(model, loss_fn, budget="100%", time_limit=1)
    step(inputs, targets)
    for parameter, wanted in zip(model.parameters(), expected, strict=True):
        assert torch.equal(parameter.grad, wanted)
    kinds = [op.kind for op in step.graphs[0].program.ops]
    assert ("cross_entropy_backward" in kinds) == ("label_smoothing" not in options)


def test_the_peak_has_two_tensors_like_the_logits_not_three():
    model, inputs, targets = case((ROWS, WIDTH))
    step = TrainStep(model, F.cross_entropy, budget="100%", time_limit=1)
    step(inputs, targets)
    graph = step.graphs[0]
    logits = ROWS * CLASSES * 4
    assert 2 * logits <= graph.peak_bytes < 3 * logits
