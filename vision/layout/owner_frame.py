"""The hand in its owner's frame: which side is near, left to right, which tiles lie sideways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from hupai.vision.geometry.table_tiles import Spot
from hupai.vision.layout.hand_search import Selection
from hupai.vision.layout.rows import Bearing

_REACH = 4
_FAR_GAP = 3.0
"""Widest gap told apart, tile widths."""

_CAMERA = 3.5
"""Most photos are taken from the owner's side: log-odds of that where the rows run along the
photo's lower edge.
"""

_SLACK = 0.15
"""How far the usual gap may differ along a row, as a share of the distance of two centres."""


@dataclass(frozen=True, slots=True)
class Token:
    """A tile in its line.

    Attributes:
        spot: the tile.
        sideways: log-odds that it lies across the others.
        gap: free space to the next tile of the line, tile widths, 0 where tiles touch as closely as
            others do.
        added: a second sideways tile that lies beside or upon this one, away from the owner.
    """

    spot: Spot
    sideways: float
    gap: float = 0.0
    added: Spot | None = None


@dataclass(frozen=True, slots=True)
class Framed:
    """A hand's lines, each from its owner's left to right, the line with the most tiles first.

    Attributes:
        lines: the tokens of each line.
        spread: usual scatter of the gaps between tiles that touch.
        owner: log-odds that the owner sits where these lines take him to sit, at least 0; no more
            than how the tiles lie says.
    """

    lines: tuple[tuple[Token, ...], ...]
    spread: float
    owner: float


def frame(selection: Selection) -> Framed:
    """Order the tiles of a selection as their owner sees them."""
    table = selection.table
    b = table.bearing
    tops = {piece: base for piece, base in table.added.items() if piece in selection.chosen}
    homes: dict[int, list[int]] = {}
    for piece in selection.chosen:
        if piece not in tops:
            homes.setdefault(table.lines[piece], []).extend(table.pieces[piece].places)
    lines = [sorted(places, key=lambda i: (b.along[i], b.spots[i].id)) for places in homes.values()]
    added = {base: table.pieces[piece].places[0] for piece, base in tops.items()}
    gaps = {id(line): _gaps(line, b) for line in lines}
    camera, laid = _CAMERA * math.cos(b.phi), _owner_evidence(lines, added, b)
    toward = 1.0 if camera + laid >= 0 else -1.0
    # Where a photo was taken from is a guess, whatever it adds: what lies sideways has to tell by
    # itself.
    owner = min(abs(camera + laid), max(toward * laid, 0.0))
    lines.sort(key=lambda line: (-len(line), toward * _level(line, b), b.spots[line[0]].id))
    tokens = []
    for line in lines:
        steps = gaps[id(line)]
        if toward < 0:
            line, steps = line[::-1], steps[::-1]
        tokens.append(
            tuple(
                Token(
                    b.spots[i], float(b.sideways[i]), gap, b.spots[added[i]] if i in added else None
                )
                for i, gap in zip(line, [*steps, 0.0], strict=True)
            )
        )
    return Framed(tuple(tokens), _spread(list(gaps.values())), owner)


def _level(line: list[int], b: Bearing) -> float:
    levels = sorted(float(b.across[i]) for i in line)
    return levels[len(levels) // 2]


def _owner_evidence(lines: list[list[int]], added: dict[int, int], b: Bearing) -> float:
    """Log-odds by how the tiles lie that the owner sits on the right-hand side of the direction, so
    that it runs from his left to his right.

    A sideways tile lies flush with the others on the owner's side, one added to it lies beyond;
    melds lie at the owner's right more often than at the left.
    """
    evidence = 0.0
    for line in lines:
        slope = _slope([i for i in line if b.sideways[i] < 0], b)
        for k, i in enumerate(line):
            if b.sideways[i] <= 0:
                continue
            near = [
                n
                for n in line[max(0, k - 2) : k + 3]
                if b.sideways[n] < 0 and abs(b.along[n] - b.along[i]) < 2.6
            ]
            if near:
                offset = float(b.across[i]) - _level_at(near, float(b.along[i]), slope, b)
                evidence += max(-5.0, min(5.0, 30.0 * offset))
        for i in set(line) & added.keys():
            evidence -= 4.0 * math.copysign(1.0, float(b.across[added[i]] - b.across[i]))
    longest = max(lines, key=len)
    places = [
        k / max(len(longest) - 1, 1) - 0.5 for k, i in enumerate(longest) if b.sideways[i] > 0
    ]
    return evidence + sum(0.7 * place for place in places)


def _slope(upright: list[int], b: Bearing) -> float:
    """How much a line's level changes a tile width, by its upright tiles."""
    if len(upright) < 4:
        return 0.0
    along = b.along[upright] - b.along[upright].mean()
    return float((along * b.across[upright]).sum() / max(float((along**2).sum()), 1e-6))


def _level_at(near: list[int], along: float, slope: float, b: Bearing) -> float:
    """Level of a line there, by tiles that are near."""
    return sum(float(b.across[n]) + slope * (along - float(b.along[n])) for n in near) / len(near)


def _gaps(line: list[int], b: Bearing) -> list[float]:
    """Free space between neighbours, tile widths; at most `_FAR_GAP`.

    Steps from centre to centre are compared with those hereabouts, for what is left of the
    perspective changes along a row: the smaller ones are taken to be of tiles that touch.
    """
    lengths = [float(b.half[i, 0] + b.half[j, 0]) for i, j in pairwise(line)]
    shares = [
        float(b.along[j] - b.along[i]) / length
        for (i, j), length in zip(pairwise(line), lengths, strict=True)
    ]
    gaps = []
    for k, (share, length) in enumerate(zip(shares, lengths, strict=True)):
        around = sorted(shares[max(0, k - _REACH) : k + _REACH + 1])
        usual = around[(len(around) - 1) // 3] if len(around) >= 4 else around[0]
        usual = min(max(usual, 1.0 + b.usual - _SLACK), 1.0 + b.usual + _SLACK)
        gaps.append(min((share / usual - 1.0) * length, _FAR_GAP))
    return gaps


def _spread(gaps: list[list[float]]) -> float:
    """Scatter of the gaps between tiles that touch: from the smaller ones."""
    flat = sorted(abs(gap) for line in gaps for gap in line if gap < 1.0)
    smaller = flat[: len(flat) * 2 // 3 + 1]
    return min(max(1.5 * sum(smaller) / len(smaller), 0.06), 0.22) if len(flat) >= 4 else 0.1
