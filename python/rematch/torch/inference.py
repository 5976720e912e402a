# SPDX-License-Identifier: Apache-2.0
"""The model where nothing has a gradient, and there is nothing to plan.

With PyTorch's own kernels it runs as it is. With fused ones it is what Inductor makes of
it: as fast as with torch.compile, and a pass that is repeated with gradients, as by a
reentrant checkpoint, draws the same random numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException

from rematch.torch.errors import reason

log = logging.getLogger("rematch")


def has_gradients(inputs: Sequence) -> bool:
    """Of a captured graph, which is given these."""
    return torch.is_grad_enabled() and any(
        isinstance(item, torch.Tensor) and item.requires_grad for item in inputs)


def compiled_by_inductor(module: fx.GraphModule, inputs: Sequence,
                         may_fall_back: bool) -> Callable | None:
    """A graph without gradients; None if Inductor cannot and need not."""
    try:
        return torch._inductor.compile(module, list(inputs))
    except Exception as error:  # Whatever Inductor says.
        if not may_fall_back:
            raise
        log.info("without gradients not with fused kernels: %s",
                 reason(error))
        return None


class Inference:
    """Runs a model that is called without gradients."""

    def __init__(self, plain: Callable, compile_plain: Callable[[], Callable],
                 is_fused: Callable[[], bool]) -> None:
        """`plain` is the model as it is. `is_fused` says whether it would be trained with
        fused kernels."""
        self.plain = plain
        self.compile_plain = compile_plain
        self.is_fused = is_fused
        self.compiled: Callable | None = None
        self.why_plain = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.why_plain or not self.is_fused():
            return self.plain(*args, **kwargs)
        if self.compiled is None:  # Models may have a length, of 0.
            self.compiled = self.compile_plain()
        try:
            return self.compiled(*args, **kwargs)
        except FailOnRecompileLimitHit:
            self.why_plain = "it was called with too many shapes"
        except TorchDynamoException as error:
            self.why_plain = reason(getattr(error, "inner_exception", error))
        log.info("without gradients the model runs as it is: %s", self.why_plain)
        return self.plain(*args, **kwargs)
