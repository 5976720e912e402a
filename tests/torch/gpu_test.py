# SPDX-License-Identifier: Apache-2.0
"""The promise on a GPU, by the allocator's own counters."""

import gc

import models
import pytest
import torch
import training
from rematch.torch import InfeasibleBudget
from rematch.torch.profiling import requested

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(),
                                reason="there is no GPU")
SHARES = (1.0, 0.7, 0.4, 0.2, 0.1, 0.0)
# What is around a step changes a little from one to the next, and libraries
# allocate up to this much when they please. Models of real size are predicted to
# the byte, see bench/peers.
AROUND = 64 * 2**10
LIBRARIES = 2**20


@pytest.fixture(params=models.MODELS)
def name(request, monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield request.param
    torch.use_deterministic_algorithms(False)


def batch_of(name):
    return [tensor.cuda() for tensor in models.batch(name)]


def measured_peak(function):
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    function()
    torch.cuda.synchronize()
    return requested(torch.device("cuda"), "peak")


def steps(model, step, name, count=3):
    torch.manual_seed(5)
    found = []
    for _ in range(count):
        model.zero_grad()
        found.append(step(*batch_of(name)).cpu())
        found += [parameter.grad.cpu() for parameter in model.parameters()]
    return found + [torch.cuda.get_rng_state()]


def test_peaks_are_as_predicted_and_numbers_as_without_a_plan(name):
    model = models.make(name).cuda()
    state = {key: value.clone() for key, value in model.state_dict().items()}
    for _ in range(2):  # The second time, libraries have what they keep.
        torch._dynamo.reset()
        model.zero_grad()
        whole = training.step_of(model, name, "100%")
        steps(model, whole, name)
    model.zero_grad()
    with pytest.raises(InfeasibleBudget) as failure:
        training.step_of(model, name, 1)(*batch_of(name))
    least, most = failure.value.least_budget, whole.graphs[0].schedule.peak
    reference = None
    for share in SHARES:
        torch._dynamo.reset()
        model.load_state_dict(state)
        model.zero_grad()
        budget = int(least + share * (most - least)) + AROUND
        step = training.step_of(model, name, budget)
        found = steps(model, step, name)
        reference = reference or found
        assert all(torch.equal(a, b) for a, b in zip(found, reference, strict=True))
        model.zero_grad()
        gc.collect()
        schedule = step.graphs[0].schedule
        batch = batch_of(name)
        before = requested(torch.device("cuda"))
        inputs = sum(value.bytes for value in schedule.program.inputs.values())
        peak = measured_peak(lambda: step(*batch))
        taken = peak - (before - inputs)
        predicted = schedule.peak - schedule.program.outside_bytes
        assert abs(taken - predicted) <= LIBRARIES
        assert schedule.peak <= budget
