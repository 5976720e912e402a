# SPDX-License-Identifier: Apache-2.0
"""What Inductor writes is read as it is meant, or refused with the line."""

import ast

import pytest
import torch
from rematch.torch.fused import parts
from rematch.torch.fused.capture import Pass
from rematch.torch.fused.draws import draws
from rematch.torch.fused.expressions import fake_allocation, with_pointers
from rematch.torch.fused.wrapper import read
from rematch.torch.fused.writes import NotUnderstood
from torch._subclasses.fake_tensor import FakeTensorMode

HEAD = """
fill = async_compile.cpp_pybinding(['const float*', 'float*'], r'''text''')
both = async_compile.cpp_pybinding(['float*', 'float*'], r'''text''')
"""
TRITON = """
{name} = async_compile.triton('{name}', '''
@triton_heuristics.pointwise(
    triton_meta={{'signature': {{'in_ptr0': '*i64', 'in_ptr1': '*fp32', 'out_ptr0': '*fp32',
                              'load_seed_offset': '{offset}', 'ws_ptr': '*fp32',
                              'xnumel': 'i32', 'XBLOCK': 'constexpr'}},
                 'device': DeviceProperties(type='cuda', index=0)}},
    inductor_meta={{'mutated_arg_names': {mutated}, 'atomic_add_found': False}})
@triton.jit
def {name}(in_ptr0, in_ptr1, out_ptr0, load_seed_offset, ws_ptr, xnumel,
           XBLOCK : tl.constexpr):
    {body}
''', device_str='cuda')
"""
ALLOCATE = "buf0 = empty_strided_cpu((2, 6), (6, 1), torch.float32)"
LEFT = "reinterpret_tensor(buf0, (2, 4), (6, 1), 0)"
RIGHT = "reinterpret_tensor(buf0, (2, 2), (6, 1), 4)"


def wrapper(*lines, head=HEAD):
    body = "".join(f"    {line}\n" for line in
                   ("primals_1, = args", "args.clear()", *lines, "return (buf0, )"))
    return read(Pass(f"{head}\ndef call(args):\n{body}",
                     {"torch": torch, "aten": torch.ops.aten}))


def test_kernels_write_to_what_is_not_constant():
    found = wrapper(ALLOCATE, "fill(primals_1, buf0)", "del primals_1",
                    "both(primals_1, buf0)")
    assert [call.writes for call in found.calls] == [["buf0"], ["primals_1", "buf0"]]
    assert found.inputs == ["primals_1"]


def test_calls_are_of_the_nodes_that_the_comment_above_names():
    found = wrapper(ALLOCATE,
                    "# Topologically Sorted Source Nodes: [linear, add], Original ATen: [a.b]",
                    "stream0 = get_raw_stream(0)", "fill(primals_1, buf0)",
                    "both(primals_1, buf0)",
                    "# Topologically Sorted Source Nodes: [], Original ATen: []",
                    "both(primals_1, buf0)")
    assert [call.sources for call in found.calls] == [["linear", "add"], [], []]


def test_other_shapes_of_a_buffer_are_the_buffer():
    found = wrapper(ALLOCATE, f"buf1 = {RIGHT}", "buf2 = buf1; del buf1  # reuse",
                    "fill(primals_1, buf2)")
    assert found.calls[0].writes == ["buf0"]
    assert "reinterpret_tensor(buf0" in ast.unparse(found.calls[0].node)


def test_rows_of_a_buffer_may_be_longer_than_what_is_used():
    padded = ("buf0 = empty_strided_cpu((2, 6), (8, 1), torch.float32)"
              ".as_strided((2, 5), (8, 1))")
    found = wrapper(padded, "fill(primals_1, buf0)")
    assert found.calls[0].writes == ["buf0"]
    fake = fake_allocation(found.allocations["buf0"], torch.device("cpu"),
                           FakeTensorMode())
    assert (fake.shape, fake.stride()) == ((2, 5), (8, 1))
    assert fake.untyped_storage().nbytes() == 4 * (8 + 6)
    with pytest.raises(NotUnderstood):  # It begins elsewhere.
        wrapper(padded.replace("(8, 1))", "(8, 1), 1)"), "fill(primals_1, buf0)")


def test_operators_write_to_what_their_schema_says():
    found = wrapper(ALLOCATE, "aten.mul_.Tensor(buf0, primals_1)",
                    "buf3 = torch.ops.aten.topk.default(primals_1, 2)",
                    "buf4 = buf3[1]", "aten.mm.out(primals_1, buf4, out=buf0)")
    assert [call.writes for call in found.calls] == [["buf0"], [], ["buf0"]]
    assert found.calls[1].result == "buf3"
    assert found.elements == {"buf4": ("buf3", 1)}


def test_operators_without_an_overload_write_to_what_all_of_them_do():
    found = wrapper(ALLOCATE, "aten.index_put_(buf0, [primals_1], primals_1, True)",
                    "aten.scatter_(buf0, 0, primals_1, primals_1)",
                    "buf1 = aten.index_put(buf0, [primals_1], primals_1)")
    assert [call.writes for call in found.calls] == [["buf0"], ["buf0"], []]


@pytest.mark.parametrize("offset", ["i32", "constexpr"])  # The latter if it is 1.
def test_triton_kernels_write_to_what_they_say(offset):
    head = TRITON.format(name="first", mutated="[]", offset=offset, body="pass") + \
        TRITON.format(name="second", mutated="['in_ptr1']", offset=offset, body="pass")
    found = wrapper(
        ALLOCATE, "workspace_0 = empty_strided_cuda((8, ), (1, ), torch.float32)",
        "stream0 = get_raw_stream(0)",
        "first.run(primals_1, primals_1, buf0, 1, workspace_0, 12, stream=stream0)",
        "buf1 = workspace_0[0 * 4:(0 + 1) * 4].view(2, 2).sum(dim=0)",
        "second.run(buf0, primals_1, buf0, 1, workspace_0, 12, stream=stream0)",
        head=head)
    assert [call.writes for call in found.calls] == [
        ["buf0", "workspace_0"], [], ["primals_1", "buf0", "workspace_0"]]
    assert found.calls[1].reads == ["workspace_0"]
    assert found.calls[1].result == "buf1"


def test_a_kernel_that_adds_to_what_is_there_cannot_be_run_again():
    for body, can in (("tl.store(out_ptr0, 1)", True),
                      ("tl.atomic_add(out_ptr0, 1)", False)):
        head = TRITON.format(name="first", mutated="[]", offset="i32", body=body)
        found = wrapper(ALLOCATE, "first.run(primals_1, primals_1, buf0, 1, buf0, 12)",
                        head=head)
        assert parts.only_stores(found.calls[0], {"first": head}) is can


def test_attention_draws_if_it_drops():
    where = "torch.ops.aten._scaled_dot_product_efficient_attention"
    lines = {f"buf1 = {where}.default(primals_1, primals_1, primals_1, None, True, "
             f"{share})": bool(share) for share in (0.1, 0.0)}
    lines[f"buf1 = {where}.default(primals_1, primals_1, primals_1, None, True)"] = False
    lines[f"buf1 = {where}_backward.default(primals_1, primals_1, primals_1, primals_1, "
          "None, primals_1, primals_1, primals_1, primals_1, 0.1, [True, True, True, "
          "False])"] = False
    lines["aten.randint.low_out(0, 9, [1], out=buf0)"] = True
    lines["aten.bernoulli_(buf0, 0.5)"] = True
    lines["aten.index_put_(buf0, [primals_1], primals_1, True)"] = False
    lines["buf0.zero_()"] = False
    for line, does in lines.items():
        found = wrapper(ALLOCATE, line)
        assert draws(found.calls[0].node, found.writer) is does, line


@pytest.mark.parametrize("line", [
    "buf0 += 1", "buf1, buf2 = both(primals_1, buf0)", "primals_1.size(0)",
    "buf1 = primals_1[0]", "for i in range(3): fill(primals_1, buf0)",
    "fill(primals_1)", "buf0.view(3)", "nobody.knows(buf0)", "both(None, buf0)",
    "nobody.run(buf0)", "buf0[0:1].view(2)", "buf0.exponential_()",
    "aten.index_put(buf0, [primals_1], primals_1)"])
def test_what_is_not_understood_is_refused_with_the_line(line):
    with pytest.raises(NotUnderstood) as failure:
        wrapper(ALLOCATE, line)
    assert line.split("(")[0].split(" ")[0] in str(failure.value)


def test_parts_that_have_nothing_in_common_may_be_filled_at_any_time():
    parts.check(wrapper(ALLOCATE, f"fill(primals_1, {LEFT})",
                        "buf9 = torch.ops.aten.relu.default(buf0)",
                        f"fill(primals_1, {RIGHT})"))


@pytest.mark.parametrize("other", [
    "buf0", "reinterpret_tensor(buf0, (2, 3), (6, 1), 3)",
    "reinterpret_tensor(buf0, (2, 2), (4, 2), 4)"])
def test_parts_that_overlap_are_refused_if_somebody_reads_in_between(other):
    first, last = f"fill(primals_1, {LEFT})", f"fill(primals_1, {other})"
    parts.check(wrapper(ALLOCATE, first, last))
    with pytest.raises(NotUnderstood, match="buf0"):
        parts.check(wrapper(ALLOCATE, first,
                            "buf9 = torch.ops.aten.relu.default(buf0)", last))


def test_kernels_are_given_pointers():
    """Making a view takes time, and a kernel looks at where it begins alone."""
    call = ast.parse(f"fill({LEFT}, {RIGHT}, buf1, 8, stream=stream0)").body[0].value
    assert ast.unparse(with_pointers(call)) == \
        f"fill(buf0, {RIGHT}, buf1, 8, stream=stream0)"
