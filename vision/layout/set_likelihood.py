"""How likely tiles with uncertain faces are a set."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from hupai.scoring.tiles import PLAYABLE, Tile
from hupai.vision.types import FloatArray

CHOWS: tuple[tuple[Tile, Tile, Tile], ...] = tuple(
    (tile, Tile(tile + 1), Tile(tile + 2)) for tile in PLAYABLE if tile.is_suited and tile.rank <= 7
)
"""All chows, ascending."""

ORDERS = tuple(permutations(range(3)))
"""All orders of three tiles."""


def set_likelihood(classes: FloatArray, ids: tuple[int, ...]) -> float:
    """Give the probability that three tiles are a pung, or a chow in any order.

    Their class distributions, shape (n, 43), are taken to be independent.
    """
    three = classes[list(ids)].astype(np.float64)
    pungs = float((three[0, :34] * three[1, :34] * three[2, :34]).sum())
    chows = 0.0
    for suit in (0, 9, 18):
        part = three[:, suit : suit + 9]
        for a, b, c in ORDERS:
            chows += float((part[a, :7] * part[b, 1:8] * part[c, 2:9]).sum())
    return min(pungs + chows, 1.0)


def kong_likelihood(classes: FloatArray, ids: tuple[int, ...]) -> float:
    """Give the probability that the open tiles are all equal; 1 if all lie face down."""
    rows = classes[list(ids)].astype(np.float64)
    up = rows[rows[:, Tile.BACK] < 0.5][:, :34]
    return float(np.prod(up, axis=0).sum()) if len(up) else 1.0
