"""The network that gives a cropped tile its class distribution, its axis, and whether it is a red
five.
"""

from __future__ import annotations

import torch
from torch import nn

CLASSES = 44
"""42 faces, the back, and "no tile"."""

INPUT = 64
"""Side of its input in pixels."""

AXIS = 2
"""Outputs for the axis; the last output, after them, is the log-odds of a red five."""


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

    def __init__(self, widths: tuple[int, int, int, int] = (32, 48, 96, 192)) -> None:
        super().__init__()
        a, b, c, d = widths
        self.stem = nn.Sequential(
            nn.Conv2d(3, a, 5, 2, 2, bias=False), nn.BatchNorm2d(a), nn.ReLU()
        )
        shapes = ((a, b, 2), (b, b, 1), (b, c, 2), (c, c, 1), (c, d, 2), (d, d, 1))
        self.body = nn.Sequential(*(_Block(*shape) for shape in shapes))
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(2 * d, CLASSES + AXIS + 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return logits, axes and the log-odds of a red five."""
        y = self.body(self.stem((x - 0.5) * 4.0))
        pooled = torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1)
        out = self.head(self.drop(pooled))
        return out[:, :CLASSES], out[:, CLASSES : CLASSES + AXIS], out[:, -1]


def load(network: CropClassifier, state: dict[str, torch.Tensor]) -> None:
    """Load weights; outputs that an older network lacks keep their initial weights.

    Raises:
        RuntimeError: when anything else has another shape.
    """
    own = network.state_dict()
    for name in ("head.weight", "head.bias"):
        if name in state and len(state[name]) < len(own[name]):
            own[name][: len(state[name])] = state[name]
            state = state | {name: own[name]}
    network.load_state_dict(state)
