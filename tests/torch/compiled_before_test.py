# SPDX-License-Identifier: Apache-2.0
"""What Inductor wrote is loaded the next time, if it is for the same step."""

import pytest
import rematch.torch
import torch
from rematch.torch import second_start
from rematch.torch.fused import compiler
from torch import nn
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.nn import functional as F


class Layers(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.first, self.second = nn.Linear(16, 32), nn.Linear(32, 16)
        self.scale = scale

    def forward(self, x):
        x = F.dropout(F.gelu(self.first(x)), 0.25)
        x = self.second(x)
        return x if self.scale is None else x * torch.tensor(self.scale)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """And what is kept as a whole is not found."""
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    monkeypatch.setattr(second_start, "begin", lambda *_: None)


def trained(scale=None, autocast=False, **options):
    """A loss and gradients, from a start of its own."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = Layers(scale)
    compiled = rematch.torch.compile(model, budget="1GiB", kernels="fused", **options)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        loss = compiled(torch.randn(8, 16)).float().square().mean()
    loss.backward()
    return [loss.detach(), *(parameter.grad for parameter in model.parameters())]


def equal(some, others):
    return all(torch.equal(a, b) for a, b in zip(some, others, strict=True))


def test_nothing_is_compiled_the_second_time_and_numbers_are_the_same(captures):
    first = trained()
    assert len(captures) == 1
    assert equal(trained(), first)
    assert len(captures) == 1


def test_what_was_written_for_another_trace_is_not_run(captures, monkeypatch):
    trained()
    wanted = trained(autocast=True, cache=False)
    captures.clear()
    monkeypatch.setattr(compiler.Compiler, "_key", lambda *_: "one for all")
    trained()
    assert equal(trained(autocast=True), wanted)
    assert len(captures) == 2


def test_another_step_of_the_same_text_is_compiled_anew(captures):
    """Under autocast PyTorch captures the same model, and traces another step."""
    trained()
    under_autocast = trained(autocast=True)
    assert len(captures) == 2
    assert equal(under_autocast, trained(autocast=True, cache=False))
    assert not equal(under_autocast, trained())


def test_other_settings_of_inductor_are_compiled_anew(captures):
    trained()
    with torch._inductor.config.patch(epilogue_fusion=False):
        trained()
    assert len(captures) == 2


def test_constants_are_compiled_anew(captures):
    """They are in the text by name only."""
    first = trained(scale=[2.0] * 16)
    second = trained(scale=[3.0] * 16)
    assert not equal(first, second)
    assert equal(second, trained(scale=[3.0] * 16, cache=False))


def test_what_cannot_be_loaded_is_compiled_anew(captures, monkeypatch):
    first = trained()
    monkeypatch.setattr(compiler.PyCodeCache, "load", lambda source: 1 / 0)
    assert equal(trained(), first)
    assert len(captures) == 2


def test_another_processor_has_code_of_its_own(captures, monkeypatch):
    trained()
    monkeypatch.setattr(compiler, "pick_vec_isa", lambda: "another")
    trained()
    assert len(captures) == 2


def test_passes_of_somebody_else_are_run(captures):
    def halve(graph):
        for node in graph.find_nodes(op="call_function",
                                     target=torch.ops.aten.erf.default):
            node.target = torch.ops.aten.tanh.default

    first = trained()
    with torch._inductor.config.patch(post_grad_custom_post_pass=_Pass(halve)):
        second = trained()
        assert not equal(first, second)
        assert equal(trained(), second)
    assert equal(trained(), first)
    assert len(captures) == 3


class _Pass(CustomGraphPass):
    def __init__(self, change):
        self.change = change

    def __call__(self, graph):
        self.change(graph)

    def uuid(self):
        return "halve"


def test_which_parameters_train_is_part_of_the_choice():
    """What keeping everything takes is less if half of the model is frozen."""
    def budget(frozen):
        torch._dynamo.reset()
        model = Layers()
        model.first.requires_grad_(not frozen)
        compiled = rematch.torch.compile(model, budget="100%", kernels="fused")
        compiled(torch.randn(64, 16)).square().mean().backward()
        return compiled.rematch_graphs[0].budget

    assert budget(frozen=True) < budget(frozen=False)
    assert budget(frozen=True) < budget(frozen=False)


def test_without_a_cache_nothing_is_kept(captures):
    trained(cache=False)
    trained()
    assert len(captures) == 2
