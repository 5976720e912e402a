# SPDX-License-Identifier: Apache-2.0
"""Masks that need not be there are taken out, and only those."""

import pytest
import torch
from rematch.torch.attention import simplify_masks
from torch.nn import functional as F

SHAPE = (2, 4, 8, 16)


def captured(function, *args):
    """The graph of a function, as torch.compile hands it to a backend."""
    graphs = []

    def backend(module, _):
        graphs.append(module)
        return module

    torch._dynamo.reset()
    expected = torch.compile(function, backend=backend, fullgraph=True,
                             dynamic=False)(*args)
    return graphs[0], expected


def attention_of(module):
    return next(node for node in module.graph.nodes
                if node.target is F.scaled_dot_product_attention)


def causal_by_comparison(q):
    rows = torch.arange(q.shape[2])[:, None]
    return torch.arange(q.shape[2])[None, :] <= rows


def causal_by_vmap(q):
    places = torch.arange(q.shape[2])
    inner = torch.vmap(lambda i, j: j <= i, in_dims=(None, 0))
    return torch.vmap(inner, in_dims=(0, None))(places, places)


def causal_by_addition(q):
    low = torch.finfo(q.dtype).min
    return torch.full((q.shape[2], q.shape[2]), low).triu(1)


def everything(q):
    return torch.ones(q.shape[0], 1, q.shape[2], q.shape[2], dtype=torch.bool)


def a_window(q):
    return causal_by_comparison(q).triu(-2)


def from_the_input(q):
    return causal_by_comparison(q) & (q[0, 0, :, 0] < 100)


def changed_in_place(q):
    mask = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool)
    mask.tril_(-1)
    return mask | torch.eye(q.shape[2], dtype=torch.bool)


def changed_through_a_view(q):
    mask = causal_by_comparison(q)
    mask[:, :4].fill_(True)
    return mask


def random(q):
    return torch.rand(q.shape[2], q.shape[2]) >= 0


def attend(mask_of, q):
    return F.scaled_dot_product_attention(q, q, q, attn_mask=mask_of(q))


@pytest.mark.parametrize(("mask_of", "causal"), [
    (causal_by_comparison, True), (causal_by_vmap, True),
    (causal_by_addition, True), (everything, False)])
def test_a_mask_that_says_nothing_new_goes(mask_of, causal):
    q = torch.randn(SHAPE)
    module, expected = captured(lambda q: attend(mask_of, q), q)
    before = len(module.graph.nodes)
    assert simplify_masks(module) == 1
    node = attention_of(module)
    assert node.kwargs["attn_mask"] is None
    assert node.kwargs["is_causal"] == causal
    assert len(module.graph.nodes) < before
    torch.testing.assert_close(module(q)[0], expected)


@pytest.mark.parametrize("mask_of", [a_window, from_the_input, changed_in_place,
                                     changed_through_a_view, random])
def test_other_masks_stay(mask_of):
    q = torch.randn(SHAPE)
    module, _ = captured(lambda q: attend(mask_of, q), q)
    assert simplify_masks(module) == 0
    assert attention_of(module).kwargs["attn_mask"] is not None


def test_a_mask_that_is_read_elsewhere_stays_there():
    def function(q):
        mask = causal_by_comparison(q)
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask) + mask.sum()

    q = torch.randn(SHAPE)
    module, expected = captured(function, q)
    assert simplify_masks(module) == 1
    torch.testing.assert_close(module(q)[0], expected)
