"""Few tiles near the camera: what each layout holds, and where its tiles come to lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hupai.datasets.synthetic.designs import Design, DesignBank
from hupai.datasets.synthetic.generate import Material, SceneKind, generate
from hupai.datasets.synthetic.scene import Proportions
from hupai.datasets.synthetic.tables import rows
from hupai.datasets.synthetic.tables.rows import render_rows
from hupai.datasets.synthetic.truth import read_truth
from hupai.scoring.tiles import Tile

P = Proportions()


class PlainBank(DesignBank):
    """Tile sets without ink, which are quick."""

    def __init__(self) -> None:
        super().__init__([])

    def pick(self, rng: np.random.Generator) -> Design:
        return Design("plain", lambda tile: None, (250, 250, 250), (0, 120, 60), 0.4, P, 0.1)


def test_a_row_of_backs_alone_shows_nothing_but_backs() -> None:
    for seed in range(20):
        tiles = rows.backs_alone(np.random.default_rng(seed), P)
        assert tiles
        assert all(t.face_down or (t.tilt and t.angle == np.pi) for t in tiles)


def test_concealed_kongs_lie_beside_faces_and_on_no_other_tile() -> None:
    for seed in range(20):
        tiles = rows.kongs(np.random.default_rng(seed), P)
        assert any(t.face_down for t in tiles)
        assert any(not t.face_down for t in tiles)
        places = np.array([(t.x, t.y) for t in tiles])
        apart = np.abs(places[:, None] - places[None])
        apart = np.where(np.eye(len(tiles))[..., None] > 0, 9.0, apart)
        assert ((apart[..., 0] > 0.9) | (apart[..., 1] > 0.9)).all()


def test_white_dragons_are_laid_beside_others() -> None:
    for seed in range(20):
        tiles = rows.dragons(np.random.default_rng(seed), P)
        assert any(t.face is Tile.WHITE and not t.face_down for t in tiles)


def test_gaps_between_faces_have_room_for_a_tile() -> None:
    for seed in range(20):
        tiles = rows.with_gaps(np.random.default_rng(seed), P)
        assert tiles
        assert not any(t.face_down for t in tiles)
        places = np.array([(t.x, t.y) for t in tiles])
        apart = np.abs(places[:, None] - places[None]) + np.eye(len(tiles))[..., None] * 9
        assert ((apart[..., 0] > 0.95) | (apart[..., 1] > 0.95)).all()


@pytest.mark.parametrize("index", range(4))
def test_a_seed_gives_the_same_picture_twice_and_tiles_lie_on_it(index: int) -> None:
    first, second = (render_rows(5, index, PlainBank(), 320) for _ in range(2))
    assert (first.image == second.image).all()
    assert first.tiles
    for tile in first.tiles:
        if tile.visible > 0.9:
            middle = tile.quad.mean(0)
            assert ((middle > 0) & (middle < first.image.shape[1::-1])).all()


@pytest.mark.nightly
def test_rows_are_generated_with_their_truth(tmp_path: Path) -> None:
    generate(tmp_path, 3, 2, SceneKind.ROWS, 240, Material(drawn_share=0.5))
    scenes = list(read_truth(tmp_path))
    assert len(scenes) == 3
    assert any(tile.is_back for scene in scenes for tile in scene.tiles)
