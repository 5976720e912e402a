#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the bundled graphs of well-known networks: data/<name>.json.

Each graph is one training step on one sample, computed from the published
layer shapes by the rules of the Checkmate paper's artifact (Jain et al., MLSys
2020); data/README.md lists them. No network is run and nothing is measured.

Usage: tools/reference_graphs.py [--batch N] [--output FOLDER] [NAME ...]
"""

import argparse
import json
import math
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

ELEMENT_BYTES = 4  # fp32


@dataclass(frozen=True)
class Layer:
    """A layer of a network: one forward op and one backward op."""

    name: str
    kind: str
    inputs: tuple  # Layers that it reads; the image is not one.
    shape: tuple  # Of one sample's output: (height, width, channels) or (n,).
    macs: int  # Multiply-accumulates for one sample.
    parameters: int = 0

    @property
    def elements(self):
        return math.prod(self.shape)


@dataclass
class Network:
    """Layers in the order in which they run; the image has no layer."""

    title: str
    shape: tuple  # Of the image.
    layers: list = field(default_factory=list)

    def add(self, name, kind, inputs, shape, macs=0, parameters=0):
        layer = Layer(name, kind, tuple(inputs), shape, macs, parameters)
        self.layers.append(layer)
        return layer

    def _read(self, x):
        """The inputs and the shape of `x`, where None is the image."""
        return ((), self.shape) if x is None else ((x,), x.shape)

    def conv(self, name, x, channels, kernel, stride=1, padding="same", bias=True):
        inputs, (height, width, depth) = self._read(x)
        out = (*windows(height, width, kernel, stride, padding), channels)
        macs = kernel * kernel * depth * math.prod(out)
        weights = kernel * kernel * depth * channels + (channels if bias else 0)
        return self.add(name, "conv2d", inputs, out, macs, weights)

    def depthwise_conv(self, name, x, kernel, stride, padding):
        inputs, (height, width, depth) = self._read(x)
        out = (*windows(height, width, kernel, stride, padding), depth)
        macs = kernel * kernel * math.prod(out)
        return self.add(
            name, "depthwise_conv2d", inputs, out, macs, kernel * kernel * depth
        )

    def pad(self, name, x, rows, columns):
        inputs, (height, width, depth) = self._read(x)
        return self.add(name, "pad", inputs, (height + rows, width + columns, depth))

    def batch_norm(self, name, x):
        # Scale, shift and two running statistics per channel.
        return self.add(
            name, "batch_norm", (x,), x.shape, 4 * x.elements, 4 * x.shape[-1]
        )

    def activation(self, name, x, kind="relu"):
        return self.add(name, kind, (x,), x.shape, x.elements)

    def max_pool(self, name, x, kernel=2, stride=2):
        height, width, depth = x.shape
        out = (*windows(height, width, kernel, stride, "valid"), depth)
        return self.add(name, "max_pool2d", (x,), out)

    def global_average_pool(self, name, x):
        return self.add(name, "avg_pool2d", (x,), (x.shape[-1],))

    def reshape(self, name, x, shape, kind="reshape"):
        return self.add(name, kind, (x,), shape)

    def upsample(self, name, x):
        height, width, depth = x.shape
        out = (2 * height, 2 * width, depth)
        return self.add(name, "upsample2d", (x,), out, math.prod(out))

    def concat(self, name, a, b):
        out = (*a.shape[:-1], a.shape[-1] + b.shape[-1])
        return self.add(name, "concat", (a, b), out)

    def plus(self, name, a, b):
        return self.add(name, "add", (a, b), a.shape, a.elements + b.elements)

    def dense(self, name, x, units):
        (depth,) = x.shape
        return self.add(
            name, "linear", (x,), (units,), depth * units, (depth + 1) * units
        )


def windows(height, width, kernel, stride, padding):
    """How many places a kernel has in each direction."""
    lost = 0 if padding == "same" else kernel - 1
    return -(-(height - lost) // stride), -(-(width - lost) // stride)


def vgg_block(net, x, number, convs, channels):
    for conv in range(1, convs + 1):
        x = net.conv(f"block{number}_conv{conv}", x, channels, 3)
    return net.max_pool(f"block{number}_pool", x)


def vgg(title, convs_per_block):
    net = Network(title, (224, 224, 3))
    x = None
    for number, convs in enumerate(convs_per_block, start=1):
        x = vgg_block(net, x, number, convs, min(512, 32 << number))
    x = net.reshape("flatten", x, (x.elements,), kind="flatten")
    x = net.dense("fc1", x, 4096)
    x = net.dense("fc2", x, 4096)
    net.dense("predictions", x, 1000)
    return net


def vgg16():
    """Simonyan and Zisserman 2014, configuration D."""
    return vgg("VGG-16 at 224x224", (2, 2, 3, 3, 3))


def vgg19():
    """Simonyan and Zisserman 2014, configuration E."""
    return vgg("VGG-19 at 224x224", (2, 2, 4, 4, 4))


def mobilenet():
    """Howard et al. 2017, width 1, as in Keras."""
    net = Network("MobileNet v1 at 224x224", (224, 224, 3))

    def norm_relu(prefix, x):
        return net.activation(f"{prefix}_relu", net.batch_norm(f"{prefix}_bn", x))

    x = net.pad("conv1_pad", None, 1, 1)
    x = net.conv("conv1", x, 32, 3, stride=2, padding="valid", bias=False)
    x = norm_relu("conv1", x)
    widths = (64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)
    for block, channels in enumerate(widths, start=1):
        stride, padding = 1, "same"
        if block in (2, 4, 6, 12):
            x = net.pad(f"conv_pad_{block}", x, 1, 1)
            stride, padding = 2, "valid"
        x = net.depthwise_conv(f"conv_dw_{block}", x, 3, stride, padding)
        x = norm_relu(f"conv_dw_{block}", x)
        x = net.conv(f"conv_pw_{block}", x, channels, 1, bias=False)
        x = norm_relu(f"conv_pw_{block}", x)
    x = net.global_average_pool("global_average_pooling", x)
    x = net.reshape("reshape_1", x, (1, 1, 1024))
    x = net.reshape("dropout", x, x.shape, kind="dropout")
    x = net.conv("conv_preds", x, 1000, 1)
    x = net.reshape("reshape_2", x, (1000,))
    net.activation("act_softmax", x, kind="softmax")
    return net


def resnet50():
    """He et al. 2015, as in Keras."""
    net = Network("ResNet-50 at 224x224", (224, 224, 3))

    def block(x, name, channels, stride, project):
        y = net.conv(f"{name}_1_conv", x, channels, 1, stride)
        y = net.batch_norm(f"{name}_1_bn", y)
        y = net.activation(f"{name}_1_relu", y)
        y = net.conv(f"{name}_2_conv", y, channels, 3)
        y = net.batch_norm(f"{name}_2_bn", y)
        y = net.activation(f"{name}_2_relu", y)
        # Keras orders layers by depth: the two branches alternate.
        if project:
            shortcut = net.conv(f"{name}_0_conv", x, 4 * channels, 1, stride)
        y = net.conv(f"{name}_3_conv", y, 4 * channels, 1)
        if project:
            shortcut = net.batch_norm(f"{name}_0_bn", shortcut)
        y = net.batch_norm(f"{name}_3_bn", y)
        y = net.plus(f"{name}_add", shortcut if project else x, y)
        return net.activation(f"{name}_out", y)

    x = net.pad("conv1_pad", None, 6, 6)
    x = net.conv("conv1_conv", x, 64, 7, stride=2, padding="valid")
    x = net.batch_norm("conv1_bn", x)
    x = net.activation("conv1_relu", x)
    x = net.pad("pool1_pad", x, 2, 2)
    x = net.max_pool("pool1_pool", x, kernel=3)
    for stage, blocks in enumerate((3, 4, 6, 3), start=2):
        for number in range(1, blocks + 1):
            stride = 2 if number == 1 and stage > 2 else 1
            name = f"conv{stage}_block{number}"
            x = block(x, name, 16 << stage, stride, number == 1)
    x = net.global_average_pool("avg_pool", x)
    net.dense("probs", x, 1000)
    return net


def unet(classes=19):
    """Ronneberger et al. 2015 with a VGG-16 encoder, as in keras-segmentation."""
    net = Network("U-Net with a VGG-16 encoder at 416x608", (416, 608, 3))
    skips = []
    x = None
    for number, convs in enumerate((2, 2, 3, 3), start=1):
        x = vgg_block(net, x, number, convs, 32 << number)
        skips.append(x)
    for level, channels in enumerate((512, 256, 128, 64)):
        if level > 0:
            x = net.upsample(f"up{level}", x)
            x = net.concat(f"concat{level}", x, skips[3 - level])
        x = net.pad(f"decoder{level}_pad", x, 2, 2)
        x = net.conv(f"decoder{level}_conv", x, channels, 3, padding="valid")
        x = net.batch_norm(f"decoder{level}_bn", x)
    x = net.conv("classes", x, classes, 3)
    height, width, depth = x.shape
    x = net.reshape("reshape", x, (height * width, depth))
    net.activation("softmax", x, kind="softmax")
    return net


def branch():
    """The small test network of the Checkmate artifact: two parallel branches."""
    net = Network("two parallel convolutions at 224x224", (224, 224, 3))
    x = net.conv("in_conv", None, 64, 3, padding="valid")
    a = net.conv("a_conv", x, 128, 1)
    b = net.conv("b_conv", x, 128, 1)
    x = net.plus("add", a, b)
    x = net.global_average_pool("gap", x)
    net.dense("dense", x, 1000)
    return net


NETWORKS = {
    "branch": branch,
    "mobilenet": mobilenet,
    "resnet50": resnet50,
    "unet": unet,
    "vgg16": vgg16,
    "vgg19": vgg19,
}


def op_line(name, kind, inputs, bytes_, cost, phase=None):
    op = {"name": name, "kind": kind}
    if inputs:
        op["inputs"] = inputs
    op["outputs"] = [{"name": name, "bytes": bytes_}]
    op["cost"] = cost
    if phase:
        op["phase"] = phase
    return json.dumps(op)


def training_ops(net, batch):
    """Every layer, the loss, then every layer's backward in reverse order."""
    readers = {layer.name: [] for layer in net.layers}
    for layer in net.layers:
        for source in layer.inputs:
            readers[source.name].append(layer.name)

    def size(layer):
        return ELEMENT_BYTES * batch * layer.elements

    for layer in net.layers:
        inputs = [source.name for source in layer.inputs]
        cost = batch * layer.macs
        yield op_line(layer.name, layer.kind, inputs, size(layer), cost, "forward")
    last = net.layers[-1]
    yield op_line("loss", "loss", [last.name], ELEMENT_BYTES * batch, 0)
    for layer in reversed(net.layers):
        # It reads its own output, the outputs of the layers that read it, and
        # their gradients.
        inputs = [layer.name, *readers[layer.name]]
        inputs += [f"{reader}.backward" for reader in readers[layer.name]]
        if layer is last:
            inputs.append("loss")
        yield op_line(
            f"{layer.name}.backward",
            f"{layer.kind}_backward",
            inputs,
            size(layer),
            2 * batch * layer.macs,
            "backward",
        )


def graph_text(name, batch=1):
    """The graph as the program itself would write it."""
    net = NETWORKS[name]()
    parameters = sum(layer.parameters for layer in net.layers)
    description = (
        f"{net.title}, batch {batch}; computed from the published layer shapes; "
        "costs are multiply-accumulates, sizes fp32; not counted: "
        f"{ELEMENT_BYTES * parameters} bytes of parameters"
    )
    head = [
        '  "format": "rematch.graph"',
        '  "version": 1',
        f'  "name": {json.dumps(name)}',
        f'  "description": {json.dumps(description)}',
        '  "cost_unit": "MAC"',
    ]
    ops = ",\n".join(f"    {line}" for line in training_ops(net, batch))
    return "{\n" + ",\n".join(head) + ',\n  "ops": [\n' + ops + "\n  ]\n}\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--batch", type=int, default=1, help="samples (default: 1)")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).resolve().parents[1] / "data",
        help="folder (default: data)",
    )
    options = parser.parse_args(arguments)
    if options.batch < 1:
        parser.error(f"--batch is {options.batch}, below 1")
    for name in options.names or NETWORKS:
        if name not in NETWORKS:
            parser.error(f"there is no network '{name}': {', '.join(NETWORKS)}")
        path = options.output / f"{name}.json"
        path.write_text(graph_text(name, options.batch), encoding="utf-8")
        print(os.path.relpath(path))


if __name__ == "__main__":
    main(sys.argv[1:])
