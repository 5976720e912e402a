# SPDX-License-Identifier: Apache-2.0
"""What a second start looks at, besides the graph: what is kept is not run for another."""

import torch
from rematch.torch import backend
from starts import Net, equal, own_cache, started, trained, work  # noqa: F401
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


class Inverse(nn.Module):
    """PyTorch 2.13 hands on that a matrix is looked at, which its cache does not know."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x):
        y = self.linear(x)
        return torch.linalg.inv(y.t() @ y + torch.eye(16))


def test_effects_are_there_at_the_next_start():
    left, _ = trained(make=Inverse)
    again, _ = trained(make=Inverse)
    assert equal(left, again)


class Doubling(Net):
    """Writes to one input and reads the other, which may be the same memory."""

    def forward(self, x, y):
        x.mul_(2)
        return self.second(F.gelu(self.first(y)))


def test_inputs_that_share_memory_are_no_others(work, monkeypatch):
    monkeypatch.setattr(backend, "why_eager", lambda *_: None)

    def run(shared):
        model, compiled = started(Doubling, budget="1MiB", kernels="auto")
        y = torch.randn(64, 16)
        x = y.view(-1) if shared else y.clone().view(-1)
        result = compiled(x, y)
        result.square().mean().backward()
        torch.testing.assert_close(result, model.second(F.gelu(model.first(y))))
        return model.first.weight.grad.clone()

    apart, shared = run(False), run(True)
    assert not torch.equal(apart, shared)
    work.clear()
    assert torch.equal(run(False), apart)
    assert not work
    assert torch.equal(run(True), shared)


def test_how_attention_is_computed_is_part_of_the_key(work):
    def run(way):
        model, compiled = started(Attention)
        with sdpa_kernel(way):
            loss = compiled(torch.randn(64, 32)).square().mean()
        loss.backward()
        return compiled.rematch_graphs[0].keep_all_peak_bytes

    ways = (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH)
    first = [run(way) for way in ways]
    assert first[0] < first[1]  # Which keeps the weights.
    work.clear()
    assert [run(way) for way in ways] == first
    assert not work


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(32, 32)

    def forward(self, x):
        q = self.linear(x).view(1, 2, 32, 32)
        return F.scaled_dot_product_attention(q, q, q, is_causal=True)


def test_a_batch_that_is_a_part_of_more_takes_more(work):
    data = torch.randn(1024, 16)

    def run(batch):
        _, compiled = started()
        compiled(batch).square().mean().backward()
        return compiled.rematch_graphs[0].peak_bytes

    alone = run(data[:64].clone())
    part = run(data[:64])
    assert part - alone == data[64:].nbytes
    work.clear()
    assert [run(data[:64].clone()), run(data[:64])] == [alone, part]
    assert not work
