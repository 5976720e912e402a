# SPDX-License-Identifier: Apache-2.0
"""The models that are measured, at sizes that people train.

Each function returns the model, a batch as `TrainStep` takes it, the loss, and the
blocks that people would checkpoint.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

DEVICE = torch.device("cuda")


@dataclass
class Case:
    model: nn.Module
    inputs: Any
    targets: Any
    loss_fn: Any
    blocks: list[nn.Module]
    text: str


def images(count, size=(224, 224)):
    return torch.randn(count, 3, *size, device=DEVICE)


def classes(count):
    return torch.randint(1000, (count,), device=DEVICE)


def resnet50():
    import torchvision

    model = torchvision.models.resnet50().to(DEVICE)
    blocks = [block for name in ("layer1", "layer2", "layer3", "layer4")
              for block in getattr(model, name)]
    return Case(model, images(128), classes(128), F.cross_entropy, blocks,
                "ResNet-50 of torchvision, batch 128, 224x224, float32")


def mobilenet():
    import torchvision

    model = torchvision.models.mobilenet_v2().to(DEVICE)
    return Case(model, images(128), classes(128), F.cross_entropy,
                list(model.features),
                "MobileNet v2 of torchvision, batch 128, 224x224, float32")


def vit():
    import torchvision

    model = torchvision.models.vit_b_16().to(DEVICE)
    return Case(model, images(64), classes(64), F.cross_entropy,
                list(model.encoder.layers),
                "ViT-B/16 of torchvision, batch 64, 224x224, float32")


def double(inner, outer):
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, padding=1, bias=False), nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True), nn.Conv2d(outer, outer, 3, padding=1, bias=False),
        nn.BatchNorm2d(outer), nn.ReLU(inplace=True))


class UNet(nn.Module):
    """Ronneberger et al. 2015, with batch normalisation and padding."""

    def __init__(self, classes=2, width=64, depth=4):
        super().__init__()
        widths = [width * 2**i for i in range(depth + 1)]
        self.down = nn.ModuleList(
            double(inner, outer) for inner, outer in zip([3, *widths], widths))
        self.grow = nn.ModuleList(
            nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1]))
        self.up = nn.ModuleList(double(2 * w, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(F.max_pool2d(x, 2) if skips else x)
            skips.append(x)
        skips.pop()
        for grow, block in zip(self.grow, self.up):
            x = block(torch.cat([skips.pop(), grow(x)], 1))
        return self.head(x)


def unet():
    model = UNet().to(DEVICE)
    targets = torch.randint(2, (8, 416, 608), device=DEVICE)
    return Case(model, images(8, (416, 608)), targets, F.cross_entropy,
                [*model.down, *model.up],
                "U-Net, batch 8, 416x608, float32")


def language_model(model, config, shape, loss_type, blocks_of, text,
                   dtype=torch.float32, **more):
    model = model.to(DEVICE, dtype).train()
    model.loss_type = loss_type
    ids = torch.randint(config.vocab_size, shape, device=DEVICE)
    return Case(model, {"input_ids": ids, "labels": ids, **more}, None, None,
                list(blocks_of(model)), text)


def gpt2():
    import transformers as hf

    config = hf.GPT2Config()
    return language_model(hf.GPT2LMHeadModel(config), config, (8, 1024),
                          "ForCausalLM", lambda model: model.transformer.h,
                          "GPT-2 small of Hugging Face, 8 x 1024 tokens, float32",
                          use_cache=False)


def bert():
    import transformers as hf

    config = hf.BertConfig()
    return language_model(hf.BertForMaskedLM(config), config, (32, 512),
                          "ForMaskedLM", lambda model: model.bert.encoder.layer,
                          "BERT base of Hugging Face, 32 x 512 tokens, float32")


def llama():
    import transformers as hf

    config = hf.LlamaConfig(hidden_size=2048, intermediate_size=8192,
                            num_hidden_layers=16, num_attention_heads=32,
                            num_key_value_heads=8, vocab_size=32000)
    return language_model(hf.LlamaForCausalLM(config), config, (4, 2048),
                          "ForCausalLM", lambda model: model.model.layers,
                          "Llama-style model of 1B parameters of Hugging Face, "
                          "4 x 2048 tokens, bfloat16", torch.bfloat16, use_cache=False)


MODELS = {make.__name__: make
          for make in (resnet50, unet, gpt2, bert, llama, vit, mobilenet)}
