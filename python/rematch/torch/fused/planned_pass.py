# SPDX-License-Identifier: Apache-2.0
"""A compiled pass as PyTorch's cache of AOTAutograd's work takes it and gives it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch._functorch._aot_autograd.autograd_cache import BypassAOTAutogradCache
from torch._inductor.output_code import OutputCode

from rematch.torch.fused.kept import KeptGraph

# Makes the function of a pass that was found, while a graph is started again.
_restore: Callable[[PlannedPass], Callable] | None = None


class PlannedPass(OutputCode):
    """Calls `function`. `keep` gives the graph as data when it is to be kept, and
    None if it is not; then it is not put into the cache."""

    def __init__(self, phase: str, function: Callable,
                 keep: Callable[[], KeptGraph | None] | None = None) -> None:
        self._boxed_call = True  # Where wrappers look for it.
        self.phase = phase
        self.function: Callable | None = function
        self.keep = keep
        self.graph: KeptGraph | None = None

    def __call__(self, args: list) -> Any:
        return self.function(args)

    def prepare_for_serialization(self) -> None:
        """Called with a copy."""
        self.graph = self.keep() if self.keep else None
        if self.graph is None:
            raise BypassAOTAutogradCache("what was planned is not kept")
        self.function = self.keep = None

    def post_compile(self, example_inputs: Any, constants: Any,
                     graph_kwargs: Any) -> None:
        """Called when it was found."""
        if _restore is None:
            raise RuntimeError("a planned pass is run by rematch.torch only")
        self.function, self.graph = _restore(self), None

    def set_triton_bundle(self, triton_bundle: Any) -> None:
        """Kernels come with the modules in which Inductor defines them."""


@contextmanager
def restored_by(restore: Callable[[PlannedPass], Callable]) -> Iterator[None]:
    """What is found meanwhile is given its function by this one."""
    global _restore
    before, _restore = _restore, restore
    try:
        yield
    finally:
        _restore = before
