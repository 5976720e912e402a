# SPDX-License-Identifier: Apache-2.0
"""Buffers that several kernels fill.

Two kernels may write to one buffer if they fill parts of it that have nothing in
common, as concatenations do: whoever reads a part then finds it as it was, however
often another part is written. Or if nobody reads the buffer in between.
"""

from __future__ import annotations

import ast
import re

from rematch.torch.fused.writes import NotUnderstood
from rematch.torch.fused.wrapper import Call, Wrapper


def only_stores(call: Call, definitions: dict[str, str]) -> bool:
    """Whether it may be run again on the buffers that it has written to."""
    text = ast.unparse(call.node.func).removesuffix(".run")
    source = definitions.get(text)
    if source is None:  # An operator: those that write everything say `out`.
        return any(keyword.arg == "out" for keyword in call.node.keywords)
    return not re.search(r"tl\.atomic_|atomic_add\(|in_out_ptr", source)


def _box(expression: ast.expr, size: tuple, stride: tuple) -> list[range] | None:
    """The part of a buffer that an expression shows, if it is a box."""
    if isinstance(expression, ast.Name):
        return [range(extent) for extent in size]
    if ast.unparse(expression.func) != "reinterpret_tensor":
        return None
    *_, extents, strides, offset = map(ast.literal_eval, expression.args[1:])
    if len(extents) != len(size) or any(
            a != b for a, b, n in zip(strides, stride, extents) if n > 1):
        return None
    begins = []
    for step in stride:
        begins.append(0 if step == 0 else None)
    rest = offset
    for index in sorted(range(len(size)), key=lambda i: -stride[i]):
        if stride[index]:
            begins[index], rest = divmod(rest, stride[index])
    box = [range(begin, begin + extent) for begin, extent in zip(begins, extents)]
    inside = all(part.stop <= extent for part, extent in zip(box, size))
    return box if rest == 0 and inside else None


def _are_apart(one: list[range], other: list[range]) -> bool:
    return any(a.stop <= b.start or b.stop <= a.start for a, b in zip(one, other))


def _written(call: Call, name: str) -> list[ast.expr]:
    """The arguments that show the buffer."""
    found = []
    for node in (*call.node.args, *(keyword.value for keyword in call.node.keywords)):
        names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
        if name in names:
            found.append(node)
    return found


def check(wrapper: Wrapper) -> None:
    """Raises NotUnderstood where the writers of a buffer get in the way of its
    readers."""
    for name, allocation in wrapper.allocations.items():
        touching = [call for call in wrapper.calls if name in call.reads]
        writers = [call for call in touching if name in call.writes]
        if len(writers) < 2:
            continue
        last = max(index for index, call in enumerate(touching) if call in writers)
        if all(call in writers for call in touching[:last]):
            continue
        size, stride = (ast.literal_eval(item) for item in allocation.args[:2])
        boxes = []
        for call in writers:
            shown = [_box(item, size, stride) for item in _written(call, name)]
            if len(shown) != 1 or shown[0] is None:
                raise NotUnderstood(call.node, f"writes to '{name}' after others")
            boxes.append(shown[0])
        for index, one in enumerate(boxes):
            if not all(_are_apart(one, other) for other in boxes[:index]):
                raise NotUnderstood(writers[index].node,
                                    f"writes to a part of '{name}' again")
