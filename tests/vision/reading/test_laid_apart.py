"""Tiles that lie apart from the concealed row, on it, or touch it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.tiles import Tile
from hupai.vision.layout.arrange import arrange
from hupai.vision.layout.types import Arrangement, Block, BlockKind
from hupai.vision.reading.certainty.laid_apart import end_apart, row_continues, tile_on_row
from hupai.vision.reading.read import read_with_features
from hupai.vision.types import FloatArray
from tests.vision.pictures import detections, table

TILES = 13


def _row(steps: list[float], heights: list[float] | None = None) -> tuple[Arrangement, FloatArray]:
    """A concealed row of boxes 40 x 54, with the steps between them and their offsets, pixels."""
    x = np.cumsum([0.0, *steps])
    y = np.zeros(len(x)) if heights is None else np.array(heights)
    boxes = np.stack([x, y, x + 40, y + 54], 1).astype(np.float32)
    return Arrangement((Block(BlockKind.CONCEALED, tuple(range(len(x)))),), 0.0), boxes


@pytest.mark.parametrize("shrink", [1.0, 0.97])
@pytest.mark.parametrize("end", [0, -1])
def test_a_step_is_compared_with_those_that_perspective_explains(shrink: float, end: int) -> None:
    steps = [50 * shrink**k for k in range(TILES - 1)]
    assert end_apart(*_row(steps)) == pytest.approx(0.0, abs=0.05)
    steps[end] *= 1.15
    assert end_apart(*_row(steps)) == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize(
    ("place", "aside", "step", "on_row"),
    [
        (6, 16.0, 40.0, True),
        (6, 8.0, 40.0, False),
        (6, 16.0, 70.0, False),
        (0, 16.0, 40.0, False),
    ],
    ids=["on the row", "askew", "beside a gap", "at the end"],
)
def test_a_tile_beside_the_line_through_its_neighbours_lies_on_the_row(
    place: int, aside: float, step: float, on_row: bool
) -> None:
    steps, heights = [40.0] * (TILES - 1), [0.0] * TILES
    steps[place], heights[place] = step, -aside
    assert tile_on_row(*_row(steps, heights)) is on_row


@pytest.mark.parametrize(("raised", "unseen"), [(12, True), (3, False)])
def test_a_hand_of_thirteen_may_lack_the_tile_below_one_that_lies_on_its_row(
    raised: float, unseen: bool
) -> None:
    row = [replace(t, x=t.x + 300, y=t.y + 300) for t in table("1m2m3m4p5p6p7s8s9sEEEP")]
    row[6] = replace(row[6], y=row[6].y - raised)
    layout = replace(arrange(detections(row), (1400, 900)), examined=True)
    assert read_with_features(layout)[1]["unseen_winner"] == unseen


@pytest.mark.parametrize(
    ("x", "y", "continues"),
    [(520.0, 0.0, True), (-40.0, 6.0, True), (600.0, 0.0, False), (520.0, 60.0, False)],
    ids=["after the row", "before it", "further away", "below"],
)
def test_a_tile_at_the_next_place_continues_the_row(x: float, y: float, continues: bool) -> None:
    arrangement, boxes = _row([40.0] * (TILES - 1))
    other = np.array([[x, y, x + 40, y + 54]], np.float32)
    assert row_continues(arrangement, np.concatenate([boxes, other]), [TILES]) is continues


@pytest.mark.parametrize(("away", "unseen"), [(0, True), (200, False)])
def test_a_back_that_continues_a_hand_of_thirteen_may_be_its_winning_tile(
    away: float, unseen: bool
) -> None:
    row = [replace(t, x=t.x + 300, y=t.y + 300) for t in table("1m2m3m4p5p6p7s8s9sEEEP")]
    step = row[-1].x - row[-2].x
    back = replace(row[-1], x=row[-1].x + step, y=row[-1].y + away, tile=Tile.BACK)
    alone = arrange(detections(row), (1400, 900))
    layout = arrange(detections([*row, back]), (1400, 900))
    layout = replace(layout, arrangements=alone.arrangements, examined=True)
    reading, values = read_with_features(layout)
    assert sum(tile.in_hand for tile in reading.tiles) == TILES
    assert values["unseen_winner"] == unseen


def test_boxes_in_one_place_have_no_steps() -> None:
    assert end_apart(*_row([0.0] * (TILES - 1))) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(("face", "certain"), [("4s", False), ("9p", True)])
def test_a_tile_touching_the_hand_may_be_the_winning_one_if_it_completes_the_hand(
    face: str, certain: bool
) -> None:
    row = [replace(t, x=t.x + 300, y=t.y + 300) for t in table("1m2m3m4p5p6p2s3sEEEPP _ _ 1s")]
    other = replace(row[4], y=row[4].y - 44, axis=row[4].axis + 0.5, tile=Tile.from_code(face))
    reading, values = read_with_features(arrange(detections([*row, other]), (1400, 900)))
    won = [t.tile.code for t in reading.tiles if t.in_hand and t.id == len(row) - 1]
    assert won == ["1s"]
    assert values["other_winners"] == (not certain)


@pytest.mark.parametrize(("face", "left"), [("7s", 1), ("6s", 0)])
def test_a_pair_beside_another_tile_of_its_face_may_be_part_of_a_kong(face: str, left: int) -> None:
    text = "7s7s _ 1m-1m1m _ -2p3p4p _ E-EE _ -5p6p7p"
    tiles = [replace(t, x=t.x + 300, y=t.y + 300) for t in table(text)]
    other = replace(tiles[0], y=tiles[0].y - 42, tile=Tile.from_code(face))
    alone = arrange(detections(tiles), (1600, 900))
    layout = replace(
        arrange(detections([*tiles, other]), (1600, 900)), arrangements=alone.arrangements
    )
    _, values = read_with_features(layout)
    assert values["kong_face_left"] == left
