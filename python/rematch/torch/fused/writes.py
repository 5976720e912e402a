# SPDX-License-Identifier: Apache-2.0
"""Which of its arguments a kernel writes to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch


class NotUnderstood(Exception):
    """Says which line, and what about it."""

    def __init__(self, node: ast.AST, why: str) -> None:
        super().__init__(f"{why}: {ast.unparse(node)}")


def cpp_signatures(tree: ast.Module) -> dict[str, list[str]]:
    """By kernel, the C++ types of its parameters."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and \
                ast.unparse(node.value.func) == "async_compile.cpp_pybinding":
            found[node.targets[0].id] = ast.literal_eval(node.value.args[0])
    return found


class Writes:
    """What calls write to, for the calls of one module."""

    def __init__(self, tree: ast.Module, names: dict[str, Any]) -> None:
        self.names = names
        self.cpp = cpp_signatures(tree)

    def of(self, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments that a call writes to."""
        for keyword in call.keywords:
            if keyword.arg == "out":
                yield from keyword.value.elts if isinstance(
                    keyword.value, ast.Tuple) else [keyword.value]
        function = call.func
        if isinstance(function, ast.Name) and function.id in self.cpp:
            yield from self._cpp(call, self.cpp[function.id])
        elif isinstance(function, ast.Attribute) and function.attr == "run" and \
                isinstance(function.value, ast.Name):
            yield from self._triton(call, self.names[function.value.id])
        elif is_method(call):
            if not function.attr.endswith("_"):
                raise NotUnderstood(call, "a method that is not known")
            yield function.value
        else:
            yield from self._operator(call)

    def _cpp(self, call: ast.Call, types: list[str]) -> Iterator[ast.expr]:
        if len(types) != len(call.args):
            raise NotUnderstood(call, f"a kernel of {len(types)} parameters")
        for kind, argument in zip(types, call.args):
            if "*" in kind and "const" not in kind:
                yield argument

    def _triton(self, call: ast.Call, kernel: Any) -> Iterator[ast.expr]:
        signature = kernel.triton_meta["signature"]
        parameters = [name for name, kind in signature.items() if kind != "constexpr"]
        if len(parameters) != len(call.args):
            raise NotUnderstood(call, f"a kernel of {len(parameters)} parameters")
        mutated = set(kernel.inductor_meta.get("mutated_arg_names", ()))
        for name, argument in zip(parameters, call.args):
            if name in mutated or name.startswith(("out_ptr", "in_out_ptr", "ws_ptr")):
                yield argument

    def _operator(self, call: ast.Call) -> Iterator[ast.expr]:
        operator = self.operator(call)
        if not isinstance(operator, torch._ops.OpOverload):
            return
        parameters = operator._schema.arguments
        given = dict(zip((p.name for p in parameters), call.args))
        given.update((k.arg, k.value) for k in call.keywords if k.arg != "out")
        for parameter in parameters:
            written = parameter.alias_info and parameter.alias_info.is_write
            if written and parameter.name in given:
                yield given[parameter.name]

    def operator(self, call: ast.Call) -> Any:
        """What is called."""
        text = ast.unparse(call.func)
        place: Any = None
        for index, part in enumerate(text.split(".")):
            place = self.names.get(part) if index == 0 else getattr(place, part, None)
            if place is None:
                raise NotUnderstood(call, f"'{part}' is not known")
        return place


def is_method(call: ast.Call) -> bool:
    """Whether it is a method of a buffer, as in `buf0.zero_()`."""
    function = call.func
    return isinstance(function, ast.Attribute) and \
        isinstance(function.value, ast.Name) and \
        function.value.id.startswith(("buf", "workspace", "primals", "arg"))
