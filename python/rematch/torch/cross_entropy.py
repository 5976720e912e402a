# SPDX-License-Identifier: Apache-2.0
"""The gradient of cross entropy in the memory of one tensor less.

Two ops make it, each with an output as large as the logits, which for language
models are the largest tensors of all. The second can write where the first did:
the numbers are the same, and so is the time.
"""

from __future__ import annotations

import torch
from torch import fx

_aten = torch.ops.aten
_SOFTMAX = _aten._log_softmax_backward_data.default
_LOSSES = {_aten.nll_loss_backward.default: "nll_loss_backward",
           _aten.nll_loss2d_backward.default: "nll_loss2d_backward"}


def cross_entropy_backward(loss_backward, grad, log_probabilities, target, weight,
                           reduction, ignore_index, total_weight, dim, dtype):
    """What the loss says about each logit, through log_softmax."""
    made = getattr(_aten, loss_backward).default(
        grad, log_probabilities, target, weight, reduction, ignore_index, total_weight)
    return _aten._log_softmax_backward_data.out(made, log_probabilities, dim, dtype,
                                                out=made)


def _itself(node: fx.Node) -> fx.Node:
    """What a chain of detach shows."""
    while node.target is _aten.detach.default:
        node = node.args[0]
    return node


def _is_pair(loss: fx.Node, softmax: fx.Node) -> bool:
    """The second reads what the first made, nobody else does, and both speak of
    the same probabilities in the same type."""
    made, result = loss.meta["val"], softmax.meta["val"]
    return (softmax.target is _SOFTMAX and list(loss.users) == [softmax]
            and softmax.args[0] is loss
            and _itself(softmax.args[1]) is _itself(loss.args[1])
            and (made.dtype, made.shape, made.stride())
            == (result.dtype, result.shape, result.stride()))


def merge_cross_entropy(joint: fx.GraphModule) -> int:
    """Changes the graph in place; says how many pairs of ops were merged."""
    graph = joint.graph
    count = 0
    for loss in list(graph.nodes):
        softmax = next(iter(loss.users), None)
        if loss.target not in _LOSSES or not _is_pair(loss, softmax):
            continue
        softmax.target = cross_entropy_backward
        softmax.args = (_LOSSES[loss.target], *loss.args, *softmax.args[2:])
        graph.erase_node(loss)
        count += 1
    return count
