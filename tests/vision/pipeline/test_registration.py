"""One photo laid over another: turned, scaled, seen at a slant, cut."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hupai.scoring.notation import parse_hand
from hupai.vision.layout.arrange import arrange
from hupai.vision.pipeline.registration import register
from hupai.vision.pipeline.several_photos import merge
from hupai.vision.types import Detections
from tests.vision.pictures import HEIGHT, Placed, detections, table, turned

HAND = "1m2m3m4p5p6p7s7s _ -EEE _ 5s-5s5s"
OTHER = "2m2m5m5m8m8m3p3p6p6p1s1sSS"


def slanted(found: Detections, lean: float) -> Detections:
    """The table seen at a slant: what lies further up becomes smaller."""
    centres = (found.boxes[:, :2] + found.boxes[:, 2:]) / 2
    depth = (1 + lean * (found.boxes[:, 3:].max() - centres[:, 1:]) / 1000).astype(np.float32)
    half = (found.boxes[:, 2:] - found.boxes[:, :2]) / 2 / depth
    placed = np.column_stack([centres[:, 0] / depth[:, 0], centres[:, 1] / depth[:, 0]]).astype(
        np.float32
    )
    return Detections(
        np.hstack([placed - half, placed + half]), found.scores, found.probabilities, found.axes
    )


def far_apart(tiles: list[Placed]) -> Detections:
    """Two rows, so that a slant shows."""
    return detections(
        [
            *tiles,
            *(Placed(t.x, t.y - 4 * HEIGHT, t.axis, t.tile) for t in table("9p8p7p6p3s2s1sCCF")),
        ]
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    angle=st.floats(-180, 180),
    scale=st.floats(0.4, 2.5),
    gone=st.sets(st.integers(0, 13), max_size=6),
)
def test_a_rotated_and_scaled_photo_is_registered(
    angle: float, scale: float, gone: set[int]
) -> None:
    tiles = table(HAND)
    base, moved = detections(tiles), detections(turned(tiles, math.radians(angle), scale))
    kept = [i for i in range(len(tiles)) if i not in gone]
    seen = Detections(
        moved.boxes[kept], moved.scores[kept], moved.probabilities[kept], moved.axes[kept]
    )
    fit = register(base, seen)
    assert fit is not None
    assert {(mine, kept[its]) for mine, its in fit.pairs} == {(i, i) for i in kept}
    wanted, got = ((boxes[:, :2] + boxes[:, 2:]) / 2 for boxes in (base.boxes[kept], fit.boxes))
    assert np.abs(wanted - got).max() < 2
    turn = np.abs(fit.axes - base.axes[kept])
    assert np.minimum(turn, math.pi - turn).max() < 0.1


@pytest.mark.parametrize("lean", [-0.3, 0.2, 0.4])
def test_a_slanted_view_is_registered(lean: float) -> None:
    base = far_apart(table(HAND))
    fit = register(base, slanted(base, lean))
    assert fit is not None
    assert len(fit.pairs) >= len(base) - 2
    assert all(mine == its for mine, its in fit.pairs)


def test_another_table_is_not_aligned() -> None:
    assert register(detections(table(HAND)), detections(table(OTHER))) is None
    assert register(detections(table(HAND)), Detections.empty()) is None
    assert register(detections(table("1m1m1m1m")), detections(table("1m1m1m1m"))) is None


def test_halves_that_share_five_tiles_make_one_hand() -> None:
    tiles = table(HAND)
    left = arrange(detections(tiles[:10]))
    right = arrange(detections(turned(tiles[5:], 0.4, 1.3)))
    merged = merge([left, right])
    assert merged.left_out == ()
    assert merged.reading.hands[0].hand == parse_hand("123m456p77s [EEE,1] [555s,2]")
    held = [tile for tile in merged.reading.tiles if tile.in_hand]
    assert {tile.photo for tile in held} == {0, 1}
    assert sum(bool(tile.elsewhere) for tile in held) == 5


def test_a_tile_cut_by_the_edge_is_taken_from_the_photo_that_shows_it_whole() -> None:
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    whole = detections(tiles)
    boxes = whole.boxes[:13].copy()
    boxes[12, 2] -= 0.6 * (boxes[12, 2] - boxes[12, 0])
    faces = whole.probabilities[:13].copy()
    faces[12] = np.roll(faces[12], 1)
    cut = Detections(boxes, whole.scores[:13], faces, whole.axes[:13])
    rest = Detections(whole.boxes[4:], whole.scores[4:], whole.probabilities[4:], whole.axes[4:])
    merged = merge([arrange(cut), arrange(rest)])
    assert merged.reading.hands[0].hand == parse_hand("123m456p789sEEEPP")
