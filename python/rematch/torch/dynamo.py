# SPDX-License-Identifier: Apache-2.0
"""How PyTorch's compiler is asked, and what it is asked not to do."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
from torch._dynamo import config, trace_rules
from torch._dynamo.exc import FailOnRecompileLimitHit
from torch._dynamo.utils import counters

from rematch.torch.errors import UnsupportedModel, reason, unwrapped
from rematch.torch.inference import Inference
from rematch.torch.shared import Shared

log = logging.getLogger("rematch")


class _Functions(set):
    """Empty when copied: PyTorch 2.11 logs a copy of its settings, sets in order, as
    JSON, and functions have neither."""

    def __deepcopy__(self, memo):
        return set()


# Functions that share a limit, where PyTorch cannot compile them apart.
_sharing = 0


def _while_running() -> dict[str, Any]:
    """What would cut a model into several graphs, or leave it without a plan, is
    off: the optimizer of DistributedDataParallel makes a graph for each bucket of
    gradients, and what is compiled too often would run as it is, in as much memory
    as it likes. Hugging Face's warnings that come once do not come at all."""
    quiet = "ignore_logging_functions"
    if not hasattr(config, quiet):
        quiet = "ignore_logger_methods"  # Its older name.
    once = [getattr(logging.Logger, name) for name in ("warning_once", "info_once")
            if hasattr(logging.Logger, name)]
    return {"optimize_ddp": False, "fail_on_recompile_limit_hit": True,
            quiet: _Functions({*getattr(config, quiet), *once})}


def settings() -> dict[str, Any]:
    """For torch.compile."""
    return {"dynamic": False, **_apart()}


def _apart() -> dict[str, Any]:
    """Models that share a class are compiled apart, so that many of them do not reach
    the limit for one."""
    known = inspect.signature(torch.compile).parameters
    return {"isolate_recompiles": True} if "isolate_recompiles" in known else {}


def _one_more_shares() -> None:
    global _sharing
    if "isolate_recompiles" not in settings():
        _sharing += 1


def by_inductor(model: Any) -> Callable:
    """The model, or a function, compiled for calls without gradients, by PyTorch alone."""
    _one_more_shares()
    return torch.compile(model, **_apart())


def guarded(function: Callable, plain: Callable | None = None,
            graphs: list | None = None) -> Callable:
    """A compiled function that runs as planned or raises an error of ours.

    Without gradients there is nothing to plan, and `plain` is called, under the same
    settings. If nothing has come into `graphs` after a call, PyTorch was told not to
    compile.
    """
    call = unwrapped(function)
    while_running = _while_running()
    _one_more_shares()
    is_told = False

    @torch._dynamo.disable  # What is compiled around it runs it as it is.
    @functools.wraps(function, updated=())
    def within_settings(*args, **kwargs):
        nonlocal is_told
        limit, breaks = config.recompile_limit, dict(counters["graph_break"])
        with config.patch({**while_running,
                           "recompile_limit": limit * max(1, _sharing)}):
            if plain is not None and not torch.is_grad_enabled():
                return plain(*args, **kwargs)
            try:
                result = call(*args, **kwargs)
            except FailOnRecompileLimitHit as failure:
                raise UnsupportedModel(
                    f"compiled {limit} times, for as many shapes or "
                    "settings, and the next would run without a plan; pad batches to "
                    "fewer shapes, or raise torch._dynamo.config.recompile_limit"
                ) from failure
        if graphs is not None and not graphs and not is_told:
            new = [text for text, count in counters["graph_break"].items()
                   if count > breaks.get(text, 0)]
            log.warning("PyTorch has compiled nothing of the model, which runs without a "
                        "plan%s", f": {reason(new[0])}" if new else "")
            is_told = True
        return result

    return within_settings


def _is_of_pytorch(model: torch.nn.Module) -> bool:
    forward = model.forward
    return isinstance(forward, MethodType) and trace_rules.check(forward)


class Graphs(list):
    """The planned graphs of a model. Copies and pickles of the model have none:
    they are not compiled."""

    def __reduce_ex__(self, protocol):
        return (list, ())


class PlannedModule(torch._dynamo.OptimizedModule):
    """Copies and pickles are of the model, compiled again: PyTorch's would run without
    what stands around it here."""

    def __reduce_ex__(self, protocol):
        return self.__dict__["_rematch_again"], (self._orig_mod,)


def with_copies(compiled: torch.nn.Module,
                again: Callable[[torch.nn.Module], torch.nn.Module]) -> torch.nn.Module:
    """The compiled model, of which copies are made with `again`."""
    compiled.__class__ = PlannedModule
    # Who compiles it again would be given what was compiled, without what is around it.
    del compiled._torchdynamo_orig_callable, compiled.get_compiler_config
    compiled.__dict__["_rematch_again"] = again
    return compiled


def compile_in_place(model: torch.nn.Module, backend: Callable, fullgraph: bool,
                     change: Callable[[Any], Any] | None = None) -> torch.nn.Module:
    """As torch.nn.Module.compile: class and names of the model stay.

    `change` is applied to what the model returns, where it has gradients.
    """
    def changed(self, *args, **kwargs):
        output = self._call_impl(*args, **kwargs)
        return change(output) if change else output

    def unchanged(self, *args, **kwargs):
        return self._call_impl(*args, **kwargs)

    # PyTorch compiles what _call_impl calls and runs the hooks there as they are,
    # which sharding relies on; but not where that is part of PyTorch itself.
    plain = target = without_change = model._call_impl
    if _is_of_pytorch(model):
        without_change = MethodType(unchanged, model)
    if change or _is_of_pytorch(model):
        target = MethodType(changed, model)
    inference = Inference(plain, lambda: by_inductor(without_change),
                          lambda: backend.is_fused(model))

    def compiled_with(backend: Callable) -> Callable:
        return torch.compile(target, backend=backend, fullgraph=fullgraph,
                             **settings())

    shared = Shared(backend, compiled_with(backend), compiled_with)
    # As Module.compile does it: __call__ looks there, copies and pickles leave
    # it out.
    model._compiled_call_impl = guarded(shared, inference, backend.graphs)
    # Not by assignment, which some modules refuse.
    model.__dict__["rematch_graphs"] = backend.graphs
    return model


def undo_in_place(model: torch.nn.Module) -> None:
    """The model runs as it is."""
    model._compiled_call_impl = None
    model.__dict__.pop("rematch_graphs", None)
