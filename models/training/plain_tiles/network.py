"""The network that classifies kinds of boxes from a close-up and a wide view."""

from __future__ import annotations

import torch
from torch import nn

KINDS = 4
"""Faces, blank tiles, backs and non-tiles, see `hupai.vision.detection.plain_tiles.classifier`."""


class _Trunk(nn.Module):
    """Convolutions over one of the views, pooled by mean and maximum."""

    def __init__(self, widths: tuple[int, int, int]) -> None:
        super().__init__()
        a, b, c = widths
        shapes = ((3, a, 5, 2), (a, b, 3, 2), (b, b, 3, 1), (b, c, 3, 2), (c, c, 3, 1))
        self.body = nn.Sequential()
        for inside, outside, kernel, stride in shapes:
            self.body.append(nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False))
            self.body.append(nn.BatchNorm2d(outside))
            self.body.append(nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features (n, 2 c) of views (n, 3, side, side)."""
        y = self.body(x)
        return torch.cat([y.mean((2, 3)), y.amax((2, 3))], 1)


class PlainTileNetwork(nn.Module):
    """Maps views (n, 6, side, side), RGB from 0 to 1, to logits (n, KINDS).

    The first three channels are the close-up. A layer over the features of both views compares
    them, for instance the colour of this tile with that of its neighbours.
    """

    def __init__(self, widths: tuple[int, int, int] = (20, 40, 72), between: int = 96) -> None:
        super().__init__()
        self.near, self.wide = _Trunk(widths), _Trunk(widths)
        self.between = nn.Linear(4 * widths[2], between)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(between, KINDS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the logits."""
        x = (x - 0.5) * 4.0
        features = torch.cat([self.near(x[:, :3]), self.wide(x[:, 3:])], 1)
        out: torch.Tensor = self.head(self.drop(torch.relu(self.between(features))))
        return out
