from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.models import registry
from hupai.vision.detection import tile_classifier
from hupai.vision.detection.crops import MAX_ASPECT, MAX_WIDENING, shaped, squares
from hupai.vision.detection.picture import FILL, Picture
from hupai.vision.detection.tile_classifier import MAX_BATCH
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.two_stage import TwoStageDetector
from hupai.vision.photo.decode import decode
from hupai.vision.types import FloatArray, Image


@pytest.fixture(scope="module")
def detector() -> TwoStageDetector:
    found = registry.load()
    assert isinstance(found, TwoStageDetector)
    return found


def striped(width: int, height: int) -> tuple[Image, FloatArray]:
    """A box of this size on grey; its left half is red, its right half blue."""
    image = np.full((300, 300, 3), FILL, np.uint8)
    x, y = 150 - width // 2, 150 - height // 2
    image[y : y + height, x : x + width // 2] = (255, 0, 0)
    image[y : y + height, x + width // 2 : x + width] = (0, 0, 255)
    return image, np.array([x, y, x + width, y + height], np.float32)


def shown(crop: Image) -> tuple[int, int]:
    """Columns and rows of the box on a crop."""
    inked = (crop.astype(int) - FILL).__abs__().max(2) > 60
    return int(inked.any(0).sum()), int(inked.any(1).sum())


def cut(image: Image, places: NDArray[np.float64]) -> Image:
    crop: Image = Picture.of(image).cut(places, (80, 80))[0]
    return crop


@pytest.mark.parametrize(("width", "height"), [(60, 60), (60, 80), (80, 60)])
def test_a_tile_of_usual_shape_is_cut_as_ever(width: int, height: int) -> None:
    _, box = striped(width, height)
    np.testing.assert_allclose(shaped(box[None]), squares(box[None]))


@pytest.mark.parametrize(("width", "height"), [(40, 80), (80, 40), (50, 100)])
def test_a_squeezed_tile_gets_the_shape_of_a_tile(width: int, height: int) -> None:
    image, box = striped(width, height)
    columns, rows = shown(cut(image, shaped(box[None])))
    assert max(columns, rows) / min(columns, rows) == pytest.approx(MAX_ASPECT, rel=0.05)
    assert (columns > rows) == (width > height)


def test_a_sliver_is_widened_only_so_far() -> None:
    image, box = striped(20, 100)
    columns, rows = shown(cut(image, shaped(box[None])))
    assert rows / columns == pytest.approx(5 / MAX_WIDENING, rel=0.08)


def test_more_tiles_than_one_batch_holds_are_named_as_ever(
    detector: TwoStageDetector, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What tiles have in common is believed the more the more they are: that is no matter of
    # batches.
    monkeypatch.setattr(
        tile_classifier, "logit_bias", lambda logits, means, prior_tiles: np.zeros_like(logits)
    )
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


def test_doubtful_tiles_have_the_same_names_whichever_way_the_photo_is_held(
    detector: TwoStageDetector, root: Path
) -> None:
    differences: list[float] = []
    for scene in ("pungs", "mixed-chows", "seven-pairs"):
        path = root / "examples" / f"{scene}.jpg"
        sharp = decode(path.read_bytes(), path.name).image
        boxes = detector.detect(sharp).boxes
        blur = 0.12 * float(np.median(boxes[:, 2] - boxes[:, 0]))
        image = cv2.GaussianBlur(sharp, (0, 0), blur).astype(np.uint8)
        differences += _differences_when_turned(detector, image, boxes)
    assert len(differences) >= 9, "the photos are blurred enough to leave some tiles in doubt"
    # One tile in ten may lie between two names, which the rounding to 8 bits then decides.
    assert np.quantile(differences, 0.9) < 0.08
    assert np.median(differences) < 0.04


def _differences_when_turned(
    detector: TwoStageDetector, image: Image, boxes: FloatArray
) -> list[float]:
    """Return the largest difference of a probability of each doubtful tile after a quarter turn."""
    high = image.shape[0]
    turned = boxes[:, [1, 0, 3, 2]].copy()
    turned[:, [0, 2]] = high - boxes[:, [3, 1]]  # a quarter turn clockwise: x becomes height - y
    sure, none = np.ones(len(boxes), np.float32), np.zeros(len(boxes), np.float32)
    first = detector.name(Picture.of(image), BoxDetections(boxes, sure, none))
    second = detector.name(
        Picture.of(np.ascontiguousarray(np.rot90(image, -1))),
        BoxDetections(turned.astype(np.float32), sure, none),
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
