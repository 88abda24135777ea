"""Scenes painted over, and the patches cut from them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.truth import TruthTile
from hupai.models.training.classifier.crops import NONE, PATCH, Patches
from hupai.models.training.classifier.painted import add_from, face_views
from hupai.models.training.classifier.repaint import Shares, body_colour, face_pixels, repaint
from hupai.models.training.classifier.scene_views import SceneView
from hupai.scoring.tiles import Tile

NOTHING = Shares(0, 0, 0, 0, 0)
IVORY, CLOTH = (240, 236, 220), (20, 90, 50)


def row(
    ink: tuple[int, int, int] = (30, 30, 30), codes: tuple[str, ...] = ("5p",) * 6
) -> SceneView:
    """A row of ivory tiles with a dot of ink on a green table."""
    image = np.full((240, 90 + 60 * len(codes), 3), CLOTH, np.uint8)
    quads = []
    for k in range(len(codes)):
        x = 40 + 60 * k
        cv2.rectangle(image, (x, 80), (x + 56, 156), IVORY, -1)
        cv2.circle(image, (x + 28, 118), 14, ink, -1)
        quads.append([(x, 80), (x + 57, 80), (x + 57, 157), (x, 157)])
    outlines = np.array(quads, np.float64)
    tiles = tuple(
        TruthTile(code, code, quad.ravel().tolist(), 1.0)
        for code, quad in zip(codes, outlines, strict=True)
    )
    return SceneView(image, tiles, outlines)


def test_without_shares_nothing_is_painted() -> None:
    view = row()
    painted = repaint(view, np.random.default_rng(0), NOTHING)
    assert (painted.view.image == view.image).all()
    assert not painted.painted.any()
    assert painted.red.tolist() == [0.0] * 6


def test_fives_turn_red_and_say_so() -> None:
    view = row()
    painted = repaint(view, np.random.default_rng(3), Shares(0, 0, 0, 1, 0))
    assert (painted.red == 1).any()
    for k in np.nonzero(painted.red == 1)[0]:
        red, green, blue = face_pixels(painted.view.image, view.quads[k])[48, 36]
        assert red > 2 * max(green, blue)
    again = repaint(row(ink=(200, 20, 20)), np.random.default_rng(0), NOTHING)
    assert np.isnan(again.red).all()  # all ink is red already: a red five or a set of one ink


def test_faces_other_than_fives_have_no_red_label() -> None:
    painted = repaint(row(codes=("4p",) * 4), np.random.default_rng(0), Shares(0, 0, 0, 1, 0))
    assert np.isnan(painted.red).all()


@pytest.mark.parametrize("seed", range(6))
def test_backs_differ_from_the_bodies_of_the_faces(seed: int) -> None:
    view = row()
    painted = repaint(view, np.random.default_rng(seed), Shares(1, 0, 0, 0, 0.6))
    assert view.tiles[0].shown == "5p"
    backs = [k for k, tile in enumerate(painted.view.tiles) if tile.shown == Tile.BACK.code]
    assert backs == np.nonzero(painted.painted)[0].tolist()
    for k in backs:
        inside = face_pixels(painted.view.image, view.quads[k])[10:-10, 8:-8]
        assert np.abs(np.median(inside, axis=(0, 1)) - IVORY).max() > 20
        assert np.isnan(painted.red[k])


def test_blank_tiles_have_the_colour_of_the_body_and_black_sets_a_dark_one() -> None:
    view = row()
    blank = repaint(view, np.random.default_rng(1), Shares(0, 1, 0, 0, 1.0)).view
    white = [k for k, tile in enumerate(blank.tiles) if tile.shown == Tile.WHITE.code]
    assert white
    for k in white:
        assert body_colour(face_pixels(blank.image, view.quads[k])) == pytest.approx(IVORY, abs=25)
    black = repaint(view, np.random.default_rng(1), Shares(0, 0, 1, 0, 0)).view
    assert face_pixels(black.image, view.quads[0])[8, 8].max() < 70
    assert face_pixels(black.image, view.quads[0])[48, 36].max() > 120


def test_patches_by_outline_and_by_box_show_the_same_classes() -> None:
    found = Patches()
    rng = np.random.default_rng(0)
    for _ in range(10):
        add_from(repaint(row(), rng), rng, found)
    patches, classes, axes, red = found.arrays()
    assert patches.shape[1:] == (PATCH, PATCH, 3)
    assert {NONE, int(Tile.BACK), int(Tile.P5)} <= set(classes.tolist())
    assert np.isnan(axes[classes == NONE]).all()
    assert set(red[~np.isnan(red)].tolist()) == {0.0, 1.0}
    assert set(found.pictures) == set(range(1, 11))


def test_pictures_of_single_tiles_come_in_rows(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for name in "abc":
        cv2.imwrite(str(tmp_path / "images" / f"{name}.png"), np.full((80, 60, 3), 200, np.uint8))
    labels = {"a.png": "1m", "b.png": "P", "c.png": "8h"}
    (tmp_path / "labels.json").write_text(json.dumps(labels), "utf-8")
    (view,) = face_views(tmp_path, np.random.default_rng(0))
    assert sorted(tile.shown for tile in view.tiles) == ["1m", "8h", "P"]
    assert face_pixels(view.image, view.quads[0]).mean() == pytest.approx(200, abs=2)
