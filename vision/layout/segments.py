"""Rows cut into segments: runs of tiles that certainly belong together, the units of a hand.

Rows are cut wherever they may end: at gaps, at detections that may be false, where tiles that lie
face down begin or end (a wall, or part of a kong), and between concealed kongs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.connected import connected
from hupai.vision.geometry.table_tiles import Array, Ground, Spot
from hupai.vision.layout.completeness import is_set
from hupai.vision.layout.rows import OBLIQUE, SET_GAP, TILE_GAP, RowFrame, level_offsets

_TOUCHING = 1.45
"""Greatest distance between the centres of touching tiles, tile widths: 1.35 end to end."""
_MAX_LINE_GAP = 5.0
"""Distance from which segments on one level belong to separate lines, tile widths."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Part of a row whose tiles certainly belong together: positions in the row frame, in order."""

    tiles: tuple[Spot, ...]
    places: tuple[int, ...]

    @property
    def flowers(self) -> bool:
        """Return whether all tiles are flowers."""
        return all(t.flower > 0.5 for t in self.tiles)


@dataclass(frozen=True, slots=True, eq=False)
class Spacing:
    """Distances between segments, shape (m, m) each, tile widths.

    Attributes:
        beside: gap along the rows beyond that of touching tiles, negative for an overlap.
        apart: gap across the rows, negative for an overlap.
        distance: shortest distance, infinite on the diagonal.
        offset: level offset of their nearest ends.
        in_line: True if they are beside each other on one level.
    """

    beside: Array
    apart: Array
    distance: Array
    offset: Array
    in_line: NDArray[np.bool_]

    @classmethod
    def of(cls, frame: RowFrame, segments: Sequence[Segment]) -> Spacing:
        """Measure the closest tiles of each pair of segments."""
        m = len(segments)
        order = [i for segment in segments for i in segment.places]
        counts = [len(segment.places) for segment in segments]
        starts = np.cumsum([0, *counts[:-1]])
        along, across, half = frame.along[order], frame.across[order], frame.half[order]
        step = np.abs(along[None] - along[:, None])
        beside = np.maximum(step - half[:, None, 0] - half[None, :, 0], -1.0)
        apart = np.abs(across[None] - across[:, None]) - half[:, None, 1] - half[None, :, 1]
        distance = np.hypot(np.maximum(beside, 0), np.maximum(apart, 0))
        # Ties, as between overlapping tiles, are broken by the distance of centres.
        closeness = distance + 1e-3 * step
        least = np.minimum.reduceat(np.minimum.reduceat(closeness, starts, 0), starts, 1)
        least = np.repeat(np.repeat(least, counts, 0), counts, 1)
        owner, pair = np.repeat(np.arange(m), counts), np.nonzero(closeness <= least)
        offsets = level_offsets(across, half, *pair)
        grids = np.zeros((4, m, m))
        place = owner[pair[0]], owner[pair[1]]
        for grid, values in zip(grids, (beside, apart, distance), strict=False):
            grid[place] = values[pair]
        grids[3][place] = offsets
        in_line = (grids[0] > -0.5) & (grids[3] < 0.5)
        np.fill_diagonal(in_line, False)
        np.fill_diagonal(grids[2], np.inf)
        return cls(grids[0] - frame.contact_gap, grids[1], grids[2], grids[3], in_line)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentGraph:
    """The segments of a row frame and the distances between them.

    Attributes:
        frame: the row frame.
        segments: all segments, the longest first.
        spacing: the distances between them.
        added: for each segment that is one tile lying over another segment, as the fourth of a
            kong: the position of the tile below in the row frame.
        lines: the line of each segment; segments in line with each other share one.
    """

    frame: RowFrame
    segments: tuple[Segment, ...]
    spacing: Spacing
    added: dict[int, int]
    lines: tuple[int, ...]

    def tiles_of(self, chosen: NDArray[np.bool_]) -> tuple[Spot, ...]:
        """Return the tiles of some segments (m,)."""
        return tuple(t for k in np.nonzero(chosen)[0].tolist() for t in self.segments[k].tiles)

    def tiles_by_line(self, without: Collection[int] = ()) -> list[list[int]]:
        """Return the tiles of each line, in order, as positions in the row frame."""
        lines: dict[int, list[int]] = {}
        for line, segment in zip(self.lines, self.segments, strict=True):
            places = [k for k in segment.places if k not in without]
            if places:
                lines.setdefault(line, []).extend(places)
        along, spots = self.frame.along, self.frame.spots
        return [sorted(line, key=lambda k: (along[k], spots[k].id)) for line in lines.values()]

    def holding(self, ids: frozenset[int]) -> NDArray[np.bool_]:
        """Return which segments, shape (m,), contain any of the given tiles."""
        return np.array([any(t.id in ids for t in s.tiles) for s in self.segments], bool)


def cut_rows(frame: RowFrame, weak: frozenset[int] = frozenset()) -> tuple[Segment, ...]:
    """Cut the rows of a frame into segments, the longest first.

    Args:
        frame: the tiles in rows.
        weak: ids of detections that may be false; rows are cut at them.
    """
    rows = sorted(_cut(frame, weak), key=lambda row: (-len(row), row))
    return tuple(Segment(tuple(frame.spots[i] for i in row), row) for row in rows)


def segment_graph(
    frame: RowFrame, segments: Sequence[Segment], low_confidence: Collection[int] = ()
) -> SegmentGraph:
    """Measure the distances between segments.

    Args:
        frame: the tiles in rows.
        segments: parts of its rows.
        low_confidence: ids of tiles that do not join segments into a line.
    """
    spacing, below = Spacing.of(frame, segments), frame.added
    held = {place for s in segments for place in s.places}
    above = {
        k: below[s.places[0]]
        for k, s in enumerate(segments)
        if len(s.places) == 1 and below.get(s.places[0]) in held
    }
    # No tile lies over one that is itself added: in walls of equal tiles each would be both.
    tops = {segments[k].places[0] for k in above}
    added = {k: base for k, base in above.items() if base not in tops}
    joinable = [
        not frame.oblique[s.places[0]] and s.tiles[0].id not in low_confidence for s in segments
    ]
    # Line numbers break ties between lines of equal length.
    parent = list(range(len(segments)))
    in_line = spacing.in_line & (spacing.distance < _MAX_LINE_GAP)
    for i, j in np.argwhere(np.triu(in_line)).tolist():
        over = added.get(i) in segments[j].places or added.get(j) in segments[i].places
        if not over and joinable[i] and joinable[j]:
            parent[_root(parent, j)] = _root(parent, i)
    lines = tuple(_root(parent, i) for i in range(len(segments)))
    return SegmentGraph(frame, tuple(segments), spacing, added, lines)


def sides_and_tops(ground: Ground) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find detections that may be the side or top of another tile.

    They look like blank tiles or backs directly in front of or behind another tile, as seen by the
    camera. A camera that looks down on the table sees none.

    Returns:
        Those in front of a tile and those behind one, shape (n,) each.
    """
    n = len(ground.spots)
    blank = np.array([t.face in (Tile.BACK, Tile.WHITE) for t in ground.spots], bool)
    if ground.plane.slant < OBLIQUE or not blank.any():
        return np.zeros(n, bool), np.zeros(n, bool)
    near = np.linalg.solve(ground.stretch, np.broadcast_to(-ground.plane.tilt, (n, 2))[..., None])
    near = near[..., 0] / np.linalg.norm(near[..., 0], axis=1, keepdims=True)
    away = ground.places[:, None] - ground.places[None]
    before = (away * near[:, None]).sum(2)
    beside = np.abs(away[..., 0] * -near[:, None, 1] + away[..., 1] * near[:, None, 0])
    close = (beside < SET_GAP) & blank[:, None] & ~blank[None]
    # Half a tile and more from its middle, but not as far as the tiles of a second row.
    close &= (np.abs(before) > 0.5) & (np.abs(before) < 0.5 + TILE_GAP)
    return (close & (before > 0)).any(1), (close & (before < 0)).any(1)


def stray_backs(ground: Ground) -> frozenset[int]:
    """Find the ids of backs that cannot be part of a hand: one or two without a face beside them.

    A kong shows a face beside its backs or, if all its tiles lie face down, at least three backs,
    as one may be missed. What the detector takes for single backs is often part of the table, the
    floor or the room, such as a mat.
    """
    down = np.array([t.back > 0.5 for t in ground.spots], bool)
    backs = np.nonzero(down)[0]
    near = np.linalg.norm(ground.places[backs, None] - ground.places, axis=2) < _TOUCHING
    beside_face = near[:, ~down].any(1)
    return frozenset(
        ground.spots[backs[k]].id
        for group in connected(near[:, down])
        if len(group) < 3 and not beside_face[group].any()
        for k in group
    )


def _cut(frame: RowFrame, weak: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield the parts of rows whose tiles certainly belong together.

    The added tiles of adjacent kongs may form a row, but each belongs to its kong.
    """
    below = frame.added
    along, half = frame.along.tolist(), frame.half[:, 0].tolist()
    doubtful = [spot.id in weak for spot in frame.spots]
    widest = frame.contact_gap + SET_GAP
    for row in frame.rows:
        if len(row) == 1 or (len(row) <= 4 and all(i in below for i in row)):
            yield from ((i,) for i in row)
            continue
        down = _face_down(frame, row)
        cuts = [
            k
            for k, (i, j) in enumerate(pairwise(row), 1)
            if along[j] - along[i] - half[i] - half[j] > widest
            or doubtful[i]
            or doubtful[j]
            or down[k - 1] != down[k]
        ]
        yield from (row[low:high] for low, high in pairwise([0, *cuts, len(row)]))


def _face_down(frame: RowFrame, row: Sequence[int]) -> list[bool]:
    """Return which tiles of a row lie face down, except those between two faces of a kind.

    Any other back between faces does not form a kong with them: it is often a gap in the row.
    """
    faces = [Tile.BACK if frame.spots[i].back > 0.5 else frame.spots[i].face for i in row]
    around = zip([Tile.BACK, *faces], faces, [*faces[1:], Tile.BACK], strict=False)
    return [
        face is Tile.BACK and (before is face or before is not after)
        for before, face, after in around
    ]


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        i = parent[i]
    return i


def may_be_set(tiles: Sequence[Spot]) -> bool:
    """Return whether tiles are a chow, or three or four of a kind, some of them possibly backs."""
    faces = [t.face for t in tiles]
    alike = len(set(faces) - {Tile.BACK}) <= 1
    return len(tiles) in (3, 4) and (alike or is_set(faces))


def mean_of(values: Sequence[Array], segments: Sequence[Segment]) -> Array:
    """Average some values (n,) of tiles for each segment, shape (k, m)."""
    counts = [len(s.places) for s in segments]
    starts = np.cumsum([0, *counts[:-1]])
    of_tiles = np.stack(values)[:, [k for s in segments for k in s.places]]
    mean: Array = np.add.reduceat(of_tiles, starts, axis=1) / np.array(counts)
    return mean


@dataclass(frozen=True, slots=True)
class Foreground:
    """The size and place of the nearest rows of a photo.

    Attributes:
        scale: of the largest row, the mean logarithm of its tiles' sides.
        lowest: y of the lowest row, pixels.
    """

    scale: float
    lowest: float

    @classmethod
    def of(cls, rows: Iterable[Segment], ground: Ground) -> Foreground:
        """Measure rows of three or more tiles in any direction, or all rows if there are none."""
        every = list(rows)
        long = [row for row in every if len(row.places) > 2] or every
        y, scale = mean_of((ground.middles[:, 1], ground.sides.mean(1)), long)
        return cls(float(scale.max()), float(y.max()))


def places_on_photo(
    graph: SegmentGraph, ground: Ground, size: tuple[int, int] | None, nearest: Foreground
) -> Array:
    """Measure size and place of segments on the photo, shape (m, 4).

    The columns are: how much smaller its tiles are than those of the largest row, as a difference
    of logarithms; how much higher it lies than the lowest row, as a share of the photo; how steep
    its row is, and how far its tiles' axes are from upright, both from 0 to 1.

    Args:
        graph: the m segments.
        ground: the tiles on the table.
        size: width and height of the photo, pixels; None if not known.
        nearest: the largest and the lowest row.
    """
    middles = ground.middles
    height = max(float(np.ptp(middles[:, 1])), 1.0) if size is None else float(size[1])
    segments = graph.segments
    turned = np.abs(np.cos(ground.seen_axes))
    aside = np.where(np.isfinite(turned), turned, 0.5)
    y, aside, scale = mean_of((middles[:, 1], aside, ground.sides.mean(1)), segments)
    first = middles[[s.places[0] for s in segments]]
    step = middles[[s.places[-1] for s in segments]] - first
    long = np.array([len(s.places) > 2 for s in segments], bool)
    steep = np.where(long, np.abs(step[:, 1]) / np.maximum(np.hypot(*step.T), 1e-6), 0.0)
    smaller = np.maximum(nearest.scale - scale, 0)
    higher = np.maximum(nearest.lowest - y, 0) / height
    return np.stack([smaller, higher, steep, aside], 1)
