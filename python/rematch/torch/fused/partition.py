# SPDX-License-Identifier: Apache-2.0
"""What backward computes again by itself, and what it takes from forward.

Inductor compiles the two passes apart, so what backward computes again is fused into
its own kernels. Which values those are is PyTorch's choice unless they are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch._functorch.config as functorch_config
from torch import fx
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._inductor import inductor_prims
from torch._inductor.custom_graph_pass import CustomPartitionerFn
from torch.utils.checkpoint import CheckpointPolicy

from rematch.torch.fused.blocks import blocks_of
from rematch.torch.randomness import is_random


# What kernels could compute again PyTorch has kept nevertheless if it is used far
# apart, or at the end of a long chain, or written out anyway.
_RULES = dict.fromkeys(("ban_recompute_used_far_apart",
                        "ban_recompute_long_fusible_chains",
                        "ban_recompute_materialized_backward"), False)


@dataclass(frozen=True)
class Partition:
    """By names of the joint graph. `every_block`: all that is inside of the blocks
    of the model, too. `all_fusible`: PyTorch chooses the rest by size alone, among
    all that kernels can compute again."""

    recompute: frozenset[str] = frozenset()
    every_block: bool = False
    all_fusible: bool = False

    def with_more(self, names: Iterable[str]) -> Partition:
        return replace(self, recompute=self.recompute | frozenset(names))

    @classmethod
    def from_record(cls, record: dict) -> Partition:
        return cls(frozenset(record["recompute"]), record.get("every_block", False),
                   record.get("all_fusible", False))

    def record(self) -> dict:
        return {"recompute": sorted(self.recompute), "every_block": self.every_block,
                "all_fusible": self.all_fusible}

    def __str__(self) -> str:
        parts = ["all inside of blocks"] if self.every_block else []
        parts += ["what can be fused"] if self.all_fusible else []
        if self.recompute:
            parts.append(f"{len(self.recompute)} values")
        return " and ".join(parts) + " computed again by backward" if parts else ""


_SEEDED = (inductor_prims.random, inductor_prims.randint, inductor_prims.lookup_seed)


def _with_what_belongs(joint: fx.GraphModule, names: frozenset[str]) -> set[fx.Node]:
    """The nodes, what they are drawn with, and all parts of what they are parts
    of; none that draw by themselves."""
    found: set[fx.Node] = set()
    waiting = [node for node in joint.graph.nodes
               if node.name in names and node.op == "call_function"]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        waiting += [item for item in node.all_input_nodes
                    if item.target in _SEEDED or _has_parts(item)]
        if _has_parts(node):
            waiting += node.users
    drawn = {node for node in found if is_random(node.target)}
    return {node for node in found
            if node not in drawn and drawn.isdisjoint(node.all_input_nodes)}


def _reading_what_is_overwritten(joint: fx.GraphModule) -> set[fx.Node]:
    """What forward makes of inputs that it writes to in the end: later they are others.
    Those that backward reads are read as copies."""
    copies = joint.graph.find_nodes(op="call_function",
                                    target=torch.ops.aten.copy_.default)
    found: set[fx.Node] = set()
    for node in dict.fromkeys(copy.args[0] for copy in copies):
        if node.op != "placeholder":
            continue
        users = [user for user in node.users if user not in copies]
        readers = _not_views(users)
        if all(user.meta.get("partitioner_tag") == "is_forward" for user in readers):
            found |= readers
        else:
            found.add(_copied(joint.graph, node, users))
    return found


def _not_views(users: Iterable[fx.Node]) -> set[fx.Node]:
    """With those of views instead of the views."""
    found, waiting = set(), list(users)
    while waiting:
        node = waiting.pop()
        if getattr(node.target, "is_view", False):
            waiting += node.users
        else:
            found.add(node)
    return found


def _copied(graph: fx.Graph, node: fx.Node, users: Iterable[fx.Node]) -> fx.Node:
    """A copy that forward makes of a tensor, which these use instead."""
    with graph.inserting_after(node):
        copy = graph.call_function(torch.ops.aten.clone.default, (node,))
    copy.meta = {"val": node.meta["val"].clone(), "partitioner_tag": "is_forward"}
    for user in users:
        user.replace_input_with(node, copy)
    return copy


def _has_parts(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), (list, tuple))


class Partitioner(CustomPartitionerFn):
    """PyTorch's, which is told what to compute again.

    It takes seeds for something that can be drawn again, which gives other random
    numbers: they are kept. What is drawn with a seed is the same each time.
    """

    def __init__(self, partition: Partition) -> None:
        self.partition = partition

    def __call__(self, joint: fx.GraphModule, joint_inputs: Sequence, **settings: Any):
        for node in joint.graph.nodes:
            if node.target is inductor_prims.seeds:
                node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
        blocks = blocks_of(joint) if self.partition.every_block else {}
        names = self.partition.recompute | {node.name for node in blocks}
        tagged = _with_what_belongs(joint, names)
        for node in _reading_what_is_overwritten(joint):
            tagged.discard(node)
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
        for node in tagged:
            node.meta["recompute"] = CheckpointPolicy.MUST_RECOMPUTE
            # What one block takes from another is kept.
            node.meta["ac_graph_id"] = blocks.get(node, 0)
        with functorch_config.patch(_RULES if self.partition.all_fusible else {}):
            return min_cut_rematerialization_partition(joint, joint_inputs, **settings)

    def uuid(self) -> str:
        """What it does, for PyTorch's caches."""
        return f"rematch {self.partition.record()}"
