"""Which of the tiles on the table are the hand.

A hand is a set of linked pieces; a beam search finds the sets with the highest sum of links,
weighed with whether their tiles can be a complete hand, how many they are, and what they leave out.
Nothing here knows where on the photo a hand lies or how large its tiles are in pixels.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Spot
from hupai.vision.layout.completeness import may_be_complete
from hupai.vision.layout.segments import ADDED, Piece, Table, is_set

_BEAM = 10
_MOST_PIECES = 14
_MOST_TILES = 28
_COMPLETE = 4.0
"""Log-odds by which tiles that are a complete hand are likelier one than tiles that only are as
many.
"""
_NOTHING_ELSE = 4.0
"""Log-odds that tiles beside which there is nothing on the photo are a hand, and all of them."""
_TWO_PLACES = 1.5
"""Cost of flowers in more than one place."""
_LONE = 2.5
"""Log-odds, at most, by which flowers are of a hand because nothing else is as near to them,"""
_FAR, _FARTHER = 3.0, 2.0
"""less this for every tile by which they are further away than so many tiles, unless there is
nothing else on the photo: of 1,407 flowers that lay further from a hand 7 were its own.
"""
_ROUGH = 2.0
"""Cost of a tile width by which the rows are uneven: what lies in heaps forms no good rows."""
_BESIDE = 1.7
"""Tiles are beside each other up to this distance of their middles, tile widths: touching, and one
of them sideways.
"""
_PASSED_BY = 0.35
"""How much it counts against a complete hand that it leaves something out, against 1 for one that
is not complete.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A set of pieces taken for the hand; `score` is in log-odds, comparable between selections of
    one photo.
    """

    table: Table
    chosen: tuple[int, ...]
    score: float
    complete: bool

    @property
    def whole(self) -> bool:
        """It is all there is on the photo, and about as many tiles as a hand has."""
        tiles = self.tiles
        return _all_there(self.table, tiles) and 13 <= len(tiles) <= 20

    @property
    def ids(self) -> frozenset[int]:
        """Ids of its tiles."""
        return frozenset(t.id for i in self.chosen for t in self.table.pieces[i].tiles)

    @property
    def tiles(self) -> tuple[Spot, ...]:
        """Its tiles."""
        return tuple(t for i in self.chosen for t in self.table.pieces[i].tiles)


def selections(table: Table) -> tuple[Selection, ...]:
    """Candidates for the hand, best first, each with another set of tiles; empty where nothing
    resembles one.
    """
    best: dict[frozenset[int], tuple[float, bool]] = {}
    worth: dict[frozenset[int], tuple[float, bool]] = {}
    around = _neighbours(table)
    starts = sorted(range(len(table.pieces)), key=lambda i: -len(table.pieces[i].tiles))
    for start in starts[:_MOST_STARTS]:
        piece = table.pieces[start]
        if (len(piece.tiles) >= 3 or start == starts[0]) and sum(
            t.back < 0.5 for t in piece.tiles
        ) >= 2:
            _grow(table, around, start, best, worth)
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], sorted(item[0])))
    return tuple(
        Selection(table, tuple(sorted(chosen)), score, complete)
        for chosen, (score, complete) in ranked[:_MOST_SELECTIONS]
    )


_MOST_SELECTIONS = 16
_MOST_STARTS = 12


Worths = dict[frozenset[int], tuple[float, bool]]
"""Log-odds of sets of pieces, and whether their tiles can be a complete hand."""


def _grow(
    table: Table, around: dict[int, dict[int, float]], start: int, best: Worths, worths: Worths
) -> None:
    """Beam search from one piece; notes the score of each set met in `best`, what it is worth
    without its links in `worths`.
    """
    beam: list[tuple[float, frozenset[int]]] = [(0.0, frozenset((start,)))]
    while beam:
        following: dict[frozenset[int], float] = {}
        for gain, chosen in beam:
            edge = {j: strength for j, strength in _edge(around, chosen).items() if j not in chosen}
            if chosen not in worths:
                worths[chosen] = _worth(table, around, chosen, edge)
            worth, complete = worths[chosen]
            score = gain + worth
            if chosen in best and score <= best[chosen][0]:
                # From another piece the search has been here before, and no worse.
                continue
            best[chosen] = (score, complete)
            if (
                len(chosen) >= _MOST_PIECES
                or sum(len(table.pieces[i].tiles) for i in chosen) > _MOST_TILES
            ):
                continue
            for j, strength in edge.items():
                if strength > -3.5:
                    larger = chosen | {j}
                    following[larger] = max(
                        following.get(larger, -math.inf), gain - _softplus(-strength)
                    )
        beam = [
            (gain, chosen)
            for chosen, gain in heapq.nlargest(_BEAM, following.items(), key=lambda item: item[1])
        ]


def _neighbours(table: Table) -> dict[int, dict[int, float]]:
    around: dict[int, dict[int, float]] = {i: {} for i in range(len(table.pieces))}
    for (i, j), strength in table.links.items():
        around[i][j] = around[j][i] = strength
    return around


def _weight(piece: Piece) -> float:
    """How much it counts to leave a piece out: lone tiles lie about."""
    return min(len(piece.tiles), 3) / 3


def _edge(around: dict[int, dict[int, float]], chosen: Iterable[int]) -> dict[int, float]:
    """Pieces that could join, with their strongest link."""
    edge: dict[int, float] = {}
    for i in chosen:
        for j, strength in around[i].items():
            if strength > edge.get(j, -math.inf):
                edge[j] = strength
    return edge


def _worth(
    table: Table,
    around: dict[int, dict[int, float]],
    chosen: frozenset[int],
    edge: dict[int, float],
) -> tuple[float, bool]:
    """Log-odds of a set of pieces by what it is: number of tiles, whether they are complete, and
    what it leaves out.
    """
    tiles = [t for i in chosen for t in table.pieces[i].tiles]
    count = count_worth(tiles)
    complete = count >= 3.0 and complete_at(tiles)
    firm = [i for i in chosen if len(table.pieces[i].tiles) > 2 and not table.pieces[i].flowers]
    passed = _edge(around, firm)
    left_out = 0.0
    for j, strength in edge.items():
        piece = table.pieces[j]
        if piece.flowers:
            left_out += _softplus(strength + _nearness(table, j, chosen))
        elif j in passed:
            if j in table.added and any(table.added[j] in table.pieces[i].places for i in chosen):
                left_out += ADDED
                continue
            left_out += _softplus(passed[j]) * _weight(piece) * (_PASSED_BY if complete else 1.0)
    backs = max(sum(t.back > 0.5 for t in tiles) - 4 * _kong_room(tiles), 0)
    near = 0.0
    for j in chosen:
        others = chosen - {j}
        if table.pieces[j].flowers and others:
            strength = max((around[j][i] for i in others if i in around[j]), default=-4.0)
            near += _softplus(-strength) - _softplus(-strength - _nearness(table, j, others))
    whole = _NOTHING_ELSE if _all_there(table, tiles) and 13 <= len(tiles) <= 22 else 0.0
    rough = _ROUGH * sum(table.pieces[i].rough for i in chosen) * (_PASSED_BY if complete else 1.0)
    return count - rough + _COMPLETE * complete + whole + near - left_out - _scatter(
        table, chosen
    ) - 1.2 * backs, complete


def _all_there(table: Table, tiles: Sequence[Spot]) -> bool:
    """No other surely seen tile is on the photo."""
    return sum(t.score >= table.faint for t in tiles) == table.count


def _nearness(table: Table, flowers: int, chosen: frozenset[int]) -> float:
    """Log-odds by which flowers are nearer to a hand than to anything else, or the other way
    round.
    """
    own = [i for i in chosen if not table.pieces[i].flowers]
    if all(t.score < table.faint for t in table.pieces[flowers].tiles):
        # What is not surely a tile is nobody's.
        return 0.0
    others = [i for i, piece in enumerate(table.pieces) if not piece.flowers and i not in chosen]
    if not own:
        return 0.0
    away = min(
        float(table.free[flowers, others].min()) if others else math.inf,
        float(table.bearing.strange[list(table.pieces[flowers].places)].min()) - 1.0,
    )
    near = float(table.free[flowers, own].min())
    farther = _FARTHER * max(near - _FAR, 0.0) if math.isfinite(away) else 0.0
    return max(-2.0, min(_LONE, 1.2 * (away - near)) - farther)


def _softplus(x: float) -> float:
    """log(1 + exp(x)): what it costs, in log-odds, that a link of strength x does not hold."""
    return math.log1p(math.exp(x)) if x < 30 else x


def _scatter(table: Table, chosen: frozenset[int]) -> float:
    """Cost of many short rows: a hand lies in one or two long ones, with sets and flowers about
    it.
    """
    homes: dict[int, list[Spot]] = {}
    for i in chosen:
        if i not in table.added and not table.pieces[i].flowers:
            homes.setdefault(table.lines[i], []).extend(table.pieces[i].tiles)
    flowers = {table.lines[i] for i in chosen if table.pieces[i].flowers}
    cost = _TWO_PLACES * max(len(flowers) - 1, 0)
    for tiles in sorted(homes.values(), key=len, reverse=True)[1:]:
        cost += 0.5 if is_set(tiles) or len(tiles) > 4 else 1.4 if len(tiles) > 2 else 2.0
    longest = max((len(tiles) for tiles in homes.values()), default=0)
    return cost + 1.0 * max(4 - longest, 0)


def complete_at(tiles: Sequence[Spot]) -> bool:
    """Whether tiles may be a complete hand by their likeliest faces, each back in a kong with what
    lies beside it.
    """
    backs = [t for t in tiles if t.face is Tile.BACK]
    beside = {t.face for t in tiles for b in backs if math.hypot(t.x - b.x, t.y - b.y) < _BESIDE}
    return may_be_complete([t.face for t in tiles], beside)


def count_worth(tiles: Sequence[Spot]) -> float:
    """Log-odds of the number of tiles: 13 or 14 and one more for each kong, flowers apart."""
    faces = [0] * len(Tile)
    for t in tiles:
        if t.flower < 0.5:
            faces[Tile.BACK if t.back >= 0.5 else t.face] += 1
    high = sum(faces)
    low = high - sum(n >= 4 for n in faces[: Tile.BACK]) - _hidden_kongs(faces)
    if low <= 14 <= high:
        return 3.0
    if low <= 13 <= high:
        return 1.8
    cost = 1.2 * (low - 14) if low > 14 else 0.8 * (13 - high)
    floor = 0.0 if 13 <= len(tiles) <= 20 else -16.0
    return max(1.2 - cost, floor)


def _hidden_kongs(faces: Sequence[int]) -> int:
    """How many kongs the face-down tiles may be part of at most, by how often each face is open."""
    backs, kongs = faces[Tile.BACK], 0
    for open_ in (3, 2):
        some = min(faces[: Tile.BACK].count(open_), backs // (4 - open_))
        kongs, backs = kongs + some, backs - some * (4 - open_)
    return kongs + -(-backs // 4)


def _kong_room(tiles: list[Spot]) -> int:
    """How many face-down kongs the tiles leave room for."""
    return min(4, (sum(t.back > 0.5 for t in tiles) + 1) // 2)
