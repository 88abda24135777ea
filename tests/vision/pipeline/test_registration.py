"""One photo laid over another: turned, scaled, seen at a slant, cut."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hupai.scoring.notation import parse_hand
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import around, sizes
from hupai.vision.layout.arrange import arrange
from hupai.vision.pipeline.registration import register
from hupai.vision.pipeline.several_photos import merge
from hupai.vision.types import Detections
from tests.vision.pictures import HEIGHT, Placed, detections, table, turned
from tests.vision.recorded import Recorded, recorded

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


@pytest.mark.parametrize("gap", ["_ _ _", "_ _ _ _ _"])
def test_tiles_laid_farther_apart_are_not_registered_at_another_scale(gap: str) -> None:
    one = detections(table("1m2m3m4p5p6p7s8s9sEEEPP"))
    apart = detections(table(f" {gap} ".join(["1m2m3m", "4p5p6p", "7s8s9s", "EEE", "PP"])))
    assert register(one, apart) is None
    assert register(apart, one) is None


def jittered(found: Detections, pixels: float, seed: int) -> Detections:
    """The boxes of a detector that errs by so many pixels."""
    noise = np.random.default_rng(seed).normal(0, pixels, found.boxes.shape)
    boxes = (found.boxes + noise).astype(np.float32)
    return Detections(boxes, found.scores, found.probabilities, found.axes)


@pytest.mark.parametrize(
    "pixels",
    [
        pytest.param(0.3, marks=pytest.mark.nightly),
        1.0,
        pytest.param(2.0, marks=pytest.mark.nightly),
    ],
)
def test_the_errors_of_a_single_row_do_not_distort_its_tiles(pixels: float) -> None:
    """The centres of one row say nothing about the scale across it but their errors."""
    tiles = table("1m2m3m4p5p6p7s8s9sEEEPP")
    for seed in range(20):
        turn, scale = -0.5 + seed / 20, 0.6 + seed / 20
        base = jittered(detections(tiles), pixels, 2 * seed)
        fit = register(base, jittered(detections(turned(tiles, turn, scale)), pixels, 2 * seed + 1))
        assert fit is not None
        assert [mine for mine, its in fit.pairs if mine == its] == [mine for mine, _ in fit.pairs]
        larger = np.log(sizes(fit.boxes) / sizes(base.boxes))
        assert abs(np.median(larger)) < 0.12
        apart = np.abs(fit.axes - base.axes)
        assert np.minimum(apart, math.pi - apart).max() < 0.15


def test_a_tile_behind_the_camera_of_the_base_is_not_placed() -> None:
    """The other photo shows tiles on this side of the table, which the base's camera is above."""
    seen = far_apart(table(HAND))
    near = detections([Placed(200, 3000, math.pi / 2, Tile.M9)])
    fit = register(slanted(seen, 0.5), seen.with_others(near))
    assert fit is not None
    assert fit.placed.tolist() == [True] * len(seen) + [False]
    rest = seen.only(np.arange(1, len(seen))).with_others(near)
    merged = merge([arrange(slanted(seen, 0.5)), arrange(rest)])
    assert merged.leading == 0
    assert merged.reading.hands[0].hand == parse_hand("123m456p77s [EEE,1] [555s,2]")
    assert all(tile.tile is not Tile.M9 for tile in merged.reading.tiles)


def from_the_side(photo: Recorded, angle: float, scale: float, lean: float) -> Detections:
    """What the detector, with its errors, would find on an oblique photo of the same table."""
    width, height = photo.size
    c, s = math.cos(angle) * scale, math.sin(angle) * scale
    quads = (photo.detections.quads - np.array([width, height]) / 2) @ np.array([[c, s], [-s, c]])
    quads = quads / (1 + lean * quads[..., 1:] / height)
    boxes = around(quads.astype(np.float64))
    noise = np.random.default_rng(len(boxes)).normal(0, 0.02, boxes.shape)
    boxes += noise * np.sqrt(sizes(boxes).prod(1))[:, None]
    axes = np.mod(photo.detections.axes + angle, np.pi)
    found = photo.detections
    return Detections(boxes.astype(np.float32), found.scores, found.probabilities, axes)


@pytest.mark.parametrize("photo", recorded()[::3], ids=str)
@pytest.mark.parametrize(("angle", "scale", "lean"), [(0.1, 0.8, 0.2), (-0.25, 1.2, -0.3)])
def test_an_oblique_photo_of_the_same_table_is_registered(
    photo: Recorded, angle: float, scale: float, lean: float
) -> None:
    """Neighbours of one face are not taken for each other."""
    fit = register(photo.detections, from_the_side(photo, angle, scale, lean))
    assert fit is not None
    assert sum(mine != its for mine, its in fit.pairs) <= 1
    assert len(fit.pairs) > 0.85 * len(photo.detections)


@pytest.mark.nightly
def test_photos_of_two_tables_are_not_merged() -> None:
    """A few tiles may match by chance, as the end of one row and the beginning of another."""
    photos = recorded()[1::2]
    matched = [
        (one, other)
        for one, other in combinations(photos, 2)
        if register(one.detections, other.detections) is not None
    ]
    assert len(matched) <= 1
    for pair in matched:
        layouts = [arrange(photo.detections, photo.size) for photo in pair]
        assert merge(layouts, sizes=[photo.size for photo in pair]).left_out != ()


def test_rows_at_right_angles_are_not_matched_by_their_centres() -> None:
    """The tiles of the column stand upright as those of the row do."""
    row = [replace(tile, x=4 * tile.x / 3) for tile in table("1m2m3m4p5p6p")]
    column = [replace(t, x=t.y, y=t.x, axis=t.axis) for t in row]
    assert register(detections(row), detections(column)) is None
