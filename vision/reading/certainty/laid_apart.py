"""Tiles that lie apart from the concealed row: sets that may be melds, and end tiles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, distances, sizes
from hupai.vision.layout.completeness import is_set
from hupai.vision.layout.rows import split
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.types import FloatArray

_MIN_ROW = 6
"""Least number of tiles of a row from which the steps to its end tiles are judged."""

_STEP_APART = 1.3
"""Ratio to the median step from which two tiles of a row are separated."""

_STEP_ON_ROW = 1.5
"""Ratio to the median step up to which two tiles are neighbours, even if one lies on the row."""

_ON_ROW = 0.3
"""Distance from the line through its neighbours from which a tile lies on top of the row, shorter
sides of a box.
"""

_NEXT_PLACE = 0.5
"""Distance from the next place of a row within which a tile continues it, shorter sides of a box.
"""

_OUT_OF_LINE = 0.75
"""Distance from the line through a row from which a tile is not part of it, shorter sides of a box.
"""


def end_apart(arrangement: Arrangement, boxes: FloatArray) -> float:
    """Measure how much wider the step to an end tile is than any other of the concealed row.

    Steps are compared with a line fitted to the logarithms of the inner ones, as perspective
    changes them along the row.

    Args:
        arrangement: the blocks of the hand.
        boxes: boxes (n, 4) of all detections, pixels.

    Returns:
        The excess in tenths of the widest other step; 0 if the winning tile is already apart.
    """
    if any(block.kind is BlockKind.WINNING_TILE for block in arrangement.blocks):
        return 0.0
    rows = [list(b.tiles) for b in arrangement.blocks if b.kind is BlockKind.CONCEALED]
    row = max(rows, key=len, default=[])
    if len(row) < _MIN_ROW:
        return 0.0
    steps = np.log(np.maximum(_steps(row, boxes), 1e-6))
    places = np.arange(len(steps))
    steps -= np.polynomial.Polynomial.fit(places[1:-1], steps[1:-1], 1)(places)
    wider = math.exp(max(steps[0], steps[-1]) - steps[1:-1].max()) - 1.0
    return max(10.0 * wider, 0.0)


def winner_out_of_line(arrangement: Arrangement, boxes: FloatArray) -> bool:
    """Return whether the winning tile lies beside the line through the concealed row.

    Args:
        arrangement, boxes: as for `end_apart`.
    """
    winning = [b.tiles[0] for b in arrangement.blocks if b.kind is BlockKind.WINNING_TILE]
    rows = [list(b.tiles) for b in arrangement.blocks if b.kind is BlockKind.CONCEALED]
    row = max(rows, key=len, default=[])
    if not winning or len(row) < 2:
        return False
    middles = centres(boxes[row])
    along = (middles[-1] - middles[0]) / max(float(np.linalg.norm(middles[-1] - middles[0])), 1e-6)
    aside = (centres(boxes[winning])[0] - middles[0]) @ np.array([-along[1], along[0]])
    narrow = np.median(sizes(boxes[row]).min(axis=1))
    return bool(abs(aside) > _OUT_OF_LINE * narrow)


def tile_on_row(arrangement: Arrangement, boxes: FloatArray) -> bool:
    """Return whether a concealed tile lies beside the line through its two neighbours in the row.

    It may lie on top of the row, and cover another tile.

    Args:
        arrangement, boxes: as for `end_apart`.
    """
    for block in arrangement.blocks:
        if block.kind is BlockKind.CONCEALED and len(block.tiles) >= _MIN_ROW:
            row = list(block.tiles)
            steps, middles = _steps(row, boxes), centres(boxes[row])
            narrow = np.median(sizes(boxes[row]).min(axis=1))
            beside = np.maximum(steps[:-1], steps[1:]) < _STEP_ON_ROW * np.median(steps)
            along = middles[2:] - middles[:-2]
            along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-6)
            offset = middles[1:-1] - middles[:-2]
            aside = np.abs(offset[:, 0] * along[:, 1] - offset[:, 1] * along[:, 0])
            if (beside & (aside > _ON_ROW * narrow)).any():
                return True
    return False


def row_continues(arrangement: Arrangement, boxes: FloatArray, others: Sequence[int]) -> bool:
    """Return whether one of other tiles continues the concealed row at one of its ends.

    Args:
        arrangement, boxes: as for `end_apart`.
        others: ids of these tiles.
    """
    rows = [list(b.tiles) for b in arrangement.blocks if b.kind is BlockKind.CONCEALED]
    row = max(rows, key=len, default=[])
    if len(row) < _MIN_ROW or not others:
        return False
    middles = centres(boxes[row])
    next_places = np.stack([2 * middles[0] - middles[1], 2 * middles[-1] - middles[-2]])
    narrow = np.median(sizes(boxes[row]).min(axis=1))
    away = distances(next_places, centres(boxes[list(others)]))
    return bool(away.min() < _NEXT_PLACE * narrow)


def sets_apart(arrangement: Arrangement, boxes: FloatArray, faces: Mapping[int, Tile]) -> int:
    """Count the sets among the concealed tiles that lie apart from the rest and may be melds.

    A part of the row counts if it consists of sets only. The longest part counts only if nothing
    but a single tile and the winning tile lies apart from it: its sets may then be melds.

    Args:
        arrangement, boxes: as for `end_apart`.
        faces: face of each tile of the hand by id.
    """
    won = any(block.kind is BlockKind.WINNING_TILE for block in arrangement.blocks)
    found = 0
    for block in arrangement.blocks:
        *apart, longest = _parts(block, boxes)
        alone = won and [len(part) for part in apart] == [1]
        for part in [longest] if alone else apart:
            shown = [faces[i] for i in part]
            if len(part) % 3 == 0 and all(is_set(shown[k : k + 3]) for k in range(0, len(part), 3)):
                found += len(part) // 3
    return found


def _parts(block: Block, boxes: FloatArray) -> list[tuple[int, ...]]:
    """Divide concealed tiles where they lie apart, the longest part last.

    Other blocks have a single, empty part.
    """
    if block.kind is not BlockKind.CONCEALED or len(block.tiles) < 2:
        return [()]
    steps = _steps(block.tiles, boxes)
    return sorted(split(block.tiles, steps > _STEP_APART * np.median(steps)), key=len)


def _steps(row: Sequence[int], boxes: FloatArray) -> FloatArray:
    """Return the distances between neighbours in a row, centre to centre, pixels."""
    steps: FloatArray = np.linalg.norm(np.diff(centres(boxes[list(row)]), axis=0), axis=1)
    return steps
