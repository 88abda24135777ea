"""The hand in its owner's frame: lines from the owner's left to right, and sideways tiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hupai.vision.geometry.table_tiles import Spot
from hupai.vision.layout.hand_search import Selection
from hupai.vision.layout.rows import MAX_ROW_GAP, SET_GAP, RowFrame

_REACH = 4
"""Neighbouring steps on each side from which the step of touching tiles is estimated."""
_CAMERA_LOG_ODDS = 3.5
"""Log-odds that the owner is at the lower edge of a photo on which rows are parallel to it."""
_MAX_STEP_DRIFT = 0.15
"""Greatest change of the step of touching tiles along a row, as a share of that step."""


@dataclass(frozen=True, slots=True)
class LineTile:
    """A tile in its line.

    Attributes:
        spot: the tile.
        sideways: log-odds that it lies across the others.
        gap: free space to the next tile of the line, tile widths; 0 where tiles touch.
        added: a second sideways tile beside or upon this one, away from the owner.
    """

    spot: Spot
    sideways: float
    gap: float = 0.0
    added: Spot | None = None

    @property
    def across(self) -> float:
        """Probability that it lies across the others."""
        return logistic(self.sideways)

    @property
    def upright(self) -> float:
        """Probability that it does not."""
        return logistic(-self.sideways)


def logistic(log_odds: float) -> float:
    """Turn log-odds into a probability."""
    return 1.0 / (1.0 + math.exp(-log_odds))


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
                yield tile.spot.id
            if tile.added is not None:
                yield tile.added.id


def owner_frame(selection: Selection) -> OwnerFrame:
    """Arrange the tiles of a selection in their owner's frame."""
    graph = selection.graph
    frame = graph.frame
    added: dict[int, int] = {}
    places: dict[int, list[int]] = {}
    for i, segment in enumerate(graph.segments):
        if i in graph.added:
            added[graph.added[i]] = segment.places[0]
        else:
            places.setdefault(graph.lines[i], []).extend(segment.places)
    lines = [
        sorted(line, key=lambda i: (frame.along[i], frame.spots[i].id)) for line in places.values()
    ]
    lines, columns = _without_columns(lines, frame)
    by_camera = _CAMERA_LOG_ODDS * math.cos(frame.phi)
    by_tiles = _owner_evidence(lines, added, frame)
    # The owner sits to the right of the row direction (1) or to its left (-1).
    side = 1.0 if by_camera + by_tiles >= 0 else -1.0
    lines.sort(key=lambda line: (-len(line), side * _level(line, frame), frame.spots[line[0]].id))
    all_gaps = [_gaps(line, frame) for line in lines]
    ordered = []
    for line, gaps in zip(lines, all_gaps, strict=True):
        if side < 0:
            line, gaps = line[::-1], gaps[::-1]
        ordered.append(_line(line, gaps, frame, added))
    # The prior of the camera's side is a guess, so it must not exceed the evidence of the tiles.
    log_odds = min(abs(by_camera + by_tiles), max(side * by_tiles, 0.0))
    turned = _turned(frame)
    for column in columns:
        evidence = _owner_evidence([column], {}, turned)
        gaps = _gaps(column, turned)
        if evidence < 0:
            column, gaps = column[::-1], gaps[::-1]
        ordered.append(_line(column, gaps, turned, {}))
        if any(turned.sideways[column] > 0):
            log_odds = min(log_odds, abs(evidence))
    return OwnerFrame(tuple(ordered), log_odds)


def _line(
    line: Sequence[int], gaps: Sequence[float], frame: RowFrame, added: dict[int, int]
) -> tuple[LineTile, ...]:
    return tuple(
        LineTile(
            frame.spots[i],
            float(frame.sideways[i]),
            gap,
            frame.spots[added[i]] if i in added else None,
        )
        for i, gap in zip(line, [*gaps, 0.0], strict=True)
    )


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
    alone.sort(key=lambda i: (frame.across[i], frame.spots[i].id))
    columns: list[list[int]] = []
    for i in alone:
        for column in columns:
            last = column[-1]
            behind = float(frame.across[i] - frame.across[last])
            gap = behind - float(frame.half[i, 1] + frame.half[last, 1])
            aside = abs(float(frame.along[i] - np.mean(frame.along[column])))
            if max(abs(gap), aside) < MAX_ROW_GAP:
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


def _level(line: Sequence[int], frame: RowFrame) -> float:
    levels = sorted(float(frame.across[i]) for i in line)
    return levels[len(levels) // 2]


def _owner_evidence(lines: list[list[int]], added: dict[int, int], frame: RowFrame) -> float:
    """Return the log-odds, from the tiles, that the owner sits to the right of the row direction.

    The direction then runs from the owner's left to right. A sideways tile is flush with the others
    on the owner's side, and a tile added to it lies on the far side. Melds are at the owner's right
    more often than at the left.
    """
    evidence = 0.0
    for line in lines:
        slope = _slope([i for i in line if frame.sideways[i] < 0], frame)
        for k, i in enumerate(line):
            if frame.sideways[i] <= 0:
                continue
            near = [
                n
                for n in line[max(0, k - 2) : k + 3]
                if frame.sideways[n] < 0 and abs(frame.along[n] - frame.along[i]) < 2.6
            ]
            if near:
                offset = float(frame.across[i]) - _level_at(i, near, slope, frame)
                evidence += max(-5.0, min(5.0, 30.0 * offset))
        for i in set(line) & added.keys():
            evidence -= 4.0 * math.copysign(1.0, float(frame.across[added[i]] - frame.across[i]))
    longest = max(lines, key=len)
    positions = [
        k / max(len(longest) - 1, 1) - 0.5 for k, i in enumerate(longest) if frame.sideways[i] > 0
    ]
    return evidence + sum(0.7 * position for position in positions)


def _slope(upright: list[int], frame: RowFrame) -> float:
    """Measure the slope of a line by its upright tiles: change of level per tile width."""
    if len(upright) < 4:
        return 0.0
    along = frame.along[upright] - frame.along[upright].mean()
    return float((along * frame.across[upright]).sum() / max(float((along**2).sum()), 1e-6))


def _level_at(i: int, near: list[int], slope: float, frame: RowFrame) -> float:
    """Estimate the level of a line at a tile from nearby tiles."""
    along = float(frame.along[i])
    levels = (float(frame.across[n]) + slope * (along - float(frame.along[n])) for n in near)
    return sum(levels) / len(near)


def _gaps(line: list[int], frame: RowFrame) -> list[float]:
    """Measure the free space between neighbours, tile widths.

    Steps from centre to centre are compared with nearby steps, as residual perspective varies along
    a row. The smaller ones are assumed to be between touching tiles.
    """
    lengths = [float(frame.half[i, 0] + frame.half[j, 0]) for i, j in pairwise(line)]
    steps = [
        float(frame.along[j] - frame.along[i]) / length
        for (i, j), length in zip(pairwise(line), lengths, strict=True)
    ]
    low, high = (1.0 + frame.contact_gap + drift for drift in (-_MAX_STEP_DRIFT, _MAX_STEP_DRIFT))
    gaps = []
    for k, (step, length) in enumerate(zip(steps, lengths, strict=True)):
        around = sorted(steps[max(0, k - _REACH) : k + _REACH + 1])
        touching = around[(len(around) - 1) // 3] if len(around) >= 4 else around[0]
        touching = min(max(touching, low), high)
        gaps.append((step / touching - 1.0) * length)
    return gaps
