# SPDX-License-Identifier: Apache-2.0
"""Reads the straight-line function that Inductor writes for a pass.

It allocates buffers, calls kernels that fill them, calls operators that make their
own results, and names parts and other shapes of what is there. Anything else is not
understood, and said with the line.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Any

from rematch.torch.fused.capture import Pass
from rematch.torch.fused.writes import NotUnderstood, Writes

_ALLOCATIONS = ("empty_strided_cpu", "empty_strided_cuda", "empty_strided")
_CHECKS = ("assert_size_stride", "assert_alignment", "torch.cuda.set_device",
           "args.clear")


@dataclass
class Call:
    """What it reads and writes are inputs, buffers and results by name; other
    shapes of them stand in the text."""

    node: ast.Call
    reads: list[str]
    writes: list[str]
    result: str | None = None  # Has a result of its own.
    # Of the graph that PyTorch captured: the nodes that it computes, if it says so.
    sources: list[str] = field(default_factory=list)


@dataclass
class Wrapper:
    inputs: list[str] = field(default_factory=list)
    allocations: dict[str, ast.Call] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    # Parts of results that are tuples: which, and where in it.
    elements: dict[str, tuple[str, int]] = field(default_factory=dict)
    outputs: list[ast.expr] = field(default_factory=list)
    # What stands before everything and is cheap: the stream.
    settings: dict[str, ast.expr] = field(default_factory=dict)
    # Inputs that kernels take to begin at a multiple of 16 bytes.
    aligned: list[str] = field(default_factory=list)
    writer: Writes | None = None  # Who knows what calls write to.


_SOURCES = re.compile(r"^\s*# .*\bSource Nodes: \[([^\]]*)\]")


def allocated(call: ast.Call) -> ast.Call | None:
    """The allocation that a call is, or of which it is a part, from its beginning:
    rows may be longer than what is used of them."""
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr == "as_strided" and \
            isinstance(method.value, ast.Call) and len(call.args) == 2:
        call = method.value
    return call if ast.unparse(call.func) in _ALLOCATIONS else None


class _Substitute(ast.NodeTransformer):
    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)


def substituted(node: ast.expr, known: dict[str, ast.expr]) -> Any:
    """The expression with others in place of names. It is copied: what is put in
    stands in several places."""
    copy = ast.parse(ast.unparse(node), mode="eval").body
    return _Substitute(known).visit(copy)


class _Reader:
    def __init__(self, compiled: Pass) -> None:
        tree = ast.parse(compiled.source)
        self.writes = Writes(tree, compiled.names)
        self.wrapper = Wrapper(writer=self.writes)
        self.aliases: dict[str, ast.expr] = {}
        self.known: set[str] = set()
        self.results: set[str] = set()
        # Comments that stand above a call, by line, until it is read.
        self.comments = [(number, re.findall(r"[^,\s]+", found[1]))
                         for number, line in enumerate(compiled.source.splitlines(), 1)
                         if (found := _SOURCES.match(line))]
        function = _call_function(tree)
        self.line = function.lineno  # Of the last call.
        self.statements(function.body)

    def statements(self, body: list[ast.stmt]) -> None:
        for node in body:
            self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Delete, ast.Pass)):
            return
        if isinstance(node, ast.With):
            self.statements(node.body)
        elif isinstance(node, ast.Return):
            self.wrapper.outputs = [self.substituted(item)
                                    for item in node.value.elts]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if ast.unparse(node.value.func) not in _CHECKS:
                self.call(node.value, None)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node, node.targets[0], node.value)
        else:
            raise NotUnderstood(node, "a statement of another kind")

    def assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> None:
        if ast.unparse(value) == "args":
            names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
            self.wrapper.inputs = [item.id for item in names]
            self.known.update(self.wrapper.inputs)
            return
        if not isinstance(target, ast.Name):
            raise NotUnderstood(node, "several results at once")
        name, text = target.id, ast.unparse(value)
        if text.startswith("get_raw_stream("):
            self.wrapper.settings[name] = value
        elif text == f"copy_if_misaligned({name})":
            self.wrapper.aligned.append(name)
        elif isinstance(value, ast.Name) or text.startswith("reinterpret_tensor("):
            self.aliases[name] = self.substituted(value)
        elif isinstance(value, ast.Subscript):
            whole, index = ast.unparse(value.value), ast.literal_eval(value.slice)
            if whole not in self.results:
                raise NotUnderstood(node, "a part of something that is not a result")
            self.wrapper.elements[name] = whole, index
            self.known.add(name)
        elif isinstance(value, ast.Call) and allocated(value) is not None:
            self.wrapper.allocations[name] = value
            self.known.add(name)
        elif isinstance(value, ast.Call):
            self.call(value, name)
            self.known.add(name)
            self.results.add(name)
        else:
            raise NotUnderstood(node, "a statement of another kind")

    def call(self, node: ast.Call, result: str | None) -> None:
        sources = self.sources(node.lineno)
        node = self.substituted(node)
        written = [self.base(item, node) for item in self.writes.of(node)]
        if result is None and not written and not self.writes.is_check(node):
            raise NotUnderstood(node, "a call that makes nothing and writes to nothing")
        self.wrapper.calls.append(Call(node, self.names(node),
                                       list(dict.fromkeys(written)), result, sources))

    def sources(self, line: int) -> list[str]:
        """What the comment above a call names; each call has one of its own, or none."""
        above = [names for number, names in self.comments if self.line < number < line]
        self.line = line
        return above[-1] if above else []

    def substituted(self, node: ast.expr) -> ast.expr:
        return substituted(node, self.aliases)

    def names(self, node: ast.expr) -> list[str]:
        """Of inputs, buffers and results."""
        found = [item.id for item in ast.walk(node) if isinstance(item, ast.Name)]
        return [name for name in dict.fromkeys(found) if name in self.known]

    def base(self, node: ast.expr, call: ast.Call) -> str:
        """The buffer that an argument is or shows."""
        found = self.names(node)
        if len(found) != 1:
            raise NotUnderstood(call, "writes to something that is not a buffer")
        return found[0]


def _call_function(tree: ast.Module) -> ast.FunctionDef:
    found = [node for node in ast.walk(tree)
             if isinstance(node, ast.FunctionDef) and node.name == "call"]
    if len(found) != 1:
        raise NotUnderstood(ast.Constant(len(found)), "functions named 'call'")
    return found[0]


def read(compiled: Pass) -> Wrapper:
    """Raises NotUnderstood."""
    return _Reader(compiled).wrapper
