# SPDX-License-Identifier: Apache-2.0
"""Which of its arguments a kernel writes to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import torch


class NotUnderstood(Exception):
    """Says which line, and what about it."""

    def __init__(self, node: ast.AST, why: str) -> None:
        super().__init__(f"{why}: {ast.unparse(node)}")


def cpp_signatures(tree: ast.Module) -> dict[str, list[str]]:
    """By kernel, the C++ types of its parameters."""
    return {name: ast.literal_eval(call.args[0])
            for name, call in _kernels(tree, "async_compile.cpp_pybinding")}


def cpp_parameters(tree: ast.Module) -> dict[str, list[str]]:
    """By kernel, the names of its parameters."""
    found = {}
    for name, call in _kernels(tree, "async_compile.cpp_pybinding"):
        head = re.search(r"\bkernel\(([^)]*)\)", call.args[1].value)
        if head is not None:
            found[name] = re.findall(r"(\w+)\s*(?:,|$)", head[1])
    return found


def triton_parameters(tree: ast.Module) -> dict[str, dict[str, bool]]:
    """By kernel, whether it writes to each of its parameters, in the order in which
    they are given."""
    found = {}
    for name, call in _kernels(tree, "async_compile.triton"):
        kernel = ast.parse(call.args[1].value)
        described = _literals(kernel)
        signature = described.get("signature", {})
        written = {parameter for parameter, kind in signature.items()
                   if kind.startswith("*") and (
                       parameter in described.get("mutated_arg_names", ())
                       or parameter.startswith(("out_ptr", "in_out_ptr", "ws_ptr")))}
        functions = [node for node in kernel.body if isinstance(node, ast.FunctionDef)
                     and set(signature) <= {arg.arg for arg in node.args.args}]
        if len(functions) == 1:
            # Those with an annotation are constants of the kernel.
            found[name] = {arg.arg: arg.arg in written
                           for arg in functions[0].args.args if arg.annotation is None}
    return found


def _kernels(tree: ast.Module, maker: str) -> Iterator[tuple[str, ast.Call]]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and \
                ast.unparse(node.value.func) == maker:
            yield node.targets[0].id, node.value


def _literals(tree: ast.Module) -> dict[str, Any]:
    """What stands in the dictionaries of a kernel's description, by key."""
    found = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and \
                    key.value in ("signature", "mutated_arg_names"):
                found[key.value] = ast.literal_eval(value)
    return found


# Methods that make something new of a buffer and change nothing.
_PURE = ("sum", "to", "view")
# Methods that fill a buffer with what they are given.
_FILLING = ("copy_", "fill_", "zero_")


class Writes:
    """What calls write to, for the calls of one module."""

    def __init__(self, tree: ast.Module, names: dict[str, Any]) -> None:
        self.names = names
        self.cpp = cpp_signatures(tree)
        self.cpp_names = cpp_parameters(tree)
        self.sources = {name: call.args[1].value for maker in (
            "async_compile.cpp_pybinding", "async_compile.triton")
            for name, call in _kernels(tree, maker)}
        self.triton = triton_parameters(tree)

    def of(self, call: ast.Call) -> Iterator[ast.expr]:
        """The arguments that a call writes to."""
        for keyword in call.keywords:
            if keyword.arg == "out":
                yield from keyword.value.elts if isinstance(
                    keyword.value, ast.Tuple) else [keyword.value]
        function = call.func
        if isinstance(function, ast.Name) and function.id in self.cpp:
            yield from self._cpp(call, self.cpp[function.id])
        elif isinstance(function, ast.Attribute) and function.attr == "run":
            yield from self._triton(call, ast.unparse(function.value))
        elif is_method(call):
            if function.attr in _FILLING:
                yield function.value
            elif not is_pure_method(call):
                raise NotUnderstood(call, "a method that is not known")
        else:
            yield from self._operator(call)

    def is_check(self, call: ast.Call) -> bool:
        """Whether it returns nothing and writes to nothing: it raises, or all is well."""
        if is_method(call):
            return False
        operator = self.operator(call)
        return isinstance(operator, torch._ops.OpOverload) and \
            not operator._schema.returns and not operator._schema.is_mutable

    def kernel_of(self, call: ast.Call) -> tuple[str, list[str]] | None:
        """The text of the kernel that is called, and the names of its parameters."""
        name = ast.unparse(call.func).removesuffix(".run")
        parameters = self.triton.get(name) or self.cpp_names.get(name)
        return (self.sources[name], list(parameters)) if parameters else None

    def _cpp(self, call: ast.Call, types: list[str]) -> Iterator[ast.expr]:
        if len(types) != len(call.args):
            raise NotUnderstood(call, f"a kernel of {len(types)} parameters")
        for kind, argument in zip(types, call.args):
            if "*" in kind and "const" not in kind:
                yield argument

    def _triton(self, call: ast.Call, kernel: str) -> Iterator[ast.expr]:
        parameters = self.triton.get(kernel, {})
        if len(parameters) != len(call.args):
            raise NotUnderstood(call, f"a kernel of {len(parameters)} parameters")
        for is_written, argument in zip(parameters.values(), call.args):
            if is_written:
                yield argument

    def _operator(self, call: ast.Call) -> Iterator[ast.expr]:
        operator = self.operator(call)
        if isinstance(operator, torch._ops.OpOverload):
            yield from _written(call, operator)
        elif isinstance(operator, torch._ops.OpOverloadPacket):
            # Which of them it is depends on the arguments.
            found = [list(_written(call, getattr(operator, name)))
                     for name in operator.overloads()
                     if "out" not in name.split("_")]
            if any(other != found[0] for other in found):
                raise NotUnderstood(call, "an operator whose overloads write to "
                                          "different arguments")
            yield from found[0]

    def operator(self, call: ast.Call) -> Any:
        """What is called."""
        text = ast.unparse(call.func)
        place: Any = None
        for index, part in enumerate(text.split(".")):
            place = self.names.get(part) if index == 0 else getattr(place, part, None)
            if place is None:
                raise NotUnderstood(call, f"'{part}' is not known")
        return place


def _written(call: ast.Call, operator: torch._ops.OpOverload) -> Iterator[ast.expr]:
    parameters = operator._schema.arguments
    given = dict(zip((p.name for p in parameters), call.args))
    given.update((k.arg, k.value) for k in call.keywords if k.arg != "out")
    for parameter in parameters:
        written = parameter.alias_info and parameter.alias_info.is_write
        if written and parameter.name in given:
            yield given[parameter.name]


def is_method(call: ast.Call) -> bool:
    """Whether it is a method of a buffer, as in `buf0.zero_()`, or of a part of
    one, as in `workspace_0[0:8].view(2, 4).sum(dim=0)`."""
    function = call.func
    if not isinstance(function, ast.Attribute):
        return False
    inner = function.value
    while isinstance(inner, (ast.Attribute, ast.Call, ast.Subscript)):
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    return isinstance(inner, ast.Name) and \
        inner.id.startswith(("buf", "workspace", "primals", "arg"))


def is_pure_method(call: ast.Call) -> bool:
    """Whether it ends with a sum or a copy, and so is a tensor of its own."""
    names = []
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        names.append(node.func.attr)
        node = node.func.value
    return "sum" in names and all(name in _PURE for name in names)
