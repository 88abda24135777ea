"""A second look at the hand of a photo whose first reading is not assured.

Shown only the part of the photo with the hand, larger and upside down, the networks may find and
name other tiles than on the whole photo, as their outputs depend on scale and direction. So what
one look misses or misreads, another may show.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.picture import Region
from hupai.vision.geometry.boxes import areas, centres, intersections, sizes
from hupai.vision.protocols import TileDetector
from hupai.vision.quads import ordered
from hupai.vision.types import Detections, FloatArray, Image, Reading

MIN_ASSURANCE = 0.8
"""Assurance of a reading (`hupai.vision.types.Reading`) from which no second look is taken."""

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
    detector: TileDetector, image: Image, region: Region, first: Detections
) -> Detections:
    """Detect the tiles of a part of an image again, upside down.

    Args:
        detector: the detector that found the tiles of the first look.
        image: the photo.
        region: the part.
        first: the tiles found on the whole image; those beyond the part are kept.

    Returns:
        The tiles of the image, in its pixels.
    """
    x0, y0, x1, y1 = region
    part = np.ascontiguousarray(image[y0:y1, x0:x1][::-1, ::-1])
    seen = _turned_back(detector.detect(part), region)
    beyond = _beyond(first, region)
    low, low_beyond = (found.low_confidence or Detections.empty() for found in (seen, first))
    low = low.with_others(_beyond(low_beyond, region))
    whole = seen.only(~_shows(seen.boxes, beyond.boxes)).with_others(beyond)
    return replace(whole, low_confidence=low if len(low) else None)


def _beyond(found: Detections, region: Region) -> Detections:
    """Return those whose centres lie outside a part of the image."""
    middles = centres(found.boxes)
    inside = ((middles >= region[:2]) & (middles <= region[2:])).all(1)
    return found.only(np.asarray(~inside))


def _shows(boxes: FloatArray, tiles: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) show one of some tiles (m, 4), or a part of it."""
    covered = intersections(boxes, tiles).max(1, initial=0.0)
    return np.asarray(covered > _SAME_TILE * areas(boxes))


def _turned_back(seen: Detections, region: Region) -> Detections:
    """Map what was seen on a part, upside down, to the picture; axes are modulo half a turn."""
    corner = np.array(region[2:], np.float32)
    quads = ordered((corner - seen.quads).astype(np.float32), seen.axes)
    boxes = np.concatenate([corner - seen.boxes[:, 2:], corner - seen.boxes[:, :2]], 1)
    low = seen.low_confidence
    below = None if low is None else _turned_back(low, region)
    return seen.with_boxes(boxes.astype(np.float32), seen.axes, below, quads)
