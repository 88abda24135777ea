"""A hand on video, without a model: drawn frames, and a detector that finds the drawn tiles."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hupai.scoring.hand import Hand
from hupai.scoring.tiles import Tile, tiles_from_codes
from hupai.vision.types import Detections, Image, LikelyHand, ModelInfo, Reading, ReadTile
from hupai.vision.video.acceptance import Acceptance, Patience, View, drawn_tile, key_of
from hupai.vision.video.hand_watch import HandWatch, Sighting, WatchSettings
from hupai.vision.video.motion import Motion
from hupai.vision.video.region import Region
from hupai.vision.video.sources import Frame
from hupai.vision.video.tracking import Votes

WIDTH, HEIGHT, FPS = 960, 540, 20
TILE_W, TILE_H = 40, 54


@dataclass
class Table:
    """What lies on the drawn table: tiles at places, an arm (x of its fingers, how far it reaches),
    light.
    """

    tiles: dict[int, Tile] = field(default_factory=dict)
    arm: tuple[float, float] | None = None
    light: float = 0.0

    def image(self, noise: NDArray[np.int16]) -> Image:
        """A frame; each face has a grey level of its own, which the detector below reads."""
        picture = np.full((HEIGHT, WIDTH, 3), (30, 90, 50), np.uint8)
        for place, tile in self.tiles.items():
            x0, y0, x1, y1 = box(place)
            picture[y0:y1, x0:x1] = 230
            picture[y0 + 10 : y1 - 10, x0 + 8 : x1 - 8] = 40 + 4 * int(tile)
        if self.arm is not None:
            x, reach = self.arm
            cv2.fillConvexPoly(
                picture,
                np.array(
                    [
                        [x, HEIGHT - reach],
                        [x + 70, HEIGHT - reach],
                        [x + 240, HEIGHT],
                        [x + 90, HEIGHT],
                    ],
                    np.int32,
                ),
                (200, 150, 120),
            )
        return np.clip(picture + (noise + np.int16(self.light)), 0, 255).astype(np.uint8)


def sensor(deviation: float) -> list[NDArray[np.int16]]:
    """Noise for a few frames."""
    rng = np.random.default_rng(int(10 * deviation))
    return [
        np.rint(rng.normal(0, deviation, (HEIGHT, WIDTH, 3))).astype(np.int16) for _ in range(5)
    ]


QUIET = sensor(2.5)


def box(place: int) -> tuple[int, int, int, int]:
    """Where the tile of that place lies, pixels."""
    x = 60 + place * (TILE_W + 4)
    return x, 300, x + TILE_W, 300 + TILE_H


class DrawnTiles:
    """Finds the tiles of a drawn table; `slips` maps the number of a look to faces it gets
    wrong.
    """

    info = ModelInfo("drawn", "1", "0" * 64)

    def __init__(self) -> None:
        self.looks = 0
        self.slips: dict[int, dict[int, Tile]] = {}

    def detect(self, image: Image) -> Detections:
        """White rectangles, their face from the grey in the middle."""
        self.looks += 1
        white = (image.min(2) > 150).astype(np.uint8)
        found, _, stats, _ = cv2.connectedComponentsWithStats(
            cv2.morphologyEx(white, cv2.MORPH_CLOSE, np.ones((45, 45), np.uint8))
        )[0:4]
        boxes, rows = [], []
        for x, y, w, h, _area in stats[1:found]:
            for i in range(round(w / (TILE_W + 4))):
                x0 = x + i * (TILE_W + 4)
                middle = image[y + 20 : y + h - 20, x0 + 14 : x0 + 26].mean()
                face = int(np.clip(round((middle - 40) / 4), 0, 42))
                place = round((x0 - 60) / (TILE_W + 4))
                face = int(self.slips.get(self.looks, {}).get(place, Tile(face)))
                row = np.full(43, 0.001, np.float32)
                row[face] = 1 - 0.042
                boxes.append([x0, y, x0 + TILE_W, y + h])
                rows.append(row)
        if not boxes:
            return Detections.empty()
        n = len(boxes)
        return Detections(
            np.array(boxes, np.float32),
            np.full(n, 0.9, np.float32),
            np.stack(rows),
            np.full(n, np.pi / 2, np.float32),
        )


def as_hand(detections: Detections, size: tuple[int, int]) -> Reading:
    """Every tile found is a concealed tile of the hand."""
    order = np.argsort(detections.boxes[:, 0])
    tiles = tuple(
        ReadTile(
            int(i),
            Tile(int(detections.probabilities[i].argmax())),
            tuple(float(v) for v in detections.boxes[i]),  # type: ignore[arg-type]
            0.9,
        )
        for i in order
    )
    hands = (LikelyHand(Hand(tuple(tile.tile for tile in tiles)), 1.0),) if tiles else ()
    return Reading(tiles, (), hands)


class Film:
    """Plays a drawn table through a watch."""

    def __init__(self, watch: HandWatch, table: Table | None = None) -> None:
        self.watch, self.table = watch, table or Table()
        self.noise = QUIET
        self.frames = 0
        self.at = 10.0
        self.shown: list[str] = []

    def play(self, seconds: float) -> list[Sighting]:
        """So many seconds of the table as it is."""
        found = []
        for _ in range(round(seconds * FPS)):
            self.at += 1 / FPS
            self.frames += 1
            sighting = self.watch.watch(
                Frame(self.table.image(self.noise[self.frames % len(self.noise)]), self.at)
            )
            if sighting is not None:
                found.append(sighting)
                self.shown.append(faces(sighting))
        return found

    def reach(self, x: float, change: dict[int, Tile] | None = None) -> list[Sighting]:
        """An arm comes over the tiles, changes them if asked to, and goes."""
        found = []
        steps = [60, 120, 180, 240, 280]
        for length in [*steps, *reversed(steps)]:
            if length == 280 and change is not None:
                self.table.tiles = change
            self.table.arm = (x, length)
            found += self.play(1 / FPS)
        self.table.arm = None
        return found


def faces(sighting: Sighting) -> str:
    return "".join(tile.tile.code for tile in sighting.reading.tiles)


HAND = dict(enumerate(tiles_from_codes("123m456p789sEEE55p")))


@pytest.fixture
def detector() -> DrawnTiles:
    """A detector of drawn tiles."""
    return DrawnTiles()


@pytest.fixture
def film(detector: DrawnTiles) -> Film:
    """An empty table that is being watched."""
    return Film(HandWatch(detector, read_with=as_hand))


@pytest.mark.nightly
def test_a_hand_is_accepted_soon_after_the_arm_is_gone(film: Film, detector: DrawnTiles) -> None:
    film.play(1)
    assert film.reach(300, dict(HAND)) == []
    gone = film.at
    (seen,) = film.play(1.5)
    assert faces(seen) == "1m2m3m4p5p6p7s8s9sEEE5p5p"
    assert gone < seen.still_since <= gone + 2 / FPS
    assert 0.25 <= seen.at - seen.still_since < 0.4
    assert seen.looks >= 2
    looks = detector.looks
    film.play(5)
    assert detector.looks == looks, "a picture that has been read and is at rest is not read again"


@pytest.mark.nightly
def test_nothing_is_read_while_something_moves(film: Film, detector: DrawnTiles) -> None:
    film.play(1)
    before = detector.looks
    for step in range(60):
        film.table.arm = (100 + 8 * step, 200)
        film.play(1 / FPS)
    assert detector.looks == before


@pytest.mark.nightly
def test_slow_motion_is_detected(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    for step in range(120):
        film.table.arm = (200 + 1.5 * step, 200 + step / 2)
        film.play(1 / FPS)
    assert len(film.shown) == 1


@pytest.mark.nightly
def test_a_pause_while_laying_a_tile_is_not_the_end(film: Film) -> None:
    film.table.tiles = {place: tile for place, tile in HAND.items() if place != 4}
    film.play(1.5)
    film.table.tiles = dict(HAND)
    for x, pause in ((260, 0.15), (230, 0.2), (200, 0.2)):
        film.table.arm = (x, 230)
        film.play(pause)
    film.table.arm = None
    film.play(1.5)
    assert film.shown == ["1m2m3m4p6p7s8s9sEEE5p5p", "1m2m3m4p5p6p7s8s9sEEE5p5p"]


@pytest.mark.nightly
def test_an_arm_over_the_hand_changes_nothing_on_air(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    assert len(film.shown) == 1
    film.reach(200)
    film.table.arm = (220, 260)
    film.play(4)
    assert film.watch.covered
    film.table.arm = None
    film.play(2)
    assert len(film.shown) == 1, film.shown
    assert not film.watch.covered


@pytest.mark.nightly
def test_tiles_hidden_for_long_are_finally_considered_gone(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    film.table.arm = (220, 260)
    film.play(7)
    assert len(film.shown) == 1
    film.play(4)
    assert len(film.shown) == 2


def test_a_tile_taken_away_is_no_arm(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    film.reach(300, {place: tile for place, tile in HAND.items() if place != 13})
    (seen,) = film.play(1.5)
    assert faces(seen) == "1m2m3m4p5p6p7s8s9sEEE5p"


@pytest.mark.nightly
def test_a_cleared_table_is_reported_after_a_while(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    film.reach(300, {})
    gone = film.at
    (seen,) = film.play(4)
    assert seen.reading.tiles == ()
    assert 1.0 <= seen.at - gone < 2.0


def test_a_tile_misread_once_is_outvoted(film: Film, detector: DrawnTiles) -> None:
    film.play(1)
    detector.slips = {detector.looks + 2: {4: Tile.P9}}
    film.table.tiles = dict(HAND)
    film.play(2)
    assert film.shown == ["1m2m3m4p5p6p7s8s9sEEE5p5p"]


def test_a_wrong_first_reading_is_not_accepted(film: Film, detector: DrawnTiles) -> None:
    film.play(1)
    detector.slips = {detector.looks + 1: {4: Tile.P9}}
    film.table.tiles = dict(HAND)
    film.play(2)
    assert film.shown == ["1m2m3m4p5p6p7s8s9sEEE5p5p"]


@pytest.mark.nightly
def test_a_tile_exchanged_by_the_arm_is_seen_though_the_old_one_had_many_votes(film: Film) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    for _ in range(3):
        film.reach(500)
        film.play(1)
    film.reach(300, {**HAND, 3: Tile.P7})
    (seen,) = film.play(1.5)
    assert seen.reading.tiles[3].tile is Tile.P7


def test_changing_light_is_neither_movement_nor_a_new_reading(
    film: Film, detector: DrawnTiles
) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    before = detector.looks
    for step in range(40):
        film.table.light = 8 * float(np.sin(step / 3))
        film.play(1 / FPS)
    assert detector.looks == before


def test_noise_does_not_keep_a_picture_from_being_at_rest(detector: DrawnTiles) -> None:
    film = Film(HandWatch(detector, read_with=as_hand), Table(dict(HAND)))
    film.noise = sensor(10.0)
    assert len(film.play(2)) == 1


def test_the_fourteenth_tile_is_the_winning_one(film: Film) -> None:
    thirteen = {place: tile for place, tile in HAND.items() if place != 4}
    film.table.tiles = thirteen
    (ready,) = film.play(1.5)
    assert ready.hand is not None
    assert ready.hand.winning_tile is None
    film.reach(250, dict(HAND))
    (won,) = film.play(1.5)
    assert won.hand is not None
    assert won.hand.winning_tile is Tile.P5
    assert won.hand.size == 14


@pytest.mark.parametrize(
    ("before", "now", "tile"),
    [
        ("123m456p789sEEE5p", "123m456p789sEEE55p", Tile.P5),
        ("123m456p789sEEE5p", "123m456p789sEE555p", None),
        ("123m456p789sEEE55p", "123m456p789sEEE55p", None),
    ],
)
def test_drawn_tile(before: str, now: str, tile: Tile | None) -> None:
    assert drawn_tile(Hand(tiles_from_codes(before)), Hand(tiles_from_codes(now))) is tile
    assert drawn_tile(None, Hand(tiles_from_codes(now))) is None
    assert (
        drawn_tile(
            replace(Hand(tiles_from_codes(before)), winning_tile=Tile.M1),
            Hand(tiles_from_codes(now)),
        )
        is None
    )


def test_a_change_of_the_frame_size_forgets_earlier_boxes(film: Film, detector: DrawnTiles) -> None:
    film.table.tiles = dict(HAND)
    film.play(1.5)
    original, whole = film.table.image, detector.detect

    def smaller(noise: NDArray[np.int16]) -> Image:
        picture = cv2.resize(original(noise), (WIDTH // 2, HEIGHT // 2), None, 0, 0, cv2.INTER_AREA)
        return np.asarray(picture, np.uint8)

    def detect(image: Image) -> Detections:
        size = (WIDTH, HEIGHT)
        larger = cv2.resize(image, size, interpolation=cv2.INTER_NEAREST)
        return whole(np.asarray(larger, np.uint8)).scaled(0.5)

    film.table.image = smaller  # type: ignore[method-assign]
    detector.detect = detect  # type: ignore[method-assign]
    film.reach(250, {**HAND, 2: Tile.M9})
    film.play(2)
    assert film.shown[1:] == ["1m2m9m4p5p6p7s8s9sEEE5p5p"]


def test_a_view_of_another_size_is_compared_in_its_own_pixels() -> None:
    motion = Motion()
    acceptance = Acceptance(motion, Patience(agreeing=1, rest=0.0))
    plain = np.full((10, 10), 100, np.float32)

    def view(scale: int) -> View:
        box = (10.0 * scale, 10.0 * scale, 20.0 * scale, 20.0 * scale)
        return View(Reading((ReadTile(0, Tile.M1, box, 0.9),)), plain, (100 * scale,) * 2, 1.0, 1.0)

    assert acceptance.look(view(1))
    assert not acceptance.look(view(4)), "the same tiles"
    changed = plain.copy()
    changed[1, 1] = 150
    assert not acceptance.glance(changed, 2.0), "the tile's place has changed"
    changed[1, 1], changed[5, 5] = 100, 150
    assert acceptance.glance(changed, 3.0)


def test_red_fives_are_voted_on() -> None:
    row = np.zeros((2, 43), np.float32)
    row[:, Tile.P5] = 1
    ones = np.ones(2, np.float32)
    boxes = np.array([[0, 0, 20, 28], [40, 0, 60, 28]], np.float32)
    votes = Votes()
    for red in (0.9, 0.6, 0.9):
        reds = np.array([0, red], np.float32)
        seen = votes.add(Detections(boxes, ones, row, ones, reds=reds))
    assert sorted(seen.reds.tolist()) == pytest.approx([0, 0.8])


def test_hands_that_differ_in_a_red_five_are_different_readings() -> None:
    plain = Hand(tiles_from_codes("123m456p789sEEE5p"))
    keys = {
        key_of(Reading(hands=(LikelyHand(hand, 1.0),)))
        for hand in (plain, replace(plain, red_fives=(Tile.P5,)))
    }
    assert len(keys) == 2


def test_only_the_region_counts(detector: DrawnTiles) -> None:
    region = Region(((0.0, 0.5), (0.75, 0.5), (0.75, 1.0), (0.0, 1.0)))
    film = Film(HandWatch(detector, region, read_with=as_hand), Table(dict(HAND)))
    film.play(1)
    before = detector.looks
    original = film.table.image
    for step in range(20):

        def image(noise: NDArray[np.int16], step: int = step) -> Image:
            picture = original(noise)
            picture[40:120, 20 + 20 * step : 120 + 20 * step] = 255
            return picture

        film.table.image = image  # type: ignore[method-assign]
        film.play(1 / FPS)
    assert detector.looks == before
    assert film.shown == ["1m2m3m4p5p6p7s8s9sEEE5p5p"]


@pytest.mark.nightly
def test_readings_that_never_agree_are_not_accepted_and_become_rarer(
    detector: DrawnTiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = Film(
        HandWatch(detector, read_with=as_hand, settings=WatchSettings(looks=4, again=0.5)),
        Table(dict(HAND)),
    )
    faces_of = [Tile.P1, Tile.P9]
    detector.slips = {
        look: {0: faces_of[look % 2], 5: faces_of[look % 2]} for look in range(1, 100)
    }
    monkeypatch.setattr(Votes, "add", lambda votes, detections: detections)
    assert film.play(3) == []
    assert detector.looks < 4 + 3 / 0.5
