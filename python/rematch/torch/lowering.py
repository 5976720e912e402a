# SPDX-License-Identifier: Apache-2.0
"""From AOTAutograd's joint graph to a program."""

from __future__ import annotations

import operator
import re
from typing import Any

import torch
from torch import fx
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import _disable_current_modes

from rematch.torch import cudnn, randomness
from rematch.torch.cross_entropy import cross_entropy_backward
from rematch.torch.errors import UnsupportedModel
from rematch.torch.program import Op, Program, Ref, Value, View, prune

# Running statistics in training: inputs that the other outputs of a rerun do not depend
# on, though the buffers that they show may have changed by then, and the outputs that do.
_STATISTICS = {
    torch.ops.aten._native_batch_norm_legit_functional.default: ((3, 4), (3, 4)),
    cudnn.batch_norm: ((3, 4), (3, 4)),
}
_NONE: tuple[tuple, tuple] = ((), ())
# Functions of this package that stand in a graph like ops without effects.
_PURE = (*cudnn.PURE, cross_entropy_backward)
STATE_SUFFIX = "_state"
GENERATOR_STATE = "generator state"  # A kind of op.


def signature(tensor: torch.Tensor) -> tuple:
    return (tuple(tensor.shape), tuple(tensor.stride()), str(tensor.dtype),
            tensor.device.type)


def module_of(node: fx.Node) -> str:
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack")
    if not stack:
        return ""
    path, _ = list(stack.values())[-1]
    path = re.sub(r"^L\['\w+'\]\.?", "", path)  # What the model is called in its forward.
    return path.replace("_modules['", "").replace("']", "")


def argument_of(node: fx.Node) -> str:
    """What the model calls an input of the captured graph."""
    path = getattr(getattr(node.meta.get("grapharg"), "source", None), "name", None)
    if not isinstance(path, str):
        return node.name
    path = re.sub(r"^L\['(\w+)'\]", r"\1", re.sub(r"^L\['\w+'\]\.", "", path))
    return re.sub(r"_(?:modules|parameters|buffers)\['([^']*)'\]", r"\1", path)


def _unread_left_out(node: fx.Node) -> tuple:
    """The arguments. Backward of batch normalisation is given running statistics, which
    it does not read in training, and which would be kept for it: it gets the weight
    instead, where that has their shape."""
    if node.target is not torch.ops.aten.native_batch_norm_backward.default:
        return node.args
    _, _, weight, *statistics = node.args[:5]
    is_training = node.args[7]
    if not is_training or weight is None or any(
            item is None or signature(item.meta["val"]) != signature(weight.meta["val"])
            for item in statistics):
        return node.args
    return (*node.args[:3], weight, weight, *node.args[5:])


def check_static(node: fx.Node, value: Any) -> None:
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(item, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            raise UnsupportedModel(
                f"'{node.name}' has a size that is not known before it runs; "
                "compile with dynamic=False")
        if isinstance(item, torch.Tensor):
            sizes = (*item.shape, *item.stride())
            if not all(isinstance(size, int) for size in sizes):
                raise UnsupportedModel(
                    f"'{node.name}' has the symbolic shape {tuple(item.shape)}; "
                    "compile with dynamic=False")


def check_strided(tensor: torch.Tensor) -> None:
    if tensor.layout is not torch.strided:
        raise UnsupportedModel(
            f"a tensor with the layout {tensor.layout}, as gradients of "
            "nn.Embedding(sparse=True) are, has no memory of its own to plan")


def kind_of(target) -> str:
    return getattr(target, "__name__", str(target)) if target in _PURE \
        else str(target)


class Lowering:
    """Walks the joint graph once."""

    def __init__(self, joint: fx.GraphModule, device: torch.device) -> None:
        self.joint = joint
        self.device = device
        self.program = Program()
        self.root_of: dict[int, str] = {}  # By storage.
        self.alive: list[Any] = []  # Keeps storages, and so their identities.
        self.mutated = self._mutated_inputs()

    # -- storages ----------------------------------------------------------

    def _storage(self, tensor: torch.Tensor) -> int:
        check_strided(tensor)
        ref = StorageWeakRef(tensor.untyped_storage())
        self.alive.append((ref, tensor))
        return ref.cdata

    def _bytes(self, tensor: torch.Tensor) -> int:
        on_device = tensor.device.type == self.device.type
        return tensor.untyped_storage().nbytes() if on_device else 0

    def _value(self, name: str, tensor: torch.Tensor) -> Value:
        return Value(name, self._bytes(tensor), signature(tensor))

    def _mutated_inputs(self) -> set[str]:
        """The placeholders that the graph writes to in the end."""
        return {node.args[0].name for node in self.joint.graph.nodes
                if node.target is torch.ops.aten.copy_.default}

    # -- nodes -------------------------------------------------------------

    def run(self, num_forward_outputs: int) -> Program:
        nodes = list(self.joint.graph.nodes)
        last = max((i for i, node in enumerate(nodes)
                    if node.op == "call_function"
                    and node.meta.get("partitioner_tag") == "is_forward"), default=-1)
        tangents = [n for n in nodes if n.op == "placeholder" and "tangents" in n.name]
        backward = False
        for position, node in enumerate(nodes):
            if node in tangents or node.op == "output":
                continue
            if node.op in ("placeholder", "get_attr"):
                self._input(node)
                continue
            late = node.meta.get("partitioner_tag") == "must_be_in_forward"
            if late:
                continue
            if position > last and not backward:
                backward = True
                self._end_forward(nodes, tangents)
            self._call(node, "backward" if backward else "forward")
        if not backward:
            self._end_forward(nodes, tangents)
        self._outputs(nodes[-1], num_forward_outputs)
        prune(self.program)
        return self.program

    def _end_forward(self, nodes, tangents) -> None:
        for node in nodes:
            if node.meta.get("partitioner_tag") == "must_be_in_forward":
                self._call(node, "forward")
        if tangents:
            self._tangents(tangents)

    def _input(self, node: fx.Node) -> None:
        tensor = node.meta.get("val")
        if node.op == "get_attr":
            tensor = getattr(self.joint, node.target)
        if not isinstance(tensor, torch.Tensor):
            raise UnsupportedModel(f"input '{node.name}' is a "
                                   f"{type(tensor).__name__}, not a tensor")
        check_static(node, tensor)
        storage = self._storage(tensor)
        if storage in self.root_of:  # Two inputs that share their memory.
            self.program.inputs[node.name] = Value(node.name, 0, signature(tensor))
            return
        self.root_of[storage] = node.name
        self.program.inputs[node.name] = self._value(node.name, tensor)

    def _tangents(self, nodes) -> None:
        for node in nodes:
            tensor = node.meta["val"]
            if not isinstance(tensor, torch.Tensor):
                raise UnsupportedModel(f"the gradient '{node.name}' is not a tensor")
            self.root_of[self._storage(tensor)] = node.name
            self.program.values[node.name] = self._value(node.name, tensor)
            self.program.tangents.append(node.name)
        self.program.ops.append(Op(
            "tangents", "tangents", None, (), {}, tuple(self.program.tangents),
            True, "backward", recomputable=False, has_effect=True))

    def _call(self, node: fx.Node, phase: str) -> None:
        result = node.meta.get("val")
        check_static(node, result)
        if node.target is operator.getitem:
            self._getitem(node)
            return
        args = fx.map_arg(_unread_left_out(node), lambda arg: Ref(arg.name))
        kwargs = fx.map_arg(node.kwargs, lambda arg: Ref(arg.name))
        items = result if isinstance(result, (list, tuple)) else [result]
        tensors = [item for item in items if isinstance(item, torch.Tensor)]
        is_effect = self._has_effect(node)
        known = [self.root_of.get(self._storage(tensor)) for tensor in tensors]
        if tensors and all(known) and not is_effect:
            self.program.views[node.name] = View(
                node.name, node.target, tuple(args), dict(kwargs), known[0])
            return
        if any(known) and not is_effect:
            raise UnsupportedModel(
                f"'{node.name}' ({node.target}) returns both its inputs and new tensors")
        self._op(node, phase, args, kwargs, result, is_effect)

    def _op(self, node, phase, args, kwargs, result, is_effect) -> None:
        outputs = () if is_effect and self._writes_input(node) else \
            self._outputs_of(node, result)
        rerun_args = self._rerun_args(node, tuple(args))
        statistics = _STATISTICS.get(node.target, _NONE)[1] if rerun_args else ()
        op = Op(node.name, kind_of(node.target), node.target, tuple(args), dict(kwargs),
                outputs, isinstance(result, (list, tuple)), phase,
                recomputable=not is_effect and self._can_rerun(node),
                has_effect=is_effect or self._draws(node, phase),
                module=module_of(node), rerun_args=rerun_args,
                made_once=frozenset(outputs[index] for index in statistics),
                # Checks make nothing, and raise or do nothing.
                changes=() if result is None and not self._writes_input(node) else None,
                is_foreign=randomness.is_foreign(node.target))
        if randomness.is_random(node.target) and op.recomputable:
            op.state, op.device = self._state(node, phase), self.device
        self.program.ops.append(op)

    def _state(self, node: fx.Node, phase: str) -> Ref:
        name = node.name + STATE_SUFFIX
        with _disable_current_modes():
            state = randomness.current_state(self.device)
        self.program.values[name] = self._value(name, state)
        self.program.ops.append(Op(
            name, GENERATOR_STATE, randomness.current_state, (self.device,), {},
            (name,), phase=phase, recomputable=False, module=module_of(node)))
        return Ref(name)

    def _outputs_of(self, node: fx.Node, result: Any) -> tuple[str | None, ...]:
        if isinstance(result, torch.Tensor):
            self._new_value(node.name, result)
            return (node.name,)
        if result is None:
            return ()
        if not isinstance(result, (list, tuple)):
            raise UnsupportedModel(f"'{node.name}' ({node.target}) returns a "
                                   f"{type(result).__name__}, not tensors")
        names = {user.args[1]: user.name for user in node.users
                 if user.target is operator.getitem}
        outputs: list[str | None] = []
        for index, item in enumerate(result):
            name = names.get(index, f"{node.name}_{index}_unread")
            if not isinstance(item, torch.Tensor):
                outputs.append(None)
                continue
            outputs.append(name)
            self._new_value(name, item)
        return tuple(outputs)

    def _new_value(self, name: str, tensor: torch.Tensor) -> None:
        self.root_of[self._storage(tensor)] = name
        value = self._value(name, tensor)
        if self._is_seed(tensor):
            value = Value(name, 0, value.signature)
        self.program.values[name] = value

    def _is_seed(self, tensor: torch.Tensor) -> bool:
        """Seeds and offsets of attention are on the CPU, whatever the graph says."""
        return (self.device.type == "cuda" and tensor.dim() == 0
                and tensor.dtype == torch.int64)

    def _getitem(self, node: fx.Node) -> None:
        source, index = node.args
        if source.name in self.program.views:  # Of a view with several parts.
            root = self.root_of[self._storage(node.meta["val"])]
            self.program.views[node.name] = View(
                node.name, operator.getitem, (Ref(source.name), index), {}, root)
        elif node.name not in self.program.values:
            # A second name for the same output.
            root = self.root_of[self._storage(node.meta["val"])]
            self.program.views[node.name] = View(
                node.name, _same, (Ref(root),), {}, root)

    # -- flags -------------------------------------------------------------

    def _writes_input(self, node: fx.Node) -> bool:
        schema = getattr(node.target, "_schema", None)
        return schema is not None and schema.is_mutable

    def _draws(self, node: fx.Node, phase: str) -> bool:
        """Moves the generator on, which later draws depend on."""
        return phase == "forward" and randomness.is_random(node.target)

    def _has_effect(self, node: fx.Node) -> bool:
        """Must run once, where it is."""
        if node.target in _PURE:
            return False
        if not isinstance(node.target, torch._ops.OpOverload):
            return True
        return self._writes_input(node) or node.is_impure() and \
            not randomness.is_random(node.target) or \
            "c10d" in node.target.namespace

    def _can_rerun(self, node: fx.Node) -> bool:
        """What it reads is still what it was."""
        ignored = _STATISTICS.get(node.target, _NONE)[0]
        for index, arg in enumerate(node.args):
            if index in ignored:
                continue
            names: list[str] = []
            fx.map_arg(arg, lambda item: names.append(item.name))
            if any(self.program.root(name) in self.mutated for name in names):
                return False
        return True

    def _rerun_args(self, node: fx.Node, args: tuple) -> tuple | None:
        """Without running statistics, which nothing depends on and which the next
        forward pass changes while this one waits for its backward: any values of
        their shape will do, as the weight's."""
        ignored = _STATISTICS.get(node.target, _NONE)[0]
        values = [item.meta.get("val") if isinstance(item, fx.Node) else item
                  for item in node.args]
        if not ignored or values[1] is None or any(
                values[index] is None
                or signature(values[index]) != signature(values[1])
                for index in ignored):
            return None
        return tuple(args[1] if index in ignored else arg
                     for index, arg in enumerate(args))

    # -- outputs -----------------------------------------------------------

    def _outputs(self, node: fx.Node, num_forward: int) -> None:
        outputs = list(fx.map_arg(node.args[0], lambda arg: Ref(arg.name)))
        self.program.forward_outputs = outputs[:num_forward]
        self.program.backward_outputs = outputs[num_forward:]


def _same(value):
    return value


def lower(joint: fx.GraphModule, num_forward_outputs: int,
          device: torch.device) -> Program:
    """The program of a joint graph; raises UnsupportedModel."""
    return Lowering(joint, device).run(num_forward_outputs)
