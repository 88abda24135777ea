"""A second opinion on doubtful tiles: crops in which the tile stands upright or upside down.

The crop classifier names a tile in any direction, which takes much of what so small a network can
learn. This network is larger, and it sees each tile upright or upside down and at one size; where
the detector gives the outline, foreshortening is removed too. Its logits are averaged over both
ways up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import VIEW
from hupai.vision.detection.directions import directions
from hupai.vision.detection.onnx_session import open_network
from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray

ASPECT = 0.74
"""Width of a tile in heights; real ones have 0.69 to 0.8."""


EDGE = 0.05
"""Distance from the picture's edge at which a tile may be cut off, shorter sides of its box."""


def height_share(angles: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return a tile's height as a share of the longer side of its box.

    Args:
        angles: shape (n,), radians from upright.
    """
    cos, sin = np.abs(np.cos(angles)), np.abs(np.sin(angles))
    share: NDArray[np.float64] = 1 / np.maximum(ASPECT * cos + sin, ASPECT * sin + cos)
    return share


def upright_squares(boxes: NDArray[np.floating], axes: NDArray[np.floating]) -> NDArray[np.float64]:
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


def upright_places(
    boxes: NDArray[np.floating], half_axes: NDArray[np.floating], size: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the places around tiles that show each upright or upside down, not foreshortened.

    The box of a tile cut off by the picture's edge does not tell its shape; such tiles get the
    place of `upright_squares`.

    Args:
        boxes: shape (n, 4), pixels.
        half_axes: shape (n, 2, 2), half the length and half the width of each tile, pixels.
        size: width and height of the picture, pixels.

    Returns:
        Shape (n, 4, 2), pixels, as `Picture.straightened` takes them; for a tile seen from above
        they are those of `upright_squares`.
    """
    near = EDGE * sizes(boxes).min(1)[:, None]
    cut = ((boxes[:, :2] < near) | (boxes[:, 2:] > np.array(size) - near)).any(1)
    places = upright_squares(boxes, directions(half_axes))
    places[~cut] = _by_outline(boxes[~cut], half_axes[~cut])
    return places


def _by_outline(
    boxes: NDArray[np.floating], half_axes: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return the places (n, 4, 2) that half axes (n, 2, 2) of boxes (n, 4) give."""
    along, across = half_axes[:, 0] * VIEW, half_axes[:, 1] * (VIEW / ASPECT)
    # Mirrored faces would be other faces.
    mirrored = across[:, 0] * along[:, 1] < across[:, 1] * along[:, 0]
    across = np.where(mirrored[:, None], -across, across)
    corners = [-across - along, across - along, across + along, along - across]
    return np.asarray(centres(boxes)[:, None] + np.stack(corners, 1), np.float64)


class UprightClassifier:
    """The network that names upright crops; threads may share it."""

    def __init__(
        self, network: Path, temperature: float, threads: int = 0, providers: str | None = None
    ) -> None:
        """Open the network.

        Args:
            network: ONNX file; input (n, 3, crop, crop) as the classifier's, output logits (n, 44).
            temperature: by which its logits are divided.
            threads, providers: see `hupai.vision.detection.onnx_session.open_network`.
        """
        self._network = open_network(network, threads, providers)
        self._temperature = np.float32(temperature)

    def logits(self, crops: FloatArray) -> FloatArray:
        """Return calibrated logits (n, 44), the mean over both ways up.

        Args:
            crops: shape (2 n, 3, crop, crop), RGB from 0 to 1, of `upright_places` or
                `upright_squares`, and the same n upside down; n is at most
                `tile_classifier.MAX_DOUBTFUL`.
        """
        found: FloatArray = self._network.run(["logits"], {"crops": crops})[0]
        mean: FloatArray = found.reshape(2, len(crops) // 2, -1).mean(0) / self._temperature
        return mean
