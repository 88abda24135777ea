"""The rows of a direction as segments, and how likely two segments are of one hand.

Rows are cut where it is not sure that they go on. Segments are linked with log-odds: close and in
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
from hupai.vision.layout.rows import RowFrame, level_offsets, trimmed_rows, unevenness

ADDED_LOG_ODDS = 6.0
"""Log-odds that a tile over another, as the fourth of a kong, is of its hand."""
_MAX_DISTANCE = 5.0
"""Free space beyond which two segments are not of one hand, tile widths."""
_TOUCHING_OTHERS_COST = 3.0
"""Cost of flowers that touch other tiles against a hand further away, log-odds."""
_SCORE_DROP = 0.05
"""Score by which a lone box may stay below a row's tiles before it is doubtful."""
_LOW_SCORE_COST = 40.0
"""Cost of a lone box per unit of score below that, log-odds."""
_LOW_SCORE_IN_LINE_COST = 8.0
"""The same for a box that continues a row, where little else lies."""
_MAX_ROW_OF_ADDED = 4
"""Most added tiles of neighbouring kongs that can form a row of their own."""
_MIN_KONG_GAP = 0.06
"""Least gap between adjacent concealed kongs beyond the gaps within them, tile widths."""
_MIN_FLOWER_LOG_ODDS = -5.0
"""Least log-odds of flowers by geometry: on an empty table they are of the only hand."""
_UNCERTAIN_TILE_COST = 3.0
"""Cost of an isolated tile whose axis is not aligned with the hand, log-odds."""
_UNCERTAIN_FLOWER_COST = 5.0
"""Cost of an isolated flower whose axis is not aligned with the hand, log-odds."""
_MIN_LINK = -4.0
"""Least log-odds of a link between two segments; weaker ones are dropped."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a row whose tiles surely lie together.

    Attributes:
        tiles: in the order they lie.
        places: their positions in the row frame.
        flowers: it holds nothing but flowers.
        size: median logarithm of its tiles' sizes relative to all tiles.
        askew: median angle of its tiles from square, radians.
        sideways: most of its tiles lie along the direction.
        uncertain: a lone tile that may not lie square at all.
        unevenness: level differences and overlaps beyond those of laid tiles, tile widths.
    """

    tiles: tuple[Spot, ...]
    places: tuple[int, ...]
    flowers: bool
    size: float
    askew: float
    sideways: bool
    uncertain: bool
    unevenness: float

    @classmethod
    def of(cls, frame: RowFrame, row: tuple[int, ...]) -> Segment:
        """Make a segment of the tiles at some places of the frame."""
        tiles, places = tuple(frame.spots[i] for i in row), list(row)
        return cls(
            tiles,
            row,
            all(t.flower > 0.5 for t in tiles),
            float(np.median(frame.sizes[places])),
            float(np.median(frame.askew[places])),
            bool(np.median(frame.sideways[places]) > 0),
            len(row) == 1 and bool(frame.uncertain[row[0]]),
            unevenness(frame, row),
        )


@dataclass(frozen=True, slots=True, eq=False)
class SegmentGraph:
    """The segments of a row frame and their links.

    Attributes:
        frame: the frame they lie in.
        segments: all segments.
        links: log-odds that two segments are of one hand, by their positions (smaller first);
            impossible pairs are absent.
        added: positions of lone tiles that lie over another segment as the fourth of a kong, with
            the place of the tile below.
        lines: the line of each segment; segments in line with each other share one.
        tile_count: tiles of the photo in all directions, low-scored ones not counted.
        low_score: score below which a lone box may be no tile.
        distance: shape (m, m), free space between the segments, tile widths.
    """

    frame: RowFrame
    segments: tuple[Segment, ...]
    links: dict[tuple[int, int], float]
    added: dict[int, int]
    lines: tuple[int, ...]
    tile_count: int
    low_score: float
    distance: Array


def segment_graph(frame: RowFrame, ground: Ground) -> SegmentGraph:
    """Cut the rows of a frame into segments and link them."""
    segments = tuple(Segment.of(frame, row) for row in _cut_rows(frame))
    spacing = _Spacing.of(frame, segments)
    low_score = 0.0
    if segments:
        low_score = float(np.median([t.score for t in segments[0].tiles])) - _SCORE_DROP
    added = _added_tiles(frame, segments, spacing)
    links: dict[tuple[int, int], float] = {}
    parent = list(range(len(segments)))
    for i, j in np.argwhere(np.triu(spacing.distance < _MAX_DISTANCE, 1)).tolist():
        over = added.get(i) in segments[j].places or added.get(j) in segments[i].places
        link = ADDED_LOG_ODDS if over else _link(segments, spacing, i, j, low_score)
        if link is not None:
            links[i, j] = link
        if not over and spacing.in_line(i, j):
            parent[_root(parent, j)] = _root(parent, i)
    return SegmentGraph(
        frame,
        segments,
        links,
        added,
        tuple(_root(parent, i) for i in range(len(segments))),
        sum(spot.score >= low_score for spot in ground.spots),
        low_score,
        spacing.distance,
    )


def _cut_rows(frame: RowFrame) -> Iterator[tuple[int, ...]]:
    """Yield the rows as far as they lie together.

    The added tiles of neighbouring kongs may form a row, but each belongs to its kong. Concealed
    kongs next to each other form one row of backs.
    """
    rows = list(trimmed_rows(frame))
    long = [row for row in rows if len(row) > 2]
    for row in rows:
        if 1 < len(row) <= _MAX_ROW_OF_ADDED and all(
            any(_tile_below(frame, i, other) is not None for other in long if other != row)
            for i in row
        ):
            yield from ((i,) for i in row)
        else:
            yield from _split_kongs(frame, row)


def _split_kongs(frame: RowFrame, row: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield a row of backs in fours where the gap after each fourth is clearly larger."""
    steps = np.diff(frame.along[list(row)])
    after = np.arange(1, len(row)) % 4 == 0
    backs = all(frame.spots[i].back > 0.5 for i in row)
    fours = len(row) > 4 and len(row) % 4 == 0 and backs
    if fours and steps[after].min() > steps[~after].max() + _MIN_KONG_GAP:
        yield from (row[k : k + 4] for k in range(0, len(row), 4))
    else:
        yield row


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        i = parent[i]
    return i


@dataclass(frozen=True, slots=True, eq=False)
class _Spacing:
    """How segments lie to each other, shape (m, m) each, tile widths.

    Attributes:
        beside: free space along, negative where they overlap.
        apart: free space across, negative where they overlap.
        distance: shortest way from one to the other, infinite on the diagonal.
        offset: how far their nearest ends are off one level.
        contact_gap: gap between tiles that touch.
        faces: shape (m,), segments that are not flowers alone.
    """

    beside: Array
    apart: Array
    distance: Array
    offset: Array
    contact_gap: float
    faces: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: RowFrame, segments: Sequence[Segment]) -> _Spacing:
        """Measure the closest tiles of each two segments."""
        faces = np.array([not s.flowers for s in segments], bool)
        order = [i for segment in segments for i in segment.places]
        m = len(segments)
        grids = np.zeros((4, m, m))
        if order:
            along, across, half = frame.along[order], frame.across[order], frame.half[order]
            low, high = along - half[:, 0], along + half[:, 0]
            beside = np.maximum(np.maximum.outer(low, low) - np.minimum.outer(high, high), -1.0)
            apart = np.abs(across[None] - across[:, None]) - half[:, None, 1] - half[None, :, 1]
            distance = np.hypot(np.maximum(beside, 0), np.maximum(apart, 0))
            values = np.stack([beside, apart, distance, level_offsets(across, half)])
            closeness = distance + 1e-3 * np.abs(along[None] - along[:, None])
            ends = np.cumsum([0, *(len(s.places) for s in segments)]).tolist()
            for i in range(m):
                for j in range(i + 1, m):
                    block = closeness[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
                    k, n = divmod(int(block.argmin()), block.shape[1])
                    grids[:, i, j] = grids[:, j, i] = values[:, ends[i] + k, ends[j] + n]
            np.fill_diagonal(grids[2], np.inf)
        return cls(grids[0], grids[1], grids[2], grids[3], frame.contact_gap, faces)

    def in_line(self, i: int, j: int) -> bool:
        """Tell whether two segments lie beside each other on one level."""
        return bool(self.beside[i, j] > -0.35 and self.offset[i, j] < 0.5)


def _added_tiles(frame: RowFrame, segments: Sequence[Segment], spacing: _Spacing) -> dict[int, int]:
    """Find the lone tiles that are the fourth of an added kong, and the places of those below."""
    found: dict[int, int] = {}
    for i, segment in enumerate(segments):
        if len(segment.tiles) > 1 or segment.tiles[0].back > 0.5 or segment.flowers:
            continue
        below = [
            base
            for j, other in enumerate(segments)
            if len(other.tiles) > 2 and spacing.distance[i, j] <= 0.6
            if (base := _tile_below(frame, segment.places[0], other.places)) is not None
        ]
        if below:
            found[i] = min(below)[1]
    return found


def _tile_below(frame: RowFrame, top: int, row: tuple[int, ...]) -> tuple[float, int] | None:
    """Find the tile of a row over which a tile lies as the fourth of its kong.

    Returns:
        How far beside it that lies, tile widths, and its place; None without such a tile.
    """
    best: tuple[float, int] | None = None
    for k, base in enumerate(row):
        if (frame.sideways[base] > 0) != (frame.sideways[top] > 0):
            continue
        beside = float(abs(frame.along[top] - frame.along[base]))
        away = abs(frame.across[top] - frame.across[base]) - 2 * frame.half[base, 1]
        over = beside < 0.42 and -0.75 < away < 0.4
        if over and (best is None or beside < best[0]) and _is_kong_below(frame, row, k, top):
            best = (beside, base)
    return best


def _is_kong_below(frame: RowFrame, row: tuple[int, ...], k: int, top: int) -> bool:
    """Tell whether of three tiles around position `k` two at least are of the kind of `top`.

    One may be misread.
    """
    same = [frame.spots[i].face is frame.spots[top].face for i in row]
    starts = range(max(k - 2, 0), min(k + 1, len(same) - 2))
    return any(sum(same[s : s + 3]) > 1 for s in starts)


def _link(
    segments: Sequence[Segment], spacing: _Spacing, i: int, j: int, low_score: float
) -> float | None:
    """Sum the log-odds that two segments are of one hand; None if they cannot be."""
    if _is_wall(segments[i].tiles) or _is_wall(segments[j].tiles):
        return None
    if len(segments[j].tiles) > len(segments[i].tiles):
        i, j = j, i
    large, small = segments[i], segments[j]
    in_line = spacing.in_line(i, j)
    log_odds = _position_log_odds(spacing, i, j, in_line)
    if small.flowers:
        log_odds -= _flower_pose_cost(small, float(spacing.distance[i, j]))
        if min(t.score for t in small.tiles) > low_score:
            log_odds = max(log_odds, _MIN_FLOWER_LOG_ODDS)
        log_odds -= _TOUCHING_OTHERS_COST * _touches_others(spacing, i, j)
    if small.uncertain:
        log_odds -= _UNCERTAIN_FLOWER_COST if small.flowers else _UNCERTAIN_TILE_COST
    log_odds -= 30.0 * max(abs(large.size - small.size) - 0.08, 0.0) ** 2
    if len(small.tiles) == 1:
        cost = _LOW_SCORE_IN_LINE_COST if in_line else _LOW_SCORE_COST
        log_odds -= cost * max(low_score - small.tiles[0].score, 0.0)
    if log_odds < (_MIN_FLOWER_LOG_ODDS - 0.1 if small.flowers else _MIN_LINK):
        return None
    return log_odds + _content_log_odds(large if large.flowers else small)


def _position_log_odds(spacing: _Spacing, i: int, j: int, in_line: bool) -> float:
    """Weigh how two segments lie to each other: in line, side by side, or askew."""
    apart = float(spacing.apart[i, j])
    gap = max(float(spacing.beside[i, j]) - spacing.contact_gap, 0.0)
    if in_line:
        offset = min(float(spacing.offset[i, j]), 0.5)
        return 4.4 - 1.4 * gap - 8.0 * offset**2
    if gap < 1.5:
        return 3.0 - 2.0 * max(apart - 0.2, 0.0) - 0.8 * gap
    return 0.4 - 0.8 * (gap - 1.5) - 1.2 * max(apart, 0.0)


def _flower_pose_cost(flowers: Segment, distance: float) -> float:
    """Weigh flowers that lie askew, sideways or far from a segment of the hand, log-odds."""
    askew = 25.0 * max(flowers.askew - 0.1, 0.0)
    return askew + 2.0 * flowers.sideways + 2.0 * max(distance - 1.5, 0.0)


def _touches_others(spacing: _Spacing, hand: int, flowers: int) -> bool:
    """Tell whether flowers touch tiles that are clearly nearer to them than a hand's segment."""
    nearest = spacing.distance[flowers][spacing.faces]
    return bool((nearest < min(0.4, float(spacing.distance[hand, flowers]) - 0.6)).any())


def _content_log_odds(segment: Segment) -> float:
    """Weigh what is on a small segment: a set, flowers, or what no hand shows apart."""
    tiles = segment.tiles
    if segment.flowers:
        return 2.0 + 0.5 * len(tiles)
    if len(tiles) > 5:
        return 0.0
    if len(tiles) == 1:
        return -1.0
    if is_set(tiles):
        return 1.0
    return 0.3 if len(tiles) == 2 and tiles[0].face is tiles[1].face else -0.5


def is_set(tiles: Sequence[Spot]) -> bool:
    """Tell whether tiles are a chow, or three or four of a kind of which some may be backs."""
    if len(tiles) not in (3, 4):
        return False
    faces = sorted(t.face for t in tiles if t.face is not Tile.BACK)
    return len(set(faces)) <= 1 or (len(faces) == len(tiles) == 3 and _is_chow(faces))


def _is_chow(faces: Sequence[Tile]) -> bool:
    same_suit = faces[0].is_suited and faces[0].suit is faces[2].suit
    return same_suit and all(b - a == 1 for a, b in pairwise(faces))


def _is_wall(tiles: Sequence[Spot]) -> bool:
    """Tell whether tiles surely all lie face down and are no kong."""
    backs = all(t.back > 0.5 for t in tiles) and sum(t.back for t in tiles) > 0.9 * len(tiles)
    return len(tiles) != 4 and backs
