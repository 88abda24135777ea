"""Probabilities are calibrated: truths drawn from the class distributions occur as often as the
reading predicts.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from dataclasses import dataclass

import pytest

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.conventions import GENERAL
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.hands import is_complete
from hupai.vision.reading.inference import COMPLETE_FACTOR, NO_HAND_PRIOR
from hupai.vision.reading.read import read
from hupai.vision.types import Reading
from tests.vision.pictures import Placed, detections, table

ROWS = (
    "1m2m3m4p5p6p7s8s9sEEEPP",
    "2m2m3m3m4m4m5p5p6s7s8s9p9p9p",
    "1p1p2p2p3p3p5s5s7m7m8m8mNN",
    "3s4s5s6s7s8s1m1m1m5p6p7pFF",
)
TABLES = 160


@dataclass(frozen=True)
class Drawn:
    """A table with doubtful tiles, the tiles that lie there in truth, and what was read."""

    truth: tuple[Tile, ...]
    reading: Reading


def like(tile: Tile, at: random.Random) -> Tile:
    """A face that this one may be mistaken for: its neighbour in the suit, or another honour."""
    near = [
        other
        for other in Tile
        if other.is_playable and other.suit is tile.suit and abs(other - tile) in (1, 2)
    ]
    return at.choice(near)


def drawn(at: random.Random) -> Drawn:
    """Make some tiles of a row doubtful, and draw the truth from their distributions and the prior
    for complete hands.
    """
    row = table(at.choice(ROWS))
    for i in at.sample(range(len(row)), at.randint(1, 4)):
        row[i] = Placed(
            row[i].x,
            row[i].y,
            row[i].axis,
            row[i].tile,
            (like(row[i].tile, at), at.choice((0.2, 0.35, 0.5, 0.6))),
        )
    while True:
        faces = [t.other[0] if t.other and at.random() < t.other[1] else t.tile for t in row]
        truth = tuple(sorted(faces))
        hand = Hand(truth)
        weight = (
            NO_HAND_PRIOR / COMPLETE_FACTOR
            if max(Counter(truth).values()) > 4
            else 1.0
            if is_complete(hand, GENERAL)
            else 1 / COMPLETE_FACTOR
        )
        if at.random() < weight:
            return Drawn(truth, read(arrange(detections(row))))


@pytest.fixture(scope="module")
def many() -> list[Drawn]:
    at = random.Random(20261121)
    return [drawn(at) for _ in range(TABLES)]


def tiles_of(hand: Hand) -> tuple[Tile, ...]:
    return tuple(sorted(hand.all_tiles))


def probabilities(reading: Reading) -> dict[tuple[Tile, ...], float]:
    """The probability of each choice of tiles, over all groupings of them."""
    said: defaultdict[tuple[Tile, ...], float] = defaultdict(float)
    for likely in reading.hands:
        said[tiles_of(likely.hand)] += likely.probability
    return said


def as_often_as_said(claims: list[tuple[float, bool]]) -> bool:
    """Hits within three standard deviations of what the probabilities add up to."""
    said = sum(p for p, _ in claims)
    deviation = math.sqrt(sum(p * (1 - p) for p, _ in claims))
    return abs(sum(right for _, right in claims) - said) <= 3 * deviation + 1


@pytest.mark.nightly
@pytest.mark.parametrize(("low", "high"), [(0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)])
def test_hands_are_right_as_often_as_they_say(many: list[Drawn], low: float, high: float) -> None:
    claims = [
        (said, tiles == one.truth)
        for one in many
        for tiles, said in probabilities(one.reading).items()
        if low <= said < high
    ]
    assert len(claims) >= 10
    assert as_often_as_said(claims), (
        len(claims),
        sum(p for p, _ in claims),
        sum(right for _, right in claims),
    )


@pytest.mark.nightly
def test_tiles_are_right_as_often_as_they_say(many: list[Drawn]) -> None:
    """By kinds: how many of a kind lie there, against what faces and alternatives add up to."""
    for face in tiles_from_codes("123456789m"):
        said = sum(
            t.confidence * (t.tile is face) + sum(p for f, p in t.alternatives if f is face)
            for one in many
            for t in one.reading.tiles
        )
        there = sum(one.truth.count(face) for one in many)
        assert abs(said - there) <= 12, face


@pytest.mark.nightly
def test_alternatives_agree_with_the_hands(many: list[Drawn]) -> None:
    """What the hands say of how many of a kind there are is what the tiles say, but for hands that
    are not listed.
    """
    for one in many:
        missing = 1 - sum(likely.probability for likely in one.reading.hands)
        assert missing >= -1e-9
        for face in {t.tile for t in one.reading.tiles}:
            by_hands = sum(
                likely.probability * likely.hand.all_tiles.count(face)
                for likely in one.reading.hands
            )
            by_tiles = sum(
                t.confidence * (t.tile is face) + sum(p for f, p in t.alternatives if f is face)
                for t in one.reading.tiles
            )
            assert abs(by_hands - by_tiles) <= 4 * missing + 0.1
