"""The rows of a direction as pieces, and how likely two pieces are of one hand.

Rows are cut where it is not sure that they go on. Pieces are linked with log-odds: close and in line, or side by side, of one size,
and by what is on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scoring.tiles import Tile
from vision.layout_geometry import Array, Ground, Spot
from vision.layout_rows import Bearing, offsets, parted, rough

ADDED = 6.0
"""Log-odds that a tile over another as the fourth of a kong is of its hand."""
_REACH = 5.0
"""Free space, tile widths, beyond which two pieces are not of one hand."""
_ELSEWHERE = 3.0
"""Log-odds by which flowers that touch other tiles are likelier part of those than of a hand further away."""
_FAINT, _FAINTER, _FAINT_IN_LINE = 0.05, 40.0, 8.0
"""By how much the score of a lone box may be below that of a row's tiles before it is doubtful that it is one, and what more costs;
less where it continues a row, for little else lies just there."""
_FAR_FLOWERS = -5.0
"""Least log-odds of flowers anywhere near: on an empty table they are of the only hand there is. What is on them is added."""
_DOUBTFUL, _DOUBTFUL_FLOWER = 3.0, 5.0
"""Cost of a lone tile, and of a flower, that may have been dropped there and not laid: of 361 flowers that lie square by their
boxes but not by their axes 3 were laid."""


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
        rough: by how much its levels differ and its tiles overlap beyond what laid ones do, tile widths together.
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
        links: log-odds that two pieces are of one hand, by their positions (smaller first); pairs that cannot be are absent.
        added: positions of the lone tiles that lie over a tile of another piece as the fourth of a kong, with its place in the
            bearing.
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
        for row in parted(bearing)
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
    return Table(bearing, pieces, links, added, tuple(_root(parent, i) for i in range(len(pieces))), count, faint, space.free)


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
        # Of the pairs of tiles of two pieces the closest one tells how the pieces lie to each other.
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
        return cls(out[0], out[1], out[2], out[3], b.usual, np.array([not p.flowers for p in pieces]))

    def in_line(self, i: int, j: int) -> bool:
        """Beside each other on one level."""
        return bool(self.beside[i, j] > -0.35 and self.offset[i, j] < 0.5)


def _added(b: Bearing, pieces: Sequence[Piece], space: _Space) -> dict[int, int]:
    """Lone tiles that are the fourth of an added kong: over a sideways tile, or over the middle one of three of their kind."""
    found: dict[int, int] = {}
    for i, piece in enumerate(pieces):
        if len(piece.tiles) > 1 or piece.tiles[0].back > 0.5 or piece.flowers:
            continue
        top = piece.places[0]
        best: tuple[float, int] | None = None
        for j, other in enumerate(pieces):
            if len(other.tiles) < 3 or space.free[i, j] > 0.6:
                continue
            for k, base in enumerate(other.places):
                if (b.sideways[base] > 0) != (b.sideways[top] > 0):
                    continue
                beside = abs(b.along[top] - b.along[base])
                away = abs(b.across[top] - b.across[base]) - 2 * b.half[base, 1]
                trio = _trio(other, k, piece.tiles[0])
                if beside < 0.42 and -0.75 < away < 0.4 and trio and (best is None or beside < best[0]):
                    best = (float(beside), base)
        if best is not None:
            found[i] = best[1]
    return found


def _trio(row: Piece, k: int, tile: Spot) -> bool:
    """Of three tiles of the row, that at `k` among them, two at least are of the kind of `tile`: one may be misread, and over no
    other set lies a tile of which it shows two."""
    same = [t.face is tile.face for t in row.tiles]
    return any(sum(same[s : s + 3]) > 1 and s + 3 <= len(same) for s in range(max(k - 2, 0), k + 1))


def _link(a: Piece, b: Piece, space: _Space, i: int, j: int, faint: float) -> float | None:
    """Log-odds that two pieces are of one hand; None if they cannot be."""
    second = b
    if len(b.tiles) > len(a.tiles):
        a, b = b, a
    if any(share_of_backs(piece.tiles) > 0.9 and len(piece.tiles) != 4 for piece in (a, b)):
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
        strength -= 25.0 * max(b.askew - 0.1, 0.0) + 2.0 * b.sideways + 2.0 * max(float(space.free[i, j]) - 1.5, 0.0)
        lone = space.free[j if b is second else i]
        if min(t.score for t in b.tiles) > faint:
            strength = max(strength, _FAR_FLOWERS)
        strength -= _ELSEWHERE * bool((lone[space.faces] < min(0.4, float(space.free[i, j]) - 0.6)).any())
    if b.doubtful:
        strength -= _DOUBTFUL_FLOWER if b.flowers else _DOUBTFUL
    unlike = max(abs(a.size - b.size) - 0.08, 0.0)
    strength -= 30.0 * unlike**2
    if len(b.tiles) == 1:
        strength -= (_FAINT_IN_LINE if space.in_line(i, j) else _FAINTER) * max(faint - b.tiles[0].score, 0.0)
    if strength < (_FAR_FLOWERS - 0.1 if b.flowers else -4.0):
        return None
    return strength + _content(a if a.flowers else b)


def _content(piece: Piece) -> float:
    """Log-odds of a small piece by what is on it: a set, flowers, or something that a hand does not show apart."""
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
    return faces[0].is_suited and faces[0].suit is faces[2].suit and all(b - a == 1 for a, b in pairwise(faces))


def share_of_backs(tiles: Sequence[Spot]) -> float:
    return sum(t.back for t in tiles) / len(tiles)
