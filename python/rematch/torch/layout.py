# SPDX-License-Identifier: Apache-2.0
"""How a tensor lies in memory, which kernels rely on."""

from __future__ import annotations

import torch


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """With the same strides, also where there are gaps, and where memory begins."""
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype,
                               device=tensor.device).copy_(tensor)
