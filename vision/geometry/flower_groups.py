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
    changed = [
        spots[k].id
        for group in _groups(ground.places)
        if len(group) <= _MOST and any(spots[k].flower >= _CLEAR for k in group)
        for k in group
        if spots[k].flower < _CLEAR and spots[k].back <= 0.5
    ]
    if not changed:
        return ground, classes
    classes = classes.copy()
    for i in changed:
        unclear = classes[i].max() < CLEAR_FACE
        classes[i, _FLOWERS] *= _UNCLEAR_ODDS if unclear else _ODDS
        classes[i] /= classes[i].sum()
    renamed = {i: classes[i] for i in changed}
    return replace(ground, spots=tuple(_named(spot, renamed) for spot in spots)), classes


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
