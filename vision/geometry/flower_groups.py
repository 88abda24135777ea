"""Uncertain tiles in a group with other flowers, or beside a complete hand, are likely flowers.

Players lay their flowers apart from the hand. Pictures on flowers differ so much between tile sets
that some are unlike anything the networks know: beside three clear flowers a red leaf was read as
an east wind, so the group no longer counted as flowers. A hand that has won needs no further tile,
so a tile laid beside it whose face is unclear is a flower rather than a face that all sets share.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.connected import connected
from hupai.vision.geometry.table_tiles import FLOWERS, Ground, faces_and_odds
from hupai.vision.types import CLEAR_FACE, SURE_SCORE, FloatArray

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
"""Probability from which a face is never renamed, except a 1s among flowers, as that is a picture,
too.
"""

_ODDS_AMONG_FLOWERS = 3000.0
"""The same factor where a whole group is likely to consist of flowers and the face is not seen with
`_SEEN`. On rendered tables with 1,700 flowers, groups that are mostly flowers have six other tiles.
"""

_SLOPE, _OFFSET, _MOST_EVIDENCE = 0.75, 3.0, 5.0
"""Evidence of one tile that its group consists of flowers, log-odds: a line over the log-odds that
it is a flower, clipped. On designs that the networks had not seen, 0.1 to 0.3 was the probability
of 5 % of the flowers and 0.9 % of the other faces, 0.3 to 0.8 of 10 and 0.5 %.
"""

_PRIOR, _ENOUGH = -2.5, 4.0
"""Log-odds that a small group consists of flowers before its tiles are seen, and from which it is
taken to.
"""

_BESIDE = 3.0
"""Distance from a tile of the hand within which a tile lies beside the hand, tile widths."""

_NOT_RENAMED = 0.95
"""Probability of a face from which a tile beside the hand keeps it."""

_MAY_BE_FLOWER, _ODDS_BESIDE_HAND = 0.08, 30.0
"""Probability from which an unclear tile beside a complete hand is taken to be a flower, and the
factor on its odds. On tables of three renderers that no network was trained on, held-out designs
and photos, 21 of 25 such tiles were flowers of the hand (decision 121).
"""


def with_flower_groups(ground: Ground, classes: FloatArray) -> tuple[Ground, FloatArray]:
    """Raise the probability of flowers in small groups with a clear one or several likely ones.

    Args:
        ground: the tiles on the table.
        classes: probabilities (n, 43) of all detections.

    Returns:
        The tiles and the probabilities, with those of uncertain tiles changed.
    """
    clear, evidence = ground.flowers >= _CLEAR, _evidence(ground.flowers)
    changed: list[int] = []
    among_flowers: list[bool] = []
    for group in connected(distances(ground.places, ground.places) < _TOUCHING):
        likely = len(group) > 1 and bool(_PRIOR + evidence[group].sum() > _ENOUGH)
        if len(group) <= _MOST and (likely or clear[group].any()):
            uncertain = [k for k in group if not clear[k] and ground.backs[k] <= 0.5]
            changed += uncertain
            among_flowers += [likely] * len(uncertain)
    some = classes[ground.ids[changed]]
    seen = some.max(1)
    factors = np.where(seen < CLEAR_FACE, _UNCLEAR_ODDS, _ODDS)
    may_be_picture = (seen < _SEEN) | (some.argmax(1) == Tile.S1)
    factors[np.array(among_flowers, bool) & may_be_picture] = _ODDS_AMONG_FLOWERS
    return _with_odds(ground, classes, np.array(changed, np.intp), factors)


def with_flowers_beside(
    ground: Ground, classes: FloatArray, hand: Set[int]
) -> tuple[Ground, FloatArray]:
    """Raise the probability of flowers among unclear tiles beside a complete hand.

    Args:
        ground: the tiles on the table.
        classes: probabilities (n, 43) of all detections.
        hand: ids of the tiles of a hand that is complete without further tiles.

    Returns:
        The tiles and the probabilities, with those of uncertain tiles changed; the same objects if
        there are none.
    """
    held = ground.among(hand)
    beside = distances(ground.places, ground.places[held]).min(1) < _BESIDE
    unclear = (classes[ground.ids].max(1) < _NOT_RENAMED) & (ground.backs <= 0.5)
    may_be = (ground.flowers >= _MAY_BE_FLOWER) & (ground.flowers <= 0.5)
    sure_tile = ground.scores >= SURE_SCORE
    changed = np.nonzero(~held & beside & unclear & may_be & sure_tile)[0]
    return _with_odds(ground, classes, changed, np.full(len(changed), _ODDS_BESIDE_HAND))


def _with_odds(
    ground: Ground, classes: FloatArray, changed: NDArray[np.intp], factors: NDArray[np.float64]
) -> tuple[Ground, FloatArray]:
    """Multiply the odds that some tiles (k,) of `ground` are flowers by factors (k,)."""
    if not len(changed):
        return ground, classes
    ids, classes = ground.ids[changed], classes.copy()
    some = classes[ids]
    some[:, FLOWERS] *= factors[:, None]
    some /= some.sum(1, keepdims=True)
    classes[ids] = some
    faces, odds, flowers = ground.faces.copy(), ground.odds.copy(), ground.flowers.copy()
    faces[changed], odds[changed] = faces_and_odds(some)
    flowers[changed] = some[:, FLOWERS].sum(1)
    return replace(ground, faces=faces, odds=odds, flowers=flowers), classes


def _evidence(flowers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each tile's probability (n,) of a flower says of its group, log-odds."""
    share = np.clip(flowers, 1e-6, 1 - 1e-6)
    line = _SLOPE * np.log(share / (1 - share)) + _OFFSET
    return np.asarray(np.clip(line, -_MOST_EVIDENCE, _MOST_EVIDENCE))
