"""What video keeps of the passes over a hand, and which hands it reports as lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hupai.scoring.family import FACE_DOWN, Convention
from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.quads import quads_of
from hupai.vision.types import Detections, Reading, ReadTile
from hupai.vision.video import hand_watch
from hupai.vision.video.acceptance import Acceptance, Lost, Patience, View, drawn_tile
from hupai.vision.video.hand_watch import HandWatch, reader
from hupai.vision.video.motion import Motion
from hupai.vision.video.tracking import Votes
from tests.vision.pictures import HEIGHT, detections, table
from tests.vision.video.test_hand_watch import HAND, DrawnTiles, Film, Table, as_hand

SIZE = (1200, 900)
ROW = "1m2m3m4p5p6p7s7s _ -EEE _ 5s-5s5s"


def shifted(found: Detections, x: float, y: float) -> Detections:
    step = np.array([x, y], np.float32)
    return replace(found, boxes=found.boxes + np.tile(step, 2), quads=found.quads + step)


def slanted_quads(found: Detections) -> Detections:
    """Corners that neither boxes nor axes tell, as in an oblique view."""
    quads = found.quads.copy()
    quads[:, 0, 0] += 5
    quads[:, 1, 0] -= 3
    return replace(found, quads=quads)


def test_quads_are_means_over_the_passes() -> None:
    seen = slanted_quads(detections(table(ROW)))
    votes = Votes()
    for x in (0.0, 2.0, 4.0):
        voted = votes.add(shifted(seen, x, -x))
    mean = shifted(seen, 2.0, -2.0)
    order = [int(np.abs(voted.boxes - box).sum(1).argmin()) for box in mean.boxes]
    assert voted.quads[order] == pytest.approx(mean.quads, abs=0.01)
    assert not np.allclose(voted.quads, quads_of(voted.boxes, voted.axes), atol=1)


def test_quads_begin_with_the_same_corner_whatever_a_pass_took_for_it() -> None:
    seen = slanted_quads(detections(table("1m")))
    votes = Votes()
    votes.add(seen)
    for turn in (1, 2, 3):
        voted = votes.add(replace(seen, quads=np.roll(seen.quads, turn, axis=1)))
        assert voted.quads == pytest.approx(seen.quads, abs=0.01)


def test_the_past_of_a_quad_counts_as_little_as_that_of_its_box() -> None:
    seen = slanted_quads(detections(table("1m")))
    votes = Votes()
    for _ in range(20):
        votes.add(seen)
    for _ in range(8):
        voted = votes.add(shifted(seen, 4, 0))
    moved = voted.boxes[0, 0] - seen.boxes[0, 0]
    assert 2 < moved < 4
    assert voted.quads - seen.quads == pytest.approx(np.array([[[moved, 0]] * 4]), abs=0.01)


def test_the_reading_of_a_video_has_the_corners_of_its_tiles() -> None:
    seen = slanted_quads(shifted(detections(table(ROW)), 200, 200))
    votes = Votes()
    voted = [votes.add(seen) for _ in range(3)][-1]
    for tile in reader()(voted, SIZE).tiles:
        its = int(np.abs(seen.boxes - np.array(tile.box)).sum(1).argmin())
        assert np.array(tile.quad) == pytest.approx(seen.quads[its], abs=0.01)


def test_what_is_faint_on_every_pass_keeps_the_reading_from_being_certain() -> None:
    """The pung may be a kong, as on a single photo."""
    tiles = [replace(tile, x=tile.x + 200, y=tile.y + 200) for tile in table(ROW)]
    fourth = replace(tiles[-1], x=tiles[-1].x - 6, y=tiles[-1].y - HEIGHT, score=0.45)
    found = detections(tiles)
    doubtful = replace(found, low_confidence=detections([replace(fourth, tile=Tile.BACK)]))
    votes = Votes()
    for _ in range(3):
        reading = reader()(votes.add(doubtful), SIZE)
        assert not reading.certain
    for _ in range(6):
        reading = reader()(votes.add(found), SIZE)
    assert reading == reader()(Votes().add(found), SIZE)


def test_a_faint_box_at_a_tile_is_no_further_tile() -> None:
    found = detections(table(ROW))
    faint = found.only(np.arange(3))
    assert Votes().add(replace(found, low_confidence=faint)).low_confidence is None


def test_faint_tiles_are_forgotten_where_the_picture_changed() -> None:
    found, faint = detections(table(ROW)), detections([replace(table("1m")[0], x=-200.0)])
    votes = Votes()
    assert votes.add(replace(found, low_confidence=faint)).low_confidence is not None
    votes.restart(lambda boxes: boxes[:, 0] > -100)
    assert votes.add(found).low_confidence is None


PLAIN = np.full((10, 10), 100, np.float32)


def view(codes: str, at: float, size: tuple[int, int] = (1000, 1000)) -> View:
    """Tiles in a row at the top, each pass another picture."""
    side = size[0] / 20
    tiles = tuple(
        ReadTile(i, tile, (side * i, 0.0, side * (i + 1), 1.4 * side), 0.9)
        for i, tile in enumerate(tiles_from_codes(codes))
    )
    return View(Reading(tiles), PLAIN, size, at, 1.0, cut=1.0)


def losses(acceptance: Acceptance, at: float) -> list[Lost]:
    found = []
    while (lost := acceptance.give_up(at)) is not None:
        found.append(lost)
    return found


@pytest.fixture
def acceptance() -> Acceptance:
    """Accepts each view at once."""
    return Acceptance(Motion(), Patience(agreeing=1, rest=0.0, covered=8.0, cleared=0.0))


def test_each_of_several_hands_that_were_replaced_quickly_is_reported(
    acceptance: Acceptance,
) -> None:
    for at, codes in enumerate(["123m", "456m", "789m", "123p"]):
        assert acceptance.look(view(codes, float(at)))
    assert losses(acceptance, 7.9) == []
    assert losses(acceptance, 8.0) == [Lost(0.0, True)]
    assert losses(acceptance, 10.5) == [Lost(1.0, True), Lost(2.0, True)]
    assert losses(acceptance, 11.0) == [Lost(3.0, False)]
    assert losses(acceptance, 60.0) == []


def test_losses_are_reported_in_their_order_after_a_long_silence(acceptance: Acceptance) -> None:
    for at, codes in enumerate(["123m", "456m"]):
        acceptance.look(view(codes, float(at)))
    assert losses(acceptance, 60.0) == [Lost(0.0, True), Lost(1.0, False)]
    assert acceptance.seen_at is None


def test_a_hand_that_is_back_is_not_lost(acceptance: Acceptance) -> None:
    for at, codes in enumerate(["123m", "456m", "123m"]):
        assert acceptance.look(view(codes, float(at)))
    acceptance.look(view("123m", 9.0))
    assert losses(acceptance, 9.5) == [Lost(1.0, True)]


def test_an_arm_is_one_though_the_size_of_the_picture_changed(acceptance: Acceptance) -> None:
    """It came over the last two of four tiles when the camera began to send half the size."""
    assert acceptance.look(view("1234m", 1.0))
    arm = PLAIN.copy()
    arm[0:3, 1] = 200
    fewer = view("12m", 2.0, (500, 500))
    assert not acceptance.look(replace(fewer, cells=arm, cut=0.0))
    assert acceptance.covered


def test_the_drawn_tile_of_a_game_with_sixteen_tiles() -> None:
    before = Hand(tiles_from_codes("123m456p789sEEE2255s"))
    now = replace(before, concealed=tiles_from_codes("123m456p789sEEE22255s"))
    assert drawn_tile(before, now, 16) is Tile.S2
    assert drawn_tile(before, now) is None


def test_the_size_of_a_hand_is_that_of_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        hand_watch, "convention", lambda _rules: Convention(FACE_DOWN, 0.5, hand_size=16)
    )
    watch = HandWatch(DrawnTiles(), read_with=as_hand)
    tiles = tiles_from_codes("123m456p789sEEE22255s")
    film = Film(watch, Table(dict(enumerate(tiles[:-1]))))
    (waiting,) = film.play(1.5)
    film.reach(600, dict(enumerate(tiles)))
    (won,) = film.play(1.5)
    assert waiting.hand is not None
    assert won.hand is not None
    assert (waiting.hand.winning_tile, won.hand.winning_tile) == (None, Tile.S5)


@pytest.mark.nightly
def test_a_film_reports_each_hand_that_was_taken_away_quickly() -> None:
    film = Film(HandWatch(DrawnTiles(), read_with=as_hand), Table(dict(HAND)))
    film.play(1.5)
    first = film.at
    for face in (Tile.M9, Tile.P9):
        film.reach(250, {**HAND, 2: face})
        film.play(1.0)
    assert len(film.shown) == 3
    lost = []
    for _ in range(200):
        film.play(1 / 20)
        lost += [one] if (one := film.watch.give_up(film.at)) else []
    assert [one.replaced for one in lost] == [True, True]
    assert first <= lost[0].seen_at < lost[1].seen_at


@pytest.mark.nightly
def test_a_black_picture_with_noise_is_no_empty_table() -> None:
    """A compressed black picture is not black in every pixel."""
    film = Film(HandWatch(DrawnTiles(), read_with=as_hand), Table(dict(HAND)))
    film.play(1.5)
    last = film.at
    rng = np.random.default_rng(1)
    black = [rng.integers(0, 5, (540, 960, 3)).astype(np.uint8) for _ in range(3)]
    film.table.image = lambda noise: black[film.frames % 3]  # type: ignore[method-assign]
    assert film.play(3) == []
    assert not film.watch.has_picture
    assert film.watch.seen_at == pytest.approx(last, abs=0.1)
