"""A hand that stands or leans on a rack, its melds flat on the table: no plane fits both."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.scoring.tiles import Tile
from hupai.vision.geometry.boxes import areas, intersections
from hupai.vision.layout.arrange import arrange
from hupai.vision.reading.read import read
from hupai.vision.types import Detections, Reading

LENGTH, THICK = 1.34, 0.8
"""Height and thickness of a tile, tile widths."""
WIDTH, HEIGHT = 1600, 1200
PLACES = {
    "right": (9.5, 0.0),
    "right, behind": (9.5, 1.5),
    "left": (-10.5, 0.0),
    "before": (-4.0, -2.2),
    "behind": (-4.0, 2.6),
}
"""Left end and depth of the melds; the row is from -4 to 4."""

Quad = tuple[np.ndarray, Tile]


def standing(text: str, lean: float) -> list[Quad]:
    """A row of suited tiles from x = -4 that leans back by an angle, radians."""
    up = np.array([0.0, math.sin(lean), math.cos(lean)]) * LENGTH
    row = []
    for k, code in enumerate(re.findall("..", text)):
        low = np.array([[-4 + 1.02 * k, 0.0, 0.0], [-3 + 1.02 * k, 0.0, 0.0]])
        row.append((np.array([low[0] + up, low[1] + up, low[1], low[0]]), Tile.from_code(code)))
    return row


def flat(text: str, x: float, y: float) -> list[Quad]:
    """A row from `x` whose near edges are at `y`; a minus marks a sideways tile, _ a gap."""
    row = []
    for code in text.split():
        if code == "_":
            x += 0.5
            continue
        wide, deep = (LENGTH, 1.0) if code.startswith("-") else (1.0, LENGTH)
        corners = [[x, y + deep], [x + wide, y + deep], [x + wide, y], [x, y]]
        if code.startswith("-"):
            corners = corners[1:] + corners[:1]
        quad = np.column_stack([corners, np.full(4, THICK)])
        row.append((quad, Tile.from_code(code.removeprefix("-"))))
        x += wide + 0.02
    return row


def seen(tiles: list[Quad], elevation: float, azimuth: float) -> Detections:
    """What a perfect detector finds on a photo of these tiles."""
    points = np.concatenate([quad for quad, _ in tiles])
    camera = Camera(View(elevation, azimuth, 0.0, 55.0, WIDTH, HEIGHT), points, 0.9)
    boxes, axes, classes = [], [], np.full((len(tiles), 43), 1e-6, np.float32)
    for k, (quad, tile) in enumerate(tiles):
        corners = camera.project(quad)
        boxes.append([*corners.min(0), *corners.max(0)])
        up = corners[:2].mean(0) - corners[2:].mean(0)
        axes.append(math.nan if tile is Tile.BACK else math.atan2(up[1], up[0]) % math.pi)
        classes[k, tile] = 1.0
    return Detections(
        np.array(boxes, np.float32),
        np.full(len(tiles), 0.95, np.float32),
        classes / classes.sum(1, keepdims=True),
        np.array(axes, np.float32),
    )


def groups(reading: Reading) -> set[tuple[str, str]]:
    faces = {tile.id: tile.tile.code for tile in reading.tiles}
    return {(g.kind.value, " ".join(sorted(faces[i] for i in g.tiles))) for g in reading.groups}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("melds", "expected"),
    [
        ("-4s 5s 6s _ ? S S ?", {("chow", "4s 5s 6s"), ("concealed_kong", "S S S S")}),
        ("-E E E _ 7m 7m -7m 7m", {("pung", "E E E"), ("kong", "7m 7m 7m 7m")}),
    ],
)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("elevation", "azimuth", "lean"), [(35, 0, 0), (30, 15, 0.3), (28, -25, 0), (28, -10, 0.2)]
)
def test_melds_that_lie_flat_by_a_standing_row_are_read(
    melds: str,
    expected: set[tuple[str, str]],
    place: str,
    elevation: float,
    azimuth: float,
    lean: float,
) -> None:
    tiles = standing("1m2m3m5p6p7p9s9s", lean) + flat(melds, *PLACES[place])
    reading = read(arrange(seen(tiles, elevation, azimuth), (WIDTH, HEIGHT)))
    assert expected <= groups(reading)


@pytest.mark.parametrize(("elevation", "azimuth", "lean"), [(30, 15, 0.3), (40, 10, 0)])
def test_melds_that_touch_in_two_rows_by_a_standing_row_are_read(
    elevation: float, azimuth: float, lean: float
) -> None:
    """Their tiles touch each other on the photo, but form two rows on any plane."""
    melds = flat("-4s 5s 6s", 9.5, 0.0) + flat("-E E E", 9.5, LENGTH + 0.02)
    tiles = standing("1m2m3m5p6p7p9s9s", lean) + melds
    reading = read(arrange(seen(tiles, elevation, azimuth), (WIDTH, HEIGHT)))
    assert {("chow", "4s 5s 6s"), ("pung", "E E E")} <= groups(reading)


def before_discards(first: float = 3.0) -> list[Quad]:
    """A standing hand of 13, and three rows of discards from a depth."""
    rows = [flat("1m 9m 3s 7p E W 2m 8s", -4, first + y) for y in (0, 1.6, 3.2)]
    return standing("1s1s4s6s8s9s7p7p8p9p2m4m6m", 0.0) + [t for row in rows for t in row]


@pytest.mark.parametrize(("elevation", "azimuth"), [(35, -30), (35, 45), (45, 30), (25, 45)])
def test_no_tile_is_sought_where_a_standing_row_shows_one(elevation: float, azimuth: float) -> None:
    """On the plane of the discards behind it, the tiles of the row seem far apart."""
    found = seen(before_discards(), elevation, azimuth)
    places = arrange(found, (WIDTH, HEIGHT)).missing_tile_boxes
    assert len(places)
    covered = intersections(places, found.boxes).max(1) / areas(places)
    assert covered.max() < 0.5


@pytest.mark.parametrize("room", [0.0, 0.2, 0.4])
@pytest.mark.parametrize(("elevation", "azimuth"), [(40, -30), (45, 45), (50, -30)])
def test_no_tile_is_sought_where_the_edge_of_the_photo_leaves_only_one_that_is_seen(
    elevation: float, azimuth: float, room: float
) -> None:
    """The tile covers less than half of such a place, but most of what the photo shows of it."""
    found = seen(before_discards(), elevation, azimuth)
    last = found.boxes[12]
    size = round(float(last[2] + room * (last[2] - last[0]))), HEIGHT
    places = np.clip(arrange(found, size).missing_tile_boxes, 0, (*size, *size))
    shown = places[areas(places) > 0]
    assert len(shown)
    covered = intersections(shown, found.boxes).max(1) / areas(shown)
    assert covered.max() < 0.5
