"""Uncertain tiles in a small group with a clear flower are likely flowers.

Players lay their flowers apart from the hand. Pictures on flowers differ so much between tile sets
that some are unlike anything the networks know: beside three clear flowers a red leaf was read as
an east wind, so the group no longer counted as flowers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Ground, Spot, faces_and_odds
from hupai.vision.types import CLEAR_FACE, FloatArray

_TOUCHING = 1.25
"""Greatest distance between two neighbours in a group, tile widths."""

_MOST = 8
"""Maximum size of a group of flowers; larger ones are rows of a hand with flowers at an end."""

_CLEAR = 0.8
"""Probability from which a flower shows that its group consists of flowers."""

_ODDS, _UNCLEAR_ODDS = 30.0, 300.0
"""Factors on the odds that a tile in a group with a clear flower is a flower, if its face is clear
and if it is not; pictures that the networks do not know are unclear. A tile seen as another face
with 0.99 gets a flower probability of a quarter, so it keeps its face.
"""

_SEEN = 0.99
"""Probability from which a face is never renamed."""

_ODDS_AMONG_FLOWERS = 3000.0
"""The same factor where more than half of a group are clear flowers and the face is not seen with
`_SEEN`. On rendered tables with 1,700 flowers such groups have six other tiles.
"""

_FLOWERS = slice(Tile.SPRING, Tile.BACK)


def with_flower_groups(ground: Ground, classes: FloatArray) -> tuple[Ground, FloatArray]:
    """Raise the probability of flowers in small groups that have a clear one.

    Args:
        ground: the tiles on the table.
        classes: probabilities (n, 43) of all detections.

    Returns:
        The tiles and the probabilities, with those of uncertain tiles changed.
    """
    spots = ground.spots
    if not any(spot.flower >= _CLEAR for spot in spots):
        return ground, classes
    changed: dict[int, bool] = {}
    for group in _groups(ground.places):
        clear = sum(spots[k].flower >= _CLEAR for k in group)
        if len(group) <= _MOST and clear:
            uncertain = (spots[k] for k in group if spots[k].flower < _CLEAR)
            changed |= {spot.id: 2 * clear > len(group) for spot in uncertain if spot.back <= 0.5}
    if not changed:
        return ground, classes
    classes = classes.copy()
    for i, among_flowers in changed.items():
        classes[i, _FLOWERS] *= _odds(float(classes[i].max()), among_flowers)
        classes[i] /= classes[i].sum()
    renamed = {i: classes[i] for i in changed}
    return replace(ground, spots=tuple(_named(spot, renamed) for spot in spots)), classes


def _odds(seen: float, among_flowers: bool) -> float:
    """Return the factor on the odds that a tile whose face has this probability is a flower."""
    if among_flowers and seen < _SEEN:
        return _ODDS_AMONG_FLOWERS
    return _UNCLEAR_ODDS if seen < CLEAR_FACE else _ODDS


def _named(spot: Spot, renamed: dict[int, FloatArray]) -> Spot:
    """Return a tile with its new probabilities, if it has any."""
    if spot.id not in renamed:
        return spot
    classes = renamed[spot.id]
    (face,), (odds,) = (found.tolist() for found in faces_and_odds(classes[None]))
    return replace(spot, face=Tile(face), odds=odds, flower=float(classes[_FLOWERS].sum()))


def _groups(places: NDArray[np.float64]) -> Iterator[list[int]]:
    """Yield the groups of at least two tiles (n, 2) that are connected by touching neighbours."""
    apart = places[:, None] - places[None]
    touching = np.hypot(apart[..., 0], apart[..., 1]) < _TOUCHING
    left = set(range(len(places)))
    while left:
        group = new = [left.pop()]
        while new:
            new = sorted(left.intersection(np.nonzero(touching[new].any(0))[0].tolist()))
            left.difference_update(new)
            group = group + new
        if len(group) > 1:
            yield group
