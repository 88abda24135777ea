"""Places where a row of the hand has room for a tile that the detector may have overlooked.

What a light bleaches, what is blank, and a back on a cloth of its colour give no box at all; asked
about the very place, the network that names tiles often knows them. Places are proposed in the gaps
between the pieces of a hand that is not complete, and beyond their ends, and beside what may lack
the back of a kong; whoever has the photo may ask (`hupai.vision.protocols.RegionClassifier`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.layout.hand_search import Selection
from hupai.vision.layout.owner_frame import Framed
from hupai.vision.layout.rows import turned
from hupai.vision.types import FloatArray

_LINKED = -2.0
"""Pieces beside the hand count where they are linked to it by log-odds of this and more: the open
part of a kong.
"""
_LEAST_GAP = 0.75
"""Free space that has room for a tile, tile widths; boxes are loose."""
_BEYOND = 6
"""So many tiles may have been overlooked at an end of a row."""
_STEP = 0.5
"""Places follow each other by this share of a tile: a gap between groups may come first, of unknown
width.
"""
_TAKEN = 0.6
"""No tile lies nearer to another than this, tile widths."""
_SAME = 0.3
"""Places nearer to each other than this are one."""
_MOST = 60
"""So many places are proposed at most, those next to a tile first."""


def missing_tile_boxes(
    chosen: Selection, field: Ground, clear: frozenset[int] = frozenset()
) -> FloatArray:
    """Boxes (n, 4), pixels, of upright tiles where the rows of a hand have room for some.

    Args:
        chosen: the hand as found.
        field: the tiles of the photo on the table as it lies for that hand.
        clear: ids of those among them that are no tiles by themselves, but were clearly seen when
            asked about.
    """
    b = chosen.table.bearing
    c, s = math.cos(b.phi), math.sin(b.phi)
    taken = np.column_stack(turned(field.places, b.phi))
    places: list[tuple[float, float]] = []
    seen = taken[[k for k, spot in enumerate(field.spots) if spot.id in clear and spot.back > 0.5]]
    steps = (
        _beside_kongs(chosen)
        if chosen.complete
        else chain(_beside(seen, 1 + b.usual), _steps(chosen))
    )
    for _, along, across in sorted(steps, key=lambda step: step[0]):
        there = np.array([along, across])
        if np.hypot(*(taken - there).T).min() > _TAKEN and all(
            np.hypot(*(there - p)) > _SAME for p in places
        ):
            places.append((along, across))
    if not places:
        return np.zeros((0, 4), np.float32)
    found = np.array(places[:_MOST])
    own = [k for i in chosen.chosen for k in chosen.table.pieces[i].places]
    return _boxes(
        field,
        found @ np.array([[c, s], [-s, c]]),
        b.phi + math.pi / 2,
        float(np.median(b.sizes[own])),
    )


def incomplete_kongs(chosen: Selection) -> tuple[int, ...]:
    """Pieces of a hand that are a concealed kong of which a tile was overlooked: three tiles, some
    face down, the others alike.
    """
    pieces = chosen.table.pieces
    return tuple(
        i
        for i in chosen.chosen
        if len(pieces[i].tiles) == 3 and _may_be_kong({t.face for t in pieces[i].tiles})
    )


def pairs_with_gap(framed: Framed) -> tuple[tuple[int, int], ...]:
    """Ids of neighbours in the rows of a hand between which there is room for one more tile.

    Between groups that is as usual. Between concealed tiles a bleached one may lie there, of a meld
    whose other tiles then pass for concealed ones.
    """
    pairs = (pair for line in framed.lines for pair in pairwise(line))
    return tuple((left.spot.id, right.spot.id) for left, right in pairs if left.gap > _LEAST_GAP)


def open_pungs_without_fourth(chosen: Selection) -> tuple[int, ...]:
    """Pieces of a hand that are three open tiles of one kind, none of them sideways: a fourth may
    lie beside them face down.

    A cloth passes for a back now and then, so that one counts only where it is seen clearly
    (decision 56).
    """
    pieces, b = chosen.table.pieces, chosen.table.bearing
    three = (
        i
        for i in chosen.chosen
        if len(pieces[i].tiles) == 3 and len({t.face for t in pieces[i].tiles}) == 1
    )
    return tuple(
        i
        for i in three
        if all(b.sideways[k] <= 0 for k in pieces[i].places)
        and pieces[i].tiles[0].face != Tile.BACK
    )


def _may_be_kong(faces: set[Tile]) -> bool:
    return Tile.BACK in faces and len(faces) < 3


def _beside_kongs(chosen: Selection) -> Iterator[tuple[float, float, float]]:
    """As `_steps`, the places next to `incomplete_kongs` and `open_pungs_without_fourth` alone."""
    b = chosen.table.bearing
    for i in (*incomplete_kongs(chosen), *open_pungs_without_fourth(chosen)):
        places = sorted(chosen.table.pieces[i].places, key=lambda k: b.along[k])
        for k, sign in ((places[0], -1), (places[-1], 1)):
            yield 0.0, float(b.along[k] + sign * (b.half[k, 0] + b.usual + 0.5)), float(b.across[k])


def _beside(places: Array, step: float) -> Iterator[tuple[float, float, float]]:
    """As `_steps`, the places on both sides of backs (n, 2) that were overlooked: those of a kong
    lie side by side.
    """
    for along, across in places.tolist():
        yield 0.0, along - step, across
        yield 0.0, along + step, across


def _steps(chosen: Selection) -> Iterator[tuple[float, float, float]]:
    """How many tiles from the next one, and where in the bearing's frame, each place lies."""
    table, b = chosen.table, chosen.table.bearing
    near = set(chosen.chosen)
    near.update(
        j
        for pair, odds in table.links.items()
        if odds > _LINKED
        for i, j in (pair, pair[::-1])
        if i in chosen.chosen
    )
    lines: dict[int, list[int]] = {}
    for i in near:
        lines.setdefault(table.lines[i], []).extend(table.pieces[i].places)
    step = 1.0 + b.usual
    for line in lines.values():
        order = sorted(line, key=lambda k: b.along[k])
        upright = [k for k in order if b.sideways[k] <= 0] or order
        level = {
            k: b.across[min(upright, key=lambda u: abs(b.along[u] - b.along[k]))] for k in order
        }
        low, high = (
            float(b.along[k] + sign * b.half[k, 0]) for k, sign in ((order[0], -1), (order[-1], 1))
        )
        for n in np.arange(0, _BEYOND - _STEP / 2, _STEP).tolist():
            yield n, low - b.usual - 0.5 - n * step, level[order[0]]
            yield n, high + b.usual + 0.5 + n * step, level[order[-1]]
        for k, m in pairwise(order):
            start, end = float(b.along[k] + b.half[k, 0]), float(b.along[m] - b.half[m, 0])
            for n in np.arange(0, (end - start - b.usual) / step - _LEAST_GAP, _STEP).tolist():
                yield n, start + b.usual + 0.5 + n * step, level[k]
                yield n, end - b.usual - 0.5 - n * step, level[m]


def _boxes(field: Ground, places: Array, axis: float, size: float) -> FloatArray:
    """Boxes on the photo of tiles at places (n, 2) of the table with their upright axis in one
    direction, `size` the logarithm of their size as a share of the usual.
    """
    seen = np.column_stack([places, np.ones(len(places))]) @ np.linalg.inv(field.plane.homography).T
    near = seen[:, 2] > 0
    centres = seen[near, :2] / seen[near, 2:]
    half = field.plane.sides(centres, axis) * math.exp(size) / 2
    out: FloatArray = np.concatenate([centres - half, centres + half], 1).astype(np.float32)
    return out
