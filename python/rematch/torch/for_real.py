# SPDX-License-Identifier: Apache-2.0
"""Running something while a compiler traces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import _disable_current_modes


@contextmanager
def for_real() -> Iterator[None]:
    """What runs inside does what it says, on numbers: nothing is traced, no types
    are changed, and no gradients are kept for later."""
    with torch.no_grad(), _disable_current_modes(), torch._C._DisableAutocast():
        yield
