"""Further looks at the hand of a photo whose first reading is not assured.

The networks' outputs depend on scale and direction. Shown only the part of the photo with the hand,
they may find and name other tiles than on the whole photo, and others again upside down. So what
one look misses or misreads, another may show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.picture import Region
from hupai.vision.geometry.boxes import areas, around, centres, corners, intersections, sizes
from hupai.vision.protocols import TileDetector
from hupai.vision.quads import ordered
from hupai.vision.types import CLEAR_FACE, Detections, FloatArray, Image, Reading

MIN_ASSURANCE = 0.8
"""Assurance of a reading (`hupai.vision.types.Reading`) from which no further look is taken."""

UPSIDE_DOWN = (True, False)
"""Whether the part is turned upside down: for each further look, until there are `enough`."""

MARGIN = 2.5
"""Space around the hand, longer sides of a tile: the first look may have missed some tiles."""

_SAME_TILE = 0.35
"""Share of a box covered by a tile outside the part from which the box shows that tile, cut off."""


def around_hand(reading: Reading, image: Image, reduction: float) -> Region | None:
    """Return the part of a photo that shows the hand read; None without a hand.

    Args:
        reading: what was read, in pixels of the photo.
        image: the photo, reduced.
        reduction: pixels of the photo per pixel of the image.
    """
    boxes = np.array([tile.box for tile in reading.tiles if tile.in_hand], np.float32) / reduction
    if not len(boxes):
        return None
    margin = MARGIN * float(np.median(sizes(boxes).max(1)))
    height, width = image.shape[:2]
    x0, y0 = np.maximum(boxes[:, :2].min(0) - margin, 0).astype(int).tolist()
    x1, y1 = np.minimum(np.ceil(boxes[:, 2:].max(0) + margin), (width, height)).astype(int).tolist()
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def look_again(
    detector: TileDetector, image: Image, region: Region, upside_down: bool, first: Detections
) -> Detections:
    """Detect the tiles of a part of an image again.

    Args:
        detector: the detector that found the tiles of the first look.
        image: the photo.
        region: the part.
        upside_down: whether the part is turned upside down.
        first: the tiles found on the whole image; those beyond the part are kept.

    Returns:
        The tiles of the image, in its pixels.
    """
    x0, y0, x1, y1 = region
    step = -1 if upside_down else 1
    part = np.ascontiguousarray(image[y0:y1, x0:x1][::step, ::step])
    corner = np.array(region[2:] if upside_down else region[:2], np.float32)
    seen = _on_image(detector.detect(part), corner, step)
    beyond = _beyond(first, region)
    low, low_beyond = (found.low_confidence or Detections.empty() for found in (seen, first))
    low = low.with_others(_beyond(low_beyond, region))
    whole = seen.only(~_shows(seen.boxes, beyond.boxes)).with_others(beyond)
    return replace(whole, low_confidence=low if len(low) else None)


def likelihood(reading: Reading) -> float:
    """Return the probability of the likeliest hand; 0 if no legal one is likely."""
    return reading.hands[0].probability if reading.hands else 0.0


def enough(readings: Sequence[Reading]) -> bool:
    """Return whether the looks that gave these readings suffice.

    They do if the likeliest reading is assured, if the last one has the same tiles in the hand as
    another, or if its tiles are all clear and too many for a hand.
    """
    best = max(readings, key=likelihood)
    hands = [sorted(t.tile for t in reading.tiles if t.in_hand) for reading in readings]
    return (
        best.assurance >= MIN_ASSURANCE
        or hands[-1] in hands[:-1]
        or _has_clearly_too_many(readings[-1])
    )


def _has_clearly_too_many(reading: Reading) -> bool:
    """Return whether all tiles of a photo are clear, but too many for a hand.

    If some were left out, the hand may be among them.
    """
    too_many = any(problem.code == "too_many_tiles" for problem in reading.problems)
    return too_many and all(t.in_hand and t.confidence >= CLEAR_FACE for t in reading.tiles)


def _beyond(found: Detections, region: Region) -> Detections:
    """Return those whose centres lie outside a part of the image."""
    middles = centres(found.boxes)
    inside = ((middles >= region[:2]) & (middles <= region[2:])).all(1)
    return found.only(np.asarray(~inside))


def _shows(boxes: FloatArray, tiles: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) show one of some tiles (m, 4), or a part of it."""
    covered = intersections(boxes, tiles).max(1, initial=0.0)
    return np.asarray(covered > _SAME_TILE * areas(boxes))


def _on_image(seen: Detections, corner: FloatArray, step: int) -> Detections:
    """Map what was seen on a part to the image; axes are modulo half a turn.

    Args:
        seen: the tiles, in pixels of the part.
        corner: where on the image the part's first corner lies, (x, y).
        step: -1 if the part is upside down, else 1.
    """
    boxes = around(corner + step * corners(seen.boxes))
    quads = ordered((corner + step * seen.quads).astype(np.float32), seen.axes)
    low = seen.low_confidence
    below = None if low is None else _on_image(low, corner, step)
    return seen.with_boxes(boxes.astype(np.float32), seen.axes, below, quads)
