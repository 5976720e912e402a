# SPDX-License-Identifier: Apache-2.0
"""Has Inductor compile a graph, and takes what it wrote for both passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch._functorch.config as functorch_config
import torch._inductor.config as inductor_config
from torch import fx

from rematch.torch.errors import UnsupportedModel
from rematch.torch.fused.partition import Partition, Partitioner

# Each buffer is written where it is allocated and never becomes another: which
# memory is used again, and when, is for the plan to say.
INDUCTOR = {"inplace_buffers": False, "allow_buffer_reuse": False,
             "size_asserts": False, "alignment_asserts": False,
             "memory_planning": False, "triton.cudagraphs": False,
             "cpp_wrapper": False, "graph_partition": False}
# Backward is compiled at once, not when it is first run.
_FUNCTORCH = {"force_non_lazy_backward_lowering": True, "donated_buffer": False,
              "enable_autograd_cache": False, "bundled_autograd_cache": False,
              "activation_memory_budget": 1.0}


@dataclass(frozen=True)
class Pass:
    """One of the passes, as Inductor wrote it."""

    source: str  # A Python module with a function `call`.
    names: dict[str, Any]  # What the module defines: kernels, constants.
    # Positions of inputs that are written to and matter to nothing else that comes
    # out: running statistics.
    private: frozenset[int] = frozenset()
    # Positions of inputs that kernels take to begin at a multiple of 16 bytes, and
    # that may not.
    aligned: tuple[int, ...] = ()
    has_constants: bool = False  # Tensors are among the names.


@dataclass(frozen=True)
class Compiled:
    forward: Pass
    backward: Pass
    joint: str = ""  # The digest of what it was made for, if that was before.


def _known(settings: dict[str, Any], config: Any) -> dict[str, Any]:
    """Those that this version of PyTorch has."""
    def has(name: str) -> bool:
        place = config
        for part in name.split("."):
            if not hasattr(place, part):
                return False
            place = getattr(place, part)
        return True

    return {name: value for name, value in settings.items() if has(name)}


def capture(module: fx.GraphModule, inputs: Sequence, partition: Partition,
            settings: dict[str, Any]) -> Compiled | None:
    """What Inductor makes of a captured graph and its gradients; None if there are
    no gradients. `settings` are AOTAutograd's, besides those that are needed here."""
    # Who starts again with what was written before does without.
    from torch._inductor.compile_fx import compile_fx, compile_fx_inner

    found: dict[str, Pass] = {}

    def compile_one(graph: fx.GraphModule, example_inputs: Sequence, **how):
        private = _private_inputs(graph)
        code = compile_fx_inner(graph, example_inputs, **how)
        if not how.get("is_inference"):
            phase = "backward" if how.get("is_backward") else "forward"
            found[phase] = Pass(code.source_code, _module_of(code.current_callable),
                                private, tuple(code.inputs_to_check),
                                bool(code.constants or code.torchbind_constants))
        return code

    graph = fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    copy = fx.GraphModule(module, graph)  # With what is inside of the module.
    _copy_placeholder_meta(module, copy)
    inductor = {**_known(INDUCTOR, inductor_config),
                "custom_partitioner_fn": Partitioner(partition)}
    functorch = {**_known(_FUNCTORCH, functorch_config), **settings}
    with torch.enable_grad(), inductor_config.patch(inductor), \
            functorch_config.patch(functorch):
        compile_fx(copy, list(inputs), inner_compile=compile_one)
    if len(found) < 2:
        return None
    return Compiled(found["forward"], found["backward"])


def _module_of(function: Any) -> dict[str, Any]:
    """The names of the module in which Inductor wrote the function, which may be
    inside others that look after its arguments."""
    waiting = [function]
    while waiting:
        found = waiting.pop()
        found = getattr(found, "__func__", found)
        names = getattr(found, "__globals__", {})
        if "call" in names and "reinterpret_tensor" in names:
            return names
        waiting += [cell.cell_contents for cell in getattr(found, "__closure__", None)
                    or () if callable(cell.cell_contents)]
    raise UnsupportedModel("Inductor's code is not where this version of Rematch "
                           "looks for it; kernels='eager' does without Inductor")


def _private_inputs(graph: fx.GraphModule) -> frozenset[int]:
    """By position: what depends on them is only written back to them."""
    placeholders = graph.graph.find_nodes(op="placeholder")
    return frozenset(index for index, node in enumerate(placeholders)
                     if _is_private(node))


def _is_private(placeholder: fx.Node) -> bool:
    seen, waiting, written = {placeholder}, list(placeholder.users), False
    while waiting:
        node = waiting.pop()
        if node.op == "output":
            return False
        if node.target is torch.ops.aten.copy_.default:
            if node.args[0] is not placeholder:
                return False
            written = True
        if node not in seen:
            seen.add(node)
            waiting.extend(node.users)
    return written


def _copy_placeholder_meta(old: fx.GraphModule, new: fx.GraphModule) -> None:
    for before, after in zip(old.graph.nodes, new.graph.nodes, strict=True):
        after.meta = dict(before.meta)
    new.meta = dict(old.meta)
