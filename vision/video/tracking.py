"""Tracks tiles over several passes: boxes are associated by place, distributions averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hupai.vision.geometry.boxes import pairwise_overlap
from hupai.vision.quads import ordered
from hupai.vision.types import Detections, FloatArray

MAX_WEIGHT = 8.0
"""Greatest weight of a tile's past, in passes, so that its face can still change."""

MAX_SIZE_RATIO = 1.6
"""Ratio of shorter sides up to which two boxes may be of one tile."""

_MAX_DISTANCE = 0.4
"""Distance between middles, shorter sides of the smaller box, up to which boxes are one tile."""

_MIN_PRESENCE = 0.5
"""Share of the passes in which a tile must be detected to be reported."""

_MIN_KEPT_PRESENCE = 0.2
"""Share of the passes below which a track is dropped."""

_MAX_OVERLAP = 0.25
"""Greatest overlap of two tiles' boxes, as a share of the smaller one."""

_MAX_FAINT_OVERLAP = 0.5
"""Overlap up to which a low-confidence detection is not the same tile as a voted one."""

_TURNS = (np.arange(4)[:, None] + np.arange(4)) % 4
"""Indices of the corners in order round the tile, starting from each of them."""


@dataclass(slots=True, eq=False)
class _Track:
    """A tile over several passes.

    Attributes:
        box, score, probabilities, red: sums over the passes that saw it.
        quad: sum of its corners, shape (4, 2), in one order round the tile.
        axis: sum of its axes as vectors of the doubled angle.
        seen: number of passes that saw it; the past counts for at most `MAX_WEIGHT` passes.
        looks: number of passes since the first that saw it, counted in the same way.
    """

    box: FloatArray
    score: float
    probabilities: FloatArray
    axis: NDArray[np.float64]
    red: float
    quad: FloatArray
    seen: float = 1.0
    looks: float = 1.0

    @classmethod
    def of(cls, found: Detections, i: int) -> _Track:
        """Begin with one detection."""
        return cls(
            found.boxes[i].copy(),
            float(found.scores[i]),
            found.probabilities[i].copy(),
            _doubled(float(found.axes[i])),
            float(found.reds[i]),
            found.quads[i].copy(),
        )

    def add(self, other: _Track) -> None:
        """Add another pass over the same tile."""
        self.box = self.box + other.box
        self.score += other.score
        self.probabilities = self.probabilities + other.probabilities
        self.axis = self.axis + other.axis
        self.red += other.red
        # Where the axis is uncertain, another corner may be the first one.
        turns = other.quad[_TURNS]
        apart = np.abs(turns - self.quad / self.seen).sum((1, 2))
        self.quad = self.quad + turns[int(apart.argmin())]
        self.seen += other.seen

    def scale(self, by: float) -> None:
        """Reduce the weight of the past to a share of it."""
        self.box = self.box * by
        self.score *= by
        self.probabilities = self.probabilities * by
        self.axis = self.axis * by
        self.red *= by
        self.quad = self.quad * by
        self.seen *= by
        self.looks *= by

    @property
    def place(self) -> FloatArray:
        """The mean box."""
        out: FloatArray = (self.box / self.seen).astype(np.float32)
        return out


class Votes:
    """The tiles of a region at rest, by a vote of the passes over it."""

    def __init__(self) -> None:
        self._tracks: list[_Track] = []
        self._faint: Votes | None = None

    def restart(self, unchanged: Callable[[FloatArray], NDArray[np.bool_]]) -> None:
        """Handle motion: keep only tiles whose place looks unchanged.

        Args:
            unchanged: for boxes of shape (n, 4), whether the picture there is the same, shape (n,).
        """
        if self._tracks:
            keep = unchanged(np.stack([track.place for track in self._tracks]))
            self._tracks = [track for track, kept in zip(self._tracks, keep, strict=True) if kept]
        if self._faint is not None:
            self._faint.restart(unchanged)

    def add(self, detections: Detections) -> Detections:
        """Add a pass; return the tiles that most passes saw.

        Their boxes, quads, scores, distributions, axes and probabilities of being red are means
        over the passes that saw them. Low-confidence detections are voted on in the same way: what
        makes a single picture doubtful makes several pictures doubtful.
        """
        faint = detections.low_confidence
        if faint is not None and self._faint is None:
            self._faint = Votes()
        voted = self._add(detections)
        if self._faint is None:
            return voted
        low = self._faint.add(Detections.empty() if faint is None else faint)
        return _with_faint(voted, low)

    def _add(self, detections: Detections) -> Detections:
        """Add a pass without its low-confidence detections; return the tiles most passes saw."""
        for track in self._tracks:
            if track.looks >= MAX_WEIGHT:
                track.scale((MAX_WEIGHT - 1) / track.looks)
            track.looks += 1.0
        free = set(range(len(self._tracks)))
        for i in np.argsort(-detections.scores):
            found = _Track.of(detections, i)
            nearest = self._nearest(found.box, free)
            if nearest is None:
                self._tracks.append(found)
            else:
                free.discard(nearest)
                self._tracks[nearest].add(found)
        # A box that was cut short by an arm is dropped once the whole tile is detected.
        unseen = sorted(free)
        if unseen and len(detections):
            places = np.stack([self._tracks[k].place for k in unseen])
            overlap = pairwise_overlap(places, detections.boxes).max(1)
            gone = {k for k, share in zip(unseen, overlap, strict=True) if share > _MAX_OVERLAP}
            self._tracks = [track for k, track in enumerate(self._tracks) if k not in gone]
        return self._vote()

    def _nearest(self, box: FloatArray, free: set[int]) -> int | None:
        """Find the track that a box belongs to, if any."""
        best, distance = None, _MAX_DISTANCE
        for k in free:
            apart = separation(self._tracks[k].place, box)
            if apart < distance:
                best, distance = k, apart
        return best

    def _vote(self) -> Detections:
        # Presence is measured from a tile's first pass on, so a newcomer is reported at once.
        self._tracks = [
            track for track in self._tracks if track.seen / track.looks >= _MIN_KEPT_PRESENCE
        ]
        chosen = [track for track in self._tracks if track.seen / track.looks >= _MIN_PRESENCE]
        if not chosen:
            return Detections.empty()
        axes = np.array([_halved(track.axis) for track in chosen], np.float32)
        rows = np.stack(
            [track.probabilities / track.probabilities.sum() for track in chosen]
        ).astype(np.float32)
        scores = np.array([track.score / track.seen for track in chosen], np.float32)
        reds = np.array([track.red / track.seen for track in chosen], np.float32)
        places = np.stack([track.place for track in chosen])
        corners = np.stack([track.quad / track.seen for track in chosen]).astype(np.float32)
        quads = ordered(corners, axes)
        return Detections(places, scores, rows, axes, quads=quads, reds=reds)


def _with_faint(voted: Detections, faint: Detections) -> Detections:
    """Add the low-confidence detections that are not at a voted tile."""
    if len(voted) and len(faint):
        apart = pairwise_overlap(faint.boxes, voted.boxes).max(1) <= _MAX_FAINT_OVERLAP
        faint = faint.only(apart)
    return replace(voted, low_confidence=faint) if len(faint) else voted


def separation(one: FloatArray, other: FloatArray) -> float:
    """Return the distance of two boxes' middles in shorter sides of the smaller box.

    It is infinite if the sizes do not match.
    """
    side_one, side_other = float(min(one[2:] - one[:2])), float(min(other[2:] - other[:2]))
    smaller, larger = sorted((side_one, side_other))
    if smaller <= 0 or larger > MAX_SIZE_RATIO * smaller:
        return float("inf")
    apart = (one[:2] + one[2:] - other[:2] - other[2:]) / 2
    return float(np.hypot(*apart)) / smaller


def _doubled(axis: float) -> NDArray[np.float64]:
    """Turn an axis modulo pi into a vector that can be averaged; 0 if it is not known."""
    return np.zeros(2) if np.isnan(axis) else np.array([np.cos(2 * axis), np.sin(2 * axis)])


def _halved(vector: NDArray[np.float64]) -> float:
    return (
        float("nan")
        if np.hypot(*vector) < 1e-6
        else float(np.arctan2(vector[1], vector[0]) / 2 % np.pi)
    )
