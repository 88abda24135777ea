"""Tiles observed on several photos of one hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hupai.vision.types import Detections, FloatArray

Source = tuple[int, int]
"""A photo's number and the id of a tile on it."""

MIN_PROBABILITY = 1e-4
"""Least probability of a class on a single photo, so that none is ruled out by one photo alone."""


@dataclass(slots=True, eq=False)
class Observation:
    """One tile, in pixels of the photo that the others are merged into.

    Attributes:
        box: shape (4,).
        quad: shape (4, 2), its corners.
        score: probability that there is a tile.
        probabilities: shape (43,), class distribution by all photos that show it.
        axis: direction of its upright axis, see `Detections`.
        reds: probability on each photo that it is red if it is a five, in the order of `sources`.
        sources: its detections, the leading photo's first.
    """

    box: FloatArray
    quad: FloatArray
    score: float
    probabilities: FloatArray
    axis: float
    reds: list[float]
    sources: list[Source]

    @classmethod
    def of(cls, found: Detections, i: int, photo: int) -> Observation:
        """Observe detection `i` of a photo."""
        score, axis = float(found.scores[i]), float(found.axes[i])
        reds = [float(found.reds[i])]
        place = found.boxes[i], found.quads[i]
        return cls(*place, score, found.probabilities[i], axis, reds, [(photo, i)])

    def confirm(self, found: Detections, i: int, photo: int) -> None:
        """Add another photo's detection of the tile as independent evidence of its face."""
        both = bounded(self.probabilities) * bounded(found.probabilities[i])
        self.probabilities = (both / both.sum()).astype(np.float32)
        self.locate(found, i, photo)

    def locate(self, found: Detections, i: int, photo: int) -> None:
        """Add a detection of the tile that shows too little of it to be evidence of its face."""
        self.reds.append(float(found.reds[i]))
        self.sources.append((photo, i))

    def likeness(self, found: Detections, i: int) -> float:
        """Return the probability that a detection shows the same face."""
        return float(self.probabilities.astype(np.float64) @ found.probabilities[i])

    @property
    def red(self) -> float:
        """Probability that it is red if it is a five, a mean over the photos."""
        return sum(self.reds) / len(self.reds)


def observe(found: Detections, photo: int) -> list[Observation]:
    """Observe all detections of a photo; their ids are the indices of the list."""
    return [Observation.of(found, i, photo) for i in range(len(found))]


def as_detections(observed: Sequence[Observation]) -> Detections:
    """Return observations as detections of one photo, in their order."""
    return Detections(
        np.asarray([one.box for one in observed], np.float32).reshape(-1, 4),
        np.asarray([one.score for one in observed], np.float32),
        np.asarray([one.probabilities for one in observed], np.float32).reshape(-1, 43),
        np.asarray([one.axis for one in observed], np.float32),
        quads=np.asarray([one.quad for one in observed], np.float32).reshape(-1, 4, 2),
        reds=np.asarray([one.red for one in observed], np.float32),
    )


def bounded(probabilities: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Raise class probabilities (n, 43) to at least `MIN_PROBABILITY`."""
    return np.clip(probabilities.astype(np.float64), MIN_PROBABILITY, None)
