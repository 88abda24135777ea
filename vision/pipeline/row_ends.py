"""Checks whether a photo shows that rows of a hand ending near its edge do not continue beyond it.

The detector often misses a tile that the edge of the photo cuts off, and the classifier cannot name
part of a tile. The table is recognised by its colour instead: where it is bare from the last tile
to the edge, no further tile is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from hupai.vision.geometry.boxes import areas, centres, sizes
from hupai.vision.layout.types import BlockKind, Layout
from hupai.vision.numeric import byte_quantiles
from hupai.vision.types import FloatArray, Image

_ENOUGH = 0.5
"""Share of a place that lies on the photo from which tile recovery has classified it."""
_APART = 1.6
"""Ratio to the median step from which a tile begins another row."""
_ALIKE = 20.0
"""Greatest distance between the colours of two pieces of the table, L*a*b* at 8 bits: of 17 places
without a tile, all but one are this close to the table beside them.
"""
_UNLIKE = 40.0
"""Least distance between the colours of tiles and table; a white table does not allow the check."""


def rows_end(image: Image, layout: Layout, reduction: float = 1.0) -> bool:
    """Return whether the photo shows that no row of a hand continues beyond its edge.

    Args:
        image: the upright photo, RGB.
        layout: its layout.
        reduction: pixels of the layout per pixel of `image`.
    """
    if not layout.arrangements:
        return False
    places = np.array(list(_places(layout)), np.float32).reshape(-1, 4) / np.float32(reduction)
    if not len(places):
        return False
    height, width = image.shape[:2]
    seen = np.clip(places, 0, np.array([width, height] * 2, np.float32))
    partly = areas(seen) < _ENOUGH * areas(places)
    hand = layout.detections.boxes[list(layout.arrangements[0].tiles)] / np.float32(reduction)
    tile = np.median([_colour(image, box) for box in hand], axis=0)
    return all(
        _bare(image, place, part, tile)
        for place, part in zip(places[partly], seen[partly], strict=True)
    )


def _places(layout: Layout) -> Iterator[FloatArray]:
    """Yield the box that a further tile would have beyond either end of each row."""
    for block in layout.arrangements[0].blocks:
        if len(block.tiles) > 1 and block.kind is not BlockKind.ADDED_KONG:
            boxes = layout.detections.boxes[list(block.tiles)]
            steps = np.diff(centres(boxes), axis=0)
            long = np.linalg.norm(steps, axis=1)
            breaks = np.nonzero(long > _APART * np.median(long))[0] + 1
            for row in np.split(np.arange(len(boxes)), breaks):
                if len(row) > 1:
                    yield boxes[row[0]] - np.tile(steps[row[0]], 2)
                    yield boxes[row[-1]] + np.tile(steps[row[-2]], 2)


def _bare(image: Image, place: FloatArray, seen: FloatArray, tile: FloatArray) -> bool:
    """Return whether the visible part of a place is bare table.

    It is if its colour is like the table's on one side of the row, and unlike the tiles'.
    """
    along = int((sizes(seen[None]) / sizes(place[None]))[0].argmax() == 0)
    if sizes(seen[None])[0, along] < 1:
        return False
    across = 1 - along
    size = seen[across + 2] - seen[across]

    def band(low: float, high: float) -> FloatArray:
        part = seen.copy()
        part[[across, across + 2]] = seen[across] + size * np.array([low, high], np.float32)
        return _colour(image, part)

    inside = band(0.25, 0.75)
    # A side of the row that is not on the photo is at distance NaN, which is not below any limit.
    beside = (np.linalg.norm(inside - band(*side)) for side in ((-0.75, -0.25), (1.25, 1.75)))
    bare = any(away < _ALIKE for away in beside)
    return bool(bare and np.linalg.norm(inside - tile) > _UNLIKE)


def _colour(image: Image, box: FloatArray) -> FloatArray:
    """Return the median colour in a box, L*a*b* at 8 bits; NaN outside of the photo."""
    x0, y0 = np.maximum(np.floor(box[:2]), 0).astype(int)
    x1, y1 = np.maximum(np.ceil(box[2:]), 0).astype(int)
    part = image[y0:y1, x0:x1]
    if not part.size:
        return np.full(3, np.nan, np.float32)
    pixels = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2LAB).astype(np.uint8)
    return byte_quantiles(pixels.reshape(-1, 3).T, 0.5)
