# SPDX-License-Identifier: Apache-2.0
"""Starts the same training again without tracing, reading or planning anything.

PyTorch has a cache of what AOTAutograd makes of a graph, for compilers whose results
can be kept. With fused kernels ours can: a pass is its generated source and what
Inductor wrote. What is found there is run as it is, if the plan fits what is on the
device now; whatever is not as expected, the graph is compiled as if there were nothing.

A record of our own says under which name it was put there, so that nothing is found
that is not known here: who deletes our cache starts anew.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import torch
import torch._functorch.config as functorch_config
import torch._inductor.config as inductor_config
import torch.distributed
from torch import fx
from torch._dynamo.utils import counters
from torch._functorch.aot_autograd import SerializableAOTDispatchCompiler

import rematch
from rematch.torch import memory, profiling, remembered
from rematch.torch.cuda_graphs import MODE
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.profile_cache import ProfileCache

log = logging.getLogger("rematch")

# For AOTAutograd. Both passes are kept together, when both are compiled.
_KEEPING = {"enable_autograd_cache": True, "enable_remote_autograd_cache": False,
            "bundled_autograd_cache": True, "strict_autograd_cache": False,
            "force_non_lazy_backward_lowering": True}
_BUILT_IN = ("aten", "prims", "prim")
_RECORD = {"name", "cost", "room", "tried"}  # What it has.
_MOST_GAINED = 0.01  # Of the room for a plan, that may be left unused.


class NotThere(Exception):
    """What was kept cannot be had."""


class Start:
    """Of one graph. `is_known`: it was kept before."""

    def __init__(self, options: Options, compiler: Any, key: str, ways: str) -> None:
        """`key` is of the graph and what its plan is to be, `ways` is that of the
        kernels that were chosen for any budget."""
        self.options, self.compiler, self.ways = options, compiler, ways
        self.device = compiler.device
        self.why = "it is not there any more"
        # Mostly there is no garbage, and then it is not looked for.
        found = None if options.budget == "auto" else self._find(key, collect=False)
        if found is None:
            found = self._find(key, collect=True)
        self.is_known = found is not None and not self._is_beaten(found)
        self.name = found["name"] if self.is_known else uuid.uuid4().hex

    def _is_beaten(self, found: dict) -> bool:
        """Whether kernels are known by now that take less time in as much room, and
        were not tried."""
        with self._cache() as cache:
            better = remembered.ways(cache, self.ways, found["room"], found["cost"])
        return any(one not in found["tried"] for one in better)

    def _find(self, key: str, collect: bool) -> dict | None:
        """The record for what is now on the device."""
        self.outside = memory.outside(0, self.device, self.options, collect)
        self.key = f"start {_hash([key, self.compiler.identity, *self._numbers()])}"
        with self._cache() as cache:
            found = cache.find_record(self.key)
        is_whole = isinstance(found, dict) and _RECORD <= found.keys()
        return found if is_whole else None

    def _numbers(self) -> list:
        """Besides what the compiler knows."""
        # What is free is never the same twice: it is looked at later.
        sizes = [] if self.options.budget == "auto" else [self.outside]
        return [rematch.__version__, _sources(), str(self.device), sizes]

    def _cache(self) -> Any:
        return closing(ProfileCache(profiling.device_name(self.device),
                                    profiling.settings()))

    # -- again -------------------------------------------------------------

    def again(self, graph: PlannedGraph,
              compile_with: Callable[..., Callable]) -> Callable | None:
        """The graph as it was kept, or None. `compile_with` is given compilers and
        partitioner for AOTAutograd."""
        from rematch.torch.fused.planned_pass import PlannedPass, restored_by

        def compile_one(*_: Any, **__: Any) -> Any:
            raise NotThere

        try:
            with restored_by(lambda one: self._restored(graph, one)), self._with_name():
                return compile_with(
                    SerializableAOTDispatchCompiler(PlannedPass, compile_one),
                    compile_one, compile_one, compile_one, _KEEPING)
        except Exception as error:  # Whatever it is: it is compiled anew.
            why = self.why if isinstance(error, NotThere) else error
            log.info("what was planned before cannot be used: %s", why)
            self.is_known, self.name = False, uuid.uuid4().hex
            return None

    def _restored(self, graph: PlannedGraph, found: Any) -> Callable:
        """The function of a pass."""
        kept = found.graph
        try:
            if not graph.functions:
                self._take_over(graph, kept)
            one = kept.passes[found.phase]
            function = one.function(found.phase, graph.kernels.compiled)
            return graph.running(found.phase, function,
                                 one.care.taken(function, graph.device))
        except Exception as error:
            self.why = str(error)  # PyTorch does not pass it on.
            raise

    def _take_over(self, graph: PlannedGraph, kept: Any) -> None:
        if kept.device != self.device:
            raise NotThere(f"it was planned for {kept.device}, not {self.device}")
        outside = kept.outside + self.outside - kept.outside_before
        budget = memory.resolve(self.options.budget, kept.reference.peak + outside,
                                self.device)
        need, room = kept.figures.peak - kept.outside, budget - outside
        before = kept.budget - kept.outside
        if need > room:
            raise NotThere(f"it takes {need} bytes of the device, and there is room "
                           f"for {room}")
        if room > before * (1 + _MOST_GAINED):
            raise NotThere(f"it was planned for {before} bytes, and there is room for "
                           f"{room}")
        kernels = kept.loaded_kernels(self.compiler)
        kernels.release()
        with self._cache() as cache:
            graph.start_again(kept, kernels, outside, budget, cache)

    # -- the first time ----------------------------------------------------

    def first(self, graph: PlannedGraph, compile_with: Callable[..., Callable],
              forward: Callable, backward: Callable, inference: Callable) -> Callable:
        """The graph, compiled, and kept for the next start if it can be."""
        from rematch.torch.fused.planned_pass import PlannedPass

        keeper = _Keeper(self, graph)

        def kept(phase: str, compile_one: Callable) -> Any:
            return SerializableAOTDispatchCompiler(
                PlannedPass, lambda module, inputs: PlannedPass(
                    phase, compile_one(module, inputs), keeper))

        saved = counters["aot_autograd"]["autograd_cache_saved"]
        try:
            with self._with_name():
                found = compile_with(
                    kept("forward", forward), kept("backward", backward),
                    kept("inference", inference), graph.partition, _KEEPING)
        finally:
            keeper.release()
        if counters["aot_autograd"]["autograd_cache_saved"] > saved:
            cost, room = graph.figures.cost, graph.budget - graph.program.outside_bytes
            with self._cache() as cache:
                cache.store_record(self.key, {
                    "name": self.name, "cost": cost, "room": room,
                    "tried": remembered.ways(cache, self.ways, room, cost)})
        return found

    def _with_name(self) -> Any:
        """Keys of PyTorch's cache hold the name meanwhile."""
        return torch.compiler.config.patch(
            cache_key_tag=f"{self.compiler.tag} rematch {self.name}")


class _Keeper:
    """Makes data of a graph when it is compiled. The passes hold it for good: it lets
    go of what it knows."""

    def __init__(self, start: Start, graph: PlannedGraph) -> None:
        self.start: Start | None = start
        self.graph: PlannedGraph | None = graph
        self.found: Any = None

    def __call__(self) -> Any:
        """The same for both passes; None if the graph is not to be kept."""
        if self.found is None and self.start is not None:
            self.found = self._kept(self.start, self.graph)
        return self.found

    def _kept(self, start: Start, graph: PlannedGraph) -> Any:
        from rematch.torch.fused.kept import KeptGraph

        if graph.functions.keys() != {"forward", "backward"} or \
                graph.kernels.name != "fused" or graph.device != start.device or \
                not start.compiler.can_keep(graph.kernels.compiled):
            return None
        if graph.kernels.found.tokens:
            log.debug("not kept for the next start: PyTorch's cache does not know of "
                      "effects")
            return None
        try:
            return KeptGraph.of(graph, start.outside)
        except Exception as error:  # Whatever cannot be kept.
            log.info("not kept for the next start: %s", error)
            return None

    def release(self) -> None:
        self.start = self.graph = self.found = None


def begin(options: Options, module: fx.GraphModule, inputs: Sequence,
          key: str, ways: str) -> Start | None:
    """The start of a graph with fused kernels, of which nothing else is said; None
    if it is compiled as always."""
    if why := _why_not(options, module, inputs):
        log.debug("not kept for the next start: %s", why)
        return None
    from rematch.torch.fused.compiler import Compiler, has_passes  # Slow to import.
    if has_passes():
        return None
    device = memory.device_of_tensors(inputs)
    return Start(options, Compiler(module, inputs, device), key, ways)


def _why_not(options: Options, module: fx.GraphModule, inputs: Sequence) -> str:
    ranks = torch.distributed
    if not options.cache or options.gpu or options.plan is not None:
        return "of the options"
    if options.mode == MODE:
        return "recordings are not kept"
    if ranks.is_available() and ranks.is_initialized():
        return "several processes plan together"
    if not all(hasattr(functorch_config, name) for name in _KEEPING) or \
            not hasattr(torch.compiler.config, "cache_key_tag"):
        return "this version of PyTorch has no such cache"
    if not functorch_config.enable_autograd_cache or \
            not inductor_config.fx_graph_cache or \
            torch.compiler.config.force_disable_caches:
        return "PyTorch's caches are off"
    if getattr(torch._dynamo.config, "caching_precompile", False):
        return "keys are others at each start"
    if any(type(item) not in (torch.Tensor, torch.nn.Parameter) for item in inputs):
        return "an input is not a plain tensor"
    if not all(map(_is_built_in, module.graph.nodes)):
        return "PyTorch does not know what all ops do"
    if options.budget == "auto" and memory.device_of_tensors(inputs).type != "cuda":
        return "there is no budget"
    return ""


def _is_built_in(node: fx.Node) -> bool:
    """Whether what it does is known by its name. What other libraries have their ops
    do may change, and with constants the text does not say all."""
    if node.op == "get_attr":
        return False
    if isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    space = getattr(node.target, "namespace", None) if isinstance(
        node.target, torch._ops.OpOverload) else \
        getattr(node.target, "_qualified_op_name", "").partition("::")[0]
    return not space or space in _BUILT_IN


@functools.cache
def _sources() -> str:
    """Of all that decides what is run."""
    folder = Path(__file__).parent
    return _hash([path.read_text(encoding="utf-8")
                  for path in sorted(folder.rglob("*.py"))])


def _hash(parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
