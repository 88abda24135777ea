"""A second opinion on doubtful tiles: crops turned upright by the tile's axis.

The crop classifier names a tile in any direction, which takes much of what so small a network can
learn. This network is larger, and it sees each tile upright or upside down, and at the same size.
Its logits are averaged over both.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import VIEW, stacked
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.detection.picture import Picture
from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray

ASPECT = 0.74
"""Width of a tile in heights; real ones have 0.69 to 0.8."""


def height_share(angles: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return a tile's height as a share of the longer side of its box.

    Args:
        angles: shape (n,), radians from upright.
    """
    cos, sin = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    share: NDArray[np.float64] = 1 / np.maximum(ASPECT * cos + sin, ASPECT * sin + cos)
    return share


def upright_squares(
    boxes: NDArray[np.floating], axes: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return the squares around tiles, turned so that the tiles are upright or upside down in them.

    Args:
        boxes: shape (n, 4), pixels.
        axes: shape (n,), directions of the upright axes modulo pi, radians.

    Returns:
        Shape (n, 4, 2), pixels, as `Picture.straightened` takes them; a side is `VIEW` times the
        height of the tile.
    """
    angles = axes - np.pi / 2
    half = sizes(boxes).max(1) * height_share(angles) * VIEW / 2
    cos, sin = np.cos(angles) * half, np.sin(angles) * half
    right, down = np.stack([cos, sin], 1), np.stack([-sin, cos], 1)
    corners = [-right - down, right - down, right + down, down - right]
    return np.asarray(centres(boxes)[:, None] + np.stack(corners, 1), np.float64)


class UprightClassifier:
    """The network that names upright crops; threads may share it."""

    def __init__(
        self, network: Path, temperature: float, threads: int = 0, providers: str | None = None
    ) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (n, 3, crop, crop), output logits (n, 44).
            temperature: by which its logits are divided.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)
        self._temperature = np.float32(temperature)
        self._crop: int = self._network.get_inputs()[0].shape[2]

    def logits(
        self, picture: Picture, boxes: FloatArray, axes: NDArray[np.floating]
    ) -> FloatArray:
        """Return calibrated logits (n, 44), the mean over both ways up.

        Args:
            picture: that shows the tiles.
            boxes: shape (n, 4), pixels; n is at most `tile_classifier.MAX_DOUBTFUL`.
            axes: shape (n,), directions of the upright axes modulo pi, radians.
        """
        crops = picture.straightened(upright_squares(boxes, axes), (self._crop, self._crop))
        both = stacked(np.concatenate([crops, np.rot90(crops, 2, (1, 2))]))
        found: FloatArray = self._network.run(["logits"], {"crops": both})[0]
        mean: FloatArray = found.reshape(2, len(boxes), -1).mean(0) / self._temperature
        return mean
