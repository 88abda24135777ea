"""Standing and leaning tiles on photos whose table is rectified.

A rectified view shows what lies on the table; tiles that stand on it are stretched and sheared. A
hand that stands behind its melds and discards is therefore taken from the photo itself.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.rectified.view import RectifiedView
from hupai.vision.geometry.boxes import areas, centres, intersections, sizes
from hupai.vision.types import Detections, FloatArray

MIN_SCORE = 0.5
"""Score of the tiles by which a row is recognised."""

STANDING = 0.7
"""Misfit (`RectifiedView.misfits`) from which a tile does not lie on the table. On two rendered
pictures near tiles that lie have 0.03 to 0.25 and leaning ones 0.5 to 0.9; on two photos of tables/
standing ones have 0.76 to 1.65. Small tiles far away may have anything.
"""

LEANING = 0.4
"""Misfit from which a tile beside a standing one stands as well."""

MIN_ROW = 3
"""Least number of such tiles in a row: fewer may be boxes that are merely wrong."""

_BESIDE = 1.5
"""Distance of the centres of neighbours in a row, longer sides of a box."""

_COVERED = 0.35
"""Share of a box covered by standing tiles from which the box is taken to show them."""


def with_standing(
    named: Detections, seen: Detections, covered: NDArray[np.bool_], view: RectifiedView
) -> Detections:
    """Replace the detections of standing rows on a rectified view by those on the photo.

    Args:
        named: the tiles found on the view, mapped to the photo.
        seen: the n tiles found on the photo.
        covered: shape (n,), those that the view covers.
        view: the rectified view.
    """
    standing = seen.only(covered & standing_rows(seen, named, view))
    if not len(standing):
        return named
    low = named.low_confidence
    if low is not None:
        low = low.only(~_covered_by(low.boxes, standing.boxes))
    named = named.only(~_covered_by(named.boxes, standing.boxes))
    named = replace(named, low_confidence=low if low is not None and len(low) else None)
    return named.with_others(replace(standing, low_confidence=None))


def standing_rows(seen: Detections, named: Detections, view: RectifiedView) -> NDArray[np.bool_]:
    """Return which tiles are faces of standing rows, except rows that the view shows better.

    Args:
        seen: the n tiles found on the photo.
        named: the tiles found on the view, mapped to the photo. A row is left out if their scores
            have the greater sum.
        view: the rectified view.
    """
    faces = seen.probabilities.argmax(1) != Tile.BACK
    misfits = np.where(faces, view.misfits(seen.quads), 0.0)
    middles, size = centres(seen.boxes), sizes(seen.boxes).max(1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    beside = apart < _BESIDE * np.minimum(size[:, None], size[None])
    sure = (misfits > STANDING) & (seen.scores >= MIN_SCORE)
    standing, left = np.zeros(len(seen), bool), sure
    while left.any():
        row = np.arange(len(seen)) == left.argmax()
        while (more := ~row & (misfits > LEANING) & beside[row].any(0)).any():
            row |= more
        shown = named.scores[_covered_by(named.boxes, seen.boxes[row])].sum()
        if (row & sure).sum() >= MIN_ROW and seen.scores[row].sum() >= shown:
            standing |= row
        left = left & ~row
    return standing


def _covered_by(boxes: FloatArray, by: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) are covered by others (m, 4), by a share over `_COVERED`."""
    return np.asarray(intersections(boxes, by).sum(1) > _COVERED * areas(boxes))
