# SPDX-License-Identifier: Apache-2.0
"""Kernels that write over what they read last."""

import pytest
import rematch.torch
import torch
from rematch.torch import planner
from rematch.torch.fused.in_place import can_overwrite
from rematch.torch.step import WithLoss
from torch import nn
from torch.nn import functional as F

TRITON = """
@triton.jit
def kernel_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    x0 = xindex % 8
{}
"""
CPP = """
extern "C"  void  kernel(const float* in_ptr0,
                       const float* in_ptr1,
                       float* out_ptr0)
{{
{}
}}
"""


@pytest.mark.parametrize("lines, can", [
    ("tmp0 = tl.load(in_ptr0 + (x0 + 8*(x1 // 2)), xmask)\n"
     "tl.store(out_ptr0 + (x0 + 8*(x1 // 2)), tmp0, xmask)", True),
    # Twice before it is written, as reductions do.
    ("tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntmp1 = tl.load(in_ptr0 + (x0), xmask)\n"
     "tl.store(out_ptr0 + (x0), tmp0 + tmp1, xmask)", True),
    # Another element.
    ("tmp0 = tl.load(in_ptr0 + (7 - x0), xmask)\n"
     "tl.store(out_ptr0 + (x0), tmp0, xmask)", False),
    # Read again when it is written.
    ("tmp0 = tl.load(in_ptr0 + (x0), xmask)\ntl.store(out_ptr0 + (x0), tmp0, xmask)\n"
     "tmp1 = tl.load(in_ptr0 + (x0), xmask)", False),
    # In ways that are not known.
    ("block = tl.make_block_ptr(in_ptr0, [8], [1])\n"
     "tl.store(out_ptr0 + (x0), tmp0, xmask)", False),
    ("tmp0 = tl.load(in_ptr0 + (x0), xmask)\n"
     "tl.atomic_add(out_ptr0 + (x0), tmp0, xmask)", False),
    ("tl.store(out_ptr0 + (x0), 1, xmask)", False),
])
def test_triton_kernels_that_read_what_they_write(lines, can):
    text = TRITON.format("".join(f"    {line}\n" for line in lines.split("\n")))
    assert can_overwrite(text, "in_ptr0", "out_ptr0") is can


@pytest.mark.parametrize("read, can", [
    ("in_ptr0 + static_cast<int64_t>(x1 + 8L*x0), 8", True),
    ("in_ptr0 + static_cast<int64_t>(x0 + 8L*x1), 8", False)])
def test_cpp_kernels_that_read_what_they_write(read, can):
    text = CPP.format(f"auto tmp0 = Vectorized<float>::loadu({read});\n"
                      "tmp0.store(out_ptr0 + static_cast<int64_t>(x1 + 8L*x0));")
    assert can_overwrite(text, "in_ptr0", "out_ptr0") is can


class Words(nn.Module):
    """Most of its memory is in the logits."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)
        self.outer = nn.Linear(16, 2048, bias=False)

    def forward(self, x):
        return self.outer(torch.tanh(self.inner(x)))


def test_logits_become_their_gradients():
    inputs, targets = torch.randn(128, 16), torch.randint(2048, (128,))
    torch.manual_seed(0)
    model = Words()
    step = rematch.torch.TrainStep(model, F.cross_entropy, budget="100%",
                                   kernels="fused", cache=False)
    step(inputs, targets)
    wanted = [parameter.grad.clone() for parameter in model.parameters()]
    program = step.graphs[0].program
    least = planner.plan_least(program).schedule.peak
    budget = least - 128 * 2048 * 4 // 2
    model.zero_grad()
    torch._dynamo.reset()
    step = rematch.torch.TrainStep(model, F.cross_entropy, budget=budget,
                                   kernels="fused", cache=False)
    step(inputs, targets)
    graph = step.graphs[0]
    assert graph.kernels.in_place and graph.peak_bytes <= budget
    for parameter, gradient in zip(model.parameters(), wanted):
        assert torch.equal(parameter.grad, gradient)


def test_backward_twice_finds_what_forward_kept():
    """Logits are overwritten by the first time, unless there is to be a second."""
    inputs, targets = torch.randn(128, 16), torch.randint(2048, (128,))
    gradients = []
    for retain in (False, True):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = WithLoss(Words(), F.cross_entropy)
        options = {"kernels": "fused", "cache": False}
        with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
            rematch.torch.compile(model, 1, **options)(inputs, targets)
        torch._dynamo.reset()
        function = rematch.torch.compile(model, failure.value.least_budget, **options)
        loss = function(inputs, targets)
        assert function.rematch_graphs[0].kernels.in_place
        if retain:
            loss.backward(retain_graph=True)
            model.zero_grad()
        loss.backward()
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
    for once, twice in zip(*gradients):
        assert torch.equal(once, twice)
