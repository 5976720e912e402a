# SPDX-License-Identifier: Apache-2.0
"""With deterministic algorithms Inductor calls operators where it has kernels else."""

import pytest
import rematch.torch
import torch
from torch import nn

WORDS, SIZE = 64, 16


@pytest.fixture(autouse=True)
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(WORDS, SIZE)
        self.head = nn.Linear(SIZE, SIZE)

    def forward(self, ids):
        return torch.tanh(self.head(self.words(ids))).square().mean()


def test_gradients_of_embeddings_are_inductors():
    ids = torch.randint(WORDS, (8, 32), generator=torch.Generator().manual_seed(1))
    ours, theirs = Words(), Words()
    planned = rematch.torch.compile(ours, budget="1GiB", kernels="fused", cache=False)
    planned(ids).backward()
    torch.compile(theirs, dynamic=False)(ids).backward()
    source = planned.rematch_graphs[0].kernels.compiled.backward.source
    assert "aten.index_put_(" in source
    assert theirs.words.weight.grad.abs().max() > 0
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)
