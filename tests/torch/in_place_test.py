# SPDX-License-Identifier: Apache-2.0
"""compile(..., in_place=True): the model stays what it is."""

import copy
import pickle

import pytest
import rematch.torch
import torch
from rematch.torch import InfeasibleBudget, UnsupportedModel, dynamo
from torch import nn


class Small(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Dropout(0.1),
            nn.Linear(4 * width, width)) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def small(budget="85%", in_place=True, **options):
    torch.manual_seed(0)
    model = Small()
    if in_place:
        assert rematch.torch.compile(model, budget, in_place=True, time_limit=0.3,
                                     gap=0.1, **options) is model
    return model


def gradients_of(model, x):
    torch.manual_seed(1)
    model.zero_grad()
    model(x).square().sum().backward()
    return [parameter.grad for parameter in model.parameters()]


def test_gradients_are_those_of_eager_and_names_stay():
    plain, planned = small(in_place=False), small()
    x = torch.randn(64, 16)
    assert all(map(torch.equal, gradients_of(plain, x), gradients_of(planned, x)))
    (graph,) = planned.rematch_graphs
    assert any(run.number for run in graph.schedule.runs)
    assert "layers.0" in graph.explain()
    assert type(planned) is Small
    assert list(planned.state_dict()) == list(plain.state_dict())


@pytest.mark.parametrize("clone", [
    copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_and_pickles_are_not_compiled(clone):
    model = small()
    x = torch.randn(64, 16)
    gradients_of(model, x)
    twin = clone(model)
    assert all(map(torch.equal, gradients_of(twin, x), gradients_of(model, x)))
    assert twin.rematch_graphs == []
    assert len(model.rematch_graphs) == 1


def test_an_error_of_ours_comes_as_itself():
    with pytest.raises(InfeasibleBudget, match="the least budget that works"):
        small(budget=1)(torch.randn(64, 16))


def test_without_gradients_there_is_nothing_to_plan():
    plain, planned = small(in_place=False).eval(), small().eval()
    x = torch.randn(64, 16)
    with torch.no_grad():
        assert torch.equal(plain(x), planned(x))
    assert planned.rematch_graphs == []


@torch._dynamo.config.patch(recompile_limit=2)
def test_many_models_of_one_class_are_all_planned():
    blocks = [small("100%") for _ in range(3)]
    x = torch.randn(64, 16)
    for block in blocks:
        x = block(x)
    x.sum().backward()
    assert [len(block.rematch_graphs) for block in blocks] == [1, 1, 1]


@pytest.mark.skipif("isolate_recompiles" not in dynamo.settings(),
                    reason="this version of PyTorch has one limit for all models")
@torch._dynamo.config.patch(recompile_limit=2)
def test_more_shapes_than_are_compiled_are_refused():
    model = small("100%")
    model(torch.randn(2, 16)), model(torch.randn(3, 16))
    with pytest.raises(UnsupportedModel, match="compiled 2 times"):
        model(torch.randn(4, 16))


@torch._dynamo.config.patch(recompile_limit=2)
def test_older_versions_plan_many_models_of_one_class(monkeypatch):
    monkeypatch.setattr(dynamo, "settings", lambda: {"dynamic": False})
    monkeypatch.setattr(dynamo, "_sharing", 0)
    blocks = [small("100%") for _ in range(3)]
    for block in blocks[::-1]:
        block(torch.randn(64, 16))
    assert [len(block.rematch_graphs) for block in blocks] == [1, 1, 1]


def test_what_pytorch_does_not_compile_is_said_once(caplog):
    model = small()
    with torch.compiler.set_stance("force_eager"):
        model(torch.randn(64, 16)), model(torch.randn(64, 16))
    text = "PyTorch has compiled nothing of the model"
    assert [text in record.message for record in caplog.records] == [True]


def test_why_nothing_is_compiled_is_said(caplog):
    """The norm looks at a number, inside of a loop that cannot be left."""
    model = nn.Sequential(nn.Linear(16, 16), nn.BatchNorm1d(16, momentum=None))
    rematch.torch.compile(model, "100%", in_place=True)
    model(torch.randn(64, 16)), model(torch.randn(64, 16))
    told = [record.message for record in caplog.records
            if "compiled nothing" in record.message]
    assert len(told) == 1 and "Tensor.item()" in told[0]


def test_a_module_of_pytorch_is_planned():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 16), nn.Tanh())
    rematch.torch.compile(model, "100%", in_place=True)(torch.randn(64, 16))
    assert len(model.rematch_graphs) == 1


def test_a_hook_of_the_model_runs():
    model = small()
    seen = []
    model.register_forward_hook(lambda *_: seen.append(1))
    gradients_of(model, torch.randn(64, 16))
    assert seen == [1]
