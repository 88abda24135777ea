"""A hand is lost soon after it was last seen: camera cuts, a moved camera, arms, lost sources."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.tiles import Tile
from hupai.vision.types import Image
from hupai.vision.video.hand_watch import HandWatch
from tests.profile import NIGHTLY
from tests.vision.video.test_hand_watch import HAND, DrawnTiles, Film, Table, as_hand, faces

CLOTHS = [
    (30, 90, 50), (20, 60, 120), (110, 30, 30), (70, 70, 70), (10, 20, 15),
    (90, 70, 40), (60, 20, 80), (130, 110, 90), (15, 70, 75), (45, 45, 20),
]  # fmt: skip


def deck(seed: int, size: int) -> dict[int, Tile]:
    """So many random tiles, at most four of each, by place."""
    tiles = np.repeat(np.arange(34), 4)
    chosen = np.random.default_rng(seed).permutation(tiles)[:size]
    return {place: Tile(int(tile)) for place, tile in enumerate(sorted(chosen))}


class Studio(Table):
    """A drawn table on a patterned cloth, from a camera that may have moved."""

    cloth = CLOTHS[0]
    pattern = 0
    shift = 0
    drawn: tuple[object, NDArray[np.int16]] | None = None

    def image(self, noise: NDArray[np.int16]) -> Image:
        """The table's frame on this cloth, moved sideways by `shift` pixels."""
        state = (tuple(self.tiles.items()), self.arm, self.cloth, self.pattern, self.shift)
        if self.drawn is None or self.drawn[0] != state:
            self.drawn = state, self._draw(noise)
        return np.asarray(cv2.add(self.drawn[1], noise, dtype=cv2.CV_8U), np.uint8)

    def _draw(self, noise: NDArray[np.int16]) -> NDArray[np.int16]:
        picture = super().image(np.zeros_like(noise))
        bare = (picture == np.array((30, 90, 50), np.uint8)).all(2)
        rng = np.random.default_rng(self.pattern)
        weave = cv2.resize(rng.integers(-18, 19, (27, 48)).astype(np.float32), (960, 540))
        picture[bare] = np.clip(np.array(self.cloth) + weave[bare][:, None], 0, 140)
        return np.roll(picture, self.shift, axis=1).astype(np.int16)


@pytest.fixture
def film() -> Film:
    """A studio that is being watched."""
    return Film(HandWatch(DrawnTiles(), read_with=as_hand), Studio())


def cut(film: Film, number: int, tiles: dict[int, Tile]) -> None:
    """Show another table from now on."""
    assert isinstance(film.table, Studio)
    film.table.cloth, film.table.pattern = CLOTHS[number % len(CLOTHS)], number
    film.table.tiles = tiles


@pytest.mark.nightly
def test_each_hand_over_ten_cloths_is_read_after_a_cut(film: Film) -> None:
    hands = 40 if NIGHTLY else 12
    for number in range(hands):
        hand = deck(number, 13 if number % 2 else 14)
        cut(film, number, hand)
        seen = film.play(1.5)
        assert [faces(one) for one in seen] == ["".join(tile.code for tile in hand.values())]
        if number % 4 == 1:
            film.reach(200 + 10 * (number % 7))
        assert film.play(0.5) == [], "an arm changes nothing"
    assert len(film.shown) == hands


def test_a_cut_to_a_picture_without_tiles_clears_the_place(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    cut(film, 3, {})
    (seen,) = film.play(3)
    assert seen.reading.tiles == ()


@pytest.mark.nightly
def test_a_moved_camera_is_read_again(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    assert isinstance(film.table, Studio)
    for shift in range(0, 221, 11):
        film.table.shift = shift
        film.play(0.05)
    film.play(1.5)
    moved = film.at
    assert film.watch.seen_at is not None
    assert moved - film.watch.seen_at < 1.0, "the same hand, seen at its new place"
    assert film.watch.give_up(moved + 7) is None
    film.table.tiles = {**HAND, 2: Tile.M9}
    film.play(1.5)
    assert film.shown[-1] == "1m2m9m4p5p6p7s8s9sEEE5p5p"


@pytest.mark.nightly
def test_a_staying_arm_does_not_keep_a_hand_beyond_the_limit(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    film.table.arm = (220, 260)
    film.play(0.2)
    last = film.watch.seen_at
    assert last is not None
    for _ in range(60):
        # What can be seen changes all the time, and never agrees.
        film.table.tiles = dict(HAND) if film.table.tiles != HAND else {**HAND, 0: Tile.M9}
        film.play(0.1)
        assert film.watch.seen_at == last
    assert film.watch.give_up(last + 7.9) is None
    lost = film.watch.give_up(last + 8.0)
    assert lost is not None
    assert (lost.seen_at, lost.replaced) == (last, False)
    assert film.watch.seen_at is None
    assert film.watch.give_up(last + 9.0) is None, "reported once"
    film.table.arm, film.table.tiles = None, dict(HAND)
    (again,) = film.play(1.5)
    assert faces(again) == "1m2m3m4p5p6p7s8s9sEEE5p5p"


def test_a_hand_is_lost_without_frames(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    assert film.watch.give_up(film.at + 7.5) is None
    lost = film.watch.give_up(film.at + 8.5)
    assert lost is not None
    assert not lost.replaced


@pytest.mark.nightly
def test_a_replaced_hand_is_reported_as_lost_too(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    gone = film.at
    cut(film, 5, deck(5, 13))
    film.play(1.5)
    assert len(film.shown) == 2
    lost = film.watch.give_up(gone + 8.5)
    assert lost is not None
    assert lost.replaced
    assert gone - 0.1 <= lost.seen_at <= gone


@pytest.mark.nightly
def test_a_hand_is_reported_as_lost_though_its_place_was_empty_in_between(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    gone = film.at
    cut(film, 3, {})
    film.play(2.5)
    cut(film, 5, deck(5, 13))
    film.play(1.5)
    assert len(film.shown) == 3
    lost = film.watch.give_up(gone + 8.5)
    assert lost is not None
    assert lost.replaced
    assert gone - 0.1 <= lost.seen_at <= gone


@pytest.mark.nightly
def test_a_visible_hand_at_rest_is_never_lost(film: Film) -> None:
    film.table.tiles = dict(HAND)
    for _ in range(12):
        film.play(1)
        assert film.watch.give_up(film.at) is None
    assert len(film.shown) == 1


def test_an_empty_place_is_not_lost(film: Film) -> None:
    film.play(2)
    assert film.watch.seen_at is None
    assert film.watch.give_up(film.at + 60) is None
