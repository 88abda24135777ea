"""Standing and leaning tiles on photos whose table is rectified.

A rectified view shows what lies on the table; tiles that stand on it are stretched and sheared. A
standing row is therefore recognised on the photo and detected again on a view of its own plane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.rectified.view import RectifiedView
from hupai.vision.geometry.boxes import areas, centres, distances, intersections, sizes
from hupai.vision.geometry.table_plane import MIN_TILES, table_plane
from hupai.vision.types import Detections, FloatArray

Find = Callable[[RectifiedView], Detections]
"""Finds and names the tiles on a view; boxes in pixels of the photo."""

MIN_SCORE = 0.5
"""Score of the tiles by which a row is recognised."""

MISFIT = 0.2
"""Misfit (`RectifiedView.misfits`) from which a tile may stand. Nearby lying tiles have 0.03 to
0.25, and standing ones 0.2 to 1.7: from a low camera a standing row tilts the estimated table plane
towards its own. Small tiles far away may have any value.
"""

ROW_MISFIT = 0.3
"""Mean misfit from which the sure tiles of a row may stand."""

MIN_ROW = 3
"""Least number of sure tiles in a row: fewer may be boxes that are merely wrong."""

_BESIDE = 1.5
"""Greatest distance between the centres of neighbours in a row, longer sides of a box."""

_COVERED = 0.35
"""Share of a box covered by standing tiles from which the box is taken to show them."""

_IN_LINE = 0.5
"""Greatest distance of a tile from the middle line of its row, tile widths."""


def with_standing(
    named: Detections,
    seen: Detections,
    covered: NDArray[np.bool_],
    view: RectifiedView,
    search: Callable[[Detections], Detections],
) -> Detections:
    """Replace the detections of standing rows on a rectified view by better ones.

    A row is searched again, and then replaces what the view of the table shows in its place, if its
    tiles have a higher mean score (not sum, as the view may show more boxes, around parts of
    tiles): lying rows score less on the photo. Tiles found beyond the row are kept only where the
    view shows none.

    Args:
        named: the tiles found on the view, mapped to the photo.
        seen: the n tiles found on the photo.
        covered: shape (n,), those that the view covers.
        view: the rectified view of the table.
        search: detects the tiles of a row again, see `searched`.
    """
    for row in standing_rows(seen, view):
        if not covered[row].all() or not _scores_more(seen.only(row), named):
            continue
        standing = search(seen.only(row))
        beyond = ~_covered_by(standing.boxes, seen.boxes[row])
        standing = standing.only(~(beyond & _covered_by(standing.boxes, named.boxes)))
        if not _scores_more(standing, named):
            continue
        shown = _covered_by(named.boxes, standing.boxes)
        low = named.low_confidence
        if low is not None:
            low = low.only(~_covered_by(low.boxes, standing.boxes))
        named = replace(named, low_confidence=low if low is not None and len(low) else None)
        named = named.only(~shown).with_others(replace(standing, low_confidence=None))
    return named


def standing_rows(seen: Detections, view: RectifiedView) -> Iterator[NDArray[np.intp]]:
    """Yield the tiles of each standing row, as indices.

    Args:
        seen: the tiles found on the photo.
        view: the rectified view of the table.
    """
    faces = seen.probabilities.argmax(1) != Tile.BACK
    misfits = np.where(faces, view.misfits(seen.quads), 0.0)
    middles, size = centres(seen.boxes), sizes(seen.boxes).max(1)
    apart = distances(middles, middles)
    beside = apart < _BESIDE * np.minimum(size[:, None], size[None])
    may_stand = misfits > MISFIT
    sure = may_stand & (seen.scores >= MIN_SCORE)
    left = sure
    while left.any():
        row = np.arange(len(seen)) == left.argmax()
        while (more := ~row & may_stand & beside[row].any(0)).any():
            row |= more
        if (row & sure).sum() >= MIN_ROW and misfits[row & sure].mean() > ROW_MISFIT:
            yield np.nonzero(row)[0]
        left = left & ~row


def _scores_more(row: Detections, named: Detections) -> bool:
    """Return whether a row's mean score is at least that of what a view shows in its place."""
    shown = _covered_by(named.boxes, row.boxes)
    return not shown.any() or bool(row.scores.mean() >= named.scores[shown].mean())


def searched(row: Detections, photo: Picture, find: Find) -> Detections:
    """Detect the tiles of a standing row again, on a view of its plane.

    Args:
        row: its tiles as found on the photo.
        photo: the photo.
        find: finds and names the tiles on a view.

    Returns:
        The tiles on the view that are in line with the row; the row itself if it is too short to
        determine a plane, or if they score less in total.
    """
    sure = row.scores >= MIN_SCORE
    if sure.sum() < MIN_TILES:
        return row
    boxes, axes = row.boxes.astype(np.float64), row.axes.astype(np.float64)
    plane = table_plane(boxes[sure], axes[sure], photo.size)
    view = RectifiedView.on_plane(photo, boxes, plane)
    if view is None:
        return row
    found = find(view)
    found = found.only(_in_line(view, centres(found.boxes), centres(row.boxes)))
    return found if found.scores.sum() > row.scores.sum() else row


def _in_line(view: RectifiedView, points: FloatArray, row: FloatArray) -> NDArray[np.bool_]:
    """Return which points (n, 2) of the photo are in line with a row (m, 2) on its view."""
    places, line = view.to_view(points), view.to_view(row)
    middle = line.mean(0)
    across = np.linalg.svd(line - middle)[2][1]
    return np.asarray(np.abs((places - middle) @ across) < _IN_LINE * view.tile_width)


def _covered_by(boxes: FloatArray, by: FloatArray) -> NDArray[np.bool_]:
    """Return which boxes (n, 4) are covered by others (m, 4), by a share over `_COVERED`."""
    return np.asarray(intersections(boxes, by).sum(1) > _COVERED * areas(boxes))
