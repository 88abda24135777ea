"""The probability that flowers apart from a hand belong to it, and the hands that they make."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from hupai.scoring.result import RuleSet
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import centres, distances, sizes
from hupai.vision.numeric import logistic
from hupai.vision.reading.certainty.features import looking_alike
from hupai.vision.types import FloatArray, LikelyHand, Reading, ReadTile

_NEARER, _AWAY, _OFFSET = 1.46, -0.75, -1.01
"""Weights of a logistic regression on 1,852 flowers that lie apart on recorded tables, of which 57
belong to the hand: of the logarithm of the ratio of the distances to the nearest other tile and to
the hand, of the logarithm of the latter in widths of the hand's tiles, and the constant.
"""
_NEARER_RANGE, _AWAY_RANGE = (-2.0, 1.5), (0.0, math.log(8.0))
"""Ranges to which the two logarithms are clipped."""
_MIN_PROBABILITY = 0.03
"""Probability below which a flower is assumed not to belong to the hand. Of 1,403 such flowers of
the recorded tables 18 do, most of them on tables whose hand itself is misread.
"""
_APART = "flowers_apart"
"""Code of the problem that lists the flowers that lie apart."""
_MOST = 4
"""Maximum number of flowers apart, the likeliest ones, that may or may not belong to the hand."""


def own_probabilities(reading: Reading) -> dict[int, float]:
    """Return the probability that each flower that lies apart belongs to the hand, by tile id.

    A flower that no photo shows together with a tile of the hand does not belong to it.
    """
    apart = {i for p in reading.problems if p.code == _APART for i in p.tiles}
    found: dict[int, float] = {}
    for flower in (tile for tile in reading.tiles if tile.id in apart):
        same = [t for t in reading.tiles if t.photo == flower.photo and t.id not in apart]
        own = _boxes([t for t in same if t.in_hand])
        others = _boxes([t for t in same if not t.in_hand])
        found[flower.id] = _own_probability(_boxes([flower]), own, others) if len(own) else 0.0
    return found


def with_and_without_flowers(reading: Reading, rules: RuleSet) -> Iterator[LikelyHand]:
    """Yield the hands of a reading with each choice of the flowers that lie apart.

    The probability of each hand is divided among the choices. Flowers that the rules do not use, or
    that hardly ever belong to the hand, are left out.
    """
    faces = {
        face: p
        for face, p in _faces_apart(reading).items()
        if face in rules.tiles and p >= _MIN_PROBABILITY
    }
    for likely in reading.hands:
        yield from _choices(likely, faces)


def with_flower_count(reading: Reading, count: int) -> Reading:
    """Keep the hands with a known number of flowers, some of which may lie apart.

    The reading is returned as it is if no hand can have so many. If it is certain but several
    choices of flowers remain, it no longer is.
    """
    faces = _faces_apart(reading)
    before = tuple(looking_alike(reading.hands)) if reading.certain else reading.hands
    found = [
        choice
        for likely in before
        for choice in _choices(likely, faces)
        if len(choice.hand.flowers) == count
    ]
    total = sum(one.probability for one in found)
    if total <= 0:
        return reading
    share = sum(one.probability for one in before) / total
    hands = [replace(one, probability=one.probability * share) for one in found]
    hands.sort(key=lambda one: -one.probability)
    problems = tuple(p for p in reading.problems if p.code != _APART)
    certain = reading.certain and len({one.hand.flowers for one in hands}) == 1
    return replace(reading, hands=tuple(hands), problems=problems, certain=certain)


def _faces_apart(reading: Reading) -> dict[Tile, float]:
    """Return the flowers that lie apart, each with its greatest probability."""
    faces = {tile.id: tile.tile for tile in reading.tiles}
    found: dict[Tile, float] = {}
    for i, probability in own_probabilities(reading).items():
        if (face := faces[i]).is_flower:
            found[face] = max(probability, found.get(face, 0.0))
    return found


def _choices(likely: LikelyHand, faces: Mapping[Tile, float]) -> Iterator[LikelyHand]:
    """Yield a hand with each choice of further flowers; a hand has each flower only once."""
    held = likely.hand.flowers
    free = sorted(((p, face) for face, p in faces.items() if face not in held), reverse=True)
    free = free[:_MOST]
    for taken in product((False, True), repeat=len(free)):
        shares = (p if own else 1 - p for own, (p, _) in zip(taken, free, strict=True))
        flowers = (face for own, (_, face) in zip(taken, free, strict=True) if own)
        hand = replace(likely.hand, flowers=tuple(sorted((*held, *flowers))))
        if (share := math.prod(shares)) > 0:
            yield LikelyHand(hand, likely.probability * share)


def _own_probability(flower: FloatArray, own: FloatArray, others: FloatArray) -> float:
    """Return the probability that a flower belongs to the hand.

    Args:
        flower, own, others: boxes of the flower (1, 4), of the hand's tiles (n, 4) and of all other
            tiles except flowers apart (m, 4), pixels of one photo.
    """
    width = max(float(np.median(sizes(own).min(1))), 1e-6)
    near = max(_distance(flower, own) / width, 1e-6)
    away = max(_distance(flower, others) / width, 1e-6) if len(others) else math.inf
    nearer = min(max(math.log(away / near), _NEARER_RANGE[0]), _NEARER_RANGE[1])
    far = min(max(math.log(near), _AWAY_RANGE[0]), _AWAY_RANGE[1])
    return logistic(_NEARER * nearer + _AWAY * far + _OFFSET)


def _distance(flower: FloatArray, tiles: FloatArray) -> float:
    """Return the distance of a flower's centre to the nearest of some tiles', pixels."""
    return float(distances(centres(tiles), centres(flower)).min())


def _boxes(tiles: list[ReadTile]) -> FloatArray:
    return np.array([tile.box for tile in tiles], np.float32).reshape(-1, 4)
