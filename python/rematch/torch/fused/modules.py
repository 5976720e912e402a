# SPDX-License-Identifier: Apache-2.0
"""What AOTAutograd is told of both passes: what goes in and what comes out.

It only has to know what forward keeps for backward. What is inside is generated from
the schedule.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from rematch.torch.schedule import Copy, Schedule


def _inside(*_: Any) -> Any:
    raise AssertionError("what was planned is run instead")


class _Module:
    """One pass, in the making."""

    def __init__(self, joint: fx.GraphModule) -> None:
        self.graph = fx.Graph()
        self.nodes: dict[str, fx.Node] = {}
        self.joint = joint

    def copy(self, node: fx.Node) -> None:
        self.nodes[node.name] = self.graph.node_copy(node)

    def placeholder(self, name: str, fake: torch.Tensor) -> None:
        node = self.nodes[name] = self.graph.create_node(
            "placeholder", name, (), {}, name)
        node.meta["val"] = fake

    def made(self, name: str, fake: Any) -> fx.Node:
        """Comes from inside."""
        if name not in self.nodes:
            node = self.nodes[name] = self.graph.create_node(
                "call_function", _inside, (), {}, name)
            node.meta["val"] = fake
        return self.nodes[name]

    def finish(self, outputs: list) -> fx.GraphModule:
        self.graph.output(tuple(outputs))
        return fx.GraphModule(self.joint, self.graph)


def saved_names(schedule: Schedule) -> list[str]:
    """What backward reads and does not make: names of inputs and copies."""
    program = schedule.program
    there = {copy.name for run in schedule.part("backward") for copy in run.makes
             if copy}
    there.update(program.tangents)
    found = [copy.name for run in schedule.part("backward")
             for copy in run.reads.values()]
    found += [schedule.final.get(name, Copy(name)).name
              for name in program.roots(program.backward_outputs)]
    return [name for name in dict.fromkeys(found) if name not in there]


def modules(joint: fx.GraphModule, schedule: Schedule,
            fakes: dict[str, torch.Tensor],
            num_forward_outputs: int) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Forward and backward. `fakes` are by value and input."""
    program = schedule.program
    nodes = list(joint.graph.nodes)
    outputs = list(nodes[-1].args[0])
    saved = saved_names(schedule)
    values = {copy.name: copy.value for copy in schedule.boundary.values()}
    forward, backward = _Module(joint), _Module(joint)
    for node in nodes:
        if node.op == "placeholder" and node.name not in program.tangents:
            forward.copy(node)
    for name in saved:
        backward.placeholder(name, fakes[values.get(name, name)])
    for node in nodes:
        if node.op == "placeholder" and node.name in program.tangents:
            backward.copy(node)

    def result(module: _Module, node: Any) -> Any:
        if not isinstance(node, fx.Node):
            return node
        if node.op == "placeholder":
            return module.nodes[node.name]
        return module.made("out_" + node.name, node.meta.get("val"))

    kept = [forward.nodes[name] if name in program.inputs
            else forward.made(name, fakes[values[name]]) for name in saved]
    first = [result(forward, node) for node in outputs[:num_forward_outputs]]
    last = [result(backward, node) for node in outputs[num_forward_outputs:]]
    return forward.finish([*first, *kept]), backward.finish(last)
