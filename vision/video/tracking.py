"""Several looks at the same tiles in one: boxes are associated by place, their class distributions
averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hupai.vision.types import Detections, FloatArray

MOST_WEIGHT = 8.0
"""Looks that a tile's past counts for at most, so that it can still change its mind."""
_NEAR = 0.4
"""Distance of centres, in shorter sides of the smaller box, up to which two boxes are one tile."""
_LEAST_PRESENCE = 0.5
_SAME = 0.25
"""Share of the smaller box that two boxes of different tiles may have in common."""


@dataclass(slots=True, eq=False)
class _Track:
    """A tile over several looks: sums, weighted by the looks they stand for."""

    box: FloatArray
    score: float
    probabilities: FloatArray
    axis: NDArray[np.float64]
    seen: float = 1.0
    looks: float = 1.0

    def add(
        self, box: FloatArray, score: float, probabilities: FloatArray, axis: NDArray[np.float64]
    ) -> None:
        self.box = self.box + box
        self.score += score
        self.probabilities = self.probabilities + probabilities
        self.axis = self.axis + axis
        self.seen += 1.0

    def scaled(self, by: float) -> None:
        self.box, self.score, self.probabilities, self.axis = (
            self.box * by,
            self.score * by,
            self.probabilities * by,
            self.axis * by,
        )
        self.seen *= by
        self.looks *= by

    @property
    def place(self) -> FloatArray:
        """The mean box."""
        out: FloatArray = (self.box / self.seen).astype(np.float32)
        return out


class Votes:
    """The tiles of a region that is at rest, over the looks taken at it."""

    def __init__(self) -> None:
        self._tracks: list[_Track] = []

    def restart(self, unchanged: Callable[[FloatArray], NDArray[np.bool_]]) -> None:
        """Something moved: keep only tiles whose place looks as before.

        Args:
            unchanged: for boxes of shape (n, 4), whether the picture there is the same, shape (n,).
        """
        if self._tracks:
            keep = unchanged(np.stack([track.place for track in self._tracks]))
            self._tracks = [track for track, kept in zip(self._tracks, keep, strict=True) if kept]

    def add(self, detections: Detections) -> Detections:
        """Count one more look; returns the vote of all so far: tiles that most looks saw, each with
        its mean distribution.
        """
        for track in self._tracks:
            if track.looks >= MOST_WEIGHT:
                track.scaled((MOST_WEIGHT - 1) / track.looks)
            track.looks += 1.0
        free = set(range(len(self._tracks)))
        for i in np.argsort(-detections.scores):
            box, row = detections.boxes[i], detections.probabilities[i]
            axis = _doubled(float(detections.axes[i]))
            nearest = self._nearest(box, free)
            if nearest is None:
                self._tracks.append(
                    _Track(box.copy(), float(detections.scores[i]), row.copy(), axis)
                )
            else:
                free.discard(nearest)
                self._tracks[nearest].add(box, float(detections.scores[i]), row, axis)
        # A box that was cut short by an arm does not survive the whole one.
        gone = {
            k
            for k in free
            if any(_overlap(self._tracks[k].place, box) > _SAME for box in detections.boxes)
        }
        self._tracks = [track for k, track in enumerate(self._tracks) if k not in gone]
        return self._vote()

    def _nearest(self, box: FloatArray, free: set[int]) -> int | None:
        """The track whose box is this one, if any."""
        best, distance = None, _NEAR
        for k in free:
            apart = separation(self._tracks[k].place, box)
            if apart < distance:
                best, distance = k, apart
        return best

    def _vote(self) -> Detections:
        # A newcomer has had fewer looks: it counts from its first one. One that is seen seldom
        # drops out.
        self._tracks = [track for track in self._tracks if track.seen / track.looks >= 0.2]
        chosen = [track for track in self._tracks if track.seen / track.looks >= _LEAST_PRESENCE]
        if not chosen:
            return Detections.empty()
        axes = np.array([_halved(track.axis) for track in chosen], np.float32)
        rows = np.stack(
            [track.probabilities / track.probabilities.sum() for track in chosen]
        ).astype(np.float32)
        scores = np.array([track.score / track.seen for track in chosen], np.float32)
        return Detections(np.stack([track.place for track in chosen]), scores, rows, axes)


def separation(one: FloatArray, other: FloatArray) -> float:
    """Distance of two boxes' centres in units of the shorter side of the smaller box; infinite
    where the sizes do not match.
    """
    side_one, side_other = float(min(one[2:] - one[:2])), float(min(other[2:] - other[:2]))
    if min(side_one, side_other) <= 0 or max(side_one, side_other) > 1.6 * min(
        side_one, side_other
    ):
        return float("inf")
    apart = (one[:2] + one[2:] - other[:2] - other[2:]) / 2
    return float(np.hypot(*apart)) / min(side_one, side_other)


def _overlap(one: FloatArray, other: FloatArray) -> float:
    """What two boxes have in common, as a share of the smaller one."""
    sides = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    if sides.min() <= 0:
        return 0.0
    return float(sides.prod()) / max(
        1e-6, min(float((one[2:] - one[:2]).prod()), float((other[2:] - other[:2]).prod()))
    )


def _doubled(axis: float) -> NDArray[np.float64]:
    """An axis modulo pi as a vector that can be averaged; nothing where it is not known."""
    return np.zeros(2) if np.isnan(axis) else np.array([np.cos(2 * axis), np.sin(2 * axis)])


def _halved(vector: NDArray[np.float64]) -> float:
    return (
        float("nan")
        if np.hypot(*vector) < 1e-6
        else float(np.arctan2(vector[1], vector[0]) / 2 % np.pi)
    )
