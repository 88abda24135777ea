"""The network that classifies kinds of boxes from a close-up and a wide view."""

from __future__ import annotations

import re
from pathlib import Path

import onnx
import torch
from torch import nn

from hupai.models.training.onnx_weights import stored_weights

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


def from_onnx(file: Path) -> PlainTileNetwork:
    """Return the network of an exported file, for further training.

    The export folded the normalisations into the convolutions, so here they only add the bias and
    must stay frozen: call `freeze_normalisations` after each `train()`.

    Raises:
        ValueError: if the file holds a network of another form.
    """
    network = PlainTileNetwork()
    graph = onnx.load(file).graph
    stored = stored_weights(graph)
    convolutions = [m for m in network.modules() if isinstance(m, nn.Conv2d)]
    norms = [m for m in network.modules() if isinstance(m, nn.BatchNorm2d)]
    # By name, such as /near/body/body.5/Relu_output_0: both trunks may be interleaved.
    nodes = sorted(
        (node for node in graph.node if node.op_type == "Conv"),
        key=lambda node: [int(part) if part.isdigit() else part
                          for part in re.split(r"(\d+)", node.output[0])],
    )  # fmt: skip
    if len(nodes) != len(convolutions):
        raise ValueError(f"{file} is no plain-tile network: {len(nodes)} convolutions")
    parts = [(network.between.weight, "between.weight"), (network.between.bias, "between.bias"),
             (network.head.weight, "head.weight"), (network.head.bias, "head.bias")]  # fmt: skip
    for convolution, norm, node in zip(convolutions, norms, nodes, strict=True):
        parts += [(convolution.weight, node.input[1]), (norm.bias, node.input[2])]
        norm.running_var.data.fill_(1 - norm.eps)
    for parameter, name in parts:
        if name not in stored or stored[name].shape != tuple(parameter.shape):
            raise ValueError(f"{file} is no plain-tile network: its {name} differs")
        parameter.data.copy_(torch.from_numpy(stored[name]))
    return network


def freeze_normalisations(network: nn.Module) -> None:
    """Let the normalisations keep their statistics while the rest is trained."""
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.eval()
