# SPDX-License-Identifier: Apache-2.0
"""From what Inductor wrote for both passes to one program.

Each call becomes an op: a small function of its own, made of the lines of the call
and of the buffers that it is the first to write to. What backward takes from forward
is found by position, and stands under one name in both.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes

from rematch.torch import randomness
from rematch.torch.errors import UnsupportedModel
from rematch.torch.fused import parts
from rematch.torch.fused.capture import Compiled, Pass
from rematch.torch.fused.draws import draws, is_foreign
from rematch.torch.fused.expressions import (allocation_like, definitions, fake_allocation,
                                             names_in, shape_of, short_name,
                                             with_pointers)
from rematch.torch.fused.in_place import Kernel
from rematch.torch.fused.snippet import Snippet
from rematch.torch.fused.wrapper import Call, Wrapper, read, substituted
from rematch.torch.fused.writes import NotUnderstood
from rematch.torch.layout import extent
from rematch.torch.lowering import (GENERATOR_STATE, STATE_SUFFIX, check_strided,
                                    signature)
from rematch.torch.program import Op, Program, Ref, Value, View, prune


class _Pass:
    """One pass. `names` are expressions for what it is given, by its own names."""

    def __init__(self, whole: Lowering, phase: str, compiled: Pass,
                 wrapper: Wrapper, names: dict[str, ast.expr]) -> None:
        self.whole, self.phase = whole, phase
        self.compiled, self.wrapper = compiled, wrapper
        self.texts = definitions(compiled.source)
        for name in (*wrapper.allocations, *wrapper.elements,
                     *(call.result for call in wrapper.calls if call.result)):
            names[name] = ast.Name(f"{phase[0]}_{name}", ast.Load())
            whole.known.add(names[name].id)
        self.given = names
        self.allocations = {names[name].id: call
                            for name, call in wrapper.allocations.items()}
        self.elements: dict[str, dict[int, str]] = {}
        for name, (of, index) in wrapper.elements.items():
            self.elements.setdefault(of, {})[index] = names[name].id

    def run(self) -> None:
        parts.check(self.wrapper)
        for call in self.wrapper.calls:
            self._call(call)
        for name, allocation in self.allocations.items():
            if name not in self.whole.version:
                self._leave_empty(name, allocation)

    def _leave_empty(self, name: str, allocation: ast.Call) -> None:
        """A buffer that no kernel fills, as those of empty batches, which others may be
        given."""
        whole = self.whole
        fake = fake_allocation(allocation, whole.device, whole.mode)
        if fake.numel():
            return  # Who reads it will be refused.
        line = f"{name} = {ast.unparse(allocation)}"
        whole.new_value(name, fake)
        whole.program.ops.append(Op(
            f"{self.phase[0]}{len(whole.program.ops)}_empty", "empty",
            _function("empty", [], [], [line], [name], self.compiled.names), (), {},
            (name,), phase=self.phase))

    def outputs(self) -> list[ast.expr]:
        return [self._renamed(item) for item in self.wrapper.outputs]

    def _renamed(self, node: ast.expr) -> Any:
        return substituted(node, self.given)

    def _bases(self, names: Sequence[str]) -> list[str]:
        """Values and inputs, by the names of the whole."""
        found = (names_in(self._renamed(ast.Name(name, ast.Load())))
                 for name in names)
        return list(dict.fromkeys(name for some in found for name in some
                                  if name in self.whole.known))

    def _call(self, call: Call) -> None:
        whole, program = self.whole, self.whole.program
        written = self._bases(call.writes)
        # Also what is read though nobody wrote to it: operators that fill what they
        # are given look at its shape.
        fresh = [name for name in dict.fromkeys((*written, *self._bases(call.reads)))
                 if name not in whole.version and name in self.allocations]
        again = [name for name in written if name not in fresh
                 and name not in program.inputs]
        reads = [name for name in self._bases(call.reads) if name not in fresh]
        for name in again:
            if name not in self.allocations:
                raise NotUnderstood(call.node, f"writes to '{name}', which it did "
                                               "not allocate")
        for name in reads:
            if name not in whole.version and name not in program.inputs:
                raise NotUnderstood(call.node, f"reads '{name}', which is not there")
        name = f"{self.phase[0]}{len(program.ops)}_{short_name(call.node)}"
        node = self._renamed(call.node)
        kernel = self.wrapper.writer.kernel_of(call.node)
        if kernel:
            whole.kernels[name] = Kernel(*kernel, node.args)
            node = with_pointers(node)
        settings = [f"{name} = {ast.unparse(value)}"
                    for name, value in self.wrapper.settings.items()
                    if name in names_in(node)]
        lines = [f"{name} = {ast.unparse(self.allocations[name])}" for name in fresh]
        returns, outputs = [*fresh, *again], [*fresh]
        outputs += [whole.new_version(name) for name in again]
        if call.result:
            part = self.elements.get(call.result)
            lines.append(f"result = {ast.unparse(node)}")
            made = list(part.values()) if part else self._bases([call.result])
            returns += [f"result[{index}]" for index in part] if part else ["result"]
            outputs += made
        else:
            lines.append(ast.unparse(node))
        function = _function(name, reads, settings, lines, returns,
                             self.compiled.names)
        if call.result and not written and self._is_view(call, function, reads):
            self._show(call, node)
            return
        changed = [item for item in written if item in program.inputs]
        is_random = draws(call.node, self.wrapper.writer)
        is_check = not call.result and not written
        if is_random and self.phase == "backward":
            raise NotUnderstood(call.node, "draws random numbers in backward")
        rerun, others = None, [item for item in reads if item not in changed]
        if changed:  # What it writes to again is let go, and does not matter.
            aside = [f"{item} = {allocation_like(program.inputs[item])}"
                     for item in changed]
            rerun = _function(name, others, settings, [*aside, *lines], returns,
                              self.compiled.names)
        op = Op(name, self._kind(call, reads, lines), function,
                tuple(Ref(whole.version.get(read, read)) for read in reads), {},
                tuple(outputs), returns_tuple=len(returns) > 1, phase=self.phase,
                # Seeds are few: they are kept.
                recomputable=self._can_rerun(call, reads, written)
                and not (is_random and (changed or not call.result)) and not is_check,
                has_effect=bool(changed) or is_random or is_check, changes=tuple(changed),
                rerun=rerun, rerun_workspace=sum(
                    whole.bytes_like(program.inputs[item]) for item in changed),
                module=next(filter(None, map(whole.modules.get, reversed(call.sources))), ""),
                is_foreign=is_foreign(call.node, self.wrapper.writer),
                is_fused=not self.texts.keys().isdisjoint(
                    names_in(call.node)),
                rerun_args=tuple(Ref(whole.version.get(read, read))
                                 for read in others) if changed else None)
        if is_random and op.recomputable:
            whole.remember_state(op)
        for buffer in fresh:
            whole.new_value(buffer, fake_allocation(
                self.allocations[buffer], whole.device, whole.mode))
        if call.result:
            whole.run_fake(op, made, len(returns) - len(made))
        for old in again:
            whole.version[old] = outputs[returns.index(old)]
        program.ops.append(op)

    def _is_view(self, call: Call, function: Callable, reads: list[str]) -> bool:
        """Whether what an operator returns is all that it reads, in another shape or of
        another type."""
        if call.result in self.elements or len(reads) != 1:
            return False
        given = self.whole.fakes[reads[0]]
        found = self.whole.fake_results(function, reads)
        return isinstance(found, torch.Tensor) and found.layout is torch.strided and \
            found.untyped_storage()._cdata == given.untyped_storage()._cdata

    def _show(self, call: Call, node: ast.expr) -> None:
        """Each reader of the result makes it anew, of what it shows. That others write to
        what is shown has been looked at: showing is reading."""
        if any(call.result in other.writes for other in self.wrapper.calls):
            raise NotUnderstood(call.node, "another shape that is written to")
        self.given[call.result] = node

    def _kind(self, call: Call, reads: list[str], lines: list[str]) -> str:
        """The same for the same work."""
        numbers = {name: f"_{index}" for index, name in enumerate(reads)}
        text = re.sub(r"\w+", lambda found: numbers.get(found[0], found[0]),
                      "\n".join(lines))
        kernels = [self.texts[name] for name in sorted(names_in(call.node))
                   if name in self.texts]
        digest = hashlib.sha256("\n".join([text, *kernels]).encode()).hexdigest()
        return f"{short_name(call.node)} {digest[:16]}"

    def _can_rerun(self, call: Call, reads: list[str], written: list[str]) -> bool:
        whole = self.whole
        if any(name in whole.changed for name in reads):
            return False
        again = [name for name in written if name in whole.version]
        return not again or parts.only_stores(call, self.texts)


class Lowering:
    """`program` is what both passes are together. Raises NotUnderstood and
    UnsupportedModel."""

    def __init__(self, compiled: Compiled, joint: fx.GraphModule,
                 num_forward_outputs: int, device: torch.device,
                 modules: Mapping[str, str] = {}, arguments: Sequence[str] = ()) -> None:
        """`modules` are those of the nodes of the captured graph, by name; `arguments`
        what its inputs are called."""
        self.device, self.modules, self.arguments = device, modules, arguments
        self.program = Program()
        self.version: dict[str, str] = {}  # By buffer, the value that it now is.
        self.fakes: dict[str, torch.Tensor] = {}
        self.known: set[str] = set()  # Inputs, buffers and results.
        placeholders = [node for node in joint.graph.nodes if node.op == "placeholder"]
        self.primals = [n for n in placeholders if "tangents" not in n.name]
        # What has an effect is handed on, by PyTorch 2.13, from one call to the next.
        # Inductor takes it out: its calls stay in order, as they do here.
        self.tokens = [node for node in self.primals if _is_token(node)]
        self.tangents = [n for n in placeholders if "tangents" in n.name]
        self.mode = next(node.meta["val"].fake_mode for node in placeholders
                         if isinstance(node.meta.get("val"), FakeTensor))
        self.wrappers = {"forward": read(compiled.forward),
                         "backward": read(compiled.backward)}
        self.kernels: dict[str, Kernel] = {}  # By op.
        # What backward takes from forward, by its name in the joint graph: the value.
        self.crossing: dict[str, str] = {}
        # Inputs that are written to, and on which more depends.
        self.given = [node for node in self.primals if node not in self.tokens]
        self.changed = {self.given[index].name
                        for index, name in enumerate(self.wrappers["forward"].inputs)
                        if index not in compiled.forward.private
                        and any(name in call.writes
                                for call in self.wrappers["forward"].calls)}
        self._inputs()
        forward = self._forward(compiled, num_forward_outputs)
        self._tangents()
        self._backward(compiled, forward[num_forward_outputs:])
        prune(self.program)

    def _inputs(self) -> None:
        seen: set[int] = set()
        for node in self.primals:
            tensor = node.meta["val"]
            if not isinstance(tensor, torch.Tensor):
                raise UnsupportedModel(f"an input, '{node.name}' of the graph, is a size "
                                       "that changes; compile with dynamic=False, and "
                                       "each size is planned")
            storage = tensor.untyped_storage()._cdata
            size = 0 if storage in seen else self._bytes(tensor)
            seen.add(storage)
            self.program.inputs[node.name] = Value(node.name, size, signature(tensor))
            self.fakes[node.name] = tensor
            self.known.add(node.name)

    def _said(self, name: str) -> str:
        """An input, as the model calls it."""
        node = next(node for node in self.primals if node.name == name)
        index = getattr(node.meta.get("desc"), "idx", None)
        known = isinstance(index, int) and index < len(self.arguments)
        return f"'{self.arguments[index] if known else name}'"

    def _forward(self, compiled: Compiled, count: int) -> list[ast.expr]:
        wrapper = self.wrappers["forward"]
        given = self.given
        if len(wrapper.inputs) != len(given):
            raise UnsupportedModel(
                f"Inductor's forward pass takes {len(wrapper.inputs)} inputs, the "
                f"graph has {len(given)}")
        names = {name: ast.Name(node.name, ast.Load())
                 for name, node in zip(wrapper.inputs, given)}
        one = _Pass(self, "forward", compiled.forward, wrapper, names)
        one.run()
        outputs = [*(ast.Name(node.name, ast.Load()) for node in self.tokens),
                   *one.outputs()]
        self.program.forward_outputs = [self._output(item, compiled.forward)
                                        for item in outputs[:count]]
        return outputs

    def _tangents(self) -> None:
        for node in self.tangents:
            self.new_value(node.name, node.meta["val"])
            self.known.add(node.name)
        names = [node.name for node in self.tangents]
        self.program.tangents = names
        self.program.ops.append(Op("tangents", "tangents", None, (), {}, tuple(names),
                                   True, "backward", recomputable=False,
                                   has_effect=True))

    def _backward(self, compiled: Compiled, saved: list[ast.expr]) -> None:
        wrapper = self.wrappers["backward"]
        if len(wrapper.inputs) != len(saved) + len(self.tangents):
            raise UnsupportedModel(
                f"Inductor's backward pass takes {len(wrapper.inputs)} inputs, there "
                f"are {len(saved)} values and {len(self.tangents)} gradients")
        given = [*saved, *(ast.Name(node.name, ast.Load()) for node in self.tangents)]
        names = dict(zip(wrapper.inputs, given))
        for name, item in zip(wrapper.inputs, saved):
            found = [root for root in names_in(item) if root in self.version]
            if found:
                self.crossing[name] = self.version[found[0]]
        one = _Pass(self, "backward", compiled.backward, wrapper, names)
        one.run()
        for op in self.program.ops:
            read = self.changed.intersection(self.program.inputs_of(op))
            if op.phase == "backward" and read:
                raise UnsupportedModel(
                    f"backward reads {self._said(min(read))}, which forward has "
                    "overwritten; kernels='eager' does without Inductor")
        self.program.backward_outputs = [self._output(item, compiled.backward)
                                         for item in one.outputs()]

    def _output(self, item: ast.expr, compiled: Pass) -> Any:
        if isinstance(item, ast.Constant):
            return item.value
        if isinstance(item, ast.Name):
            return Ref(self.version.get(item.id, item.id))
        shown = [name for name in names_in(item) if name in self.known]
        if not isinstance(item, ast.Call) or len(shown) != 1:
            raise NotUnderstood(item, "an output of another kind")
        root = self.version.get(shown[0], shown[0])
        name = f"view{len(self.program.views)}"
        function, arguments = shape_of(item, shown[0], compiled.names)
        self.program.views[name] = View(name, function, (Ref(root), *arguments), {}, root)
        return Ref(name)

    # -- values ------------------------------------------------------------

    def _bytes(self, tensor: torch.Tensor) -> int:
        check_strided(tensor)
        there = tensor.device.type == self.device.type
        return tensor.untyped_storage().nbytes() if there else 0

    def bytes_like(self, value: Value) -> int:
        """Of a tensor like an input."""
        shape, stride, dtype, kind = value.signature
        if kind != self.device.type:
            return 0
        return extent(shape, stride) * getattr(torch, dtype.removeprefix("torch.")).itemsize

    def new_value(self, name: str, fake: torch.Tensor, storage_of: str = "") -> None:
        self.fakes[name] = fake
        self.version[name] = name
        self.program.values[name] = Value(name, self._bytes(fake), signature(fake),
                                          storage_of)

    def new_version(self, name: str) -> str:
        """The buffer after one more kernel has written to it."""
        now = self.version[name]
        later = f"{name}_{sum(v.startswith(name + '_') for v in self.fakes) + 2}"
        old = self.program.values[now]
        self.fakes[later] = self.fakes[name]
        self.program.values[later] = Value(later, old.bytes, old.signature, now)
        return later

    def remember_state(self, op: Op) -> None:
        """Of the generator, before an op that draws."""
        name = op.name + STATE_SUFFIX
        with _disable_current_modes():
            state = randomness.current_state(self.device)
        with self.mode:
            self.fakes[name] = torch.empty(state.shape, dtype=state.dtype)
        self.program.values[name] = Value(name, self._bytes(state), signature(state))
        self.program.ops.append(Op(name, GENERATOR_STATE, randomness.current_state,
                                   (self.device,), {}, (name,), phase=op.phase,
                                   recomputable=False))
        op.state, op.device = Ref(name), self.device

    def fake_results(self, function: Callable, reads: Sequence[str]) -> Any:
        """What an operator makes, without running it."""
        with self.mode:
            return function.fake(*(self.fakes[name] for name in reads))

    def run_fake(self, op: Op, made: list[str], skip: int) -> None:
        """Finds what an operator makes without running it."""
        results = self.fake_results(op.call, [ref.name for ref in op.args])
        results = (results if isinstance(results, (list, tuple)) else (results,))[skip:]
        storages = {self.fakes[ref.name].untyped_storage()._cdata for ref in op.args}
        for name, result in zip(made, results, strict=True):
            check_strided(result)
            storage = result.untyped_storage()._cdata
            if storage in storages:
                raise UnsupportedModel(f"'{op.name}' returns a part of what it reads, "
                                       "or the same twice; kernels='eager' takes every "
                                       "model")
            storages.add(storage)
            self.new_value(name, result)


def _is_token(placeholder: fx.Node) -> bool:
    return bool(placeholder.users) and all(
        user.target is torch.ops.higher_order.with_effects
        and user.args[0] is placeholder for user in placeholder.users)


def _function(*parts) -> Callable:
    return Snippet(*parts).function()
