# SPDX-License-Identifier: Apache-2.0
"""The backend of torch.compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd

from rematch.torch.attention import simplify_masks, without_dropout
from rematch.torch.dynamo import Graphs
from rematch.torch.options import Options
from rematch.torch.planned_graph import PlannedGraph


def make_backend(options: Options) -> Callable:
    """Its `graphs` are those that it was given so far."""
    def backend(module: fx.GraphModule, inputs) -> Callable:
        graph = PlannedGraph(options, f"graph{len(backend.graphs)}", inputs)
        backend.graphs.append(graph)
        simplify_masks(module)
        if options.gpu:
            without_dropout(module)
        compiler = aot_autograd(
            fw_compiler=lambda gm, _: graph.compile("forward", gm),
            bw_compiler=lambda gm, _: graph.compile("backward", gm),
            inference_compiler=lambda gm, _: _boxed(gm),
            partition_fn=graph.partition, decompositions={},
            keep_inference_input_mutations=True)
        with torch._functorch.config.patch(_functorch_settings()):
            return compiler(module, inputs)

    backend.graphs = Graphs()
    return backend


def _functorch_settings() -> dict[str, Any]:
    wanted = {"donated_buffer": False, "backward_pass_autocast": "off",
              "enable_autograd_cache": False}
    return {name: value for name, value in wanted.items()
            if hasattr(torch._functorch.config, name)}


def _boxed(module: fx.GraphModule) -> Callable:
    """Without gradients there is nothing to plan."""
    interpreter = fx.Interpreter(module)

    def call(args):
        return interpreter.boxed_run(args)

    call._boxed_call = True
    return call


def rematch_backend(module: fx.GraphModule, inputs, *, options=None, mode=None):
    """torch.compile(model, backend="rematch", options={"budget": "6GiB"})."""
    if mode is not None:
        raise ValueError(f"rematch has no mode {mode!r}; say what you want in options")
    return make_backend(Options.parse(options))(module, inputs)
