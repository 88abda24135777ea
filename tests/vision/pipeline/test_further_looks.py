"""Further looks at the hand, with detectors that have learnt photos by heart."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image as Pillow

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.pipeline.further_looks import (
    MIN_ASSURANCE,
    UPSIDE_DOWN,
    around_hand,
    enough,
    look_again,
)
from hupai.vision.pipeline.recogniser import Recogniser
from hupai.vision.quads import quads_of
from hupai.vision.reading.read import read
from hupai.vision.types import CLEAR_FACE, Detections, Image, ModelInfo, Reading, ReadTile
from tests.vision.pictures import Placed, detections, table

WIDTH, HEIGHT = 600, 400
HAND = "1m2m3m4p5p6p7s8s9sEEEP _ P"


def upside_down(tiles: Detections, width: int, height: int) -> Detections:
    """The tiles as they lie on a picture of that size that is turned upside down."""
    size = np.array([width, height] * 2, np.float32)
    quads = np.array([width, height], np.float32) - tiles.quads[:, [2, 3, 0, 1]]
    return tiles.with_boxes(size - tiles.boxes[:, [2, 3, 0, 1]], tiles.axes, None, quads)


class Looks:
    """Answers each look with the next of some detections, and keeps what it was shown."""

    def __init__(self, *answers: Detections) -> None:
        self._answers = answers
        self.shown: list[Image] = []

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("looks", "1", "0" * 64)

    def detect(self, image: Image) -> Detections:
        self.shown.append(image)
        return self._answers[len(self.shown) - 1]


def png() -> bytes:
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    pixels = np.stack([rows // 2, columns // 3, rows * 0 + 90], 2).astype(np.uint8)
    out = io.BytesIO()
    Pillow.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def image() -> Image:
    return np.asarray(Pillow.open(io.BytesIO(png())))


def test_tiles_seen_upside_down_on_a_part_are_mapped_to_the_image() -> None:
    tiles = detections(table(HAND))
    region = (0, 0, 590, 200)
    detector = Looks(upside_down(tiles, 590, 200))
    found = look_again(detector, image(), region, True, Detections.empty())
    (part,) = detector.shown
    assert np.array_equal(part[::-1, ::-1], image()[:200, :590])
    np.testing.assert_allclose(found.boxes, tiles.boxes, atol=1e-3)
    np.testing.assert_allclose(found.quads, tiles.quads, atol=1e-3)
    np.testing.assert_allclose(found.axes, tiles.axes)
    np.testing.assert_allclose(found.probabilities, tiles.probabilities)


def test_tiles_seen_upright_on_a_part_are_mapped_to_the_image() -> None:
    tiles = detections(table(HAND))
    corner = np.array([20, 30], np.float32)
    seen = tiles.with_boxes(
        tiles.boxes - np.tile(corner, 2), tiles.axes, None, tiles.quads - corner
    )
    seen = replace(seen, low_confidence=seen.only(np.arange(1)))
    detector = Looks(seen)
    found = look_again(detector, image(), (20, 30, 590, 200), False, Detections.empty())
    assert np.array_equal(detector.shown[0], image()[30:200, 20:590])
    np.testing.assert_allclose(found.boxes, tiles.boxes, atol=1e-3)
    np.testing.assert_allclose(found.quads, tiles.quads, atol=1e-3)
    assert found.low_confidence is not None
    np.testing.assert_allclose(found.low_confidence.boxes, tiles.boxes[:1], atol=1e-3)


def test_what_the_part_cuts_off_stays_as_the_first_look_saw_it() -> None:
    tiles = detections(table(HAND))
    right = int(tiles.boxes[5, 0]) + 10  # the part ends within the first third of the sixth tile
    seen = tiles.only(np.arange(6))
    cut = np.minimum(seen.boxes, np.array([right, HEIGHT] * 2, np.float32))
    seen = seen.with_boxes(cut, seen.axes, None, quads_of(cut, seen.axes))
    detector = Looks(upside_down(seen, right, HEIGHT))
    before = tiles.only(np.arange(3, 14))
    found = look_again(detector, image(), (0, 0, right, HEIGHT), True, before)
    np.testing.assert_allclose(found.boxes, tiles.boxes, atol=1e-3)


def test_the_part_surrounds_the_hand_and_ends_with_the_photo() -> None:
    tiles = tuple(
        ReadTile(k, Tile.EAST, (100.0 + 40 * k, 300.0, 140.0 + 40 * k, 350.0), 1.0, in_hand=k < 3)
        for k in range(5)
    )
    whole = around_hand(Reading(tiles), np.zeros((400, 600, 3), np.uint8), 1.0)
    assert whole == (0, 175, 345, 400)
    reduced = around_hand(Reading(tiles), np.zeros((200, 300, 3), np.uint8), 2.0)
    assert reduced == (0, 87, 173, 200)
    assert around_hand(Reading(tiles[3:]), np.zeros((400, 600, 3), np.uint8), 1.0) is None


def doubtful(tiles: list[Placed]) -> Detections:
    """The tiles, one of them lost and the faces of four in doubt."""
    seen = detections(tiles)
    faces = seen.probabilities.copy()
    faces[:4] = faces[:4] * 0.5 + 0.5 / 43
    sure = Detections(seen.boxes, seen.scores, faces.astype(np.float32), seen.axes)
    return sure.only(np.arange(len(tiles)) != 7)


@pytest.mark.parametrize("looks", [2, 3])
def test_a_reading_that_is_not_assured_gives_way_to_a_likelier_one(looks: int) -> None:
    tiles = [replace(tile, x=tile.x + 60, y=tile.y + 150) for tile in table(HAND)]
    first = doubtful(tiles)
    nothing = [Detections.empty()] * len(UPSIDE_DOWN)
    once = Recogniser(Looks(first, *nothing)).read_photo(png(), "hand.png")
    assert once.reading.assurance < MIN_ASSURANCE
    part = around_hand(once.reading, image(), 1.0)
    assert part is not None
    x0, y0, x1, y1 = part
    assert y0 > 0
    inside = detections([replace(tile, x=tile.x - x0, y=tile.y - y0) for tile in tiles])
    if looks == 2:
        detector = Looks(first, upside_down(inside, x1 - x0, y1 - y0))
    else:
        detector = Looks(first, Detections.empty(), inside)
    stages: list[str] = []
    answer = Recogniser(detector).read_photo(png(), "hand.png", on_stage=stages.append)
    assert stages == ["decode", *("detect", "layout", "read") * looks]
    whole, *parts = [seen.shape for seen in detector.shown]
    assert whole == (HEIGHT, WIDTH, 3)
    assert parts == [(y1 - y0, x1 - x0, 3)] * (looks - 1)
    assert answer.reading.hands[0].hand == parse_hand("123m456p789sEEEP +P")
    assert answer.detections is not None
    assert len(answer.detections) == len(tiles)


def test_low_confidence_tiles_of_the_part_come_from_the_further_look() -> None:
    low = detections([Placed(x, 100, np.pi / 2, Tile.EAST) for x in (100, 300)])
    first = replace(detections(table(HAND)), low_confidence=low)
    found = look_again(Looks(Detections.empty()), image(), (0, 0, 200, 200), True, first)
    assert found.low_confidence is not None
    assert found.low_confidence.boxes.tolist() == low.boxes[1:].tolist()
    inside = upside_down(low.only(np.arange(2) == 0), 200, 200)
    again = Looks(replace(Detections.empty(), low_confidence=inside))
    found = look_again(again, image(), (0, 0, 200, 200), True, first)
    assert found.low_confidence is not None
    assert sorted(found.low_confidence.boxes.tolist()) == sorted(low.boxes.tolist())


def test_the_first_reading_stays_where_other_looks_show_less() -> None:
    first = doubtful(table(HAND))
    fewer = first.only(np.arange(1, len(first)))
    detector = Looks(first, Detections.empty(), fewer)
    answer = Recogniser(detector).read_photo(png(), "hand.png")
    assert len(detector.shown) == 1 + len(UPSIDE_DOWN)
    assert answer.detections is not None
    assert len(answer.detections) == len(first)


def test_enough_looks() -> None:
    reading = read(arrange(doubtful(table(HAND))))
    fewer = replace(reading, tiles=reading.tiles[1:])
    assert not enough([reading])
    assert not enough([reading, fewer])
    assert enough([replace(reading, assurance=MIN_ASSURANCE)])
    assert enough([reading, fewer, reading]), "two show the same tiles"
    assert enough([replace(reading, assurance=MIN_ASSURANCE), replace(fewer, hands=())])


def test_too_many_clear_tiles_need_no_further_look_unless_some_are_left_out() -> None:
    reading = read(arrange(detections(table("1m3m5m7m9m1p3p5p7p9p1s3s5s7s9sEEWN"))))
    assert not reading.hands
    first, *others = reading.tiles
    assert enough([reading])
    assert not enough([replace(reading, tiles=(replace(first, in_hand=False), *others))])
    unclear = replace(first, confidence=CLEAR_FACE - 0.01)
    assert not enough([replace(reading, tiles=(unclear, *others))])
    assert not enough([replace(reading, problems=())])


def test_an_assured_reading_needs_no_further_look() -> None:
    detector = Looks(detections(table(HAND)))
    answer = Recogniser(detector).read_photo(png(), "hand.png")
    assert len(detector.shown) == 1
    assert answer.reading.assurance >= MIN_ASSURANCE
