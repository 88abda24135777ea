"""Bytes to a reading, with a detector that has learnt one photo by heart."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Pillow

from hupai.scoring import rule_sets
from hupai.scoring.notation import parse_hand
from hupai.vision.photo.decode import (
    Limits,
    NotAPhotoError,
    PointOutsidePhotoError,
    TooManyPixelsError,
)
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.types import Detections, FloatArray, Image, ModelInfo
from tests.vision.pictures import Placed, detections, table


class Remembered:
    """Reports the tiles it was given, whatever it is shown, and keeps the shape it was shown."""

    def __init__(self, tiles: list[Placed]) -> None:
        self._found = detections(tiles)
        self.shown: tuple[int, ...] = ()

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("remembered", "1", "0" * 64)

    def detect(self, image: Image) -> Detections:
        self.shown = image.shape
        return self._found


def jpeg(width: int = 500, height: int = 120, orientation: int = 1) -> bytes:
    out = io.BytesIO()
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    Pillow.fromarray(np.full((height, width, 3), 80, np.uint8)).save(
        out, "JPEG", exif=exif.tobytes()
    )
    return out.getvalue()


TILES = table("1m2m3m4p5p6p7s8s9sEEEP _ P")


def test_a_photo_is_read_whole() -> None:
    detector = Remembered(TILES)
    data = jpeg()
    answer = Recogniser(detector).read_photo(data, "hand.jpg", rule_sets.get("mcr-1998"))
    assert answer.photo.path == "hand.jpg"
    assert answer.photo.sha256 == hashlib.sha256(data).hexdigest()
    assert (answer.photo.width, answer.photo.height) == (500, 120)
    assert answer.model.name == "remembered"
    assert answer.reading.hands[0].hand == parse_hand("123m456p789sEEEP +P")
    parts = answer.timing.decode + answer.timing.detect + answer.timing.layout + answer.timing.read
    assert answer.timing.total == pytest.approx(parts, abs=0.01)
    assert min(answer.timing.decode, answer.timing.layout, answer.timing.read) > 0


def test_the_detector_sees_the_upright_photo() -> None:
    detector = Remembered(TILES)
    answer = Recogniser(detector).read_photo(jpeg(orientation=6))
    assert detector.shown == (500, 120, 3)
    assert (answer.photo.width, answer.photo.height) == (120, 500)


def test_boxes_of_a_large_photo_are_pixels_of_the_whole_photo() -> None:
    detector = Remembered(TILES)
    answer = Recogniser(detector).read_photo(jpeg(width=4000, height=960))
    assert detector.shown == (480, 2000, 3)
    small = Recogniser(Remembered(TILES)).read_photo(jpeg())
    for large, same in zip(answer.reading.tiles, small.reading.tiles, strict=True):
        assert large.box == pytest.approx([2 * side for side in same.box], abs=0.01)


class Overlooks(Remembered):
    """Sees all tiles but one, until it is asked about places."""

    def __init__(self, tiles: list[Placed]) -> None:
        super().__init__(tiles)
        self._last = self._found.only(np.arange(len(tiles)) == len(tiles) - 1)
        self._found = self._found.only(np.arange(len(tiles)) < len(tiles) - 1)
        self.asked: list[tuple[tuple[int, ...], FloatArray]] = []
        self.prepared = 0

    def region_classifier(
        self, image: Image, tiles: FloatArray
    ) -> Callable[[FloatArray], Detections]:
        assert len(tiles) == len(self._found)
        self.prepared += 1

        def classify(boxes: FloatArray) -> Detections:
            self.asked.append((image.shape, boxes))
            return replace(self._last, scores=np.full(1, 0.6, np.float32))

        return classify


@pytest.mark.parametrize(
    ("width", "height", "shown"), [(500, 120, (120, 500, 3)), (4000, 960, (480, 2000, 3))]
)
def test_places_are_asked_about_in_the_pixels_of_what_was_shown(
    width: int, height: int, shown: tuple[int, ...]
) -> None:
    detector = Overlooks(table("1m2m3m4p5p6p7s8s9sEEEPP"))
    answer = Recogniser(detector).read_photo(jpeg(width, height))
    assert answer.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
    assert "faint_tile" in {p.code for p in answer.reading.problems}
    ((shape, places),) = detector.asked
    assert shape == shown
    missing = detector._last.boxes[0]
    assert np.abs(places - missing).max(1).min() < 0.25 * (missing[2] - missing[0])


class OverlooksTwo(Overlooks):
    """Misses two tiles, and finds one of them each time that places are classified."""

    def __init__(self, tiles: list[Placed]) -> None:
        super().__init__(tiles)
        number = np.arange(len(self._found))
        self._overlooked = [self._last, self._found.only(number == number[-1])]
        self._found = self._found.only(number < number[-1])

    def region_classifier(
        self, image: Image, tiles: FloatArray
    ) -> Callable[[FloatArray], Detections]:
        classify = super().region_classifier(image, tiles)

        def next_one(boxes: FloatArray) -> Detections:
            self._last = self._overlooked.pop()
            return classify(boxes)

        return next_one


def test_a_photo_is_prepared_once_for_all_rounds_of_recovery() -> None:
    detector = OverlooksTwo(table("1m2m3m4p5p6p7s8s9sEEEPP"))
    answer = Recogniser(detector).read_photo(jpeg())
    assert answer.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
    assert len(detector.asked) == 2
    assert detector.prepared == 1


def test_no_tiles_is_a_problem_not_an_error() -> None:
    answer = Recogniser(Remembered([])).read_photo(jpeg())
    assert [p.code for p in answer.reading.problems] == ["no_tiles"]


def test_files_that_are_not_photos_are_refused() -> None:
    with pytest.raises(NotAPhotoError, match=r"notes\.jpg"):
        Recogniser(Remembered([])).read_photo(b"a text file", "notes.jpg")
    with pytest.raises(TooManyPixelsError):
        Recogniser(Remembered([]), limits=Limits(pixels=1000)).read_photo(jpeg())


def test_a_photo_is_bytes_a_path_or_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "hand.jpg"
    path.write_bytes(jpeg())
    reader = Recogniser(Remembered(TILES))
    expected = reader.read_photo(jpeg(), str(path))
    with path.open("rb") as file:
        given = [reader.read_photo(one) for one in (path, str(path), file)]
    given.append(reader.read_photo(bytearray(jpeg()), str(path)))
    for answer in given:
        assert answer.photo == expected.photo
        assert answer.reading == expected.reading
    assert reader.read_photo(path, "upload.jpg").photo.path == "upload.jpg"


def test_other_inputs_are_refused_with_advice(tmp_path: Path) -> None:
    reader = Recogniser(Remembered(TILES))
    with pytest.raises(FileNotFoundError):
        reader.read_photo(tmp_path / "nosuch.jpg")
    with pytest.raises(TypeError, match="open it in binary mode"):
        reader.read_photo(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="its path"):
        reader.read_photo(7)  # type: ignore[arg-type]


@pytest.mark.parametrize("point", [(-5.0, -5.0), (60.0, 501.0), (121.0, 60.0), (float("nan"), 1.0)])
def test_a_point_outside_the_photo_chooses_no_hand(point: tuple[float, float]) -> None:
    reader = Recogniser(Remembered(TILES))
    sideways = jpeg(orientation=6)  # 120 wide and 500 high, upright
    with pytest.raises(
        PointOutsidePhotoError, match="120 x 500 pixels; give one on the hand"
    ) as no:
        reader.read_photo(sideways, point=point)
    assert "在照片之外" in no.value.message_zh
    assert reader.read_photo(sideways, point=(119.0, 499.0)).photo.width == 120
