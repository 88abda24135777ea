"""Boxes of a view brought back to the photo, and matched with those that the photo showed first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.detection.rectify import RectifiedView
from hupai.vision.detection.suppression import cut_doubles
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.views import View
from hupai.vision.geometry.boxes import areas, centres, clipped, sizes
from hupai.vision.types import Detections, FloatArray, Image

MAX_UPRIGHT_ANGLE = float(np.radians(12))
"""Angle to the edges of a view beyond which a tile's box on the photo would be loose, radians."""

LOOSE_AREA = 1.2
"""Area, in lower quartiles, from which the box of a leaning tile is loose on a rectified view.

All tiles are of one size there, and axes may be wrong.
"""

MAX_AREA_GROWTH = 1.6
"""Factor by which a box may come back larger than the first pass had it; the first one is kept."""

SAME_TILE_DISTANCE = 0.25
"""Distance of middles, by the shorter side, up to which boxes of two passes are of one tile."""

UNCONFIRMED_DISTANCE = 0.5
"""Distance from all tiles of a view, by their shorter sides, from which a tile is unconfirmed."""


def far_from_all(points: FloatArray, boxes: FloatArray) -> NDArray[np.bool_]:
    """Tell which points (n, 2) lie in the middle of none of the boxes (m, 4)."""
    away = np.hypot(*np.moveaxis(points[:, None] - centres(boxes)[None], 2, 0))
    return np.asarray((away > UNCONFIRMED_DISTANCE * sizes(boxes).min(1)[None]).all(1))


def with_doubles_cut(found: BoxDetections, view: View, boxes: FloatArray) -> BoxDetections:
    """Cut boxes found on a view in two where the photo shows two tiles, with boxes (m, 4)."""
    cut, home = cut_doubles(found.boxes, view.to_view(centres(boxes)))
    return found if len(home) == len(found.boxes) else replace(found.only(home), boxes=cut)


def on_photo(view: View, seen: Detections, first: FloatArray, image: Image) -> Detections:
    """Bring what a view shows back to the photo, with the first boxes (m, 4) for loose ones."""
    back = within(view.boxes_to_photo(seen.boxes), image)
    same = _same_tile(back, first)
    keeps_first = (same >= 0) & _loose(seen, view)
    back[keeps_first] = first[same[keeps_first]]
    low = seen.low_confidence
    return seen.with_boxes(
        back,
        view.axes_to_photo(seen.axes, seen.boxes),
        None if low is None else on_photo(view, low, first, image),
    )


def _loose(seen: Detections, view: View) -> NDArray[np.bool_]:
    """Tell which tiles (n,) lie so askew on a view that their boxes come back too large."""
    leaning = np.abs(np.sin(2 * seen.axes)) > np.sin(2 * MAX_UPRIGHT_ANGLE)
    if isinstance(view, RectifiedView) and len(seen):
        area = areas(seen.boxes)
        leaning &= area > LOOSE_AREA * np.quantile(area, 0.25)
    return np.asarray(leaning)


def shrunk(boxes: FloatArray, first: FloatArray) -> FloatArray:
    """Replace boxes (n, 4) that grew too much by those (m, 4) that the first pass had."""
    same, out = _same_tile(boxes, first), boxes.copy()
    matched = np.nonzero(same >= 0)[0]
    grown = matched[areas(boxes[matched]) > MAX_AREA_GROWTH * areas(first[same[matched]])]
    out[grown] = first[same[grown]]
    return out


def _same_tile(boxes: FloatArray, others: FloatArray) -> NDArray[np.intp]:
    """Match each box (n, 4) with the nearest of others (m, 4); -1 where that is of another tile."""
    if len(others) == 0:
        return np.full(len(boxes), -1)
    distance = np.hypot(*np.moveaxis(centres(boxes)[:, None] - centres(others)[None], 2, 0))
    nearest = distance.argmin(1)
    reach = SAME_TILE_DISTANCE * sizes(others).min(1)[nearest]
    return np.where(distance.min(1) < reach, nearest, -1)


def within(boxes: FloatArray, image: Image) -> FloatArray:
    """Cut boxes (n, 4) off at the edges of the picture."""
    return clipped(boxes, image.shape[1], image.shape[0])
