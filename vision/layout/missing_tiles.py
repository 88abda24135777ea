"""Proposes boxes where the detector may have missed a tile of the hand.

Glare, blank faces, and backs on a cloth of their colour may yield no box at all, but the tile
classifier often recognises them when given a box. Boxes are proposed in the gaps of an incomplete
hand's rows, beyond the rows' ends, and beside tiles that may be a concealed kong with one back
missed. The caller classifies them (`hupai.vision.protocols.RegionClassifier`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from statistics import median

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import areas, centres, distances, intersections
from hupai.vision.geometry.placement import Placement
from hupai.vision.geometry.table_plane import box_sides
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.layout.hand_search import Selection
from hupai.vision.layout.owner_frame import OwnerFrame
from hupai.vision.layout.rows import SET_GAP, TILE_GAP, rotated, split
from hupai.vision.layout.segment_features import SURE_FACE, WEAK_SCORE
from hupai.vision.types import FloatArray

_MAX_BEYOND_END = 6
"""Maximum number of tiles that may have been missed at an end of a row."""
_STEP = 0.5
"""Distance between proposed places, in tiles, as a gap of unknown width may precede a missing tile;
also the minimum distance of a place from a detected tile, centre to centre, tile widths.
"""
_MAX_PLACES = 24
"""Maximum number of places proposed; those next to a tile come first."""
_MAX_TAKEN = 0.5
"""Share of a proposed box that a sure tile may cover; in a row at 45 degrees it is a third."""

_Position = tuple[float, float, float]
"""Distance to the next tile in tiles, and the place along and across in the row frame."""


def missing_tile_boxes(chosen: Selection, table: Placement) -> FloatArray:
    """Propose boxes (n, 4), pixels, of upright tiles where the rows of a hand have room.

    Args:
        chosen: the hand found.
        table: all tiles of the photo.
    """
    frame, ground = chosen.graph.frame, table.ground
    tiles = np.column_stack(rotated(ground.places, frame.phi))
    if chosen.candidate.complete:
        positions: Iterable[_Position] = _positions_beside_kongs(chosen)
    else:
        backs = table.clear & (ground.backs > 0.5)
        # Backs of a kong lie side by side.
        beside = (
            (0.0, along + step, across)
            for along, across in tiles[backs].tolist()
            for step in (-1 - frame.contact_gap, 1 + frame.contact_gap)
        )
        positions = chain(beside, _gap_positions(chosen))
    ranked = np.array([place[1:] for place in sorted(positions, key=itemgetter(0))]).reshape(-1, 2)
    places: list[Array] = []
    for place in ranked[distances(ranked, tiles).min(1) > _STEP]:
        if not places or distances(place[None], np.array(places)).min() > SET_GAP:
            places.append(place)
        if len(places) == _MAX_PLACES:
            break
    boxes = _boxes(chosen, ground, np.array(places).reshape(-1, 2))
    # If a sure tile covers most of the visible part of a box, that tile would be found again.
    on_photo = boxes if table.size is None else np.clip(boxes, 0, np.tile(table.size, 2))
    taken = intersections(on_photo, _sure_boxes(ground)).max(1, initial=0.0)
    free: FloatArray = boxes[taken < np.maximum(_MAX_TAKEN * areas(on_photo), 1e-6)]
    return free


def _sure_boxes(ground: Ground) -> Array:
    """Return the boxes (n, 4) of detections with a high score and a sure face.

    Others may hold two tiles, or part of the missing one.
    """
    sure = (ground.scores >= WEAK_SCORE) & (ground.odds >= SURE_FACE)
    middles, half = ground.middles[sure], np.exp(ground.sides[sure]) / 2
    return np.concatenate([middles - half, middles + half], 1)


def ends_in_view(chosen: Selection, table: Placement) -> bool:
    """Return whether the middle of a further tile at every end of a hand's rows is on the photo.

    Args:
        chosen, table: as for `missing_tile_boxes`.
    """
    ends = [
        _position(chosen, line, k, 0.0, sign)[1:]
        for line in chosen.graph.tiles_by_line()
        for k, sign in ((line[0], -1), (line[-1], 1))
    ]
    middles = centres(_boxes(chosen, table.ground, np.array(ends)))
    if table.size is None or len(middles) < len(ends):
        return False
    return bool(((middles >= 0) & (middles <= table.size)).all())


def pairs_with_gap(framed: OwnerFrame) -> tuple[tuple[int, int], ...]:
    """Find ids of neighbours in a hand's rows with room for one more tile between them.

    Such gaps are normal between groups. Among concealed tiles one may mean that a tile of a meld
    was missed and the rest of the meld was read as concealed tiles.
    """
    pairs = (pair for line in framed.lines for pair in pairwise(line))
    return tuple((left.id, right.id) for left, right in pairs if left.gap > TILE_GAP)


def _positions_beside_kongs(chosen: Selection) -> Iterator[_Position]:
    """Yield the places beside parts of lines that may be concealed kongs with a missed tile.

    Such a part has three tiles: backs with or without open tiles of one kind, or three open tiles
    of a kind, none of them sideways, beside which the fourth may lie face down. The classifier
    sometimes mistakes cloth for a back, so a back found there counts only if it is clear.
    """
    frame = chosen.graph.frame
    lines = chosen.graph.tiles_by_line()
    for part in chain.from_iterable(split(line, frame.gaps(line) > SET_GAP) for line in lines):
        faces = set(frame.ground.faces[[*part]].tolist())
        upright = all(frame.sideways[k] <= 0 for k in part)
        if len(part) == 3 and len(faces - {Tile.BACK}) < 2 and (Tile.BACK in faces or upright):
            yield _position(chosen, part, part[0], 0.0, -1)
            yield _position(chosen, part, part[-1], 0.0, 1)


def _gap_positions(chosen: Selection) -> Iterator[_Position]:
    """Yield the places in the gaps of the hand's lines and beyond their ends."""
    frame = chosen.graph.frame
    for line in chosen.graph.tiles_by_line():
        for n in np.arange(0, _MAX_BEYOND_END - _STEP / 2, _STEP).tolist():
            yield _position(chosen, line, line[0], n, -1)
            yield _position(chosen, line, line[-1], n, 1)
        room = frame.gaps(line) / (1.0 + frame.contact_gap)
        for (left, right), tiles in zip(pairwise(line), room.tolist(), strict=True):
            for n in np.arange(0, tiles - TILE_GAP, _STEP).tolist():
                yield _position(chosen, line, left, n, 1)
                yield _position(chosen, line, right, n, -1)


def _position(chosen: Selection, line: Sequence[int], k: int, steps: float, sign: int) -> _Position:
    """Return the place `steps` tiles beyond the one next to tile k of a line.

    It is before tile k for sign -1 and after it for 1, level with the nearest upright tile.
    """
    frame = chosen.graph.frame
    upright = [u for u in line if frame.sideways[u] <= 0] or line
    level = frame.across[min(upright, key=lambda u: abs(frame.along[u] - frame.along[k]))]
    away = frame.half[k, 0] + frame.contact_gap + 0.5 + steps * (1.0 + frame.contact_gap)
    return steps, float(frame.along[k] + sign * away), float(level)


def _boxes(chosen: Selection, ground: Ground, places: Array) -> FloatArray:
    """Project upright tiles at places (n, 2) in the row frame to boxes (at most n, 4), pixels.

    Places behind the camera are left out.
    """
    frame = chosen.graph.frame
    size = math.exp(median(frame.sizes.tolist()))
    middles, stretch = ground.on_photo(np.column_stack(rotated(places, -frame.phi)))
    half = box_sides(stretch, ground.plane.ratio, frame.phi + math.pi / 2) * size / 2
    out: FloatArray = np.concatenate([middles - half, middles + half], 1).astype(np.float32)
    return out
