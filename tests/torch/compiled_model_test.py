# SPDX-License-Identifier: Apache-2.0
"""The compiled model as an object: copied, pickled, let go of, used by several threads."""

import copy
import gc
import pickle
import threading
import weakref

import pytest
import rematch.torch
import torch
from rematch.torch import InfeasibleBudget, UnsupportedModel, dynamo
from rematch.torch.backend import Backend
from rematch.torch.options import Options
from rematch.torch.step_timer import StepTimer
from torch import nn


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16))


def planned(model=None, budget="100%", **options):
    return rematch.torch.compile(model or small(), budget, kernels="eager",
                                 time_limit=0.3, **options)


def gradients(model, x):
    model.zero_grad()
    model(x).square().sum().backward()
    return [parameter.grad.clone() for parameter in model.parameters()]


COPIES = [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]


@pytest.mark.parametrize("clone", COPIES)
def test_a_copy_is_a_model_of_its_own_that_is_planned_too(clone):
    x = torch.randn(8, 16)
    model = planned()
    wanted = gradients(model, x)
    twin = clone(model)
    assert isinstance(twin, torch._dynamo.OptimizedModule)
    assert twin.rematch_graphs == []
    assert all(map(torch.equal, gradients(twin, x), wanted))
    assert len(twin.rematch_graphs) == len(model.rematch_graphs) == 1
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.zero_()
    assert not torch.equal(model(x), twin(x))


@pytest.mark.parametrize("clone", COPIES)
@torch._dynamo.config.patch(recompile_limit=1)
def test_a_copy_keeps_its_promises(clone, monkeypatch):
    with pytest.raises(InfeasibleBudget):
        clone(planned(budget=1))(torch.randn(8, 16))
    twin = clone(planned())
    monkeypatch.setattr(dynamo, "_sharing", 1)  # Of other tests, there may be many.
    twin(torch.randn(8, 16))
    with pytest.raises(UnsupportedModel, match="the next would run without a plan"):
        twin(torch.randn(9, 16))


@pytest.mark.parametrize("clone", COPIES)
def test_models_that_keep_their_backend_are_copied(clone):
    """As with Lightning, whose torch.compile leaves what it was given in the model."""
    model = planned()
    model._orig_mod._compile_kwargs = {"backend": Backend(
        Options(budget="100%"), lambda: None)}
    twin = clone(model)
    x = torch.randn(8, 16)
    assert all(map(torch.equal, gradients(twin, x), gradients(model, x)))
    again = twin._orig_mod._compile_kwargs["backend"]
    assert again.options.budget == "100%" and again.graphs == []


class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.last = inner, nn.Linear(16, 16)

    def forward(self, x):
        return self.last(self.inner(x))


@pytest.mark.parametrize("around", [
    lambda model: model, Around,
    lambda model: lambda x: model(x)], ids=["itself", "module", "function"])
def test_who_compiles_around_it_keeps_the_budget(around):
    x = torch.randn(8, 16)
    with pytest.raises(InfeasibleBudget):
        torch.compile(around(planned(budget=1)))(x)
    torch._dynamo.reset()
    model = planned()
    outer = around(model)
    torch.compile(outer)(x).sum().backward()
    assert len(model.rematch_graphs) == 1
    ours = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    outer(x).sum().backward()
    assert all(torch.equal(a, parameter.grad)
               for a, parameter in zip(ours, model.parameters()))


def test_a_model_with_a_budget_inside_of_another_is_told(caplog):
    model = planned(Around(planned()))
    gradients(model, torch.randn(8, 16))
    assert "'inner' was compiled with a budget of its own, in which it runs" in caplog.text
    assert len(model.inner.rematch_graphs) == 1


@pytest.mark.parametrize("in_place", [False, True])
def test_models_that_nobody_holds_go(in_place):
    model = small()
    there = weakref.ref(model)
    compiled = planned(model, in_place=in_place)
    gradients(compiled, torch.randn(8, 16))
    del model, compiled
    gc.collect()
    assert there() is None


def test_several_threads_may_use_a_model():
    x = torch.randn(8, 16)
    model = planned()
    wanted = gradients(model, x)
    found = []

    def work():
        for _ in range(20):
            found.append(torch.autograd.grad(model(x).square().sum(),
                                             list(model.parameters())))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(torch.equal(a, b) for one in found for a, b in zip(one, wanted))


def test_times_that_two_threads_have_are_told_once():
    told = []
    timer = StepTimer(torch.device("cpu"), told.append)

    def first():
        """Another thread is told while this one looks."""
        for one in timer.passes.values():
            one.is_complete = lambda: True
        timer._finish()
        return True

    for one in timer.passes.values():
        one.marks = [(0.0, 1.0)]
        one.is_complete = first
    timer._finish()
    assert told == [2e6]
