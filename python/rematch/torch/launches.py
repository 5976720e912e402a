# SPDX-License-Identifier: Apache-2.0
"""Triton kernels without what PyTorch looks at before each launch.

A kernel of Inductor's may still have to be compiled, or to choose among several
configurations, when it is first run. Then there is one launcher left, which PyTorch 2.13
calls directly, and 2.11 after looking at all that again: two microseconds, hundreds of
times a step.
"""

from __future__ import annotations

from typing import Any

from torch.autograd import profiler

_MAKER = ("torch._inductor.runtime.triton_heuristics", "CachingAutotuner")


class Launch:
    """Stands for a kernel where it is run with nothing but arguments and a stream."""

    __slots__ = ("kernel", "run")

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.run = self._first

    def _first(self, *args: Any, stream: Any) -> Any:
        result = self.kernel.run(*args, stream=stream)
        launchers = self.kernel.launchers
        if len(launchers) == 1 and not launchers[0].store_cubin:
            self.run = _direct(self.kernel.run, launchers[0])
        return result


def _direct(run: Any, launcher: Any) -> Any:
    def launch(*args: Any, stream: Any) -> Any:
        if profiler._is_profiler_enabled:  # It wants to know the kernel's name.
            return run(*args, stream=stream)
        return launcher(*args, stream=stream)

    return launch


def direct(thing: Any) -> Any:
    """The thing itself, unless it is a kernel that is launched faster otherwise."""
    kind = type(thing)
    if (kind.__module__, kind.__name__) != _MAKER or hasattr(thing, "_cached_launcher"):
        return thing
    watched = ("triton_interpret", "dump_launch_params", "dump_launch_tensors")
    if any(getattr(thing, name, True) for name in watched):
        return thing
    return Launch(thing)
