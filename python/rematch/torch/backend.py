# SPDX-License-Identifier: Apache-2.0
"""The backend of torch.compile."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import chain
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.symbolic_convert import InstructionTranslator
from torch._guards import TracingContext

from rematch.torch import memory, remembered, second_start
from rematch.torch.attention import simplify_masks, without_dropout
from rematch.torch.dynamo import Graphs
from rematch.torch.eager_kernels import EagerKernels
from rematch.torch.inference import compiled_by_inductor, has_gradients
from rematch.torch.options import Options
from rematch.torch.plain_graph import PlainGraph
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.saved import SavedPlan
from rematch.torch.second_start import Start


log = logging.getLogger("rematch")

# Of AOTAutograd, for all graphs, and for those that are not kept.
_SETTINGS = {"donated_buffer": False, "backward_pass_autocast": "off"}
_NO_CACHE = {"enable_autograd_cache": False}


class Backend:
    """Called with each graph that PyTorch captures of one model.

    `graphs` are those so far, `is_cut` says whether they are pieces of the model.
    `check` is called before each, `on_measured` with each before it is planned.
    """

    __name__ = "rematch"

    def __init__(self, options: Options, check: Callable[[], None] | None = None,
                 on_measured: Callable[[PlannedGraph], None] | None = None) -> None:
        self.options = options
        self.check = check
        self.on_measured = on_measured
        self.graphs: Graphs = Graphs()
        self.is_cut = False
        self.plans: dict[str, SavedPlan] = {}  # Of pieces, by digest.
        self.plain_graphs: list[PlainGraph] = []

    def with_plans(self, plans: dict[str, SavedPlan]) -> Backend:
        """One that knows all pieces; takes over the list of graphs, now empty."""
        found = Backend(self.options, self.check, self.on_measured)
        self.graphs.clear()
        found.graphs, found.plans, found.is_cut = self.graphs, plans, True
        return found

    def __reduce__(self):
        """Copies begin anew. Lightning has models keep what torch.compile was given,
        and they are copied with it."""
        return Backend, (self.options,)

    def __call__(self, module: fx.GraphModule, inputs) -> Callable:
        if self.check:
            self.check()
        self.is_cut = self.is_cut or _ends_before_the_model() or \
            any(graph.is_open for graph in self.graphs)
        # What pieces take in a step that has gradients is to be known.
        is_piece = self.is_cut and torch.is_grad_enabled()
        if not is_piece and not has_gradients(inputs) and \
                why_eager(self.options, inputs) is None:
            found = compiled_by_inductor(module, inputs, self.options.kernels == "auto")
            if found is not None:
                return found
        simplify_masks(module)
        key = remembered.graph_key(module, inputs, self.options)
        key_here = key(self.options.budget)
        start = self._start(module, inputs, key_here, key(None))
        if start and start.is_known and (found := self._again(start, module, inputs)):
            return found
        kernels = kernels_for(self.options, module, inputs, key_here,
                              start.compiler if start else None)
        graph = self._graph(inputs, key, kernels)
        self.graphs.append(graph)
        if self.options.gpu:
            without_dropout(module)

        # PyTorch keeps these functions: they are not to keep the batch.
        device = memory.device_of_tensors(inputs)

        def forward(module: fx.GraphModule, _: Any) -> Callable:
            _donate_nothing()
            return graph.compile("forward", module)

        def backward(module: fx.GraphModule, _: Any) -> Callable:
            return graph.compile("backward", module)

        def inference(module: fx.GraphModule, _: Any) -> Callable:
            self.graphs.remove(graph)  # Nothing has a gradient: there is no plan.
            plain = PlainGraph(module, device)
            if torch.is_grad_enabled():
                self.plain_graphs.append(plain)
            return plain

        compile_with = _compile_with(module, inputs)
        try:
            if start and graph.kernels.name == "fused":
                return start.first(graph, compile_with, forward, backward, inference)
            return compile_with(forward, backward, inference, graph.partition)
        finally:
            if graph.planned is None and graph in self.graphs:
                self.graphs.remove(graph)  # It has no figures that somebody could ask for.

    def is_fused(self, model: torch.nn.Module) -> bool:
        """Whether the model is, or would be, trained with fused kernels."""
        there = next(chain(model.parameters(), model.buffers()), None)
        return why_eager(self.options, [there]) is None and not any(
            graph.kernels.name == "eager" for graph in self.graphs)

    def _start(self, module: fx.GraphModule, inputs, key: str,
               ways: str) -> Start | None:
        """If what is planned may be kept for the next one."""
        if self.is_cut or self.plans or self.on_measured or \
                why_eager(self.options, inputs) is not None:
            return None
        try:
            return second_start.begin(self.options, module, inputs, key, ways)
        except Exception as error:  # Who compiles as always is told, if it matters.
            log.debug("not kept for the next start: %s", error)
            return None

    def _again(self, start: Start, module: fx.GraphModule, inputs) -> Callable | None:
        """As it was planned before."""
        graph = self._graph(inputs)
        found = start.again(graph, _compile_with(module, inputs))
        if found is not None:
            self.graphs.append(graph)
            graph.announce()
        return found

    def _graph(self, inputs, key: Callable[[Any], str] | None = None,
               kernels: Any = None) -> PlannedGraph:
        return PlannedGraph(
            self.options, f"graph{len(self.graphs)}", inputs, plans=self.plans,
            is_piece=self.is_cut, key=key, on_measured=self.on_measured,
            kernels=kernels)


def _compile_with(module: fx.GraphModule, inputs) -> Callable[..., Callable]:
    """Has AOTAutograd compile a graph with the compilers, the partitioner and the
    settings that it is given."""
    def compile_with(forward: Callable, backward: Callable, inference: Callable,
                     partition: Callable,
                     settings: dict[str, Any] = _NO_CACHE) -> Callable:
        compiler = aot_autograd(
            fw_compiler=forward, bw_compiler=backward, inference_compiler=inference,
            partition_fn=partition, decompositions={},
            keep_inference_input_mutations=True)
        with torch._functorch.config.patch(_known({**_SETTINGS, **settings})):
            return compiler(module, inputs)

    return compile_with


def why_eager(options: Options, inputs) -> str | None:
    """Why a graph is run with PyTorch's own kernels; None if fused ones are
    wanted."""
    if options.kernels == "eager":
        return ""
    if options.kernels == "auto":
        if options.plan is not None and options.plan.kernels is not None:
            return None
        if options.gpu:
            return "nothing can be compiled for a GPU that is not there"
        if not _on_gpu(inputs):
            return "the model is not on a GPU"
        if options.plan is not None and options.plan.kernels is None:
            return "the saved plan is over them"
    return None


def _on_gpu(inputs) -> list[torch.device]:
    return [item.device for item in inputs
            if isinstance(item, torch.Tensor) and item.is_cuda]


def kernels_for(options: Options, module: fx.GraphModule, inputs, key: str,
                compiler: Any = None) -> Any:
    """Fused ones where they are wanted and can be had; None: nothing has a
    gradient. `key` is of those that were settled on before."""
    if (why := why_eager(options, inputs)) is not None:
        return EagerKernels(why)
    from rematch.torch.fused.kernels import Compiler, FusedKernels  # Slow to import.
    device = next(iter(_on_gpu(inputs)), torch.device("cpu"))
    try:
        return FusedKernels.capture(
            compiler or Compiler(module, inputs, device if options.cache else None),
            remembered.kernels(options, key, device))
    except Exception as error:  # Whatever Inductor says.
        if options.kernels == "fused":
            raise
        why = str(error).strip().partition("\n")[0]
        log.info("not with fused kernels: %s", why)
        return EagerKernels(why)


def _ends_before_the_model() -> bool:
    """Whether PyTorch could not capture what comes after the graph at hand."""
    translator = InstructionTranslator.current_tx()
    reason = getattr(translator.output, "compile_subgraph_reason", None)
    return reason is not None and reason.graph_break


def _donate_nothing() -> None:
    """What is kept may be asked for again, by retain_graph=True. PyTorch refuses
    that unless its list of donated buffers is empty, and where no buffers are
    donated there is no list."""
    context = TracingContext.try_get()
    metadata = getattr(context, "fw_metadata", None)
    if metadata is not None and getattr(metadata, "bw_donated_idxs", ()) is None:
        metadata.bw_donated_idxs = []


def _known(settings: dict[str, Any]) -> dict[str, Any]:
    """Those that this version of PyTorch has."""
    return {name: value for name, value in settings.items()
            if hasattr(torch._functorch.config, name)}


def rematch_backend(module: fx.GraphModule, inputs, *, options=None, mode=None):
    """torch.compile(model, backend="rematch", options={"budget": "6GiB"})."""
    given = {**(options or {}), **({"mode": mode} if mode is not None else {})}
    return Backend(Options.parse(given))(module, inputs)
