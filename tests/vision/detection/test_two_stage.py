"""Which of two passes at a photo the detector believes; the passes themselves are given."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.detection.picture import Picture
from hupai.vision.detection.plain_tiles.classifier import BACK, BLANK, NOTHING
from hupai.vision.detection.rectified.view import RectifiedView
from hupai.vision.detection.tile_classifier import Classified
from hupai.vision.detection.tile_detector import BoxDetections
from hupai.vision.detection.two_stage import QUERY_CONFIDENCE, TwoStageDetector
from hupai.vision.types import Detections, FloatArray, Image
from tests.vision.detection.networks import INFO, SETTINGS, Backs, GivenBoxes, GivenKinds

WIDE, HIGH = 400, 300


NO_TILES = np.zeros((0, 4, 2), np.float32)


def row(width: float, height: float, count: int = 8) -> FloatArray:
    """Boxes side by side around the middle of the photo."""
    x = 200 + 30 * (np.arange(count) - (count - 1) / 2)
    return np.stack(
        [
            x - width / 2,
            np.full(count, 150 - height / 2),
            x + width / 2,
            np.full(count, 150 + height / 2),
        ],
        1,
    ).astype(np.float32)


class Passes(TwoStageDetector):
    """Finds the first boxes on the photo, the second on any other picture; notes what is named."""

    def __init__(self, first: FloatArray, second: FloatArray) -> None:
        def boxes(picture: Picture) -> FloatArray:
            return first if picture.size == (WIDE, HIGH) else second

        super().__init__(GivenBoxes(boxes), Backs(), INFO, SETTINGS)
        self.named: list[tuple[int, ...]] = []

    def name(self, picture: Picture, found: BoxDetections, last: bool = True) -> Detections:
        self.named.append(picture.size)
        n = len(found.boxes)
        return Detections(
            found.boxes,
            found.scores,
            np.full((n, 43), 1 / 43, np.float32),
            np.full(n, np.pi / 2, np.float32),
        )


def photo() -> Image:
    return np.full((HIGH, WIDE, 3), 200, np.uint8)


def picture() -> Picture:
    return Picture.of(photo())


def test_a_view_that_loses_tiles_is_rejected() -> None:
    passes = Passes(row(20, 60), row(30, 62, 5))
    passes.detect(photo())
    assert passes.named == [(WIDE, HIGH)]


class Lit(TwoStageDetector):
    """Finds as many tiles in each pass as given, as backs with a given share, and names them all
    alike or all differently; notes how bright the photo is in each pass and when it names.
    """

    def __init__(self, counts: list[int], back: float = 0.0, face: Tile | None = None) -> None:
        self.face = face
        self.levels, self.named, boxes = list[int](), list[int](), [row(26, 36, n) for n in counts]

        def found(picture: Picture) -> FloatArray:
            self.levels.append(int(picture.image[150, 200, 0]))
            return boxes.pop(0)

        super().__init__(GivenBoxes(found, back), Backs(), INFO, SETTINGS)

    def name(self, picture: Picture, found: BoxDetections, last: bool = True) -> Detections:
        self.named.append(int(picture.image[150, 200, 0]))
        n = len(found.boxes)
        names = range(n) if self.face is None else [self.face] * n
        probabilities = np.eye(43, dtype=np.float32)[names]
        return Detections(found.boxes, found.scores, probabilities, np.full(n, np.pi / 2, "f"))


def in_shadow() -> Image:
    dark = photo()
    dark[100:200] = 60
    return dark


@pytest.mark.parametrize(("counts", "passes"), [([7, 7], 2), ([5, 9, 9], 3), ([5, 7, 9], 3)])
def test_faces_in_shadow_are_detected_again_while_there_are_more(
    counts: list[int], passes: int
) -> None:
    detector = Lit(counts)
    found = detector.detect(in_shadow())
    assert len(found) == counts[passes - 1]
    assert detector.levels[0] == 60
    assert all(level > 200 for level in detector.levels[1:])
    assert len(detector.levels) == passes
    assert detector.named == detector.levels[-1:]


def test_with_few_faces_only_the_negative_is_passed_over_too() -> None:
    detector = Lit([3, 9])
    assert len(detector.detect(in_shadow())) == 3
    assert detector.levels == [60, 195]
    assert detector.named == [60]


def test_where_too_many_faces_are_alike_the_negative_is_passed_over_too() -> None:
    detector = Lit([9, 9, 9], face=Tile.P1)
    assert len(detector.detect(in_shadow())) == 9, "the negative shows no black set either"
    assert detector.levels[0] == 60
    assert detector.levels[2] == 195
    assert len(detector.levels) == 3


@pytest.mark.parametrize("face", [Tile.BACK, Tile.WHITE])
def test_dark_backs_are_not_brightened_whatever_they_are_named(face: Tile) -> None:
    detector = Lit([9, 9], back=0.8, face=face)
    detector.detect(in_shadow())
    assert detector.named == [60]
    assert detector.levels == [60, 195], "no face is found, so the negative is passed over too"


def black_set(count: int) -> Image:
    """A bright table with a row of black tiles, each with a white figure."""
    image = photo()
    for x0, y0, x1, y1 in row(26, 36, count).astype(int):
        image[y0:y1, x0:x1] = 30
        image[y0 + 10 : y1 - 10, x0 + 9 : x1 - 9] = 240
    return image


@pytest.mark.parametrize(("counts", "read"), [([6, 9], 9), ([1, 9], 9), ([9, 3], 9), ([1, 3], 1)])
def test_faces_of_a_black_set_are_taken_from_the_negative(counts: list[int], read: int) -> None:
    detector = Lit(counts)
    assert len(detector.detect(black_set(9))) == read
    assert detector.levels == [240, 15], "both passes look at the figure of the tile in the middle"
    assert detector.named == ([15, 240] if read == counts[1] else [240])


def test_equal_faces_on_the_negative_are_left_as_the_photo_shows_them() -> None:
    detector = Lit([6, 9], face=Tile.GREEN)
    assert len(detector.detect(black_set(9))) == 6
    assert detector.named == [15, 240]


def naming_backs(back: float) -> TwoStageDetector:
    """A detector whose classifier takes every crop for a back with this probability."""
    nothing = GivenBoxes(lambda _: np.zeros((0, 4), np.float32))
    return TwoStageDetector(nothing, Backs(back), INFO, SETTINGS)


@pytest.mark.parametrize(("back", "kept"), [(0.3, 0), (0.5, 8), (0.95, 8)])
def test_a_faint_back_is_kept_unless_a_closer_look_sees_none(back: float, kept: int) -> None:
    backs = np.ones(8, np.float32)
    found = naming_backs(back).name(
        picture(), BoxDetections(row(26, 36), np.full(8, 0.5, np.float32), backs)
    )
    assert len(found) == kept


def test_families_judge_only_boxes_that_certainly_hold_a_tile() -> None:
    class Recording(Backs):
        sure: tuple[bool, ...] = ()

        def classify(self, *arguments: Any) -> Classified:
            *_, sure = arguments
            self.sure = tuple(sure.tolist())
            return super().classify(*arguments)

    names = Recording(0.5)
    nothing = GivenBoxes(lambda _: np.zeros((0, 4), np.float32))
    scores = np.array([0.3, 0.69, 0.71, 0.9], np.float32)
    found = BoxDetections(row(26, 36)[:4], scores, np.ones(4, np.float32))
    TwoStageDetector(nothing, names, INFO, SETTINGS).name(picture(), found)
    assert names.sure == (False, False, True, True)


def named_by(names: Backs, looks: GivenKinds, scores: float, backs: float) -> Detections:
    """Name eight boxes; two have half the score of the others."""
    nothing = GivenBoxes(lambda _: np.zeros((0, 4), np.float32))
    score = np.full(8, scores, np.float32)
    score[:2] /= 2
    found = BoxDetections(row(26, 36), score, np.full(8, backs, np.float32))
    return TwoStageDetector(nothing, names, INFO, SETTINGS, looks).name(picture(), found)


@pytest.mark.parametrize(
    ("kind", "kept", "shown"), [(BACK, 8, Tile.BACK), (NOTHING, 0, None), (BLANK, 6, Tile.WHITE)]
)
def test_surroundings_turn_a_place_into_a_tile(kind: int, kept: int, shown: Tile | None) -> None:
    looks = GivenKinds(kind)
    seen = named_by(Backs(0.1), looks, 0.2, 0.7)
    assert looks.places == 8, "the classifier is sure of no ink anywhere"
    assert len(seen) == kept, "backs of low score too where all are sure"
    assert (seen.probabilities.argmax(1) == shown).all()
    assert (seen.scores > 0.14).all()


@pytest.mark.parametrize(
    ("kind", "kept", "shown"), [(NOTHING, 0, None), (BLANK, 8, Tile.WHITE), (BACK, 8, Tile.BACK)]
)
def test_surroundings_overrule_the_classifier(kind: int, kept: int, shown: Tile | None) -> None:
    seen = named_by(Backs(0.9), GivenKinds(kind), 0.6, 0.7)
    assert len(seen) == kept
    assert (seen.probabilities.argmax(1) == shown).all()


@pytest.mark.parametrize("kind", [NOTHING, BLANK])
def test_surroundings_that_are_unsure_leave_a_back_a_back(kind: int) -> None:
    seen = named_by(Backs(0.9), GivenKinds(kind, 0.45), 0.8, 0.9)
    assert len(seen) == 8
    assert (seen.probabilities.argmax(1) == Tile.BACK).all()


@pytest.mark.parametrize(("face", "rectified"), [(Tile.BACK, False), (Tile.P5, True)])
def test_a_photo_of_backs_alone_is_not_rectified(
    face: Tile, rectified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def no_view(_image: Image, boxes: FloatArray, *_: object) -> None:
        asked.append(len(boxes))

    monkeypatch.setattr(RectifiedView, "of", no_view)
    boxes, probabilities = row(26, 36), np.full((8, 43), 0.001, np.float32)
    probabilities[:, face] = 0.958
    first = Detections(
        boxes, np.full(8, 0.9, np.float32), probabilities, np.full(8, np.pi / 2, np.float32)
    )
    detector = TwoStageDetector(GivenBoxes(lambda _: boxes), Backs(), INFO, SETTINGS)
    assert detector._detect_rectified(picture(), first, last=True) is None
    assert asked == ([8] if rectified else [])


@pytest.mark.parametrize(("back", "kept"), [(0.05, 0), (0.3, 0), (0.6, 8), (0.9, 8)])
def test_places_are_classified_once_a_tile(back: float, kept: int) -> None:
    places, detector = row(26, 36), naming_backs(back)
    shown = photo()
    for x0, y0, x1, y1 in places.astype(int).tolist():
        cv2.rectangle(shown, (x0, y0), (x1, y1), (60, 60, 60), 3)
    beside = places + np.array([3, 2, 3, 2], np.float32)
    classify = detector.region_classifier(shown, NO_TILES)
    found = classify(np.concatenate([places, beside]))
    assert len(found) == kept
    if kept:
        assert found.scores == pytest.approx(np.full(8, QUERY_CONFIDENCE * back), abs=1e-3)
        assert (found.probabilities.argmax(1) == Tile.BACK).all()
        np.testing.assert_allclose(np.sort(found.boxes[:, 0]), places[:, 0], atol=3)
    assert len(detector.region_classifier(photo(), NO_TILES)(places)) == 0, "background is no back"
    beyond = np.array([[-90, 10, -60, 50], [10, 10, 10.2, 50]], np.float32)
    assert len(classify(beyond)) == 0, "nothing is cut off"
    assert len(classify(np.zeros((0, 4), np.float32))) == 0
