"""Boxes of the tiles of a row, completed to the row's edges.

A detector takes strokes for edges of tiles: it cuts 二 off a 2m, or finds the upper and the lower
circles of a 4p as two tiles. In a row, the upper edges of the boxes lie on one line and so do the
lower ones. A box that ends before a line, but has the width of its neighbours and begins on the
other line, is too short.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import centres, sizes
from hupai.vision.types import FloatArray

SAME_SIDE = 0.1
"""Greatest difference of the logarithms of the sides along the row of neighbours."""

TALL = 0.9
"""Least side across the row, relative to the upper quartile of the neighbours, of a whole tile."""

MIN_NEIGHBOURS = 2
"""Whole neighbours that determine the edges of a row."""

MAX_ALONG, MAX_ACROSS = 5.0, 0.7
"""Greatest distance of a neighbour, in sides of the neighbour along and across the row."""

ON_LINE = 0.1
"""Greatest distance of an edge from the row's, sides of the tile across the row."""

LEAST_PART, MOST_PART = 0.3, 0.8
"""Shares of a tile between which its part is extended. In turned rows the box of a sideways tile
has 0.85 of its neighbours' height or more.
"""

MAX_ROUNDS = 3
"""Maximum rounds; of several cut tiles side by side, the outer ones are completed first and are
whole neighbours for the inner ones in the next round.
"""


def completed(boxes: FloatArray, faces: NDArray[np.bool_]) -> tuple[FloatArray, NDArray[np.intp]]:
    """Extend boxes (n, 4) that are shorter than their rows.

    Args:
        boxes: of the tiles found, pixels.
        faces: shape (n,), those that show a face: below a back may be the tile's side.

    Returns:
        The boxes, and for each (n,) the nearest whole neighbour if it was extended, otherwise -1.
    """
    result, neighbours = boxes, np.full(len(boxes), -1)
    for _ in range(MAX_ROUNDS):
        before, result = result, result.copy()
        for along in (0, 1):
            for k, others in _rows(before, faces, along):
                extended = _extended(before[k], before[others], along)
                if extended is not None:
                    result[k] = extended
                    away = np.abs(centres(before[others]) - centres(before[[k]]))
                    neighbours[k] = others[away.sum(1).argmin()]
        if (result == before).all():
            break
    return result, neighbours


def _rows(
    boxes: FloatArray, faces: NDArray[np.bool_], along: int
) -> list[tuple[int, NDArray[np.intp]]]:
    """List boxes that are shorter than whole neighbours in a row, with these neighbours."""
    size, middle = sizes(boxes), centres(boxes)
    across = 1 - along
    alike = np.abs(np.log(size[:, None, along] / size[None, :, along])) < SAME_SIDE
    apart = np.abs(middle[:, None] - middle[None]) / size[None]
    alike &= (apart[..., along] < MAX_ALONG) & (apart[..., across] < MAX_ACROSS)
    alike &= faces[:, None] & faces[None]
    np.fill_diagonal(alike, False)
    found = []
    tallest = np.where(alike, size[None, :, across], 0.0).max(1, initial=0.0)
    short = (alike.sum(1) >= MIN_NEIGHBOURS) & (size[:, across] < MOST_PART * tallest)
    for k in np.nonzero(short)[0].tolist():
        others = np.nonzero(alike[k])[0]
        usual = np.quantile(size[others, across], 0.75)
        whole = others[size[others, across] > TALL * usual]
        if len(whole) >= MIN_NEIGHBOURS and size[k, across] < MOST_PART * usual:
            found.append((k, whole))
    return found


def _extended(box: FloatArray, whole: FloatArray, along: int) -> FloatArray | None:
    """Extend a box (4,) to the line of its neighbours (m, 4), if its other edge is on the other."""
    across = 1 - along
    place = (box[along] + box[along + 2]) / 2
    x = (whole[:, along] + whole[:, along + 2]) / 2 - place
    terms = np.stack([np.ones_like(x), x], 1)
    edges = whole[:, [across, across + 2]]
    lines = np.linalg.lstsq(terms, edges, rcond=None)[0]
    low, high = lines[0]
    side = high - low
    off = np.abs(terms @ lines - edges).max()
    if off > ON_LINE * side or box[across + 2] - box[across] < LEAST_PART * side:
        return None
    missing = np.array([box[across] - low, high - box[across + 2]]) / side
    if np.abs(missing).min() > ON_LINE or missing.max() < 1 - MOST_PART:
        return None
    result = box.copy()
    if missing[0] > missing[1]:
        result[across] = low
    else:
        result[across + 2] = high
    return result
