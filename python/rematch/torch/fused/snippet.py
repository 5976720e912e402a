# SPDX-License-Identifier: Apache-2.0
"""A kernel's call with what it allocates, as lines of Python.

They are run as a function of their own where one op is run alone, and stand in line
where a whole pass is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch


@dataclass(frozen=True)
class Snippet:
    name: str
    parameters: Sequence[str]
    settings: Sequence[str]  # Lines that hold for all kernels of a pass: the stream.
    lines: Sequence[str]
    returns: Sequence[str]  # Expressions.
    names: dict[str, Any]  # What the lines know besides.

    def function(self) -> Callable:
        """Also as `.fake`, for tensors without contents; the snippet is `.snippet`."""
        result = ", ".join(self.returns) if self.returns else "None"
        body = (*self.settings, *self.lines, f"return {result}")
        source = f"def {self.name}({', '.join(self.parameters)}):\n" + "".join(
            f"    {line}\n" for line in body)
        code = compile(source, f"<rematch {self.name}>", "exec")
        made = []
        for space in ({**self.names}, {**self.names, **_FAKE}):
            exec(code, space)  # noqa: S102
            made.append(space[self.name])
        function, function.fake = made
        function.source, function.snippet = source, self
        return function

    def in_line(self, arguments: Sequence[str], targets: Sequence[str | None],
                bind: Callable[[Any, str], str]) -> tuple[list[str], list[str]]:
        """The settings, and the lines with variables in place of what it is given
        and makes; None: what is made there is let go at once. `bind` gives names
        to things."""
        body = ast.parse("\n".join(self.lines)).body
        stored = {node.id for line in body for node in ast.walk(line)
                  if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        settings = [ast.parse(line).body[0] for line in self.settings]
        known = {line.targets[0].id for line in settings}
        names = dict(zip(self.parameters, arguments, strict=True))
        made = dict(zip(self.returns, targets, strict=True))
        # What nobody wants has a name of its own, until it is let go.
        spare = [f"_{self.name}_{name}" for name in sorted(stored)
                 if made.get(name) is None]
        names.update((name, made.get(name) or f"_{self.name}_{name}")
                     for name in stored)
        rename = _Rename(names, known, self.names, bind)
        lines = [ast.unparse(rename.visit(line)) for line in body]
        for expression, target in made.items():
            if target and expression not in stored:
                value = rename.visit(ast.parse(expression, mode="eval").body)
                lines.append(f"{target} = {ast.unparse(value)}")
        if spare:
            lines.append("del " + ", ".join(spare))
        return [ast.unparse(rename.visit(line)) for line in settings], lines


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], kept: set[str], globals_: dict[str, Any],
                 bind: Callable[[Any, str], str]) -> None:
        self.names, self.kept = names, kept
        self.globals, self.bind = globals_, bind

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self.names:
            return ast.Name(self.names[node.id], node.ctx)
        if node.id in self.kept or node.id not in self.globals:
            return node
        return ast.Name(self.bind(self.globals[node.id], f"{node.id}_"), node.ctx)


def _empty_strided(kind, size, stride, dtype):
    return torch.empty_strided(size, stride, dtype=dtype, device=kind)


def _as_strided(tensor, size, stride, offset=0):
    return torch.as_strided(tensor, size, stride, tensor.storage_offset() + offset)


# What stands for functions that know nothing of tensors without contents.
_FAKE = {"reinterpret_tensor": _as_strided,
         **{f"empty_strided_{kind}": partial(_empty_strided, kind)
            for kind in ("cpu", "cuda")}}
