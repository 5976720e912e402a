# SPDX-License-Identifier: Apache-2.0
"""Small models of the architectures that people train."""

import torch
from torch import nn
from torch.nn import functional as F


class Bottleneck(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        inner = width // 4
        self.convs = nn.Sequential(
            nn.Conv2d(width, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU(),
            nn.Conv2d(inner, inner, 3, stride, 1, bias=False), nn.BatchNorm2d(inner),
            nn.ReLU(), nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width))
        self.skip = nn.Identity() if stride == 1 else nn.Sequential(
            nn.Conv2d(width, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        return F.relu(self.convs(x) + self.skip(x))


class ResNet(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 1, 1, bias=False),
                                  nn.BatchNorm2d(width), nn.ReLU())
        self.blocks = nn.Sequential(Bottleneck(width), Bottleneck(width, 2),
                                    Bottleneck(width, 2))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(F.dropout(self.blocks(self.stem(x)).mean((2, 3)), 0.2,
                                   self.training))


class MobileNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        layers = [nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU6()]
        for _ in range(2):
            layers += [nn.Conv2d(width, 4 * width, 1), nn.BatchNorm2d(4 * width),
                       nn.ReLU6(), nn.Conv2d(4 * width, 4 * width, 3, 1, 1,
                                             groups=4 * width),
                       nn.BatchNorm2d(4 * width), nn.ReLU6(), nn.Dropout2d(0.1),
                       nn.Conv2d(4 * width, width, 1), nn.BatchNorm2d(width)]
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


def double(wide, narrow):
    return nn.Sequential(nn.Conv2d(wide, narrow, 3, 1, 1), nn.BatchNorm2d(narrow),
                         nn.ReLU(), nn.Conv2d(narrow, narrow, 3, 1, 1),
                         nn.BatchNorm2d(narrow), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down = nn.ModuleList([double(3, width), double(width, 2 * width)])
        self.middle = nn.Sequential(double(2 * width, 4 * width), nn.Dropout(0.1))
        self.up = nn.ModuleList([double(6 * width, 2 * width), double(3 * width, width)])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for block in self.up:
            x = F.interpolate(x, scale_factor=2)
            x = block(torch.cat([x, skips.pop()], 1))
        return self.head(x)


class Block(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        drop = 0.1 if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=drop,
                                           is_causal=self.causal)
        x = x + F.dropout(self.out(y.transpose(1, 2).reshape(batch, length, width)),
                          0.1, self.training)
        return x + self.mlp(self.norms[1](x))


class Gpt(nn.Module):
    """The head shares its weight with the embedding."""

    def __init__(self, words=64, width=32, layers=2, length=16):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, 4, True) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = F.dropout(self.words(ids) + self.places(places), 0.1, self.training)
        return self.head(self.norm(self.blocks(x)))


class Bert(nn.Module):
    def __init__(self, words=64, width=32, layers=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.Sequential(*(Block(width, 4, False) for _ in range(layers)))
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(),
                                  nn.LayerNorm(width), nn.Linear(width, words))

    def forward(self, ids):
        return self.head(self.blocks(self.words(ids)))


class Vit(nn.Module):
    def __init__(self, width=32, layers=2):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.blocks = nn.Sequential(*(Block(width, 4, False) for _ in range(layers)))
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.blocks(x)[:, 0])


class LlamaBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(width))
                                        for _ in range(2)])
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False)
                                          for _ in range(4))
        self.gate, self.up = (nn.Linear(width, 3 * width, bias=False)
                              for _ in range(2))
        self.down = nn.Linear(3 * width, width, bias=False)

    def norm(self, x, scale):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * scale

    def rotate(self, x, cos, sin):
        half = x.shape[-1] // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return x * cos + turned * sin

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        y = self.norm(x, self.scales[0])
        q, k, v = (layer(y).view(batch, length, self.heads, -1).transpose(1, 2)
                   for layer in (self.q, self.k, self.v))
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        y = self.norm(x, self.scales[1])
        return x + F.dropout(self.down(F.silu(self.gate(y)) * self.up(y)), 0.1,
                             self.training)


class Llama(nn.Module):
    def __init__(self, words=64, width=32, layers=2, heads=4):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, words, bias=False)
        self.size = width // heads

    def forward(self, ids):
        places = torch.arange(ids.shape[1], device=ids.device)[:, None]
        rates = 1e4 ** (-torch.arange(0, self.size, 2, device=ids.device) / self.size)
        angles = torch.cat([places * rates] * 2, -1)
        x = self.words(ids)
        for block in self.blocks:
            x = block(x, angles.cos(), angles.sin())
        return self.head(x)


class Branches(nn.Module):
    """A little of everything that compilers write in ways of their own."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8))
        self.branches = nn.ModuleList(nn.Conv2d(8, width, 1) for width in (4, 8, 4))
        self.dropout = nn.Dropout(0.2)
        self.last = nn.Linear(16, 10)

    def forward(self, images):
        stem = F.gelu(self.stem(images))
        parts = torch.cat([branch(stem).tanh() for branch in self.branches], 1)
        return self.last(self.dropout(parts).mean((2, 3)))


def classify(output, targets):
    return F.cross_entropy(output.flatten(0, -2) if output.dim() == 3 else output,
                           targets.flatten() if output.dim() == 3 else targets)


def images(size=16, count=4):
    return torch.randn(count, 3, size, size), torch.randint(10, (count,))


def words(length=16, count=4):
    return torch.randint(64, (count, length)), torch.randint(64, (count, length))


def pixels():
    return torch.randn(2, 3, 16, 16), torch.randint(2, (2, 16, 16))


# Name: the model, and what makes a batch.
MODELS = {
    "resnet": (ResNet, images),
    "mobilenet": (MobileNet, images),
    "unet": (UNet, pixels),
    "gpt": (Gpt, words),
    "bert": (Bert, words),
    "vit": (Vit, images),
    "llama": (Llama, words),
}
ALL = {**MODELS, "branches": (Branches, images)}


def make(name, seed=0):
    torch.manual_seed(seed)
    return ALL[name][0]()


def batch(name):
    return ALL[name][1]()
