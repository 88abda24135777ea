"""A second opinion on doubtful tiles: crops in which the tile stands upright or upside down.

The crop classifier names tiles in any direction, which takes up much of the capacity of so small a
network. This network is larger, and it sees each tile upright or upside down and at one size; if
the detector gives the outline, foreshortening is removed too. Its logits are averaged over both
ways up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.crops import VIEW, mean_of_both
from hupai.vision.detection.directions import directions
from hupai.vision.detection.onnx_session import Network
from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray

ASPECT = 0.74
"""Ratio of a tile's width to its height; real ones have 0.69 to 0.8."""

EDGE = 0.05
"""Distance from the picture's edge at which a tile may be cut off, shorter sides of its box."""


def height_share(angles: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return tiles' heights (n,) as shares of the longer sides of their boxes.

    Angles (n,) are those from upright, radians.
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
    return _around(boxes, np.stack([cos, sin], 1), np.stack([-sin, cos], 1))


def cut_off(boxes: NDArray[np.floating], size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) touch the edge of a picture of this width and height, pixels."""
    near = EDGE * sizes(boxes).min(1)[:, None]
    cut = (boxes[:, :2] < near) | (boxes[:, 2:] > np.array(size) - near)
    return np.asarray(cut.any(1))


def upright_places(
    boxes: NDArray[np.floating], half_axes: NDArray[np.floating], size: tuple[int, int]
) -> NDArray[np.float64]:
    """Return the places around tiles that show each upright or upside down, not foreshortened.

    They are those of `upright_squares` for a tile seen from above, and for one cut off by the
    picture's edge, as its box does not show its shape.

    Args:
        boxes: shape (n, 4), pixels.
        half_axes: shape (n, 2, 2), half the length and half the width of each tile, pixels.
        size: width and height of the picture, pixels.

    Returns:
        Shape (n, 4, 2), pixels, as `Picture.straightened` takes them.
    """
    cut = cut_off(boxes, size)
    places = upright_squares(boxes, directions(half_axes))
    along, across = half_axes[~cut, 0] * VIEW, half_axes[~cut, 1] * (VIEW / ASPECT)
    # A mirrored crop would show another face.
    mirrored = across[:, 0] * along[:, 1] < across[:, 1] * along[:, 0]
    places[~cut] = _around(boxes[~cut], np.where(mirrored[:, None], -across, across), along)
    return places


def _around(
    boxes: NDArray[np.floating], right: NDArray[np.floating], down: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return the parallelograms (n, 4, 2) around the middles of boxes, by their half sides."""
    corners = np.stack([-right - down, right - down, right + down, down - right], 1)
    return np.asarray(centres(boxes)[:, None] + corners, np.float64)


class UprightClassifier:
    """The network that names upright crops; threads may share it."""

    def __init__(self, network: Network, temperature: float) -> None:
        """Name upright crops.

        Args:
            network: input (n, 3, crop, crop) as the classifier's, output logits (n, 44).
            temperature: by which its logits are divided.
        """
        self._network, self._temperature = network, np.float32(temperature)

    def logits(self, crops: FloatArray) -> FloatArray:
        """Return calibrated logits (n, 44), the mean over both ways up.

        Args:
            crops: shape (2 n, 3, crop, crop), RGB from 0 to 1, of `upright_places` or
                `upright_squares`, and the same n upside down; n is at most
                `tile_classifier.MAX_DOUBTFUL`.
        """
        (found,) = self._network.run(["logits"], {"crops": crops})
        return np.asarray(mean_of_both(found) / self._temperature)
