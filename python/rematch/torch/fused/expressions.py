# SPDX-License-Identifier: Apache-2.0
"""Expressions of what Inductor writes: what they name, show and allocate."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from typing import Any

import torch

from rematch.torch.fused.snippet import Snippet
from rematch.torch.fused.wrapper import allocated
from rematch.torch.fused.writes import is_method
from rematch.torch.program import Value

_reinterpret = torch._C._dynamo.guards._reinterpret_tensor


def shape_of(item: ast.Call, shown: str, known: dict[str, Any]) -> tuple[Callable, list]:
    """The function that gives the value that is shown another shape, and what it takes
    besides. `known` is what the module defines."""
    inner, *shape = item.args
    is_plain = ast.unparse(item.func) == "reinterpret_tensor"
    if is_plain and isinstance(inner, ast.Name):
        return _reinterpret, [ast.literal_eval(part) for part in shape]
    text = ast.unparse(item)
    digest = hashlib.sha256(text.encode()).hexdigest()
    snippet = Snippet(f"shape_{digest[:16]}", [shown], [], [], [text], known)
    return snippet.function(), []


def with_pointers(call: ast.Call) -> ast.Call:
    """A kernel's call with buffers in place of views of them that begin where they do:
    it looks at where they begin, and at nothing else."""
    def whole(item: ast.expr) -> ast.expr:
        if not (isinstance(item, ast.Call)
                and ast.unparse(item.func) == "reinterpret_tensor"):
            return item
        buffer, *_, offset = item.args
        begins = isinstance(offset, ast.Constant) and offset.value == 0
        return buffer if isinstance(buffer, ast.Name) and begins else item

    return ast.Call(call.func, [whole(item) for item in call.args], call.keywords)


def allocation_like(value: Value) -> str:
    """Of a tensor like an input."""
    shape, stride, dtype, kind = value.signature
    return f"torch.empty_strided({shape}, {stride}, dtype={dtype}, device={kind!r})"


def fake_allocation(call: ast.Call, device: torch.device, mode: Any) -> torch.Tensor:
    """What a call allocates, without contents; `mode` is that of fake tensors."""
    made = allocated(call)
    size, stride, dtype = made.args[:3]
    kind = ast.unparse(made.func).removeprefix("empty_strided_")
    device = device if kind == device.type else torch.device(kind)
    with mode:
        found = torch.empty_strided(
            ast.literal_eval(size), ast.literal_eval(stride),
            dtype=getattr(torch, ast.unparse(dtype).removeprefix("torch.")),
            device=device)
        return found if made is call else \
            found.as_strided(*map(ast.literal_eval, call.args))


def names_in(node: ast.expr) -> list[str]:
    return list(dict.fromkeys(item.id for item in ast.walk(node)
                              if isinstance(item, ast.Name)))


def short_name(call: ast.Call) -> str:
    """For people."""
    text = call.func.attr if is_method(call) else ast.unparse(call.func)
    for noise in ("torch.ops.aten.", "extern_kernels.", "aten.", ".default", ".run"):
        text = text.replace(noise, "")
    return text.replace(".", "_")[:60]


def definitions(source: str) -> dict[str, str]:
    """The text of each kernel of a module, by name."""
    return {node.targets[0].id: ast.unparse(node) for node in ast.parse(source).body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func).startswith("async_compile.")}
