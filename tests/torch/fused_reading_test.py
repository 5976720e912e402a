# SPDX-License-Identifier: Apache-2.0
"""What Inductor writes is read as it is meant, or refused with the line."""

import ast

import pytest
import torch
from rematch.torch.fused import parts
from rematch.torch.fused.capture import Pass
from rematch.torch.fused.wrapper import read
from rematch.torch.fused.writes import NotUnderstood

HEAD = """
fill = async_compile.cpp_pybinding(['const float*', 'float*'], r'''text''')
both = async_compile.cpp_pybinding(['float*', 'float*'], r'''text''')
"""
ALLOCATE = "buf0 = empty_strided_cpu((2, 6), (6, 1), torch.float32)"
LEFT = "reinterpret_tensor(buf0, (2, 4), (6, 1), 0)"
RIGHT = "reinterpret_tensor(buf0, (2, 2), (6, 1), 4)"


def wrapper(*lines):
    body = "".join(f"    {line}\n" for line in
                   ("primals_1, = args", "args.clear()", *lines, "return (buf0, )"))
    return read(Pass(f"{HEAD}\ndef call(args):\n{body}",
                     {"torch": torch, "aten": torch.ops.aten}))


def test_kernels_write_to_what_is_not_constant():
    found = wrapper(ALLOCATE, "fill(primals_1, buf0)", "del primals_1",
                    "both(primals_1, buf0)")
    assert [call.writes for call in found.calls] == [["buf0"], ["primals_1", "buf0"]]
    assert found.inputs == ["primals_1"]


def test_other_shapes_of_a_buffer_are_the_buffer():
    found = wrapper(ALLOCATE, f"buf1 = {RIGHT}", "buf2 = buf1; del buf1  # reuse",
                    "fill(primals_1, buf2)")
    assert found.calls[0].writes == ["buf0"]
    assert "reinterpret_tensor(buf0" in ast.unparse(found.calls[0].node)


def test_operators_write_to_what_their_schema_says():
    found = wrapper(ALLOCATE, "aten.mul_.Tensor(buf0, primals_1)",
                    "buf3 = torch.ops.aten.topk.default(primals_1, 2)",
                    "buf4 = buf3[1]", "aten.mm.out(primals_1, buf4, out=buf0)")
    assert [call.writes for call in found.calls] == [["buf0"], [], ["buf0"]]
    assert found.calls[1].result == "buf3"
    assert found.elements == {"buf4": ("buf3", 1)}


@pytest.mark.parametrize("line", [
    "buf0 += 1", "buf1, buf2 = both(primals_1, buf0)", "primals_1.size(0)",
    "buf1 = primals_1[0]", "for i in range(3): fill(primals_1, buf0)",
    "fill(primals_1)", "buf0.view(3)", "nobody.knows(buf0)", "both(None, buf0)"])
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
