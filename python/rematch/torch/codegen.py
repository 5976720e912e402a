# SPDX-License-Identifier: Apache-2.0
"""Straight-line Python for a schedule: each op once per run, each value let go
where the plan says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rematch.torch import randomness
from rematch.torch.launches import direct
from rematch.torch.lowering import GENERATOR_STATE
from rematch.torch.program import Program, Ref, refs
from rematch.torch.schedule import Copy, Run


class Writer:
    """Collects lines, and the objects that they name."""

    def __init__(self, program: Program, left_out: set[str]) -> None:
        """`left_out` are copies that nobody reads."""
        self.program = program
        self.left_out = left_out
        self.lines: list[str] = []
        self.settings: dict[str, None] = {}  # Lines before all others.
        self.names: dict[str, Any] = {"_replay": randomness.replay}
        self._known: dict[int, str] = {}

    def bind(self, thing: Any, prefix: str) -> str:
        name = self._known.get(id(thing))
        if name is None:
            name = f"_{prefix}{len(self.names)}"
            self._known[id(thing)] = name
            self.names[name] = thing
        return name

    def text(self, tree: Any, now: dict[str, Copy]) -> str:
        """An expression; views are made where they stand."""
        if isinstance(tree, Ref):
            return self._reference(tree, now)
        if tree is None or isinstance(tree, (bool, int, str)):
            return repr(tree)
        if isinstance(tree, float) and math.isfinite(tree):
            return repr(tree)
        if isinstance(tree, list):
            return "[" + ", ".join(self.text(item, now) for item in tree) + "]"
        if isinstance(tree, tuple):
            inner = "".join(self.text(item, now) + ", " for item in tree)
            return f"({inner})"
        if isinstance(tree, dict):
            return "{" + ", ".join(f"{key!r}: {self.text(item, now)}"
                                   for key, item in tree.items()) + "}"
        if isinstance(tree, slice):
            parts = (tree.start, tree.stop, tree.step)
            return f"slice({', '.join(self.text(part, now) for part in parts)})"
        return self.bind(tree, "c")

    def _reference(self, ref: Ref, now: dict[str, Copy]) -> str:
        view = self.program.views.get(ref.name)
        if view is None:
            return now.get(ref.name, Copy(ref.name)).name
        return self.call(view.call, view.args, view.kwargs, now)

    def call(self, function: Callable, args, kwargs, now: dict[str, Copy]) -> str:
        parts = [self.text(arg, now) for arg in args]
        parts += [f"{key}={self.text(arg, now)}" for key, arg in kwargs.items()]
        return f"{self.bind(function, 'f')}({', '.join(parts)})"

    def run(self, run: Run) -> None:
        op = run.op
        if op.call is None:  # Tangents: they are arguments.
            return
        snippet = getattr(op.call_in(run.number), "snippet", None)
        if op.kind == GENERATOR_STATE and not any(
                copy and copy.name not in self.left_out for copy in run.makes):
            pass
        elif snippet and not (run.number and op.state):
            self._in_line(run, snippet)
        else:
            self._as_call(run)
        drops = [copy.name for copy in run.drops if copy.name not in self.left_out]
        if drops:
            self.lines.append("del " + ", ".join(drops))

    def _in_line(self, run: Run, snippet: Any) -> None:
        settings, lines = snippet.in_line(
            [self.text(arg, run.reads) for arg in run.op.args_in(run.number)],
            [copy.name if copy else None for copy in run.makes], self.bind)
        self.settings.update(dict.fromkeys(settings))
        self.lines += lines

    def _as_call(self, run: Run) -> None:
        op = run.op
        if run.number and op.state is not None:
            state = run.reads[op.state.name].name
            call = (f"_replay({state}, {self.bind(op.device, 'c')}, "
                    f"{self.bind(op.call, 'f')}, "
                    f"{self.text(op.args_in(run.number), run.reads)}, "
                    f"{self.text(op.kwargs, run.reads)})")
        else:
            call = self.call(op.call_in(run.number), op.args_in(run.number), op.kwargs,
                             run.reads)
        targets = [copy.name if copy else "_" for copy in run.makes]
        if not targets or set(targets) == {"_"} and not op.returns_tuple:
            self.lines.append(call)
        elif op.returns_tuple:
            self.lines.append(f"{', '.join(targets)}, = {call}")
            if "_" in targets:
                self.lines.append("del _")
        else:
            self.lines.append(f"{targets[0]} = {call}")


def _unread_states(runs: Sequence[Run], outputs: Sequence[Any],
                   now: dict[str, Copy]) -> set[str]:
    """States of the generator that nothing is drawn from again: the first run of an
    op that draws takes the generator as it is."""
    made = {copy.name for run in runs if run.op.kind == GENERATOR_STATE
            for copy in run.makes if copy}
    read = {run.reads[run.op.state.name].name for run in runs
            if run.number and run.op.state}
    kept = {now.get(ref.name, Copy(ref.name)).name for ref in refs(list(outputs))}
    return made - read - kept


def generate(program: Program, runs: Sequence[Run], inputs: Sequence[str],
             outputs: Sequence[Any], now: dict[str, Copy], name: str,
             constants: dict[str, Any]) -> Callable[[list], list]:
    """A function that takes a list, which it empties, and returns a list.

    `inputs` are names of variables, in order; `outputs` are references or
    constants, resolved with the copies in `now`. `constants` are values that are
    always there, by name. Its source is `.source`, what that names `.names`, and the
    inputs are `.inputs`.
    """
    writer = Writer(program, _unread_states(runs, outputs, now))
    for run in runs:
        writer.run(run)
    result = writer.text(list(outputs), now)
    unpack = f"[{', '.join(inputs)}] = args" if inputs else "pass"
    body = [unpack, "args.clear()", *writer.settings, *writer.lines, f"return {result}"]
    source = f"def {name}(args):\n" + "".join(f"    {line}\n" for line in body)
    function = function_of(source, name, {**writer.names, **constants})
    function.inputs = list(inputs)
    return function


def function_of(source: str, name: str, names: dict[str, Any]) -> Callable[[list], list]:
    """The function of this source, which knows these names; they are `.names`."""
    namespace = {key: direct(thing) for key, thing in names.items()}
    exec(compile(source, f"<rematch {name}>", "exec"), namespace)  # noqa: S102
    function = namespace[name]
    function.source, function.names = source, names
    function._boxed_call = True
    return function
