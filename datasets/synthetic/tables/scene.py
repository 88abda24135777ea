"""Lays whole tables: all four seats, the middle, furniture, and the camera that looks at them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hupai.datasets.synthetic.picture.camera import Camera, View
from hupai.datasets.synthetic.scene import PlacedTile, Proportions
from hupai.datasets.synthetic.tables import furniture
from hupai.datasets.synthetic.tables.hands import TileBox, draw_hand
from hupai.datasets.synthetic.tables.laying import Habit, lay, random_habit
from hupai.datasets.synthetic.tables.seats import (
    Ground,
    Size,
    at_seat,
    heap,
    other_hand,
    pond,
    random_size,
    wall,
)
from hupai.datasets.synthetic.tables.solids import Box, FloatArray, tile_corners
from hupai.scoring.hand import Hand

TRIES = 12
"""Maximum number of attempts at laying a hand whose parts do not overlap."""

MOST_TILES = 148
"""Maximum number of tiles on a table; those laid last are left out."""

LOWEST = 17.0
"""Lowest elevation of a camera, degrees."""

EMPTY_SHARE = 0.04
"""Share of tables without a tile."""

APART = 0.7
"""Minimum space between another player's tiles and the photographer's, tile widths: closer
together, it would be unclear whose flowers or melds they are.
"""

ASPECTS = (4 / 3, 4 / 3, 3 / 4, 3 / 4, 16 / 9, 9 / 16, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class WholeTable:
    """A table as laid.

    Attributes:
        tiles: all of them; those of the photographer's hand have `in_hand`.
        hand: the photographer's, None if there is none.
        habit: how it was laid.
        proportions, size: of the tiles and the table.
        things: what is not a tile.
    """

    tiles: tuple[PlacedTile, ...]
    hand: Hand | None
    habit: Habit
    proportions: Proportions
    size: Size
    things: tuple[Box, ...]

    def boxes(self) -> list[Box]:
        """Return tiles and things as boxes."""
        own = [
            Box(tile_corners(tile, self.proportions), (), tile=i)
            for i, tile in enumerate(self.tiles)
        ]
        return [*self.things, *own]


def own_hand(
    rng: np.random.Generator, box: TileBox, p: Proportions, half: float
) -> tuple[Hand, Habit, list[PlacedTile]]:
    """Draw and lay the photographer's hand; its parts overlap only if all `TRIES` failed.

    Melds show whom they were claimed from, if claimed tiles lie sideways.
    """
    habit = random_habit(rng)
    won = habit.stance == "open" and rng.random() < 0.8
    melds = int(rng.choice([0, 1, 2, 3, 4], p=[0.34, 0.26, 0.2, 0.13, 0.07]))
    flowers = int(rng.choice([0, 1, 2, 3, 5, 8], p=[0.62, 0.14, 0.12, 0.07, 0.03, 0.02]))
    kongs = float(rng.choice([0.15, 0.15, 0.75]))
    hand = draw_hand(rng, box, melds, kongs, flowers, won, named=habit.turned)
    tiles: list[PlacedTile] = []
    for _ in range(TRIES):
        tiles = lay(rng, hand, habit, p, half)
        if _apart(tiles, p):
            break
        habit = replace(random_habit(rng, habit.stance), turned=habit.turned)
    return hand, habit, tiles


def _apart(tiles: Sequence[PlacedTile], p: Proportions) -> bool:
    """Return whether the groups of a hand keep apart; tiles on top of others do."""
    ground = Ground(p)
    for group in sorted({t.group or 0 for t in tiles}):
        members = [t for t in tiles if (t.group or 0) == group]
        if not all(ground.room(t, 0.05) for t in members):
            return False
        ground.put(members, check=False)
    return True


def lay_table(rng: np.random.Generator, p: Proportions, empty: float = EMPTY_SHARE) -> WholeTable:
    """Lay a table; with probability `empty` it has no tiles, only things that look like them."""
    size = random_size(rng, p)
    box = TileBox(rng, flowers=bool(rng.random() < 0.4))
    if rng.random() < empty:
        habit = random_habit(rng)
        things = tuple(_look_alikes(rng, size, Ground(p), int(rng.integers(2, 12))))
        return WholeTable((), None, habit, p, size, things)
    ground = Ground(p)
    automatic = bool(rng.random() < 0.5)
    things_: list[Box] = list(furniture.console(rng, size.pond - 0.6)) if automatic else []
    hand, habit, laid = own_hand(rng, box, p, size.half - 0.6)
    back = size.half - size.hand
    tiles = ground.put(at_seat(laid, 0, back), check=False)
    own = Ground(p)
    own.put(tiles, check=False)
    if habit.stance == "rack" or rng.random() < 0.12:
        row = [t.x for t in tiles if t.group == 0] or [0.0]
        things_ += furniture.rack(rng, min(row) - 0.5, max(row) + 0.5, -back, p.thickness)
    alone = rng.random() < 0.12
    ponds = rng.random() < 0.7
    messy = float(rng.random() < 0.3)
    for seat in () if alone else (0, 1, 2, 3):
        if rng.random() < 0.8:
            tiles += _stacked(ground, at_seat(wall(rng, box, p, size), seat, size.wall))
        if ponds and rng.random() < 0.92:
            tiles += ground.put(at_seat(pond(rng, box, p, messy), seat, size.pond + p.height / 2))
        if seat and rng.random() < 0.85:
            other = other_hand(rng, box, p, size.half - 0.6)
            near = back + float(rng.normal(0, 0.5))
            placed = [replace(t, player=seat) for t in at_seat(other, seat, near)]
            tiles += ground.put([t for t in placed if own.room(t, -APART)])
    if not ponds and not alone:
        count = int(rng.integers(3, 50))
        middle = heap(rng, box, count, float(rng.uniform(3, 8)), float(rng.choice([0, 0.05, 0.5])))
        tiles += ground.put(middle)
    if rng.random() < 0.25:
        tiles += ground.put(heap(rng, box, int(rng.integers(1, 14)), size.half, 0.4))
    things_ += lying_about(rng, size, ground)
    if rng.random() < 0.12:
        things_ += _look_alikes(rng, size, ground, int(rng.integers(1, 5)))
    tiles = _with_red_fives(rng, tiles[:MOST_TILES])
    return WholeTable(tuple(tiles), hand, habit, p, size, tuple(things_))


def _with_red_fives(rng: np.random.Generator, tiles: list[PlacedTile]) -> list[PlacedTile]:
    """Make one or two open fives of each suit red, as in riichi sets, or none at all."""
    if rng.random() < 0.45:
        return tiles
    out = list(tiles)
    for code in ("5m", "5p", "5s"):
        fives = [i for i, t in enumerate(out) if t.face.code == code and not t.face_down]
        for i in rng.permutation(fives)[: int(rng.choice([1, 1, 2]))]:
            out[int(i)] = replace(out[int(i)], red=True)
    return out


def _stacked(ground: Ground, tiles: list[PlacedTile]) -> list[PlacedTile]:
    """Lay a wall: an upper tile only where a lower one carries it."""
    lower = ground.put([t for t in tiles if t.z == 0])
    spots = np.array([[t.x, t.y] for t in lower]).reshape(-1, 2)
    upper = []
    for t in tiles:
        if t.z > 0 and len(spots) and np.abs(spots - (t.x, t.y)).max(1).min() < 0.45:
            upper.append(t)
    return [*lower, *ground.put(upper)]


def _spot(
    rng: np.random.Generator, size: Size, ground: Ground, room: float
) -> tuple[float, float] | None:
    """Find a place where nothing lies within `room`."""
    for _ in range(8):
        x, y = (rng.uniform(-1, 1, 2) * (size.half + 1.5)).tolist()
        if ground.free((x, y), room):
            return x, y
    return None


def lying_about(rng: np.random.Generator, size: Size, ground: Ground) -> list[Box]:
    """Draw dice, sticks and the like in free places."""
    out: list[Box] = []
    for _ in range(int(rng.poisson(2.2))):
        maker = furniture.COMMON[int(rng.integers(len(furniture.COMMON)))]
        place = _spot(rng, size, ground, 1.0 if maker in (furniture.die, furniture.sticks) else 2.6)
        if place is not None:
            out += maker(rng, place, float(rng.uniform(0, 2 * math.pi)))
    return out


def _look_alikes(rng: np.random.Generator, size: Size, ground: Ground, count: int) -> list[Box]:
    out: list[Box] = []
    for _ in range(count):
        maker = furniture.LOOK_ALIKES[int(rng.integers(len(furniture.LOOK_ALIKES)))]
        place = _spot(rng, size, ground, 3.5)
        if place is not None:
            angle = float(rng.choice([0, math.pi / 2])) + float(rng.normal(0, 0.4))
            out += maker(rng, place, angle)
    return out


def random_camera(rng: np.random.Generator, table: WholeTable, longer_side: int) -> Camera:
    """Draw a phone held at the table, mostly at the own seat, with the hand near the lower edge."""
    aspect = float(ASPECTS[int(rng.integers(len(ASPECTS)))])
    width = longer_side if aspect >= 1 else round(longer_side * aspect)
    height = round(longer_side / aspect) if aspect >= 1 else longer_side
    steep = rng.random() < 0.28
    elevation = float(rng.uniform(60, 90)) if steep else float(rng.uniform(LOWEST + 2, 62))
    azimuth = float(rng.normal(0, 11)) if rng.random() < 0.72 else float(rng.uniform(-180, 180))
    roll = float(rng.normal(0, 3.5)) if rng.random() < 0.88 else float(rng.choice([90, 180, 270]))
    view = View(elevation, azimuth, roll, float(rng.uniform(40, 76)), width, height)
    points, fill, shift = _subject(rng, table)
    return Camera(view, points, fill, shift)


def _subject(
    rng: np.random.Generator, table: WholeTable
) -> tuple[FloatArray, float, tuple[float, float]]:
    """Draw what the camera is aimed at, how much of the picture it fills, and where it lies."""
    half = table.size.half
    corners = np.array([[x, y, 0.0] for x in (-half, half) for y in (-half, half)])
    own = np.array([[t.x, t.y, 0.0] for t in table.tiles if t.in_hand]).reshape(-1, 3)
    kind = rng.random()
    across = float(rng.normal(0, 0.03))
    if kind < 0.3 or not len(own):
        return (
            corners * (1, 1, 1),
            float(rng.uniform(0.85, 1.5)),
            (across, float(rng.normal(0, 0.06))),
        )
    spread = np.vstack([own + np.array([dx, dx, 0.0]) for dx in (-0.9, 0.9)])
    if kind < 0.65:  # the hand and what lies before it
        ahead = np.array(
            [[x, own[:, 1].min() + float(rng.uniform(6, 20)), 0.0] for x in (-5.0, 5.0)]
        )
        return (
            np.vstack([spread, ahead]),
            float(rng.uniform(0.7, 1.1)),
            (across, float(rng.uniform(-0.05, 0.1))),
        )
    if kind < 0.88:
        return spread, float(rng.uniform(0.55, 0.98)), (across, float(rng.uniform(-0.1, 0.33)))
    some = table.tiles[int(rng.integers(len(table.tiles)))]
    reach = float(rng.uniform(4, 10))
    near = np.array(
        [[some.x + dx, some.y + dy, 0.0] for dx in (-reach, reach) for dy in (-reach, reach)]
    )
    return near, float(rng.uniform(0.8, 1.2)), (across, 0.0)
