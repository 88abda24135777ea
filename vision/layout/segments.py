"""The rows of a direction as pieces, and how likely two pieces are of one hand.

Rows are cut where it is not sure that they go on. Pieces are linked with log-odds: close and in
line, or side by side, of one size, and by what is on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import Array, Ground, Spot
from hupai.vision.layout.rows import Bearing, offsets, parted, rough

ADDED = 6.0
"""Log-odds that a tile over another as the fourth of a kong is of its hand."""
_REACH = 5.0
"""Free space, tile widths, beyond which two pieces are not of one hand."""
_ELSEWHERE = 3.0
"""Log-odds by which flowers that touch other tiles are likelier part of those than of a hand
further away.
"""
_FAINT, _FAINTER, _FAINT_IN_LINE = 0.05, 40.0, 8.0
"""By how much the score of a lone box may be below that of a row's tiles before it is doubtful that
it is one, and what more costs; less where it continues a row, for little else lies just there.
"""
_MOST_KONGS = 4
_MORE_ROOM = 0.06
"""By how much more room there is between two concealed kongs than between the tiles of one, tile
widths, at least.
"""
_FAR_FLOWERS = -5.0
"""Least log-odds of flowers anywhere near: on an empty table they are of the only hand there is.
What is on them is added.
"""
_DOUBTFUL, _DOUBTFUL_FLOWER = 3.0, 5.0
"""Cost of a lone tile, and of a flower, that may have been dropped there and not laid: of 361
flowers that lie square by their boxes but not by their axes 3 were laid.
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a row whose tiles surely lie together.

    Attributes:
        tiles: in the order they lie.
        places: their positions in the bearing.
        flowers: it holds nothing but flowers.
        size: logarithm of its tiles' usual size as a share of that of all tiles.
        askew: how far they lie from square, radians.
        sideways: most of its tiles lie along the direction.
        doubtful: a lone tile that may not lie square at all.
        rough: by how much its levels differ and its tiles overlap beyond what laid ones do, tile
            widths together.
    """

    tiles: tuple[Spot, ...]
    places: tuple[int, ...]
    flowers: bool
    size: float
    askew: float
    sideways: bool
    doubtful: bool
    rough: float


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The pieces of a bearing and their links.

    Attributes:
        bearing: the frame they lie in.
        pieces: all pieces.
        links: log-odds that two pieces are of one hand, by their positions (smaller first); pairs
            that cannot be are absent.
        added: positions of the lone tiles that lie over a tile of another piece as the fourth of a
            kong, with its place in the bearing.
        lines: for each piece the number of its line: pieces in line with each other share one.
        count: tiles on the photo, those of other directions included, faint ones not.
        faint: score below which a lone box may be no tile.
        free: shape (m, m), shortest way between the pieces, tile widths.
    """

    bearing: Bearing
    pieces: tuple[Piece, ...]
    links: dict[tuple[int, int], float]
    added: dict[int, int]
    lines: tuple[int, ...]
    count: int
    faint: float
    free: Array


def lay_out(bearing: Bearing, field: Ground) -> Table:
    """The pieces of a bearing's rows, linked."""
    pieces = tuple(
        Piece(
            tiles,
            row,
            all(t.flower > 0.5 for t in tiles),
            float(np.median(bearing.sizes[list(row)])),
            float(np.median(bearing.askew[list(row)])),
            bool(np.median(bearing.sideways[list(row)]) > 0),
            len(row) == 1 and bool(bearing.doubtful[row[0]]),
            rough(bearing, row),
        )
        for row in _rows(bearing)
        for tiles in [tuple(bearing.spots[i] for i in row)]
    )
    space = _Space.of(bearing, pieces)
    faint = float(np.median([t.score for t in pieces[0].tiles])) - _FAINT if pieces else 0.0
    added = _added(bearing, pieces, space)
    links: dict[tuple[int, int], float] = {}
    parent = list(range(len(pieces)))
    near = np.argwhere(np.triu(space.free < _REACH, 1))
    for i, j in near.tolist():
        over = added.get(i) in pieces[j].places or added.get(j) in pieces[i].places
        strength = ADDED if over else _link(pieces[i], pieces[j], space, i, j, faint)
        if strength is not None:
            links[i, j] = strength
        if not over and space.in_line(i, j):
            parent[_root(parent, j)] = _root(parent, i)
    count = sum(spot.score >= faint for spot in field.spots)
    return Table(
        bearing,
        pieces,
        links,
        added,
        tuple(_root(parent, i) for i in range(len(pieces))),
        count,
        faint,
        space.free,
    )


def _rows(b: Bearing) -> Iterator[tuple[int, ...]]:
    """The rows as far as they lie together: the fourth tiles of neighbouring kongs may lie in a row
    of their own, but are laid one by one, each over its kong; and concealed kongs that lie next to
    each other are one row of backs.
    """
    rows = list(parted(b))
    trios = [row for row in rows if len(row) > 2]
    for row in rows:
        if 1 < len(row) <= _MOST_KONGS and all(
            any(_base(b, i, other) is not None for other in trios if other != row) for i in row
        ):
            yield from ((i,) for i in row)
        else:
            yield from _kongs_apart(b, row)


def _kongs_apart(b: Bearing, row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """A row of backs cut into fours where there is clearly more room after each fourth one than
    elsewhere.
    """
    steps = np.diff(b.along[list(row)])
    after = np.arange(1, len(row)) % 4 == 0
    backs = all(b.spots[i].back > 0.5 for i in row)
    if (
        len(row) > 4
        and len(row) % 4 == 0
        and backs
        and steps[after].min() > steps[~after].max() + _MORE_ROOM
    ):
        yield from (row[k : k + 4] for k in range(0, len(row), 4))
    else:
        yield row


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        i = parent[i]
    return i


@dataclass(frozen=True, slots=True, eq=False)
class _Space:
    """How pieces lie to each other, shape (m, m) each, tile widths.

    Attributes:
        beside: free space along, negative where they overlap.
        apart: free space across, negative where they overlap.
        free: shortest way from one to the other.
        offset: for pieces beside each other, how far their nearest ends are off one level.
        usual: gap between tiles that touch.
        faces: shape (m,), pieces that are not flowers alone.
    """

    beside: Array
    apart: Array
    free: Array
    offset: Array
    usual: float
    faces: NDArray[np.bool_]

    @classmethod
    def of(cls, b: Bearing, pieces: Sequence[Piece]) -> _Space:
        order = [i for piece in pieces for i in piece.places]
        starts = np.cumsum([0, *(len(p.places) for p in pieces)])[:-1]
        along, across, half = b.along[order], b.across[order], b.half[order]
        if not order:
            none = np.zeros((0, 0))
            return cls(none, none, none, none, 0.0, np.zeros(0, bool))
        low, high = along - half[:, 0], along + half[:, 0]
        beside = np.maximum(np.maximum.outer(low, low) - np.minimum.outer(high, high), -1.0)
        apart = np.abs(across[None] - across[:, None]) - half[:, None, 1] - half[None, :, 1]
        free = np.hypot(np.maximum(beside, 0), np.maximum(apart, 0))
        # Of the pairs of tiles of two pieces the closest one tells how the pieces lie to each
        # other.
        key = free + 1e-3 * np.abs(along[None] - along[:, None])
        m = len(pieces)
        ends = np.append(starts[1:], len(order))
        shape = (m, m)
        out = [np.zeros(shape) for _ in range(4)]
        level = offsets(across, half)
        for i in range(m):
            rows = slice(starts[i], ends[i])
            for j in range(i + 1, m):
                block = key[rows, starts[j] : ends[j]]
                k, n = divmod(int(block.argmin()), block.shape[1])
                p, q = int(starts[i]) + k, int(starts[j]) + n
                for grid, values in zip(out, (beside, apart, free, level), strict=True):
                    grid[i, j] = grid[j, i] = values[p, q]
        np.fill_diagonal(out[2], np.inf)
        return cls(
            out[0], out[1], out[2], out[3], b.usual, np.array([not p.flowers for p in pieces])
        )

    def in_line(self, i: int, j: int) -> bool:
        """Beside each other on one level."""
        return bool(self.beside[i, j] > -0.35 and self.offset[i, j] < 0.5)


def _added(b: Bearing, pieces: Sequence[Piece], space: _Space) -> dict[int, int]:
    """Lone tiles that are the fourth of an added kong: over a sideways tile, or over the middle one
    of three of their kind.
    """
    found: dict[int, int] = {}
    for i, piece in enumerate(pieces):
        if len(piece.tiles) > 1 or piece.tiles[0].back > 0.5 or piece.flowers:
            continue
        below = [
            other.places
            for j, other in enumerate(pieces)
            if len(other.tiles) > 2 and space.free[i, j] <= 0.6
        ]
        bases = [base for row in below if (base := _base(b, piece.places[0], row)) is not None]
        if bases:
            found[i] = min(bases)[1]
    return found


def _base(b: Bearing, top: int, row: tuple[int, ...]) -> tuple[float, int] | None:
    """The tile of a row over which a tile may lie as the fourth of its kong, after how far beside
    it that lies, tile widths.
    """
    best: tuple[float, int] | None = None
    for k, base in enumerate(row):
        if (b.sideways[base] > 0) != (b.sideways[top] > 0):
            continue
        beside = float(abs(b.along[top] - b.along[base]))
        away = abs(b.across[top] - b.across[base]) - 2 * b.half[base, 1]
        if (
            beside < 0.42
            and -0.75 < away < 0.4
            and _trio(b, row, k, b.spots[top])
            and (best is None or beside < best[0])
        ):
            best = (beside, base)
    return best


def _trio(b: Bearing, row: tuple[int, ...], k: int, tile: Spot) -> bool:
    """Of three tiles of the row, that at `k` among them, two at least are of the kind of `tile`:
    one may be misread, and over no other set lies a tile of which it shows two.
    """
    same = [b.spots[i].face is tile.face for i in row]
    return any(sum(same[s : s + 3]) > 1 and s + 3 <= len(same) for s in range(max(k - 2, 0), k + 1))


def _link(a: Piece, b: Piece, space: _Space, i: int, j: int, faint: float) -> float | None:
    """Log-odds that two pieces are of one hand; None if they cannot be."""
    second = b
    if len(b.tiles) > len(a.tiles):
        a, b = b, a
    if any(_wall(piece.tiles) for piece in (a, b)):
        return None
    beside, apart = float(space.beside[i, j]), float(space.apart[i, j])
    gap = max(beside - space.usual, 0.0)
    if space.in_line(i, j):
        offset = min(float(space.offset[i, j]), 0.5)
        strength = 4.4 - 1.4 * gap - 8.0 * offset**2
    elif gap < 1.5:
        strength = 3.0 - 2.0 * max(apart - 0.2, 0.0) - 0.8 * gap
    else:
        strength = 0.4 - 0.8 * (gap - 1.5) - 1.2 * max(apart, 0.0)
    if b.flowers:
        strength -= (
            25.0 * max(b.askew - 0.1, 0.0)
            + 2.0 * b.sideways
            + 2.0 * max(float(space.free[i, j]) - 1.5, 0.0)
        )
        lone = space.free[j if b is second else i]
        if min(t.score for t in b.tiles) > faint:
            strength = max(strength, _FAR_FLOWERS)
        strength -= _ELSEWHERE * bool(
            (lone[space.faces] < min(0.4, float(space.free[i, j]) - 0.6)).any()
        )
    if b.doubtful:
        strength -= _DOUBTFUL_FLOWER if b.flowers else _DOUBTFUL
    unlike = max(abs(a.size - b.size) - 0.08, 0.0)
    strength -= 30.0 * unlike**2
    if len(b.tiles) == 1:
        strength -= (_FAINT_IN_LINE if space.in_line(i, j) else _FAINTER) * max(
            faint - b.tiles[0].score, 0.0
        )
    if strength < (_FAR_FLOWERS - 0.1 if b.flowers else -4.0):
        return None
    return strength + _content(a if a.flowers else b)


def _content(piece: Piece) -> float:
    """Log-odds of a small piece by what is on it: a set, flowers, or something that a hand does not
    show apart.
    """
    tiles = piece.tiles
    if piece.flowers:
        return 2.0 + 0.5 * len(tiles)
    if len(tiles) > 5:
        return 0.0
    if len(tiles) == 1:
        return -1.0
    if is_set(tiles):
        return 1.0
    return 0.3 if len(tiles) == 2 and tiles[0].face is tiles[1].face else -0.5


def is_set(tiles: Sequence[Spot]) -> bool:
    """Three or four equal tiles, some of them perhaps face down, or three in a row."""
    if len(tiles) not in (3, 4):
        return False
    faces = sorted(t.face for t in tiles if t.face is not Tile.BACK)
    return len(set(faces)) <= 1 or (len(faces) == len(tiles) == 3 and _is_run(faces))


def _is_run(faces: Sequence[Tile]) -> bool:
    return (
        faces[0].is_suited
        and faces[0].suit is faces[2].suit
        and all(b - a == 1 for a, b in pairwise(faces))
    )


def _wall(tiles: Sequence[Spot]) -> bool:
    """These tiles surely all lie face down, and are no kong."""
    return (
        len(tiles) != 4
        and all(t.back > 0.5 for t in tiles)
        and sum(t.back for t in tiles) > 0.9 * len(tiles)
    )
