# SPDX-License-Identifier: Apache-2.0
"""What recordings count on, as far as that can be tried without a GPU."""

import pytest
import rematch.torch
import torch
from rematch.torch import recording
from rematch.torch.layout import copied, extent
from rematch.torch.recording import _Inputs, _Watch
from torch import nn


@pytest.fixture(autouse=True)
def anywhere(monkeypatch):
    monkeypatch.setattr(recording, "_is_there",
                        lambda item: isinstance(item, torch.Tensor))


def test_inputs_that_move_are_copied_to_where_they_were():
    weight, batch = torch.ones(3), torch.arange(4.0)
    inputs = _Inputs.of([weight, 7, batch], lambda index, _: index == 0)
    given = inputs.given([weight, 7, batch])
    assert given[0] is weight and given[1] == 7
    assert torch.equal(given[2], batch) and given[2] is not batch
    other = torch.full((4,), 5.0)
    assert inputs.moved([weight, 7, other]) == []
    assert inputs.moved([weight.clone(), 7, other]) == [0]
    inputs.take([weight, 7, other])
    assert torch.equal(given[2], other)
    assert inputs.bytes == 16


def test_whether_others_hold_what_was_handed_out():
    held = [torch.ones(2), None, torch.ones(3)]
    watch = _Watch(held)
    assert not watch.are_used()
    given = held[2].detach()
    assert watch.are_used()
    parameter = nn.Parameter(torch.zeros(3))
    parameter.grad = given
    del given
    assert watch.are_used()
    parameter.grad = None
    assert not watch.are_used()


@pytest.mark.parametrize("tensor", [
    torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3).t(),
    torch.arange(3.0).expand(4, 3), torch.ones(1).expand(5), torch.ones(()),
    torch.empty(0, 3), torch.arange(24.0).view(3, 8)[:, :5], torch.arange(9.0)[4:]])
def test_copies_lie_in_memory_as_what_they_are_copies_of(tensor):
    found = copied(tensor)
    assert found.stride() == tensor.stride() and torch.equal(found, tensor)
    assert found.untyped_storage().nbytes() == 4 * extent(tensor.shape, tensor.stride())
    assert not tensor.numel() or found.data_ptr() != tensor.data_ptr()


@pytest.mark.parametrize("kernels", ["eager", "fused"])
def test_which_inputs_are_written_to(kernels):
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.norm = nn.Linear(4, 4), nn.BatchNorm1d(4)

        def forward(self, x, state):
            y = self.norm(self.layer(x))
            state.mul_(0.9).add_(y.detach().mean(0))
            return y.square().mean()

    model = rematch.torch.compile(Counting(), budget="1GiB", kernels=kernels,
                                  cache=False)
    state = torch.ones(4)
    model(torch.randn(8, 4), state).backward()
    assert not torch.equal(state, torch.ones(4))
    program = model.rematch_graphs[0].program
    shapes = sorted(program.inputs[name].signature[0]
                    for name in program.written_inputs())
    assert shapes == [(), (4,), (4,), (4,)]  # Steps, mean, variance and the state.
