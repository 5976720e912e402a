# SPDX-License-Identifier: Apache-2.0
"""Kernels of backward that may write their result over what they read last.

Two tensors then take the memory of one. What is overwritten cannot be read again, so
nothing that reads it is computed again: that is worth it for large tensors that only
small ones are made of, such as logits, and for gradients on their way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from rematch.torch.for_real import for_real
from rematch.torch.layout import copied
from rematch.torch.profiling import Profiler
from rematch.torch.program import Op, Program

_SMALL = 0.02  # Of what is overwritten: results that may as well be kept.
_LARGE = 1 / 64  # Of the largest value: less is not worth it.


@dataclass(frozen=True)
class Kernel:
    """What an op calls: its text, its parameters, and what they are given."""

    text: str
    parameters: list[str]
    arguments: list[ast.expr]

    def parameter_of(self, name: str) -> str | None:
        """The one that is given this buffer, whole, if there is just one."""
        given = [parameter for parameter, argument in zip(self.parameters,
                                                          self.arguments)
                 if isinstance(argument, ast.Name) and argument.id == name]
        mentions = sum(isinstance(node, ast.Name) and node.id == name
                       for argument in self.arguments for node in ast.walk(argument))
        return given[0] if len(given) == mentions == 1 else None


def _group(text: str, begin: int) -> str | None:
    """What stands in parentheses from here on."""
    depth = 0
    for end in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[begin:end + 1] if text[begin] == "(" else None
    return None


def _places(body: str, pointer: str) -> Iterator[tuple[int, str | None]]:
    """Where a kernel uses a pointer, and with which index; None: not as expected."""
    for found in re.finditer(rf"\b{pointer}\b", body):
        index = re.compile(r"\s*[+\[]\s*(?:static_cast<int64_t>)?").match(
            body, found.end())
        yield found.start(), _group(body, index.end()) if index else None


def can_overwrite(text: str, source: str, target: str) -> bool:
    """Whether a kernel reads each element of one tensor only where, and before, it
    writes the same element of another."""
    head = re.search(r"def \w+\([^)]*\):|\bkernel\([^)]*\)", text)
    if head is None or re.search(r"\batomic_\w+\(", text[head.end():]):
        return False
    body = text[head.end():]
    reads, writes = list(_places(body, source)), list(_places(body, target))
    indices = {index for _, index in (*reads, *writes)}
    return bool(reads and writes) and len(indices) == 1 and None not in indices \
        and max(place for place, _ in reads) < min(place for place, _ in writes)


def _pairs(program: Program, kernels: dict[str, Kernel]) -> Iterator[tuple[int, str, str]]:
    """Ops with what they can overwrite and what they make there."""
    kept = set(program.roots([program.forward_outputs, program.backward_outputs]))
    kept.update(program.tangents)
    shared = {value.storage_of for value in program.values.values()}
    shared.update(name for name, value in program.values.items() if value.storage_of)
    least = _LARGE * max(value.bytes for value in program.values.values())
    makers = {name: op for op in program.ops for name in op.outputs if name}
    last = {name: index for index, op in enumerate(program.ops)
            for name in program.inputs_of(op)}
    for index, op in enumerate(program.ops):
        kernel = kernels.get(op.name)
        if kernel is None or op.phase != "backward" or op.changes:
            continue
        taken: set[str] = set()
        for target in op.outputs:
            for source in program.inputs_of(op):
                value, other = program.values.get(source), program.values[target]
                if value is None or value.bytes < least or last[source] != index or \
                        value.signature != other.signature or \
                        {source, target} & (shared | taken) or source in kept or \
                        [name for name in makers[source].outputs if name] != [source]:
                    continue
                names = kernel.parameter_of(source), kernel.parameter_of(target)
                if None not in names and can_overwrite(kernel.text, *names):
                    taken |= {source, target}
                    yield index, source, target
                    break


def _are_small(program: Program, name: str, but: int) -> bool:
    """What else is made of a value."""
    size = program.values[name].bytes
    made = sum(program.values[output].bytes for index, op in enumerate(program.ops)
               if index != but and op.recomputable and name in program.inputs_of(op)
               for output in op.outputs if output)
    return made <= _SMALL * size


def _over(op: Op, source: str, target: str) -> Op:
    """The op with one of its results in the place of what it reads."""
    snippet = op.call.snippet
    lines = [f"{target} = {source}" if line.startswith(f"{target} = ") else line
             for line in snippet.lines]
    return replace(op, kind=f"{op.kind} in place", recomputable=False,
                   call=replace(snippet, lines=lines).function())


def _is_the_same(program: Program, one: Op, other: Op, device: torch.device) -> bool:
    """Tried on numbers, where there is room for that."""
    try:
        with for_real():
            arguments, _ = Profiler(program, device).arguments(one)
            results = [op.call(*[copied(item) for item in arguments])
                       for op in (one, other)]
            pairs = zip(*(result if one.returns_tuple else (result,)
                          for result in results))
            return all(torch.equal(a, b) for a, b in pairs)
    except torch.OutOfMemoryError:
        return False


def overwriting(program: Program, kernels: dict[str, Kernel],
                device: torch.device) -> Program | None:
    """The program with results in the place of what is not read any more; None if
    there are none."""
    ops, values = list(program.ops), dict(program.values)
    fixed: set[str] = set()  # Values that must not be read again.
    for index, source, target in _pairs(program, kernels):
        if not _are_small(program, source, index):
            continue
        changed = _over(ops[index], source, target)
        if not _is_the_same(program, ops[index], changed, device):
            continue
        ops[index] = changed
        values[target] = replace(values[target], storage_of=source)
        fixed.add(source)
    if not fixed:
        return None
    ops = [replace(op, recomputable=False)
           if op.recomputable and not fixed.isdisjoint(program.inputs_of(op)) else op
           for op in ops]
    return replace(program, ops=ops, values=values)
