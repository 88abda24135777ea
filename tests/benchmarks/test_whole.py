"""The third family of tables: whole tables, their truth, and what a detector may see of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.layout.compare import examine, shown_hand
from benchmarks.layout.record import case_of
from benchmarks.layout.whole import WholeSample, kinds_of, whole, whole_picture
from hupai.scoring.tiles import Tile
from hupai.vision.types import Detections


@pytest.fixture(scope="module")
def tables() -> list[WholeSample]:
    return [whole(seed) for seed in range(10)]


def test_a_seed_gives_the_same_table_twice(tables: list[WholeSample]) -> None:
    again = whole(3)
    assert again.size == tables[3].size
    assert np.array_equal(again.detections.boxes, tables[3].detections.boxes)


def test_the_whole_hand_is_on_the_photo_and_named(tables: list[WholeSample]) -> None:
    for table in tables:
        own = [tile for tile in table.tiles if tile.in_hand]
        shown = shown_hand(table)
        wanted = Counter([*shown.all_tiles, *shown.flowers])
        assert len(own) == wanted.total()
        up = Counter(tile.face for tile in own if not tile.face_down)
        assert not up - (wanted + Counter(t.face for t in own if t.face_down))
        for tile, quad in zip(table.tiles, table.quads, strict=True):
            if tile.in_hand:
                assert quad.min() > 0
                assert (quad.max(0) < table.size).all()


def test_there_are_other_tiles_and_false_detections_on_sides(tables: list[WholeSample]) -> None:
    around = [sum(not tile.in_hand for tile in table.tiles) for table in tables]
    assert np.median(around) > 25
    extra = sum(len(table.detections) - len(table.tiles) for table in tables)
    assert extra > 5
    for table in tables:
        false = table.detections.probabilities[len(table.tiles) :].argmax(1)
        assert set(false.tolist()) <= {int(Tile.WHITE), int(Tile.BACK)}


def test_a_tile_that_stands_with_its_back_to_the_camera_is_a_back(
    tables: list[WholeSample],
) -> None:
    standing = [t for table in tables for t in table.tiles if t.tilt > 0 and not t.in_hand]
    assert any(t.face_down for t in standing)
    for table in tables:
        names = table.detections.probabilities.argmax(1)
        for i, tile in enumerate(table.tiles):
            assert names[i] == (Tile.BACK if tile.face_down else tile.face)


def test_kinds_describe_the_layout_of_the_hand(tables: list[WholeSample]) -> None:
    names = {name for table in tables for name in kinds_of(table)}
    assert any(name.startswith("stance rack") or name == "stance standing" for name in names)
    assert any(name.startswith("melds ") for name in names)


def test_a_table_can_be_read_and_recorded(tables: list[WholeSample]) -> None:
    outcome, reading = examine(tables[0])
    assert outcome.layout_ms > 0
    assert len(reading.tiles) >= 13
    case = case_of(tables[0], "family 3", "0")
    assert case.missing == 0
    assert case.tiles is not None
    assert len(case.tiles) == sum(tile.in_hand for tile in tables[0].tiles)


def test_the_picture_shows_bright_faces_where_the_hand_lies(tables: list[WholeSample]) -> None:
    table = tables[0]
    image = whole_picture(table, 0.0, own_set=True)
    assert image.shape == (table.size[1], table.size[0], 3)
    assert isinstance(table.detections, Detections)
    own = [q for t, q in zip(table.tiles, table.quads, strict=True) if t.in_hand]
    x, y = np.round(own[0].mean(0)).astype(int)
    assert image[y - 3 : y + 4, x - 3 : x + 4].std() > 0
