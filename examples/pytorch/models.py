# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models with what makes large ones hard: batch norm, in-place
activations, skips, dropout, attention, recurrence."""
import torch
from torch import nn
from torch.nn import functional as F


class ResidualBlock(nn.Module):
    def __init__(self, before, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = None
        if stride != 1 or before != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, channels, 1, stride, bias=False),
                nn.BatchNorm2d(channels))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.shortcut is None else self.shortcut(x)
        return self.relu(y)


class ResNet18(nn.Module):
    """He et al. 2015, with fewer channels and no reduction at its start, which
    is for large images."""

    def __init__(self, width=4, classes=10):
        super().__init__()
        layers = [nn.Conv2d(3, width, 3, padding=1, bias=False),
                  nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        before = width
        for stage in range(4):
            channels = width << stage
            for block in range(2):
                stride = 2 if stage and not block else 1
                layers.append(ResidualBlock(before, channels, stride))
                before = channels
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(before, classes)

    def forward(self, x):
        return self.head(self.layers(x).mean((2, 3)))


class UNet(nn.Module):
    """Ronneberger et al. 2015, with batch norm."""

    def __init__(self, width=4, depth=3, classes=2):
        super().__init__()

        def block(before, channels):
            return nn.Sequential(
                nn.Conv2d(before, channels, 3, padding=1),
                nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.BatchNorm2d(channels), nn.ReLU(inplace=True))

        sizes = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(
            block(a, b) for a, b in zip([3] + sizes, sizes))
        self.rise = nn.ModuleList(
            nn.ConvTranspose2d(b, a, 2, 2)
            for a, b in zip(sizes[-2::-1], sizes[:0:-1]))
        self.up = nn.ModuleList(
            block(2 * a, a) for a in sizes[-2::-1])
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        skips = []
        for i, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if i else x)
            skips.append(x)
        for rise, block, skip in zip(self.rise, self.up, skips[-2::-1]):
            x = block(torch.cat([skip, rise(x)], 1))
        return self.head(x)


class TransformerEncoder(nn.Module):
    """Embedding, layers with dropout, and a class for each token."""

    def __init__(self, words=50, width=32, heads=4, layers=4, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, dropout,
                                       activation="gelu", batch_first=True)
            for _ in range(layers))
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x).transpose(1, 2)


class LSTM(nn.Module):
    """Two layers of cells, unrolled: a graph of many small nodes."""

    def __init__(self, words=20, width=16, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.cells = nn.ModuleList(
            nn.LSTMCell(width, width) for _ in range(layers))
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        states = [None] * len(self.cells)
        rows = []
        for x in self.embedding(tokens).unbind(1):
            for i, cell in enumerate(self.cells):
                states[i] = cell(x, states[i])
                x = states[i][0]
            rows.append(self.head(x))
        return torch.stack(rows, 2)


def resnet18():
    return (ResNet18(), torch.randn(16, 3, 32, 32), torch.arange(16) % 10)


def unet():
    return (UNet(), torch.randn(4, 3, 48, 48),
            torch.randint(2, (4, 48, 48)))


def transformer():
    tokens = torch.randint(50, (8, 32))
    return TransformerEncoder(), tokens, tokens.roll(1, 1)


def lstm():
    tokens = torch.randint(20, (32, 12))
    return LSTM(), tokens, tokens.roll(-1, 1)


MODELS = {f.__name__: f for f in (resnet18, unet, transformer, lstm)}


def make(name, seed=1):
    """The model `name`, its loss, an input and a target; always the same."""
    torch.manual_seed(seed)
    module, x, target = MODELS[name]()
    return module.train(), F.cross_entropy, x, target
