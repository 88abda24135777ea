"""The hand in its owner's frame: which side is near, left to right, which tiles lie sideways."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from vision.layout_geometry import RATIO, Row, Spot, between, extent
from vision.layout_hand import Selection

_REACH = 4
_FAR_GAP = 3.0
"""Gap put between parts of a line that are further apart than any step, in sides of a tile."""


@dataclass(frozen=True, slots=True)
class Token:
    """A tile in its line.

    Attributes:
        spot: the tile.
        sideways: log-odds that it lies across the others.
        gap: free space to the next tile of the line, in sides of a tile, 0 where tiles touch as closely as others do.
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
    """

    lines: tuple[tuple[Token, ...], ...]
    spread: float


def frame(selection: Selection) -> Framed:
    """Order the tiles of a selection as their owner sees them."""
    homes: dict[int, list[Spot]] = {}
    for piece in sorted(selection.pieces, key=lambda p: (p.home, p.order)):
        homes.setdefault(piece.home, []).extend(piece.tiles)
    main = max(selection.pieces, key=lambda p: len(p.tiles))
    phi = _main_direction(main.row, homes[main.home])
    turned = _sideways(list(homes.values()), phi)
    lines, added = _lift_added([_along(tiles, phi) for tiles in homes.values()], turned, phi)
    lines = _join(lines, phi)
    if _owner_evidence(lines, turned, added, phi) < 0:
        phi += math.pi
        lines = [line[::-1] for line in lines]
    lines.sort(key=lambda line: (-len(line), _level(line, phi), line[0].id))
    level = [_gaps(line, turned, phi) for line in lines]
    tokens = tuple(
        tuple(Token(spot, turned[spot.id], gap, added.get(spot.id)) for spot, gap in zip(line, [*line_gaps, 0.0], strict=True))
        for line, line_gaps in zip(lines, level, strict=True)
    )
    return Framed(tokens, _spread(level))


def _main_direction(row: Row, home: list[Spot]) -> float:
    return row.phi if len(row) > 1 else Row(tuple(home), row.phi).phi


def _along(tiles: list[Spot], phi: float) -> list[Spot]:
    cos, sin = math.cos(phi), math.sin(phi)
    return sorted(tiles, key=lambda t: (t.x * cos + t.y * sin, t.id))


def _level(tiles: list[Spot], phi: float) -> float:
    """Median place across the row, pixels, growing to the right-hand side of its direction."""
    levels = sorted(t.y * math.cos(phi) - t.x * math.sin(phi) for t in tiles)
    return levels[len(levels) // 2]


def _sideways(lines: list[list[Spot]], phi: float) -> dict[int, float]:
    """Log-odds for each tile that it lies across the majority of the hand."""
    tiles = [t for line in lines for t in line]
    axes = [t for t in tiles if t.axis is not None]
    upright = sum(1 if between(t.axis or 0.0, phi) > math.pi / 4 else -1 for t in axes) >= 0
    shapes = {t.id: _log_aspect(t, phi) for t in tiles if not t.cut}
    known = sorted(value for value in shapes.values() if value is not None)
    usual = known[len(known) // 2] if known else 0.0
    odds = {}
    for t in tiles:
        shape = shapes.get(t.id)
        total = -4.0 if t.axis is None and (shape is None or len(known) < 3) else 0.0
        if t.axis is not None:
            turn = between(t.axis, phi) - math.pi / 4
            total += max(-4.0, min(4.0, (-turn if upright else turn) * 10.0))
        if shape is not None and len(known) >= 3:
            total += max(-5.0, min(5.0, (shape - usual - 0.3) * 16.0))
        odds[t.id] = max(-6.0, min(6.0, total))
    return odds


def _log_aspect(spot: Spot, phi: float) -> float | None:
    """Logarithm of a tile's side along the row by its side across; None where the box does not tell."""
    side = extent(spot, phi)
    return math.log(side.along / side.across) if side.known else None


def _join(lines: list[list[Spot]], phi: float) -> list[list[Spot]]:
    """Join lines that continue each other on one level, however wide the gap."""
    lines = sorted(lines, key=len, reverse=True)
    joined: list[list[Spot]] = []
    for line in lines:
        for other in joined:
            if _continues(other, line, phi):
                other.extend(line)
                other[:] = _along(other, phi)
                break
        else:
            joined.append(list(line))
    return joined


def _continues(a: list[Spot], b: list[Spot], phi: float) -> bool:
    cos, sin = math.cos(phi), math.sin(phi)
    side_a, side_b = extent(a[len(a) // 2], phi), extent(b[len(b) // 2], phi)
    if abs(_level(a, phi) - _level(b, phi)) > 0.5 * max(side_a.across, side_b.across):
        return False
    places_a = [t.x * cos + t.y * sin for t in a]
    places_b = [t.x * cos + t.y * sin for t in b]
    return max(min(places_a), min(places_b)) > min(max(places_a), max(places_b))


def _lift_added(lines: list[list[Spot]], turned: dict[int, float], phi: float) -> tuple[list[list[Spot]], dict[int, Spot]]:
    """Take lone tiles that lie over a tile of another line as the fourth of an added kong out of the lines."""
    cos, sin = math.cos(phi), math.sin(phi)
    added: dict[int, Spot] = {}
    for line in [line for line in lines if len(line) == 1]:
        top = line[0]
        for base in (base for other in lines if len(other) > 2 for base in other):
            sideways = turned[base.id] > 0
            if base.id in added or sideways != (turned[top.id] > 0) or not (sideways or base.face is top.face):
                continue
            side = extent(base, phi)
            beside = abs((top.x - base.x) * cos + (top.y - base.y) * sin)
            away = abs((top.y - base.y) * cos - (top.x - base.x) * sin)
            if beside < 0.45 * side.along and away < max(1.6 * side.across, 0.33 * base.girth):
                added[base.id] = top
    tops = set(added.values())
    return [line for line in lines if line[0] not in tops], added


def _owner_evidence(lines: list[list[Spot]], turned: dict[int, float], added: dict[int, Spot], phi: float) -> float:
    """Log-odds that the owner sits on the right-hand side of the direction, so that it runs from his left to his right.

    A sideways tile lies flush with the others on the owner's side, one added to it lies beyond; melds lie at the owner's right more
    often than at the left; and most photos are taken from the owner's side.
    """
    cos, sin = math.cos(phi), math.sin(phi)
    evidence = 3.5 * cos
    for line in lines:
        for i, tile in enumerate(line):
            if turned[tile.id] <= 0:
                continue
            near = [t for t in line[max(0, i - 2) : i + 3] if turned[t.id] < 0]
            if near:
                side = extent(near[0], phi)
                offset = (tile.y * cos - tile.x * sin) - _level(near, phi)
                evidence += max(-5.0, min(5.0, 40.0 * offset / side.across))
            if tile.id in added:
                top = added[tile.id]
                evidence -= 4.0 * math.copysign(1.0, (top.y - tile.y) * cos - (top.x - tile.x) * sin)
    places = [(i / max(len(line) - 1, 1) - 0.5) for line in lines[:1] for i, t in enumerate(line) if turned[t.id] > 0]
    return evidence + sum(0.7 * place for place in places)


def _gaps(line: list[Spot], turned: dict[int, float], phi: float) -> list[float]:
    """Free space between neighbours in short sides of a tile; at most `_FAR_GAP`.

    Steps from centre to centre are compared with those hereabouts, for boxes may be loose or tight and perspective changes along a
    row: the smaller ones are taken to be of tiles that touch.
    """
    cos, sin = math.cos(phi), math.sin(phi)
    places = [t.x * cos + t.y * sin for t in line]
    sides = [1 / RATIO if turned[t.id] > 0 else 1.0 for t in line]
    shares = [(b - a) / ((sides[i] + sides[i + 1]) / 2) for i, (a, b) in enumerate(pairwise(places))]
    short = sorted(extent(t, phi).along / side for t, side in zip(line, sides, strict=True))[len(line) // 2]
    gaps = []
    for i, share in enumerate(shares):
        around = sorted(shares[max(0, i - _REACH) : i + _REACH + 1])
        usual = around[(len(around) - 1) // 3] if len(around) >= 4 else min([1.1 * short, *around])
        usual = min(max(usual, 0.6 * short), 1.5 * short)
        gaps.append(min((share / usual - 1.0) * (sides[i] + sides[i + 1]) / 2, _FAR_GAP))
    return gaps


def _spread(gaps: list[list[float]]) -> float:
    """Scatter of the gaps between tiles that touch: from the smaller ones."""
    flat = sorted(abs(gap) for line in gaps for gap in line if gap < 1.0)
    smaller = flat[: len(flat) * 2 // 3 + 1]
    return min(max(1.5 * sum(smaller) / len(smaller), 0.08), 0.22) if len(flat) >= 4 else 0.1
