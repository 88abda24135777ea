"""The flower network, which classifies the eight flowers and seasons.

Tile sets differ in the pictures on their flowers and in the order of the numbers; only one small
character identifies a flower, and the networks for all faces see it too small to learn it. This
network sees flowers only, and sees them larger.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.crops import stacked
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.numeric import softmax
from hupai.vision.types import FloatArray

SIDE = 96
"""Side of the network's input, pixels."""

FLOWERS = slice(int(Tile.from_code("1h")), int(Tile.from_code("8h")) + 1)
"""Classes of the flowers; the network's outputs are in their order."""


class FlowerClassifier:
    """The network that names flowers; threads may share it."""

    def __init__(self, network: Path, threads: int = 0, providers: str | None = None) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (n, 3, SIDE, SIDE), RGB from 0 to 1, output logits (n, 8).
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)

    def logits(self, picture: Picture, places: NDArray[np.floating]) -> FloatArray:
        """Return logits (n, 8), the mean over both ways up.

        Args:
            picture: that shows the tiles.
            places: shape (n, 4, 2), pixels, see `hupai.vision.detection.upright.upright_places`.
        """
        crops = picture.straightened(places, (SIDE, SIDE))
        both = stacked(np.concatenate([crops, np.rot90(crops, 2, (1, 2))]))
        found: FloatArray = self._network.run(["logits"], {"crops": both})[0]
        mean: FloatArray = found.reshape(2, len(crops), -1).mean(0)
        return mean


def combined_flower_logits(by_faces: FloatArray, by_flowers: FloatArray) -> FloatArray:
    """Add the logits (n, 8) of two classifiers, but keep the first one's probability of a flower.

    Args:
        by_faces: calibrated logits of the networks for all faces.
        by_flowers: logits of the flower network.

    Returns:
        Logits (n, 8) with the same total probability as `by_faces`.
    """
    total = np.log(np.exp(by_faces).sum(1, keepdims=True))
    shares = softmax(by_faces + by_flowers)
    combined: FloatArray = total + np.log(np.maximum(shares, 1e-9))
    return combined
