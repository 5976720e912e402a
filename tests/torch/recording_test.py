# SPDX-License-Identifier: Apache-2.0
"""What recordings count on, as far as that can be tried without a GPU."""

import pytest
import rematch.torch
import torch
from rematch.torch import cuda_graphs, recording
from rematch.torch.cuda_graphs import CudaGraphs
from rematch.torch.layout import copied, extent
from rematch.torch.recording import Recording, _Inputs, _Watch
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


# -- a step, recorded and replayed: here replays are runs whose results are put where
# the recorded ones are


class Replay:
    def __init__(self, function, given, outputs):
        self.function, self.given, self.outputs = function, given, outputs

    def replay(self):
        for old, new in zip(self.outputs, self.function(list(self.given))):
            if isinstance(old, torch.Tensor) and old is not new:
                old.copy_(new)


class OnTheCpu(Recording):
    def __init__(self, results):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.cuda, "graph_pool_handle", lambda: (0, 1))
            patch.setattr(torch.cuda, "Stream", lambda _: None)
            super().__init__(torch.device("cpu"), results)

    def _record(self, phase, function, args):
        own = [item for graph in self.graphs.values()
               for item in (*graph.outputs, *graph.given)]
        own = {item.data_ptr(): item for item in own}
        given = [own.get(item.data_ptr(), item) for item in args]
        outputs = function(args)
        self.graphs[phase] = Replay(function, given, outputs)
        return list(outputs)

    def record_forward(self, *given):
        """What was recorded stays here: others are given what replays give them."""
        found = super().record_forward(*given)
        self.expected = len(self._first)
        return [*found[:1], *(spec.tensor() if isinstance(spec, recording._Kept) else item
                              for item, spec in zip(found[1:], self.outputs[1:]))]

    @property
    def keeps(self):
        return any(recording._uses(storage) > 1 for storage in self.storages.values())

    def finish(self):
        pass

    @property
    def bytes(self):
        return 1


WEIGHT = torch.tensor([1.0, 2.0, 3.0])


def forward(args):
    weight, batch = args
    args.clear()
    product = weight * batch
    return [product.sum(), product * 2, batch, weight]


def backward(args):
    double, batch, weight, tangent = args
    args.clear()
    return [tangent * double * batch, None, tangent * weight.sum()]


@pytest.fixture
def graphs(monkeypatch):
    monkeypatch.setattr(recording._Kept, "tensor", lambda kept: torch.empty(
        0, dtype=kept.metadata["dtype"]).set_(
            kept.storage, kept.metadata["storage_offset"], kept.metadata["size"],
            kept.metadata["stride"]))
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda *_: None)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: None)
    monkeypatch.setattr(cuda_graphs, "_is_to_be_run_again", lambda: False)
    found = CudaGraphs(lambda: OnTheCpu(1), lambda size: "")
    found.forward = found.wrap("forward", forward)
    found.backward = found.wrap("backward", backward)
    return found


def batch_of(number):
    return torch.tensor([1.0, 0.5, 0.25]) * number


def gradients(graphs, kept, tangent):
    """Of a backward pass, after which nobody holds what was kept."""
    args = [*kept, torch.tensor(tangent)]
    kept.clear()
    return graphs.backward(args)


def are_right(found, batch, tangent):
    wanted = backward([*forward([WEIGHT, batch])[1:], torch.tensor(tangent)])
    return all(a is b is None or torch.equal(a, b) for a, b in zip(found, wanted))


def step(graphs, number):
    batch, tangent = batch_of(number), float(number)
    loss, *kept = graphs.forward([WEIGHT, batch])
    assert torch.equal(loss, (WEIGHT * batch).sum())
    assert are_right(gradients(graphs, kept, tangent), batch, tangent)
    return loss


def test_steps_are_right_whether_recorded_or_replayed(graphs):
    losses = [step(graphs, number) for number in range(1, 9)]
    assert graphs.replays == 4 and not graphs.given_up
    # The batch is kept in a buffer, which says nothing about a backward pass.
    assert len(graphs.recording.storages) == 2 and graphs.recording.expected == 1
    assert losses == [(WEIGHT * batch_of(number)).sum() for number in range(1, 9)]


@pytest.mark.parametrize("before", [3, 6])  # While it is recorded; while replayed.
def test_two_forward_passes_in_flight(graphs, before):
    for number in range(1, before + 1):
        step(graphs, number)
    batches = [batch_of(7), batch_of(8)]
    first, second = ([*graphs.forward([WEIGHT, batch])[1:]] for batch in batches)
    replays = graphs.replays
    for kept, batch in ((second, batches[1]), (first, batches[0])):
        assert are_right(gradients(graphs, kept, 2.0), batch, 2.0)
    step(graphs, 9)
    assert graphs.replays == replays + 1 and not graphs.given_up


def test_a_forward_pass_that_is_forgotten(graphs):
    for number in range(1, 4):
        step(graphs, number)
    graphs.forward([WEIGHT, batch_of(4)])  # Recorded; nothing of it is held.
    for number in range(5, 8):
        step(graphs, number)
    assert graphs.replays == 2 and not graphs.given_up


def test_gradients_that_are_held(graphs):
    for number in range(1, 6):
        step(graphs, number)
    _, *kept = graphs.forward([WEIGHT, batch_of(6)])
    held = gradients(graphs, kept, 1.0)[0]
    wanted = held.clone()
    step(graphs, 7)
    assert "gradients" in graphs.given_up
    assert torch.equal(held, wanted)


def test_a_weight_that_moves_is_recorded_anew(graphs):
    global WEIGHT
    for number in range(1, 6):
        step(graphs, number)
    before, WEIGHT = WEIGHT, torch.tensor([3.0, 2.0, 1.0])
    try:
        for number in range(6, 9):
            step(graphs, number)
    finally:
        WEIGHT = before
    assert graphs.replays == 3 and not graphs.given_up
