"""Layout and reading on recorded detections of real photos: the hands they show, and laws that hold
whatever they show.

`tests/vision/recorded.py` says how they were recorded; no model is needed here.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.weights import shipped_weights
from hupai.vision.reading.problem_catalogue import WORDINGS
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading
from tests.vision.pictures import stretched
from tests.vision.recorded import Recorded, recorded

PHOTOS = recorded()
MISREAD = {
    "ct_037_white-rail-blue": "a flower of another hand lies at the edge, as near as the own"
}
NO_HAND = {
    "cm_006_red-floor": "fifteen tiles without a flower, as they were laid out for labelling"
}
WHOLE = [photo for photo in PHOTOS if photo.name not in MISREAD | NO_HAND]


def reading_of(
    photo: Recorded, detections: Detections | None = None, size: tuple[int, int] | None = None
) -> Reading:
    return read(arrange(detections or photo.detections, size or photo.size))


def in_hand(reading: Reading) -> Counter[Tile]:
    return Counter(tile.tile for tile in reading.tiles if tile.in_hand)


def codes(reading: Reading) -> set[str]:
    return {problem.code for problem in reading.problems}


def best(reading: Reading) -> Counter[Tile]:
    return (
        Counter((*reading.hands[0].hand.all_tiles, *reading.hands[0].hand.flowers))
        if reading.hands
        else Counter()
    )


def turned(
    found: Detections, size: tuple[int, int], quarters: int, scale: float
) -> tuple[Detections, tuple[int, int]]:
    """The detections of the photo turned by quarters of a circle and scaled."""
    boxes, axes, (width, height) = found.boxes, found.axes, size
    for _ in range(quarters):
        boxes = np.stack(
            [height - boxes[:, 3], boxes[:, 0], height - boxes[:, 1], boxes[:, 2]], axis=1
        )
        axes = (axes + np.float32(math.pi / 2)) % np.float32(math.pi)
        width, height = height, width
    done = replace(
        found, boxes=(boxes * np.float32(scale)).astype(np.float32), axes=axes.astype(np.float32)
    )
    return done, (round(width * scale), round(height * scale))


def chosen(found: Detections, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> Detections:
    return Detections(
        found.boxes[order], found.scores[order], found.probabilities[order], found.axes[order]
    )


@pytest.mark.parametrize("photo", WHOLE, ids=str)
def test_the_hand_on_the_photo_is_read(photo: Recorded) -> None:
    reading = reading_of(photo)
    assert in_hand(reading) == Counter(photo.truth)
    assert best(reading) == Counter(photo.truth)


@pytest.mark.parametrize("photo", PHOTOS, ids=str)
def test_what_is_read_as_certain_is_right(photo: Recorded) -> None:
    reading = reading_of(photo)
    if reading.certain:
        assert best(reading) == Counter(photo.truth)
    if not reading.hands:
        assert codes(reading) & {"no_legal_hand", "no_hand", "no_tiles"}


def test_the_recorded_photos_contain_enough_hands() -> None:
    assert len(PHOTOS) >= 36
    assert sum(reading_of(photo).certain for photo in PHOTOS) >= 10
    assert {photo.name for photo in PHOTOS} >= set(MISREAD) | set(NO_HAND)


UPRIGHT_ONLY = {"ct_033_white-rail-blue"}
"""Photos whose hand is distinguished from other tiles by its position at the lower edge."""

APART_AT_ONE_END = {"ct_029_white-rail-blue"}
"""Photos with a small gap before the last tile of the row: at the owner's right it is likelier the
winning tile, and which side that is turns with the photo.
"""


@pytest.mark.parametrize(
    "photo", [photo for photo in WHOLE if photo.name not in UPRIGHT_ONLY], ids=str
)
def test_turning_and_scaling_the_photo_changes_nothing(photo: Recorded) -> None:
    before = reading_of(photo)
    place = PHOTOS.index(photo)
    moved, size = turned(photo.detections, photo.size, 1 + place % 3, (0.5, 2.0, 3.7)[place % 3])
    after = reading_of(photo, moved, size)
    assert {tile.id for tile in after.tiles if tile.in_hand} == {
        tile.id for tile in before.tiles if tile.in_hand
    }
    assert best(after) == best(before)
    if photo.name in APART_AT_ONE_END:
        return
    assert after.assurance == pytest.approx(before.assurance, abs=0.02)
    if after.certain == before.certain:
        assert codes(after) == codes(before)
    else:
        threshold = shipped_weights().certainty["threshold"]
        assert before.assurance == pytest.approx(threshold, abs=0.02)


@pytest.mark.parametrize(
    "factor",
    [
        0.56,
        pytest.param(0.75, marks=pytest.mark.nightly),
        pytest.param(1.33, marks=pytest.mark.nightly),
        pytest.param(1.78, marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("photo", WHOLE, ids=str)
def test_a_photo_stretched_to_another_aspect_is_read_alike(photo: Recorded, factor: float) -> None:
    size = (round(photo.size[0] * factor), photo.size[1])
    reading = reading_of(photo, stretched(photo.detections, factor), size)
    assert in_hand(reading) == Counter(photo.truth)
    assert best(reading) == Counter(photo.truth)


@pytest.mark.parametrize("photo", PHOTOS, ids=str)
def test_the_order_of_detections_changes_nothing(photo: Recorded) -> None:
    before = reading_of(photo)
    order = np.random.default_rng(len(photo.name)).permutation(len(photo.detections))
    after = reading_of(photo, chosen(photo.detections, order))
    assert {int(order[tile.id]) for tile in after.tiles if tile.in_hand} == {
        tile.id for tile in before.tiles if tile.in_hand
    }
    assert best(after) == best(before)
    assert (after.certain, codes(after)) == (before.certain, codes(before))


ROWS = [
    photo
    for photo in WHOLE
    if len(photo.truth) == 14 and not any(tile.is_flower for tile in photo.truth)
]


@pytest.mark.parametrize("photo", ROWS, ids=str)
def test_a_tile_that_is_taken_away_is_missed(photo: Recorded) -> None:
    """From the end of the row or out of its middle: thirteen tiles are reported, not a hand of
    fourteen.
    """
    mine = sorted(
        (tile for tile in reading_of(photo).tiles if tile.in_hand), key=lambda tile: tile.box[0]
    )
    for gone in (mine[0].id, mine[6].id):
        rest = np.array([i for i in range(len(photo.detections)) if i != gone])
        reading = reading_of(photo, chosen(photo.detections, rest))
        assert not reading.certain
        assert codes(reading) & {
            "thirteen_tiles",
            "too_few_tiles",
            "no_legal_hand",
            "selection_unclear",
            "no_hand",
        }


@pytest.mark.parametrize("photo", ROWS, ids=str)
def test_a_tile_too_many_is_noticed(photo: Recorded) -> None:
    """A fifth of a kind, set where the row ends."""
    mine = sorted(
        (tile for tile in reading_of(photo).tiles if tile.in_hand), key=lambda tile: tile.box[0]
    )
    found, last, before = photo.detections, mine[-1].id, mine[-2].id
    step = found.boxes[last] - found.boxes[before]
    more = Detections(
        np.vstack([found.boxes, found.boxes[last] + step]),
        np.append(found.scores, found.scores[last]),
        np.vstack([found.probabilities, found.probabilities[last]]),
        np.append(found.axes, found.axes[last]),
    )
    reading = reading_of(photo, more, (photo.size[0] * 2, photo.size[1]))
    # A fourth tile beside three others makes a kong of them, and the hand is complete again.
    assert not reading.certain or "kong_kind_unknown" in codes(reading)
    assert codes(reading) - codes(reading_of(photo)) <= set(WORDINGS)
    assert codes(reading) - codes(reading_of(photo))
