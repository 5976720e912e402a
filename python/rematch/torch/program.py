# SPDX-License-Identifier: Apache-2.0
"""What is planned and run: ops that are callables with named inputs and outputs.

Nothing here knows where the ops come from. A *value* is a storage: one that an op
makes, or an input, which is always there. A *view* is a way to look at a value;
it takes no memory and is made anew wherever it is read, so that the lifetime of a
value is known exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ref:
    """Stands in arguments for a value or a view."""

    name: str


@dataclass(frozen=True)
class Value:
    name: str
    bytes: int  # Of its storage; 0 if it is not on the planned device.
    signature: Any = None  # Shape, stride, dtype, ...: what a profile needs.
    # The value that it was before an op wrote to it: both are one storage.
    storage_of: str = ""


@dataclass(frozen=True)
class View:
    name: str
    call: Callable
    args: tuple
    kwargs: dict
    root: str  # The value whose storage it shows.


@dataclass
class Op:
    """One call. `outputs` are values by position; None where nothing is made."""

    name: str
    kind: str
    call: Callable
    args: tuple
    kwargs: dict
    outputs: tuple[str | None, ...]
    returns_tuple: bool = False
    phase: str = "forward"
    recomputable: bool = True
    has_effect: bool = False  # Runs though nobody reads what it makes.
    # Inputs that it writes to, where that is all, besides moving the generator on,
    # that it does to others; None: not known.
    changes: tuple[str, ...] | None = None
    # Of random ops: the value that holds the generator's state before the first
    # run, and the generator's device. Reruns replay that state.
    state: Ref | None = None
    device: Any = None
    # From the second time on: what is called, and with what, if not the same.
    rerun: Callable | None = None
    rerun_args: tuple | None = None
    # Outputs that are right the first time only, and kept until they are read.
    made_once: frozenset[str] = frozenset()
    is_fused: bool = False  # One that a compiler wrote, of several.
    is_foreign: bool = False  # Not PyTorch's: it may draw random numbers and not say so.
    module: str = ""
    cost: float = 0.0  # Microseconds.
    workspace: int = 0  # Bytes.
    rerun_workspace: int = 0  # Bytes more, from the second time on.

    def run_once(self) -> None:
        """Where it is: what it draws cannot be drawn again."""
        self.recomputable, self.has_effect = False, True
        self.changes = self.changes or ()

    def call_in(self, number: int) -> Callable:
        """What the run of this number calls; the first has 0."""
        return self.rerun if number and self.rerun else self.call

    def makes_in(self, number: int) -> set[str]:
        """The values that the run of this number makes, as they should be."""
        made = {name for name in self.outputs if name}
        return made - self.made_once if number else made

    def args_in(self, number: int) -> tuple:
        """What it is called with, besides `kwargs`."""
        return self.rerun_args if number and self.rerun_args is not None else self.args


@dataclass
class Program:
    inputs: dict[str, Value] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)  # Made by ops.
    views: dict[str, View] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    forward_outputs: list[Any] = field(default_factory=list)
    backward_outputs: list[Any] = field(default_factory=list)
    # Values that the caller brings between forward and backward.
    tangents: list[str] = field(default_factory=list)
    outside_bytes: int = 0  # On the device, besides everything here.

    def root(self, name: str) -> str:
        """The value that a value or view lives in."""
        view = self.views.get(name)
        return view.root if view else name

    def roots(self, tree: Any) -> list[str]:
        """The values that some arguments read, each once, in order."""
        return list(dict.fromkeys(self.root(ref.name) for ref in refs(tree)))

    def written_inputs(self) -> set[str]:
        """Those that ops write to."""
        found = {name for op in self.ops for name in op.changes or ()}
        # What makes nothing writes to its first argument, unless it is known better.
        found.update(name for op in self.ops if op.call is not None and not op.outputs
                     and op.changes is None for name in self.roots(op.args[:1]))
        return found & self.inputs.keys()

    def inputs_of(self, op: Op, number: int = 0) -> list[str]:
        """What the run of this number reads."""
        state = [op.state] if op.state else []
        return self.roots([op.args_in(number), op.kwargs, state])


def numbered(sequence: Iterable[int]) -> list[tuple[int, int]]:
    """With how often each op has been run before."""
    count: dict[int, int] = {}
    found = []
    for index in sequence:
        found.append((index, count.get(index, 0)))
        count[index] = found[-1][1] + 1
    return found


def prune(program: Program) -> None:
    """Takes out the ops that nobody needs; their inputs may not be there."""
    needed = set(program.roots([program.forward_outputs, program.backward_outputs]))
    kept: list[Op] = []
    for op in reversed(program.ops):
        made = [name for name in op.outputs if name]
        if not op.has_effect and needed.isdisjoint(made):
            for name in made:
                del program.values[name]
            continue
        needed.update(program.inputs_of(op))
        kept.append(op)
    program.ops = kept[::-1]


def refs(tree: Any) -> Iterator[Ref]:
    """All references in nested arguments, in order."""
    if isinstance(tree, Ref):
        yield tree
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from refs(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from refs(item)
    elif isinstance(tree, slice):
        yield from refs([tree.start, tree.stop, tree.step])


def map_refs(tree: Any, function: Callable[[Ref], Any]) -> Any:
    """The same arguments with something else for each reference."""
    if isinstance(tree, Ref):
        return function(tree)
    if isinstance(tree, list):
        return [map_refs(item, function) for item in tree]
    if isinstance(tree, tuple):
        return tuple(map_refs(item, function) for item in tree)
    if isinstance(tree, dict):
        return {key: map_refs(item, function) for key, item in tree.items()}
    if isinstance(tree, slice):
        return slice(*map_refs([tree.start, tree.stop, tree.step], function))
    return tree
