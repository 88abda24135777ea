"""Counts how often similar faces are confused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from hupai.models.evaluation.evaluate import PhotoOutcome
from hupai.scoring.tiles import FLOWERS, Tile

Family = tuple[str, frozenset[Tile]]


def _family(name: str, *codes: str) -> Family:
    return name, frozenset(Tile.from_code(code) for code in codes)


FAMILIES: tuple[Family, ...] = (
    _family("winds and dragons drawn as characters", "E", "S", "W", "N", "C", "F"),
    _family("white dragon and other pale faces", "P", "1p", "2p"),
    _family("few strokes", "1m", "2m", "3m"),
    _family("dense characters", "4m", "5m", "6m", "7m", "8m", "9m"),
    _family("few dots", "1p", "2p", "3p"),
    _family("dots in a block", "4p", "5p", "6p", "7p", "8p", "9p"),
    _family("few sticks", "2s", "3s"),
    _family("sticks in a block", "4s", "5s", "6s", "7s", "8s", "9s"),
    _family("bird, flower, bamboo", "1s", "5h", "6h", "7h", "8h"),
    ("seasons and flowers", frozenset(FLOWERS)),
)
"""The families, named by what makes their faces similar; a pair may belong to several."""


@dataclass(frozen=True, slots=True)
class Flips:
    """How often faces of one family were confused with each other.

    Attributes:
        family: name of the family.
        tiles: found tiles of the family.
        flips: those read as another of the family.
        worst: the most common mistakes: true face, read face, count.
    """

    family: str
    tiles: int
    flips: int
    worst: tuple[tuple[str, str, int], ...]


def flips(outcomes: Iterable[PhotoOutcome]) -> tuple[Flips, ...]:
    """Return one entry per family, and a last one for mistakes between families."""
    pairs = Counter(pair for outcome in outcomes for pair in outcome.faces)
    rows = []
    within: set[tuple[Tile, Tile]] = set()
    for name, members in FAMILIES:
        seen = {pair: n for pair, n in pairs.items() if pair[0] in members}
        wrong = {pair: n for pair, n in seen.items() if pair[0] != pair[1] and pair[1] in members}
        within |= set(wrong)
        rows.append(_row(name, sum(seen.values()), wrong))
    rest = {pair: n for pair, n in pairs.items() if pair[0] != pair[1] and pair not in within}
    return (*rows, _row("anything else", sum(pairs.values()), rest))


def _row(name: str, tiles: int, wrong: dict[tuple[Tile, Tile], int]) -> Flips:
    worst = sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:3]
    return Flips(
        name,
        tiles,
        sum(wrong.values()),
        tuple((true.code, read.code, n) for (true, read), n in worst),
    )
