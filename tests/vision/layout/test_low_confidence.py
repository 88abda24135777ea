"""Low-confidence boxes that complete a hand, and weak tiles that are left out."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hupai.datasets.synthetic.layout.footprints import corners
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.scene import PlacedTile
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.table_tiles import ground_of
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.segments import sides_and_tops
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, GroupKind, Reading
from tests.vision.cameras import ROW, SHAPE
from tests.vision.layout.test_layouts import codes, key
from tests.vision.pictures import Placed, detections, table, turned


def seen(tiles: list[Placed], low_confidence: Collection[int], score: float = 0.12) -> Detections:
    """Return the detections of a detector that scores some of the tiles low."""
    every = detections(tiles)
    low = np.isin(np.arange(len(tiles)), list(low_confidence))
    some = every.only(low)
    return replace(
        every.only(~low), low_confidence=replace(some, scores=np.full(len(some), score, np.float32))
    )


def groups(reading: Reading) -> list[tuple[str, int]]:
    return sorted((g.kind.value, len(g.tiles)) for g in reading.groups)


MISSED = [
    ("an end of a concealed kong", "2m3m4m5p6p7p8s8sCCC _ ?EE?", [11]),
    ("both ends", "2m3m4m5p6p7p8s8sCCC _ ?EE?", [11, 14]),
    ("the middle", "2m3m4m5p6p7p8s8sCCC _ E??E", [12, 13]),
    ("two of four backs beside each other", "2m3m4m5p6p7p8s8sCCC _ ????", [13, 14]),
    ("a kong by itself, but for one tile", "2m3m4m5p6p7p8s8sCCC\n\n?EE?", [14]),
    ("a blank tile in the row", "2m3m4m5p6p7p8s8sEEEPPP", [13]),
    ("a blank tile within it", "2m3m4mPPP5p6p7pEEE8s8s", [4]),
    ("the winning tile, set apart", "2m3m4m5p6p7p8s8sEEEPP _ _ P", [13]),
    ("the claimed tile", "2m3m4m5p6p7p8s8sEEE _ P-PP", [12]),
]


@pytest.mark.parametrize(
    ("picture", "low_confidence"),
    [case[1:] for case in MISSED],
    ids=[case[0].replace(" ", "-") for case in MISSED],
)
def test_what_the_row_lacks_is_taken_in(picture: str, low_confidence: list[int]) -> None:
    tiles = table(picture)
    whole = read(arrange(detections(tiles)))
    assert whole.hands
    layout = arrange(seen(tiles, low_confidence))
    reading = read(layout)
    assert key(reading.hands[0].hand) == key(whole.hands[0].hand)
    assert groups(reading) == groups(whole)
    confident = len(tiles) - len(low_confidence)
    assert layout.low_confidence == tuple(range(confident, len(tiles)))
    assert [p.tiles for p in reading.problems if p.code == "faint_tile"] == [layout.low_confidence]
    assert not reading.certain
    np.testing.assert_array_equal(
        layout.detections.boxes[confident:], detections(tiles).boxes[low_confidence]
    )


@given(angle=st.floats(0, 2 * math.pi))
def test_taken_in_whichever_way_the_photo_is_held(angle: float) -> None:
    tiles = turned(table("2m3m4m5p6p7p8s8sCCC _ ?EE?"), angle)
    assert len(arrange(seen(tiles, [14])).low_confidence) == 1


@pytest.mark.parametrize(
    ("picture", "low_confidence"),
    [
        ("2m3m4m5p6p7p8s8sEEEPPP ?", [14]),
        ("2m3m4m5p6p7p8s8sEEEPPP\n\n????", [14, 15, 16, 17]),
        ("2m3m4m5p6p7p8s8sEEEPP\n~\n~\n~\n~\n~\nP", [13]),
        ("2m3m4m5p6p7p8s8sEEECC P", [13]),
    ],
)
def test_low_confidence_boxes_that_complete_no_hand_are_dropped(
    picture: str, low_confidence: list[int]
) -> None:
    found = seen(table(picture), low_confidence)
    layout = arrange(found)
    assert layout.low_confidence == ()
    assert len(layout.detections) == len(found), "nothing is listed that was not seen"
    alone = arrange(replace(found, low_confidence=None))
    assert [one.blocks for one in layout.arrangements] == [one.blocks for one in alone.arrangements]


def test_a_low_confidence_tile_far_along_the_row_is_not_taken_in() -> None:
    layout = arrange(seen(table("2m3m4m5p6p7p8s8sEEEPP _ _ _ _ _ _ _ _ _ _ P"), [13]))
    assert layout.low_confidence == ()
    assert len(layout.arrangements[0].tiles) == 13
    assert not read(layout).certain


def test_a_photo_of_low_confidence_boxes_alone_has_no_hand() -> None:
    found = seen(table("2m3m4m5p6p7p8s8sEEEPPP"), range(14))
    reading = read(arrange(found))
    assert codes(reading) == {"no_tiles"}
    assert reading.tiles == ()


@pytest.mark.parametrize("picture", ["2m3m4m5p6p7p8s8sCCC _ ?EE??", "CCC2m3m4m5p6p7p8s8s _ ??EE?"])
def test_a_weak_back_that_spoils_the_hand_is_left_out(picture: str) -> None:
    tiles = table(picture)
    backs = [i for i, t in enumerate(tiles) if t.tile is Tile.BACK]
    false = backs[-1] if picture.endswith("??") else backs[0]
    tiles[false] = replace(tiles[false], score=0.3)
    found = detections(tiles)
    reading = read(arrange(found))
    assert not next(t for t in reading.tiles if t.id == false).in_hand
    alone = read(arrange(found.only(np.arange(len(tiles)) != false)))
    assert key(reading.hands[0].hand) == key(alone.hands[0].hand)
    assert groups(reading) == groups(alone)


def test_a_sure_kong_stays_one() -> None:
    tiles = [
        replace(t, score=0.3) if t.tile is Tile.BACK else t
        for t in table("2m3m4m5p6p7p8s8sCCC _ ?EEE")
    ]
    reading = read(arrange(detections(tiles)))
    assert any(g.kind is GroupKind.CONCEALED_KONG and len(g.tiles) == 4 for g in reading.groups)


@pytest.mark.parametrize(("elevation", "found"), [(25, [14, 15]), (40, [14, 15]), (85, [])])
def test_the_sides_of_tiles_are_blank_boxes_before_them(elevation: float, found: list[int]) -> None:
    # A side seems to lie half a tile and more before the tile's middle, a tile of a second row
    # further away.
    blank = [PlacedTile(Tile.WHITE, 2.04, -0.9), PlacedTile(Tile.WHITE, 5.1, -0.9)]
    apart = [PlacedTile(Tile.WHITE, 8.16, -SHAPE.height - 0.1), PlacedTile(Tile.M9, 10.2, -0.9)]
    tiles = [*ROW, *blank, *apart]
    camera = Camera(
        View(elevation, 0.0, 0.0, 55.0, 1280, 960), np.array([[t.x, t.y, 0.0] for t in tiles]), 0.8
    )
    quads = [camera.project(np.column_stack([corners(t, SHAPE), np.zeros(4)])) for t in tiles]
    boxes = np.array([np.concatenate([q.min(0), q.max(0)]) for q in quads], np.float32)
    ups = [q[:2].mean(0) - q[2:].mean(0) for q in quads]
    axes = np.array([math.atan2(up[1], up[0]) % math.pi for up in ups], np.float32)
    classes = np.eye(43, dtype=np.float32)[[t.face for t in tiles]]
    field = ground_of(
        Detections(boxes, np.full(len(tiles), 0.8, np.float32), classes, axes), (1280, 960)
    )
    before, _ = sides_and_tops(field)
    assert sorted(field.ids[before]) == found


def test_low_confidence_boxes_go_where_the_photo_goes() -> None:
    found = seen(table("2m3m4m5p6p7p8s8sCCC _ ?EE?"), [14])
    large = found.scaled(2.0)
    assert found.low_confidence is not None
    assert large.low_confidence is not None
    np.testing.assert_allclose(large.low_confidence.boxes, 2 * found.low_confidence.boxes)
    assert found.only(np.zeros(len(found), bool)).low_confidence is found.low_confidence
    assert Detections.empty().with_others(found).low_confidence is found.low_confidence


@pytest.mark.parametrize("backs", ["????", "?" * 14])
@pytest.mark.parametrize(
    "around", ["", "1m2m3m5m6m7m4p5p6p7s8sNN\n~\n~\n"], ids=["alone", "others"]
)
def test_backs_of_low_score_are_no_hand(backs: str, around: str) -> None:
    """Nothing is left to propose if all segments are backs that may be false detections."""
    tiles = table(around + backs)
    every = detections(tiles)
    scores = np.where([tile.tile is Tile.BACK for tile in tiles], 0.2, every.scores)
    reading = read(arrange(replace(every, scores=scores.astype(np.float32)), (1280, 960)))
    own = [tile.tile for tile in reading.tiles if tile.in_hand]
    assert own == [tile.tile for tile in tiles if tile.tile is not Tile.BACK]
