"""Merges what is found on a photo with what is found on its negative.

Backs are found best on the photo itself, as the negative turns black ones into blank white tiles.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import areas, centres, distances, intersections, sizes
from hupai.vision.types import Detections, FloatArray

SAME_PLACE = 0.5
"""Distance of the centres of two boxes of one tile, shorter sides."""

MIN_INSIDE = 0.8
"""Share of a box within a larger one from which the larger one counts as drawn around it."""

LARGE = 1.5
"""Area, relative to the median, above which a box may be drawn around two tiles."""

PHOTO_SHARE = 0.25
"""Weight of the face that the photo itself shows, against that of its negative."""

COPIES = 4
"""Number of tiles of each face in a set."""

MAX_SURPLUS = 1 / 3
"""Greatest share of the faces of a black set that are copies beyond the fourth. The greatest on 268
rendered black hands is 0.21; two rows of dark backs, read on the negative, have 0.5 and 0.73.
"""


def shows_equal_faces(faces: Detections) -> bool:
    """Return whether more faces are equal than in a tile set, as with misread backs or circles."""
    names = faces.probabilities.argmax(1)
    counts = np.bincount(names[names < Tile.BACK])
    surplus = np.maximum(counts - COPIES, 0).sum()
    return bool(surplus > MAX_SURPLUS * counts.sum())


def with_faces_of_negative(seen: Detections, faces: Detections) -> Detections:
    """Combine the backs found on a photo with the faces found on its negative.

    Args:
        seen: the tiles found on the photo.
        faces: those found on the negative. Its backs are dropped, and so are blank tiles where the
            photo shows backs. A box around two tiles, whose edges the negative may hide, is
            replaced by the photo's tiles.
    """
    low, low_faces = (part.low_confidence or Detections.empty() for part in (seen, faces))
    low = low.only(_are(low, Tile.BACK))
    low = low.with_others(low_faces.only(~_are(low_faces, Tile.BACK)))
    backs = seen.only(_are(seen, Tile.BACK))
    open_tiles = seen.only(~_are(seen, Tile.BACK))
    faces = _with_pairs(_with_doubts(faces, open_tiles), open_tiles)
    blank = _are(faces, Tile.BACK) | _are(faces, Tile.WHITE)
    backs = backs.only(~_in_one_place(backs.boxes, faces.only(~blank).boxes))
    is_back = _are(faces, Tile.BACK) | (blank & _in_one_place(faces.boxes, backs.boxes))
    merged = faces.only(~is_back).with_others(backs)
    return replace(merged, low_confidence=low if len(low) else None)


def _with_doubts(faces: Detections, seen: Detections) -> Detections:
    """Mix what the photo itself shows into the distributions of faces found on the negative."""
    if not len(faces) or not len(seen):
        return faces
    distances = _distances(faces.boxes, seen.boxes)
    both = distances.min(1) < SAME_PLACE
    share = np.where(both, np.float32(PHOTO_SHARE), np.float32(0))[:, None]
    shown = seen.probabilities[distances.argmin(1)]
    return replace(faces, probabilities=(1 - share) * faces.probabilities + share * shown)


def _with_pairs(faces: Detections, seen: Detections) -> Detections:
    """Replace large boxes around several tiles of the photo by those tiles."""
    if not len(faces) or not len(seen):
        return faces
    area = areas(faces.boxes)
    inside = intersections(seen.boxes, faces.boxes) > MIN_INSIDE * areas(seen.boxes)[:, None]
    several = (inside.sum(0) > 1) & (area > LARGE * np.median(area))
    parts = np.asarray(inside[:, several].any(1))
    return faces.only(~several).with_others(seen.only(parts))


def _are(found: Detections, tile: Tile) -> NDArray[np.bool_]:
    return np.asarray(found.probabilities.argmax(1) == tile)


def _in_one_place(boxes: FloatArray, others: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n,) share their place with another box (m, 4), by their centres."""
    return np.asarray((_distances(boxes, others) < SAME_PLACE).any(1))


def _distances(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """Return the distances (n, m) of the centres of boxes (n, 4) and (m, 4), shorter sides."""
    apart = distances(centres(boxes), centres(others))
    short = np.minimum(sizes(boxes).min(1)[:, None], sizes(others).min(1)[None])
    return np.asarray(apart / short, np.float32)
