# SPDX-License-Identifier: Apache-2.0
"""Which modules are the blocks of a model."""

import models
import pytest
import torch
import training
from rematch.torch.fused.blocks import blocks_of
from rematch.torch.fused.kernels import FusedKernels
from rematch.torch.fused.partition import Partition
from torch import fx


class Block:
    pass


class Sequential:
    pass


def numbers(*paths):
    """Blocks of nodes, each in one module; classes go by the first letter."""
    kinds = {"b": Block, "s": Sequential}
    graph = fx.Graph()
    nodes = [graph.placeholder(f"p{index}") for index in range(len(paths) + 1)]
    for node, path in zip(nodes, paths):
        parts = path.split(".")
        node.meta["nn_module_stack"] = {
            str(end): (".".join(parts[:end]), kinds.get(parts[end - 1][0], object))
            for end in range(1, len(parts) + 1)}
    graph.output(())
    found = blocks_of(fx.GraphModule(torch.nn.Module(), graph))
    return [found.get(node) for node in nodes]


def test_blocks_are_modules_of_one_class_whose_names_differ_by_a_number():
    assert numbers("model.head", "model.b0.x", "model.b0.y", "model.b1.x") == \
        [None, 0, 0, 1, None]


def test_the_outermost_ones_count():
    assert numbers("m.b0.b0", "m.b0.x", "m.b1.b0", "m.b1.x") == [0, 0, 1, 1, None]


def test_a_container_of_blocks_is_none():
    assert numbers("m.s0.b0.x", "m.s0.b1.x", "m.s1.b0.x", "m.s1.b1.x") == \
        [0, 1, 2, 3, None]


def test_a_single_one_is_none():
    assert numbers("m.b0.x", "m.s0.x") == [None, None, None]


def crossing(name, partition):
    """Bytes that forward keeps for backward, and the gradients."""
    torch._dynamo.reset()
    model = models.make(name)
    original = FusedKernels._with.__func__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FusedKernels, "_with", classmethod(
            lambda cls, compiler, _: original(cls, compiler, partition)))
        step = training.step_of(model, name, "1GiB", kernels="fused", cache=False)
        torch.manual_seed(3)
        step(*models.batch(name))
    graph = step.graphs[0]
    assert graph.kernels.partition == partition
    return sum(graph.program.values[value].bytes
               for value in set(graph.kernels.found.crossing.values())), \
        [parameter.grad for parameter in model.parameters()]


def test_backward_takes_little_from_forward_if_blocks_are_computed_again():
    most, wanted = crossing("gpt", Partition())
    least, found = crossing("gpt", Partition(every_block=True))
    assert least < 0.7 * most
    assert all(torch.allclose(a, b, rtol=1e-3, atol=1e-4)
               for a, b in zip(found, wanted, strict=True))
