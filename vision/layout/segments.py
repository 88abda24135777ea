"""Rows cut into segments: runs of tiles that certainly belong together, the units of a hand.

Rows are cut wherever they may end: at gaps, at detections that may be false, where tiles that lie
face down begin or end (a wall, or part of a kong), and between concealed kongs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import distances
from hupai.vision.geometry.connected import connected
from hupai.vision.geometry.table_tiles import Array, Ground
from hupai.vision.layout.completeness import is_set
from hupai.vision.layout.rows import OBLIQUE, SET_GAP, TILE_GAP, RowFrame, level_offsets, split

_TOUCHING = 1.45
"""Greatest distance between the centres of touching tiles, tile widths: 1.35 end to end."""
_MAX_LINE_GAP = 5.0
"""Distance from which segments on one level belong to separate lines, tile widths."""


Segment = tuple[int, ...]
"""Part of a row whose tiles certainly belong together: positions in the row frame, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class SegmentTiles:
    """The n tiles of m segments, one segment after another.

    Attributes:
        places: shape (n,), their positions in the row frame.
        owner: shape (n,), the position of each one's segment.
        counts: shape (m,), tiles of each segment.
    """

    places: NDArray[np.intp]
    owner: NDArray[np.intp]
    counts: NDArray[np.intp]

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> SegmentTiles:
        """List the tiles of some segments."""
        counts = np.array([len(segment) for segment in segments], np.intp)
        places = np.array([place for segment in segments for place in segment], np.intp)
        return cls(places, np.repeat(np.arange(len(counts)), counts), counts)

    def sums(self, *values: NDArray[Any]) -> Array:
        """Sum each of k values of all tiles of the frame over the segments, shape (k, m)."""
        m = len(self.counts)
        return np.stack([np.bincount(self.owner, one[self.places], m) for one in values])

    def means(self, *values: NDArray[Any]) -> Array:
        """Average each of k values of all tiles of the frame over the segments, shape (k, m)."""
        means: Array = self.sums(*values) / self.counts
        return means


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
    def of(cls, frame: RowFrame, tiles: SegmentTiles) -> Spacing:
        """Measure the closest tiles of each pair of m segments."""
        m, order, owner = len(tiles.counts), tiles.places, tiles.owner
        along, across, half = frame.along[order], frame.across[order], frame.half[order]
        step = np.abs(along[None] - along[:, None])
        beside = np.maximum(step - half[:, None, 0] - half[None, :, 0], -1.0)
        apart = np.abs(across[None] - across[:, None]) - half[:, None, 1] - half[None, :, 1]
        distance = np.hypot(np.maximum(beside, 0), np.maximum(apart, 0))
        # Ties, as between overlapping tiles, are broken by the distance of centres.
        closeness = distance + 1e-3 * step
        starts = np.unique(owner, return_index=True)[1]
        least = np.minimum.reduceat(np.minimum.reduceat(closeness, starts, 0), starts, 1)
        i, j = np.nonzero(closeness <= least[owner[:, None], owner])
        grids = np.zeros((4, m, m))
        offset = level_offsets(across, half, i, j)
        grids[:, owner[i], owner[j]] = beside[i, j], apart[i, j], distance[i, j], offset
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
        tiles: their tiles.
        spacing: the distances between them.
        added: for each segment that is one tile lying over another one, as the fourth of a kong:
            the segment below.
        lines: the line of each segment; segments in line with each other share one.
    """

    frame: RowFrame
    segments: tuple[Segment, ...]
    tiles: SegmentTiles
    spacing: Spacing
    added: dict[int, int]
    lines: tuple[int, ...]

    def tiles_of(self, chosen: NDArray[np.bool_]) -> list[int]:
        """Return the tiles of some segments (m,), as positions in the row frame."""
        return [place for k in np.nonzero(chosen)[0].tolist() for place in self.segments[k]]

    def tiles_by_line(self, without: Collection[int] = ()) -> list[list[int]]:
        """Return the tiles of each line, in order, as positions in the row frame."""
        lines: dict[int, list[int]] = {}
        for line, segment in zip(self.lines, self.segments, strict=True):
            places = [k for k in segment if k not in without]
            if places:
                lines.setdefault(line, []).extend(places)
        along, ids = self.frame.along, self.frame.ground.ids
        return [sorted(line, key=lambda k: (along[k], ids[k])) for line in lines.values()]

    def holding(self, ids: frozenset[int]) -> NDArray[np.bool_]:
        """Return which segments, shape (m,), contain any of the given tiles."""
        return np.asarray(self.tiles.sums(self.frame.ground.among(ids))[0] > 0)


def cut_rows(frame: RowFrame, weak: NDArray[np.bool_] | None = None) -> tuple[Segment, ...]:
    """Cut the rows of a frame into segments, the longest first.

    Args:
        frame: the n tiles in rows.
        weak: shape (n,), detections that may be false; rows are cut at them.
    """
    # All rows are cut at once, one after another: the time depends on the number of operations.
    tiles = SegmentTiles.of(frame.rows)
    places, first = tiles.places, np.diff(tiles.owner, prepend=-1) > 0
    down = _face_down(frame.ground, places, first)
    cuts = first[1:] | (frame.gaps(places) > SET_GAP) | (down[:-1] != down[1:])
    # The added tiles of adjacent kongs may form a row, but each belongs to its kong.
    added = [r for r in frame.rows if len(r) <= 4 and all(k in frame.added for k in r)]
    single = np.isin(places, [*chain.from_iterable(added)])
    if weak is not None:
        single |= weak[places]
    parts = split(places.tolist(), cuts | single[:-1] | single[1:])
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


def segment_graph(
    frame: RowFrame, segments: Sequence[Segment], loose: NDArray[np.bool_] | None = None
) -> SegmentGraph:
    """Measure the distances between segments.

    Args:
        frame: the n tiles in rows.
        segments: parts of its rows.
        loose: shape (n,), tiles that do not join segments into a line.
    """
    tiles, below = SegmentTiles.of(segments), frame.added
    spacing = Spacing.of(frame, tiles)
    segment_of = {place: k for k, segment in enumerate(segments) for place in segment}
    above = {
        k: segment_of[below[segment[0]]]
        for k, segment in enumerate(segments)
        if len(segment) == 1 and below.get(segment[0]) in segment_of
    }
    # No tile lies over one that is itself added: in walls of equal tiles each would be both.
    added = {k: base for k, base in above.items() if base not in above}
    apart = (frame.oblique if loose is None else frame.oblique | loose)[[s[0] for s in segments]]
    linked = spacing.in_line & (spacing.distance < _MAX_LINE_GAP) & ~(apart | apart[:, None])
    for k, base in added.items():
        linked[k, base] = linked[base, k] = False
    # Line numbers break ties between lines of equal length.
    line_of = {k: line for line, group in enumerate(connected(linked)) for k in group}
    lines = tuple(line_of[k] for k in range(len(segments)))
    return SegmentGraph(frame, tuple(segments), tiles, spacing, added, lines)


def sides_and_tops(ground: Ground) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find detections that may be the side or top of another tile.

    They look like blank tiles or backs directly in front of or behind another tile, as seen by the
    camera. A camera that looks down on the table sees none.

    Returns:
        Those in front of a tile and those behind one, shape (n,) each.
    """
    n, blank = len(ground), np.isin(ground.faces, (Tile.BACK, Tile.WHITE))
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


def stray_backs(ground: Ground) -> NDArray[np.bool_]:
    """Return which tiles (n,) are backs that are not part of a hand: one or two beside no face.

    A kong shows a face beside its backs or, if all its tiles lie face down, at least three backs,
    as one may be missed. What the detector takes for single backs is often part of the table, the
    floor or the room, such as a mat.
    """
    down = ground.backs > 0.5
    near = distances(ground.places[down], ground.places) < _TOUCHING
    beside_face = np.asarray(near[:, ~down].any(1))
    groups = connected(near[:, down])
    small = [g for g in groups if len(g) < 3 and not beside_face[g].any()]
    stray = np.zeros(len(ground), bool)
    stray[np.nonzero(down)[0][list(chain.from_iterable(small))]] = True
    return stray


def _face_down(
    ground: Ground, places: NDArray[np.intp], first: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which tiles of rows lie face down, except those between two faces of a kind.

    Any other back between faces does not form a kong with them: it is often a gap in the row.

    Args:
        ground: the tiles on the table.
        places: shape (n,), positions of the tiles of all rows.
        first: shape (n,), the first tile of each row.
    """
    faces = np.where(ground.backs > 0.5, Tile.BACK, ground.faces)[places]
    before = np.where(first, Tile.BACK, np.roll(faces, 1))
    after = np.where(np.roll(first, -1), Tile.BACK, np.roll(faces, -1))
    return np.asarray((faces == Tile.BACK) & ((before == Tile.BACK) | (before != after)))


def may_be_set(faces: Sequence[int]) -> bool:
    """Return whether faces are a chow, or three or four of a kind, some of them possibly backs."""
    alike = len(set(faces) - {Tile.BACK}) <= 1
    return len(faces) in (3, 4) and (alike or is_set(faces))


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
        long = [row for row in every if len(row) > 2] or every
        y, scale = SegmentTiles.of(long).means(ground.middles[:, 1], ground.sides.mean(1))
        return cls(float(scale.max()), float(y.max()))


def places_on_photo(
    graph: SegmentGraph, size: tuple[int, int] | None, nearest: Foreground
) -> Array:
    """Measure size and place of segments on the photo, shape (m, 4).

    The columns are: how much smaller its tiles are than those of the largest row, as a difference
    of logarithms; how much higher it lies than the lowest row, as a share of the photo; how steep
    its row is, and how far its tiles' axes are from upright, both from 0 to 1.

    Args:
        graph: the m segments.
        size: width and height of the photo, pixels; None if not known.
        nearest: the largest and the lowest row.
    """
    ground, segments = graph.frame.ground, graph.segments
    middles = ground.middles
    height = max(float(np.ptp(middles[:, 1])), 1.0) if size is None else float(size[1])
    turned = np.abs(np.cos(ground.seen_axes))
    aside = np.where(np.isfinite(turned), turned, 0.5)
    y, aside, scale = graph.tiles.means(middles[:, 1], aside, ground.sides.mean(1))
    step = middles[[s[-1] for s in segments]] - middles[[s[0] for s in segments]]
    steep = np.abs(step[:, 1]) / np.maximum(np.hypot(*step.T), 1e-6) * (graph.tiles.counts > 2)
    smaller = np.maximum(nearest.scale - scale, 0)
    higher = np.maximum(nearest.lowest - y, 0) / height
    return np.stack([smaller, higher, steep, aside], 1)
