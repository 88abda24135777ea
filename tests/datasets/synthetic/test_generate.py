"""The scene generator: what it says about a picture is true, and a seed decides everything."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from hupai.datasets.synthetic.designs import TIGHT, Design, DesignBank, project_design
from hupai.datasets.synthetic.generate import render_random, stretched
from hupai.datasets.synthetic.layout.compose import HandStyle, lay_hand, random_hand
from hupai.datasets.synthetic.layout.surroundings import random_scene
from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.picture.effects import background, photograph
from hupai.datasets.synthetic.picture.render import Light, render
from hupai.datasets.synthetic.scene import PlacedTile, Proportions, Rendered, Scene
from hupai.datasets.synthetic.truth import truth_record
from hupai.scoring.hand import Hand, Meld, MeldKind, Source
from hupai.scoring.tiles import CODES, Tile, tiles_from_codes

PLAIN = Design("plain", lambda tile: None, (250, 250, 250), (0, 120, 60), 0.4, Proportions(), 0.1)
NOON = Light(0.5, 0.95, 0.6, 0.3)


def straight_down(scene: Scene, design: Design = PLAIN, azimuth: float = 0.0) -> Rendered:
    view = View(90.0, azimuth, 0.0, 50.0, 400, 300)
    points = np.array([[t.x + dx, t.y + dx, 0.0] for t in scene.tiles for dx in (-1.2, 1.2)])
    table = np.full((300, 400, 3), (20, 90, 50), np.uint8)
    return render(scene, design, Camera(view, points, 0.9), NOON, table, np.random.default_rng(0))


def test_a_tile_is_where_the_truth_says() -> None:
    shot = straight_down(Scene((PlacedTile(Tile.M1, 0.0, 0.0),)))
    x0, y0, x1, y1 = (round(v) for v in shot.tiles[0].box)
    inside = shot.image[y0 + 8 : y1 - 8, x0 + 8 : x1 - 8].mean((0, 1))
    assert inside.min() > 150, "the face is bright"
    outside = shot.image[: max(y0 - 30, 1)].mean((0, 1))
    assert outside[1] > 1.5 * outside[0], "the table is green"
    assert shot.tiles[0].visible > 0.95


def test_the_axis_gives_the_direction_of_a_tile() -> None:
    upright, lying = straight_down(
        Scene((PlacedTile(Tile.M1, 0, 0), PlacedTile(Tile.M1, 2, 0, angle=np.pi / 2)))
    ).tiles
    assert upright.axis == pytest.approx(np.pi / 2, abs=0.01)
    assert min(lying.axis, np.pi - lying.axis) == pytest.approx(0.0, abs=0.01)


def test_from_the_other_side_the_top_of_a_tile_points_down() -> None:
    tile = straight_down(Scene((PlacedTile(Tile.M1, 0, 0),)), azimuth=180.0).tiles[0]
    assert tile.quad[:2, 1].mean() > tile.quad[2:, 1].mean()


def test_a_hidden_tile_is_marked_as_hidden() -> None:
    p = Proportions()
    below, above = straight_down(
        Scene((PlacedTile(Tile.M1, 0, 0), PlacedTile(Tile.M2, 0, 0, z=p.thickness)))
    ).tiles
    assert below.visible < 0.2
    assert above.visible > 0.95


@pytest.fixture
def bank(tmp_path: Path) -> DesignBank:
    """One set, on whose faces the codes are written."""
    for code in CODES[:42]:
        face = np.full((96, 72, 3), 255, np.uint8)
        cv2.putText(face, code, (10, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 200), 2)
        cv2.imwrite(str(tmp_path / f"{code}.png"), face)
    return DesignBank([tmp_path])


def test_faces_reach_the_edge_of_tight_sets_only(tmp_path: Path, bank: DesignBank) -> None:
    def margins(tight_share: float) -> np.ndarray:
        some = DesignBank([tmp_path], tight_share=tight_share)
        return np.array([some.pick(np.random.default_rng(k)).margin for k in range(40)])

    usual = [bank.pick(np.random.default_rng(k)).margin for k in range(40)]
    assert np.array_equal(margins(0.0), usual)
    assert margins(0.0).min() > TIGHT
    assert margins(1.0).max() <= TIGHT
    assert 8 <= np.sum(margins(0.5) <= TIGHT) <= 32


def test_a_seed_decides_the_picture(bank: DesignBank) -> None:
    shots = [render_random(4, index, bank, 240) for index in (0, 0, 1)]
    assert np.array_equal(shots[0].image, shots[1].image)
    assert truth_record("a", shots[0]) == truth_record("a", shots[1])
    assert not np.array_equal(shots[0].image, shots[2].image)


def test_every_scene_is_a_hand_where_hands_are_asked_for(bank: DesignBank) -> None:
    scenes = [render_random(4, index, bank, 160, hands=True).scene for index in range(4)]
    assert all(scene.hand is not None for scene in scenes)
    assert len({str(scene.hand) for scene in scenes}) == 4


@pytest.mark.parametrize(
    ("source", "place"),
    [(Source.LEFT, 0), (Source.ACROSS, 1), (Source.RIGHT, 2)],
    ids=["left", "across", "right"],
)
def test_the_claimed_tile_of_a_pung_shows_whose_it_was(source: Source, place: int) -> None:
    hand = Hand(
        tiles_from_codes("123m456p789s"), (Meld(MeldKind.PUNG, (Tile.EAST,) * 3, source),), Tile.M9
    )
    tiles = lay_hand(hand, HandStyle(), np.random.default_rng(1), Proportions())
    pung = sorted((t for t in tiles if t.kind == "pung"), key=lambda t: t.x)
    assert [t.sideways for t in pung] == [i == place for i in range(3)]


def test_a_concealed_kong_hides_its_outer_tiles() -> None:
    hand = Hand(
        tiles_from_codes("123m456p789s"),
        (Meld(MeldKind.CONCEALED_KONG, (Tile.WEST,) * 4),),
        Tile.M9,
    )
    tiles = lay_hand(
        hand, HandStyle(concealed_kong="two_down_outside"), np.random.default_rng(1), Proportions()
    )
    kong = sorted((t for t in tiles if t.kind == "concealed_kong"), key=lambda t: t.x)
    assert [t.face_down for t in kong] == [True, False, False, True]


def test_random_hands_are_complete_and_possible() -> None:
    for seed in range(200):
        hand = random_hand(np.random.default_rng(seed))
        assert hand.size == 14
        assert all(hand.all_tiles.count(tile) <= 4 for tile in hand.all_tiles)
        assert len(set(hand.flowers)) == len(hand.flowers)


def test_tiles_of_a_table_do_not_overlap() -> None:
    p = Proportions()
    for seed in range(30):
        tiles = random_scene(np.random.default_rng(seed), p).tiles
        flat = [t for t in tiles if t.z == 0]
        for i, a in enumerate(flat):
            for b in flat[i + 1 :]:
                assert np.hypot(a.x - b.x, a.y - b.y) > 0.55, (seed, a, b)


def test_photographing_keeps_the_size_and_changes_the_pixels() -> None:
    rng = np.random.default_rng(2)
    table = background(rng, 120, 160)
    taken = photograph(rng, table)
    assert taken.shape == table.shape == (120, 160, 3)
    assert not np.array_equal(taken, table)


def test_the_projects_own_set_has_every_face() -> None:
    design = project_design()
    for tile in Tile:
        if tile is not Tile.BACK:
            face = design.face(tile)
            assert face is not None
            assert face.shape[2] == 4


@pytest.mark.parametrize("factor", [0.55, 1.0, 1.8])
def test_the_truth_of_a_stretched_picture_is_stretched_along(factor: float) -> None:
    tile = PlacedTile(Tile.P1, 0.0, 0.0)
    drawn = straight_down(Scene((tile,)))
    picture, truth = stretched(drawn.image, drawn.tiles, factor)
    before, after = drawn.tiles[0].quad, truth[0].quad
    width, height = np.ptp(before, 0)
    assert np.ptp(after[:, 0]) / np.ptp(after[:, 1]) == pytest.approx(
        factor * width / height, rel=0.02
    )
    assert picture.shape[1] / picture.shape[0] == pytest.approx(
        factor * drawn.image.shape[1] / drawn.image.shape[0], rel=0.02
    )
    # What is in the middle of the tile stays there.
    x, y = before.mean(0).round().astype(int)
    u, v = after.mean(0).round().astype(int)
    assert np.abs(picture[v, u].astype(int) - drawn.image[y, x].astype(int)).max() < 40
