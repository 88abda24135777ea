"""The network that gives a cropped tile its class distribution, its axis, and whether it is a red
five.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

CLASSES = 44
"""42 faces, the back, and "no tile"."""

INPUT = 64
"""Side of its input in pixels."""

AXIS = 2
"""Outputs for the axis; the last output, after them, is the log-odds of a red five."""

WIDTHS = (32, 48, 96, 192)
"""Channels of the stem and of the three stages."""

DEPTHS = (2, 2, 2)
"""Blocks in each stage; the first halves the resolution."""

State = dict[str, torch.Tensor]
"""The weights of a network, by name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a network.

    Attributes:
        widths: channels of the stem and of the three stages, shape (4,).
        depths: blocks in each stage, shape (3,).
    """

    widths: tuple[int, ...] = WIDTHS
    depths: tuple[int, ...] = DEPTHS

    def blocks(self) -> list[tuple[int, int, int]]:
        """Return input channels, output channels and stride of each block."""
        found = []
        for inside, outside, depth in zip(self.widths, self.widths[1:], self.depths, strict=False):
            found += [(inside, outside, 2)] + [(outside, outside, 1)] * (depth - 1)
        return found

    @classmethod
    def of(cls, state: State) -> Shape:
        """Return the form of the network that has these weights."""
        stem = len(state["stem.0.weight"])
        count = sum(name.endswith(".a.weight") for name in state)
        outputs = [len(state[f"body.{at}.a.weight"]) for at in range(count)]
        starts = [at for at in range(count) if f"body.{at}.shortcut.weight" in state]
        b, c, d = (outputs[at] for at in starts)
        two, three = starts[1:]
        return cls((stem, b, c, d), (two, three - two, count - three))


class _Block(nn.Module):
    """Two 3x3 convolutions with a shortcut (He et al., Deep Residual Learning, 2015)."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.a = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.an = nn.BatchNorm2d(outside)
        self.b = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn = nn.BatchNorm2d(outside)
        self.shortcut = (
            nn.Identity()
            if stride == 1 and inside == outside
            else nn.Conv2d(inside, outside, 1, stride, bias=False)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the block."""
        y = torch.relu(self.an(self.a(x)))
        y = self.bn(self.b(y))
        out: torch.Tensor = torch.relu(y + self.shortcut(x))
        return out


class CropClassifier(nn.Module):
    """Maps crops (n, 3, INPUT, INPUT), RGB from 0 to 1, to logits (n, 44), axes (n, 2), red (n,).

    An axis is the cosine and sine of twice its angle; red is the log-odds that a five is a red one.
    """

    def __init__(self, shape: Shape | None = None) -> None:
        """Make a network with random weights; by default of the shipped form."""
        super().__init__()
        shape = shape or Shape()
        a, d = shape.widths[0], shape.widths[-1]
        self.stem = nn.Sequential(
            nn.Conv2d(3, a, 5, 2, 2, bias=False), nn.BatchNorm2d(a), nn.ReLU()
        )
        self.body = nn.Sequential(*(_Block(*block) for block in shape.blocks()))
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(2 * d, CLASSES + AXIS + 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits, axes and the log-odds of a red five."""
        y = self.body(self.stem((x - 0.5) * 4.0))
        pooled = torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1)
        out = self.head(self.drop(pooled))
        return out[:, :CLASSES], out[:, CLASSES : CLASSES + AXIS], out[:, -1]


def load(network: CropClassifier, state: State) -> None:
    """Load weights; outputs that an older network lacks keep their initial weights.

    Raises:
        RuntimeError: if anything else has another shape.
    """
    own = network.state_dict()
    for name in ("head.weight", "head.bias"):
        if name in state and len(state[name]) < len(own[name]):
            own[name][: len(state[name])] = state[name]
            state = state | {name: own[name]}
    network.load_state_dict(state)


def from_file(path: Path) -> CropClassifier:
    """Make the network from a file of weights written by training."""
    state = torch.load(path, weights_only=True)
    network = CropClassifier(Shape.of(state))
    load(network, state)
    return network
