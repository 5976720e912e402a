# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation by cuDNN, as eager PyTorch runs it on a GPU.

AOTAutograd replaces it by PyTorch's own kernels, which are slower and round
differently. This puts it back: the graph then has the ops below, which are pure.
"""

from __future__ import annotations

import operator

import torch
from torch import fx
from torch.utils._python_dispatch import _disable_current_modes

_FORWARD = torch.ops.aten._native_batch_norm_legit_functional.default
_BACKWARD = torch.ops.aten.native_batch_norm_backward.default


def batch_norm(x, weight, bias, mean, var, momentum, eps):
    """As the functional op, and one more output: what backward has to be given."""
    mean, var = mean.clone(), var.clone()
    out, save_mean, save_var, reserve = torch.ops.aten.cudnn_batch_norm.default(
        x, weight, bias, mean, var, True, momentum, eps)
    return out, save_mean, save_var, mean, var, reserve


def batch_norm_backward(grad, x, weight, save_mean, save_var, eps, reserve):
    return torch.ops.aten.cudnn_batch_norm_backward.default(
        x, grad, weight, None, None, save_mean, save_var, eps, reserve)


PURE = (batch_norm, batch_norm_backward)


def _is_eligible(node: fx.Node) -> bool:
    """What eager would ask, of the shapes that the graph knows."""
    x, weight, bias, mean, var, training = node.args[:6]
    tensors = [arg.meta["val"] if isinstance(arg, fx.Node) else arg
               for arg in (x, weight, bias, mean, var)]
    if not training or any(tensor is None for tensor in tensors):
        return False
    if tensors[0].device.type != "cuda" or not torch.backends.cudnn.enabled:
        return False
    backend = torch._C._select_batch_norm_backend(
        *tensors, True, float(node.args[7]))
    return backend == torch._C._BatchNormBackend.Cudnn


def _reserve(node: fx.Node) -> torch.Tensor:
    """An empty tensor of the size that cuDNN wants between the passes."""
    value = node.args[0].meta["val"]
    with _disable_current_modes():
        channels = value.shape[1]
        ones = torch.ones(channels, device=value.device)
        x = torch.zeros(value.shape, dtype=value.dtype, device=value.device)
        x = x.as_strided(value.shape, value.stride())
        size = batch_norm(x, ones, ones, ones, ones, 0.1, 1e-5)[5].numel()
        real = torch.empty(size, dtype=torch.uint8, device=value.device)
    return value.fake_mode.from_tensor(real)


def _pairs(graph: fx.Graph):
    """Forward nodes with the backward nodes that use their statistics."""
    for node in graph.find_nodes(op="call_function", target=_FORWARD):
        parts = {user.args[1]: user for user in node.users
                 if user.target is operator.getitem}
        backward = [user for user in (parts[1].users if 1 in parts else ())
                    if user.target is _BACKWARD]
        if len(backward) == 1 and _is_eligible(node):
            yield node, backward[0]


def use_cudnn_batch_norm(joint: fx.GraphModule) -> int:
    """Changes the graph in place; says how many ops were changed."""
    graph = joint.graph
    count = 0
    for node, back in list(_pairs(graph)):
        if not all(back.args[9]):  # Some gradients are not wanted.
            continue
        x, weight, bias, mean, var, _, momentum, eps = node.args
        reserve = _reserve(node)
        node.target = batch_norm
        node.args = (x, weight, bias, mean, var, momentum, eps)
        node.meta["val"] = (*node.meta["val"], reserve)
        with graph.inserting_after(node):
            kept = graph.call_function(operator.getitem, (node, 5))
        kept.meta = {**node.meta, "val": reserve}
        grad, x, weight, _, _, save_mean, save_var, _, eps, _ = back.args
        back.target = batch_norm_backward
        back.args = (grad, x, weight, save_mean, save_var, eps, kept)
        count += 1
    return count
