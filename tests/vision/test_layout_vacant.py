"""Places where a row has room for a tile that gave no box: they are asked about, and what is there is weighed as any faint box."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vision.pictures import Placed, detections, table, turned
from tests.vision.test_layout_faint import groups
from tests.vision.test_layouts import key
from vision.boxes import separate, with_spare
from vision.layout import arrange
from vision.reading import read
from vision.recogniser import looked_into
from vision.types import Detections, FloatArray


class Overlooked:
    """Knows the tiles that the detector did not see, where it is asked about the place of one."""

    def __init__(self, tiles: list[Placed], unseen: Collection[int], score: float = 0.5) -> None:
        every = detections(tiles)
        hidden = np.isin(np.arange(len(tiles)), list(unseen))
        self.seen = every.only(~hidden)
        some = every.only(hidden)
        self.there = replace(some, scores=np.full(len(some), score, np.float32))
        self.asked: list[FloatArray] = []

    def __call__(self, boxes: FloatArray) -> Detections:
        self.asked.append(boxes)
        near = np.abs(middle(self.there.boxes)[:, None] - middle(boxes)[None]).max(2)
        short = (self.there.boxes[:, 2:] - self.there.boxes[:, :2]).min(1)
        return self.there.only((near < 0.35 * short[:, None]).any(1))


def middle(boxes: FloatArray) -> FloatArray:
    out: FloatArray = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32)
    return out


UNSEEN = [
    ("both ends of a concealed kong", "2m3m4m5p6p7p8s8sCCC _ ?EE?", [11, 14]),
    ("one end of a concealed kong", "2m3m4m5p6p7p8s8sCCC _ _ ?EE?", [14]),
    ("the middle of a kong", "2m3m4m5p6p7p8s8sCCC _ E??E", [12, 13]),
    ("an end of the row", "2m3m4m5p6p7p8s8sEEEPPP", [13]),
    ("a pair within the row", "2m3m4mPPP5p6p7pEEE8s8s", [4, 5]),
    ("the end of a meld", "2m3m4m5p6p7p8s8sEEE _ P-PP", [13]),
    ("a tile of a hand in two rows", "2m3m4m5p6p7p8s\n8sEEEPPP", [9]),
]


@pytest.mark.parametrize(("picture", "unseen"), [case[1:] for case in UNSEEN], ids=[case[0].replace(" ", "-") for case in UNSEEN])
def test_what_lies_where_the_row_has_room_is_taken_in(picture: str, unseen: list[int]) -> None:
    tiles = table(picture)
    whole = read(arrange(detections(tiles)))
    asked = Overlooked(tiles, unseen, 0.6)
    layout = looked_into(asked, asked.seen, (4000, 3000))
    reading = read(layout)
    assert len(asked.asked) == 1
    assert key(reading.hands[0].hand) == key(whole.hands[0].hand)
    assert groups(reading) == groups(whole)
    assert len(layout.faint) == len(unseen)
    assert not reading.certain


@given(angle=st.floats(0, 2 * math.pi))
@settings(max_examples=20, deadline=None)
def test_the_places_turn_with_the_photo(angle: float) -> None:
    asked = Overlooked(turned(table("2m3m4m5p6p7p8s8sCCC _ ?EE?"), angle), [11, 14])
    assert len(looked_into(asked, asked.seen, (4000, 3000)).faint) == 2


def test_places_lie_beside_the_tiles_and_are_as_large() -> None:
    tiles = table("2m3m4mPP 5p6p7pEEE8s8s")
    found = detections(tiles)
    places = arrange(found).vacant
    apart = np.hypot(*np.moveaxis(middle(places)[:, None] - middle(found.boxes)[None], 2, 0))
    width = float(np.median(found.boxes[:, 2] - found.boxes[:, 0]))
    assert apart.min() > 0.6 * width
    assert (places[:, 2:] - places[:, :2]) == pytest.approx(
        np.tile(np.median(found.boxes[:, 2:] - found.boxes[:, :2], axis=0), (len(places), 1)), rel=0.12
    )


@pytest.mark.parametrize("picture", ["2m3m4m5p6p7p8s8sEEEPPP", "2m3m4m5p6p7p8s8sEEE _ P-PP", "2m3m4m5p6p7p8s8sCCC _ _ EEE"])
def test_a_complete_hand_without_room_for_a_kong_asks_nothing(picture: str) -> None:
    asked = Overlooked(table(picture), [])
    looked_into(asked, asked.seen, (4000, 3000))
    assert asked.asked == []


def test_where_nothing_is_nothing_changes() -> None:
    asked = Overlooked(table("2m3m4m5p6p7p8s8sEEEPP"), [])
    layout = looked_into(asked, asked.seen, (4000, 3000))
    assert len(asked.asked) == 1
    assert layout.faint == ()
    assert [way.blocks for way in layout.arrangements] == [way.blocks for way in arrange(asked.seen, (4000, 3000)).arrangements]
    assert [way.blocks for way in looked_into(None, asked.seen, (4000, 3000)).arrangements] == [
        way.blocks for way in layout.arrangements
    ]


def test_of_two_boxes_around_one_middle_the_surer_stays() -> None:
    boxes = np.array([[0, 0, 30, 40], [4, 0, 34, 40], [30, 0, 60, 40]], np.float32)
    assert separate(boxes, np.array([0.2, 0.5, 0.3], np.float32)).tolist() == [1, 2]
    assert separate(np.zeros((0, 4), np.float32), np.zeros(0, np.float32)).tolist() == []
    seen = Overlooked(table("2m3m4m"), [1, 2], 0.3)
    fainter = replace(seen.there, scores=np.array([0.2, 0.4], np.float32))
    both = with_spare(replace(seen.seen, spare=seen.there), fainter).spare
    assert both is not None
    assert sorted(both.scores.tolist()) == pytest.approx([0.3, 0.4])
    assert with_spare(seen.seen, Detections.empty()).spare is None
