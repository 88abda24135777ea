"""Turns an arrangement's blocks into units of the search: possible faces and their costs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain, permutations

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.conventions import Convention
from hupai.vision.layout.types import MELDS, Arrangement, BlockKind
from hupai.vision.reading.astar import Option, Unit
from hupai.vision.types import FloatArray

_MIN_CLASS_PROBABILITY = 1e-6
"""Floor of class probabilities."""
_OUTSIDE_RULES_FACTOR = 1e-3
"""Factor on the probability of kinds that the rules do not use."""
CLEAR = 0.99
"""Probability from which a face is clear: it is never changed to make a hand legal."""
_MAX_OPTIONS = 12
"""Maximum number of options tried for a tile, set or kong."""
_MIN_RELATIVE_PROBABILITY = 1e-4
"""Probability of a face relative to the likeliest one below which it is not tried."""
_MAX_EXTRA_COST = 14.0
"""Cost of a set's or kong's faces beyond the cheapest above which they are not tried."""
_UNSORTED_CHOW_COST = 0.7
"""Cost of a chow whose tiles do not lie in ascending order, log-odds."""

_CHOWS = tuple(
    (faces, _UNSORTED_CHOW_COST if sorted(faces) != list(faces) else 0.0)
    for low in PLAYABLE
    if low.is_suited and low.rank <= 7
    for faces in permutations((low, Tile(low + 1), Tile(low + 2)))
)
"""All chows, their tiles in any order, with the cost of the order."""

Classes = NDArray[np.float64]
"""Class distributions, shape (n, 43), rows summing to 1."""


def restrict_to_rules(probabilities: FloatArray, rules: RuleSet | None) -> Classes:
    """Make kinds that the rules do not use unlikely in class distributions (n, 43).

    Clear faces are not changed.
    """
    classes = np.clip(probabilities.astype(np.float64), _MIN_CLASS_PROBABILITY, None)
    if rules is not None:
        unused = [int(tile) for tile in Tile if tile not in rules.tiles and tile is not Tile.BACK]
        unclear = np.nonzero(probabilities.max(axis=1, initial=0.0) < CLEAR)[0]
        classes[np.ix_(unclear, np.array(unused, np.intp))] *= _OUTSIDE_RULES_FACTOR
    result: Classes = classes / classes.sum(axis=1, keepdims=True)
    return result


class Units:
    """Builds the units of groupings of the same tiles, caching those that groupings share."""

    def __init__(self, classes: Classes, habits: Convention) -> None:
        """Take class distributions (n, 43) by tile id, and how melds are laid."""
        clear = classes.max(axis=1, keepdims=True) >= CLEAR
        self._classes = np.where(clear, _only_likeliest(classes), classes)
        self._habits = habits
        self._made: dict[tuple[BlockKind, tuple[int, ...]], Unit] = {}

    def of(self, arrangement: Arrangement) -> tuple[Unit, ...]:
        """Make the units of an arrangement, block by block; each tile outside melds is one."""
        return tuple(
            self._unit(block.kind, tiles)
            for block in arrangement.blocks
            for tiles in ([block.tiles] if block.kind in MELDS else [(i,) for i in block.tiles])
        )

    def _unit(self, kind: BlockKind, tiles: tuple[int, ...]) -> Unit:
        if (kind, tiles) not in self._made:
            self._made[kind, tiles] = Unit(tiles, self._options(kind, tiles))
        return self._made[kind, tiles]

    def _options(self, kind: BlockKind, tiles: tuple[int, ...]) -> tuple[Option, ...]:
        if kind is BlockKind.FLOWERS:
            return _flowers(self._classes[tiles[0]])
        if kind not in MELDS:
            return _faces(self._classes[tiles[0]])
        rows = self._classes[list(tiles)]
        return _sets(rows, self._habits) if kind is BlockKind.SET else _kongs(rows)


def _only_likeliest(classes: Classes) -> Classes:
    """Keep only the likeliest face of each row."""
    return np.where(classes == classes.max(axis=1, keepdims=True), classes, 0.0)


def _faces(row: Classes) -> tuple[Option, ...]:
    """List the possible faces of one tile; a face-down tile stays unknown."""
    if row[Tile.BACK] > 0.5:
        return (Option(-math.log(row[Tile.BACK]), (Tile.BACK,)),)
    shares = row[: Tile.BACK].tolist()
    least = _MIN_RELATIVE_PROBABILITY * max(shares)
    likely = sorted(((p, i) for i, p in enumerate(shares) if p > least), key=lambda one: -one[0])
    return tuple(Option(-math.log(p), (Tile(i),)) for p, i in likely[:_MAX_OPTIONS])


def _flowers(row: Classes) -> tuple[Option, ...]:
    order = np.argsort(-row[Tile.SPRING : Tile.BACK], kind="stable") + Tile.SPRING
    return tuple(Option(-math.log(row[i]), (Tile(int(i)),)) for i in order if row[i] > 0)


def _sets(rows: Classes, habits: Convention) -> tuple[Option, ...]:
    """List the pungs and chows that three tiles may be, a chow's tiles in any order."""
    logs = _logs(rows).tolist()
    pungs = (((face,) * 3, 0.0) for face in PLAYABLE)
    return _cheapest(
        (extra - (logs[0][a] + logs[1][b] + logs[2][c]), (a, b, c))
        for (a, b, c), extra in chain(pungs, _CHOWS if habits.chows else ())
    )


def _kongs(rows: Classes) -> tuple[Option, ...]:
    """List the possible kinds of a kong by its open tiles; unknown if it has none."""
    size, up = len(rows), rows[rows[:, Tile.BACK] <= 0.5]
    if not len(up):
        return (Option(0.0, (Tile.BACK,) * size),)
    costs = (-_logs(up).sum(axis=0)).tolist()
    return _cheapest(((costs[face], (face,) * size) for face in PLAYABLE), 4 - size)


def _logs(classes: Classes) -> Classes:
    """Return logarithms; minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(classes))


def _cheapest(
    costs: Iterable[tuple[float, tuple[Tile, ...]]], unseen: int = 0
) -> tuple[Option, ...]:
    """Return the options to try, given the cost and the faces of all."""
    ranked = sorted(one for one in costs if math.isfinite(one[0]))[:_MAX_OPTIONS]
    return tuple(
        Option(cost, faces, unseen)
        for cost, faces in ranked
        if cost <= ranked[0][0] + _MAX_EXTRA_COST
    )
