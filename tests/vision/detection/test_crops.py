from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.tile_classifier import MAX_BATCH
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.photo.decode import decode
from hupai.vision.types import Detections, Image


@pytest.fixture(scope="module")
def detector() -> TwoStageDetector:
    found = registry.load()
    assert isinstance(found, TwoStageDetector)
    return found


def test_more_tiles_than_one_batch_holds_are_named_as_ever(
    detector: TwoStageDetector, root: Path
) -> None:
    path = root / "examples" / "pungs.jpg"
    image = decode(path.read_bytes(), path.name).image
    boxes = detector.detect(image).boxes
    sure, none = np.ones(len(boxes), np.float32), np.zeros(len(boxes), np.float32)
    found = BoxDetections(boxes, sure, none)
    few = detector.name(Picture.of(image), found)
    times = MAX_BATCH // len(found.boxes) + 2
    many = detector.name(Picture.of(image), found.only(np.tile(np.arange(len(found.boxes)), times)))
    assert len(many.boxes) == times * len(few.boxes) > MAX_BATCH
    np.testing.assert_allclose(
        many.probabilities, np.tile(few.probabilities, (times, 1)), atol=1e-4
    )


@pytest.mark.nightly
def test_doubtful_tiles_have_the_same_names_whichever_way_the_photo_is_held(
    detector: TwoStageDetector, root: Path
) -> None:
    differences: list[float] = []
    for scene in ("pungs", "mixed-chows", "seven-pairs"):
        path = root / "examples" / f"{scene}.jpg"
        sharp = decode(path.read_bytes(), path.name).image
        found = detector.detect(sharp)
        blur = 0.12 * float(np.median(found.boxes[:, 2] - found.boxes[:, 0]))
        image = cv2.GaussianBlur(sharp, (0, 0), blur).astype(np.uint8)
        differences += _differences_when_turned(detector, image, found)
    assert len(differences) >= 9, "the photos are blurred enough to leave some tiles in doubt"
    # The first look, which depends on how the photo is held, counts for a quarter.
    assert np.quantile(differences, 0.9) < 0.25
    assert np.median(differences) < 0.08


def _differences_when_turned(
    detector: TwoStageDetector, image: Image, found: Detections
) -> list[float]:
    """Return the largest difference of a probability of each doubtful tile after a quarter turn."""
    boxes, high = found.boxes, image.shape[0]
    turned = boxes[:, [1, 0, 3, 2]].copy()
    turned[:, [0, 2]] = high - boxes[:, [3, 1]]  # a quarter turn clockwise: x becomes height - y
    top, side = found.quads[:, :2].mean(1), found.quads[:, 1:3].mean(1)
    axes = np.stack([top, side], 1) - found.quads.mean(1)[:, None]
    axes_turned = np.stack([-axes[..., 1], axes[..., 0]], -1)
    sure, none = np.ones(len(boxes), np.float32), np.zeros(len(boxes), np.float32)
    first = detector.name(Picture.of(image), BoxDetections(boxes, sure, none, axes))
    second = detector.name(
        Picture.of(np.ascontiguousarray(np.rot90(image, -1))),
        BoxDetections(turned.astype(np.float32), sure, none, axes_turned),
    )
    # What is so blurred that it passes for no tile has no name to compare.
    pairs = [
        (i, j)
        for box, other in zip(boxes, turned, strict=True)
        for i in np.nonzero((first.boxes == box).all(1))[0]
        for j in np.nonzero(np.isclose(second.boxes, other, atol=0.01).all(1))[0]
    ]
    assert len(pairs) >= 0.8 * len(boxes)
    # Surer ones are shown once, as they lie.
    sure_from = detector._settings.sure
    doubtful = [
        (i, j)
        for i, j in pairs
        if max(first.probabilities[i].max(), second.probabilities[j].max()) < sure_from
    ]
    one, two = np.array(doubtful).T
    lies = (second.axes[two] - first.axes[one] + np.pi) % np.pi
    known = ~np.isnan(lies)
    assert known.any()
    np.testing.assert_allclose(lies[known], np.pi / 2, atol=0.1)
    change = np.abs(first.probabilities[one] - second.probabilities[two]).max(1)
    return [float(v) for v in change]
