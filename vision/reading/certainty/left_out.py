"""Features of what was left out near the hand: tiles, flowers, low-confidence detections.

Distances are in longer sides of the hand's tiles unless stated otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, distances, pairwise_iou, sizes, touching
from hupai.vision.geometry.connected import connected
from hupai.vision.layout.completeness import is_set, may_be_complete
from hupai.vision.layout.types import BlockKind
from hupai.vision.reading.certainty.evidence import Evidence, width
from hupai.vision.types import CLEAR_FACE, Detections, FloatArray

NEAR = 1.9
"""Distance between centres within which a tile lies beside another: in shorter sides, tiles of a
row are 1.0 apart, rows 1.35, and a gap of half a tile is allowed. For tiles that were left out it
is in longer sides.
"""
_TOUCHING = 0.15
"""Distance between boxes within which tiles touch, in shorter sides of the hand's tiles."""
_NEAR_FLOWERS = 12.0
"""Distance between centres within which a flower left out may be the hand's: a row's length."""
_NEAR_UNCLEAR = 4.0
"""Distance between centres within which an unclear face or a 1s left out may be a flower of the
hand: pictures on flowers differ so much between tile sets that some are read as other faces, often
as birds. Further away, such faces are discards and other players' tiles.
"""
_MOST_FLOWERS, _FLOWER_SHARE = 8, 1 / 3
"""Greatest size of a group of tiles, and least share of flowers in it, for its doubtful open tiles
to count as possible flowers: those that the networks do not know are often read as other faces.
"""
_SEEN = 0.99
"""Probability of a face from which a tile of such a group is no flower."""
_BESIDE_SET = 1.45
"""Distance between centres within which a fourth tile lies beside or on a set, in shorter sides of
the hand's tiles or of the set's largest, whichever is more: tiles of a standing hand look flat.
"""
_SAME_TILE = 0.3
"""Intersection over union from which two boxes are of one tile."""
_FOURTH, _FOURTH_BACK = 0.05, 0.3
"""Score of a tile beside a pung, times the probability of the pung's face or, for the second, of a
back, from which the pung may be a kong. Fainter backs are sides of tiles and cloth: of 148 between
0.02 and 0.8 on recorded tables none was part of a kong.
"""


def left_out(e: Evidence) -> dict[str, float]:
    """Measure what was left out near the hand: other tiles, flowers, low-confidence detections."""
    found, ids = e.layout.detections, list(e.faces)
    size = float(np.sort(sizes(found.boxes[ids]).ravel())[len(ids)])
    narrow = width(e, ids)
    hand = centres(found.boxes[ids])

    def away(boxes: FloatArray) -> FloatArray:
        apart = distances(centres(boxes), hand)
        return np.asarray(apart.min(axis=1, initial=np.inf) / size)

    others = sorted(set(range(len(found))).difference(ids, e.layout.duplicates))
    flower = np.array([e.seen[i].is_flower for i in others], bool)
    distance = away(found.boxes[others])
    likely = found.probabilities[others].max(axis=1, initial=0.0)
    open_face = found.probabilities[others][:, Tile.BACK] < 0.5
    bird = np.array([e.seen[i] is Tile.S1 for i in others], bool)
    unclear = (likely < CLEAR_FACE) & open_face & ~flower
    may_be_flower = flower | ((unclear | bird) & (distance < _NEAR_UNCLEAR))
    doubtful = (likely < _SEEN) & open_face
    may_be_flower |= doubtful & _among_flowers(found.boxes[others], flower)
    beside_hand = _gaps(found.boxes[others], found.boxes[ids]) < _TOUCHING * narrow
    places = centres(found.boxes[others])
    apart = distances(places[may_be_flower], places[~may_be_flower])
    apart = apart.min(axis=1, initial=np.inf)
    away_from_hand = distance[may_be_flower]
    near = (apart / (away_from_hand * size))[away_from_hand < _NEAR_FLOWERS]
    plain = [i for i, other in zip(others, flower.tolist(), strict=True) if not other]
    weak = found.low_confidence or Detections.empty()
    if len(weak):
        weak = weak.only(
            np.nonzero(pairwise_iou(weak.boxes, found.boxes).max(axis=1) < _SAME_TILE)[0]
        )
    weak_away = away(weak.boxes)
    weak_flower = weak.probabilities[:, Tile.SPRING : Tile.BACK].sum(axis=1) > 0.5
    clear = weak.probabilities[:, : Tile.BACK].max(axis=1, initial=0.0) > 0.5
    beside = clear & ~weak_flower & (weak_away < NEAR)
    weak_flower &= weak_away < _NEAR_FLOWERS
    winner = [b.tiles[0] for b in e.arrangement.blocks if b.kind is BlockKind.WINNING_TILE]
    # A winning tile that completes no hand may belong to a kong.
    loose = plain if e.complete else [*plain, *winner]
    fourth = _fourth_tiles(e, [(found, loose), (weak, range(len(weak)))], narrow)
    return {
        "left_out": float((~flower & (distance < NEAR)).sum()),
        "touching": float((~flower & beside_hand).sum()),
        "winner_in_set": float(any(_in_set(e, i, plain, narrow) for i in winner)),
        "other_winners": float(_other_winners(e, others, beside_hand, winner)),
        "flowers_near": min(float(near.max(initial=0.0)), 1.0),
        "weak_left_out": float(beside.sum()),
        "weak_score": float(weak.scores[beside].max(initial=0.0)),
        "weak_flowers": float(weak_flower.sum()),
        "weak_flower_score": float(weak.scores[weak_flower].max(initial=0.0)),
        "kong_face_left": float(fourth[0]),
        "kong_back_left": float(fourth[1]),
    }


def _among_flowers(boxes: FloatArray, flower: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which tiles (n,) lie in a small group with a `_FLOWER_SHARE` of flowers."""
    found = np.zeros(len(boxes), bool)
    for group in connected(touching(boxes, boxes)):
        if len(group) <= _MOST_FLOWERS and flower[group].mean() >= _FLOWER_SHARE:
            found[group] = True
    return found


def _gaps(boxes: FloatArray, others: FloatArray) -> FloatArray:
    """Return the distance (n,) of each box to the nearest of others, pixels; 0 if they overlap."""
    apart = np.maximum(boxes[:, None, :2] - others[:, 2:], others[:, :2] - boxes[:, None, 2:])
    return np.asarray(np.linalg.norm(np.maximum(apart, 0), axis=2).min(axis=1, initial=np.inf))


def _fourth_tiles(
    e: Evidence, left: Iterable[tuple[Detections, Sequence[int]]], narrow: float
) -> tuple[int, int]:
    """Count the pungs laid down beside which a tile of their face, or a back, was left out.

    A concealed pair counts as well if nothing else is concealed.
    """
    faces, backs = 0, 0
    for block in e.arrangement.blocks:
        pair = block.kind is BlockKind.CONCEALED and len(block.tiles) <= 2
        if block.kind is not BlockKind.SET and not pair:
            continue
        shown = {e.faces[i] for i in block.tiles}
        if len(shown) == 1:
            own = e.layout.detections.boxes[list(block.tiles)]
            places, reach = centres(own), _BESIDE_SET * max(narrow, sizes(own).min(1).max())
            same, down = 0.0, 0.0
            for some, ids in left:
                rows = list(ids)
                apart = distances(centres(some.boxes[rows]), places)
                close = apart.min(axis=1, initial=np.inf) < reach
                classes = some.probabilities[rows][close] * some.scores[rows][close, None]
                same = max(same, classes[:, next(iter(shown))].max(initial=0.0))
                down = max(down, classes[:, Tile.BACK].max(initial=0.0))
            faces += same > _FOURTH
            backs += down > _FOURTH_BACK and not pair
    return faces, backs


def _in_set(e: Evidence, winner: int, left: Sequence[int], narrow: float) -> bool:
    """Return whether two tiles left out form a set with the winning tile.

    One of them touches it, the other touches either of the two. The set may then be a meld, or
    part of a row of discards.
    """
    boxes = e.layout.detections.boxes
    shown = [i for i in left if e.seen[i] is not Tile.BACK]

    def touching(*tiles: int) -> list[int]:
        close = _gaps(boxes[shown], boxes[list(tiles)]) < _TOUCHING * narrow
        return [i for i, is_close in zip(shown, close.tolist(), strict=True) if is_close]

    return any(
        is_set([e.faces[winner], e.seen[i], e.seen[k]])
        for i in touching(winner)
        for k in touching(winner, i)
        if k != i
    )


def _other_winners(
    e: Evidence, left: Sequence[int], touching: NDArray[np.bool_], winners: Sequence[int]
) -> int:
    """Count the faces of open tiles touching a complete hand that would complete it as well.

    Such a tile may be the winning one, laid on the row, and the assumed one not part of the hand.

    Args:
        e: the reading.
        left: ids of the tiles left out.
        touching: which of these touch the hand.
        winners: id of the winning tile, if one lies apart.
    """
    if not e.complete or not winners:
        return 0
    faces = [face for i, face in e.faces.items() if i not in winners]
    others = {e.seen[i] for i, close in zip(left, touching.tolist(), strict=True) if close}
    others -= {e.faces[winners[0]], Tile.BACK}
    return sum(
        may_be_complete([*faces, face], e.hand_size) for face in others if not face.is_flower
    )
