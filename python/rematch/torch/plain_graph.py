# SPDX-License-Identifier: Apache-2.0
"""A graph without gradients, which runs op by op: nothing is planned, but it takes memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import fx
from torch.utils._pytree import tree_iter


class PlainGraph:
    """`kept` are the bytes of its results, `peak` the most that it takes, besides its
    inputs. `calls` are those of a step."""

    def __init__(self, module: fx.GraphModule, device: torch.device) -> None:
        self.interpreter = fx.Interpreter(module)
        self.kept, self.peak = _bytes(module.graph, device)
        self.calls = self.most_calls = 0
        self._boxed_call = True

    def __call__(self, args: list) -> Any:
        self.calls += 1
        self.most_calls = max(self.most_calls, self.calls)
        return self.interpreter.boxed_run(args)


def _bytes(graph: fx.Graph, device: torch.device) -> tuple[int, int]:
    """At the end, and at most. Values go after their last reader."""
    last: dict[int, fx.Node] = {}  # By storage.
    sizes: dict[int, int] = {}
    inputs: set[int] = set()
    for node in graph.nodes:
        for source in (node, *node.all_input_nodes):
            for storage, size in _storages(source, device):
                last[storage] = node
                if source.op in ("placeholder", "get_attr"):
                    inputs.add(storage)
                sizes.setdefault(storage, size)
    there: set[int] = set()
    peak = kept = 0
    for node in graph.nodes:
        there.update(storage for storage, _ in _storages(node, device)
                     if storage not in inputs)
        kept = sum(sizes[storage] for storage in there)
        peak = max(peak, kept)
        if node.op != "output":
            there -= {storage for storage in there if last[storage] is node}
    return kept, peak


def _storages(node: fx.Node, device: torch.device) -> Iterator[tuple[int, int]]:
    for item in tree_iter(node.meta.get("val")):
        if isinstance(item, torch.Tensor) and item.device.type == device.type \
                and item.layout is torch.strided:
            storage = item.untyped_storage()
            yield storage._cdata, storage.nbytes()
