"""The hand in its owner's frame: lines from the owner's left to right, and sideways tiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from statistics import median

import numpy as np

from hupai.scoring.tiles import Tile
from hupai.vision.geometry.connected import connected
from hupai.vision.geometry.own_plane import MISFIT, mean_misfit, on_own_planes
from hupai.vision.geometry.table_tiles import Ground, bearings, only
from hupai.vision.layout.hand_search import Selection
from hupai.vision.layout.rows import (
    GAP_ERROR,
    MAX_LOG_ODDS,
    SET_GAP,
    TILE_GAP,
    RowFrame,
    row_frame,
)
from hupai.vision.numeric import logistic

_CAMERA_LOG_ODDS = MAX_LOG_ODDS / 2
"""Log-odds that the owner is at the lower edge of a photo whose rows are parallel to it: half the
evidence that one tile may give.
"""

_LEAST_ROW = 3
"""Minimum number of tiles that may have their own plane: a meld."""


@dataclass(frozen=True, slots=True)
class LineTile:
    """A tile in its line.

    Attributes:
        id: index of the detection.
        face: likeliest class.
        back, flower: probabilities that it lies face down, and that it is a flower.
        rise: see `Ground.rises`.
        sideways: log-odds that it lies across the others.
        gap: free space to the next tile of the line, tile widths; 0 where tiles touch.
        added: id of the fourth tile of an added kong, beyond this one.
    """

    id: int
    face: Tile
    back: float
    flower: float
    rise: float
    sideways: float
    gap: float
    added: int | None

    @property
    def across(self) -> float:
        """Probability that it lies across the others."""
        return logistic(self.sideways)

    @property
    def upright(self) -> float:
        """Probability that it does not."""
        return logistic(-self.sideways)


@dataclass(frozen=True, slots=True)
class OwnerFrame:
    """A hand's lines, each from its owner's left to right, the line with the most tiles first.

    Attributes:
        lines: the tiles of each line.
        owner_log_odds: log-odds that the owner sits on the side assumed, at least 0, and at most
            the evidence of the tiles alone.
    """

    lines: tuple[tuple[LineTile, ...], ...]
    owner_log_odds: float

    def sideways_ids(self) -> Iterator[int]:
        """Yield the ids of the tiles that lie sideways, added ones included."""
        for tile in (tile for line in self.lines for tile in line):
            if tile.sideways > 0:
                yield tile.id
            if tile.added is not None:
                yield tile.added


def owner_frame(selection: Selection) -> OwnerFrame:
    """Arrange the tiles of a selection in their owner's frame."""
    graph = selection.graph
    frame = graph.frame
    tops = [graph.segments[k][0] for k in graph.added]
    added = {frame.added[top]: top for top in tops}
    lines = graph.tiles_by_line(without=tops)
    rows = list(_own_rows(frame, lines))
    frame = _with_own_poses(frame, rows)
    torn = {i for row in rows if row.torn for i in (*row.places, *row.added.values())}
    lines = [left for line in lines if (left := [i for i in line if i not in torn])]
    lines, columns = _without_columns(lines, frame)
    by_camera = _CAMERA_LOG_ODDS * math.cos(frame.phi)
    by_tiles = _owner_evidence(lines, added, frame)
    # The owner sits to the right of the row direction (1) or to its left (-1).
    side = 1.0 if by_camera + by_tiles >= 0 else -1.0
    lines.sort(key=lambda line: (-len(line), side * median(frame.across[line].tolist()), *line))
    gaps = {pair: gap for row in rows for pair, gap in row.gaps.items()}
    ordered = [_line(line, side, frame, added, gaps) for line in lines]
    # That the owner sits on the camera's side is a guess: it must not add to the tiles' evidence.
    log_odds = min(abs(by_camera + by_tiles), max(side * by_tiles, 0.0))
    ordered += [_torn_line(row, frame, lines[0], side) for row in rows if row.torn]
    ordered.sort(key=len, reverse=True)
    turned = _turned(frame)
    for column in columns:
        evidence = _owner_evidence([column], {}, turned)
        ordered.append(_line(column, evidence, turned, {}, {}))
        if any(turned.sideways[column] > 0):
            log_odds = min(log_odds, abs(evidence))
    return OwnerFrame(tuple(ordered), log_odds)


def _line(
    line: list[int],
    side: float,
    frame: RowFrame,
    added: Mapping[int, int],
    own_gaps: Mapping[tuple[int, int], float],
) -> tuple[LineTile, ...]:
    """Return the tiles of a line, in the direction of the row unless `side` is negative.

    Gaps that were measured on a row's own plane are taken from `own_gaps`.
    """
    measured = _gaps(line, frame)
    gaps = [own_gaps.get(pair, gap) for pair, gap in zip(pairwise(line), measured, strict=True)]
    if side < 0:
        line, gaps = line[::-1], gaps[::-1]
    ground = frame.ground
    return tuple(
        LineTile(
            int(ground.ids[i]),
            Tile(ground.faces[i]),
            float(ground.backs[i]),
            float(ground.flowers[i]),
            float(ground.rises[i]),
            float(frame.sideways[i]),
            gap,
            int(ground.ids[added[i]]) if i in added else None,
        )
        for i, gap in zip(line, [*gaps, 0.0], strict=True)
    )


@dataclass(frozen=True, slots=True)
class _OwnRow:
    """A row that fits its own plane better than that of the selection.

    Attributes:
        places: its tiles in order, positions in the row frame of the selection.
        sideways: log-odds that each lies across the others.
        gaps: free space between two neighbours, in either order, tile widths.
        added: tiles added to others, by the tile below.
        torn: whether its tiles form no line on the plane of the selection.
    """

    places: tuple[int, ...]
    sideways: tuple[float, ...]
    gaps: Mapping[tuple[int, int], float]
    added: Mapping[int, int]
    torn: bool


def _own_rows(frame: RowFrame, lines: Sequence[Sequence[int]]) -> Iterator[_OwnRow]:
    """Yield the rows that do not lie on the plane of the selection.

    They are rows whose boxes that plane explains badly, and tiles that touch each other on the
    photo but form a line only on another plane or, beside such a row, in another direction.
    """
    ground, rows = frame.ground, [{*row} for row in frame.rows]
    # Within a line, tiles of two planes may alternate.
    whole = [{*line[k : k + len(row)]} for line in lines for row in rows for k in range(len(line))]
    tops = {*frame.added}
    groups = [g for g in _touching(ground, rows[0]) if not any(g - tops <= row for row in rows)]
    torn = groups + [row for row in rows[1:] if row not in whole]
    badly = [
        row
        for row in rows
        if len(row) >= _LEAST_ROW and mean_misfit(only(ground, sorted(row))) >= MISFIT
    ]
    taken = set[int]()
    for part in groups + [row for row in rows if row in torn or row in badly]:
        if len(part) < _LEAST_ROW or part & taken:
            continue
        tiles = only(ground, sorted(part))
        # Beside a row on another plane, a part may also merely run in another direction.
        present = [tiles] if part in torn and badly else []
        planes = chain(on_own_planes(tiles), present)
        found = (_own_row(own, sorted(part), part in torn) for own in planes)
        own_row = next(filter(None, found), None)
        if own_row is not None:
            taken |= part
            yield own_row


def _own_row(ground: Ground, places: Sequence[int], torn: bool) -> _OwnRow | None:
    """Return the row that all tiles form on a plane; None if they form several."""
    frame = row_frame(ground, next(iter(bearings(ground)), 0.0))
    row, tops = frame.rows[0], frame.added
    if len(row) + len(tops) < len(places):
        return None
    gaps: dict[tuple[int, int], float] = {}
    for (i, j), gap in zip(pairwise(row), _gaps([*row], frame), strict=True):
        gaps[places[i], places[j]] = gaps[places[j], places[i]] = gap
    return _OwnRow(
        tuple(places[i] for i in row),
        tuple(frame.sideways[[*row]].tolist()),
        gaps,
        {places[base]: places[top] for top, base in tops.items()},
        torn,
    )


def _with_own_poses(frame: RowFrame, rows: Sequence[_OwnRow]) -> RowFrame:
    """Return the frame with the poses that the rows' tiles have on their own planes."""
    sideways, half = frame.sideways.copy(), frame.half.copy()
    for row in rows:
        places = list(row.places)
        turned = (sideways[places] > 0) != (np.array(row.sideways) > 0)
        sideways[places] = row.sideways
        half[places] = np.where(turned[:, None], half[places][:, ::-1], half[places])
    return replace(frame, sideways=sideways, half=half)


def _torn_line(
    row: _OwnRow, frame: RowFrame, main: Sequence[int], side: float
) -> tuple[LineTile, ...]:
    """Return the line of a torn row, in the direction of the main line on the photo."""
    middles = frame.ground.middles
    along = side * (middles[main[-1]] - middles[main[0]])
    own = middles[row.places[-1]] - middles[row.places[0]]
    return _line(list(row.places), float(own @ along), frame, row.added, row.gaps)


def _touching(ground: Ground, row: set[int]) -> list[set[int]]:
    """Return the groups of tiles whose boxes touch on the photo, except those of `row`."""
    left = np.array([k for k in range(len(ground)) if k not in row], np.intp)
    middles, sides = ground.middles[left], np.exp(ground.sides[left])
    gap = np.abs(middles[:, None] - middles) - (sides[:, None] + sides) / 2
    widest = 2 * GAP_ERROR * np.minimum(sides[:, None], sides)
    groups = connected(np.asarray((gap < widest).all(2)))
    return [set(left[group].tolist()) for group in groups]


def _without_columns(
    lines: list[list[int]], frame: RowFrame
) -> tuple[list[list[int]], list[list[int]]]:
    """Move tiles that form columns across the rows into separate lines.

    The tiles of a column lie one behind the other, gaps separate each from both neighbours in its
    row, and most lie sideways in the rows.
    """
    alone: list[int] = []
    for line in lines:
        wide = [True, *(gap > SET_GAP for gap in _gaps(line, frame)), True]
        alone += [i for k, i in enumerate(line) if wide[k] and wide[k + 1]]
    alone.sort(key=lambda i: (frame.across[i], frame.ground.ids[i]))
    columns: list[list[int]] = []
    for i in alone:
        for column in columns:
            last = column[-1]
            behind = float(frame.across[i] - frame.across[last])
            gap = behind - float(frame.half[i, 1] + frame.half[last, 1])
            aside = abs(float(frame.along[i] - np.mean(frame.along[column])))
            if max(abs(gap), aside) < TILE_GAP:
                column.append(i)
                break
        else:
            columns.append([i])
    columns = [
        column
        for column in columns
        if len(column) > 1 and sum(frame.sideways[column] > 0) > len(column) / 2
    ]
    taken = {i for column in columns for i in column}
    left = [[i for i in line if i not in taken] for line in lines]
    rest = [line for line in left if line]
    return (rest, columns) if rest else (lines, [])


def _turned(frame: RowFrame) -> RowFrame:
    """Return the frame turned by a right angle, so that columns become rows."""
    return replace(
        frame,
        along=frame.across,
        across=-frame.along,
        half=frame.half[:, ::-1],
        sideways=-frame.sideways,
    )


def _owner_evidence(lines: list[list[int]], added: dict[int, int], frame: RowFrame) -> float:
    """Return the log-odds, from the tiles, that the owner sits to the right of the row direction.

    The direction then runs from the owner's left to right. A sideways tile is flush with the others
    on the owner's side, and a tile added to it lies on the far side.
    """
    evidence = 0.0
    for line in lines:
        for k, i in enumerate(line):
            if frame.sideways[i] <= 0:
                continue
            near = [n for n in line[max(0, k - 2) : k + 3] if frame.sideways[n] < 0]
            if near:
                offset = float(frame.across[i] - frame.across[near].mean())
                flush = float(frame.half[i].max() - frame.half[i].min())
                evidence += MAX_LOG_ODDS * max(-1.0, min(1.0, offset / flush))
        for i in set(line) & added.keys():
            away = float(frame.across[added[i]] - frame.across[i])
            evidence -= math.copysign(MAX_LOG_ODDS, away)
    return evidence


def _gaps(line: list[int], frame: RowFrame) -> list[float]:
    """Measure the free space between neighbours, tile widths.

    Steps from centre to centre are compared with the smaller ones of the line, which are assumed to
    be between touching tiles.
    """
    if len(line) == 1:
        return []
    half, usual = frame.half[line, 0], 1.0 + frame.contact_gap
    lengths = half[:-1] + half[1:]
    steps = np.diff(frame.along[line]) / lengths
    small = np.sort(steps)[(len(steps) - 1) // 3 if len(steps) >= 4 else 0]
    touching = np.clip(small, usual - 2 * GAP_ERROR, usual + 2 * GAP_ERROR)
    gaps: list[float] = ((steps / touching - 1.0) * lengths).tolist()
    return gaps
