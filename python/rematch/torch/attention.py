# SPDX-License-Identifier: Apache-2.0
"""Attention masks that say nothing, or only "causal", taken out of the graph.

Models look at their masks when they run and leave them out where they can; while
they are traced they cannot look, and build them. A mask needs memory, and the
fast kernels do not take one. What does not depend on any input is the same in
each step, so that it can be looked at here.
"""

from __future__ import annotations

import operator

import torch
from torch import fx
from torch.nn import functional as F
from torch.utils._python_dispatch import _disable_current_modes

_MOST_ELEMENTS = 2**30  # Larger masks are left alone.
_MOST_HEAD_DIM = 256  # Of the kernels that take fewer heads for keys.
_NESTING = ("_vmap_increment_nesting", "_vmap_decrement_nesting",
            "lazy_load_decompositions")
_RANDOM = ("rand", "dropout", "bernoulli", "multinomial", "normal")


def _name(node: fx.Node) -> str:
    return node.target if isinstance(node.target, str) else \
        getattr(node.target, "__name__", str(node.target))


def _changes_inputs(node: fx.Node) -> bool:
    name = _name(node)
    return (name.endswith("_") and not name.endswith("__")
            and name not in ("and_", "or_", "not_", "is_")) or \
        name in ("setitem", "iadd", "imul", "isub", "iand", "ior", "ixor") or \
        "out" in node.kwargs


def _storage(node: object) -> int | None:
    """Of what the node was traced with; views have that of their base."""
    example = node.meta.get("example_value") if isinstance(node, fx.Node) else None
    if not isinstance(example, torch.Tensor):
        return None
    try:
        return example.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def _changed_storages(graph: fx.Graph) -> set[int | None]:
    """What any op of the graph writes to, also through views."""
    return {_storage(target) for node in graph.nodes
            if node.op in ("call_function", "call_method") and _changes_inputs(node)
            for target in (*node.args[:1], node.kwargs.get("out"))} - {None}


def _ancestors(node: fx.Node) -> list[fx.Node] | None:
    """What a value is made from, itself included, in order; None if that is not
    the same in each step."""
    found: set[fx.Node] = set()
    open_nodes = [node]
    while open_nodes:
        item = open_nodes.pop()
        if item in found:
            continue
        if item.op not in ("call_function", "call_method"):
            return None
        if any(word in _name(item) for word in _RANDOM) or \
                any(_changes_inputs(user) for user in item.users):
            return None
        found.add(item)
        open_nodes += item.all_input_nodes
    if not _changed_storages(node.graph).isdisjoint(map(_storage, found)):
        return None
    return [item for item in node.graph.nodes if item in found]


def _with_nesting(nodes: list[fx.Node]) -> list[fx.Node]:
    """With the nodes that enter and leave the vmaps in which these are."""
    if not any("batch_dim" in _name(node) for node in nodes):
        return nodes
    inside = set(nodes)
    wanted, pending = [], []
    for node in nodes[0].graph.nodes:
        if node in inside:
            wanted += [*pending, node]
            pending = []
        elif _name(node) in _NESTING:
            pending.append(node)
    leaving = [node for node in pending if _name(node) == "_vmap_decrement_nesting"]
    entered = sum(_name(node) == "_vmap_increment_nesting" for node in wanted)
    left = sum(_name(node) == "_vmap_decrement_nesting" for node in wanted)
    return wanted + leaving[:entered - left]


def _evaluate(node: fx.Node) -> torch.Tensor | None:
    """The value of a node that is the same in each step."""
    example = node.meta.get("example_value")
    if not isinstance(example, torch.Tensor) or example.numel() > _MOST_ELEMENTS:
        return None
    nodes = _ancestors(node)
    if nodes is None:
        return None
    values: dict[fx.Node, object] = {}
    nesting = 0
    with torch.no_grad(), _disable_current_modes():
        try:
            for item in _with_nesting(nodes):
                args = fx.map_arg(item.args, values.__getitem__)
                kwargs = fx.map_arg(item.kwargs, values.__getitem__)
                if item.op == "call_method":
                    values[item] = getattr(args[0], item.target)(*args[1:], **kwargs)
                else:
                    values[item] = item.target(*args, **kwargs)
                nesting += {"_vmap_increment_nesting": 1,
                            "_vmap_decrement_nesting": -1}.get(_name(item), 0)
        except Exception:  # Not understood: the mask stays.
            values.clear()
        finally:
            for _ in range(nesting):
                torch._C._functorch._vmap_decrement_nesting()
    result = values.get(node)
    return result if isinstance(result, torch.Tensor) else None


def _meaning(mask: torch.Tensor) -> str | None:
    """"all" or "causal"; None if it says more."""
    if mask.dtype == torch.bool:
        allowed = mask
    elif mask.is_floating_point():
        allowed = mask == 0
        if not (allowed | (mask <= torch.finfo(mask.dtype).min)).all():
            return None
    else:
        return None
    if allowed.all():
        return "all"
    rows, columns = mask.shape[-2:]
    causal = torch.ones(rows, columns, dtype=torch.bool, device=mask.device).tril()
    if rows == columns and bool((allowed == causal).all()):
        return "causal"
    return None


def _unrepeated(node: fx.Node) -> fx.Node | None:
    """Of keys or values with each head repeated: those with each head once."""
    if node.op != "call_method" or node.target != "reshape":
        return None
    expanded = node.args[0]
    if expanded.op != "call_method" or expanded.target != "expand":
        return None
    inserted = expanded.args[0]
    whole = slice(None, None, None)
    if inserted.target is not operator.getitem or \
            inserted.args[1] != (whole, whole, None, whole, whole):
        return None
    source = inserted.args[0]
    shapes = [item.meta["example_value"].shape for item in (node, expanded, source)]
    (b, h, s, d), wide, (b0, h0, s0, d0) = shapes
    if tuple(wide) == (b0, h0, h // h0, s0, d0) and (b, s, d) == (b0, s0, d0):
        return source
    return None


def _share_heads(node: fx.Node, args: dict[str, object]) -> None:
    """Keys and values need no copies of their heads where a kernel shares them."""
    example = node.meta["example_value"]
    if example.device.type != "cuda" or example.shape[-1] > _MOST_HEAD_DIM or \
            example.dtype not in (torch.float16, torch.bfloat16):
        return
    sources = [_unrepeated(args["key"]), _unrepeated(args["value"])]
    if None not in sources and not args.get("enable_gqa"):
        args["key"], args["value"] = sources
        args["enable_gqa"] = True


def _erase(mask: fx.Node) -> None:
    """With all that only it was made from."""
    for node in reversed(_with_nesting(_ancestors(mask))):
        if not node.users and _name(node) not in _NESTING:
            mask.graph.erase_node(node)


_PARAMETERS = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


def simplify_masks(module: fx.GraphModule) -> int:
    """Changes calls of attention in place; says how many."""
    meanings: dict[fx.Node, str | None] = {}
    changed = 0
    for node in list(module.graph.nodes):
        if node.target is not F.scaled_dot_product_attention:
            continue
        args = {**dict(zip(_PARAMETERS, node.args)), **node.kwargs}
        mask = args.get("attn_mask")
        if not isinstance(mask, fx.Node) or args.get("is_causal"):
            continue
        if mask not in meanings:
            value = _evaluate(mask)
            meanings[mask] = None if value is None else _meaning(value)
        if meanings[mask] is None:
            continue
        args["attn_mask"] = None
        args["is_causal"] = meanings[mask] == "causal"
        _share_heads(node, args)
        node.args = tuple(args.pop(name) for name in ("query", "key", "value"))
        node.kwargs = args
        changed += 1
    for mask, meaning in meanings.items():
        if meaning is not None:
            _erase(mask)
    if changed:
        module.recompile()
    return changed


def without_dropout(module: fx.GraphModule) -> None:
    """For estimates on a CPU, whose kernels do not have dropout inside: those of
    GPUs do, and take about the same time and memory as without it."""
    for node in module.graph.nodes:
        if node.target is F.scaled_dot_product_attention:
            args = {**dict(zip(_PARAMETERS, node.args)), **node.kwargs}
            args["dropout_p"] = 0.0
            node.args = tuple(args.pop(name) for name in ("query", "key", "value"))
            node.kwargs = args
    module.recompile()
