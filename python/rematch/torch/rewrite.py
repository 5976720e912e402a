# SPDX-License-Identifier: Apache-2.0
"""The joint graph as a schedule runs it: every rerun is a node of its own.

PyTorch partitions this graph into forward and backward and so learns what crosses
between them; what runs is generated from the schedule, and compared with it.
"""

from __future__ import annotations

import operator

import torch
from torch import fx
from torch.utils._python_dispatch import _disable_current_modes

from rematch.torch import randomness
from rematch.torch.errors import PlanMismatch
from rematch.torch.program import Ref, map_refs
from rematch.torch.schedule import Copy, Run, Schedule


class Rewriting:
    def __init__(self, joint: fx.GraphModule, schedule: Schedule) -> None:
        self.joint = joint
        self.schedule = schedule
        self.program = schedule.program
        self.old = {node.name: node for node in joint.graph.nodes}
        self.graph = fx.Graph()
        self.nodes: dict[str, fx.Node] = {}  # By the name of a copy.
        self.views = 0

    def run(self) -> fx.Graph:
        for node in self.joint.graph.nodes:
            if node.op in ("placeholder", "get_attr"):
                self.nodes[node.name] = self.graph.node_copy(node)
        runs = [run for run in self.schedule.runs if run.op.call is not None]
        # PyTorch expects what writes to inputs at the end.
        late = [run for run in runs if run.op.call is torch.ops.aten.copy_.default]
        early = [run for run in runs if run not in late]
        for run in early:
            if run.phase == "forward":
                self._add(run)
        forward = self._resolve(self.program.forward_outputs, self.schedule.final,
                                "is_forward")
        for run in early:
            if run.phase == "backward":
                self._add(run)
        backward = self._resolve(self.program.backward_outputs,
                                 self.schedule.final, "is_backward")
        for run in late:
            self._add(run)
        self._output([*forward, *backward])
        return self.graph

    def _call(self, target, args, kwargs, name: str) -> fx.Node:
        node = self.graph.create_node("call_function", target, args, kwargs, name)
        if node.name != name:
            raise PlanMismatch(f"PyTorch renames '{name}' to '{node.name}'")
        return node

    def _resolve(self, tree, now: dict[str, Copy], tag: str):
        def node_of(ref: Ref) -> fx.Node:
            view = self.program.views.get(ref.name)
            if view is None:
                return self.nodes[now.get(ref.name, Copy(ref.name)).name]
            self.views += 1
            node = self._call(
                view.call, self._resolve(view.args, now, tag),
                self._resolve(view.kwargs, now, tag),
                f"{ref.name}_view_{self.views}")
            self._describe(node, ref.name, tag)
            return node

        return map_refs(tree, node_of)

    def _describe(self, node: fx.Node, name: str, tag: str) -> None:
        if name in self.old:
            node.meta = dict(self.old[name].meta)
        node.meta.pop("recompute", None)
        node.meta["partitioner_tag"] = tag

    def _add(self, run: Run) -> None:
        op, phase = run.op, run.phase
        old = self.old.get(op.name)
        tag = f"is_{phase}"
        if old is not None and run.number == 0 and op.phase == phase:
            tag = old.meta.get("partitioner_tag", tag)
        args = self._resolve(op.args_in(run.number), run.reads, tag)
        kwargs = self._resolve(op.kwargs, run.reads, tag)
        target = op.call
        if run.number and op.state is not None:
            state = self.nodes[run.reads[op.state.name].name]
            args = (state, op.device, target, args, kwargs)
            target, kwargs = randomness.replay, {}
        node = self._call(target, args, kwargs, Copy(op.name, run.number).name)
        self._describe(node, op.name, tag)
        if old is None:
            self._describe_state(node, tag)
        if not op.returns_tuple:
            for copy in run.makes:
                if copy:
                    self.nodes[copy.name] = node
            return
        made = [(index, copy) for index, copy in enumerate(run.makes) if copy]
        for index, copy in made:
            self.nodes[copy.name] = self._item(node, index, copy.name, copy.value, tag)
        first = next((index for index, name in enumerate(op.outputs) if name), None)
        if not made and first is not None:  # PyTorch takes nothing else for a tuple.
            self._item(node, first, f"{node.name}_unread", op.outputs[first], tag)

    def _item(self, node: fx.Node, index: int, name: str, value: str,
              tag: str) -> fx.Node:
        item = self._call(operator.getitem, (node, index), {}, name)
        self._describe(item, value, tag)
        if value not in self.old:
            item.meta["val"] = node.meta["val"][index]
        return item

    def _describe_state(self, node: fx.Node, tag: str) -> None:
        """A generator's state, which the graph did not have before."""
        mode = next(value.fake_mode for value in
                    (old.meta.get("val") for old in self.old.values())
                    if hasattr(value, "fake_mode"))
        with _disable_current_modes():
            state = node.target(*node.args)
        node.meta["val"] = mode.from_tensor(state)
        node.meta["partitioner_tag"] = tag

    def _output(self, outputs) -> None:
        old = next(node for node in self.joint.graph.nodes if node.op == "output")
        node = self.graph.output(outputs)
        node.meta = dict(old.meta)


def rewrite(joint: fx.GraphModule, schedule: Schedule) -> fx.GraphModule:
    """A module like `joint` whose nodes are the runs of the schedule."""
    graph = Rewriting(joint, schedule).run()
    graph.lint()
    return fx.GraphModule(joint, graph)
