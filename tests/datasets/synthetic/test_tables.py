"""Whole tables: the truth of every tile, and what a table holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.designs import Design, DesignBank
from hupai.datasets.synthetic.generate import Material, SceneKind, Special, generate
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.render import Light
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, TileTruth
from hupai.datasets.synthetic.tables import surface
from hupai.datasets.synthetic.tables.draw import Canvas, draw, truth
from hupai.datasets.synthetic.tables.hands import TileBox, draw_hand
from hupai.datasets.synthetic.tables.laying import lay, random_habit
from hupai.datasets.synthetic.tables.render import render_table, trays
from hupai.datasets.synthetic.tables.scene import lay_table
from hupai.datasets.synthetic.tables.sets import TileSet, inverted, random_set
from hupai.datasets.synthetic.tables.solids import Box, tile_corners
from hupai.datasets.synthetic.truth import read_truth
from hupai.scoring.hand import MeldKind
from hupai.scoring.tiles import CODES, Tile

P = Proportions()


class PlainBank(DesignBank):
    """Tile sets without ink, which are quick."""

    def __init__(self) -> None:
        super().__init__([])

    def pick(self, rng: np.random.Generator) -> Design:
        return Design("plain", lambda tile: None, (250, 250, 250), (0, 120, 60), 0.4, P, 0.1)


NOON = Light(0.5, 0.95, 0.6, 0.3)


def plain_set() -> TileSet:
    rng = np.random.default_rng(3)
    dress = random_set(rng, PlainBank(), (20.0, 90.0, 60.0))
    white, red = (250.0, 250.0, 250.0), (200.0, 20.0, 20.0)
    dress.faces = dress.red_faces = lambda tile: None
    dress.body, dress.back, dress.back_kind, dress.gloss = white, red, "plain", 0.0
    dress.layers = ((0.6, white), (0.4, red))
    return dress


def seen(
    *tiles: PlacedTile, elevation: float = 40.0, azimuth: float = 0.0
) -> tuple[np.ndarray, tuple[TileTruth, ...]]:
    view = View(elevation, azimuth, 0.0, 50.0, 480, 360)
    points = np.array([[t.x + d, t.y + d, 0.0] for t in tiles for d in (-3.0, 3.0)])
    camera = Camera(view, points, 0.9)
    image = np.full((360, 480, 3), (20, 90, 60), np.uint8)
    canvas = Canvas(image, np.full((360, 480), -1, np.int16))
    boxes = [Box(tile_corners(t, P), (), tile=i) for i, t in enumerate(tiles)]
    draw(canvas, boxes, tiles, plain_set(), camera, NOON, np.random.default_rng(0))
    return image, truth(canvas.owner, tiles, boxes, camera)


def colour_within(image: np.ndarray, quad: np.ndarray) -> np.ndarray:
    mask = np.zeros(image.shape[:2], np.uint8)
    middle = quad.mean(0) + (quad - quad.mean(0)) * 0.6
    cv2.fillConvexPoly(mask, np.round(middle).astype(np.int32), 1)
    return np.asarray(image[mask > 0].mean(0))


def test_a_standing_tile_shows_its_face_to_its_own_seat_and_its_back_across() -> None:
    tile = PlacedTile(Tile.M1, 0, 0, tilt=np.pi / 2)
    image, (own,) = seen(tile, elevation=25)
    assert own.shown is Tile.M1
    assert colour_within(image, own.quad).min() > 100
    assert own.quad[:2, 1].mean() < own.quad[2:, 1].mean(), "its top is above"
    assert own.quad[0, 0] < own.quad[1, 0]
    image, (across,) = seen(tile, elevation=25, azimuth=180)
    assert across.shown is Tile.BACK
    red, green, _ = colour_within(image, across.quad)
    assert red > 3 * green
    assert across.quad[0, 0] < across.quad[1, 0], "top left comes first on the back, too"
    assert own.visible > 0.95
    assert across.visible > 0.95


def test_of_a_wall_seen_from_the_side_the_lower_layer_is_hidden() -> None:
    lower = PlacedTile(Tile.M1, 0, 0, face_down=True)
    low, high = seen(lower, replace(lower, z=P.thickness))[1]
    assert low.visible == 0
    assert high.visible > 0.95
    assert high.shown is Tile.BACK


def test_a_quad_runs_clockwise_from_the_top_left_of_the_tile() -> None:
    for angle in (0.0, 0.7, np.pi / 2, np.pi, 4.0):
        for down in (False, True):
            tile = PlacedTile(Tile.M1, 0, 0, angle, face_down=down)
            ((found),) = seen(tile, elevation=80)[1]
            area = cv2.contourArea(found.quad, oriented=True)
            assert area > 0, "clockwise on the picture"
            top = found.quad[:2].mean(0) - found.quad.mean(0)
            direction = np.array([-np.sin(angle), -np.cos(angle)])
            assert float(top @ direction) > 0.9 * float(np.linalg.norm(top))


def test_a_hand_is_laid_whole_in_every_habit() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        hand = draw_hand(rng, TileBox(rng, True), seed % 5, 0.5, seed % 4, True, True)
        tiles = lay(rng, hand, random_habit(rng), P, 13.0)
        faces = sorted(t.face for t in tiles)
        assert faces == sorted([*hand.all_tiles, *hand.flowers])
        groups = {t.group for t in tiles}
        won = hand.winning_tile is not None and any(t.kind == "winning_tile" for t in tiles)
        assert len(groups) == 1 + won + len(hand.melds) + bool(hand.flowers)
        kongs = [t for t in tiles if t.kind == MeldKind.CONCEALED_KONG.value]
        assert len(kongs) == 4 * sum(m.kind is MeldKind.CONCEALED_KONG for m in hand.melds)


def test_no_more_tiles_lie_on_a_table_than_a_set_has() -> None:
    counts = [len(lay_table(np.random.default_rng(seed), P).tiles) for seed in range(12)]
    assert max(counts) <= 148
    assert np.median(counts) > 50


def test_the_upper_tiles_of_walls_are_carried() -> None:
    for seed in range(8):
        tiles = lay_table(np.random.default_rng(seed), P).tiles
        floor = np.array([[t.x, t.y] for t in tiles if t.z == 0]).reshape(-1, 2)
        for t in tiles:
            if t.z > 0 and not t.in_hand:
                assert np.abs(floor - (t.x, t.y)).max(1).min() < 0.5


def test_black_tiles_have_bright_ink() -> None:
    art = np.zeros((8, 8, 4), np.uint8)
    art[2:6, 2:6] = (20, 20, 30, 255)
    art[2:3, 2:6, :3] = (200, 20, 20)
    changed = inverted(lambda tile: art, (240, 240, 236))(Tile.M1)
    assert changed is not None
    assert changed[4, 4, :3].min() > 220
    assert changed[2, 3, 0] > 2 * changed[2, 3, 1], "red stays red"
    assert inverted(lambda tile: None, (240, 240, 236))(Tile.M1) is None


def test_a_seed_gives_the_same_table_twice() -> None:
    first, second = (render_table(5, 3, PlainBank(), 320) for _ in range(2))
    assert np.array_equal(first.image, second.image)
    assert all(
        np.array_equal(a.quad, b.quad) for a, b in zip(first.tiles, second.tiles, strict=True)
    )
    assert max(first.image.shape[:2]) == 320 or min(first.image.shape[:2]) < 320


@pytest.mark.nightly
def test_tables_without_tiles_on_request(tmp_path: Path) -> None:
    generate(tmp_path, 3, 9, SceneKind.TABLES, 160, Material(special=Special(empty=1.0)))
    scenes = list(read_truth(tmp_path))
    assert [len(scene.tiles) for scene in scenes] == [0, 0, 0]
    assert render_table(9, 0, PlainBank(), 160, empty=0.0).tiles


@pytest.mark.nightly
def test_the_truth_file_marks_backs_red_fives_and_standing_tiles(tmp_path: Path) -> None:
    faces = tmp_path / "faces"
    faces.mkdir()
    for code in CODES[:42]:
        cv2.imwrite(str(faces / f"{code}.png"), np.full((40, 30, 3), 240, np.uint8))
    generate(tmp_path, 4, 9, SceneKind.TABLES, 320, Material((faces,)))
    scenes = list(read_truth(tmp_path))
    assert len(scenes) == 4
    tiles = [tile for scene in scenes for tile in scene.tiles]
    assert any(tile.is_back for tile in tiles)
    assert any(tile.standing for tile in tiles)
    assert any(tile.red and tile.face[0] == "5" for tile in tiles)
    assert all(tile.quad.shape == (4, 2) for tile in tiles)
    assert {tile.shown for tile in tiles if tile.is_back} == {"?"}
    assert any(tile.is_back and tile.face != "1m" and tile.standing for tile in tiles)


@pytest.mark.parametrize("seed", range(6))
def test_a_floor_shows_pieces_with_darker_seams(seed: int) -> None:
    whole = surface.floor(np.random.default_rng(seed), 128)
    assert whole.shape == (128, 128, 3)
    assert whole.dtype == np.uint8
    rows = whole.mean((1, 2))
    assert rows[0] < rows[3:13].mean()


def test_trays_lie_on_the_rims_of_the_table() -> None:
    half = 12.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        wide = float(rng.uniform(0.8, 4.5))
        for along, length, deep, colour in trays(rng, wide, 2 * half, (90, 60, 40)):
            assert abs(along) + length / 2 <= half + 1e-6
            assert deep < wide
            assert all(0 <= value <= 255 for value in colour)


@pytest.mark.parametrize("seed", range(3))
def test_visible_tiles_lie_on_the_picture(seed: int) -> None:
    shot = render_table(1, seed, PlainBank(), 320)
    height, width = shot.image.shape[:2]
    for tile in shot.tiles:
        if tile.visible > 0.6:
            middle = tile.quad.mean(0)
            assert -5 < middle[0] < width + 5
            assert -5 < middle[1] < height + 5
