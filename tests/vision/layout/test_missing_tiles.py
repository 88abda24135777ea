"""Gaps of a row are classified, and a tile found there is treated as a low-confidence box."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.vision.detection.suppression import separate, with_low_confidence
from hupai.vision.layout.arrange import arrange
from hupai.vision.pipeline.recogniser import layout_with_recovery
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, FloatArray
from tests.vision.layout.test_layouts import key
from tests.vision.layout.test_low_confidence import groups
from tests.vision.pictures import Placed, detections, table, turned
from tests.vision.recorded import parse


class MissedTiles:
    """Classifies the missed tiles whose place it is given."""

    def __init__(self, tiles: list[Placed], unseen: Collection[int], score: float = 0.5) -> None:
        every = detections(tiles)
        hidden = np.isin(np.arange(len(tiles)), list(unseen))
        self.detected = every.only(~hidden)
        some = every.only(hidden)
        self.missing = replace(some, scores=np.full(len(some), score, np.float32))
        self.calls: list[FloatArray] = []

    def __call__(self, boxes: FloatArray) -> Detections:
        self.calls.append(boxes)
        near = np.abs(middle(self.missing.boxes)[:, None] - middle(boxes)[None]).max(2)
        short = (self.missing.boxes[:, 2:] - self.missing.boxes[:, :2]).min(1)
        return self.missing.only((near < 0.35 * short[:, None]).any(1))


def middle(boxes: FloatArray) -> FloatArray:
    out: FloatArray = ((boxes[:, :2] + boxes[:, 2:]) / 2).astype(np.float32)
    return out


UNSEEN = [
    ("both ends of a concealed kong", "2m3m4m5p6p7p8s8sCCC _ ?EE?", [11, 14]),
    ("one end of a concealed kong", "2m3m4m5p6p7p8s8sCCC _ _ ?EE?", [14]),
    ("the middle of a kong", "2m3m4m5p6p7p8s8sCCC _ E??E", [12, 13]),
    ("an open end of a kong", "2m3m4m5p6p7p8s8sCCC _ E??E", [14]),
    ("an end of the row", "2m3m4m5p6p7p8s8sEEEPPP", [13]),
    ("a pair within the row", "2m3m4mPPP5p6p7pEEE8s8s", [4, 5]),
    ("the end of a meld", "2m3m4m5p6p7p8s8sEEE _ P-PP", [13]),
    ("a tile of a hand in two rows", "2m3m4m5p6p7p8s\n8sEEEPPP", [9]),
]


@pytest.mark.parametrize(
    ("picture", "unseen"),
    [case[1:] for case in UNSEEN],
    ids=[case[0].replace(" ", "-") for case in UNSEEN],
)
def test_what_lies_where_the_row_has_room_is_taken_in(picture: str, unseen: list[int]) -> None:
    tiles = table(picture)
    whole = read(arrange(detections(tiles)))
    classify = MissedTiles(tiles, unseen, 0.6)
    layout = layout_with_recovery(classify, classify.detected, (4000, 3000))
    reading = read(layout)
    assert len(classify.calls) == 1
    assert key(reading.hands[0].hand) == key(whole.hands[0].hand)
    assert groups(reading) == groups(whole)
    assert len(layout.low_confidence) == len(unseen)
    assert not reading.certain


@pytest.mark.nightly
@given(angle=st.floats(0, 2 * math.pi))
def test_the_places_turn_with_the_photo(angle: float) -> None:
    classify = MissedTiles(turned(table("2m3m4m5p6p7p8s8sCCC _ ?EE?"), angle), [11, 14])
    assert len(layout_with_recovery(classify, classify.detected, (4000, 3000)).low_confidence) == 2


def test_places_lie_beside_the_tiles_and_are_as_large() -> None:
    tiles = table("2m3m4mPP 5p6p7pEEE8s8s")
    found = detections(tiles)
    places = arrange(found).missing_tile_boxes
    apart = np.hypot(*np.moveaxis(middle(places)[:, None] - middle(found.boxes)[None], 2, 0))
    width = float(np.median(found.boxes[:, 2] - found.boxes[:, 0]))
    assert apart.min() > 0.6 * width
    assert (places[:, 2:] - places[:, :2]) == pytest.approx(
        np.tile(np.median(found.boxes[:, 2:] - found.boxes[:, :2], axis=0), (len(places), 1)),
        rel=0.12,
    )


@pytest.mark.parametrize(
    "picture",
    ["2m3m4m5p6p7p8s8sEEEPPP", "2m3m4m5p6p7p8s8sEEE _ P-PP", "2m3m4m5p6p7p8s8sCCC _ _ -EEE"],
)
def test_a_complete_hand_without_room_for_a_kong_asks_nothing(picture: str) -> None:
    classify = MissedTiles(table(picture), [])
    layout_with_recovery(classify, classify.detected, (4000, 3000))
    assert classify.calls == []


@pytest.mark.parametrize(
    "picture", ["2m3m4m5p6p7p8s8sCCC _ _ ?EEE", "2m3m4m5p6p7p8s8sCCC _ _ EEE?"]
)
def test_beside_three_open_tiles_a_back_counts_where_it_is_seen_clearly(picture: str) -> None:
    tiles = table(picture)
    back = 14 if picture.endswith("?") else 11
    kong = read(arrange(detections(tiles)))
    pung = read(arrange(detections([t for i, t in enumerate(tiles) if i != back])))
    assert key(kong.hands[0].hand) != key(pung.hands[0].hand)
    for score, shown in ((0.8, kong), (0.5, pung)):
        classify = MissedTiles(tiles, [back], score)
        reading = read(layout_with_recovery(classify, classify.detected, (4000, 3000)))
        assert key(reading.hands[0].hand) == key(shown.hands[0].hand)
    assert not read(
        layout_with_recovery(MissedTiles(tiles, [back], 0.8), classify.detected, (4000, 3000))
    ).certain


@pytest.mark.parametrize(
    "picture", ["2m3m4m5p6p7p8s8sCCC _ _ ?EE?", "2m3m4m5p6p7p8s8sCCC _ _ _ _ ??E?"]
)
def test_a_whole_kong_may_have_been_missed(picture: str) -> None:
    tiles = table(picture)
    classify = MissedTiles(tiles, range(11, 15), 0.7)
    reading = read(layout_with_recovery(classify, classify.detected, (4000, 3000)))
    whole = read(arrange(detections(tiles)))
    assert key(reading.hands[0].hand) == key(whole.hands[0].hand)
    assert not reading.certain


def test_the_places_beside_a_recovered_back_are_classified_again() -> None:
    tiles = table("2m3m4m5p6p7p8s8sCCC _ _ _ _ _ _ _ _ ?EE?")
    classify = MissedTiles(tiles, range(11, 15), 0.7)
    reading = read(layout_with_recovery(classify, classify.detected, (4000, 3000)))
    assert len(classify.calls) > 1
    assert groups(reading) == groups(read(arrange(detections(tiles))))
    places = middle(np.concatenate(classify.calls))
    apart = np.hypot(*np.moveaxis(places[:, None] - places[None], 2, 0)) + 1e6 * np.eye(len(places))
    assert apart.min() > 1, "no place is classified twice"


def test_empty_places_change_nothing() -> None:
    classify = MissedTiles(table("2m3m4m5p6p7p8s8sEEEPP"), [])
    layout = layout_with_recovery(classify, classify.detected, (4000, 3000))
    assert len(classify.calls) == 1
    assert layout.low_confidence == ()
    assert [one.blocks for one in layout.arrangements] == [
        one.blocks for one in arrange(classify.detected, (4000, 3000)).arrangements
    ]
    assert [
        one.blocks
        for one in layout_with_recovery(None, classify.detected, (4000, 3000)).arrangements
    ] == [one.blocks for one in layout.arrangements]


def test_of_two_boxes_with_one_centre_the_higher_scoring_is_kept() -> None:
    boxes = np.array([[0, 0, 30, 40], [4, 0, 34, 40], [30, 0, 60, 40]], np.float32)
    assert separate(boxes, np.array([0.2, 0.5, 0.3], np.float32)).tolist() == [1, 2]
    assert separate(np.zeros((0, 4), np.float32), np.zeros(0, np.float32)).tolist() == []
    missed = MissedTiles(table("2m3m4m"), [1, 2], 0.3)
    fainter = replace(missed.missing, scores=np.array([0.2, 0.4], np.float32))
    both = with_low_confidence(
        replace(missed.detected, low_confidence=missed.missing), fainter
    ).low_confidence
    assert both is not None
    assert sorted(both.scores.tolist()) == pytest.approx([0.3, 0.4])
    assert with_low_confidence(missed.detected, Detections.empty()).low_confidence is None


BLEACHED = """\
scene-3273 1280x960 444666m7777p678sSS57h
547.2 614.2 625.8 698.3 0.867 25.3 8s 0.9948
534.7 676.2 620.0 761.6 0.864 22.5 7s 0.9846
204.1 386.1 261.9 470.1 0.862 102.2 2m 0.9931
523.6 733.4 608.4 820.4 0.861 20.7 6s 0.9916
162.3 285.8 226.9 353.6 0.858 14.3 4p 0.9959
638.7 520.0 728.0 608.3 0.854 21.2 6m 0.9932
600.8 710.6 688.0 797.5 0.851 22.2 4m 0.9971
596.4 769.6 678.1 861.9 0.850 24.6 4m 0.9968
691.6 215.0 783.6 303.0 0.849 9.7 7p 0.9905
613.0 646.5 702.2 734.3 0.848 21.9 4m 0.9956
556.6 550.0 642.9 636.7 0.848 20.5 S 0.9978
423.6 589.0 503.0 670.4 0.847 18.0 7h 0.9991
436.3 530.7 514.9 611.1 0.842 20.1 5h 0.9995
663.0 374.6 753.7 462.4 0.837 21.4 6m 0.9961
567.5 488.9 652.8 572.7 0.833 19.3 S 0.9986
56.4 431.5 113.9 514.5 0.831 90.6 2s 0.9919
625.8 582.5 716.9 671.9 0.830 23.5 6m 0.9926
107.5 363.0 164.4 445.6 0.828 95.0 1m 0.9938
102.8 248.6 157.2 329.2 0.825 94.5 8m 0.9973
636.1 131.4 726.2 216.2 0.818 14.9 7p 0.9947
158.7 220.0 223.4 289.6 0.818 14.1 S 0.9972
179.0 128.3 246.8 200.5 0.805 18.6 C 0.9937
708.2 143.6 812.6 235.4 0.804 10.1 7p 0.9955
133.2 125.5 192.7 211.9 0.799 97.4 W 0.9968
119.7 478.4 181.3 541.7 0.768 18.1 2s 0.996
74.0 546.2 134.9 611.9 0.612 - ? 0.9989
64.0 578.9 130.1 661.1 0.483 - ? 0.9943
"""
"""A rendered table: a lamp bleaches the last tile of an added kong of 7p, and what is left of it
completes the hand otherwise.
"""


def test_a_hand_with_room_for_a_tile_between_concealed_ones_is_never_certain() -> None:
    photo = parse(BLEACHED.splitlines())
    layout = arrange(photo.detections, photo.size)
    # With one grouping alone little else tells.
    layout = replace(layout, arrangements=(replace(layout.arrangements[0], log_weight=0.0),))
    reading = read(layout)
    assert reading.hands[0].probability > 0.95
    (apart,) = (p.tiles for p in reading.problems if p.code == "gap_in_hand")
    assert {"6m", "7p"} <= {t.tile.code for t in reading.tiles if t.id in apart}
    assert not reading.certain
    assert read(replace(layout, pairs_with_gap=())).certain


def test_room_between_groups_is_as_usual() -> None:
    layout = arrange(detections(table("4m4m4m6m6m6m6s7s8sSS _ _ 7p-7p7p")))
    assert len(layout.pairs_with_gap) == 1
    assert "gap_in_hand" not in {p.code for p in read(layout).problems}


def test_a_hand_pushed_apart_into_sets_has_no_room() -> None:
    assert not arrange(detections(table("4m4m4m _ 6m6m6m _ 6s7s8s _ SS _ 7p7p7p"))).pairs_with_gap
