# SPDX-License-Identifier: Apache-2.0
"""What operators give another shape or type takes no memory; complex numbers do that."""

import pytest
import rematch.torch
import torch
from rematch.torch.errors import InfeasibleBudget
from rematch.torch.fused.capture import Compiled, Pass
from rematch.torch.fused.lowering import Lowering
from rematch.torch.fused.writes import NotUnderstood
from torch import fx, nn
from torch._C._dynamo.guards import _empty_strided_cpu, _reinterpret_tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional as F

NAMES = {"torch": torch, "aten": torch.ops.aten,
         "empty_strided_cpu": _empty_strided_cpu,
         "reinterpret_tensor": _reinterpret_tensor}
ALLOCATE = "buf0 = empty_strided_cpu((4, 2), (2, 1), torch.float32)"
FILL = "torch.ops.aten.copy_.default(buf0, primals_1)"
SHOW = "buf1 = torch.ops.aten.view_as_complex.default(buf0)"
TURN = "buf2 = torch.ops.aten.mul.Tensor(buf1, buf1)"


def one_pass(inputs, *lines, result):
    body = "".join(f"    {line}\n" for line in
                   (f"{inputs}, = args", "args.clear()", *lines, f"return ({result}, )"))
    return Pass(f"def call(args):\n{body}", NAMES)


def lowered(*lines, result="buf2"):
    """Of a forward pass with these lines; backward gives its gradient on."""
    graph, mode = fx.Graph(), FakeTensorMode()
    with mode:
        for name, dtype, shape in (("primals_1", torch.float32, (4, 2)),
                                   ("tangents_1", torch.complex64, (4,))):
            graph.placeholder(name).meta["val"] = torch.empty(shape, dtype=dtype)
    graph.output(())
    return Lowering(Compiled(one_pass("primals_1", *lines, result=result),
                             one_pass("tangents_1", result="tangents_1")),
                    fx.GraphModule(nn.Module(), graph), 1, torch.device("cpu"))


def results_of(program, given):
    """Of forward, op by op."""
    values = {"primals_1": given}
    for op in program.ops:
        if op.phase == "forward":
            made = op.call(*(values[ref.name] for ref in op.args))
            values.update(zip(op.outputs, made if op.returns_tuple else (made,)))
    ref, = program.forward_outputs
    view = program.views.get(ref.name)
    if view is None:
        return values[ref.name]
    return view.call(values[view.root], *view.args[1:])


def test_another_type_is_the_same_bytes():
    program = lowered(ALLOCATE, FILL, SHOW, TURN).program
    assert [op.kind.split()[0] for op in program.ops] == \
        ["copy_", "mul_Tensor", "tangents"]
    assert {name: value.bytes for name, value in program.values.items()} == {
        "f_buf0": 32, "f_buf2": 32, "tangents_1": 32}
    given = torch.randn(4, 2)
    assert torch.equal(results_of(program, given), torch.view_as_complex(given) ** 2)


def test_another_type_may_be_what_comes_out():
    program = lowered(ALLOCATE, FILL, SHOW, "buf2 = aten.reshape.default(buf1, [2, 2])"
                      ).program
    assert [name for name in program.values if "buf" in name] == ["f_buf0"]
    given = torch.randn(4, 2)
    assert torch.equal(results_of(program, given),
                       torch.view_as_complex(given).view(2, 2))
    others = lowered(ALLOCATE, FILL, SHOW, "buf2 = aten.reshape.default(buf1, [4, 1])"
                     ).program
    one, = program.views.values()
    other, = others.views.values()
    assert one.call.__name__ != other.call.__name__  # Plans know them apart.


def test_a_copy_is_one():
    turned = "buf1 = aten.reshape.default(reinterpret_tensor(buf0, (2, 4), (1, 2), 0), [8])"
    program = lowered(ALLOCATE, FILL, turned, TURN).program
    assert program.values["f_buf1"].bytes == 32
    given = torch.randn(4, 2)
    assert torch.equal(results_of(program, given), given.t().reshape(8) ** 2)


LEFT, RIGHT = (f"reinterpret_tensor(buf0, (4, 1), (2, 1), {offset})" for offset in (0, 1))
FILL_LEFT = f"aten.copy_.default({LEFT}, reinterpret_tensor(primals_1, (4, 1), (2, 1), 0))"
FILL_RIGHT = FILL_LEFT.replace(LEFT, RIGHT)


def test_what_is_shown_may_be_filled_in_parts():
    program = lowered(ALLOCATE, FILL_LEFT, FILL_RIGHT, SHOW, TURN).program
    given = torch.randn(4, 2)
    wanted = torch.view_as_complex(given[:, :1].expand(4, 2).contiguous()) ** 2
    assert torch.equal(results_of(program, given), wanted)


@pytest.mark.parametrize("line, why", [
    (FILL, "writes to a part of 'buf0' again"),
    ("torch.ops.aten.copy_.default(buf1, buf1)", "another shape that is written to")])
def test_what_is_shown_is_not_written_to_again(line, why):
    with pytest.raises(NotUnderstood, match=why):
        lowered(ALLOCATE, FILL, SHOW, line, TURN)


class Turning(nn.Module):
    """Attention with places as complex numbers."""

    def __init__(self, size=32, heads=4, length=16):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        angles = torch.outer(torch.arange(length).float(),
                             0.1 ** torch.arange(size // heads // 2).float())
        self.register_buffer("places", torch.polar(torch.ones_like(angles), angles))

    def turned(self, x):
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * self.places[:, None]).flatten(-2)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        y = F.scaled_dot_product_attention(
            *(item.transpose(1, 2) for item in (self.turned(q), self.turned(k), v)))
        return x + self.out(y.transpose(1, 2).flatten(-2))


class Filtering(nn.Module):
    """By frequency; the filter is complex, and so is its gradient."""

    def __init__(self, size=32):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.filters = nn.ParameterList(
            torch.randn(size // 2 + 1, dtype=torch.complex64) for _ in range(2))

    def forward(self, x):
        for layer, weight in zip(self.layers, self.filters):
            x = layer(torch.fft.irfft(torch.fft.rfft(x) * weight, n=x.shape[-1])).tanh()
        return x


@pytest.mark.parametrize("make", [lambda: nn.Sequential(Turning(), Turning()), Filtering],
                         ids=["turning", "filtering"])
def test_complex_numbers_are_as_in_torch_compile(make):
    torch.manual_seed(0)
    model, inputs, budget = make(), torch.randn(64, 16, 32), 1
    options = {"kernels": "fused", "cache": False, "time_limit": 0.5}

    def gradients(function):
        model.zero_grad()
        function(inputs).square().sum().backward()
        return [parameter.grad for parameter in model.parameters()]

    wanted = gradients(torch.compile(model, dynamic=False))
    torch._dynamo.reset()
    with pytest.raises(InfeasibleBudget) as failure:
        rematch.torch.compile(model, budget, **options)(inputs)
    for budget in ("100%", failure.value.least_budget):
        torch._dynamo.reset()
        compiled = rematch.torch.compile(model, budget, **options)
        assert all(torch.equal(a, b) for a, b in zip(gradients(compiled), wanted))
    assert any(run.number for run in compiled.rematch_graphs[0].schedule.runs)
