from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.models import registry
from hupai.vision.detection import tile_classifier
from hupai.vision.detection.crops import (
    FILL,
    MAX_ASPECT,
    MAX_WIDENING,
    axes_of_crops,
    cut_quad,
    cut_shaped,
    cut_square,
    cut_squares,
    upright,
)
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


@pytest.mark.parametrize(("width", "height"), [(60, 60), (60, 80), (80, 60)])
def test_a_tile_of_usual_shape_is_cut_as_ever(width: int, height: int) -> None:
    image, box = striped(width, height)
    np.testing.assert_array_equal(cut_shaped(image, box[None], 80)[0], cut_square(image, box, 80))


@pytest.mark.parametrize(("width", "height"), [(40, 80), (80, 40), (50, 100)])
def test_a_squeezed_tile_gets_the_shape_of_a_tile(width: int, height: int) -> None:
    image, box = striped(width, height)
    columns, rows = shown(cut_shaped(image, box[None], 80)[0])
    assert max(columns, rows) / min(columns, rows) == pytest.approx(MAX_ASPECT, rel=0.05)
    assert (columns > rows) == (width > height)


def test_a_sliver_is_widened_only_so_far() -> None:
    image, box = striped(20, 100)
    columns, rows = shown(cut_shaped(image, box[None], 80)[0])
    assert rows / columns == pytest.approx(5 / MAX_WIDENING, rel=0.08)


def test_a_crop_over_the_edge_is_grey_there() -> None:
    image = np.zeros((100, 100, 3), np.uint8)
    crop = cut_shaped(image, np.array([[-20, 10, 20, 90]], np.float32), 80)[0]
    assert (crop[:, :30] == FILL).all()
    assert (crop[:, 60:] == 0).any()


@pytest.mark.parametrize("side", [161, 250, 331, 480, 777, 1501])
def test_a_large_tile_is_shrunk_in_place(side: int) -> None:
    rows, columns = np.mgrid[0:2000, 0:2000].astype(np.float32)
    image = np.stack([columns / 8, rows / 8, np.hypot(rows - 1000, columns - 1000) / 6], 2).astype(
        np.uint8
    )
    box = np.array([217, 340, 217 + side, 340 + side], np.float32)
    crop = cut_square(image, box, 80, context=1.0).astype(int)
    want = cv2.resize(
        image[340 : 340 + side, 217 : 217 + side], (80, 80), interpolation=cv2.INTER_AREA
    ).astype(int)
    assert np.abs(crop - want).max() <= 2


@pytest.mark.parametrize("side", [95, 161, 331, 777])
def test_crops_without_means_are_nearly_those_with_them(side: int) -> None:
    rows, columns = np.mgrid[0:1200, 0:1200].astype(np.float32)
    image = np.stack([columns / 5, rows / 5, np.hypot(rows, columns) / 8], 2).astype(np.uint8)
    boxes = np.array([[217, 340, 217 + side, 340 + side], [-20, 9, side, 20 + side]], np.float32)
    quick = cut_squares(image, boxes, 48, 1.2, means=False).astype(int)
    apart = np.abs(quick - cut_squares(image, boxes, 48, 1.2))
    assert np.quantile(apart, 0.95) <= 3, "but where the photo ends"


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
    few = detector.name(image, found)
    times = MAX_BATCH // len(found.boxes) + 2
    many = detector.name(image, found.only(np.tile(np.arange(len(found.boxes)), times)))
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
    assert np.quantile(differences, 0.9) < 0.06
    assert np.median(differences) < 0.04


def _differences_when_turned(
    detector: TwoStageDetector, image: Image, boxes: FloatArray
) -> list[float]:
    """Return the largest difference of a probability of each doubtful tile after a quarter turn."""
    high = image.shape[0]
    turned = boxes[:, [1, 0, 3, 2]].copy()
    turned[:, [0, 2]] = high - boxes[:, [3, 1]]  # a quarter turn clockwise: x becomes height - y
    sure, none = np.ones(len(boxes), np.float32), np.zeros(len(boxes), np.float32)
    first = detector.name(image, BoxDetections(boxes, sure, none))
    second = detector.name(
        np.ascontiguousarray(np.rot90(image, -1)),
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


def test_a_tile_is_cut_upright_by_its_outline() -> None:
    """A tile whose left half is red and right half blue, turned by 30 degrees."""
    turn = np.radians(30)
    right = np.array([np.cos(turn), np.sin(turn)])
    down = np.array([-np.sin(turn), np.cos(turn)])
    corners = [(-30, -40), (30, -40), (30, 40), (-30, 40)]
    quad = np.array([150 + x * right + y * down for x, y in corners], np.float32)
    image = np.full((300, 300, 3), 90, np.uint8)
    middle = [(quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2]
    left = np.array([quad[0], middle[0], middle[1], quad[3]])
    other = np.array([middle[0], quad[1], quad[2], middle[1]])
    cv2.fillConvexPoly(image, left.round().astype(np.int32), (200, 0, 0))
    cv2.fillConvexPoly(image, other.round().astype(np.int32), (0, 0, 200))
    crop = cut_quad(image, upright(np.roll(quad, 1, 0)[None])[0], 64)
    assert crop.shape == (64, 64, 3)
    assert crop[32, 16, 0] > 180
    assert crop[32, 48, 2] > 180
    assert crop[32, 2].tolist() == [90, 90, 90]
    axes = axes_of_crops(quad[None], np.array([[-1.0, 0.0]]))  # upright on the crop
    assert np.arctan2(axes[0, 1], axes[0, 0]) % (2 * np.pi) == pytest.approx(
        2 * (np.pi / 2 + turn) % (2 * np.pi), abs=0.02
    )


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("mirrored", [False, True])
def test_outlines_begin_with_their_upper_short_end(turns: int, mirrored: bool) -> None:
    quad = np.array([[10, 10], [40, 12], [38, 60], [9, 58]], np.float32)
    given = np.roll(quad[::-1] if mirrored else quad, turns, 0)
    assert upright(given[None])[0].tolist() == quad.tolist()
    assert upright(np.zeros((0, 4, 2))).shape == (0, 4, 2)


def test_an_outline_outside_of_the_photo_gives_a_grey_crop() -> None:
    quad = np.array([[500, 500], [540, 500], [540, 556], [500, 556]], np.float32)
    image = np.zeros((100, 100, 3), np.uint8)
    assert (cut_quad(image, quad, 32) == FILL).all()
    large = np.array([[10, 10], [910, 10], [910, 1210], [10, 1210]], np.float32)
    assert cut_quad(np.full((1300, 1000, 3), 7, np.uint8), large, 32)[16, 16].tolist() == [7, 7, 7]
