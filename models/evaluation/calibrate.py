"""Calibrates the class probabilities by temperature scaling.

    python -m hupai.models.evaluation.calibrate ../shared/photos/dev [--model default] [--write]

Prints accuracy, negative log-likelihood and expected calibration error of the tiles found, before
and after; --plot draws them, --write puts the temperature into the registry entry. Source: Guo et
al., On Calibration of Modern Neural Networks, 2017.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from hupai.models import registry
from hupai.models.evaluation.labelled_folder import LabelledPhoto, read_folder
from hupai.models.evaluation.matching import match
from hupai.models.registry_writer import change_settings
from hupai.vision.numeric import softmax
from hupai.vision.photo.decode import decode
from hupai.vision.protocols import TileDetector
from hupai.vision.types import FloatArray

BINS = 15
"""Number of equal bins of confidence."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Tiles found on labelled photos.

    Attributes:
        probabilities: class distributions, shape (n, 43).
        truth: true classes, shape (n,).
    """

    probabilities: FloatArray
    truth: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Quality:
    """Accuracy and calibration of the probabilities.

    Attributes:
        accuracy: share of tiles whose likeliest class is right.
        likelihood: mean negative log-likelihood of the true class, nats.
        error: expected calibration error over `BINS` equal bins of confidence.
    """

    accuracy: float
    likelihood: float
    error: float


def collect(detector: TileDetector, photos: Sequence[LabelledPhoto]) -> Sample:
    """Run the detector over labelled photos; keep the tiles that overlap a label by half."""
    rows, truth = [], []
    for photo in track(photos, description="photos"):
        image = decode(photo.path.read_bytes(), photo.path.name).image
        found = detector.detect(image)
        size = np.array([image.shape[1], image.shape[0]] * 2, np.float32)
        for i, j in match(found.boxes, photo.boxes * size):
            rows.append(found.probabilities[i])
            truth.append(int(photo.tiles[j]))
    return Sample(np.array(rows, np.float32).reshape(-1, 43), np.array(truth, np.int64))


def soften(probabilities: FloatArray, temperature: float) -> FloatArray:
    """Return the distributions at another temperature: above 1 flatter, below 1 sharper."""
    return softmax((np.log(np.maximum(probabilities, 1e-9)) / temperature).astype(np.float32))


def quality(sample: Sample) -> Quality:
    """Measure a sample; all zero for an empty one."""
    if len(sample.truth) == 0:
        return Quality(0.0, 0.0, 0.0)
    p = sample.probabilities
    right = p.argmax(1) == sample.truth
    likelihood = -np.log(np.maximum(p[np.arange(len(p)), sample.truth], 1e-9)).mean()
    error = sum(len(c) / len(p) * abs(c.mean() - r.mean()) for c, r in _bins(p.max(1), right))
    return Quality(float(right.mean()), float(likelihood), float(error))


def fit_temperature(sample: Sample) -> float:
    """Find the temperature of least negative log-likelihood, from 0.25 to 4; 1 without tiles."""
    if len(sample.truth) == 0:
        return 1.0
    grid = np.exp(np.linspace(np.log(0.25), np.log(4.0), 97))
    losses = [
        quality(Sample(soften(sample.probabilities, float(t)), sample.truth)).likelihood
        for t in grid
    ]
    return float(grid[int(np.argmin(losses))])


def reliability_plot(sample: Sample, side: int = 480) -> NDArray[np.uint8]:
    """Draw accuracy against confidence, one bar per bin; ideally on the diagonal. BGR."""
    picture = np.full((side, side, 3), 255, np.uint8)
    right = sample.probabilities.argmax(1) == sample.truth
    for confidence, correct in _bins(sample.probabilities.max(1), right):
        left = int(min(confidence.mean() * BINS, BINS - 1)) * side // BINS
        cv2.rectangle(
            picture,
            (left + 1, side - int(correct.mean() * side)),
            (left + side // BINS - 2, side),
            (190, 140, 60),
            -1,
        )
        cv2.putText(
            picture,
            str(len(correct)),
            (left, side - 6),
            cv2.FONT_HERSHEY_PLAIN,
            0.7,
            (40, 40, 40),
            1,
            cv2.LINE_AA,
        )
    cv2.line(picture, (0, side), (side, 0), (60, 60, 60), 1, cv2.LINE_AA)
    cv2.putText(
        picture,
        "accuracy against confidence",
        (10, 20),
        cv2.FONT_HERSHEY_SIMPLEX,
        0.5,
        (0, 0, 0),
        1,
        cv2.LINE_AA,
    )
    return picture


def _bins(
    confidence: FloatArray, right: NDArray[np.bool_]
) -> list[tuple[FloatArray, NDArray[np.bool_]]]:
    index = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [(confidence[index == i], right[index == i]) for i in range(BINS) if (index == i).any()]


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default=registry.DEFAULT, help="name, or folder of a training")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--write", action="store_true")
    a = parser.parse_args()
    entry = registry.find(a.model)
    detector = registry.load(a.model)
    before = collect(detector, read_folder(a.folder))
    factor = fit_temperature(before)
    after = Sample(soften(before.probabilities, factor), before.truth)
    for label, sample in (("before", before), ("after", after)):
        q = quality(sample)
        print(
            f"{label}: accuracy {q.accuracy:.4f}, log-likelihood {q.likelihood:.4f}, "
            f"calibration error {q.error:.4f}"
        )
    temperature = round(entry.settings.temperature * factor, 3)
    print(
        f"temperature {entry.settings.temperature} -> {temperature} over {len(before.truth)} tiles"
    )
    if a.plot:
        # The plot shows the temperature in use: the new one only if it is written.
        cv2.imwrite(str(a.plot), reliability_plot(after if a.write else before))
    if a.write:
        change_settings(entry, replace(entry.settings, temperature=temperature))


if __name__ == "__main__":
    main()
