"""Lens and fingers change the picture and the truth alike."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from hupai.api.cli.main import app
from hupai.datasets.synthetic.contact_sheet import contact_sheet
from hupai.datasets.synthetic.designs import red_fives
from hupai.datasets.synthetic.generate import generate
from hupai.datasets.synthetic.picture import occlusion
from hupai.datasets.synthetic.picture.lens import Lens, random_lens
from hupai.scoring.tiles import Tile


@pytest.mark.parametrize("bend", [-0.07, 0.0, 0.03, 0.08])
def test_points_go_where_the_picture_goes(bend: float) -> None:
    lens = Lens(bend)
    for x, y in ((60, 50), (560, 60), (320, 240), (590, 430)):
        image = np.zeros((480, 640, 3), np.uint8)
        cv2.circle(image, (x, y), 4, (255, 255, 255), -1)
        weights = lens.picture(image)[..., 1].astype(float)
        rows, columns = np.nonzero(weights > 0)
        seen = np.average(np.stack([columns, rows], 1), axis=0, weights=weights[rows, columns])
        mapped = lens.points(np.array([[x, y]], np.float32), 640, 480)[0]
        assert mapped == pytest.approx(seen, abs=0.4)


def test_a_perfect_lens_changes_nothing() -> None:
    image = np.random.default_rng(1).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    assert (Lens().picture(image) == image).all()
    assert all(abs(random_lens(np.random.default_rng(seed)).bend) <= 0.08 for seed in range(50))


def test_fingers_hide_what_they_cover() -> None:
    image = np.full((300, 400, 3), 200, np.uint8)
    before = image.copy()
    covered = occlusion.fingers(np.random.default_rng(4), image, (200.0, 150.0), 30.0)
    changed = (image != before).any(2)
    assert 0.005 < (covered > 0).mean() < 0.5
    assert not changed[covered == 0].any()
    below = np.array([[195, 145], [205, 145], [205, 155], [195, 155]], np.float32)
    assert occlusion.visible_share(below, covered) < 0.3
    assert occlusion.visible_share(below + 5000, covered) == 1.0
    free = np.argwhere(cv2.erode((covered == 0).astype(np.uint8), np.ones((31, 31))) > 0)[0][
        ::-1
    ].astype(np.float32)
    assert (
        occlusion.visible_share(
            (np.array([[-9, -9], [9, -9], [9, 9], [-9, 9]]) + free).astype(np.float32), covered
        )
        == 1.0
    )


def test_red_fives_are_red_and_other_faces_stay() -> None:
    art = np.zeros((20, 10, 4), np.uint8)
    art[5:15, 3:7] = (0, 90, 30, 255)
    faces = red_fives(lambda tile: None if tile is Tile.from_code("1h") else art)
    five = faces(Tile.from_code("5p"))
    assert five is not None
    red, green, blue = (int(v) for v in five[10, 5, :3])
    assert red > 150
    assert max(green, blue) < 90
    assert faces(Tile.from_code("4p")) is art
    assert faces(Tile.from_code("1h")) is None


@pytest.mark.nightly
def test_a_contact_sheet_shows_scenes_with_their_truth(tmp_path: Path) -> None:
    generate(tmp_path / "scenes", 3, 5, side=320)
    plain, drawn = (
        contact_sheet(tmp_path / "scenes", 3, 2, 200, outlines=outlines)
        for outlines in (False, True)
    )
    assert plain.shape == drawn.shape == (400, 400, 3)
    assert (plain != drawn).any()
    assert not drawn[200:, 200:].any(), "the place of a fourth scene stays black"
    picture = tmp_path / "sheet.png"
    result = CliRunner().invoke(
        app, ["datasets", "contact-sheet", str(tmp_path / "scenes"), str(picture), "-n", "2"]
    )
    assert result.exit_code == 0, result.output
    assert picture.stat().st_size > 1000
    records = [
        json.loads(line)
        for line in (tmp_path / "scenes" / "truth.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(records) == 3


def test_a_contact_sheet_of_nothing_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["datasets", "contact-sheet", str(tmp_path), str(tmp_path / "sheet.png")]
    )
    assert result.exit_code == 2
    assert "hupai datasets render" in result.output
