"""Which of the tiles on the table are the hand.

Rows are cut into pieces where a gap, an offset or a misfit makes it doubtful that the next tile belongs. Pieces that may belong
together are linked with log-odds: close and in line, or side by side and parallel. A hand is a set of linked pieces; a beam search
finds the sets with the highest sum of links, weighed with how well their number of tiles suits a hand. Nothing here knows where
on the photo a hand lies or how large its tiles are in pixels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scoring.tiles import Tile
from vision.layout_geometry import Extent, Row, Spot, Step, between, extent, fit
from vision.layout_rows import as_row

_LOOSE_GAP = 0.55
_ADDED = 5.0
_REACH = 7.0
_BEAM = 12
_MOST_PIECES = 14
_MOST_TILES = 26


@dataclass(frozen=True, slots=True)
class Frame:
    """A row in the frame of a direction: the stretch it takes, its level across, and the usual side of its tiles."""

    low: float
    high: float
    level: float
    side: Extent

    @classmethod
    def of(cls, row: Row, phi: float) -> Frame:
        """A row in the frame of direction `phi`."""
        cos, sin = math.cos(phi), math.sin(phi)
        sides = [extent(t, phi) for t in row.tiles]
        places = [t.x * cos + t.y * sin for t in row.tiles]
        levels = sorted(t.y * cos - t.x * sin for t in row.tiles)
        middle = sides[len(sides) // 2]
        return cls(
            min(p - e.along / 2 for p, e in zip(places, sides, strict=True)),
            max(p + e.along / 2 for p, e in zip(places, sides, strict=True)),
            levels[len(levels) // 2],
            middle,
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a row whose tiles surely lie together.

    Attributes:
        row: the part, as a row of its own.
        home: number of the row it was cut from; pieces of one home lie in one line.
        order: its place in that row.
        size: mean of half the sum of its tiles' sides, pixels.
        frame: its stretch and level in its own direction.
    """

    row: Row
    home: int
    order: int
    size: float
    frame: Frame

    @property
    def tiles(self) -> tuple[Spot, ...]:
        """Its tiles in the order they lie."""
        return self.row.tiles

    @property
    def flowers(self) -> bool:
        """It holds nothing but flowers."""
        return all(t.flower > 0.5 for t in self.tiles)


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of pieces taken for the hand; `score` is in log-odds, comparable between selections of one photo."""

    pieces: tuple[Piece, ...]
    score: float

    @property
    def ids(self) -> frozenset[int]:
        """Ids of its tiles."""
        return frozenset(t.id for piece in self.pieces for t in piece.tiles)


@dataclass(frozen=True, slots=True)
class Table:
    """The pieces of a photo and their links.

    Attributes:
        pieces: all pieces.
        links: log-odds that two pieces are of one hand, by their positions (smaller first); pairs that cannot be are absent.
        added: positions of the lone sideways tiles that lie over a sideways tile of another piece.
    """

    pieces: tuple[Piece, ...]
    links: dict[tuple[int, int], float]
    added: frozenset[int] = frozenset()


def lay_out(rows: tuple[Row, ...]) -> Table:
    """Cut rows into pieces and link them."""
    pieces = tuple(piece for home, row in enumerate(rows) for piece in _cut(row, home))
    links = {}
    added = set()
    for i, a in enumerate(pieces):
        for j in range(i + 1, len(pieces)):
            if _far(a, pieces[j]):
                continue
            over = _added(i, j, pieces)
            if over is not None:
                added.add(over)
            strength = _ADDED if over is not None else _link(a, pieces[j], rows)
            if strength is not None:
                links[i, j] = strength
    return Table(pieces, links, frozenset(added))


def selections(table: Table) -> tuple[Selection, ...]:
    """Candidates for the hand, best first, each with another set of tiles; empty where nothing resembles one."""
    best: dict[frozenset[int], float] = {}
    around = _neighbours(table)
    largest = max((piece.size for piece in table.pieces), default=1.0)
    for start, piece in enumerate(table.pieces):
        if len(piece.tiles) >= 3 and _share_of_backs((piece,)) < 0.5:
            _grow(table, around, start, largest, best)
    ranked = sorted(best.items(), key=lambda item: (-item[1], sorted(item[0])))
    return tuple(Selection(tuple(table.pieces[i] for i in sorted(chosen)), score) for chosen, score in ranked[:24])


def _grow(table: Table, around: dict[int, dict[int, float]], start: int, largest: float, best: dict[frozenset[int], float]) -> None:
    """Beam search from one piece; notes the score of each set met in `best`."""
    beam: list[tuple[float, frozenset[int]]] = [(0.0, frozenset((start,)))]
    while beam:
        following: dict[frozenset[int], float] = {}
        for gain, chosen in beam:
            edge = {j: strength for j, strength in _edge(around, chosen).items() if j not in chosen}
            firm = [i for i in chosen if len(table.pieces[i].tiles) > 2 and not table.pieces[i].flowers]
            passed_over = {j: strength for j, strength in _edge(around, firm).items() if j not in chosen}
            score = gain + _worth(table, chosen, passed_over, largest)
            if chosen not in best or score > best[chosen]:
                best[chosen] = score
            if len(chosen) >= _MOST_PIECES or sum(len(table.pieces[i].tiles) for i in chosen) > _MOST_TILES:
                continue
            for j, strength in edge.items():
                if strength > -3.5:
                    larger = chosen | {j}
                    following[larger] = max(following.get(larger, -math.inf), gain - _softplus(-strength))
        ranked = sorted(following.items(), key=lambda item: (-item[1], sorted(item[0])))
        beam = [(gain, chosen) for chosen, gain in ranked[:_BEAM]]


def _neighbours(table: Table) -> dict[int, dict[int, float]]:
    around: dict[int, dict[int, float]] = {i: {} for i in range(len(table.pieces))}
    for (i, j), strength in table.links.items():
        around[i][j] = around[j][i] = strength
    return around


def _weight(piece: Piece) -> float:
    """How much it counts to leave a piece out: lone tiles lie about, unless they are flowers."""
    return 1.0 if piece.flowers else min(len(piece.tiles), 3) / 3


def _edge(around: dict[int, dict[int, float]], chosen: Iterable[int]) -> dict[int, float]:
    """Pieces that could join, with their strongest link."""
    edge: dict[int, float] = {}
    for i in chosen:
        for j, strength in around[i].items():
            if strength > edge.get(j, -math.inf):
                edge[j] = strength
    return edge


def _worth(table: Table, chosen: frozenset[int], edge: dict[int, float], largest: float) -> float:
    """Log-odds of a set of pieces by what it is: its number of tiles, its backs, its size, and what it leaves out."""
    pieces = [table.pieces[i] for i in chosen]
    rows = [table.pieces[i] for i in chosen if i not in table.added]
    tiles = [t for piece in pieces for t in piece.tiles]
    left_out = sum(_softplus(strength) * _weight(table.pieces[j]) for j, strength in edge.items())
    size = sum(piece.size * len(piece.tiles) for piece in pieces) / len(tiles)
    backs = max(sum(t.back > 0.5 for t in tiles) - 4 * _kong_room(tiles), 0)
    return count_worth(tiles) - left_out - _scatter(rows) + 2.0 * math.log(size / largest) - 1.2 * backs


def _softplus(x: float) -> float:
    """log(1 + exp(x)): what it costs, in log-odds, that a link of strength x does not hold."""
    return math.log1p(math.exp(x)) if x < 30 else x


def _scatter(pieces: list[Piece]) -> float:
    """Cost of many short rows: a hand lies in one or two long ones, with sets and flowers about it."""
    homes: dict[int, list[Spot]] = {}
    for piece in pieces:
        homes.setdefault(piece.home, []).extend(piece.tiles)
    cost = 0.0
    for tiles in sorted(homes.values(), key=len, reverse=True)[1:]:
        known = all(t.flower > 0.5 for t in tiles) or _is_set(tiles)
        cost += 0.5 if known or len(tiles) > 4 else 1.4 if len(tiles) > 2 else 2.0
    longest = max((len(tiles) for tiles in homes.values()), default=0)
    return cost + 1.0 * max(4 - longest, 0)


def count_worth(tiles: list[Spot]) -> float:
    """Log-odds of the number of tiles: 13 or 14 and one more for each kong, flowers apart."""
    playable = [t for t in tiles if t.flower < 0.5]
    faces = Counter(t.face for t in playable if t.back < 0.5)
    kongs = sum(n >= 4 for n in faces.values()) + -(-sum(t.back > 0.5 for t in playable) // 4)
    low, high = len(playable) - kongs, len(playable)
    if low <= 14 <= high:
        return 3.0
    if low <= 13 <= high:
        return 1.8
    cost = 1.2 * (low - 14) if low > 14 else 0.8 * (13 - high)
    floor = 0.0 if 13 <= len(tiles) <= 20 else -16.0
    return max(1.2 - cost, floor)


def _kong_room(tiles: list[Spot]) -> int:
    """How many face-down kongs the tiles leave room for."""
    return min(4, (sum(t.back > 0.5 for t in tiles) + 1) // 2)


def _share_of_backs(pieces: tuple[Piece, ...]) -> float:
    tiles = [t for piece in pieces for t in piece.tiles]
    return sum(t.back for t in tiles) / len(tiles)


def _tile_size(row: Row) -> float:
    """Mean of half the sum of the tiles' sides, pixels."""
    sides = [extent(t, row.phi) for t in row.tiles]
    return sum(e.along + e.across for e in sides) / (2 * len(sides))


def _cut(row: Row, home: int) -> list[Piece]:
    """The parts of a row between its doubtful steps."""
    usual = _usual_gap(row)
    pieces, start = [], 0
    for i, taken in enumerate(row.steps):
        if is_loose(taken, usual):
            pieces.append(row.tiles[start : i + 1])
            start = i + 1
    pieces.append(row.tiles[start:])
    parts = [as_row(part) if len(part) > 1 else Row(part, row.phi) for part in pieces]
    return [Piece(part, home, k, _tile_size(part), Frame.of(part, part.phi)) for k, part in enumerate(parts)]


def _usual_gap(row: Row) -> float:
    """Gap of tiles that touch: boxes around faces leave one, loose boxes a negative one."""
    gaps = sorted(taken.gap for taken in row.steps)
    return min(gaps[len(gaps) // 3], 0.5) if len(gaps) >= 3 else 0.0


def is_loose(taken: Step, usual: float) -> bool:
    """Whether a step is too wide, too far out or too different to be sure of."""
    return taken.gap - usual > _LOOSE_GAP or abs(taken.offset) > 0.36 or taken.misfit > 0.45


def _far(a: Piece, b: Piece) -> bool:
    """Too far apart to be of one hand, whatever they are."""
    distance = math.hypot(a.row.centre[0] - b.row.centre[0], a.row.centre[1] - b.row.centre[1])
    reach = (a.frame.high - a.frame.low + b.frame.high - b.frame.low) / 2
    return distance > reach + _REACH * max(a.size, b.size)


def _added(i: int, j: int, pieces: tuple[Piece, ...]) -> int | None:
    """Which of two pieces is the fourth tile of an added kong on the other: a lone tile over one of a row that lies as it does.

    It lies over the sideways tile, or over an upright one of three equal tiles of its own kind.
    """
    for top, base in ((i, j), (j, i)):
        tile, row = pieces[top].tiles[0], pieces[base].row
        if len(pieces[top].tiles) > 1 or len(row) < 3 or tile.back > 0.5:
            continue
        cos, sin = math.cos(row.phi), math.sin(row.phi)
        upright = _middle_upright(row)
        for k, below in enumerate(row.tiles):
            alike, against = fit(below, tile), fit(below, upright)
            if alike is None or alike.turned or against is None:
                continue
            if not against.turned and not _of_three(row, k, tile):
                continue
            side = extent(below, row.phi)
            beside = abs((tile.x - below.x) * cos + (tile.y - below.y) * sin)
            away = abs((tile.y - below.y) * cos - (tile.x - below.x) * sin)
            if beside < 0.45 * side.along and 0.3 * side.across < away < max(1.6 * side.across, 0.33 * below.girth):
                return top
    return None


def _of_three(row: Row, k: int, tile: Spot) -> bool:
    """The tile at a place of a row is the middle one of exactly three with the face of the one over it."""
    same = [t.face is tile.face for t in row.tiles]
    return 0 < k < len(same) - 1 and all(same[k - 1 : k + 2]) and sum(same[max(k - 2, 0) : k + 3]) == 3


def _middle_upright(row: Row) -> Spot:
    """A tile that lies as most of the row do."""
    return max(row.tiles, key=lambda t: sum(not f.turned for o in row.tiles if (f := fit(t, o)) is not None))


def _link(a: Piece, b: Piece, rows: tuple[Row, ...]) -> float | None:
    """Log-odds that two pieces are of one hand; None if they cannot be."""
    if len(b.tiles) > len(a.tiles):
        a, b = b, a
    if a.home == b.home and abs(a.order - b.order) == 1:
        return _link_in_row(a, b, rows[a.home])
    if any(_share_of_backs((piece,)) > 0.9 and len(piece.tiles) != 4 for piece in (a, b)):
        return None
    if a.home == b.home:
        return None
    return _link_apart(a, b)


def _link_in_row(a: Piece, b: Piece, row: Row) -> float:
    first = a if a.order < b.order else b
    taken = row.steps[row.tiles.index(first.tiles[-1])]
    gap = max(taken.gap - _usual_gap(row), 0.0)
    return _in_line(gap, abs(taken.offset), taken.misfit) + _content(a if a.flowers else b)


def _in_line(gap: float, offset: float, misfit: float) -> float:
    """Log-odds of pieces in one line: nearer is likelier, and so is more exactly in line than tiles lie by chance."""
    exact = 1.6 - 60.0 * min(offset, 0.3) ** 2 - 2.0 * max(offset - 0.3, 0.0)
    return 2.6 - 1.4 * gap + exact - 3.0 * max(misfit - 0.1, 0.0)


def _link_apart(a: Piece, b: Piece) -> float | None:
    """Pieces of different rows: in line with each other, or side by side."""
    phi = a.row.phi
    tilt = between(b.row.phi, phi) if len(b.tiles) > 1 else 0.0
    if tilt > math.radians(20):
        return None
    shape = fit(_middle(a), _middle(b))
    if shape is None:
        return None
    frame_a, frame_b = a.frame, Frame.of(b.row, phi)
    beside = max(frame_a.low, frame_b.low) - min(frame_a.high, frame_b.high)
    apart = abs(frame_a.level - frame_b.level)
    free = apart / ((frame_a.side.across + frame_b.side.across) / 2) - 1.0
    gap = beside / frame_a.side.along
    doubt = 3.0 * max(shape.misfit - 0.2, 0.0) + 4.0 * max(tilt - math.radians(4), 0.0)
    if free < -0.55:
        strength = _in_line(max(gap, 0.0), 1.0 + free, 0.0) if gap > -0.6 else None
    elif gap < 1.5:
        strength = 2.6 - 2.2 * max(free - 0.15, 0.0) - 0.8 * max(gap, 0.0)
        if shape.turned and len(b.tiles) == 1:
            strength -= 1.5
    else:
        strength = 0.4 - 0.8 * (gap - 1.5) - 1.5 * max(free, 0.0)
    if strength is None or strength - doubt < -4.0:
        return None
    return strength - doubt + _content(a if a.flowers else b)


def _content(piece: Piece) -> float:
    """Log-odds of a small piece by what is on it: a set, flowers, or something that a hand does not show apart."""
    tiles = piece.tiles
    if piece.flowers:
        return 1.2 + 0.6 * len(tiles)
    if len(tiles) > 5:
        return 0.0
    if len(tiles) == 1:
        return -1.0
    if _is_set(tiles):
        return 1.0
    return 0.3 if len(tiles) == 2 and tiles[0].face is tiles[1].face else -0.5


def _is_set(tiles: Sequence[Spot]) -> bool:
    """Three or four equal tiles, some of them perhaps face down, or three in a row."""
    if len(tiles) not in (3, 4):
        return False
    faces = sorted(t.face for t in tiles if t.face is not Tile.BACK)
    return len(set(faces)) <= 1 or (len(faces) == len(tiles) == 3 and _is_run(faces))


def _is_run(faces: Sequence[Tile]) -> bool:
    return faces[0].is_suited and faces[0].suit is faces[2].suit and all(b - a == 1 for a, b in pairwise(faces))


def _middle(piece: Piece) -> Spot:
    """A tile that stands for the others."""
    return piece.tiles[len(piece.tiles) // 2]
