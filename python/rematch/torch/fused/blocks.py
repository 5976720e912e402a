# SPDX-License-Identifier: Apache-2.0
"""The blocks of a model, as people put checkpoints around them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from torch import fx


def blocks_of(joint: fx.GraphModule) -> dict[fx.Node, int]:
    """By node of the forward pass, the number of the block that it is in, if any.

    Blocks are outermost modules of the same class whose names differ by a number;
    a container of nothing but such modules is none itself.
    """
    stacks = {node: list(node.meta["nn_module_stack"].values())
              for node in joint.graph.nodes if node.meta.get("nn_module_stack")}
    classes: dict[str, Any] = {path: kind for stack in stacks.values()
                               for path, kind in stack}
    families: dict[tuple[str, Any], set[str]] = defaultdict(set)
    children: dict[str, set[str]] = defaultdict(set)
    for stack in stacks.values():
        for (outer, _), (inner, _) in zip(stack, stack[1:]):
            children[outer].add(inner)
    for path, kind in classes.items():
        if name := _without_number(path):
            families[name, kind].add(path)

    def has_siblings(path: str) -> bool:
        return len(families.get((_without_number(path), classes[path]), ())) > 1

    def is_block(path: str) -> bool:
        inside = children[path]
        kinds = {classes[child] for child in inside}
        only_holds_blocks = len(inside) > 1 and len(kinds) == 1 and \
            all(has_siblings(child) for child in inside)
        return has_siblings(path) and not only_holds_blocks

    numbers: dict[str, int] = {}
    found: dict[fx.Node, int] = {}
    for node, stack in stacks.items():
        block = next((path for path, _ in stack if is_block(path)), None)
        if block is not None:
            found[node] = numbers.setdefault(block, len(numbers))
    return found


def _without_number(path: str) -> str | None:
    """`layers.3` and `layer_3`, but not `layers.3.norm`."""
    found = re.search(r"^(.*?)\d+(?:'\])?$", path)
    return found[1] if found else None
