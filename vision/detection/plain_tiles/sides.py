"""Sides of tiles that a rectified view stretches until they look like blank white dragons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import NOTHING, PlainTileClassifier
from hupai.vision.geometry.boxes import sizes
from hupai.vision.types import Detections, FloatArray

MAX_NOTHING = 0.8
"""Probability that the photo shows no tile there above which a blank tile is dropped."""

MAX_NOTHING_BELOW = 0.3
"""The same for a box just below a tile, where its side is."""

MIN_SHARED_WIDTH = 0.5
"""Least width that a box and one above it have in common, as a share of the wider one."""

MAX_GAP = 0.35
"""Greatest distance of the lower edge of the upper box from the upper edge of the lower one, in
heights of the lower one.
"""


def shows_side(network: PlainTileClassifier, photo: Picture, seen: Detections) -> NDArray[np.bool_]:
    """Return which blank white dragons of a rectified view are not tiles on the photo, shape (n,).

    The view shows the table from straight above, so sides that face the camera are stretched to the
    shape of a tile. On the photo the plain-tile network sees them as they are.

    Args:
        network: distinguishes blank tiles and non-tiles.
        photo: the photo.
        seen: the n tiles found on the view, mapped to the photo.
    """
    found = np.zeros(len(seen), bool)
    blank = np.nonzero(seen.probabilities.argmax(1) == Tile.WHITE)[0]
    if len(blank):
        nothing = network.kinds(photo, seen.boxes[blank])[:, NOTHING]
        below = below_tiles(seen.boxes[blank], seen.boxes)
        found[blank] = nothing > np.where(below, MAX_NOTHING_BELOW, MAX_NOTHING)
    return found


def below_tiles(boxes: FloatArray, tiles: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) are where the side of one of the tiles (m, 4) would be seen."""
    left = np.maximum(boxes[:, None, 0], tiles[None, :, 0])
    right = np.minimum(boxes[:, None, 2], tiles[None, :, 2])
    wider = np.maximum(sizes(boxes)[:, None, 0], sizes(tiles)[None, :, 0])
    gap = np.abs(boxes[:, None, 1] - tiles[None, :, 3])
    near = gap < MAX_GAP * sizes(boxes)[:, None, 1]
    return np.asarray((near & (right - left > MIN_SHARED_WIDTH * wider)).any(1))
